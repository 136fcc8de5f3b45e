#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Whole models in Tenon, with the optimizer and without, beside TensorFlow, with oneDNN, without, and through XLA, ONNX
# Runtime, OpenVINO and LiteRT, on one thread and on two: medians in one process, in turns; beside TensorFlow and ONNX
# Runtime also with their graph optimizers off. A peer that does not convert a model is absent there, and a note says why.
# Then load, first run and peak memory, each in processes of their own, and where the time of a run goes by op.
#   tools/bench_models.sh [--markdown FILE] [--threads "1 2"] [MODEL]...     without names: all of bench/models/make_models.py
# The models are made once, in build/bench/models (2 GB), by a Python with TensorFlow: python3, or the one that
# TENON_TENSORFLOW_PYTHON names (tools/bench.sh --install-peers makes one).
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/bench/native results=build/bench/model_results markdown= threads="1 2"
while [[ ${1:-} == --* ]]; do
  case $1 in
    --markdown) markdown=$2 ;;
    --threads) threads=$2 ;;
    *) echo "usage: tools/bench_models.sh [--markdown FILE] [--threads \"1 2\"] [MODEL]..." >&2; exit 2 ;;
  esac
  shift 2
done
names=("$@")
((${#names[@]} > 0)) || names=(mlp_1 mlp_64 cnn28 mobilenet_v2 resnet50 lstm bert_base efficientnet_b0
                               mobilenet_v3 yolo unet wavenet gpt_step mobilenet_qat dlrm text_cnn)

if [[ -z ${TENON_TENSORFLOW_PYTHON:-} && -x build/peers/bin/python ]]; then
  export TENON_TENSORFLOW_PYTHON=$PWD/build/peers/bin/python
fi
export TENON_BENCH_MODELS=${TENON_BENCH_MODELS:-$PWD/build/bench/models}
mkdir -p "$TENON_BENCH_MODELS" $results
"${TENON_TENSORFLOW_PYTHON:-python3}" bench/models/make_models.py "$TENON_BENCH_MODELS" "${names[@]}" 2>&1 |
  grep "^wrote\|^no \|make_models" || true
for name in "${names[@]}"; do
  [[ -e $TENON_BENCH_MODELS/$name.pb ]] ||
    { echo "bench_models: there is no $TENON_BENCH_MODELS/$name.pb, and no TensorFlow that makes it" >&2; exit 1; }
done

[[ -e $build/build.ninja ]] || cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DTENON_BUILD_TESTS=OFF \
  -DTENON_BUILD_EXAMPLES=OFF -DTENON_WITH_RE2=ON -DTENON_BENCH_OPTIONS=-march=native --log-level=WARNING
cmake --build $build --target tenon_bench_models tenon_bench_once -- --quiet

rm -f $results/*
log=$results/log
for name in "${names[@]}"; do
  for count in $threads; do
    for way in 11 01 10; do  # oneDNN, optimizers
      echo "$name, $count threads, oneDNN ${way:0:1}, optimizers ${way:1}" >&2
      TF_ENABLE_ONEDNN_OPTS=${way:0:1} TENON_BENCH_OPTIMIZE=${way:1} TENON_BENCH_MORE_PEERS=$((way == 11)) \
        $build/bench/tenon_bench_models --filter "$name" --threads "$count" \
        --json $results/"$name.$count.$way.json" >/dev/null 2>>$log || { cat $log >&2; exit 1; }
    done
  done
  for who in tenon tensorflow onnx; do
    for _ in 1 2 3; do  # the peers may be absent
      $build/bench/tenon_bench_once first $who "$name" >>$results/"$name.$who.first" 2>>$log || [[ $who != tenon ]]
    done
  done
done

python3 - $results "$threads" "${names[@]}" <<'PYTHON' | tee ${markdown:+"$markdown"}
import json
import os
import statistics
import sys
folder, threads, names = sys.argv[1], sys.argv[2].split(), sys.argv[3:]
WAYS = ["11", "01", "10"]
PEERS = [("TensorFlow", "11", "TensorFlow, in"), ("TensorFlow without oneDNN", "01", "TensorFlow, in"),
         ("XLA", "11", "TensorFlow, XLA"), ("ONNX Runtime", "11", "ONNX Runtime"), ("OpenVINO", "11", "OpenVINO"),
         ("LiteRT", "11", "LiteRT")]
UNOPTIMIZED = [("TensorFlow", "10", "TensorFlow, in"), ("ONNX Runtime", "10", "ONNX Runtime")]


def duration(ns):
    for unit, scale in (("us", 1e3), ("ms", 1e6)):
        if ns < 999.5 * scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns / 1e9:.3g} s"


def subject(runs, way, prefix):
    return next((s for who, s in runs[way].items() if who.startswith(prefix) and "median_ns" in s), None)


rows, plain_rows, machine, notes = [], [], None, []
for name in names:
    for count in threads:
        runs = {}
        for way in WAYS:
            with open(f"{folder}/{name}.{count}.{way}.json", encoding="utf-8") as file:
                report = json.load(file)
            machine = report["machine"]
            notes += [note for note in report["notes"] if note not in notes and "samples" not in note]
            case = next(case for case in report["cases"] if case["name"] == name)
            if "error" in case:
                sys.exit(f"bench_models: {name}: {case['error']}")
            runs[way] = {s["name"]: s for s in case["subjects"]}
        ours = duration(min(run["Tenon"]["median_ns"] for run in runs.values()))
        optimized = [(way, subject(runs, way, "Tenon, optimizer")) for way in WAYS]
        factors = {way: 1 / s["tenon_ratio"] for way, s in optimized}  # time with the optimizer / without, by way
        cells, best = [name, count, ours, duration(min(s["median_ns"] for _, s in optimized))], 0
        for _, way, prefix in PEERS:
            peer = subject(runs, way, prefix)
            ratio = peer["tenon_ratio"] * factors[way] if peer else 0
            best = max(best, ratio)
            cells.append(f"{duration(peer['median_ns'])}, **{ratio:.2f}**" if peer else "absent")
        rows.append(cells + [f"**{best:.2f}**"])
        cells = [name, count, ours]
        for _, way, prefix in UNOPTIMIZED:
            peer = subject(runs, way, prefix)
            cells.append(f"{duration(peer['median_ns'])}, **{peer['tenon_ratio']:.2f}**" if peer else "absent")
        plain_rows.append(cells)
print(f"{machine['date']}. {machine['cpu']}, {machine['cores']} cores ({machine['instructions']}). "
      f"{machine['compiler']} {machine['flags']}.\n")
print("Ratios: time of Tenon with the optimizer / the peer's.\n")
print("| model | threads | Tenon, optimizer off | Tenon | " + " | ".join(peer for peer, _, _ in PEERS) + " | best peer |")
print("|---|---:|---:|---:|" + "---:|" * len(PEERS) + "---:|")
for cells in rows:
    print("| " + " | ".join(cells) + " |")
print("\nAll optimizers off.\n")
print("| model | threads | Tenon | " + " | ".join(f"{peer}, Tenon / it" for peer, _, _ in UNOPTIMIZED) + " |")
print("|---|---:|---:|" + "---:|" * len(UNOPTIMIZED))
for cells in plain_rows:
    print("| " + " | ".join(cells) + " |")

print("\n| model | who | load, ms | first run, ms | peak memory, MB |\n|---|---|---:|---:|---:|")
for name in names:
    for who, title in (("tenon", "Tenon"), ("tensorflow", "TensorFlow"), ("onnx", "ONNX Runtime")):
        path = f"{folder}/{name}.{who}.first"
        lines = [line.split() for line in open(path, encoding="utf-8")] if os.path.exists(path) else []
        if lines:
            load, first, peak = (statistics.median(float(line[i]) for line in lines) for i in range(3))
            print(f"| {name if who == 'tenon' else ''} | {title} | {load:.1f} | {first:.1f} | {peak:.0f} |")
print()
for note in notes:
    print(f"- {note}")
PYTHON

for name in "${names[@]}"; do  # where TensorFlow is there
  if profile=$("${TENON_TENSORFLOW_PYTHON:-python3}" bench/models/profile.py $build/bench/tenon_bench_once "$name" 2>>$log); then
    printf '\n%s\n' "$profile" | tee ${markdown:+-a "$markdown"}
  fi
done

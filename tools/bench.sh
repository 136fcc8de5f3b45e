#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the benchmarks, runs them, keeps the results in bench/baselines/*.json and writes their tables to bench/results.
#   tools/bench.sh [--install-peers] [executor|registry|memory|ops|every_op|engines|engines-portable|products|products-portable|models|models-portable|compile|whole-models|training|gradients|sweeps]...
# Without names: all but whole-models, whose graphs TensorFlow makes first (tools/bench_models.sh), training
# (tools/bench_training.sh), every_op and sweeps, for which all ops are compiled, and gradients.
# Benchmarks not named -portable are compiled with -march=native. They run for 15 minutes at most, all together
# (building them takes longer the first time); the benchmarks that are left then keep their old files. sweeps may take two
# hours more.
# TensorFlow and ONNX Runtime take part if python3, or the Python named by TENON_TENSORFLOW_PYTHON, has them.
# --install-peers makes a Python that does: build/peers, about 2 GB from PyPI.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/bench

if [[ ${1:-} == --install-peers ]]; then
  shift
  tools/setup.sh bench
  [[ -d build/peers ]] || python3 -m venv build/peers
  build/peers/bin/pip install -q tensorflow-cpu==2.21.0 onnxruntime onnx tf2onnx openvino ai-edge-litert torch
fi
if [[ -z ${TENON_TENSORFLOW_PYTHON:-} && -x build/peers/bin/python ]]; then
  export TENON_TENSORFLOW_PYTHON=$PWD/build/peers/bin/python
fi

names=("$@")
((${#names[@]} > 0)) || names=(executor registry memory ops engines engines-portable products products-portable models models-portable compile)
for name in "${names[@]}"; do
  [[ $name == compile || $name == whole-models || -d bench/${name%-portable} ]] || { echo "tools/bench.sh: there is no benchmark '$name'" >&2; exit 2; }
done

tools/setup.sh bench
mkdir -p $build/onnx $build/tables bench/baselines

models=tests/golden/models
if [[ " ${names[*]} " == *" models"* && ! -e $build/onnx/cnn_digits.onnx ]]; then
  "${TENON_TENSORFLOW_PYTHON:-python3}" bench/peers/make_onnx.py $build/onnx \
    mlp_digits=$models/mlp_digits/graph.pb:pixels:probabilities \
    cnn_digits=$models/cnn_digits/graph.pb:image:probabilities 2>&1 | grep make_onnx || true
fi
export TENON_BENCH_ONNX=$PWD/$build/onnx
# jemalloc, a peer of the memory benchmarks, is opened at run time and wants room for its thread-local variables.
export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384

measured=() left_seconds=900
for name in "${names[@]}"; do
  echo "== $name"
  results=(--json bench/baselines/$name.json --markdown $build/tables/$name.md)
  if [[ $name == compile ]]; then
    run=(bench/compile/compile_bench.py)
  elif [[ $name == whole-models ]]; then
    run=(tools/bench_models.sh) results=(--markdown $build/tables/$name.md)
  elif [[ $name == training ]]; then
    run=(tools/bench_training.sh) results=(--markdown $build/tables/$name.md)
  else
    folder=$build/native options=(-DTENON_BENCH_OPTIONS=-march=native)
    if [[ $name == *-portable ]]; then
      folder=$build/portable options=(-DTENON_BENCH_OPTIONS= "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG")
    fi
    program=tenon_bench_${name%-portable}
    cmake -S . -B $folder -G Ninja -DCMAKE_BUILD_TYPE=Release -DTENON_BUILD_TESTS=OFF -DTENON_BUILD_EXAMPLES=OFF \
      "${options[@]}" --log-level=WARNING
    cmake --build $folder --target "$program" -- --quiet
    run=("$folder/bench/$program")
  fi
  begin=$SECONDS status=0
  if [[ $name == sweeps ]]; then  # few samples of each of its 2,700 cells
    results=(--json $build/tables/sweeps.json --rounds 5 --batch-ms 0.5 --case-ms 50) left_seconds=$((left_seconds + 7200))
  fi
  timeout $left_seconds "${run[@]}" "${results[@]}" 2>$build/tables/"$name".log || status=$?  # where TensorFlow talks, too
  left_seconds=$((left_seconds - (SECONDS - begin)))
  if ((status == 124 || left_seconds <= 0)); then
    echo "tools/bench.sh: the 15 minutes are over; no new results of '$name' and what follows" >&2
    break
  elif ((status != 0)); then
    cat $build/tables/"$name".log >&2
    exit 1
  fi
  measured+=("$name")
done
((${#measured[@]} > 0)) || exit 1

# Each table becomes a page of bench/results.
python3 - $build/tables "${measured[@]}" <<'EOF'
import json
import subprocess
import sys


def duration(ns):
    for unit, scale in (("ns", 1), ("us", 1e3), ("ms", 1e6)):
        if ns < 999.5 * scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns / 1e9:.3g} s"


# A line for each op; the ops that take longest beside TensorFlow come first.
def op_table(report):
    machine, rows = report["machine"], []
    for case in report["cases"]:
        if "error" in case:  # an op of an optional component
            continue
        tenon = case["subjects"][0]
        peers = [s for s in case["subjects"][1:] if "median_ns" in s]
        ratio = peers[0]["tenon_ratio"] if peers else None
        rows.append((-(ratio or 0), case["name"], duration(tenon["median_ns"]),
                     duration(peers[0]["median_ns"]) if peers else "", f"{ratio:.2f}" if peers else ""))
    head = [f"{machine['date']}. {machine['cpu']}, {machine['cores']} cores ({machine['instructions']}). "
            f"{machine['compiler']} {machine['flags']}. " + "; ".join(n for n in report["notes"] if "samples" not in n), "",
            "| op | Tenon | TensorFlow | Tenon / it |", "|---|---:|---:|---:|"]
    return "\n".join(head + [f"| {' | '.join(row[1:])} |" for row in sorted(rows)])


for name in sys.argv[2:]:
    path = f"bench/results/{name}.md"
    if name == "every_op":
        table = op_table(json.load(open(f"bench/baselines/{name}.json", encoding="utf-8")))
    elif name == "sweeps":
        table = subprocess.run(["bench/sweeps/table.py", f"{sys.argv[1]}/sweeps.json"], check=True, capture_output=True,
                               encoding="utf-8").stdout.strip()
    else:
        table = open(f"{sys.argv[1]}/{name}.md", encoding="utf-8").read().strip()
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"# Results: {name}\n\n`tools/bench.sh {name}` writes this file. "
                   f"[performance.md](../../docs/explanation/performance.md) explains the method.\n\n{table}\n")
    print(f"wrote {path}")

# The goals at a glance are those of several tables.
goals = subprocess.run([sys.executable, "bench/gates.py"], check=True, capture_output=True, encoding="utf-8").stdout
with open("bench/results/goals.md", "w", encoding="utf-8") as file:
    file.write(goals)
EOF

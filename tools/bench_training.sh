#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Training steps in Tenon, with the optimizer of graphs, beside TensorFlow by its C API with the same graph, by tf.function and
# by XLA, and beside PyTorch, eager and compiled; on one thread and on two: medians in turns. A peer takes part if the
# losses of its first steps are Tenon's. Then the memory of a step, each in a process of its own, the allocations of
# Tenon's steady steps, and where the time goes by op.
#   tools/bench_training.sh [--markdown FILE] [--threads "1 2"] [MODEL]...     without names: all models
# TENON_TENSORFLOW_PYTHON names a Python with TensorFlow and PyTorch (tools/bench.sh --install-peers makes one).
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/bench/native results=build/bench/training_results markdown= threads="1 2"
while [[ ${1:-} == --* ]]; do
  case $1 in
    --markdown) markdown=$2 ;;
    --threads) threads=$2 ;;
    *) echo "usage: tools/bench_training.sh [--markdown FILE] [--threads \"1 2\"] [MODEL]..." >&2; exit 2 ;;
  esac
  shift 2
done
if [[ -z ${TENON_TENSORFLOW_PYTHON:-} && -x build/peers/bin/python ]]; then
  export TENON_TENSORFLOW_PYTHON=$PWD/build/peers/bin/python
fi
python=${TENON_TENSORFLOW_PYTHON:-python3}
mkdir -p $results

[[ -e $build/build.ninja ]] || cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DTENON_BUILD_TESTS=OFF \
  -DTENON_BUILD_EXAMPLES=OFF -DTENON_BENCH_OPTIONS=-march=native --log-level=WARNING
cmake --build $build --target tenon_bench_training tenon_bench_training_once -- --quiet
bench=$build/bench/tenon_bench_training once=$build/bench/tenon_bench_training_once

names=("$@")
((${#names[@]} > 0)) || mapfile -t names < <($bench --list)
rm -f $results/*
log=$results/log
for name in "${names[@]}"; do
  for count in $threads; do
    echo "$name, $count threads" >&2
    $bench --filter "$name" --threads "$count" --json $results/"$name.$count.json" >/dev/null 2>>$log ||
      { cat $log >&2; exit 1; }
  done
  $once memory "$name" >$results/"$name.tenon.memory"
  $once values "$name" $results/values.npz
  $once tensorflow "$name" >$results/"$name.graph.memory" 2>>$log || true  # the peers may be absent
  for kind in function xla eager compile; do
    "$python" bench/peers/training_peer.py $kind "$name" $results/values.npz 1 memory \
      >$results/"$name.$kind.memory" 2>>$log || true
  done
  rm -f $results/values.npz
  $once ops "$name" >$results/"$name.ops"
done

"$python" - $results "$threads" "${names[@]}" <<'PYTHON' | tee ${markdown:+"$markdown"}
import json
import os
import re
import sys
folder, threads, names = sys.argv[1], sys.argv[2].split(), sys.argv[3:]
PEERS = [("TensorFlow, same graph", "graph"), ("TensorFlow, tf.function", "function"), ("TensorFlow, XLA", "xla"),
         ("PyTorch, eager", "eager"), ("PyTorch, torch.compile", "compile")]


def duration(ns):
    for unit, scale in (("us", 1e3), ("ms", 1e6)):
        if ns < 999.5 * scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns / 1e9:.3g} s"


rows, machine, notes = [], None, []
for name in names:
    for count in threads:
        with open(f"{folder}/{name}.{count}.json", encoding="utf-8") as file:
            report = json.load(file)
        machine = report["machine"]
        notes += [note for note in report["notes"] if note not in notes and "samples" not in note]
        case = report["cases"][0]
        if "error" in case:
            sys.exit(f"bench_training: {name}: {case['error']}")
        subjects = {s["name"]: s for s in case["subjects"]}
        cells, worst = [name, count, duration(subjects["Tenon"]["median_ns"])], 0
        for peer, _ in PEERS:
            s = subjects.get(peer, {})
            worst = max(worst, s.get("tenon_ratio", 0))
            cells.append(f"{duration(s['median_ns'])}, **{s['tenon_ratio']:.2f}**" if "median_ns" in s else "absent")
        rows.append(cells + [f"**{worst:.2f}**"])
print(f"{machine['date']}. {machine['cpu']}, {machine['cores']} cores ({machine['instructions']}). "
      f"{machine['compiler']} {machine['flags']}.\n")
print("Ratios: time of Tenon's step / the peer's.\n")
print("| model | threads | Tenon | " + " | ".join(peer for peer, _ in PEERS) + " | best peer |")
print("|---|---:|---:|" + "---:|" * len(PEERS) + "---:|")
for cells in rows:
    print("| " + " | ".join(cells) + " |")

print("\nGrowth of the resident memory in ten steps, at most, from the loaded runtime on [MB]; variables and slots included. "
      "Allocations: calls of operator new in a steady step of Tenon. Nodes that the plan holds, and others.\n")
print("| model | Tenon | " + " | ".join(peer for peer, _ in PEERS) + " | allocations | planned | others | arena, MB |")
print("|---|---:|" + "---:|" * len(PEERS) + "---:|---:|---:|---:|")
for name in names:
    with open(f"{folder}/{name}.tenon.memory", encoding="utf-8") as file:
        grown, allocations, planned, others, arena = file.read().split()
    cells = [name, grown]
    for _, kind in PEERS:
        path = f"{folder}/{name}.{kind}.memory"
        text = open(path, encoding="utf-8").read().strip() if os.path.exists(path) else ""
        cells.append(text if re.fullmatch(r"\d+", text) else "absent")
    print("| " + " | ".join(cells + [allocations, planned, others, arena]) + " |")
print()
for note in notes:
    print(f"- {note}")
for name in names:
    print(f"\n| {name}: op | nodes | us | share |\n|---|---:|---:|---:|")
    with open(f"{folder}/{name}.ops", encoding="utf-8") as file:
        for line in file.read().splitlines()[1:]:
            found = re.match(r"(.+?) +(\d*) +([\d.]+) *([\d.]+)?", line)
            if found and float(found[4] or 100) >= 0.5:
                print(f"| {found[1]} | {found[2]} | {found[3]} | {(found[4] + '%') if found[4] else ''} |")
PYTHON

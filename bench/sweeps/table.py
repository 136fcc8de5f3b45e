#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the tables of bench/results/sweeps.md from the JSON of tenon_bench_sweeps: bench/sweeps/table.py FILE.json.

A growth exponent is the slope of log(time) over log(n) over the last three sizes (least squares).
"""
import json
import math
import sys
from collections import OrderedDict

TIE = 1.1


def duration(ns):
    for unit, scale in (("ns", 1), ("us", 1e3), ("ms", 1e6)):
        if ns < 999.5 * scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns / 1e9:.3g} s"


def exponent(times):
    """times: {n: ns}"""
    points = [(math.log(n), math.log(ns)) for n, ns in sorted(times.items())][-3:]
    if len(points) < 3:
        return None
    x, y = (sum(p[i] for p in points) / 3 for i in (0, 1))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


class Sweep:
    def __init__(self):
        self.counts = ""
        self.times = {"Tenon": {}, "TensorFlow": {}, "NumPy": {}}
        self.ratios = {"TensorFlow": {}, "NumPy": {}}
        self.errors = []

    def worst(self):
        return max(self.ratios["TensorFlow"].values(), default=0)


def read(report):
    sweeps = OrderedDict()
    for case in report["cases"]:
        name = case["name"].split("/")[0]
        sweep = sweeps.setdefault(name, Sweep())
        n = case["arg"]
        if "error" in case:
            sweep.errors.append((n, case["error"]))
            continue
        sweep.counts = case.get("item", sweep.counts)
        for subject in case["subjects"]:
            who = subject["name"]
            if "median_ns" not in subject:
                continue
            sweep.times[who][n] = subject["median_ns"]
            if who != "Tenon":
                sweep.ratios[who][n] = subject["tenon_ratio"]
    return sweeps


def number(value, form="{:.2f}"):
    return "" if value is None else form.format(value)


def main():
    report = json.load(open(sys.argv[1], encoding="utf-8"))
    machine = report["machine"]
    sweeps = {name: s for name, s in read(report).items() if s.times["Tenon"] or s.errors}
    sizes = sorted({n for s in sweeps.values() for n in s.times["Tenon"]})
    heads = [f"2^{int(math.log2(n))}" for n in sizes]
    cells = [r for s in sweeps.values() for r in s.ratios["TensorFlow"].values()]
    behind = sum(r > TIE for r in cells)
    print(f"{machine['date']}. {machine['cpu']}, {machine['cores']} cores ({machine['instructions']}). "
          f"{machine['compiler']} {machine['flags']}. " + "; ".join(n for n in report["notes"] if "samples" not in n) + ".")
    print(f"""
One thread. {len(sweeps)} sweeps, {len(cells)} cells beside TensorFlow; {behind} of them are above {TIE}.
[notes/sweeps.md](notes/sweeps.md) gives the reasons.

## Growth

The exponent is the slope of log(time) over log(n) over the last three sizes. "worst" is the largest Tenon / TensorFlow
of all sizes, "last" that of the largest size.

| sweep | n counts | Tenon | TensorFlow | NumPy | worst | last | last n |
|---|---|---:|---:|---:|---:|---:|---:|""")
    for name, s in sorted(sweeps.items(), key=lambda item: -item[1].worst()):
        tf = s.ratios["TensorFlow"]
        last = max(s.times["Tenon"], default=0)
        print("|", " | ".join([name, s.counts, *(number(exponent(s.times[who])) for who in s.times),
                               number(s.worst() if tf else None), number(tf.get(max(tf)) if tf else None),
                               f"2^{int(math.log2(last))}" if last else ""]), "|")
    for title, cell in (
            ("Tenon / TensorFlow", lambda s, n: number(s.ratios["TensorFlow"].get(n))),
            ("Tenon / NumPy", lambda s, n: number(s.ratios["NumPy"].get(n))),
            ("Tenon's time", lambda s, n: duration(s.times["Tenon"][n]) if n in s.times["Tenon"] else "")):
        print(f"\n## {title}\n\n| sweep |", " | ".join(heads), "|\n|---|" + "---:|" * len(heads))
        for name, s in sweeps.items():
            row = [cell(s, n) for n in sizes]
            if any(row):
                print("|", " | ".join([name, *row]), "|")
    failed = [(name, n, error) for name, s in sweeps.items() for n, error in s.errors]
    if failed:
        print("\n## Failed\n")
        for name, n, error in failed:
            print(f"- {name}, n = {n}: {error}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()

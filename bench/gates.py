#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints bench/results/goals.md: the goals of bench/engines and bench/products at a glance, from bench/baselines/*.json.
One line for a kind of engine and a peer. tools/bench.sh writes the file."""
import json
import pathlib
import re
import statistics

BASELINES = pathlib.Path(__file__).resolve().parent / "baselines"
# (what, the cases by name)
KINDS = [
    ("matrix products, float", r"gemm_f32(_transposed_b)?/"),
    ("matrix products, double", r"gemm_f64/"),
    ("256 products of side 4 to 64", r"gemm_f32_batch/"),
    ("products of few rows", r"gemm_f32_thin"),
    ("one row", r"gemv"),
    ("convolutions 1x1", r"conv_1x1"),
    ("convolutions 3x3, 7x7", r"conv_[37]x"),
    ("depthwise convolutions", r"depthwise"),
    ("add, mul, relu in the caches", r"(add|mul|relu)/\d{1,7}$"),
    ("add, mul, relu of 16 M elements", r"(add|mul|relu_beyond_caches)/\d{8}$"),
    ("exp, tanh, gelu, sigmoid", r"(exp|tanh|gelu|sigmoid)/"),
    ("fused chains of 2 to 4 steps", r"fused_"),
    ("add with a row, a column, a scalar", r"add_(row|column|scalar)/"),
    ("sums over any axes", r"sum_"),
    ("softmax", r"softmax"),
    ("layer normalisation", r"layer_norm"),
    ("transpose", r"transpose"),
    ("concat, gather, slice", r"(concat|gather|slice)_"),
    ("Fourier transforms", r"fft|rfft"),
]


def goals(name):
    """[(case, peer, wanted, ratio)], every time by Tenon over the peer's."""
    report = json.loads((BASELINES / f"{name}.json").read_text(encoding="utf-8"))
    return [(case["name"], goal["peers"], goal["wanted"], goal["ratio"])
            for case in report["cases"] for goal in case.get("goals", []) if "ratio" in goal]


def times(name):
    report = json.loads((BASELINES / f"{name}.json").read_text(encoding="utf-8"))
    return {case["name"]: case["subjects"][0]["median_ns"] for case in report["cases"] if case.get("goals")}


def cell(found):
    if not found:
        return ""
    ratios = [ratio for *_, ratio in found]
    met = sum(ratio <= wanted for *_, wanted, ratio in found)
    return f"{met} of {len(found)}: {min(ratios):.2f} to {max(ratios):.2f}"


def main():
    native = goals("products") + goals("engines")
    portable = goals("products-portable") + goals("engines-portable")
    lines = ["# Results: goals at a glance", "",
             "`bench/gates.py` writes this file from the tables of products and engines. A cell has the goals met, of all, and",
             "Tenon's time over the peer's from the best case to the worst.", "",
             "| what | beside | wanted | met at -march=native | met at plain -O2 | missed at -march=native |",
             "|---|---|---:|---|---|---|"]
    for what, pattern in KINDS:
        of = [goal for goal in native if re.match(pattern, goal[0])]
        for peer, wanted in dict.fromkeys((goal[1], goal[2]) for goal in of):
            mine = [goal for goal in of if goal[1:3] == (peer, wanted)]
            theirs = [goal for goal in portable if re.match(pattern, goal[0]) and goal[1:3] == (peer, wanted)]
            missed = ", ".join(f"{name} {ratio:.2f}" for name, _, _, ratio in mine if ratio > wanted)
            lines.append(f"| {what} | {peer} | {wanted:.2f} | {cell(mine)} | {cell(theirs)} | {missed} |")
    for name in ("products", "engines"):
        first, second = times(name), times(f"{name}-portable")
        ratios = sorted(second[case] / first[case] for case in first if case in second)
        lines.append(f"| {name}: plain -O2 | -march=native, another run | 1.11 | | median {statistics.median(ratios):.2f}, "
                     f"nine in ten below {ratios[len(ratios) * 9 // 10]:.2f} | |")
    print("\n".join(lines))


if __name__ == "__main__":
    main()

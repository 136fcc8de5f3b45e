#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels by nvcc and reads their machine code: most of them move 16 bytes at a time.

    tools/check_sass.py             compares with the table in docs/reference/sass.md; fails where something is worse
    tools/check_sass.py --write     writes the table
    tools/check_sass.py --disassembler PATH

No kernel may use local memory, or exceed its rows in the table: registers, and instructions of the hot loop. Packed ones
must load and store 128 bits at once in their hot loop. nvcc compiles tests/cuda/sass/packed_kernels.cu for two
architectures. nvdisasm is taken from PATH or CUDA's folder, or installed from PyPI into build/sass_python.
"""

import argparse
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "tests/cuda/sass/packed_kernels.cu"
TABLE = ROOT / "docs/reference/sass.md"
BUILD = ROOT / "build/sass"
ARCHITECTURES = ("sm_80", "sm_90")
MOST_REGISTERS = 64  # 1,024 threads of a multiprocessor; packed kernels have blocks of 256
TILES = re.compile(r"^(Attention|Conv)Kernel")  # keep sums in registers, in blocks of 128 and 64 threads
MOST_REGISTERS_OF_TILES = 168  # six blocks of 64 threads
SLACK = 1.02  # versions of nvcc order instructions otherwise
PACKED = re.compile(r"^(UnaryMap|BinaryMap|Softmax|SumOfTensors|Select|Fill)Kernel")
WITHOUT_LOADS = re.compile(r"^FillKernel")  # only write
# Move 128 bits on one side only: elements of the other are narrower.
ONE_SIDE = re.compile(r"^UnaryMapKernel<UnaryMap<ConvertTo<")
HEAD = """# Machine code of packed kernels

`tools/check_sass.py --write` writes this table; without `--write` it fails where a kernel has become worse. The kernels of
`tests/cuda/sass/packed_kernels.cu` move 16 bytes at a time, but for the last ones. A loop is the innermost one with such stores;
its instructions serve one pack, or as many as the compiler unrolls.

"""
COLUMNS = ("kernel", "architecture", "registers", "128-bit loads", "128-bit stores", "instructions of the loop")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def disassembler(given):
    for name in (given, shutil.which("nvdisasm"), "/usr/local/cuda/bin/nvdisasm"):
        if name and pathlib.Path(name).exists():
            return name
    python = ROOT / "build/sass_python"
    if not (python / "bin/python").exists():
        run(sys.executable, "-m", "venv", str(python))
        run(str(python / "bin/pip"), "install", "-q", "nvidia-cuda-nvdisasm")
    found = sorted(python.glob("lib/python*/site-packages/nvidia/*/bin/nvdisasm"))
    if not found:
        sys.exit("check_sass: PyPI's nvidia-cuda-nvdisasm has no nvdisasm")
    found[0].chmod(0o755)
    return str(found[0])


def short_name(mangled):
    name = run("c++filt", mangled).strip()
    name = name.replace("tenon::v0::", "").replace("tenon::", "").replace("detail::", "").replace("ops::", "")
    name = re.sub(r"\(anonymous namespace\)::", "", name)
    name = re.sub(r"^void ", "", name)
    name = name[: name.rfind("(")]  # without parameters
    for old, new in (("unsigned char", "uint8"), ("unsigned short", "uint16"), ("unsigned int", "uint32"),
                     ("unsigned long", "uint64"), ("signed char", "int8"), (", NoMapAttrs", ""), (" >", ">")):
        name = name.replace(old, new)
    return name


def compile_for(architecture):
    """Returns the cubin and what ptxas says of each kernel: registers, bytes of stack and spills."""
    cubin = BUILD / f"{architecture}.cubin"
    done = subprocess.run(
        ["nvcc", "-std=c++20", "-O3", f"-arch={architecture}", "-cubin", "-Xptxas", "-v", f"-I{ROOT}/include",
         "-o", str(cubin), str(SOURCE)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    facts, kernel = {}, None
    for line in done.stderr.splitlines():
        if m := re.search(r"Compiling entry function '(\w+)'", line):
            kernel = facts.setdefault(m[1], {"registers": 0, "local": 0})
        elif m := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            if kernel is not None:
                kernel["local"] += sum(map(int, m.groups()))
        elif m := re.search(r"Used (\d+) registers", line):
            if kernel is not None:
                kernel["registers"] = int(m[1])
    return cubin, facts


def functions(text):
    """Yields the names of kernels and their lines."""
    name, lines = None, []
    for line in text.splitlines():
        if m := re.match(r"\s*\.section\s+\.text\.(\w+)", line):
            if name:
                yield name, lines
            name, lines = m[1], []
        elif re.match(r"\s*\.section\s", line):
            if name:
                yield name, lines
            name = None
        elif name:
            lines.append(line)
    if name:
        yield name, lines


def hot_loop(lines):
    """The instructions of the innermost loop that stores, or else loads, 128 bits: [] if there is none."""
    instructions, labels = [], {}
    for line in lines:
        if m := re.match(r"\s*(\.L_x_\d+):", line):
            labels[m[1]] = len(instructions)
        elif m := re.match(r"\s*/\*[0-9a-f]+\*/\s+(.*?);?\s*(/\*.*)?$", line):
            instructions.append(m[1])
    loops = []
    for end, instruction in enumerate(instructions):
        m = re.search(r"\bBRA\b.*?(\.L_x_\d+)", instruction)
        if m and labels.get(m[1], end + 1) <= end:
            loops.append(instructions[labels[m[1]]: end + 1])
    for what in ("STG.E", "LDG.E"):
        if wide := [loop for loop in loops if any(what in i and ".128" in i for i in loop)]:
            return min(wide, key=len)
    return []


def measure(architecture, tool):
    cubin, facts = compile_for(architecture)
    rows, faults = {}, []
    for mangled, lines in functions(run(tool, "-c", str(cubin))):
        if mangled not in facts:
            continue
        name, loop = short_name(mangled), hot_loop(lines)
        loads = sum("LDG.E" in i and ".128" in i for i in loop)
        stores = sum("STG.E" in i and ".128" in i for i in loop)
        local = sum(bool(re.search(r"\b(LDL|STL)\b", i)) for i in "\n".join(lines).splitlines())
        where = f"{name} on {architecture}"
        if local or facts[mangled]["local"]:
            faults.append(f"{where}: {local} accesses of local memory, {facts[mangled]['local']} bytes")
        if not PACKED.match(name):
            pass
        elif ONE_SIDE.match(name):
            if not loads and not stores:
                faults.append(f"{where}: no loop that moves 128 bits")
        elif not stores:
            faults.append(f"{where}: no loop with a store of 128 bits")
        elif not loads and not WITHOUT_LOADS.match(name):
            faults.append(f"{where}: no load of 128 bits in the loop")
        most = MOST_REGISTERS_OF_TILES if TILES.match(name) else MOST_REGISTERS
        if facts[mangled]["registers"] > most:
            faults.append(f"{where}: {facts[mangled]['registers']} registers, at most {most}")
        rows[(name, architecture)] = (facts[mangled]["registers"], loads, stores, len(loop))
    return rows, faults


def read_table():
    rows = {}
    if not TABLE.exists():
        return rows
    for line in TABLE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == len(COLUMNS) and cells[2].isdigit():
            rows[(cells[0].strip("`"), cells[1])] = tuple(int(cell) for cell in cells[2:])
    return rows


def compare(rows, old):
    faults = []
    for key, (registers, loads, stores, size) in rows.items():
        where = f"{key[0]} on {key[1]}"
        if key not in old:
            faults.append(f"{where}: not in {TABLE.relative_to(ROOT)}")
            continue
        was = old[key]
        # A loop that is unrolled more is compared by its packs.
        per_pack, was_per_pack = size / max(loads, stores, 1), was[3] / max(was[1], was[2], 1)
        if registers > max(was[0] * SLACK, was[0] + 2):
            faults.append(f"{where}: {registers} registers, were {was[0]}")
        if per_pack > was_per_pack * SLACK + 1:
            faults.append(f"{where}: {per_pack:.0f} instructions for a pack, were {was_per_pack:.0f}")
    faults += [f"{name} on {architecture}: in the table, not compiled" for name, architecture in old.keys() - rows.keys()]
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--disassembler")
    arguments = parser.parse_args()
    if shutil.which("nvcc") is None:
        print("check_sass: no nvcc: skipped")
        return 0
    BUILD.mkdir(parents=True, exist_ok=True)
    tool = disassembler(arguments.disassembler)
    rows, faults = {}, []
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for some, found in pool.map(lambda architecture: measure(architecture, tool), ARCHITECTURES):
            rows.update(some)
            faults += found
    if not rows:
        faults.append("no kernel was found")
    if arguments.write:
        lines = [f"| {' | '.join(COLUMNS)} |", "|---|---|---|---|---|---|"]
        lines += [f"| `{name}` | {architecture} | " + " | ".join(map(str, values)) + " |"
                  for (name, architecture), values in sorted(rows.items())]
        TABLE.write_text(HEAD + "\n".join(lines) + "\n")
    else:
        faults += compare(rows, read_table())
    for fault in faults:
        print(f"check_sass: {fault}")
    print(f"check_sass: {len(rows)} kernels, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Tenon costs to compile: seconds of processor time, megabytes and bytes of code, the median of several compilations.

    compile_bench.py [--compiler g++] [--repeats 3] [--json FILE] [--markdown FILE] [--check] [--baseline FILE] [case]...

The limits are for a machine that compiles <memory> at -O0 in 0.30 s. It is compiled beside every case, and seconds are
compared with the limit after they are scaled by it.

--check fails when a case costs more than its limit; --baseline fails when one costs 10 % more than in that JSON file
(of the same machine and compiler). Cases may be chosen by parts of their names.
"""
import argparse
import datetime
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

REFERENCE_SECONDS = 0.30  # of <memory> at -O0, where the limits were set
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

SESSION_USER = """#include <tenon/tenon.hpp>
tenon::Result<float> FirstProbability(const std::string& path, const tenon::Tensor& image) {
  TENON_ASSIGN_OR_RETURN(auto session, tenon::Session::FromGraphFile(path));
  TENON_ASSIGN_OR_RETURN(auto outputs, session.Run({{"pixels:0", image}}, {"probabilities:0"}));
  return outputs[0].flat<float>()[0];
}
"""

# Names Session and Tensor alone.
GRAPH_RUNNER = """#include <tenon/runtime/api/session.hpp>
float Last(const std::string& path) {
  const auto session = tenon::Session::FromGraphFile(path);
  if (!session.ok()) return -1;
  const auto out = session->Run({{"x", tenon::Tensor::Scalar(1.0f)}}, {"y"}, {});
  return out.ok() ? (*out)[0].data<float>()[0] : -1;
}
"""

ZERO_OUT = """#include <tenon/kernel/register.hpp>
#include <tenon/op/shape/shape_fns.hpp>
struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut")
      .Attr("preserve_index: int >= 0 = 0").Attr("T: {float, int32}").Input("to_zero: T").Output("zeroed: T")
      .SetShapeFn(tenon::shape_inference::UnchangedShape);
  struct Attrs { std::int64_t preserve_index; };
  template <class Device, class T>
  struct kernel : Attrs {
    struct Body {
      tenon::In<T> x;
      tenon::Out<T> y;
      std::int64_t keep;
      TENON_HD void operator()(tenon::Index i) const { y[i] = i == keep ? x[i] : T(0); }
    };
    tenon::Status operator()(Device& device, tenon::In<T> to_zero, tenon::Out<T> zeroed) const {
      if (this->preserve_index >= to_zero.size())
        return tenon::errors::InvalidArgument("ZeroOut: preserve_index = ", this->preserve_index,
                                              " is outside the input, which has ", to_zero.size(), " elements");
      return ForEach(device, to_zero.size(), Body{to_zero, zeroed, this->preserve_index});
    }
  };
};
TENON_REGISTER(ZeroOut);
"""

TRIVIAL_OP = """struct Trivial%d {
  static constexpr auto signature = tenon::Op("Trivial%d").Input("x: T").Output("y: T")
      .Attr("T: {float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64}")
      .SetShapeFn(tenon::shape_inference::UnchangedShape);
  template <class Device, class T>
  struct kernel {
    tenon::Status operator()(Device&, tenon::In<T> x, tenon::Out<T> y) const {
      for (tenon::Index i = 0; i < x.size(); ++i) y[i] = x[i];
      return tenon::OkStatus();
    }
  };
};
"""


def trivial_kernels(count):
    """`count` kernels: a tenth as many ops, each for ten types."""
    ops = range(count // 10)
    text = "#include <tenon/kernel/register.hpp>\n#include <tenon/op/shape/shape_fns.hpp>\n"
    text += "".join(TRIVIAL_OP % (i, i) for i in ops)
    return text + ("TENON_REGISTER(%s);\n" % ", ".join(f"Trivial{i}" for i in ops) if count else "")


HAND_KERNEL = """template <class T> struct Hand%d {
  using Row = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
  using ConstRow = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;
  static void Run(const void* x, void* y, long n) {
    Row(static_cast<T*>(y), n) = ConstRow(static_cast<const T*>(x), n) + T(%d);
  }
};
"""
HAND_TYPES = ("float", "double", "std::int8_t", "std::int16_t", "std::int32_t", "std::int64_t", "std::uint8_t",
              "std::uint16_t", "std::uint32_t", "std::uint64_t")


def hand_kernels(count):
    """`count` loops as they would be written by hand against Eigen: a tenth as many templates, each for ten types."""
    ops = range(count // 10)
    text = "#include <cstdint>\n#include <Eigen/Core>\nusing Loop = void (*)(const void*, void*, long);\nextern Loop const loops[];\n"
    text += "".join(HAND_KERNEL % (i, i) for i in ops)
    rows = ", ".join(f"&Hand{i}<{t}>::Run" for i in ops for t in HAND_TYPES)
    return text + f"Loop const loops[] = {{{rows or 'nullptr'}}};\n"


def readme_program():
    path = os.path.join(ROOT, "README.md")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        main, kernels = re.findall(r"```cpp\n(.*?)```", file.read(), re.DOTALL)[:2]
    return f"#define TENON_MINIMAL_RUNTIME\n{kernels}{main}"


def cases():
    """(name, program, flags, limit in seconds or None, name of the case to subtract or None)"""
    base = "0 trivial kernels"
    rows = [
        ("an empty file, -O0", "", "-O0", None, None),
        ("<memory>, -O0", "#include <memory>\n", "-O0", None, None),
        ("<tenon/op/signature/signature.hpp>, -O0", "#include <tenon/op/signature/signature.hpp>\n", "-O0", 0.15, None),
        ("<tenon/runtime/api/session.hpp>, -O0", "#include <tenon/runtime/api/session.hpp>\n", "-O0", 0.6, None),
        ("<tenon/kernel/register.hpp>, -O0", "#include <tenon/kernel/register.hpp>\n", "-O0", None, None),
        ("<tenon/tenon.hpp>, -O0", "#include <tenon/tenon.hpp>\n", "-O0", None, None),
        ("<tenon/tenon.hpp>, -O2", "#include <tenon/tenon.hpp>\n", "-O2", None, None),
        ("<tenon/runtime.hpp>, -O2", "#include <tenon/runtime.hpp>\n", "-O2", None, None),
        ("a second file that uses Session, -O2", SESSION_USER, "-O2", 2.5, None),
        ("a file that only runs graphs, -O0", GRAPH_RUNNER, "-O0", 1.0, None),
        ("a file that only runs graphs, -O2", GRAPH_RUNNER, "-O2", 1.0, None),
        ("ZeroOut's file, -O2", ZERO_OUT, "-O2", 2.5, None),
    ]
    program = readme_program()
    if program is not None:
        rows += [(f"README's program, {flag}", program, flag, limit, None) for flag, limit in (("-O0", 6), ("-O2", 12))]
    for flag, each in (("-O0", 0.015), ("-O2", 0.026)):
        rows.append((f"{base}, {flag}", trivial_kernels(0), flag, None, None))
        for count in (100, 500):
            limit = each * count if count == 500 else None
            rows.append((f"{count} trivial kernels, {flag}", trivial_kernels(count), flag, limit, f"{base}, {flag}"))
        rows.append((f"0 loops by hand against Eigen, {flag}", hand_kernels(0), flag, None, None))
        rows.append((f"100 loops by hand against Eigen, {flag}", hand_kernels(100), flag, None, f"0 loops by hand against Eigen, {flag}"))
    return rows


def compile_once(command):
    """Processor seconds and peak megabytes of a compilation."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            return None, errors.read().decode(errors="replace")
    return (usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024), None


def measure(compiler, folder, text, flag, repeats):
    """Medians of (seconds, MB, bytes of code, seconds scaled to the speed of the limits), or None and the error."""
    source = os.path.join(folder, "program.cpp")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    include = os.path.join(ROOT, "include")
    target = os.path.join(folder, "program.o")
    command = [compiler, "-std=c++20", flag, "-I", include, "-isystem", "/usr/include/eigen3", "-c", source, "-o", target]
    reference = os.path.join(folder, "reference.cpp")
    with open(reference, "w", encoding="utf-8") as file:
        file.write("#include <memory>\n")
    samples = []
    for _ in range(repeats):
        sample, error = compile_once(command)
        if error is not None:
            return None, error
        ruler, error = compile_once([compiler, "-std=c++20", "-O0", "-c", reference, "-o", os.devnull])
        if error is not None:
            return None, error
        samples.append((*sample, code_bytes(target), sample[0] * REFERENCE_SECONDS / ruler[0]))
    return tuple(statistics.median(values) for values in zip(*samples)), None


def code_bytes(target):
    """What an object file adds to a program: code, constants and data."""
    row = subprocess.run(["size", target], capture_output=True, text=True, check=True).stdout.splitlines()[1].split()
    return int(row[0]) + int(row[1])


def machine():
    """The processor's name."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next((line.split(": ", 1)[1].strip() for line in file if line.startswith("model name")), "unknown")
    except OSError:
        return "unknown"


def markdown(compiler, results):
    today = datetime.datetime.now(datetime.timezone.utc).date()
    lines = [f"{today}. {machine()}. {compiler}. Processor seconds and peak memory of the compiler, medians. Scaled: "
             f"to a machine that compiles <memory> in {REFERENCE_SECONDS:.2f} s, for which the limits are.", "",
             "| what | seconds | beyond 0 kernels | scaled | MB | bytes of code | limit, scaled seconds |",
             "|------|--------:|-----------------:|-------:|---:|--------------:|:----------------------|"]
    for r in results:
        if "error" in r:
            lines.append(f"| {r['name']} | does not compile | | | | | |")
            continue
        extra = f"{r['marginal']:.2f}" if "marginal" in r else ""
        limit = f"<= {r['limit']:g}: {'met' if r['met'] else 'MISSED'}" if r.get("limit") else ""
        lines.append(f"| {r['name']} | {r['seconds']:.2f} | {extra} | {r['scaled']:.2f} | {r['mb']:.0f} | {r['bytes']:.0f} | {limit} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json")
    parser.add_argument("--markdown")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--baseline")
    parser.add_argument("case", nargs="*")
    args = parser.parse_args()

    results, failed = [], False
    rows = cases()
    chosen = [row for row in rows if not args.case or any(part in row[0] for part in args.case)]
    needed = {row[4] for row in chosen}
    with tempfile.TemporaryDirectory() as folder:
        for name, text, flag, limit, base in rows:
            if (name, text, flag, limit, base) not in chosen and name not in needed:
                continue
            if sys.stderr.isatty():
                print(f"\r\033[K{name} ", end="", file=sys.stderr, flush=True)
            cost, error = measure(args.compiler, folder, text, flag, args.repeats)
            result = {"name": name, "limit": limit}
            results.append(result)
            if error is not None:
                result["error"] = error.splitlines()[0] if error else "failed"
                print(f"{name}: {error}", file=sys.stderr)
                failed = True
                continue
            result.update(seconds=round(cost[0], 3), mb=round(cost[1], 1), bytes=int(cost[2]), scaled=round(cost[3], 3))
            scaled = cost[3]
            if base is not None:
                zero = next((r for r in results if r["name"] == base and "seconds" in r), {"seconds": 0, "scaled": 0})
                result["marginal"] = round(cost[0] - zero["seconds"], 3)
                scaled -= zero["scaled"]
            if limit:
                result["met"] = scaled <= limit
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    version = subprocess.run([args.compiler, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    table = markdown(version, results)
    print(table, end="")
    if args.markdown:
        with open(args.markdown, "w", encoding="utf-8") as file:
            file.write(table)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"cpu": machine(), "compiler": version, "cases": results}, file, indent=1)
            file.write("\n")
    if args.check and any(r.get("met") is False for r in results):
        failed = True
    if args.baseline:
        with open(args.baseline, encoding="utf-8") as file:
            before = {r["name"]: r for r in json.load(file)["cases"]}
        for r in results:
            old = before.get(r["name"], {}).get("seconds")
            if old and "seconds" in r and r["seconds"] > 1.1 * old + 0.02:
                print(f"{r['name']}: {r['seconds']:.2f} s, was {old:.2f} s", file=sys.stderr)
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

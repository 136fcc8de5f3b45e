#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where a run's time goes, by op, in Tenon and in TensorFlow, as a Markdown table.

    profile.py ONCE MODEL [THREADS]      ONCE: the program tenon_bench_once; the models are those of TENON_BENCH_MODELS

Means of 20 traced runs each, TensorFlow's without and with its graph optimizations (which fold batch norms and fuse biases
and activations into products). TensorFlow runs in the calling thread with THREADS threads inside of an op; its times are
those of its step stats, fused and oneDNN's ops under the names of the first that they stand for. Needs the package tensorflow-cpu (or tensorflow).
"""
import collections
import os
import re
import subprocess
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
RUNS = 20


def of_tenon(once, model, threads):
    times = {}
    out = subprocess.run([once, "ops", model, threads], check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        found = re.match(r"(\w+) +(\d+) +([\d.]+) ", line)
        if found:
            times[found[1]] = float(found[3])
    return times


def of_tensorflow(model, threads, optimize):
    import numpy as np
    import tensorflow as tf
    from tensorflow.core.protobuf import rewriter_config_pb2

    v1 = tf.compat.v1
    graph_def = v1.GraphDef()
    with open(os.path.join(os.environ["TENON_BENCH_MODELS"], model + ".pb"), "rb") as file:
        graph_def.ParseFromString(file.read())
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(graph_def, name="")
    config = v1.ConfigProto(intra_op_parallelism_threads=int(threads), inter_op_parallelism_threads=-1)
    if not optimize:
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        config.graph_options.optimizer_options.opt_level = v1.OptimizerOptions.L0
    x = graph.get_tensor_by_name("x:0")
    shape = [size or 1 for size in x.shape.as_list()]
    feed = np.ones(shape, x.dtype.as_numpy_dtype)
    options = v1.RunOptions(trace_level=v1.RunOptions.SOFTWARE_TRACE)
    times = collections.Counter()
    with v1.Session(graph=graph, config=config) as session:
        for _ in range(5):
            session.run("y:0", {x: feed})
        for _ in range(RUNS):
            metadata = v1.RunMetadata()
            session.run("y:0", {x: feed}, options=options, run_metadata=metadata)
            for device in metadata.step_stats.dev_stats:
                for node in device.node_stats:
                    found = re.search(r" = (\w+)\(", node.timeline_label)
                    op = re.sub(r"^_(MklNative|Mkl)?(Fused)?", "", found[1]) if found else "others"
                    times[op] += node.all_end_rel_micros / RUNS
    return dict(times)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    once, model, threads = sys.argv[1], sys.argv[2], (sys.argv[3:] or ["1"])[0]
    columns = [("Tenon", of_tenon(once, model, threads)), ("TensorFlow", of_tensorflow(model, threads, False)),
               ("TensorFlow, optimized", of_tensorflow(model, threads, True))]
    sums = [sum(times.values()) for _, times in columns]
    print(f"| {model}, us in each op | " + " | ".join(name for name, _ in columns) + " |\n|---|" + "---:|" * len(columns))
    ops = sorted({op for _, times in columns for op in times}, key=lambda op: -max(times.get(op, 0) for _, times in columns))
    for op in ops:
        if any(times.get(op, 0) >= 0.005 * total for (_, times), total in zip(columns, sums)):
            print(f"| {op} | " + " | ".join(f"{times[op]:.0f}" if op in times else "" for _, times in columns) + " |")
    print("| all ops | " + " | ".join(f"{total:.0f}" for total in sums) + " |")


main()

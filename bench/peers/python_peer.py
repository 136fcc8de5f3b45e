#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A runtime with a Python interface as a peer of the benchmarks: bench/peers/python_peer.cpp starts this program.

    python_peer.py xla|openvino|litert GRAPH.pb THREADS
    python_peer.py numpy EXPRESSION-OF-X THREADS

Reads the feed of "x" from standard input: a line "DTYPE DIM...", then the bytes. Answers with a line "ok DTYPE DIM..." and
the bytes of "y", or with "absent REASON" or "failed REASON". Then each line "N" asks for N runs; the answer is a line "ok NS" with
their processor time. The runtimes compute in float32. LiteRT's form of the graph is kept in GRAPH.tflite.
"""
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
answers = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)  # libraries print to standard output


def xla(file, threads, feed):
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    graph = tf.compat.v1.GraphDef()
    with open(file, "rb") as source:
        graph.ParseFromString(source.read())
    whole = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(graph, name=""), [])
    part = whole.prune("x:0", "y:0")
    value = tf.constant(feed)
    run = tf.function(lambda x: part(x), jit_compile=True).get_concrete_function(tf.TensorSpec(feed.shape, value.dtype))
    return lambda: run(value).numpy()


def openvino(file, threads, feed):
    import openvino as ov
    core = ov.Core()
    model = core.read_model(file)
    model.reshape(list(feed.shape))  # there is one input
    compiled = core.compile_model(model, "CPU", {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1,
                                                 "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()
    request.set_input_tensor(ov.Tensor(feed))
    output = request.get_tensor(next(o for o in compiled.outputs if any(n.split(":")[0] == "y" for n in o.names)))

    def run():
        request.infer()
        return output.data
    return run


def litert(file, threads, feed):
    converted = file[:-3] + ".tflite"
    if not os.path.exists(converted):
        import tensorflow as tf
        converter = tf.compat.v1.lite.TFLiteConverter.from_frozen_graph(file, ["x"], ["y"], {"x": list(feed.shape)})
        content = converter.convert()
        with open(converted, "wb") as target:
            target.write(content)
    from ai_edge_litert.interpreter import Interpreter
    interpreter = Interpreter(converted, num_threads=threads)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], feed)
    result = interpreter.get_output_details()[0]["index"]

    def run():
        interpreter.invoke()
        return interpreter.get_tensor(result)  # a view of it would forbid the next run
    return run


def numpy(expression, threads, feed):
    import numpy as np
    code = compile(expression, "expression", "eval")
    names = {"np": np, "x": feed}
    return lambda: eval(code, names)


def answer(line, content=b""):
    answers.write(line.encode() + b"\n" + content)
    answers.flush()


def main(kind, file, threads):
    for library in ("OPENBLAS", "OMP", "MKL"):
        os.environ[library + "_NUM_THREADS"] = threads
    import numpy as np
    dtype, *dims = sys.stdin.buffer.readline().decode().split()
    shape = [int(dim) for dim in dims]
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    feed = np.frombuffer(sys.stdin.buffer.read(size), dtype).reshape(shape).copy()
    try:
        run = {"xla": xla, "openvino": openvino, "litert": litert, "numpy": numpy}[kind](file, int(threads), feed)
        value = np.ascontiguousarray(run())
    except Exception as error:  # the runtimes have classes of their own
        return answer(f"{'absent' if isinstance(error, ImportError) else 'failed'} {' '.join(str(error).split())[:300]}")
    answer(" ".join(["ok", str(value.dtype), *map(str, value.shape)]), value.tobytes())
    for line in sys.stdin.buffer:
        begin = time.process_time_ns()
        for _ in range(int(line)):
            run()
        answer(f"ok {time.process_time_ns() - begin}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes frozen TensorFlow graphs as ONNX files, so that ONNX Runtime can run them beside Tenon.

    make_onnx.py FOLDER name=graph.pb:input,...:output,... ...      ->  FOLDER/name.onnx

Needs the packages tensorflow-cpu (or tensorflow), tf2onnx and onnx; without them it says so and ends with status 3.
"""
import importlib.util
import os
import sys


def main(folder, models):
    missing = [name for name in ("tensorflow", "tf2onnx", "onnx") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"make_onnx.py: no ONNX files: {sys.executable} has no {', no '.join(missing)}", file=sys.stderr)
        return 3
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    from tensorflow.core.framework import graph_pb2
    import tf2onnx
    for model in models:
        name, _, rest = model.partition("=")
        path, inputs, outputs = rest.rsplit(":", 2)
        with open(path, "rb") as file:
            graph = graph_pb2.GraphDef.FromString(file.read())
        tensors = [[f"{tensor}:0" for tensor in names.split(",")] for names in (inputs, outputs)]
        target = os.path.join(folder, f"{name}.onnx")
        tf2onnx.convert.from_graph_def(graph, name=name, input_names=tensors[0], output_names=tensors[1], opset=18,
                                       output_path=target)
        print(f"wrote {target}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))

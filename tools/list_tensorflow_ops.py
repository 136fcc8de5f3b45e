#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tools/tensorflow_ops.txt: the ops that have a CPU kernel in the TensorFlow that Python finds.

A line is `Name`, or `Name: reason` for an op that Tenon leaves out on purpose. tools/make_ops_doc.cpp makes the page
docs/reference/ops/coverage.md of it.

    tools/list_tensorflow_ops.py
"""
import fnmatch
import pathlib

import tensorflow as tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.client import pywrap_tf_session
from tensorflow.python.framework import kernels

# The first pattern that fits counts.
LEFT_OUT = [
    ("oneDNN's forms of other ops", ["_Mkl*", "__Mkl*"]),
    ("XLA's own ops", ["Xla*", "_Xla*"]),
    ("communication of several machines", ["Collective*", "Rpc*", "DeleteRpcFutureResource", "DataService*", "_ScopedAllocator*"]),
    ("TensorFlow's debugger", ["Debug*", "CheckPinned", "Copy", "CopyHost", "DumpTensor"]),
    ("TensorFlow's own tests", [
        "ConstructionFails", "DevicePlacementOp", "DtypeWithDefaultOp", "DummyIterationCounter", "Fact", "GetDeadline",
        "GraphDefVersion", "IsResourceHandleRefCounting", "IsTensorFloat32Enabled", "KernelLabel", "KernelLabelRequired",
        "MakeWeakResourceHandle", "Old", "ResourceCreateOp", "ResourceInitializedOp", "ResourceUsingOp", "SleepIdentityOp",
        "SleepOp", "StubResourceHandleOp", "TestAttr"]),
    ("statistics and tuning of TensorFlow's runtime", [
        "*StatsAggregator*", "*LatencyStatsDataset", "*BytesProducedStatsDataset", "*ThreadPoolDataset", "*ThreadPoolHandle",
        "AssertNextDataset", "AssertPrevDataset", "ExperimentalAssertNextDataset", "*ChooseFastest*", "CalibrationStatisticsSaver",
        "CustomAggregator", "IteratorGetModelProto"]),
    ("databases", ["*SqlDataset", "LMDB*", "*LMDBDataset", "CreateSummaryDbWriter"]),
    ("internals of TensorFlow's runtime", ["_*", "*MultiDeviceIterator*", "SyncDevice", "FakeParam"]),
]


def reason_of(name):
    for reason, patterns in LEFT_OUT:
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns):
            return reason
    return ""


def main():
    ops = op_def_pb2.OpList()
    ops.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    on_cpu = {k.op for k in kernels.get_all_registered_kernels().kernel if k.device_type in ("CPU", "DEFAULT")}
    lines = [f"# Ops of TensorFlow {tf.__version__} with a CPU kernel. tools/list_tensorflow_ops.py wrote this file."]
    for name in sorted(op.name for op in ops.op):
        if name in on_cpu:
            reason = reason_of(name)
            lines.append(f"{name}: {reason}" if reason else name)
    path = pathlib.Path(__file__).parent / "tensorflow_ops.txt"
    path.write_text("\n".join(lines) + "\n")
    print(f"{path}: {len(lines) - 1} ops")


if __name__ == "__main__":
    main()

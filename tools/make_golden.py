#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what TensorFlow answers as golden cases: tools/make_golden.py CASES.py OUT.pb [NAME...].

Needs tensorflow and grpcio-tools. CASES.py defines CASES, a list of (name, build, compare) or (name, build, compare,
note). build(b) makes a graph with tf.raw_ops and b.placeholder(name, dtype, shape) and returns the steps, a list of
dicts with the keys fetch and target (lists of tensors or ops) and feed (a dict from placeholder names to values). All
steps of a case run in order in one session, without graph optimisation, with one thread. Of a graph that TensorFlow
refuses because of its placeholders' shapes the code is recorded, with no steps; so it is with the shapes that build
gives to b.refused, a dict from placeholder names to shapes. Given names, only those cases.
"""

import os
import runpy
import signal
import subprocess
import sys
import tempfile

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import tensor_pb2
from tensorflow.core.protobuf import meta_graph_pb2
from tensorflow.python.framework import meta_graph

HERE = os.path.dirname(os.path.abspath(__file__))
tf.compat.v1.disable_eager_execution()


def golden_messages():
    proto = os.path.join(HERE, '..', 'tests', 'golden')
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, '-m', 'grpc_tools.protoc', '-I' + proto, '--python_out=' + folder, 'golden.proto'],
            check=True,
        )
        sys.path.insert(0, folder)
        import golden_pb2

        return golden_pb2


golden = golden_messages()


class Builder:
    def __init__(self, known):
        self.known = known
        self.dtypes = {}
        self.shapes = {}
        self.refused = {}

    def placeholder(self, name, dtype, shape=None):
        self.dtypes[name] = tf.as_dtype(dtype)
        self.shapes[name] = tf.TensorShape(shape)
        return tf.compat.v1.placeholder(dtype, shape if self.known else None, name)


def tensor_bytes(value, dtype):
    # As objects: numpy's own strings end before their last NULs.
    value = np.asarray(value, object) if dtype == tf.string else np.asarray(value)
    return tf.make_tensor_proto(value, dtype=dtype).SerializeToString()


def shapes_of(steps):
    """{name: shape} of everything that is fetched."""
    return {
        t.name.removesuffix(':0'): t.shape.as_proto().SerializeToString()
        for step in steps
        for t in step.get('fetch', [])
        if hasattr(t, 'shape')
    }


def inferred(graph_def, shapes):
    """The shapes of these names in the imported graph: Python's set_shape does not count."""
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name='')
        return {
            name: graph.get_tensor_by_name(name if ':' in name else name + ':0').shape.as_proto().SerializeToString()
            for name in shapes
        }


def session_options():
    options = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    options.graph_options.optimizer_options.opt_level = -1
    options.graph_options.rewrite_options.disable_meta_optimizer = True
    return options


def stripped(graph_def):
    meta = meta_graph_pb2.MetaGraphDef(graph_def=graph_def)
    meta_graph.strip_graph_default_valued_attrs(meta)
    return meta.graph_def


def set_graph(case, graph_def):
    case.graph = graph_def.SerializeToString(deterministic=True)
    case.op.extend(sorted({n.op for n in graph_def.node} - {'Const', 'Placeholder', 'NoOp'}))


def record_refusal(case, graph_def, shapes):
    """A graph whose ops can be made only while its placeholders have other shapes than these."""
    graph_def = stripped(graph_def)
    for node in graph_def.node:
        if node.name in shapes:
            node.attr['shape'].shape.CopyFrom(tf.TensorShape(shapes[node.name]).as_proto())
    set_graph(case, graph_def)
    with tf.Graph().as_default():
        try:
            tf.import_graph_def(graph_def, name='')
            raise AssertionError(case.name + ' is not refused')
        except tf.errors.OpError as error:
            case.import_code, case.import_message = error.error_code, error.message[:100]
        except ValueError as error:
            case.import_code, case.import_message = 3, str(error)[:100]
    return case


def record(name, build, compare, note=''):
    case = golden.Case(name=name, compare=compare, rtol=1e-5, atol=1e-6, note=note)
    with tf.Graph().as_default() as graph:
        b = Builder(True)
        try:
            steps = build(b)
        except ValueError:
            with tf.Graph().as_default() as unknown:
                b = Builder(False)
                build(b)
            return record_refusal(case, unknown.as_graph_def(), b.shapes)
        if b.refused:
            return record_refusal(case, graph.as_graph_def(), b.refused)
        set_graph(case, stripped(graph.as_graph_def()))
        with tf.compat.v1.Session(graph=graph, config=session_options()) as session:
            for wanted in steps:
                run_step(case.step.add(), session, b, wanted)
        for key, shape in inferred(graph.as_graph_def(), shapes_of(steps)).items():
            case.known_shape.add(name=key, shape=shape)
    with tf.Graph().as_default():
        try:
            for key, shape in shapes_of(build(Builder(False))).items():
                case.unknown_shape.add(name=key, shape=shape)
        except (ValueError, TypeError):
            pass
    return case


def run_step(step, session, builder, wanted):
    fetches = wanted.get('fetch', [])
    targets = wanted.get('target', [])
    feeds = wanted.get('feed', {})
    for key, value in feeds.items():
        step.feed.add(name=key, tensor=tensor_bytes(value, builder.dtypes[key]))
    step.target.extend(t.name for t in targets)
    names = [t.name for t in fetches]
    try:
        values = session.run(names + [t.name for t in targets], {k + ':0': v for k, v in feeds.items()})
    except tf.errors.OpError as error:
        step.code = error.error_code
        step.message = error.message.split("\nNode: '")[-1].split("'\n")[-1].split('\n')[0][:100]
        values = [None] * len(names)
    except (ValueError, TypeError) as error:
        step.code = 3
        step.message = str(error)[:100]
        values = [None] * len(names)
    for t, value in zip(fetches, values):
        entry = step.fetch.add(name=t.name.removesuffix(':0'))
        if value is not None:
            entry.tensor = tensor_bytes(value, t.dtype.base_dtype)


def record_apart(entry, seconds=60):
    """The same in a process of its own, for some of TensorFlow's refusals are crashes; None then."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(seconds)
        with os.fdopen(write_end, 'wb') as pipe:
            pipe.write(record(*entry).SerializeToString())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, 'rb') as pipe:
        data = pipe.read()
    return golden.Case.FromString(data) if os.waitpid(child, 0)[1] == 0 else None


def main():
    cases, out, only = sys.argv[1], sys.argv[2], sys.argv[3:]
    result = golden.CaseFile()
    for entry in runpy.run_path(cases)['CASES']:
        if only and entry[0] not in only:
            continue
        case = record_apart(entry)
        if case is None:
            print('==', entry[0], 'is left out: TensorFlow refuses the graph, crashes or waits for ever')
            continue
        result.case.append(case)
        print('==', case.name, case.import_code or '', case.import_message)
        for i, step in enumerate(case.step):
            print('  step', i, list(step.target), 'fails: %d %s' % (step.code, step.message) if step.code else '')
            for f in step.fetch:
                if f.tensor:
                    print('   ', f.name, tf.make_ndarray(tensor_pb2.TensorProto.FromString(f.tensor)).tolist())
        sys.stdout.flush()
    with open(out, 'wb') as file:
        file.write(result.SerializeToString(deterministic=True))


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records gradients that TensorFlow answers: tools/make_gradients.py CASES.py OUT.pb [SHARE [TEXT]].

Needs tensorflow and protoc. CASES.py calls variants(name, build, types) or case(...). build(p, rng, dtype) makes a graph
of placeholders p(name, value, dtype) and returns (ys, xs). A case is recorded with types, without grad_ys, with unknown
shapes, for the second order and for each x alone. SHARE is the part of the cases to record, chosen at random; TEXT is a
part of their names. tenon_golden --gradients OUT.pb runs them.
"""

import importlib
import os
import subprocess
import sys
import tempfile
import zlib

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ['TF_ENABLE_ONEDNN_OPTS'] = '0'

import numpy as np
import tensorflow as tf

HERE = os.path.dirname(os.path.abspath(__file__))
tf.compat.v1.disable_eager_execution()

TYPES = {
    'f32': (tf.float32, 2e-4),
    'f64': (tf.float64, 1e-8),
    'f16': (tf.float16, 2e-2),
    'bf16': (tf.bfloat16, 1e-1),
    'c64': (tf.complex64, 2e-4),
    'c128': (tf.complex128, 1e-8),
}
REFUSALS = (ValueError, TypeError, AttributeError, NotImplementedError, LookupError, tf.errors.OpError)


def messages():
    golden = os.path.join(HERE, '..', 'tests', 'golden')
    with tempfile.TemporaryDirectory() as folder:
        command = ['protoc', '-I' + golden, '-I' + golden + '/gradients', '--python_out=' + folder]
        subprocess.run([*command, golden + '/golden.proto', golden + '/gradients/gradients.proto'], check=True)
        sys.path[:0] = [folder, folder + '/gradients']
        return importlib.import_module('gradients_pb2')


pb = messages()
out = pb.GradientFile()
share = float(sys.argv[3]) if len(sys.argv) > 3 else 1.0
text = sys.argv[4] if len(sys.argv) > 4 else ''


class Placeholders:
    def __init__(self, unknown):
        self.unknown = unknown
        self.feeds = {}

    def __call__(self, name, value, dtype=None):
        value = np.asarray(value)
        dtype = dtype or tf.as_dtype(value.dtype)
        made = tf.compat.v1.placeholder(dtype, None if self.unknown else value.shape, name)
        self.feeds[made] = value.astype(dtype.as_numpy_dtype)
        return made

    def random(self, name, rng, shape, dtype):
        value = rng.normal(size=shape)
        return self(name, value + 1j * rng.normal(size=shape) if dtype.is_complex else value, dtype)


def name_of(tensor):
    return tensor.name.removesuffix(':0')


def proto(value, dtype):
    return tf.make_tensor_proto(np.asarray(value), dtype=dtype).SerializeToString()


def run(graph, fetches, feeds):
    config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config.graph_options.optimizer_options.opt_level = -1
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf.compat.v1.Session(graph=graph, config=config) as session:
        return session.run(fetches, feeds)


def derive(c, graph, p, rng, ys, xs, with_grad_ys, second):
    """Fills the case with the gradients of ys; the answer is {name: tensor}."""
    grad_ys = None
    if with_grad_ys:
        values = run(graph, ys, p.feeds)
        grad_ys = [p.random(f'grad_y_{i}', rng, np.shape(v), y.dtype) for i, (y, v) in enumerate(zip(ys, values))]
        c.grad_y.extend(name_of(g) for g in grad_ys)
    c.graph = graph.as_graph_def().SerializeToString(deterministic=True)
    answer = tf.compat.v1.gradients(ys, xs, grad_ys)
    if second:
        first = {i: tf.convert_to_tensor(g) for i, g in enumerate(answer) if g is not None}
        if not first:
            return None
        shapes = run(graph, first, p.feeds)
        grads = {i: p.random(f'second_grad_y_{i}', rng, shapes[i].shape, g.dtype) for i, g in first.items()}
        c.second_grad_y.extend(name_of(grads[i]) if i in grads else '' for i in range(len(answer)))
        xs = xs + (grad_ys or [])
        c.second_x.extend(name_of(x) for x in xs)
        forward = tf.compat.v1.GraphDef.FromString(c.graph)
        forward.node.extend(g.op.node_def for g in grads.values())
        c.graph = forward.SerializeToString(deterministic=True)
        answer = tf.compat.v1.gradients(list(first.values()), xs, list(grads.values()))
    c.unconnected.extend(g is None for g in answer)
    c.indexed_slices.extend(isinstance(g, tf.IndexedSlices) for g in answer)
    return {name_of(x): tf.convert_to_tensor(g) for x, g in zip(xs, answer) if g is not None}


def case(name, build, kind, with_grad_ys=True, unknown=False, second=False, only=None):
    name += '_' + kind + ('' if with_grad_ys else '_no_gy') + ('_unknown' if unknown else '')
    name += ('_second' if second else '') + (f'_only_{only}' if only is not None else '')
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    if rng.uniform() >= share or text not in name:
        return
    dtype, tolerance = TYPES[kind]
    c = pb.GradientCase(name=name, unconnected_gradients='none', rtol=tolerance, atol=tolerance)
    with tf.Graph().as_default() as graph:
        p = Placeholders(unknown)
        try:
            ys, xs = build(p, rng, dtype)
            ys = list(ys) if isinstance(ys, (list, tuple)) else [ys]
            run(graph, ys, p.feeds)
        except REFUSALS:
            return  # TensorFlow refuses the forward graph
        xs = xs if only is None else [xs[only]]
        c.y.extend(name_of(y) for y in ys)
        c.x.extend(name_of(x) for x in xs)
        try:
            fetches = derive(c, graph, p, rng, ys, xs, with_grad_ys, second)
            values = run(graph, fetches, p.feeds) if fetches else {}
        except LookupError as error:
            if second:
                return
            c.code, c.message = 5, str(error)[:100]
        except REFUSALS:
            return  # by a bug or by the limit of a kernel
        else:
            if fetches is None:
                return
            step = c.step.add()
            for placeholder, value in p.feeds.items():
                step.feed.add(name=name_of(placeholder), tensor=proto(value, placeholder.dtype))
            for fetch, value in values.items():
                step.fetch.add(name=fetch, tensor=proto(value, fetches[fetch].dtype))
    getattr(out, 'case').append(c)


def variants(name, build, kinds='f32 f64 f16 bf16', xs=1, second=True):
    kinds = kinds.split()
    main = 'f64' if 'f64' in kinds else kinds[0]
    for kind in kinds:
        case(name, build, kind)
    case(name, build, main, with_grad_ys=False)
    case(name, build, main, unknown=True)
    if second:
        case(name, build, main, second=True)
    for i in range(xs if xs > 1 else 0):
        case(name, build, main, only=i)


def op(function, *shapes, low=-1.0, high=1.0):
    """A build function: `function` of placeholders of these shapes with numbers from low to high."""

    def build(p, rng, dtype):
        xs = []
        for i, shape in enumerate(shapes):
            value = rng.uniform(low, high, shape)
            value = value + 1j * rng.uniform(-0.5, 0.5, shape) if dtype.is_complex else value
            xs.append(p(f'x{i}', value, dtype))
        return function(*xs), xs

    return build


cases = {'variants': variants, 'case': case, 'op': op, 'np': np, 'tf': tf, 'R': tf.raw_ops}
with open(sys.argv[1]) as source:
    exec(compile(source.read(), sys.argv[1], 'exec'), cases)
with open(sys.argv[2], 'wb') as file:
    file.write(out.SerializeToString(deterministic=True))
print(len(getattr(out, 'case')), 'cases in', sys.argv[2])

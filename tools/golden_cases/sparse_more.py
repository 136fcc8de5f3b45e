# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/sparse_more.pb: serialised sparse tensors and maps of
them."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(71)
i8, i16, i32, i64, u8, f16, bf16, f32, f64 = (
    tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.half, tf.bfloat16, tf.float32, tf.float64,
)  # fmt: skip
raw = tf.raw_ops


def sparse(indices, dtype, values, shape):
    rank = len(shape) if np.ndim(shape) == 1 else 2
    indices = np.asarray(indices, np.int64)
    return dict(
        sparse_indices=(i64, indices if indices.size else indices.reshape(0, rank)),
        sparse_values=(dtype, values),
        sparse_shape=(i64, shape),
    )


def numbers(dtype, n):
    if dtype == tf.string:
        return ['text %d' % i * i for i in range(n)]
    if dtype.is_complex:
        return random.normal(size=n) + 1j * random.normal(size=n)
    return random.integers(0, 2 if dtype == tf.bool else 100, n)


places = [[0, 0, 1], [0, 2, 0], [2, 1, 1], [2, 1, 2], [3, 0, 0]]
all_types = (f32, f64, f16, bf16, i8, i16, i32, i64, u8, tf.uint16, tf.uint32, tf.uint64, tf.bool, tf.complex64,
             tf.complex128, tf.string)  # fmt: skip
for t in all_types:
    add('SerializeSparse', t.name, 'exact', **sparse(places, t, numbers(t, 5), [4, 3, 3]))
    add('SerializeManySparse', t.name, 'exact', **sparse(places, t, numbers(t, 5), [5, 3, 3]))

odd = {
    'none': sparse([], f32, [], [2, 3]),
    'no_rows': sparse([], f32, [], [0, 3]),
    'vector': sparse([[1], [2]], f32, [1, 2], [4]),
    'out_of_order': sparse([[1, 0], [0, 0]], f32, [1, 2], [2, 2]),
    'repeated': sparse([[1, 0], [1, 0]], f32, [1, 2], [2, 2]),
    'beyond_rows': sparse([[0, 0], [2, 0]], f32, [1, 2], [2, 2]),
    'beyond_columns': sparse([[0, 2], [1, 0]], f32, [1, 2], [2, 2]),
    'negative': sparse([[-1, 0], [1, 0]], f32, [1, 2], [2, 2]),
    'negative_size': sparse([[0, 0], [1, 0]], f32, [1, 2], [2, -2]),
    'fewer_values': sparse([[0, 0], [1, 0]], f32, [1], [2, 2]),
    'longer_shape': sparse([[0, 0], [1, 0]], f32, [1, 2], [2, 2, 2]),
    'indices_vector': sparse([0, 1], f32, [1, 2], [2, 2]),
    'values_matrix': sparse([[0, 0], [1, 0]], f32, [[1], [2]], [2, 2]),
    'shape_matrix': sparse([[0, 0], [1, 0]], f32, [1, 2], [[2, 2]]),
    'overflow': sparse([[0, 0], [1, 0]], f32, [1, 2], [2**40, 2**40]),
    'scalars': sparse(np.zeros((1, 0), np.int64), f32, [1], []),
}
for name, x in odd.items():
    for op in ('SerializeSparse', 'SerializeManySparse', 'AddSparseToTensorsMap', 'AddManySparseToTensorsMap'):
        add(op, name, 'exact', **x)


def round_trip(many, dtype, feeds, stack=None, out_type=tf.string, wanted=None, more=None, many_back=False):
    """Serialises sparse tensors, packs the results and reads them back."""

    def steps(b):
        rows = []
        feed = {}
        for i, x in enumerate(feeds):
            p = {k: b.placeholder(f'{k}_{i}', d, np.shape(v)) for k, (d, v) in x.items()}
            feed.update({f'{k}_{i}': v for k, (_, v) in x.items()})
            op = raw.SerializeManySparse if many else raw.SerializeSparse
            rows.append(op(**p, out_type=out_type))
        packed = rows[0] if stack is None else tf.reshape(tf.stack(rows), stack + [3])
        if more is not None:
            packed = more(packed)
        if many_back:
            out = raw.DeserializeManySparse(serialized_sparse=packed, dtype=wanted or dtype)
        else:
            out = raw.DeserializeSparse(serialized_sparse=packed, dtype=wanted or dtype)
        return [dict(fetch=list(out), feed=feed)]

    return steps


def add_trip(name, *args, **kwargs):
    op = 'DeserializeManySparse' if kwargs.get('many_back') else 'DeserializeSparse'
    CASES.append((f'{op}/{name}', round_trip(*args, **kwargs), 'exact'))


a, c = sparse(places, f32, [1, 2, 3, 4, 5], [4, 3, 3]), sparse([[1, 1, 0], [5, 0, 0]], f32, [6, 7], [6, 2, 2])
d = sparse([], f32, [], [1, 9, 1])
for out_type in (tf.string, tf.variant):
    n = out_type.name
    for t in all_types if out_type == tf.string else (f32, i64, tf.string, tf.bool):
        add_trip(f'{n}_{t.name}', False, t, [sparse(places, t, numbers(t, 5), [4, 3, 3])], out_type=out_type)
        add_trip(f'{n}_rows_{t.name}', True, t, [sparse(places, t, numbers(t, 5), [5, 3, 3])], out_type=out_type)
    add_trip(f'{n}_stack', False, f32, [a, c, d], [3], out_type=out_type)
    add_trip(f'{n}_stack_of_two', False, f32, [a, c, d, a], [2, 2], out_type=out_type)
    add_trip(f'{n}_stack_of_three', False, f32, [a, d], [1, 2, 1], out_type=out_type)
    add_trip(f'{n}_one_row', False, f32, [a], [1], out_type=out_type)
    add_trip(f'{n}_rank', False, f32, [a, sparse([[0, 0]], f32, [1], [2, 2])], [2], out_type=out_type)
    add_trip(f'{n}_type', False, f32, [a], out_type=out_type, wanted=f64)
    add_trip(f'{n}_bad_values', False, f32, [odd['fewer_values']], out_type=out_type)
    add_trip(f'{n}_bad_shape', False, f32, [odd['longer_shape']], out_type=out_type)
    add_trip(f'{n}_negative_size', False, f32, [odd['negative_size']] * 2, [2], out_type=out_type)
    add_trip(f'{n}_unordered', False, f32, [odd['out_of_order']], out_type=out_type)
    add_trip(f'{n}_outside', False, f32, [odd['beyond_rows'], odd['negative']], [2], out_type=out_type)
    add_trip(f'{n}_outside_square', False, f32, [odd['beyond_rows'], odd['beyond_columns']] * 2, [2, 2], out_type=out_type)
    add_trip(f'{n}_rank_zero', False, f32, [odd['scalars']] * 2, [2], out_type=out_type)
    add_trip(f'{n}_empty', True, f32, [odd['no_rows']], out_type=out_type)
    add_trip(f'{n}_scalar', False, f32, [a], out_type=out_type, more=lambda x: x[0])
    add_trip(f'{n}_two', False, f32, [a], out_type=out_type, more=lambda x: x[:2])
    add_trip(f'{n}_swapped', False, f32, [a], out_type=out_type, more=lambda x: tf.reverse(x, [0]))
add_trip('rows', True, f32, [a], many_back=True)
add_trip('stack', False, f32, [a, c, d], [3], many_back=True)
add_trip('vector', False, f32, [a], many_back=True)
add_trip('none', True, f32, [odd['no_rows']], many_back=True)
add_trip('type', True, f32, [a], many_back=True, wanted=i32)
add_trip('string', True, tf.string, [sparse(places, tf.string, numbers(tf.string, 5), [5, 3, 3])], many_back=True)
add_trip('rank', False, f32, [a, sparse([[0, 0]], f32, [1], [2, 2])], [2], many_back=True)
add('DeserializeSparse', 'not_a_tensor', serialized_sparse=(tf.string, ['a', 'b', 'c']), dtype=f32)
add('DeserializeManySparse', 'not_a_tensor', serialized_sparse=(tf.string, [['a', 'b', 'c']]), dtype=f32)
add('DeserializeManySparse', 'two_columns', serialized_sparse=(tf.string, [['a', 'b']]), dtype=f32)
add('DeserializeSparse', 'no_bytes', serialized_sparse=(tf.string, ['', '', '']), dtype=f32)


def through_map(dtype, x, takes, wanted=None, many=True, named=True):
    """Adds a sparse tensor and takes its rows by steps: lists of numbers."""

    def steps(b):
        p = {k: b.placeholder(k, d, np.shape(v)) for k, (d, v) in x.items()}
        feed = {k: v for k, (_, v) in x.items()}
        add_op = raw.AddManySparseToTensorsMap if many else raw.AddSparseToTensorsMap
        handles = add_op(**p, shared_name='shared' if named else '', name='adder')
        numbers = b.placeholder('numbers', i64, [None])
        out = raw.TakeManySparseFromTensorsMap(
            sparse_handles=numbers, dtype=wanted or dtype, shared_name='shared' if named else 'adder'
        )
        return [dict(fetch=[handles], feed=feed)] * 2 + [dict(fetch=list(out), feed={'numbers': t}) for t in takes]

    return steps


for t in all_types:
    x = sparse(places, t, numbers(t, 5), [5, 3, 3])
    CASES.append((f'TakeManySparseFromTensorsMap/{t.name}', through_map(t, x, [[0, 1], [9, 3, 2], [4]]), 'exact'))
maps = {
    'order': (f32, a, [[7, 0, 3]]),
    'twice': (f32, a, [[0], [0]]),
    'twice_at_once': (f32, a, [[1, 1], [1]]),
    'missing': (f32, a, [[0, 99], [0]]),
    'none': (f32, a, [[]]),
    'type': (f32, a, [[0]], i32),
    'whole': (f32, a, [[0, 1]], None, False),
    'by_node': (f32, a, [[0, 1]], None, True, False),
    'empty_rows': (f32, odd['none'], [[0, 3]]),
    'unordered': (f32, odd['out_of_order'], [[0]], None, False),
    'outside': (f32, odd['beyond_rows'], [[1, 0]], None, False),
    'negative_size': (f32, odd['negative_size'], [[0]], None, False),
}
for name, arguments in maps.items():
    CASES.append((f'TakeManySparseFromTensorsMap/{name}', through_map(*arguments), 'exact'))


def two_ranks(b):
    rows = [
        raw.AddSparseToTensorsMap(sparse_indices=i, sparse_values=v, sparse_shape=s, shared_name='m')
        for i, v, s in (([[0, 0]], [1.0], [2, 2]), ([[0]], [2.0], [3]))
    ]
    out = raw.TakeManySparseFromTensorsMap(sparse_handles=tf.stack(rows), dtype=f32, shared_name='m')
    return [dict(fetch=list(out))]


CASES.append(('TakeManySparseFromTensorsMap/two_ranks', two_ranks, 'exact'))

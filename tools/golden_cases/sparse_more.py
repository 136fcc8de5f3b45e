# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/sparse_more.pb: serialised sparse tensors, maps of
them, counted values, ragged crosses and rows, gradients of sparse segments, sampled candidates, maps of
tensors, Sobol sequences, logarithms of matrices."""

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
    if out_type == tf.variant:  # with strings TensorFlow crashes
        add_trip(f'{n}_negative_size', False, f32, [odd['negative_size']] * 2, [2], out_type=out_type)
    add_trip(f'{n}_unordered', False, f32, [odd['out_of_order']], out_type=out_type)
    add_trip(f'{n}_outside', False, f32, [odd['beyond_rows'], odd['negative']], [2], out_type=out_type)
    add_trip(f'{n}_outside_square', False, f32, [odd['beyond_rows'], odd['beyond_columns']] * 2, [2, 2],
        out_type=out_type)  # fmt: skip
    add_trip(f'{n}_rank_zero', False, f32, [odd['scalars']] * 2, [2], out_type=out_type)
    add_trip(f'{n}_empty', True, f32, [odd['no_rows']], out_type=out_type)
    if out_type == tf.string:
        add_trip(f'{n}_swapped', False, f32, [a], out_type=out_type, more=lambda x: tf.reverse(x, [0]))
add_trip('rows', True, f32, [a], many_back=True)
add_trip('stack', False, f32, [a, c, d], [3], many_back=True)
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

# ---- counts
rows = [[3, 1, 3, 0], [1, 1, 7, 3]]
for t in (i32, i64):
    for w in (i32, i64, f32, f64):
        name = f'{t.name}_{w.name}'
        weights = (w, random.integers(1, 9, (2, 4)) / (4 if w.is_floating else 1))
        flat = (w, np.reshape(weights[1], 8))
        add('DenseCountSparseOutput', name, values=(t, rows), weights=weights, binary_output=False)
        add('RaggedCountSparseOutput', name, splits=(i64, [0, 3, 3, 8]), values=(t, np.ravel(rows)), weights=flat,
            binary_output=False)  # fmt: skip
        add('SparseCountSparseOutput', name, indices=(i64, [[i // 3, i % 3] for i in range(8)]),
            values=(t, np.ravel(rows)), dense_shape=(i64, [4, 3]), weights=flat, binary_output=False)  # fmt: skip
none = {w: (w, []) for w in (i32, i64, f32, f64)}
counts = {
    'plain': ([[3, 1, 3]], {}),
    'binary': ([[3, 1, 3]], dict(binary_output=True)),
    'minlength': ([[3, 1, 3]], dict(minlength=9)),
    'minlength_less': ([[3, 1, 3]], dict(minlength=2)),
    'maxlength': ([[3, 1, 3]], dict(maxlength=3)),
    'maxlength_more': ([[3, 1, 3]], dict(maxlength=30)),
    'both_lengths': ([[3, 1, 3]], dict(maxlength=3, minlength=7)),
    'maxlength_zero': ([[3, 1, 3]], dict(maxlength=0)),
    'negative': ([[3, -1, 3]], {}),
    'all_negative': ([[-3, -1, -3]], {}),
    'none': (np.zeros((2, 0)), {}),
    'zeros': (np.zeros((2, 2)), {}),
    'large': ([[2**31 - 1, 5]], {}),
}
for name, (values, attrs) in counts.items():
    attrs = dict(binary_output=False) | attrs
    n, per_row = np.size(values), np.shape(values)[1]
    shape = list(np.shape(values))
    add('DenseCountSparseOutput', name, values=(i64, values), weights=none[f32], **attrs)
    add('DenseCountSparseOutput', name + '_vector', values=(i64, np.ravel(values)), weights=none[i32], **attrs)
    add('RaggedCountSparseOutput', name, splits=(i64, np.arange(shape[0] + 1) * per_row),
        values=(i64, np.ravel(values)), weights=none[f64], **attrs)  # fmt: skip
    add('SparseCountSparseOutput', name, indices=(i64, np.reshape(list(np.ndindex(*shape)), (n, 2))),
        values=(i64, np.ravel(values)), dense_shape=(i64, shape), weights=none[i64], **attrs)  # fmt: skip
    add('SparseCountSparseOutput', name + '_vector', indices=(i64, np.arange(n).reshape(n, 1)),
        values=(i64, np.ravel(values)), dense_shape=(i64, [max(n, 1)]), weights=none[f32], **attrs)  # fmt: skip
for op in ('DenseCountSparseOutput',):
    add(op, 'beyond_int32', values=(i64, [2**31 + 5, 2**32 + 1, 1]), weights=none[f32], binary_output=False)
    add(op, 'beyond_int32_rows', values=(i64, [[2**31, 2**32 - 1]]), weights=none[f32], binary_output=False)
    add(op, 'scalar', values=(i64, 3), weights=none[f32], binary_output=False)
    add(op, 'cube', values=(i64, [[[3]]]), weights=none[f32], binary_output=False)
    add(op, 'no_rows', values=(i64, np.zeros((0, 3))), weights=none[f32], binary_output=False)
    add(op, 'weights_shape', values=(i64, [[1, 2]]), weights=(f32, [1, 2]), binary_output=False)
    add(op, 'weights_empty', values=(i64, [[1, 2]]), weights=(f32, np.zeros((3, 0))), binary_output=False)
    add(op, 'wraps', values=(i32, [1, 1]), weights=(i32, [2**31 - 1, 5]), binary_output=False)
    add(op, 'zero_weights', values=(i32, [1, 1]), weights=(f32, [0, -0.0]), binary_output=False)
    add(op, 'binary_weights', values=(i32, [1, 1]), weights=(f32, [5, 7]), binary_output=True)
    add(op, 'nan', values=(i32, [1, 1, 2]), weights=(f32, [np.nan, 1, np.inf]), binary_output=False)
op = 'SparseCountSparseOutput'
good = dict(indices=(i64, [[0, 0], [1, 1]]), values=(i64, [3, 4]), dense_shape=(i64, [2, 2]), weights=none[f32])
wrong = {
    'three_dims': dict(indices=(i64, [[0, 0, 0], [1, 1, 0], [0, 0, 1]]), values=(i64, [3, 3, 3]),
                       dense_shape=(i64, [2, 2, 2])),
    'indices_vector': dict(indices=(i64, [0, 1])),
    'values_matrix': dict(values=(i64, [[3], [4]])),
    'shape_matrix': dict(dense_shape=(i64, [[2, 2]])),
    'values_fewer': dict(values=(i64, [3])),
    'shape_longer': dict(dense_shape=(i64, [2, 2, 2])),
    'no_dims': dict(indices=(i64, np.zeros((2, 0))), dense_shape=(i64, [])),
    'outside_rows': dict(dense_shape=(i64, [1, 2])),
    'outside_columns': dict(dense_shape=(i64, [2, 1])),
    'negative_index': dict(indices=(i64, [[0, 0], [-1, 1]])),
    'negative_shape': dict(dense_shape=(i64, [2, -2])),
    'no_rows': dict(indices=(i64, np.zeros((0, 2))), values=(i64, []), dense_shape=(i64, [0, 2])),
    'unordered': dict(indices=(i64, [[1, 1], [0, 0]])),
    'weights_shape': dict(weights=(f32, [1])),
    'weights': dict(weights=(f32, [0.5, 2])),
    'empty_shape_vector': dict(indices=(i64, np.zeros((0, 1))), values=(i64, []), dense_shape=(i64, [0])),
}  # fmt: skip
for name, changes in wrong.items():
    add(op, 'odd_' + name, binary_output=False, **(good | changes))
op = 'RaggedCountSparseOutput'
good = dict(splits=(i64, [0, 1, 3]), values=(i64, [3, 4, 4]), weights=none[f32])
wrong = {
    'starts_late': dict(splits=(i64, [1, 2, 3])),
    'ends_early': dict(splits=(i64, [0, 1, 2])),
    'one_split': dict(splits=(i64, [0])),
    'no_splits': dict(splits=(i64, [])),
    'falling': dict(splits=(i64, [0, 3, 1, 3])),
    'falling_below': dict(splits=(i64, [0, -3, 1, 3])),
    'beyond': dict(splits=(i64, [0, 9, 3])),
    'matrix': dict(splits=(i64, [[0, 3]])),
    'values_matrix': dict(values=(i64, [[3, 4, 4]])),
    'weights_shape': dict(weights=(f32, [1])),
    'empty': dict(splits=(i64, [0, 0]), values=(i64, [])),
    'no_rows': dict(splits=(i64, [0]), values=(i64, [])),
}
for name, changes in wrong.items():
    add(op, 'odd_' + name, binary_output=False, **(good | changes))


# ---- ragged crosses
def cross(name, order, ragged=(), sparse=(), dense=(), hashed=False, buckets=0, key=956888297470, splits=i64, to=None):
    add('RaggedCross', name, 'exact', ragged_values=[v for v, _ in ragged], ragged_row_splits=[s for _, s in ragged],
        sparse_indices=[i for i, _, _ in sparse], sparse_values=[v for _, v, _ in sparse],
        sparse_shape=[s for _, _, s in sparse], dense_inputs=list(dense), input_order=order, hashed_output=hashed,
        num_buckets=buckets, hash_key=key, out_values_type=to or (i64 if hashed else tf.string),
        out_row_splits_type=splits)  # fmt: skip


def r(values, splits, t=tf.string, s=i64):
    return (t, values), (s, splits)


words, integers = r(['a', 'b', 'cc'], [0, 2, 3]), r([5, -6, 7], [0, 1, 3], i64)
words32, integers32 = r(['a', 'b', 'cc'], [0, 2, 3], s=i32), r([5, -6, 7], [0, 1, 3], i64, i32)
stored = ((i64, [[0, 0], [1, 0], [1, 2]]), (tf.string, ['x', 'y', 'z']), (i64, [2, 3]))
stored_integers = ((i64, [[0, 1]]), (i64, [9]), (i64, [2, 3]))
table, number_table = (tf.string, [['p', 'q'], ['r', 's']]), (i64, [[1, 2], [3, 4]])
for hashed in (False, True):
    n = 'hashed_' if hashed else ''
    cross(n + 'two', 'RR', [words, integers], hashed=hashed)
    cross(n + 'two_int32', 'RR', [words32, integers32], hashed=hashed, splits=i32)
    cross(n + 'all', 'RSD', [words], [stored], [table], hashed=hashed)
    cross(n + 'order', 'DSRD', [integers], [stored_integers], [table, number_table], hashed=hashed)
    cross(n + 'sparse', 'SS', sparse=[stored, stored_integers], hashed=hashed)
    cross(n + 'dense', 'DD', dense=[table, number_table], hashed=hashed)
    cross(n + 'one', 'R', [words], hashed=hashed)
    cross(n + 'long', 'RD', [r(['x' * 40, 'y'], [0, 1, 2])], dense=[table], hashed=hashed)
    cross(n + 'empty_row', 'RR', [words, r(['k'], [0, 0, 1])], hashed=hashed)
    cross(n + 'no_rows', 'RR', [r([], [0]), r([], [0], i64)], hashed=hashed)
    cross(n + 'no_columns', 'RD', [words], dense=[(i64, np.zeros((2, 0)))], hashed=hashed)
cross('buckets', 'RD', [words], dense=[table], hashed=True, buckets=10)
cross('buckets_many', 'RD', [words], dense=[table], hashed=True, buckets=2**62, key=-3)
cross('key', 'R', [integers], hashed=True, key=0)
cross('flag_only', 'R', [words], hashed=True, to=tf.string)
cross('no_flag', 'R', [words], hashed=False, to=i64)
cross('order_short', 'R', [words, integers])
cross('order_letter', 'RX', [words, integers])
cross('order_other', 'RD', [words, integers])
cross('order_sparse', 'RS', [words, integers])
cross('batches', 'RR', [words, r(['k'], [0, 1])])
cross('batches_sparse', 'RS', [words], [((i64, [[0, 0]]), (tf.string, ['x']), (i64, [3, 3]))])
cross('batches_dense', 'RD', [words], dense=[(i64, [[1]])])
cross('splits_falling', 'RR', [r(['a', 'b'], [0, 2, 1]), words])
cross('splits_end', 'R', [r(['a', 'b'], [0, 1])])
cross('splits_start', 'R', [r(['a', 'b'], [1, 2])])
cross('splits_none', 'R', [r(['a', 'b'], [])])
cross('values_matrix', 'R', [r([['a', 'b']], [0, 1])])
cross('dense_vector', 'RD', [words], dense=[(i64, [1, 2])])
cross('sparse_shape', 'S', sparse=[((i64, [[0, 0]]), (tf.string, ['x']), (i64, [3, 3, 3]))])
cross('sparse_vector', 'S', sparse=[((i64, [0, 0]), (tf.string, ['x']), (i64, [3, 3]))])
cross('sparse_unordered', 'S', sparse=[((i64, [[1, 0], [0, 0], [2, 0]]), (i64, [1, 2, 3]), (i64, [3, 3]))])
cross('sparse_outside', 'S', sparse=[((i64, [[-1, 0], [1, 0], [7, 0]]), (i64, [1, 2, 3]), (i64, [3, 3]))])
cross('sparse_no_rows', 'S', sparse=[((i64, np.zeros((0, 2))), (i64, []), (i64, [0, 3]))])

# ---- ragged rows
for t in all_types:
    add('RaggedFillEmptyRows', t.name, 'exact', value_rowids=(i64, [1, 1, 3]), values=(t, numbers(t, 3)),
        nrows=(i64, 5),
        default_value=(t, numbers(t, 4)[3]))  # fmt: skip
    if t not in (tf.bool, tf.string):
        add('RaggedFillEmptyRowsGrad', t.name, reverse_index_map=(i64, [1, 3, 2]), grad_values=(t, numbers(t, 6)))
fill = {
    'full': ([0, 1, 2], 3),
    'full_unordered': ([2, 0, 1], 3),
    'unordered': ([2, 0, 2], 4),
    'none': ([], 3),
    'no_rows': ([], 0),
    'no_rows_values': ([0, 0], 0),
    'negative': ([0, -1], 3),
    'beyond': ([0, 3], 3),
    'negative_rows': ([0], -3),
}
for name, (rowids, n) in fill.items():
    add('RaggedFillEmptyRows', name, value_rowids=(i64, rowids), values=(f32, np.arange(len(rowids)) + 1),
        nrows=(i64, n),
        default_value=(f32, -1))  # fmt: skip
good = dict(value_rowids=(i64, [0, 2]), values=(f32, [3, 4]), nrows=(i64, 3), default_value=(f32, 9))
wrong = {
    'rowids_matrix': dict(value_rowids=(i64, [[0, 2]])),
    'values_matrix': dict(values=(f32, [[3, 4]])),
    'rows_vector': dict(nrows=(i64, [3])),
    'default_vector': dict(default_value=(f32, [3])),
    'fewer': dict(values=(f32, [3])),
}
for name, changes in wrong.items():
    add('RaggedFillEmptyRows', name, **(good | changes))
op = 'RaggedFillEmptyRowsGrad'
add(op, 'negative', reverse_index_map=(i64, [1, -3]), grad_values=(f32, [1, 2, 3]))
add(op, 'beyond', reverse_index_map=(i64, [1, 3]), grad_values=(f32, [1, 2, 3]))
add(op, 'none', reverse_index_map=(i64, []), grad_values=(f32, [1, 2, 3]))
add(op, 'repeated', reverse_index_map=(i64, [1, 1]), grad_values=(f32, [1, 2, 3]))
add(op, 'matrix', reverse_index_map=(i64, [[1, 1]]), grad_values=(f32, [1, 2, 3]))
add(op, 'grad_scalar', reverse_index_map=(i64, [1, 1]), grad_values=(f32, 3))


# ---- gradients of encoded ragged tensors
def variant_gradient(values, splits, shape, batched, t=f32, s=i64, row_splits=None):
    def steps(b):
        v = b.placeholder('values', t, np.shape(values))
        nested = [b.placeholder(f'splits_{i}', s, np.shape(x)) for i, x in enumerate(splits)]
        encoded = raw.RaggedTensorToVariant(rt_nested_splits=nested, rt_dense_values=v, batched_input=batched)
        own = b.placeholder('row_splits', s, None)
        dense = b.placeholder('shape', i32, [len(shape)])
        out = raw.RaggedTensorToVariantGradient(
            encoded_ragged_grad=encoded, row_splits=own, dense_values_shape=dense, Tvalues=t
        )
        feed = {'values': values, 'row_splits': row_splits if row_splits is not None else splits[0], 'shape': shape}
        return [dict(fetch=[out], feed=feed | {f'splits_{i}': x for i, x in enumerate(splits)})]

    return steps


def add_gradient(name, *args, **kwargs):
    CASES.append((f'RaggedTensorToVariantGradient/{name}', variant_gradient(*args, **kwargs), 'exact'))


for t in all_types:
    add_gradient(f'{t.name}', numbers(t, 6), [[0, 2, 2, 6]], [6], True, t)
matrix = np.arange(12).reshape(6, 2)
add_gradient('rows', matrix, [[0, 2, 2, 6]], [6, 2], True)
add_gradient('rows_int32', matrix, [[0, 2, 2, 6]], [6, 2], True, s=i32)
add_gradient('nested', matrix, [[0, 2, 3], [0, 1, 4, 6]], [6, 2], True)
add_gradient('whole', matrix, [[0, 2, 2, 6]], [6, 2], False, row_splits=[])
add_gradient('whole_other_shape', matrix, [[0, 2, 2, 6]], [3, 4], False, row_splits=[])
add_gradient('whole_splits', matrix, [[0, 2, 2, 6]], [6, 2], False, row_splits=[0, 6])
add_gradient('whole_short', matrix, [[0, 2, 2, 6]], [3, 5], False, row_splits=[0, 2, 5])
add_gradient('flat_shape', matrix, [[0, 2, 2, 6]], [12], True)
add_gradient('splits_short', matrix, [[0, 2, 2, 6]], [6, 2], True, row_splits=[0, 2])
add_gradient('splits_long', matrix, [[0, 2, 2, 6]], [6, 2], True, row_splits=[0, 2, 2, 60])
add_gradient('splits_falling', matrix, [[0, 2, 2, 6]], [6, 2], True, row_splits=[0, 5, 2, 6])
add_gradient('splits_start', matrix, [[0, 2, 2, 6]], [6, 2], True, row_splits=[1, 2, 2, 6])
add_gradient('splits_matrix', matrix, [[0, 2, 2, 6]], [6, 2], True, row_splits=[[0, 2, 2, 6]])
add_gradient('one_row', matrix, [[0, 6]], [6, 2], True)
add_gradient('no_rows', np.zeros((0, 2)), [[0]], [0, 2], True)
add_gradient('other_shape', matrix, [[0, 2, 2, 6]], [4, 3], True)
add_gradient('negative_shape', matrix, [[0, 2, 2, 6]], [6, -2], True)

# ---- gradients of sparse segments, of the rows that there are
for kind in ('Sum', 'Mean', 'SqrtN'):
    op = f'SparseSegment{kind}GradV2'
    for t in (bf16, f16, f32, f64):
        for i, s in ((i32, i32), (i32, i64), (i64, i32), (i64, i64)) if t == f32 else ((i32, i32),):
            add(op, f'{t.name}_{i.name}_{s.name}', grad=(t, random.integers(-8, 8, (3, 4))),
                indices=(i, [5, 1, 7, 1, 5, 0]), segment_ids=(s, [0, 0, 1, 1, 1, 2]),
                dense_output_dim0=(i32, 9))  # fmt: skip
    good = dict(grad=(f32, random.normal(size=(3, 2))), indices=(i32, [4, 1, 4]), segment_ids=(i32, [0, 0, 2]),
                dense_output_dim0=(i32, 6))  # fmt: skip
    wrong = {
        'none': dict(indices=(i32, []), segment_ids=(i32, [])),
        'no_rows': dict(grad=(f32, np.zeros((0, 2))), indices=(i32, []), segment_ids=(i32, [])),
        'no_columns': dict(grad=(f32, np.zeros((3, 0)))),
        'unordered_segments': dict(segment_ids=(i32, [2, 0, 1])),
        'repeated': dict(indices=(i32, [4, 4, 4]), segment_ids=(i32, [0, 0, 0])),
        'vector': dict(grad=(f32, [1, 2, 3])),
        'cube': dict(grad=(f32, random.normal(size=(3, 2, 2)))),
        'segment_beyond': dict(segment_ids=(i32, [0, 0, 3])),
        'segment_beyond_inside': dict(segment_ids=(i32, [0, 9, 2])),
        'segment_negative': dict(segment_ids=(i32, [-1, 0, 2])),
        'index_beyond': dict(indices=(i32, [4, 6, 4])),
        'index_negative': dict(indices=(i32, [4, -1, 4])),
        'rows_zero': dict(dense_output_dim0=(i32, 0)),
        'rows_negative': dict(dense_output_dim0=(i32, -2)),
        'rows_zero_none': dict(dense_output_dim0=(i32, 0), indices=(i32, []), segment_ids=(i32, [])),
        'rows_vector': dict(dense_output_dim0=(i32, [6])),
        'lengths': dict(indices=(i32, [4, 1])),
        'matrix': dict(indices=(i32, [[4, 1, 4]])),
        'scalar': dict(grad=(f32, 1)),
        'infinite': dict(grad=(f32, [[np.inf, np.nan], [1, 2], [-np.inf, 3]])),
    }
    for name, changes in wrong.items():
        add(op, name, **(good | changes))

# ---- sampled candidates
true = (i64, [[3, 1], [0, 4]])
samplers = ('UniformCandidateSampler', 'LogUniformCandidateSampler', 'LearnedUnigramCandidateSampler',
            'ThreadUnsafeUnigramCandidateSampler')  # fmt: skip
for op in samplers:
    for unique in (False, True):
        for n, most in ((3, 10), (7, 100), (40, 50), (8, 8), (5, 1000), (64, 5000)):
            add(op, f'{n}_of_{most}_{unique}', 'exact', runs=3, at_run=False, true_classes=true, num_true=2,
                num_sampled=n,
                unique=unique, range_max=most, seed=n, seed2=most)  # fmt: skip
    common = dict(num_true=2, num_sampled=4, unique=True, range_max=9, seed=3, seed2=5)
    add(op, 'no_classes', 'exact', runs=2, true_classes=(i64, np.zeros((0, 2))), **common)
    add(op, 'many_classes', 'exact', runs=3, true_classes=(i64, random.integers(0, 9, (40, 2))), **common)
    add(op, 'beyond', true_classes=(i64, [[3, 9]]), **common)
    add(op, 'negative', true_classes=(i64, [[3, -1]]), **common)
    add(op, 'columns', true_classes=(i64, [[3]]), **common)
    add(op, 'vector', true_classes=(i64, [3, 1]), **common)
    add(op, 'too_many', true_classes=(i64, [[3, 1]]), **(common | dict(num_sampled=10)))
    add(op, 'more_than_range', 'exact', true_classes=(i64, [[3, 1]]), **(common | dict(num_sampled=10, unique=False)))
    add(op, 'range_one', 'exact', true_classes=(i64, [[0, 0]]), **(common | dict(num_sampled=1, range_max=1)))
    if 'Unigram' not in op:
        for most in (2**31, 2**33 + 5, 2**40, 2**62):
            add(op, f'of_{most}', 'exact', runs=2, true_classes=(i64, [[3, most - 1]]),
                **(common | dict(range_max=most)))  # fmt: skip

op = 'FixedUnigramCandidateSampler'
weights = [1.0, 2.5, 0.25, 7.0, 3.0, 0.5]
common = dict(num_true=2, num_sampled=4, unique=False, range_max=6, unigrams=weights, seed=3, seed2=5)
fixed = {
    'plain': {},
    'unique': dict(unique=True),
    'unique_all': dict(unique=True, num_sampled=6),
    'distortion': dict(distortion=0.75),
    'distortion_zero': dict(distortion=0.0),
    'distortion_negative': dict(distortion=-1.5),
    'reserved': dict(num_reserved_ids=2, range_max=8),
    'reserved_many': dict(num_reserved_ids=50, range_max=56, num_sampled=12),
    'shards': dict(num_shards=2, shard=1, range_max=3),
    'shards_reserved': dict(num_shards=2, shard=0, num_reserved_ids=3, range_max=5),
    'shard_beyond': dict(num_shards=2, shard=2, range_max=3),
    'zeros': dict(unigrams=[0.0, 1.0, 0.0, 0.0, 3.0, 0.0]),
    'all_zeros': dict(unigrams=[0.0] * 6),
    'negative': dict(unigrams=[1.0, -2.0, 3.0, 1.0, 1.0, 1.0]),
    'nan': dict(unigrams=[1.0, float('nan'), 3.0, 1.0, 1.0, 1.0]),
    'infinite': dict(unigrams=[1.0, float('inf'), 3.0, 1.0, 1.0, 1.0]),
    'one': dict(unigrams=[0.3] * 6, num_sampled=50),
    'many': dict(unigrams=[float(x) for x in random.random(200)], range_max=200, num_sampled=60),
    'many_unique': dict(unigrams=[float(x) for x in random.random(200)], range_max=200, num_sampled=60, unique=True),
    'range_more': dict(range_max=7),
    'range_less': dict(range_max=5),
    'none': dict(unigrams=[]),
    'no_file': dict(unigrams=[], vocab_file='/nowhere/vocabulary'),
    'both': dict(vocab_file='/nowhere/vocabulary'),
    'too_many': dict(unique=True, num_sampled=7),
}
for name, changes in fixed.items():
    classes = (i64, [[2, 1], [0, 2]])
    add(op, name, 'exact', runs=3, true_classes=classes, **(common | changes))
add(op, 'beyond', true_classes=(i64, [[2, 6]]), **common)

for n in (1, 2, 5):
    add('AllCandidateSampler', f'{n}', 'exact', runs=2, true_classes=(i64, [[0, n - 1]]), num_true=2,
        num_sampled=n, unique=True)  # fmt: skip
    add('AllCandidateSampler', f'{n}_repeated', 'exact', true_classes=(i64, [[0], [0]]), num_true=1,
        num_sampled=n, unique=False)  # fmt: skip
add('AllCandidateSampler', 'beyond', true_classes=(i64, [[5]]), num_true=1, num_sampled=5, unique=True)
add('AllCandidateSampler', 'columns', true_classes=(i64, [[1]]), num_true=2, num_sampled=5, unique=True)

op = 'ComputeAccidentalHits'
hits = {
    'plain': ([[3, 1], [0, 4], [1, 1]], [4, 1, 9], 2),
    'repeated': ([[3, 1], [0, 4]], [4, 1, 4, 1], 2),
    'none': ([[3, 1]], [4, 5], 2),
    'no_rows': (np.zeros((0, 2)), [4, 5], 2),
    'no_samples': ([[3, 1]], [], 2),
    'no_columns': (np.zeros((2, 0)), [1], 0),
    'columns': ([[3, 1]], [4, 5], 1),
    'vector': ([3, 1], [4, 5], 2),
    'matrix': ([[3, 1]], [[4, 5]], 2),
    'negative': ([[-3, 1]], [-3, 5], 2),
    'negative_columns': ([[-3, 1]], [-3, 5], -1),
}
for name, (classes, samples, n) in hits.items():
    add(op, name, 'exact', true_classes=(i64, classes), sampled_candidates=(i64, samples), num_true=n)

# ---- maps of tensors
def map_case(name, changes, ask, key_dtype=f32, value_dtype=i32, compare='exact'):
    """changes: ('insert', key, value) or ('erase', key) in order; ask: ('size',), ('has', key), ('lookup', key) or
    ('keys',)."""

    def steps(b):
        handle, feed = raw.EmptyTensorMap(), {}

        def fed(value, dtype):
            p = b.placeholder(f'x_{len(feed)}', dtype, np.shape(value))
            feed[f'x_{len(feed)}'] = value
            return p

        for kind, *rest in changes:
            key = fed(rest[0], key_dtype)
            if kind == 'insert':
                handle = raw.TensorMapInsert(input_handle=handle, key=key, value=fed(rest[1], value_dtype))
            else:
                handle = raw.TensorMapErase(input_handle=handle, key=key, value_dtype=value_dtype)
        out = []
        for kind, *rest in ask:
            if kind == 'size':
                out.append(raw.TensorMapSize(input_handle=handle))
            elif kind == 'keys':
                out.append(raw.TensorMapStackKeys(input_handle=handle, key_dtype=key_dtype))
            elif kind == 'has':
                out.append(raw.TensorMapHasKey(input_handle=handle, key=fed(rest[0], key_dtype)))
            else:
                key = fed(rest[0], key_dtype)
                out.append(raw.TensorMapLookup(input_handle=handle, key=key, value_dtype=value_dtype))
        return [dict(fetch=out, feed=feed)] * 2

    CASES.append((name, steps, compare))


size, keys = ('size',), ('keys',)
for t in all_types:
    k = numbers(t, 3) if t != tf.bool else [0, 1]
    changes = [('insert', k[0], 10), ('insert', k[1], 11), ('insert', k[0], 12)]
    map_case(f'TensorMapInsert/{t.name}', changes, [size, ('has', k[1]), ('lookup', k[0])], t)
    map_case(f'TensorMapLookup/{t.name}', [('insert', 1, k)], [('lookup', 1)], f32, t)
    map_case(f'TensorMapStackKeys/{t.name}', [('insert', k, 1)], [keys], t)
map_case('TensorMapSize/empty', [], [size])
map_case('TensorMapHasKey/empty', [], [('has', 1)])
map_case('TensorMapHasKey/other_shape', [('insert', [1], 1)], [('has', 1), ('has', [1]), ('has', [[1]]),
    ('has', [1, 1])])  # fmt: skip
map_case('TensorMapHasKey/zeros', [('insert', 0.0, 1)], [('has', -0.0), ('has', 0.0)])
map_case('TensorMapHasKey/nan', [('insert', np.nan, 1)], [('has', np.nan), size])
map_case('TensorMapHasKey/no_elements', [('insert', [], 1)], [('has', []), ('has', np.zeros((0, 1))), size])
map_case('TensorMapErase/one', [('insert', 1, 1), ('insert', 2, 2), ('erase', 1)], [size, ('has', 1), ('lookup', 2)])
map_case('TensorMapErase/all', [('insert', 1, 1), ('erase', 1)], [size])
map_case('TensorMapErase/again', [('insert', 1, 1), ('erase', 1), ('insert', 1, 5)], [size, ('lookup', 1)])
map_case('TensorMapErase/missing', [('insert', 1, 1), ('erase', 2)], [size])
map_case('TensorMapErase/empty', [('erase', 2)], [size])
map_case('TensorMapLookup/missing', [('insert', 1, 1)], [('lookup', 2)])
map_case('TensorMapLookup/matrix', [('insert', [[1, 2]], [[3, 4], [5, 6]])], [('lookup', [[1, 2]])])
map_case('TensorMapStackKeys/many', [('insert', x, 1) for x in (5, 3, 9, 1)], [keys], compare='set')
map_case('TensorMapStackKeys/rows', [('insert', [x, -x], 1) for x in (5, 3, 9, 1)], [keys], compare='set')
map_case('TensorMapStackKeys/empty', [], [keys])
map_case('TensorMapStackKeys/shapes', [('insert', 1, 1), ('insert', [1], 1)], [keys])


def two_maps(b):
    p = [b.placeholder(f'p{i}', f32, []) for i in range(4)]
    maps = [raw.EmptyTensorMap(), raw.EmptyTensorMap()]
    maps[0] = raw.TensorMapInsert(input_handle=maps[0], key=p[0], value=p[1])
    maps[1] = raw.TensorMapInsert(input_handle=maps[1], key=p[0], value=p[2])
    maps[1] = raw.TensorMapInsert(input_handle=maps[1], key=p[2], value=p[3])
    total, none = raw.AddN(inputs=maps), raw.ZerosLike(x=maps[1])
    out = [raw.TensorMapSize(input_handle=x) for x in maps + [total, none]]
    out += [raw.TensorMapLookup(input_handle=total, key=p[i], value_dtype=f32) for i in (0, 2)]
    return [dict(fetch=out, feed={f'p{i}': i + 1.5 for i in range(4)})]


def other_keys(b):
    handle = raw.TensorMapInsert(input_handle=raw.EmptyTensorMap(), key=b.placeholder('k', i32, []), value=[1.5])
    ask = [raw.TensorMapHasKey(input_handle=handle, key=b.placeholder('f', f32, []))]
    return [
        dict(fetch=ask, feed={'k': 0, 'f': 0}),
        dict(fetch=[raw.TensorMapStackKeys(input_handle=handle, key_dtype=f32)], feed={'k': 0}),
    ]


def branches(b):
    key = b.placeholder('k', f32, [])
    first = raw.TensorMapInsert(input_handle=raw.EmptyTensorMap(), key=key, value=[1.5])
    second = raw.TensorMapInsert(input_handle=first, key=key, value=[2.5])
    third = raw.TensorMapErase(input_handle=first, key=key, value_dtype=f32)
    out = [raw.TensorMapLookup(input_handle=x, key=key, value_dtype=f32) for x in (first, second)]
    return [dict(fetch=out + [raw.TensorMapSize(input_handle=x) for x in (first, third)], feed={'k': 7})]


CASES.append(('TensorMapSize/sum', two_maps, 'exact'))
CASES.append(('TensorMapHasKey/types', other_keys, 'exact'))
CASES.append(('TensorMapInsert/branches', branches, 'exact'))


def not_a_map(b):
    list_ = raw.EmptyTensorList(element_shape=-1, max_num_elements=-1, element_dtype=f32)
    return [dict(fetch=[raw.TensorMapSize(input_handle=list_)])]


def maps_vector(b):
    return [dict(fetch=[raw.TensorMapSize(input_handle=tf.stack([raw.EmptyTensorMap()]))])]


CASES.append(('TensorMapSize/list', not_a_map, 'exact'))
CASES.append(('TensorMapSize/vector', maps_vector, 'exact'))

# ---- Sobol's sequences
for t in (f32, f64):
    for dim, n, skip in ((1, 20, 0), (2, 8, 0), (5, 33, 7), (40, 9, 100), (60, 3, 12345), (3, 4, 2**29 - 2)):
        add('SobolSample', f'{t.name}_{dim}_{n}_{skip}', 'exact', dim=(i32, dim), num_results=(i32, n),
            skip=(i32, skip), dtype=t)  # fmt: skip
add('SobolSample', 'all_dims', 'exact', known=False, dim=(i32, 1111), num_results=(i32, 2), skip=(i32, 2**20 - 3))
for name, values in {
    'no_dims': (0, 1, 0), 'negative_dims': (-1, 1, 0), 'too_many_dims': (21201, 1, 0), 'no_results': (1, 0, 0),
    'negative_results': (2, -1, 0), 'negative_skip': (2, 1, -1), 'beyond': (2, 5, 2**31 - 5), 'last': (2, 3, 2**31 - 5),
    'large': (3, 2, 2**30),
}.items():  # fmt: skip
    add('SobolSample', name, 'exact', dim=(i32, values[0]), num_results=(i32, values[1]), skip=(i32, values[2]))
for name in ('dim', 'num_results', 'skip'):
    one = {'dim': (i32, 1), 'num_results': (i32, 1), 'skip': (i32, 1)}
    add('SobolSample', name + '_vector', 'exact', **(one | {name: (i32, [1])}))


def constant_sizes(b):
    return [dict(fetch=[raw.SobolSample(dim=3, num_results=5, skip=b.placeholder('skip', i32, []))], feed={'skip': 2})]


CASES.append(('SobolSample/constant', constant_sizes, 'exact'))

# ---- logarithms of matrices
for t in (tf.complex64, tf.complex128):
    n = t.name

    def positive(size, *batch):
        x = random.normal(size=(*batch, size, size)) + 1j * random.normal(size=(*batch, size, size))
        return x @ np.conj(np.swapaxes(x, -1, -2)) + np.eye(size)

    for size in (1, 2, 3, 5, 8):
        add('MatrixLogarithm', f'{n}_positive_{size}', input=(t, positive(size)))
        x = random.normal(size=(size, size)) + 1j * random.normal(size=(size, size))
        if size < 8 or t == tf.complex128:  # TensorFlow computes complex64 in float
            add('MatrixLogarithm', f'{n}_any_{size}', input=(t, x))
    add('MatrixLogarithm', f'{n}_batch', input=(t, positive(3, 2, 2)))
    special = {
        'negative': [[-1]],
        'imaginary': [[2j]],
        'zero': [[0]],
        'zeros': [[0, 0], [0, 0]],
        'singular': [[0, 0], [0, 1]],
        'nilpotent': [[0, 1], [0, 0]],
        'jordan': [[2, 1, 0], [0, 2, 1], [0, 0, 2]],
        'shear': [[1, 1], [0, 1]],
        'negative_shear': [[-1, 1], [0, -1]],
        'negative_symmetric': [[-2, 0.25], [0.25, -1]],
        'turn': [[0, -1], [1, 0]],
        'mixed': [[-1, 0], [0, 2]],
        'identity': np.eye(3),
        'large': [[1e-30, 0], [0, 1e30]],
        'far': [[1, 1e6], [0, 2]],
        'nan': [[np.nan, 0], [0, 1]],
        'infinite': [[np.inf, 0], [0, 1]],
        'no_rows': np.zeros((0, 0)),
        'no_batch': np.zeros((0, 2, 2)),
        'wide': [[1, 2, 3], [4, 5, 6]],
        'vector': [1, 2],
        'permutation': [[0, 1, 0], [0, 0, 1], [1, 0, 0]],
    }
    for name, x in special.items():
        add('MatrixLogarithm', f'{n}_{name}', input=(t, x))

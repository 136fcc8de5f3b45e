# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/more_cases.pb: ops that other files have too few cases
of: sets, sums and crosses of sparse tensors, segments, random numbers, sequence examples, text, FFT, images."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(5)
R = tf.raw_ops
i8, i16, i32, i64, u8, u64, f16, bf16, f32, f64, st = (
    tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint64, tf.half, tf.bfloat16, tf.float32, tf.float64, tf.string,
)  # fmt: skip


def rows(indices, rank=2):
    indices = np.asarray(indices, np.int64)
    return indices if indices.size else indices.reshape(0, rank)


def more(name, compare='close'):
    def decorate(build):
        CASES.append((name, build, compare))
        return build

    return decorate


# ---- sets
first = [[1, 2, 3, 2], [4, 9, 4, 1]]
second = [[2, 3, 7], [9, 9, 5]]
sparse1 = dict(
    set1_indices=(i64, [[0, 0], [0, 2], [1, 1], [1, 3]]), set1_values=(i64, [1, 2, 4, 9]), set1_shape=(i64, [2, 4])
)
sparse2 = dict(set2_indices=(i64, [[0, 1], [0, 2], [1, 0]]), set2_values=(i64, [2, 8, 9]), set2_shape=(i64, [2, 3]))
for operation in ('a-b', 'b-a', 'intersection', 'union'):
    add('DenseToDenseSetOperation', operation, 'exact', set1=(i64, first), set2=(i64, second), set_operation=operation)
    add('DenseToSparseSetOperation', operation, 'exact', set1=(i64, first), set_operation=operation, **sparse2)
    add('SparseToSparseSetOperation', operation, 'exact', set_operation=operation, **sparse1, **sparse2)
add(
    'DenseToDenseSetOperation',
    'text',
    'exact',
    known=False,
    set1=(st, [['a', 'b']]),
    set2=(st, [['b', 'c', 'b']]),
    set_operation='union',
)
add(
    'DenseToDenseSetOperation',
    'bytes',
    'exact',
    known=False,
    set1=(u8, [[250, 3]]),
    set2=(u8, [[3, 9]]),
    set_operation='union',
)
add(
    'DenseToDenseSetOperation',
    'negative',
    'exact',
    known=False,
    set1=(i8, [[-5, 3]]),
    set2=(i8, [[3, -9]]),
    set_operation='union',
)
add(
    'DenseToDenseSetOperation',
    'rank_3',
    'exact',
    set1=(i32, [[[1, 2]], [[3, 3]]]),
    set2=(i32, [[[2]], [[4]]]),
    set_operation='a-b',
)
add(
    'DenseToDenseSetOperation', 'other_batch', 'exact', set1=(i32, [[1], [2]]), set2=(i32, [[1]]), set_operation='union'
)
add(
    'DenseToDenseSetOperation',
    'other_rank',
    'exact',
    set1=(i32, [[1], [2]]),
    set2=(i32, [[[1]]]),
    set_operation='union',
)
add('DenseToDenseSetOperation', 'vectors', 'exact', set1=(i32, [1]), set2=(i32, [1]), set_operation='union')
add(
    'DenseToDenseSetOperation',
    'no_columns',
    'exact',
    set1=(i32, np.zeros([2, 0])),
    set2=(i32, np.zeros([2, 0])),
    set_operation='union',
)
add(
    'DenseToDenseSetOperation',
    'no_rows',
    'exact',
    set1=(i32, np.zeros([0, 2])),
    set2=(i32, np.zeros([0, 3])),
    set_operation='union',
)
add('DenseToDenseSetOperation', 'unknown_operation', 'exact', set1=(i32, [[1]]), set2=(i32, [[1]]), set_operation='xor')
odd_sets = {
    'out_of_order': dict(i=[[1, 0], [0, 0]], v=[1, 2], s=[2, 2]),
    'beyond': dict(i=[[0, 0], [2, 0]], v=[1, 2], s=[2, 2]),
    'beyond_columns': dict(i=[[0, 0], [1, 2]], v=[1, 2], s=[2, 2]),
    'negative': dict(i=[[-1, 0], [1, 0]], v=[1, 2], s=[2, 2]),
    'twice': dict(i=[[1, 0], [1, 0]], v=[1, 2], s=[2, 2]),
    'fewer_values': dict(i=[[0, 0], [1, 0]], v=[1], s=[2, 2]),
    'other_rank': dict(i=[[0, 0], [1, 0]], v=[1, 2], s=[2, 2, 2]),
    'vector': dict(i=[[0], [1]], v=[1, 2], s=[2]),
    'none': dict(i=rows([]), v=[], s=[2, 2]),
    'no_batch': dict(i=rows([]), v=[], s=[0, 2]),
    'rank_3': dict(i=[[0, 0, 0], [0, 0, 1], [1, 0, 1]], v=[4, 4, 5], s=[2, 1, 2]),
}
for name, o in odd_sets.items():
    for validate in (True, False):
        label = name + ('' if validate else '_unchecked')
        if validate or name in ('out_of_order', 'twice', 'none', 'rank_3'):
            add('SetSize', label, 'exact', set_indices=(i64, o['i']), set_values=(i32, o['v']), set_shape=(i64, o['s']),
                validate_indices=validate)  # fmt: skip
            add('SparseToSparseSetOperation', label, 'exact', known=False, set1_indices=(i64, o['i']), set1_values=(i32, o['v']),
                set1_shape=(i64, o['s']), set2_indices=(i64, [[0, 0], [1, 1]]), set2_values=(i32, [1, 2]), set2_shape=(i64, [2, 2]),
                set_operation='union', validate_indices=validate)  # fmt: skip
            add('DenseToSparseSetOperation', label, 'exact', known=False, set1=(i32, [[1, 2], [2, 3]]), set2_indices=(i64, o['i']),
                set2_values=(i32, o['v']), set2_shape=(i64, o['s']), set_operation='b-a', validate_indices=validate)  # fmt: skip
for t, v in ((st, ['a', 'b', 'a']), (i8, [1, 2, 1]), (u8, [1, 2, 1]), (tf.uint16, [1, 2, 1]), (i64, [1, 2, 1])):
    add(
        'SetSize',
        t.name,
        'exact',
        known=False,
        set_indices=(i64, [[0, 0], [0, 1], [0, 2]]),
        set_values=(t, v),
        set_shape=(i64, [2, 3]),
    )

# ---- sums of sparse tensors
places = [[0, 0, 1], [0, 2, 0], [2, 1, 1], [2, 1, 2], [3, 0, 0]]
for op in ('SparseReduceMax', 'SparseReduceMaxSparse', 'SparseReduceSumSparse', 'SparseReduceSum'):

    def tensor(t=f32, v=(1, -2, 3, 4, -5), i=places, s=(4, 3, 3)):
        return dict(input_indices=(i64, rows(i, len(s))), input_values=(t, v), input_shape=(i64, s))

    for t in (f32, f64, f16, bf16, i8, i16, i32, i64, u8) + (() if 'Max' in op else (tf.complex64, tf.complex128)):
        v = [1, 2, 3, 4, 5] if t == u8 else [1, -2, 3, 4, -5]
        add(op, t.name, known=False, reduction_axes=(i32, [1]), **tensor(t, v))
    for keep in (False, True):
        k = '_kept' if keep else ''
        for axes in ([0], [2], [0, 2], [-1], [1, 1], [], [0, 1, 2], 1):
            label = (
                'axes_'
                + '_'.join(str(a).replace('-', 'm') for a in np.atleast_1d(axes))
                + k
                + ('' if np.ndim(axes) else '_scalar')
            )
            add(op, label, known=keep, reduction_axes=(i32, axes), keep_dims=keep, **tensor())
    add(op, 'no_elements', reduction_axes=(i32, [0]), **tensor(v=[], i=[]))
    add(op, 'axis_beyond', reduction_axes=(i32, [3]), **tensor())
    add(op, 'axis_below', reduction_axes=(i32, [-4]), **tensor())
    add(op, 'axes_matrix', reduction_axes=(i32, [[1]]), **tensor())
    add(op, 'nan', reduction_axes=(i32, [1]), **tensor(v=[1, np.nan, np.nan, 4, -5]))
    groups = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2], [2, 0], [2, 1], [2, 2]]
    add(
        op,
        'nan_in_groups',
        reduction_axes=(i32, [1]),
        **tensor(f32, [np.nan, 1, 1, np.nan, 2, 1, 2, np.nan], groups, [3, 3]),
    )
    add(op, 'place_beyond', reduction_axes=(i32, [1]), known=False, **tensor(i=places[:4] + [[4, 0, 0]]))
    add(op, 'fewer_values', reduction_axes=(i32, [1]), **tensor(v=[1, 2]))
    add(op, 'out_of_order', reduction_axes=(i32, [0]), known=False, **tensor(i=places[::-1]))

# ---- gradients of sparse tensors
for t in (f32, f64, tf.complex64, i32, f16):
    add('SparseAddGrad', t.name, 'exact', known=t == f32, backprop_val_grad=(t, [1, 2, 3]), a_indices=(i64, [[0, 0], [1, 1]]),
        b_indices=(i64, [[0, 0], [0, 2]]), sum_indices=(i64, [[0, 0], [0, 2], [1, 1]]))  # fmt: skip
    add('SparseSliceGrad', t.name, 'exact', known=t == f32, backprop_val_grad=(t, [5, 6]), input_indices=(i64, [[0, 0], [1, 1], [1, 2], [2, 0]]),
        input_start=(i64, [1, 1]), output_indices=(i64, [[0, 0], [0, 1]]))  # fmt: skip
    add(
        'SparseFillEmptyRowsGrad',
        t.name,
        'exact',
        known=t == f32,
        reverse_index_map=(i64, [2, 0]),
        grad_values=(t, [1, 2, 3, 4]),
    )
add(
    'SparseAddGrad',
    'thin',
    'exact',
    backprop_val_grad=(f32, [1]),
    a_indices=(i64, rows([])),
    b_indices=(i64, [[0, 0]]),
    sum_indices=(i64, [[0, 0]]),
)
add(
    'SparseAddGrad',
    'fewer_gradients',
    'exact',
    backprop_val_grad=(f32, [1]),
    a_indices=(i64, [[0, 0]]),
    b_indices=(i64, [[1, 0]]),
    sum_indices=(i64, [[0, 0], [1, 0]]),
)
add(
    'SparseAddGrad',
    'other_rank',
    'exact',
    backprop_val_grad=(f32, [1]),
    a_indices=(i64, [[0]]),
    b_indices=(i64, [[1, 0]]),
    sum_indices=(i64, [[0, 0]]),
)
add(
    'SparseAddGrad',
    'vector',
    'exact',
    backprop_val_grad=(f32, [1]),
    a_indices=(i64, [0]),
    b_indices=(i64, [[1, 0]]),
    sum_indices=(i64, [[0, 0]]),
)
add(
    'SparseSliceGrad',
    'none',
    'exact',
    backprop_val_grad=(f32, []),
    input_indices=(i64, [[0, 0]]),
    input_start=(i64, [1, 1]),
    output_indices=(i64, rows([])),
)
add(
    'SparseSliceGrad',
    'more_outputs',
    'exact',
    backprop_val_grad=(f32, [5]),
    input_indices=(i64, [[0, 0]]),
    input_start=(i64, [1, 1]),
    output_indices=(i64, [[0, 0], [1, 1]]),
)
add(
    'SparseSliceGrad',
    'long_start',
    'exact',
    backprop_val_grad=(f32, [5]),
    input_indices=(i64, [[0, 0]]),
    input_start=(i64, [1, 1, 1]),
    output_indices=(i64, [[0, 0]]),
)
add(
    'SparseSliceGrad',
    'elsewhere',
    'exact',
    known=False,
    backprop_val_grad=(f32, [5]),
    input_indices=(i64, [[0, 0]]),
    input_start=(i64, [1, 1]),
    output_indices=(i64, [[0, 0]]),
)
add(
    'SparseFillEmptyRowsGrad',
    'beyond',
    'exact',
    known=False,
    reverse_index_map=(i64, [2, 4]),
    grad_values=(f32, [1, 2, 3, 4]),
)
add(
    'SparseFillEmptyRowsGrad',
    'negative',
    'exact',
    known=False,
    reverse_index_map=(i64, [-1]),
    grad_values=(f32, [1, 2, 3, 4]),
)
add(
    'SparseFillEmptyRowsGrad',
    'twice',
    'exact',
    known=False,
    reverse_index_map=(i64, [1, 1]),
    grad_values=(f32, [1, 2, 3, 4]),
)
add('SparseFillEmptyRowsGrad', 'matrix', 'exact', reverse_index_map=(i64, [[1, 1]]), grad_values=(f32, [1, 2, 3, 4]))
add('SparseFillEmptyRowsGrad', 'none', 'exact', reverse_index_map=(i64, []), grad_values=(f32, [1, 2]))

# ---- crosses
crossed = dict(
    indices=[(i64, [[0, 0], [0, 1], [1, 0]]), (i64, [[0, 0], [1, 0], [1, 1]])],
    values=[(st, ['a', 'b', 'c']), (i64, [5, 6, 7])],
    shapes=[(i64, [2, 2]), (i64, [2, 2])],
    dense_inputs=[(st, [['x'], ['y']]), (i64, [[8, 9], [10, 11]])],
)


def only(**changes):
    return {**{k: list(v) for k, v in crossed.items()}, **changes}


for sep in ('_X_', '', 'é'):
    add('SparseCrossV2', 'sep_%d' % len(sep), 'exact', known=sep == '', sep=(st, sep), **crossed)
for strong in (False, True):
    for buckets in (0, 100, 1):
        add('SparseCrossHashed', f'{"strong" if strong else "weak"}_{buckets}', 'exact', known=buckets == 100, num_buckets=(i64, buckets),
            strong_hash=(tf.bool, strong), salt=(i64, [7, 8]), **crossed)  # fmt: skip
for op, rest in (('SparseCrossV2', dict(sep=(st, '_'))),
                 ('SparseCrossHashed', dict(num_buckets=(i64, 10), strong_hash=(tf.bool, False), salt=(i64, [1, 2])))):  # fmt: skip
    add(op, 'rows_differ', 'exact', **only(dense_inputs=[(st, [['x']]), (i64, [[8, 9], [10, 11]])]), **rest)
    add(op, 'shapes_differ', 'exact', **only(shapes=[(i64, [2, 2]), (i64, [3, 2])]), **rest)
    add(op, 'fewer_values', 'exact', **only(values=[(st, ['a', 'b']), (i64, [5, 6, 7])]), **rest)
    add(
        op,
        'place_beyond',
        'exact',
        known=False,
        **only(indices=[(i64, [[0, 0], [0, 1], [2, 0]]), crossed['indices'][1]]),
        **rest,
    )
    add(op, 'rank_3', 'exact', **only(shapes=[(i64, [2, 2, 1]), (i64, [2, 2])]), **rest)
    add(
        op,
        'empty_row',
        'exact',
        known=False,
        **only(indices=[(i64, [[0, 0], [0, 1], [0, 2]]), crossed['indices'][1]], shapes=[(i64, [2, 3]), (i64, [2, 2])]),
        **rest,
    )
    add(op, 'dense_vector', 'exact', **only(dense_inputs=[(st, ['x', 'y']), (i64, [[8, 9], [10, 11]])]), **rest)
add('SparseCrossV2', 'sep_vector', 'exact', sep=(st, ['_']), **crossed)
add(
    'SparseCrossHashed',
    'short_salt',
    'exact',
    num_buckets=(i64, 10),
    strong_hash=(tf.bool, True),
    salt=(i64, [1]),
    **crossed,
)
add(
    'SparseCrossHashed',
    'negative_buckets',
    'exact',
    num_buckets=(i64, -1),
    strong_hash=(tf.bool, True),
    salt=(i64, [1, 2]),
    **crossed,
)

# ---- segments
data = random.normal(size=[5, 3]).round(2)
for op in ('SegmentMaxV2', 'SegmentMinV2', 'SegmentProdV2', 'SegmentSumV2'):
    for t in (f32, f64, f16, bf16, i8, i32, i64, u8, tf.uint32):
        v = np.abs(data * 10).round() if t.is_integer else data
        add(op, t.name, known=t == f32, data=(t, v), segment_ids=(i32, [0, 0, 2, 2, 4]), num_segments=(i32, 5))
    for name, ids, n in (('one', [0] * 5, 1), ('more_segments', [0, 1, 1, 2, 2], 6), ('fewer_segments', [0, 1, 1, 2, 3], 2),
                         ('dropped', [-1, -1, 0, 1, 1], 2), ('out_of_order', [1, 0, 1, 2, 2], 3), ('no_segments', [0] * 5, 0),
                         ('negative_count', [0] * 5, -1), ('fewer_ids', [0, 1], 2)):  # fmt: skip
        add(op, name, data=(f32, data), segment_ids=(i64, ids), num_segments=(i64, n))
    add(op, 'no_rows', data=(f32, np.zeros([0, 3])), segment_ids=(i32, []), num_segments=(i32, 2))
    add(op, 'ids_matrix', data=(f32, data), segment_ids=(i32, [[0, 0, 1, 1, 1]]), num_segments=(i32, 2))
    add(op, 'count_vector', data=(f32, data), segment_ids=(i32, [0, 0, 1, 1, 1]), num_segments=(i32, [2]))
for op in ('SparseSegmentMeanGrad', 'SparseSegmentSqrtNGrad', 'SparseSegmentSumGrad'):
    for t in (f32, f64, f16, bf16):
        add(
            op,
            t.name,
            known=t == f32,
            grad=(t, data[:3]),
            indices=(i32, [0, 3, 3, 1]),
            segment_ids=(i32, [0, 0, 1, 2]),
            output_dim0=(i32, 5),
        )
    for name, indices, ids, n in (('long', [0, 3, 3, 1], [0, 0, 1, 2], 4), ('beyond', [0, 5], [0, 1], 5), ('negative', [0, -1], [0, 1], 5),
                                  ('segment_beyond', [0, 1], [0, 3], 5), ('segment_negative', [0, 1], [-1, 0], 5), ('none', [], [], 3), ('no_rows', [], [], 0),
                                  ('negative_size', [0], [0], -1), ('fewer_ids', [0, 1], [0], 5), ('gap', [0, 1], [0, 2], 5),
                                  ('out_of_order', [0, 1], [1, 0], 5)):  # fmt: skip
        add(
            op,
            name,
            known=name in ('long', 'fewer_ids'),
            grad=(f32, data[:3]),
            indices=(i64, indices),
            segment_ids=(i64, ids),
            output_dim0=(i32, n),
        )
for op in ('SparseSegmentSqrtNWithNumSegments', 'SparseSegmentMeanWithNumSegments', 'SparseSegmentSumWithNumSegments'):
    for t in (f32, f64, f16, bf16):
        add(
            op,
            t.name,
            known=t == f32,
            data=(t, data),
            indices=(i32, [0, 3, 3, 1]),
            segment_ids=(i32, [0, 0, 1, 3]),
            num_segments=(i32, 5),
        )
    for name, indices, ids, n in (('beyond', [0, 5], [0, 1], 5), ('negative', [0, -1], [0, 1], 5), ('fewer_segments', [0, 1], [0, 3], 2),
                                  ('none', [], [], 3), ('no_segments', [], [], 0), ('negative_count', [0], [0], -1), ('fewer_ids', [0, 1], [0], 5),
                                  ('out_of_order', [0, 1], [1, 0], 5), ('negative_id', [0, 1], [-1, 0], 5)):  # fmt: skip
        add(
            op,
            name,
            known=name == 'fewer_ids',
            data=(f32, data),
            indices=(i64, indices),
            segment_ids=(i64, ids),
            num_segments=(i64, n),
        )

# ---- numbers
for t in (i32, i64, f32, f64):
    add(
        'Bucketize',
        t.name,
        'exact',
        known=t == f32,
        input=(t, [[-5, 10000], [150, 10], [5, 100]]),
        boundaries=[0, 10, 100],
    )
add('Bucketize', 'no_boundaries', 'exact', input=(f32, [1, 2]), boundaries=[])
add('Bucketize', 'not_sorted', 'exact', known=False, input=(f32, [1, 2]), boundaries=[3, 1])
add('Bucketize', 'odd', 'exact', input=(f32, [np.nan, np.inf, -np.inf, 1]), boundaries=[0, 1])
add('Bucketize', 'none', 'exact', input=(f32, np.zeros([0, 2])), boundaries=[0, 1])
for t in (f32, f64, tf.complex64, tf.complex128):
    m = random.normal(size=[2, 3, 3]).round(1)
    add('MatrixExponential', t.name, known=False, producer=26, input=(t, m))
add('MatrixExponential', 'not_square', producer=26, input=(f32, [[1, 2, 3]]))
add('MatrixExponential', 'vector', producer=26, input=(f32, [1, 2, 3]))
add('MatrixExponential', 'none', producer=26, input=(f32, np.zeros([0, 0])))
signal = random.normal(size=[2, 3, 4, 6]).round(2)
for length in ([3, 4, 6], [4, 5, 7], [2, 2, 3], [1, 1, 1], [3, 4, 0], [-1, 4, 6], [3, 4]):
    label = '_'.join(map(str, length)).replace('-', 'm')
    add('RFFT3D', label, input=(f32, signal), fft_length=(i32, length))
    add('IRFFT3D', label, known=False, input=(tf.complex64, signal[..., :4] * (1 + 0.5j)), fft_length=(i32, length))
for t, c in ((f64, tf.complex128),):
    add('RFFT3D', 'double', input=(t, signal), fft_length=(i32, [3, 4, 6]), Tcomplex=c)
    add('IRFFT3D', 'double', input=(c, signal[..., :4] * (1 - 1j)), fft_length=(i32, [3, 4, 6]), Treal=t)
add('RFFT3D', 'matrix', input=(f32, [[1, 2]]), fft_length=(i32, [1, 1, 2]))
add('IRFFT3D', 'matrix', input=(tf.complex64, [[1, 2]]), fft_length=(i32, [1, 1, 2]))
for narrow in (False, True):
    for bits in (2, 8, 16):
        add('FakeQuantWithMinMaxArgsGradient', f'{bits}{"_narrow" if narrow else ""}', known=bits == 8, gradients=(f32, [[1, 2, 3], [4, 5, 6]]),
            inputs=(f32, [[-7, -6, 0], [5, 6.5, np.nan]]), min=-6.2, max=6.1, num_bits=bits, narrow_range=narrow)  # fmt: skip
add('FakeQuantWithMinMaxArgsGradient', 'shapes_differ', gradients=(f32, [1, 2, 3]), inputs=(f32, [1, 2]))
for axis in (-1, 0, 1):
    limits = dict(input_min=(f32, -1 if axis < 0 else [-1, -2]), input_max=(f32, 2 if axis < 0 else [0.5, 2]))
    add(
        'QuantizeAndDequantizeV4Grad',
        f'axis_{axis}'.replace('-', 'm'),
        gradients=(f32, [[1, 2], [3, 4]]),
        input=(f32, [[-1.5, 0], [2, 9]]),
        axis=axis,
        **limits,
    )
add(
    'QuantizeAndDequantizeV4Grad',
    'double',
    known=False,
    gradients=(f64, [1, 2]),
    input=(f64, [-1.5, np.nan]),
    input_min=(f64, -1),
    input_max=(f64, 1),
)
add(
    'QuantizeAndDequantizeV4Grad',
    'axis_beyond',
    gradients=(f32, [1, 2]),
    input=(f32, [1, 2]),
    input_min=(f32, [1, 2]),
    input_max=(f32, [1, 2]),
    axis=1,
)
add(
    'QuantizeAndDequantizeV4Grad',
    'limits_short',
    gradients=(f32, [1, 2]),
    input=(f32, [1, 2]),
    input_min=(f32, [1]),
    input_max=(f32, [1, 2]),
    axis=0,
)
add(
    'QuantizeAndDequantizeV4Grad',
    'shapes_differ',
    gradients=(f32, [1, 2, 3]),
    input=(f32, [1, 2]),
    input_min=(f32, 1),
    input_max=(f32, 2),
)
# ---- images
image = random.uniform(0, 255, [1, 5, 6, 2]).round()
for align, half in ((False, False), (True, False), (False, True), (True, True)):
    for t in (f32, f64):
        label = f'{t.name}{"_align" if align else ""}{"_half" if half else ""}'
        add(
            'ResizeBicubicGrad',
            label,
            known=t == f32,
            grads=(f32, random.normal(size=[1, 3, 4, 2])),
            original_image=(t, image),
            align_corners=align,
            half_pixel_centers=half,
        )
add('ResizeBicubicGrad', 'larger', grads=(f32, random.normal(size=[1, 9, 8, 2])), original_image=(f32, image))
add('ResizeBicubicGrad', 'rank_3', grads=(f32, random.normal(size=[9, 8, 2])), original_image=(f32, image))
add('ResizeBicubicGrad', 'no_pixels', grads=(f32, random.normal(size=[1, 0, 8, 2])), original_image=(f32, image))
filter = random.normal(size=[2, 2, 2]).round(1)
for op in ('Dilation2DBackpropInput', 'Dilation2DBackpropFilter'):
    for t in (f32, f64, f16, i32):
        v = image if t != f16 else image / 16
        add(op, t.name, known=t == f32, input=(t, v), filter=(t, filter if t != i32 else filter * 10), out_backprop=(t, random.normal(size=[1, 4, 5, 2]) * 4),
            strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding='VALID')  # fmt: skip
    add(
        op,
        'same',
        input=(f32, image),
        filter=(f32, filter),
        out_backprop=(f32, random.normal(size=[1, 3, 3, 2])),
        strides=[1, 2, 2, 1],
        rates=[1, 1, 1, 1],
        padding='SAME',
    )
    add(
        op,
        'rates',
        input=(f32, image),
        filter=(f32, filter),
        out_backprop=(f32, random.normal(size=[1, 3, 3, 2])),
        strides=[1, 1, 1, 1],
        rates=[1, 2, 3, 1],
        padding='VALID',
    )
    add(
        op,
        'ties',
        input=(f32, np.ones([1, 4, 4, 1])),
        filter=(f32, np.zeros([2, 2, 1])),
        out_backprop=(f32, np.ones([1, 3, 3, 1])),
        strides=[1, 1, 1, 1],
        rates=[1, 1, 1, 1],
        padding='VALID',
    )
    add(
        op,
        'other_size',
        input=(f32, image),
        filter=(f32, filter),
        out_backprop=(f32, random.normal(size=[1, 3, 3, 2])),
        strides=[1, 1, 1, 1],
        rates=[1, 1, 1, 1],
        padding='VALID',
    )
    add(
        op,
        'other_depth',
        input=(f32, image),
        filter=(f32, random.normal(size=[2, 2, 3])),
        out_backprop=(f32, random.normal(size=[1, 4, 5, 2])),
        strides=[1, 1, 1, 1],
        rates=[1, 1, 1, 1],
        padding='VALID',
    )

# ---- random numbers
for seed in ([1, 2], [0, 0], [-5, 1 << 40]):
    label = '_'.join(map(str, seed)).replace('-', 'm')
    for t in (f32, f64, f16):
        add(
            'StatelessRandomGammaV2',
            f'{t.name}_{label}',
            known=t == f32,
            shape=(i32, [3, 4]),
            seed=(i64, seed),
            alpha=(t, [0.25, 1, 2.5, 100]),
        )
    add(
        'StatelessRandomPoisson',
        'shape_' + label,
        'exact',
        shape=(i32, [3, 4]),
        seed=(i64, seed),
        lam=(f32, [0.5, 3, 12, 1000]),
        dtype=f32,
    )
    add('StatelessRandomGetKeyCounterAlg', label, 'exact', seed=(i64, seed))
for r, t in ((f64, f64), (i32, i64), (f32, i32), (f16, f32)):
    add(
        'StatelessRandomPoisson',
        f'{r.name}_{t.name}',
        'exact',
        known=False,
        shape=(i64, [5]),
        seed=(i32, [3, 4]),
        lam=(r, 7),
        dtype=t,
    )
add('StatelessRandomPoisson', 'negative', 'exact', shape=(i32, [2]), seed=(i32, [3, 4]), lam=(f32, -1), dtype=f32)
add(
    'StatelessRandomPoisson',
    'other_shape',
    'exact',
    shape=(i32, [2]),
    seed=(i32, [3, 4]),
    lam=(f32, [1, 2, 3]),
    dtype=f32,
)
add('StatelessRandomPoisson', 'short_seed', 'exact', shape=(i32, [2]), seed=(i32, [3]), lam=(f32, 1), dtype=f32)
add('StatelessRandomPoisson', 'none', 'exact', shape=(i32, [0, 2]), seed=(i32, [3, 4]), lam=(f32, [1, 2]), dtype=f32)
add('StatelessRandomGammaV2', 'negative', shape=(i32, [2]), seed=(i32, [3, 4]), alpha=(f32, -1))
add('StatelessRandomGammaV2', 'zero', shape=(i32, [2]), seed=(i32, [3, 4]), alpha=(f32, 0))
add('StatelessRandomGammaV2', 'other_shape', shape=(i32, [2]), seed=(i32, [3, 4]), alpha=(f32, [1, 2, 3]))
add('StatelessRandomGammaV2', 'short_seed', shape=(i32, [2]), seed=(i32, [3]), alpha=(f32, 1))
add('StatelessRandomGammaV2', 'none', shape=(i32, [0, 2]), seed=(i32, [3, 4]), alpha=(f32, [1, 2]))
add('StatelessRandomGetKeyCounterAlg', 'int', 'exact', seed=(i32, [7, -8]))
add('StatelessRandomGetKeyCounterAlg', 'short', 'exact', seed=(i32, [7]))
for alg in (1, 2, 3, 0, 9):
    counter = (u64, [1, 2]) if alg in (1, 3) else (u64, [1])
    for t in (f32, f64):
        add(
            'StatelessRandomGammaV3',
            f'{t.name}_{alg}',
            known=False,
            shape=(i32, [3, 2]),
            key=(u64, [5]),
            counter=(u64, [1, 2]),
            alg=(i32, alg),
            alpha=(t, [0.5, 3]),
        )
    for t in (f32, st, i8):
        v = ['a', 'b', 'c', 'd', 'e'] if t == st else [1, 2, 3, 4, 5]
        add(
            'StatelessShuffle',
            f'{t.name}_{alg}',
            'exact',
            known=t == f32,
            value=(t, v),
            key=(u64, [5]),
            counter=(u64, [1, 2]),
            alg=(i32, alg),
        )
add(
    'StatelessShuffle',
    'matrix',
    'exact',
    value=(i32, np.arange(24).reshape(8, 3)),
    key=(u64, [5]),
    counter=(u64, [1, 2]),
    alg=(i32, 1),
)
add('StatelessShuffle', 'scalar', 'exact', value=(i32, 3), key=(u64, [5]), counter=(u64, [1, 2]), alg=(i32, 1))
add(
    'StatelessShuffle',
    'none',
    'exact',
    value=(i32, np.zeros([0, 3])),
    key=(u64, [5]),
    counter=(u64, [1, 2]),
    alg=(i32, 1),
)
add(
    'StatelessShuffle', 'long_key', 'exact', value=(i32, [1, 2]), key=(u64, [5, 6]), counter=(u64, [1, 2]), alg=(i32, 1)
)
add(
    'StatelessRandomGammaV3',
    'long_key',
    shape=(i32, [2]),
    key=(u64, [5, 6]),
    counter=(u64, [1, 2]),
    alg=(i32, 1),
    alpha=(f32, 1),
)


def generator(steps):
    def build(b):
        h = R.VarHandleOp(dtype=i64, shape=[3], shared_name='g')
        start = R.AssignVariableOp(resource=h, value=tf.constant([1, 2, 3], i64))
        return [dict(target=[start])] + steps(b, h) + [dict(fetch=[R.ReadVariableOp(resource=h, dtype=i64)])]

    return build


for t, low, high in ((i32, -5, 100), (i64, -(1 << 40), 1 << 41)):

    def steps(b, h, t=t, low=low, high=high):
        x = R.StatefulUniformInt(
            resource=h,
            algorithm=tf.constant(1, i64),
            shape=tf.constant([5]),
            minval=tf.constant(low, t),
            maxval=tf.constant(high, t),
        )
        return [dict(fetch=[x])] * 2

    CASES.append((f'StatefulUniformInt/{t.name}', generator(steps), 'exact'))
for name, alg, low, high in (('no_range', 1, 3, 3), ('unknown_algorithm', 9, 0, 5)):

    def steps(b, h, alg=alg, low=low, high=high):
        x = R.StatefulUniformInt(
            resource=h,
            algorithm=tf.constant(alg, i64),
            shape=tf.constant([5]),
            minval=tf.constant(low),
            maxval=tf.constant(high),
        )
        return [dict(fetch=[x])]

    CASES.append((f'StatefulUniformInt/{name}', generator(steps), 'exact'))
for name, alg, delta in (
    ('philox', 1, 5),
    ('much', 1, 1 << 62),
    ('negative', 1, -3),
    ('unknown_algorithm', 9, 1),
    ('vector', 1, [1, 2]),
):

    def steps(b, h, alg=alg, delta=delta):
        return [dict(target=[R.RngSkip(resource=h, algorithm=tf.constant(alg, i64), delta=tf.constant(delta, i64))])]

    CASES.append((f'RngSkip/{name}', generator(steps), 'exact'))


for i, of in enumerate(('fill', 'none', 'twice')):

    @more(f'StatelessRandomGetAlg/{of}', 'exact')
    def _(b, i=i):
        alg = R.StatelessRandomGetAlg()
        shape = [[4], [0], [2, 2]][i]
        x = R.StatelessRandomUniformV2(
            shape=tf.constant(shape), key=tf.constant([i + 1], u64), counter=tf.constant([0, i], u64), alg=alg
        )
        return [dict(fetch=[alg, x])] * (1 + i // 2)


# ---- text
for encoding in ('UTF-8', 'UTF-16-BE', 'UTF-32-BE', 'latin-1', 'nowhere'):
    for errors in ('replace', 'strict', 'ignore'):
        text = ['aé€😀', '', 'x\ny'] if encoding == 'UTF-8' else [b'\x00a\x00b', b'\xd8\x00', b'']
        add(
            'UnicodeDecodeWithOffsets',
            f'{encoding}_{errors}',
            'exact',
            known=errors == 'strict',
            input=(st, text),
            input_encoding=encoding,
            errors=errors,
        )
for errors in ('replace', 'strict', 'ignore'):
    add(
        'UnicodeDecodeWithOffsets',
        'broken_' + errors,
        'exact',
        known=False,
        input=(st, [b'a\xc3', b'\xff\xfeb', b'\xe2\x82c']),
        input_encoding='UTF-8',
        errors=errors,
    )
for control in (False, True):
    add(
        'UnicodeDecodeWithOffsets',
        f'control_{control}',
        'exact',
        known=False,
        input=(st, ['a\tb\x01', '']),
        input_encoding='UTF-8',
        replace_control_characters=control,
        replacement_char=63,
    )
add('UnicodeDecodeWithOffsets', 'matrix', 'exact', input=(st, [['a', 'b']]), input_encoding='UTF-8')
add('UnicodeDecodeWithOffsets', 'no_text', 'exact', input=(st, []), input_encoding='UTF-8')

# ---- what cases with changed inputs found
for shape, indices in (([4], [[0], [1]]), ([2, 4], [[0, 0], [1, 0]])):
    for size in (4, [4]):
        name = f'negative_{len(shape)}_{np.ndim(size)}'
        add('SparseBincount', name, 'exact', known=False, indices=(i64, indices), values=(i64, [3, -1]), dense_shape=(i64, shape),
            size=(i64, size), weights=(f32, [1, 2]))  # fmt: skip
add('RaggedBincount', 'size_vector', 'exact', known=False, splits=(i64, [0, 1]), values=(i64, [1]), size=(i64, [3]), weights=(f32, []))
for most in (-1, -99):
    add('RandomIndexShuffle', f'below_{-most}', 'exact', known=False, index=(i32, 0), seed=(tf.uint32, [1, 2, 3]), max_index=(i32, most))
for by in (-(1 << 63), 1 << 32, (1 << 31) + 2):
    add('Roll', f'by_{by}'.replace('-', 'm'), 'exact', known=False, input=(i32, [1, 2, 3, 4, 5]), shift=(i64, by), axis=(i32, 0))
for name, low, high in (('vector', -1, [1]), ('vectors', [-1, 2], [1, 3]), ('empty', [], 1)):
    add('RequantizationRange', name, known=False, input=(tf.qint32, [100, 200]), input_min=(f32, low), input_max=(f32, high))
add('QuantizeAndDequantizeV4Grad', 'one_limit', known=False, gradients=(f32, [1, 2]), input=(f32, [1, 2]), input_min=(f32, 0), input_max=(f32, [1]))
add('Zeta', 'huge', x=(f64, [1e30, 1e30, 300, 1e30]), q=(f64, [3.5, 0.5, 2, 1]))
add('ApproxTopK', 'unknown_rank', known=False, input=(f32, [3, 1, 2]), k=1)
add('DenseToCSRSparseMatrix', 'unknown_rank', known=False, dense_input=(f32, [[1, 0]]), indices=(i64, [[0, 0]]))
add('SparseTensorToCSRSparseMatrix', 'unknown_rank', known=False, indices=(i64, [[0, 0]]), values=(f32, [1]), dense_shape=(i64, [1, 2]))
for seed in (5, [5], [[1, 2]]):
    add('StatelessSampleDistortedBoundingBox', f'seed_of_rank_{np.ndim(seed)}', image_size=(i32, [9, 9, 3]), bounding_boxes=(f32, [[[0, 0, 1, 1]]]),
        min_object_covered=(f32, 0.5), seed=(i64, seed))  # fmt: skip
for columns in ([4, 0, 2], [0, 2, 1], [1, 1, 2], [2, 1, 0]):
    add('FractionalAvgPoolGrad', 'columns_' + '_'.join(map(str, columns)), known=False, orig_input_tensor_shape=(i64, [1, 2, 2, 1]),
        out_backprop=(f32, np.ones([1, 2, 2, 1])), row_pooling_sequence=(i64, [0, 1, 2]), col_pooling_sequence=(i64, columns))  # fmt: skip
for op in ('SparseSegmentMeanGrad', 'SparseSegmentSumGrad', 'SparseSegmentSqrtNGrad'):
    add(op, 'no_rows_wanted', known=False, grad=(f32, [[1, 2]]), indices=(i32, [0, -1]), segment_ids=(i32, [0, 5]), output_dim0=(i32, 0))

# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/edges_more.pb: values and shapes at the edge of what an op
takes, found by changing recorded cases at random."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
R = tf.raw_ops
f32, i32, i64, st = tf.float32, tf.int32, tf.int64, tf.string


def steps(name, build):
    CASES.append((name, build, 'exact'))


# ---- the cut of the logarithm, from both sides
for dtype in (tf.complex64, tf.complex128):
    add('Log1p', f'{dtype.name}_cut', at_run=False,
        x=(dtype, [complex(-3, 0), complex(-3, -0.0), complex(-1e10, -0.0), complex(2, -0.0)]))  # fmt: skip

# ---- a key that is a vector finds no tuple, but a tuple may be stored with one
for op in ('Map', 'OrderedMap'):
    for name, key in (('vector', [7]), ('matrix', [[7]]), ('no_key', [])):
        for kind in ('Peek', 'Unstage'):
            add(op + kind, name, 'exact', known=False, key=(i64, key), indices=(i32, [0]), dtypes=[f32], shared_name=op + name)

    def stage(b, op=op):
        key = b.placeholder('key', i64)
        more = dict(dtypes=[f32], shared_name=op + '_staged')
        stage = getattr(R, op + 'Stage')(key=key, indices=[0], values=[tf.constant(2.5)], **more)
        size = getattr(R, op + 'Size')(**more)
        return [dict(target=[stage], feed=dict(key=[7])), dict(fetch=[size])]

    steps(op + 'Stage/key_is_vector', stage)

# ---- sets whose elements lie beside the last dimension, which nobody validates
good = dict(i=[[0, 0], [1, 0]], v=[1, 2], s=[2, 2])
for name, x in {'beyond_columns_unchecked': dict(good, i=[[0, 0], [1, 2]]), 'negative_column_unchecked': dict(good, i=[[0, 0], [1, -2]]),
                'beyond_rows_unchecked': dict(good, i=[[0, 0], [2, 0]])}.items():  # fmt: skip
    more = dict(known=False, validate_indices=False)
    add('SetSize', name, 'exact', set_indices=(i64, x['i']), set_values=(i32, x['v']), set_shape=(i64, x['s']), **more)
    add('DenseToSparseSetOperation', name, 'exact', set1=(i32, [[1, 2], [2, 3]]), set2_indices=(i64, x['i']),
        set2_values=(i32, x['v']), set2_shape=(i64, x['s']), set_operation='union', **more)  # fmt: skip
    for order, a, b in (('', x, good), ('_second', good, x)):
        add('SparseToSparseSetOperation', name + order, 'exact', set1_indices=(i64, a['i']), set1_values=(i32, a['v']),
            set1_shape=(i64, a['s']), set2_indices=(i64, b['i']), set2_values=(i32, b['v']), set2_shape=(i64, b['s']),
            set_operation='union', **more)  # fmt: skip

# ---- n-grams of texts without rows
for dtype in (i32, i64):
    for name, texts in (('no_splits', ['a', 'b', 'c']), ('nothing', [])):
        add('StringNGrams', f'{name}_{dtype.name}', 'exact', data=(st, np.array(texts, object)), data_splits=(dtype, []),
            separator=' ', ngram_widths=[2], left_pad='L', right_pad='R', pad_width=1, preserve_short_sequences=False)  # fmt: skip


# ---- a vocabulary without a name
def no_name(b):
    table = R.HashTableV2(key_dtype=st, value_dtype=i64, shared_name='no_name')
    name = b.placeholder('name', st)
    read = R.InitializeTableFromTextFileV2(table_handle=table, filename=name, key_index=-2, value_index=-1)
    return [dict(target=[read], feed=dict(name=np.array(b'', object)))]


steps('InitializeTableFromTextFileV2/no_name', no_name)


# ---- a buffer size that is no scalar, but one number
def buffer_size(name, size):
    def build(b):
        given = dict(output_types=[i64], output_shapes=[tf.TensorShape([])])
        numbers = R.RangeDataset(start=tf.constant(3, i64), stop=tf.constant(9, i64), step=tf.constant(1, i64), **given)
        cpu = '/job:localhost/replica:0/task:0/device:CPU:0'
        handle = R.MultiDeviceIterator(devices=[cpu], shared_name=name, container='', **given)
        start = R.MultiDeviceIteratorInit(dataset=numbers, multi_device_iterator=handle, max_buffer_size=b.placeholder('size', i64))
        row = R.MultiDeviceIteratorGetNextFromShard(
            multi_device_iterator=handle, shard_num=tf.constant(0), incarnation_id=tf.constant(1, i64), **given
        )
        return [dict(fetch=[start], feed=dict(size=size)), dict(fetch=row)]

    steps('MultiDeviceIteratorInit/' + name, build)


buffer_size('vector_size', [1])
buffer_size('matrix_size', [[2]])


# ---- a matrix that is not square has no factor; TensorFlow says so before it runs
def cholesky(name, shape, indices):
    def build(b):
        b.refused = dict(dense=shape)
        dense = b.placeholder('dense', f32, [2] * len(shape))
        matrix = R.DenseToCSRSparseMatrix(dense_input=dense, indices=tf.constant(indices, i64))
        permutation = b.placeholder('permutation', i32, [2] * (len(shape) - 1))
        factor = R.SparseMatrixSparseCholesky(input=matrix, permutation=permutation, type=f32)
        return [dict(fetch=[R.CSRSparseMatrixToDense(sparse_input=factor, type=f32)])]

    steps('SparseMatrixSparseCholesky/' + name, build)


cholesky('wide', [2, 3], [[0, 0]])
cholesky('narrow', [2, 1], [[0, 0]])
cholesky('narrow_batch', [2, 2, 1], [[0, 0, 0]])

# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/csr.pb: matrices in compressed rows."""

import numpy as np
import tensorflow as tf

CASES = []
raw = tf.raw_ops
i32, i64, f32, f64, c64, c128 = tf.int32, tf.int64, tf.float32, tf.float64, tf.complex64, tf.complex128
random = np.random.default_rng(73)


def add(name, make, compare='close'):
    """make(feed) -> outputs; feed(dtype, value) is a placeholder with that value.

    TensorFlow refuses graphs in which the rank of a sparse tensor is not known.
    """

    def build(b):
        fed = {}

        def feed(dtype, value):
            key = f'x{len(fed)}'
            fed[key] = np.asarray(value, dtype.as_numpy_dtype)
            return b.placeholder(key, dtype, fed[key].shape)

        out = make(feed)
        return [dict(fetch=list(out) if isinstance(out, (tuple, list)) else [out], feed=fed)]

    CASES.append((name, build, compare))


def matrix(feed, m, dtype=f32):
    """m: (indices, values, shape)."""
    indices, values, shape = m
    indices = np.asarray(indices, np.int64)
    return raw.SparseTensorToCSRSparseMatrix(
        indices=feed(i64, indices if indices.size else indices.reshape(0, len(shape))), values=feed(dtype, values),
        dense_shape=feed(i64, shape))  # fmt: skip


def parts(m, dtype=f32, batches=1):
    out = [raw.SparseMatrixNNZ(sparse_matrix=m)]
    for b in range(batches):
        out += raw.CSRSparseMatrixComponents(csr_sparse_matrix=m, index=b, type=dtype)
    return out


def numbers(dtype, n):
    x = random.normal(size=n)
    return x + 1j * random.normal(size=n) if dtype.is_complex else x


def some(dtype, *shape, share=0.4):
    mask = random.random(shape) < share
    places = np.argwhere(mask)
    return places, numbers(dtype, len(places)), list(shape)


small = ([[0, 1], [0, 3], [2, 0]], [1, 2, 3], [3, 4])
batched = ([[0, 0, 1], [1, 1, 0], [1, 1, 1]], [1, 2, 3], [2, 2, 2])
for t in (f32, f64, c64, c128):
    n = t.name
    for shape in ((3, 4), (1, 1), (7, 2), (2, 3, 4), (3, 1, 2)):
        m = some(t, *shape)
        batches = shape[0] if len(shape) == 3 else 1
        label = f'{n}_{"x".join(map(str, shape))}'
        add(f'SparseTensorToCSRSparseMatrix/{label}', lambda f, m=m, t=t, k=batches: parts(matrix(f, m, t), t, k),
            'exact')  # fmt: skip
        add(f'CSRSparseMatrixToDense/{label}',
            lambda f, m=m, t=t: raw.CSRSparseMatrixToDense(sparse_input=matrix(f, m, t), type=t), 'exact')  # fmt: skip
        add(f'CSRSparseMatrixToSparseTensor/{label}',
            lambda f, m=m, t=t: raw.CSRSparseMatrixToSparseTensor(sparse_matrix=matrix(f, m, t), type=t),
            'exact')  # fmt: skip
        for conjugate in (False, True):
            add(f'SparseMatrixTranspose/{label}_{conjugate}',
                lambda f, m=m, t=t, k=batches, c=conjugate: parts(
                    raw.SparseMatrixTranspose(input=matrix(f, m, t), type=t, conjugate=c), t, k), 'exact')  # fmt: skip
        dense = numbers(t, shape)
        add(f'DenseToCSRSparseMatrix/{label}',
            lambda f, d=dense, m=m, t=t, k=batches: parts(
                raw.DenseToCSRSparseMatrix(dense_input=f(t, d), indices=f(i64, m[0])), t, k), 'exact')  # fmt: skip

    for turn_a in ('', 'transpose_a', 'adjoint_a'):
        for turn_b in ('', 'transpose_b', 'adjoint_b'):
            attrs = {k: True for k in (turn_a, turn_b) if k}
            label = '_'.join([n, *attrs])
            for batch in ((), (3,)):
                a = some(t, *batch, *((4, 5) if not turn_a else (5, 4)))
                b = some(t, *batch, *((5, 3) if not turn_b else (3, 5)))
                d = numbers(t, b[2])
                where = 'batch' if batch else 'one'
                outputs = [{}] if n in ('float32', 'complex128') and turn_a != turn_b else [
                    {}, dict(transpose_output=True), dict(conjugate_output=True),
                    dict(transpose_output=True, conjugate_output=True)]  # fmt: skip
                for more in outputs:
                    add(f'SparseMatrixMatMul/{label}_{where}_{"_".join(more)}',
                        lambda f, a=a, d=d, t=t, k=attrs | more: raw.SparseMatrixMatMul(
                            a=matrix(f, a, t), b=f(t, d), **k))  # fmt: skip
                add(f'SparseMatrixSparseMatMul/{label}_{where}',
                    lambda f, a=a, b=b, t=t, k=attrs, batch=batch: parts(raw.SparseMatrixSparseMatMul(
                        a=matrix(f, a, t), b=matrix(f, b, t), type=t, **k), t, *batch))  # fmt: skip

odd = {
    'repeated': ([[0, 1], [0, 1]], [1, 2], [3, 4]),
    'columns_unsorted': ([[0, 3], [0, 1]], [1, 2], [3, 4]),
    'rows_unsorted': ([[2, 0], [0, 1]], [1, 2], [3, 4]),
    'row_beyond': ([[3, 1]], [1], [3, 4]),
    'row_negative': ([[-1, 1]], [1], [3, 4]),
    'column_beyond': ([[0, 4]], [1], [3, 4]),
    'column_negative': ([[0, -1]], [1], [3, 4]),
    'batch_beyond': ([[2, 0, 1]], [1], [2, 2, 2]),
    'batch_negative': ([[-1, 0, 1]], [1], [2, 2, 2]),
    'no_elements': ([], [], [3, 4]),
    'no_rows': ([], [], [0, 4]),
    'no_columns': ([], [], [3, 0]),
    'no_batch': ([], [], [0, 2, 2]),
    'rank_1': ([[1]], [1], [2]),
    'rank_4': ([[1, 0, 0, 0]], [1], [2, 2, 2, 2]),
    'longer_shape': ([[1, 0]], [1], [2, 2, 2]),
    'fewer_values': ([[1, 0], [1, 1]], [1], [2, 2]),
    'negative_size': ([[1, 0]], [1], [2, -2]),
    'many_rows': ([], [], [2**33, 2]),
    'many_batches': ([], [], [2**31, 2**31, 2]),
    'wide': ([[0, 2**32]], [1], [2, 2**33]),
    'indices_vector': ([1, 0], [1], [2, 2]),
    'values_matrix': ([[1, 0]], [[1]], [2, 2]),
    'shape_matrix': ([[1, 0]], [1], [[2, 2]]),
    'gaps': ([[1, 1, 0], [4, 0, 1]], [1, 2], [6, 2, 2]),
    'zeros': ([[0, 0], [1, 1]], [0, -0.0], [2, 2]),
    'nan': ([[0, 0], [1, 1]], [np.nan, np.inf], [2, 2]),
}
for name, m in odd.items():
    add(f'SparseTensorToCSRSparseMatrix/{name}', lambda f, m=m: parts(matrix(f, m)), 'exact')
    add(f'CSRSparseMatrixToDense/{name}',
        lambda f, m=m: raw.CSRSparseMatrixToDense(sparse_input=matrix(f, m), type=f32), 'exact')  # fmt: skip
    if name != 'rows_unsorted':
        add(f'CSRSparseMatrixToSparseTensor/{name}',
            lambda f, m=m: raw.CSRSparseMatrixToSparseTensor(sparse_matrix=matrix(f, m), type=f32), 'exact')  # fmt: skip
    if name not in ('no_rows', 'no_columns'):
        add(f'SparseMatrixTranspose/{name}',
            lambda f, m=m: parts(raw.SparseMatrixTranspose(input=matrix(f, m), type=f32)), 'exact')  # fmt: skip
for name, (d, i) in {
    'beyond': (np.ones((2, 2)), [[2, 0]]), 'beyond_columns': (np.ones((2, 2)), [[1, 2]]),
    'negative': (np.ones((2, 2)), [[-1, 0]]), 'vector': ([1, 2], [[1]]),
    'rank_4': (np.ones((1, 1, 1, 1)), [[0, 0, 0, 0]]), 'longer_index': (np.ones((2, 2)), [[0, 0, 0]]),
    'index_vector': (np.ones((2, 2)), [0, 0]), 'no_elements': (np.ones((2, 2)), np.zeros((0, 2))),
    'no_rows': (np.ones((0, 2)), np.zeros((0, 2))), 'no_batch': (np.ones((0, 2, 2)), np.zeros((0, 3))),
    'scalar': (1, np.zeros((1, 0))), 'repeated': (np.arange(4).reshape(2, 2), [[0, 1], [0, 1]]),
    'columns_unsorted': (np.arange(4).reshape(2, 2), [[0, 1], [0, 0]]),
}.items():  # fmt: skip
    add(f'DenseToCSRSparseMatrix/{name}',
        lambda f, d=d, i=i: parts(raw.DenseToCSRSparseMatrix(dense_input=f(f32, d), indices=f(i64, i))),
        'exact')  # fmt: skip
for index in (0, 1, 2, -1, [0]):
    for name, m in {'one': small, 'batch': batched}.items():
        add(f'CSRSparseMatrixComponents/{name}_{index}',
            lambda f, m=m, i=index: raw.CSRSparseMatrixComponents(csr_sparse_matrix=matrix(f, m), index=f(i32, i),
                                                                  type=f32), 'exact')  # fmt: skip
handles = {
    'other_type': lambda f: matrix(f, small, f64),
    'a_map': lambda f: raw.EmptyTensorMap(),
    'two': lambda f: tf.stack([matrix(f, small)] * 2),
}
uses = {
    'CSRSparseMatrixComponents': lambda m: raw.CSRSparseMatrixComponents(csr_sparse_matrix=m, index=0, type=f32),
    'CSRSparseMatrixToDense': lambda m: raw.CSRSparseMatrixToDense(sparse_input=m, type=f32),
    'CSRSparseMatrixToSparseTensor': lambda m: raw.CSRSparseMatrixToSparseTensor(sparse_matrix=m, type=f32),
    'SparseMatrixNNZ': lambda m: raw.SparseMatrixNNZ(sparse_matrix=m),
    'SparseMatrixTranspose': lambda m: parts(raw.SparseMatrixTranspose(input=m, type=f32)),
    'SparseMatrixMatMul': lambda m: raw.SparseMatrixMatMul(a=m, b=tf.ones([4, 2])),
    'SparseMatrixSparseMatMul': lambda m: parts(raw.SparseMatrixSparseMatMul(a=m, b=m, type=f32, transpose_a=True)),
}
for op, use in uses.items():
    for name, handle in handles.items():
        if op != 'SparseMatrixNNZ' or name != 'other_type':
            add(f'{op}/{name}', lambda f, use=use, handle=handle: use(handle(f)), 'exact')
for name, (a, b, attrs) in {
    'inner': (small, np.ones((3, 2)), {}), 'vector': (small, np.ones(4), {}), 'rank_3': (small, np.ones((1, 4, 2)), {}),
    'batch_rank_2': (batched, np.ones((2, 2)), {}), 'batch_1': (batched, np.ones((1, 2, 1)), {}),
    'batch_3': (batched, np.ones((3, 2, 1)), {}), 'rank_4': (batched, np.ones((1, 2, 2, 1)), {}),
    'no_columns': (small, np.ones((4, 0)), {}), 'one_batch': (([[0, 0, 1]], [1], [1, 2, 2]), np.ones((1, 2, 3)), {}),
    'no_elements': (odd['no_elements'], np.ones((4, 2)), {}), 'columns_unsorted': (odd['columns_unsorted'], np.arange(8).reshape(4, 2), {}),
    'repeated': (odd['repeated'], np.arange(8).reshape(4, 2), {}), 'gaps': (odd['gaps'], np.arange(12).reshape(6, 2, 1), {}),
    'infinite': (([[0, 0]], [0], [2, 2]), [[np.nan, np.inf], [np.nan, 1]], {}),
    'both_a': (small, np.ones((3, 2)), dict(transpose_a=True, adjoint_a=True)),
    'both_b': (small, np.ones((2, 4)), dict(transpose_b=True, adjoint_b=True)),
}.items():  # fmt: skip
    add(f'SparseMatrixMatMul/{name}',
        lambda f, a=a, b=b, k=attrs: raw.SparseMatrixMatMul(a=matrix(f, a), b=f(f32, b), **k))  # fmt: skip
turned = ([[0, 0], [1, 2], [3, 1]], [1, 2, 3], [4, 3])
for name, (a, b, attrs) in {
    'inner': (small, small, {}), 'rank': (batched, small, {}),
    'cancels': (([[0, 0], [0, 1], [1, 0], [1, 1]], [1, -1, 1, 1], [2, 2]), ([[0, 0], [1, 0]], [1, 1], [2, 2]), {}),
    'columns_unsorted': (odd['columns_unsorted'], turned, {}), 'repeated': (odd['repeated'], turned, {}),
    'order': (([[0, 0], [0, 1]], [1, 2], [1, 2]), ([[0, 3], [1, 0], [1, 2]], [1, 2, 3], [2, 4]), {}),
    'zero': (([[0, 0]], [0], [1, 2]), ([[0, 1]], [1], [2, 2]), {}), 'no_elements': (odd['no_elements'], turned, {}),
    'gaps': (odd['gaps'], odd['gaps'], {}),
    'both_a': (small, small, dict(transpose_a=True, adjoint_a=True)),
    'both_b': (small, small, dict(transpose_b=True, adjoint_b=True)),
}.items():  # fmt: skip
    add(f'SparseMatrixSparseMatMul/{name}',
        lambda f, a=a, b=b, k=attrs: parts(raw.SparseMatrixSparseMatMul(a=matrix(f, a), b=matrix(f, b), type=f32, **k)))  # fmt: skip

# SPDX-License-Identifier: Apache-2.0
# Gradients of ops that programs seldom use: tools/make_gradients.py.
# ruff: noqa: F821

COMPLEX = 'f32 f64 c64 c128'
PLACES = np.array([[0, 1], [1, 0], [1, 2]], np.int64)
BATCH_PLACES = np.array([[0, 0, 1], [0, 1, 2], [1, 1, 0]], np.int64)


def diagonals():
    for shape in ((2, 3), (3, 2), (2, 3, 3)):
        rows, columns = shape[-2:]
        for k in (0, 1, -1, [-1, 1], [0, 1], [-1, 0]):
            low, high = (k, k) if isinstance(k, int) else k
            longest = min(rows + min(high, 0), columns + min(-low, 0))
            diagonal = shape[:-2] + ((high - low + 1,) if low != high else ()) + (longest,)
            name = f'{shape}{k}'
            part = lambda x, v: R.MatrixDiagPartV2(input=x, k=k, padding_value=v)
            made = lambda d, v: R.MatrixDiagV2(diagonal=d, k=k, num_rows=rows, num_cols=columns, padding_value=v)
            variants('MatrixDiagPartV2/' + name, op(part, shape, ()), 'f64', 2)
            variants('MatrixDiagV2/' + name, op(made, diagonal, ()), 'f64', 2)
            set_diagonal = lambda x, d: R.MatrixSetDiagV2(input=x, diagonal=d, k=k)
            variants('MatrixSetDiagV2/' + name, op(set_diagonal, shape, diagonal), 'f64', 2)


def linear_algebra():
    for shape in ((3, 3), (2, 3, 3), (1, 1), (0, 3, 3)):
        root = lambda x: R.MatrixSquareRoot(input=x + 3 * tf.eye(shape[-1], dtype=x.dtype))
        variants(f'MatrixSquareRoot/{shape}', op(root, shape, low=-0.4, high=0.4), COMPLEX)
        for vectors in (False, True):

            def values(x):  # sums over all eigenvalues, whose order is free
                x = x + tf.cast(tf.linalg.diag(tf.range(shape[-1])), x.dtype) * 3
                wide = tf.complex64 if x.dtype in (tf.float32, tf.complex64) else tf.complex128
                e, v = R.Eig(input=x, compute_v=vectors, Tout=wide)
                sizes = tf.square(tf.abs(e))
                return tf.linalg.matvec(tf.square(tf.abs(v)), sizes) if vectors else tf.reduce_sum(sizes, -1)

            variants(f'Eig/{vectors}{shape}', op(values, shape, low=-0.4, high=0.4), COMPLEX)
    for batch in ((), (2,)):
        for m, n in ((3, 2), (1, 2), (4, 1)):
            product = lambda a, b, c, x: R.TridiagonalMatMul(superdiag=a, maindiag=b, subdiag=c, rhs=x)
            shapes = [batch + (1, m)] * 3 + [batch + (m, n)]
            variants(f'TridiagonalMatMul/{batch}{m}{n}', op(product, *shapes), COMPLEX, 4)


def sparse_matrices():
    def matrix(p, values, places, shape):
        named = p(f'places_{len(p.feeds)}', places)
        return R.SparseTensorToCSRSparseMatrix(indices=named, values=values, dense_shape=tf.constant(shape, tf.int64))

    def dense(m, dtype):
        return R.CSRSparseMatrixToDense(sparse_input=m, type=dtype)

    def of_values(name, places, shape, function, **options):
        def build(p, rng, dtype):
            v = p.random('v', rng, (3,), dtype)
            return function(matrix(p, v, places, shape), dtype), [v]

        variants(name, build, COMPLEX, **options)

    for places, shape in ((PLACES, [2, 3]), (BATCH_PLACES, [2, 2, 3])):
        of_values(f'CSRSparseMatrixToDense/{shape}', places, shape, dense)
        parts = lambda m, t: R.CSRSparseMatrixToSparseTensor(sparse_matrix=m, type=t)[1]
        of_values(f'CSRSparseMatrixToSparseTensor/{shape}', places, shape, parts)
        for conjugate in (False, True):
            turned = lambda m, t: dense(R.SparseMatrixTranspose(input=m, type=t, conjugate=conjugate), t)
            of_values(f'SparseMatrixTranspose/{shape}{conjugate}', places, shape, turned)
        from_dense = lambda x: dense(R.DenseToCSRSparseMatrix(dense_input=x, indices=places), x.dtype)
        variants(f'DenseToCSRSparseMatrix/{shape}', op(from_dense, shape), COMPLEX)
        for a in ('', 't', 'a'):
            for b in ('', 't', 'a'):
                for transposed in (False, True):
                    for conjugated in (False, True):

                        def product(p, rng, dtype):
                            v = p.random('v', rng, (3,), dtype)
                            inner = 2 if a else 3
                            x = p.random('x', rng, shape[:-2] + ([2, inner] if b else [inner, 2]), dtype)
                            flags = dict(transpose_a=a == 't', adjoint_a=a == 'a', transpose_b=b == 't', adjoint_b=b == 'a')
                            outputs = dict(transpose_output=transposed, conjugate_output=conjugated)
                            return R.SparseMatrixMatMul(a=matrix(p, v, places, shape), b=x, **flags, **outputs), [v, x]

                        name = f'SparseMatrixMatMul/{shape}{a}_{b}_{transposed}{conjugated}'
                        for kind in ('f64', 'c128'):
                            case(name, product, kind)
    for a in ('', 't', 'a'):
        for b in ('', 't', 'a'):

            def product(p, rng, dtype):
                inner = 2 if a else 3
                v, w = p.random('v', rng, (3,), dtype), p.random('w', rng, (3 * inner,), dtype)
                shape = [3, inner] if b else [inner, 3]
                right = matrix(p, w, np.array(list(np.ndindex(*shape)), np.int64), shape)
                flags = dict(transpose_a=a == 't', adjoint_a=a == 'a', transpose_b=b == 't', adjoint_b=b == 'a')
                left = matrix(p, v, PLACES, [2, 3])
                return dense(R.SparseMatrixSparseMatMul(a=left, b=right, type=dtype, **flags), dtype), [v, w]

            for kind in ('f64', 'c128'):
                case(f'SparseMatrixSparseMatMul/{a}_{b}', product, kind)


def others():
    for k, shape in ((2, (3, 4)), (3, (2, 3, 4)), (1, (4,))):
        variants(f'ApproxTopK/{k}{shape}', op(lambda x: R.ApproxTopK(input=x, k=k)[0], shape), 'f32 f16 bf16')
    for shape in ((3, 4), (1, 6), (4, 1)):
        regression = lambda x: R.IsotonicRegression(input=x, output_dtype=x.dtype)[0]
        variants(f'IsotonicRegression/{shape}', op(regression, shape))
    for a in (False, True):
        for b in (False, True):
            product = lambda x, y: R.SparseMatMul(a=x, b=y, transpose_a=a, transpose_b=b)
            variants(f'SparseMatMul/{a}{b}', op(product, (3, 2) if a else (2, 3), (4, 3) if b else (3, 4)), 'f32 bf16', 2)
    for shape in ((), (3,), (2, 1)):

        def samples(mean, deviation, low, high):
            bounds = dict(minvals=mean - low, maxvals=mean + high)
            return R.StatelessParameterizedTruncatedNormal(
                shape=[4, 2, 3], seed=[1, 2], means=mean, stddevs=deviation, **bounds
            )

        build = op(samples, shape, (3,), (), (2, 3), low=0.5, high=2.0)
        variants(f'StatelessParameterizedTruncatedNormal/{shape}', build, 'f32 f64 f16', 4)
    for interpolation in ('BILINEAR', 'NEAREST'):
        for fill in ('CONSTANT', 'REFLECT', 'WRAP', 'NEAREST'):
            for count in (1, 2):

                def moved(x):
                    turn = np.array([1, 0.2, 0.3, -0.1, 1.1, 0.2, 0.01, 0.02], np.float32) + np.zeros((count, 1), np.float32)
                    modes = dict(interpolation=interpolation, fill_mode=fill, fill_value=0.5)
                    return R.ImageProjectiveTransformV3(images=x, transforms=turn, output_shape=[3, 4], **modes)

                variants(f'ImageProjectiveTransformV3/{interpolation}{fill}{count}', op(moved, (2, 4, 5, 2)), 'f32')

    def ragged(v, d):
        return R.RaggedFillEmptyRows(
            value_rowids=tf.constant([0, 2, 2, 4], tf.int64), values=v, nrows=tf.constant(6, tf.int64), default_value=d
        )[1]

    variants('RaggedFillEmptyRows', op(ragged, (4,), ()), 'f32 f64 c64', 2)

    def optional(a, b):
        made = R.OptionalFromValue(components=[a, b])
        return list(R.OptionalGetValue(optional=made, output_types=[a.dtype] * 2, output_shapes=[[2], [3]]))

    variants('Optional', op(optional, (2,), (3,)), 'f32 f64', 2)


for family in (diagonals, linear_algebra, sparse_matrices, others):
    family()

# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/linalg_v1.pb: TridiagonalMatMul, Eig, MatrixSquareRoot,
and linear algebra by the names that it had before version 13."""

import numpy as np
import tensorflow as tf

R = tf.raw_ops
f32, f64, c64, c128 = tf.float32, tf.float64, tf.complex64, tf.complex128

CASES = []
random = np.random.default_rng(3)


def case(name, op, compare='close', producer=None, fetch=None, **arguments):
    """Inputs are the arguments that are (dtype, value); the others are attrs. Each with known and unknown shapes."""
    inputs = {k: v for k, v in arguments.items() if isinstance(v, tuple)}
    attrs = {k: v for k, v in arguments.items() if k not in inputs}
    values = {k: np.asarray(v, d.as_numpy_dtype) for k, (d, v) in inputs.items()}

    def build(known):
        def steps(b):
            if producer is not None:
                tf.import_graph_def(tf.compat.v1.GraphDef(versions=dict(producer=producer)))
            feeds = {k: b.placeholder(k, d, values[k].shape if known else None) for k, (d, _) in inputs.items()}
            out = getattr(R, op)(**feeds, **attrs)
            out = list(out) if isinstance(out, (tuple, list)) else [out]
            return [dict(fetch=out[:fetch], feed=values)]

        return steps

    CASES.append((f'{op}/{name}', build(True), compare))
    CASES.append((f'{op}/{name}_at_run', build(False), compare))


def numbers(dtype, *shape):
    x = random.normal(size=shape).round(2)
    return (dtype, x + 1j * random.normal(size=shape).round(2) if dtype.is_complex else x)


def square(dtype, *shape):
    """Matrices far from singular ones."""
    return (dtype, numbers(dtype, *shape)[1] + 4 * np.eye(shape[-1]))


def positive(dtype, *shape):
    x = numbers(dtype, *shape)[1]
    return (dtype, x @ x.swapaxes(-1, -2) + np.eye(shape[-1]))


def tridiagonal(name, dtype, batch, m, n, **changed):
    diagonals = {k: numbers(dtype, *batch, 1, m) for k in ('superdiag', 'maindiag', 'subdiag')}
    case(name, 'TridiagonalMatMul', **{**diagonals, 'rhs': numbers(dtype, *batch, m, n), **changed})


for dtype in (f32, f64, c64, c128):
    tridiagonal(dtype.name, dtype, (), 5, 3)
    tridiagonal(f'batch_{dtype.name}', dtype, (2, 3), 4, 2)
tridiagonal('one', f32, (), 1, 2)
tridiagonal('two', f32, (), 2, 1)
tridiagonal('no_rows', f32, (), 0, 2)
tridiagonal('no_columns', f32, (2,), 3, 0)
tridiagonal('no_batch', f32, (0,), 3, 2)
tridiagonal('nan_outside', f32, (), 3, 2, superdiag=(f32, [[1, 2, np.nan]]), subdiag=(f32, [[np.nan, 1, 2]]))
tridiagonal('long', f32, (), 3, 2, subdiag=numbers(f32, 1, 4))
tridiagonal('matrix', f32, (), 3, 2, maindiag=numbers(f32, 3, 3))
tridiagonal('vector', f32, (), 3, 2, maindiag=numbers(f32, 3))
tridiagonal('rhs_rows', f32, (), 3, 2, rhs=numbers(f32, 4, 2))
tridiagonal('other_batch', f32, (2,), 3, 2, rhs=numbers(f32, 3, 3, 2))

for dtype in (f32, f64):
    v1 = dict(producer=8)
    case(dtype.name, 'BatchCholesky', **v1, input=positive(dtype, 2, 3, 3))
    case(dtype.name, 'BatchCholeskyGrad', **v1, l=(dtype, np.linalg.cholesky(positive(dtype, 2, 3, 3)[1])),
         grad=numbers(dtype, 2, 3, 3))
    case(dtype.name, 'BatchMatrixDeterminant', **v1, input=square(dtype, 2, 3, 3))
    for adjoint in (False, True):
        case(f'{dtype.name}_{adjoint}', 'BatchMatrixInverse', **v1, input=square(dtype, 2, 3, 3), adjoint=adjoint)
        case(f'{dtype.name}_{adjoint}', 'BatchMatrixSolve', **v1, matrix=square(dtype, 2, 3, 3),
             rhs=numbers(dtype, 2, 3, 2), adjoint=adjoint)
        for lower in (False, True):
            case(f'{dtype.name}_{adjoint}_{lower}', 'BatchMatrixTriangularSolve', **v1, matrix=square(dtype, 2, 3, 3),
                 rhs=numbers(dtype, 2, 3, 2), adjoint=adjoint, lower=lower)
    case(dtype.name, 'BatchMatrixSolveLs', **v1, matrix=numbers(dtype, 2, 4, 3), rhs=numbers(dtype, 2, 4, 1),
         l2_regularizer=(f64, 0.25))
    case(f'{dtype.name}_slow', 'BatchMatrixSolveLs', **v1, matrix=numbers(dtype, 2, 4, 3), rhs=numbers(dtype, 2, 4, 1),
         l2_regularizer=(f64, 0), fast=False)
    case(dtype.name, 'BatchSelfAdjointEigV2', **v1, fetch=1, input=positive(dtype, 2, 3, 3))
    case(f'{dtype.name}_values', 'BatchSelfAdjointEigV2', **v1, fetch=1, input=positive(dtype, 2, 3, 3), compute_v=False)
for dtype in (f32, f64, c64, c128):
    case(f'{dtype.name}_values', 'BatchSvd', **v1, fetch=1, input=numbers(dtype, 2, 3, 4), compute_uv=False)
    case(dtype.name, 'BatchSvd', **v1, fetch=1, input=numbers(dtype, 2, 4, 2), full_matrices=True)
for dtype in (c64, c128):
    case(dtype.name, 'BatchMatrixDeterminant', **v1, input=square(dtype, 2, 3, 3))
case('rectangle', 'BatchCholesky', **v1, input=numbers(f32, 2, 3, 4))
case('vector', 'BatchMatrixInverse', **v1, input=numbers(f32, 3))
case('singular', 'BatchMatrixInverse', **v1, input=(f32, np.ones((2, 3, 3))))
case('singular', 'BatchMatrixSolve', **v1, matrix=(f32, np.ones((1, 2, 2))), rhs=numbers(f32, 1, 2, 1))
case('rows', 'BatchMatrixSolve', **v1, matrix=square(f32, 1, 3, 3), rhs=numbers(f32, 1, 2, 1))
case('empty', 'BatchMatrixDeterminant', **v1, input=numbers(f32, 0, 3, 3))
case('empty_matrix', 'BatchCholesky', **v1, input=numbers(f32, 2, 0, 0))

# ---- general matrices. Eigenvectors are left out: their phases are free. So is the order of a real matrix's eigenvalues.
for dtype in (f32, f64, c64, c128):
    out = c64 if dtype in (f32, c64) else c128
    triangle = np.triu(numbers(dtype, 2, 4, 4)[1], 1) + np.diag([1.0, -2.0, 3.5, 5.0])
    turn = np.linalg.qr(numbers(dtype, 4, 4)[1])[0]
    matrix = (dtype, turn @ triangle @ turn.conj().T)
    if dtype.is_complex:
        case(dtype.name, 'Eig', fetch=1, input=matrix, Tout=out)
        case(f'{dtype.name}_values', 'Eig', fetch=1, input=matrix, Tout=out, compute_v=False)
    case(dtype.name, 'MatrixSquareRoot', input=positive(dtype, 2, 3, 3))
    case(f'{dtype.name}_plain', 'MatrixSquareRoot', input=(dtype, square(dtype, 4, 4)[1] + 4 * np.eye(4)))
case('diagonal', 'Eig', fetch=1, input=(f32, np.diag([3.0, -1.0, 2.0])), Tout=c64)
case('one', 'Eig', input=(f32, [[[2.5]], [[-1]]]), Tout=c64)
case('rectangle', 'Eig', fetch=1, input=numbers(f32, 2, 3), Tout=c64)
case('vector', 'Eig', fetch=1, input=numbers(f32, 3), Tout=c64)
case('empty', 'Eig', fetch=1, input=numbers(f32, 0, 3, 3), Tout=c64)
case('empty_matrix', 'Eig', fetch=1, input=numbers(f32, 2, 0, 0), Tout=c64)
case('other_type', 'Eig', fetch=1, input=numbers(f32, 3, 3), Tout=c128)
case('turn', 'MatrixSquareRoot', input=(f64, [[0, -1], [1, 0]]))
case('one', 'MatrixSquareRoot', input=(f32, [[4]]))
case('negative', 'MatrixSquareRoot', input=(f32, [[-4]]))
case('negative_complex', 'MatrixSquareRoot', input=(c64, [[-4]]))
case('rectangle', 'MatrixSquareRoot', input=numbers(f32, 2, 3))
case('empty', 'MatrixSquareRoot', input=numbers(f32, 2, 0, 0))
case('identity', 'MatrixSquareRoot', input=(f32, np.eye(3)))

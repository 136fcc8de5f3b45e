# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/older_names.pb: ops on diagonals, SelfAdjointEig and
gradients of Conv3D by the names of older graphs."""

import numpy as np
import tensorflow as tf

R = tf.raw_ops
f32, f64, i32, i64, c64, half, boolean = (
    tf.float32, tf.float64, tf.int32, tf.int64, tf.complex64, tf.float16, tf.bool)

CASES = []
random = np.random.default_rng(11)


def case(name, op, compare='exact', producer=None, **arguments):
    """Inputs are the arguments that are (dtype, value); the others are attrs. Each with known and unknown shapes."""
    inputs = {k: v for k, v in arguments.items() if isinstance(v, tuple)}
    attrs = {k: v for k, v in arguments.items() if k not in inputs}
    values = {k: np.asarray(v, d.as_numpy_dtype) for k, (d, v) in inputs.items()}

    def build(known):
        def steps(b):
            if producer is not None:
                tf.import_graph_def(tf.compat.v1.GraphDef(versions=dict(producer=producer)))
            feeds = {k: b.placeholder(k, d, values[k].shape if known else None) for k, (d, _) in inputs.items()}
            return [dict(fetch=[getattr(R, op)(**feeds, **attrs)], feed=values)]

        return steps

    CASES.append((f'{op}/{name}', build(True), compare))
    CASES.append((f'{op}/{name}_at_run', build(False), compare))


def numbers(dtype, *shape):
    if dtype == boolean:
        return (dtype, random.integers(0, 2, shape))
    if dtype.is_integer or dtype == half:  # sums of halves are rounded in another order
        return (dtype, random.integers(-9, 9, shape))
    x = random.normal(size=shape).round(2)
    return (dtype, x + 1j * random.normal(size=shape).round(2) if dtype.is_complex else x)


def diag(name, dtype, shape, k, rows, columns, padding=0):
    case(name, 'MatrixDiagV2', diagonal=numbers(dtype, *shape), k=(i32, k), num_rows=(i32, rows), num_cols=(i32, columns),
         padding_value=(dtype, padding))


for dtype in (f32, f64, i32, i64, c64, half, boolean):
    diag(dtype.name, dtype, (2, 3), 0, -1, -1)
diag('above', f32, (2, 3), 1, -1, -1, 7)
diag('below', f32, (2, 3), -2, -1, -1, 7)
diag('several', f32, (2, 3, 4), [-1, 1], -1, -1, 9)
diag('several_wide', f32, (3, 4), [0, 2], 4, 6, 9)
diag('several_tall', i32, (2, 3, 3), [-2, 0], 5, 3, -1)
diag('wrong_count', f32, (2, 2, 3), [-1, 1], -1, -1)
diag('wrong_order', f32, (2, 3), [1, -1], -1, -1)
diag('wrong_size', f32, (3,), 0, 2, 2)
diag('empty', f32, (0, 3), 0, -1, -1)
diag('scalar', f32, (), 0, -1, -1)
diag('three_k', f32, (2, 3), [0, 1, 2], -1, -1)
diag('padding_vector', f32, (2, 3), 0, -1, -1, [1])


def part(name, dtype, shape, k, padding=0):
    case(name, 'MatrixDiagPartV2', input=numbers(dtype, *shape), k=(i32, k), padding_value=(dtype, padding))


for dtype in (f32, f64, i32, i64, c64, half, boolean):
    part(dtype.name, dtype, (2, 3, 4), 0)
part('above', f32, (2, 3, 4), 2)
part('below', f32, (2, 4, 3), -2)
part('several', f32, (2, 3, 4), [-1, 2], 9)
part('several_tall', f32, (5, 3), [-3, 1], 9)
part('all', i32, (3, 3), [-2, 2], 7)
part('outside', f32, (3, 3), 3)
part('wrong_order', f32, (3, 3), [1, 0])
part('vector', f32, (3,), 0)
part('empty', f32, (0, 3, 4), [0, 1])
part('three_k', f32, (3, 3), [0, 1, 2])


def set_diag(name, dtype, shape, diagonal, k):
    case(name, 'MatrixSetDiagV2', input=numbers(dtype, *shape), diagonal=numbers(dtype, *diagonal), k=(i32, k))


for dtype in (f32, f64, i32, i64, c64, half, boolean):
    set_diag(dtype.name, dtype, (2, 3, 4), (2, 3), 0)
set_diag('above', f32, (2, 3, 4), (2, 2), 2)
set_diag('below', f32, (4, 3), (2,), -2)
set_diag('several', f32, (2, 3, 4), (2, 4, 3), [-1, 2])
set_diag('several_tall', f32, (5, 3), (5, 3), [-3, 1])
set_diag('wrong_shape', f32, (3, 3), (2,), 0)
set_diag('outside', f32, (3, 3), (3,), 4)
set_diag('vector', f32, (3,), (3,), 0)
set_diag('empty', f32, (0, 3, 3), (0, 3), 0)
for dtype in (f32, i32, c64, boolean):
    case(dtype.name, 'BatchMatrixDiag', producer=13, diagonal=numbers(dtype, 2, 3))
    case(dtype.name, 'BatchMatrixDiagPart', producer=13, input=numbers(dtype, 2, 3, 4))
    case(dtype.name, 'BatchMatrixSetDiag', producer=13, input=numbers(dtype, 2, 3, 4), diagonal=numbers(dtype, 2, 3))
    case(dtype.name, 'BatchMatrixBandPart', producer=13, input=numbers(dtype, 2, 3, 4), num_lower=(i64, 1), num_upper=(i64, 0))
case('scalar', 'BatchMatrixDiag', producer=13, diagonal=numbers(f32))
case('vector', 'BatchMatrixDiagPart', producer=13, input=numbers(f32, 3))
case('wrong', 'BatchMatrixSetDiag', producer=13, input=numbers(f32, 3, 3), diagonal=numbers(f32, 2))
case('all', 'BatchMatrixBandPart', producer=13, input=numbers(f32, 3, 3), num_lower=(i64, -1), num_upper=(i64, 1))
case('too_many', 'BatchMatrixBandPart', producer=13, input=numbers(f32, 3, 3), num_lower=(i64, 4), num_upper=(i64, 1))


def hermitian(dtype, *shape):
    """Diagonal matrices: their eigenvectors are unit vectors, whose signs all libraries give alike."""
    x = np.zeros(shape)
    for at in np.ndindex(*shape[:-2]):
        x[at] = np.diag(np.sort(random.normal(size=shape[-1]).round(2)))
    return (dtype, x)


for dtype in (f32, f64):
    case(dtype.name, 'SelfAdjointEig', 'close', producer=10, input=hermitian(dtype, 3, 3))
    case(f'one_{dtype.name}', 'SelfAdjointEig', 'close', producer=10, input=hermitian(dtype, 1, 1))
    case(dtype.name, 'BatchSelfAdjointEig', 'close', producer=10, input=hermitian(dtype, 2, 4, 4))
    case(f'matrix_{dtype.name}', 'BatchSelfAdjointEig', 'close', producer=10, input=hermitian(dtype, 3, 3))
case('vector', 'SelfAdjointEig', producer=10, input=numbers(f32, 3))
case('oblong', 'SelfAdjointEig', producer=10, input=numbers(f32, 2, 3))
case('empty', 'SelfAdjointEig', producer=10, input=numbers(f32, 0, 0))
case('oblong', 'BatchSelfAdjointEig', producer=10, input=numbers(f32, 2, 2, 3))
case('none', 'BatchSelfAdjointEig', producer=10, input=numbers(f32, 0, 3, 3))


def conv(name, dtype, x, w, strides, padding, **more):
    size = [(n - (k if padding == 'VALID' else 1)) // s + 1 for n, k, s in zip(x[1:4], w, strides)]
    dy = numbers(dtype, x[0], *size, w[4])
    attrs = dict(strides=[1, *strides, 1], padding=padding, **more)
    case(name, 'Conv3DBackpropInput', 'close', producer=9, input=numbers(dtype, *x), filter=numbers(dtype, *w),
         out_backprop=dy, **attrs)
    case(name, 'Conv3DBackpropFilter', 'close', producer=9, input=numbers(dtype, *x), filter=numbers(dtype, *w),
         out_backprop=dy, **attrs)


for dtype in (f32, f64):
    conv(f'same_{dtype.name}', dtype, (2, 4, 4, 4, 2), (2, 3, 2, 2, 3), (1, 1, 1), 'SAME')
    conv(f'valid_{dtype.name}', dtype, (1, 5, 4, 4, 2), (2, 3, 2, 2, 3), (1, 1, 1), 'VALID')
    conv(f'strides_{dtype.name}', dtype, (1, 5, 6, 4, 1), (2, 2, 2, 1, 2), (2, 1, 2), 'VALID')
conv('half', half, (1, 3, 3, 3, 1), (2, 2, 2, 1, 1), (1, 1, 1), 'VALID')
case('rank', 'Conv3DBackpropInput', producer=9, input=numbers(f32, 2, 2), filter=numbers(f32, 1, 1, 1, 1, 1),
     out_backprop=numbers(f32, 1, 1, 1, 1, 1), strides=[1] * 5, padding='SAME')
case('batch', 'Conv3DBackpropFilter', producer=9, input=numbers(f32, 2, 2, 2, 2, 1), filter=numbers(f32, 1, 1, 1, 1, 1),
     out_backprop=numbers(f32, 1, 2, 2, 2, 1), strides=[1] * 5, padding='SAME')

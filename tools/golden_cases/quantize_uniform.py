# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/quantize_uniform.pb: uniformly quantized numbers, with
one scale or one for each index of an axis."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(221)
i32, f32, q8, u8, q32 = tf.int32, tf.float32, tf.qint8, tf.quint8, tf.qint32
LOW, HIGH = -(2**31), 2**31 - 1
LIMITS = {q8: (-128, 127), u8: (0, 255), q32: (LOW, HIGH)}
NUMBERS = [-3.7, -2.5, -1.5, -0.5, 0.49999997, 0.5, 1.5, 2.5, 3.2, 1e10, -1e10, np.inf, -np.inf, np.nan]
TABLE = random.uniform(-20, 20, (2, 3, 4)).round(2)


def whole(low, high, *shape):
    return random.integers(low, high, shape, endpoint=True)


# ---- from numbers and back
def quantize(name, x, scales, zeros, T=q8, limits=None, axis=-1, **more):
    low, high = limits or LIMITS[T]
    add('UniformQuantize', name, input=(f32, x), scales=(f32, scales), zero_points=(i32, zeros), Tout=T,
        quantization_axis=axis, quantization_min_val=low, quantization_max_val=high, **more)  # fmt: skip


for T in LIMITS:
    quantize(T.name, NUMBERS, 1, 3, T)
    quantize(f'{T.name}_axis', TABLE, [0.3, 0.5, 2], [1, -7, 100], T, axis=1, at_run=False)
    quantize(f'{T.name}_limits', TABLE, 0.25, 5, T, limits=(-5, 44), at_run=False)
    quantize(f'{T.name}_large_zero', NUMBERS, 0.01, HIGH, T, at_run=False)
quantize('first_axis', TABLE, [0.3, 0.7], [1, -7], axis=0)
quantize('last_axis', TABLE, [0.3, 0.7, 0.1, 9], [1, -7, 0, 120], axis=2)
quantize('fine', np.arange(-300, 300) * 0.15, 0.3, 5)
quantize('beyond_type', TABLE, 0.05, 0, limits=(-500, 400))
quantize('limits_swapped', TABLE, 1, 0, limits=(5, -4))
quantize('scale_0', NUMBERS, 0, 3)
quantize('scale_negative', NUMBERS, -1, 3)
quantize('scale_nan', NUMBERS, np.nan, 3)
quantize('scale_inf', NUMBERS, np.inf, 3)
quantize('empty', np.zeros((0, 3)), 1, 0)
quantize('empty_axis', np.zeros((0, 3)), [1, 2, 3], [0, 1, 2], axis=1)
quantize('scalar', 2.5, 0.5, 1)
quantize('vector_for_all', TABLE, [1], [3])
quantize('shapes', TABLE, [1], 3)
quantize('axis_scalar', TABLE, 1, 1, axis=0)
quantize('axis_length', TABLE, [1, 2], [0, 1], axis=1)
quantize('axis_beyond', TABLE, [1, 2], [0, 1], axis=3)
quantize('axis_minus_2', TABLE, 1, 0, axis=-2)
quantize('matrix', TABLE, [[1]], [[0]])


def dequantize(name, x, scales, zeros, T=q8, limits=None, axis=-1, **more):
    low, high = limits or LIMITS[T]
    add('UniformDequantize', name, input=(T, x), scales=(f32, scales), zero_points=(i32, zeros), Tout=f32,
        quantization_axis=axis, quantization_min_val=low, quantization_max_val=high, **more)  # fmt: skip


for T, (low, high) in LIMITS.items():
    dequantize(T.name, [low, low + 1, 3, high - 1, high], 0.3, 3, T)
    dequantize(f'{T.name}_axis', whole(low, high, 2, 3, 2), [0.3, 7, 0.01], [1, -50, 1000], T, axis=1, at_run=False)
    dequantize(f'{T.name}_large_zero', [low, low + 1, 3, high - 1, high], 0.3, HIGH, T, at_run=False)
    dequantize(f'{T.name}_limits', whole(low, high, 6), 0.3, -4, T, limits=(5, 1), at_run=False)
dequantize('scale_0', [1, 2], 0, 0)
dequantize('scale_nan', [1, 2], np.nan, 0)
dequantize('axis_beyond', [1, 2], 1, 0, axis=1)
dequantize('axis_minus_2', [1, 2], 1, 0, axis=-2)
dequantize('shapes', [1, 2], [1, 2], [0, 1, 2], axis=0)
dequantize('empty', np.zeros((2, 0)), [1, 2], [0, 1], axis=0)


# ---- from scale to scale
def requantize(name, x, s=0.5, z=3, so=0.25, zo=1, T=q8, To=q8, limits=(-128, 127), axis=-1, out_axis=-1, **more):
    low, high = LIMITS[T]
    add('UniformRequantize', name, input=(T, x), input_scales=(f32, s), input_zero_points=(i32, z),
        output_scales=(f32, so), output_zero_points=(i32, zo), Tout=To, input_quantization_axis=axis,
        input_quantization_min_val=low, input_quantization_max_val=high, output_quantization_axis=out_axis,
        output_quantization_min_val=limits[0], output_quantization_max_val=limits[1], **more)  # fmt: skip


BYTES, SMALL = [-128, -100, -1, 0, 1, 3, 5, 60, 127], whole(-100, 100, 2, 3, 4)
requantize('bytes', BYTES)
requantize('coarser', BYTES, so=0.7)
requantize('finer', BYTES, so=1e-3)
requantize('wide', [LOW, LOW + 1, -5, 0, 5, HIGH], so=1e7, T=q32)
requantize('wide_zero', [LOW, LOW + 1, -5, 0, 5, HIGH], z=HIGH, so=1e8, T=q32)
requantize('wide_near_zero', 123456789 + whole(-2000, 2000, 50), 1, 123456789, 16, 5, T=q32)
requantize('limits', BYTES, limits=(-5, 5), at_run=False)
requantize('limits_swapped', BYTES, limits=(5, -5), at_run=False)
requantize('limits_beyond', BYTES, so=0.01, limits=(-5000, 5000), at_run=False)
requantize('input_axis', SMALL, [0.5, 1, 2], [0, 1, 2], 0.3, axis=1)
requantize('output_axis', SMALL, so=[0.5, 1, 2], zo=[0, 1, 2], out_axis=1)
requantize('both_axes', SMALL, [0.5, 1, 3], [0, 1, 2], [0.5, 1, 2], [0, 5, 2], axis=1, out_axis=1)
requantize('other_axes', SMALL, [0.5, 1], [0, 1], [0.5, 1, 2], [0, 5, 2], axis=0, out_axis=1)
requantize('tiny_factor', BYTES, 1e-30, 3, 1e30, 1)
requantize('huge_factor', BYTES, 1e30, 3, 1e-30, 1)
requantize('infinite', BYTES, np.inf)
requantize('infinite_output', BYTES, so=np.inf)
requantize('scale_0', BYTES, 0)
requantize('output_negative', BYTES, so=-1)
requantize('axis_beyond', SMALL, axis=3)
requantize('output_axis_minus_2', SMALL, out_axis=-2)
requantize('axis_length', SMALL, [1, 2], [1, 2], axis=1)
requantize('shapes', SMALL, 1, [1])
requantize('to_qint32', BYTES, To=q32, at_run=False)
requantize('empty', np.zeros((0, 3)), [0.5, 0.25, 1], [0, 1, 2], axis=1)


# ---- sums and limits
def plus(name, x, y, sx=0.5, zx=1, sy=0.25, zy=-2, so=0.3, zo=4, axes=(-1, -1, -1), limits=(LOW, HIGH), **more):
    attrs = {}
    for part, axis, (low, high) in zip(('lhs', 'rhs', 'output'), axes, ((LOW, HIGH), (LOW, HIGH), limits)):
        attrs |= {f'{part}_quantization_axis': axis, f'{part}_quantization_min_val': low,
                  f'{part}_quantization_max_val': high}  # fmt: skip
    add('UniformQuantizedAdd', name, lhs=(q32, x), rhs=(q32, y), lhs_scales=(f32, sx), lhs_zero_points=(i32, zx),
        rhs_scales=(f32, sy), rhs_zero_points=(i32, zy), output_scales=(f32, so), output_zero_points=(i32, zo),
        **attrs, **more)  # fmt: skip


M = whole(-1000, 1000, 2, 3)
THREE = dict(sx=[0.5, 0.7, 0.9], zx=[1, 2, 3], sy=[0.1, 0.2, 0.4], zy=[0, 3, 5], so=[0.3, 0.6, 0.7], zo=[1, 0, 1])
plus('plain', whole(-1000, 1000, 3, 4), whole(-1000, 1000, 3, 4))
plus('wide', whole(LOW, HIGH, 60), whole(LOW, HIGH, 60), 0.01, 3, 0.02, -7, 0.4, 77777777)
plus('wide_zeros', 77777777 + whole(-(10**8), 10**8, 60), whole(-(10**9), 10**9, 60), 1, 77777777, 0.3, 12345, 1.5, 9)
plus('ends', [HIGH, HIGH, LOW, LOW], [HIGH, LOW, HIGH, LOW])
plus('ends_alike', [HIGH, HIGH, LOW, LOW], [HIGH, LOW, HIGH, LOW], 1, 0, 1, 0, 1, 0)
plus('huge_factor', M, M, 1e30, 1, 1e20, 2, 1e-30, 3)
plus('limits', M, M, limits=(-100, 100), at_run=False)
plus('row', M, [1, 20, -300])
plus('row_first', [1, 20, -300], M)
plus('column', M, [[10], [-20]])
plus('scalar', M, 50)
plus('outer', [[10], [20]], [[1, -2, 3]])
plus('axes', M, M[::-1], axes=(1, 1, 1), **THREE)
plus('axes_row', M, [10, 20, 30], axes=(1, 0, 1), **THREE)
plus('axes_row_first', [10, 20, 30], M, axes=(0, 1, 1), **THREE)
plus('first_axes', M, M, [0.5, 0.7], [1, 2], [0.1, 0.2], [0, 3], [0.3, 0.6], [1, 0], (0, 0, 0))
plus('lhs_axis', M, M, [0.5, 0.7, 0.9], [1, 2, 3], axes=(1, -1, -1))
plus('rhs_axis', M, M, sy=[0.5, 0.7, 0.9], zy=[1, 2, 3], axes=(-1, 1, -1))
plus('lhs_and_output_axis', M, M, [0.5, 0.7, 0.9], [1, 2, 3], so=[0.3, 0.6, 0.7], zo=[1, 0, 1], axes=(1, -1, 1))
plus('operand_axes', M, M, [0.5, 0.7, 0.9], [1, 2, 3], [0.1, 0.2, 0.4], [0, 3, 5], axes=(1, 1, -1))
plus('mixed_axes', M, M, [0.5, 0.7], [1, 2], [0.1, 0.2, 0.4], [0, 3, 5], [0.3, 0.6, 0.7], [1, 0, 1], (0, 1, 1))
plus('axis_of_one', [[100], [-200]], M, [0.5], [1], [0.1, 0.2, 0.4], [0, 3, 5], [0.3, 0.6, 0.7], [1, 0, 1], (1, 1, 1))
plus('shapes', M, [1, 2])
plus('scale_0', M, M, so=0)
plus('scale_negative', M, M, sx=-1)
plus('axis_beyond', M, M, axes=(2, -1, -1))
plus('zero_shape', M, M, zx=[1])
plus('empty', np.zeros((0, 3)), [1, 2, 3])


def clip(name, x, low, high, s=0.5, z=1, axis=-1, **more):
    add('UniformQuantizedClipByValue', name, operand=(q32, x), min=(q32, low), max=(q32, high), scales=(f32, s),
        zero_points=(i32, z), quantization_axis=axis, quantization_min_val=LOW, quantization_max_val=HIGH,
        **more)  # fmt: skip


clip('plain', whole(-200, 200, 3, 4), -50, 100)
clip('wide', whole(LOW, HIGH, 30), -123456789, HIGH - 1000)
clip('swapped', whole(-200, 200, 6), 10, -10)
clip('axis', whole(-200, 200, 2, 3, 2), [-50, 0, -150], [60, 7, 100], [1, 2, 3], [0, 0, 0], 1)
clip('first_axis', M, [-50, 0], [60, 7], [1, 2], [0, 0], 0)
clip('scale_0', M, 2, 4, 0)
clip('scale_nan', M, 2, 4, np.nan)
clip('vectors', M, [2], [4])
clip('axis_scalars', M, 2, 3, [1, 1], [0, 0], 0)
clip('lengths', M, [2, 4, 5], [3, 4, 5], [1, 1], [0, 0], 0)
clip('axis_beyond', M, 2, 3, axis=2)
clip('axis_minus_2', M, 2, 3, axis=-2)
clip('empty', np.zeros((0, 3)), 2, 3)


# ---- products
def three(axes, limits):
    attrs = {}
    for part, axis, (low, high) in zip(('lhs', 'rhs', 'output'), axes, ((-128, 127), (-128, 127), limits)):
        attrs |= {f'{part}_quantization_axis': axis, f'{part}_quantization_min_val': low,
                  f'{part}_quantization_max_val': high}  # fmt: skip
    return attrs


def dot(name, x, y, sx=0.5, zx=1, sy=0.25, zy=-2, so=0.3, zo=4, axes=(-1, -1, -1), limits=(LOW, HIGH), **more):
    add('UniformQuantizedDot', name, lhs=(q8, x), rhs=(q8, y), lhs_scales=(f32, sx), lhs_zero_points=(i32, zx),
        rhs_scales=(f32, sy), rhs_zero_points=(i32, zy), output_scales=(f32, so), output_zero_points=(i32, zo),
        Tout=q32, **three(axes, limits), **more)  # fmt: skip


A, B = whole(-128, 127, 5, 7), whole(-128, 127, 7, 3)
FIRST, LAST = [0.1, 0.2, 0.04], [1, -2, 3]
dot('plain', A, B)
dot('channels', A, B, sy=FIRST, zy=LAST, axes=(-1, 1, -1))
dot('channels_out', A, B, sy=FIRST, zy=LAST, so=[0.3, 0.5, 0.9], zo=[0, 10, -7], axes=(-1, 1, 1))
dot('deep', whole(0, 127, 3, 700), whole(0, 127, 700, 4), 1, -100, 1, -90, 1, 0)
dot('deep_channels', whole(0, 127, 2, 900), whole(0, 127, 900, 3), 1, -100, FIRST, LAST, 1, 0, (-1, 1, -1))
dot('deep_mixed', whole(-128, 127, 3, 600), whole(-128, 127, 600, 4), 0.01, 5, 0.02, -9, 0.5, 3)
dot('large_zero', whole(-128, 127, 3, 60), whole(-128, 127, 60, 4), 0.01, 3, 0.02, -300000, 0.5, 3)
dot('larger_zeros', whole(-128, 127, 3, 60), whole(-128, 127, 60, 4), 0.01, 77777, 0.02, -300000, 0.5, 3)
dot('ends_as_zeros', A, B, zx=HIGH, zy=LOW)
dot('limits', A, B, limits=(-100, 200), at_run=False)
dot('tiny_output_scale', A, B, so=1e-20)
dot('huge_output_scale', A, B, so=1e20)
dot('output_only', A, B, so=[0.3, 0.5, 0.9], zo=[0, 10, -7], axes=(-1, -1, 1))
dot('lhs_axis', A, B, axes=(0, -1, -1))
dot('rhs_axis_0', A, B, axes=(-1, 0, -1))
dot('output_axis_0', A, B, axes=(-1, -1, 0))
dot('channels_length', A, B, sy=[1, 2], zy=[0, 1], axes=(-1, 1, -1))
dot('channels_shapes', A, B, sy=FIRST, zy=[0, 1], axes=(-1, 1, -1))
dot('lhs_vector', A, B, sx=[1], zx=[0])
dot('scale_0', A, B, so=0)
dot('scale_nan', A, B, sx=np.nan)
dot('sizes', A, A)
dot('rank', A[0], B)
dot('rank_3', [A], [B])
dot('no_depth', np.zeros((2, 0)), np.zeros((0, 3)))
dot('no_rows', np.zeros((0, 7)), B)
dot('no_columns', A, np.zeros((7, 0)), sy=[], zy=[], axes=(-1, 1, -1))


def rhs_attrs(axis):
    return dict(rhs_quantization_axis=axis, rhs_quantization_min_val=-128, rhs_quantization_max_val=127)


def hybrid(name, x, y, s=0.25, z=-2, axis=-1, **more):
    add('UniformQuantizedDotHybrid', name, lhs=(f32, x), rhs=(q8, y), rhs_scales=(f32, s), rhs_zero_points=(i32, z),
        Tout=f32, **rhs_attrs(axis), **more)  # fmt: skip


N = random.normal(size=(5, 7)) * [[1], [0.01], [300], [2], [7]]
hybrid('plain', N, B)
hybrid('channels', N, B, FIRST, LAST, 1)
hybrid('positive', np.abs(N), B)
hybrid('negative', -np.abs(N), B, z=77)
hybrid('deep', np.abs(random.normal(size=(3, 3000))), whole(0, 127, 3000, 4), z=-120)
hybrid('zeros', np.zeros((2, 7)), B)
hybrid('nan_first', np.where(np.arange(3) == 0, np.nan, N[:, :3]), B[:3])
hybrid('infinite', np.where(np.arange(3) == 0, np.inf, N[:, :3]), B[:3])
hybrid('huge', [[3e38, -3e38, 0]], B[:3])
hybrid('large_zero', N, B, z=123456)
hybrid('scale_0', N, B, 0)
hybrid('axis_0', N, B, axis=0)
hybrid('vector', N, B, [1], [0])
hybrid('sizes', N, N)
hybrid('rank', N[0], B)
hybrid('no_depth', np.zeros((2, 0)), np.zeros((0, 3)))
hybrid('no_rows', np.zeros((0, 7)), B)


# ---- convolutions
def numbers(lhs, rhs, out, packed=True):
    """A UniformQuantizedConvolutionDimensionNumbersAttr: batch, feature, spatial; in, out, spatial; as the first."""
    data = b''
    for i, (a, b, spatial) in enumerate((lhs, rhs, out)):
        data += bytes([(3 * i + 1) << 3, a, (3 * i + 2) << 3, b])
        key = (3 * i + 3) << 3
        data += bytes([key | 2, len(spatial), *spatial]) if packed else b''.join(bytes([key, d]) for d in spatial)
    return data


def conv(name, x, w, sx=0.5, zx=1, sw=0.25, zw=-2, so=3.0, zo=4, axes=(-1, -1, -1), limits=(LOW, HIGH),
         padding='VALID', hybrid_too=True, **more):  # fmt: skip
    add('UniformQuantizedConvolution', name, lhs=(q8, x), rhs=(q8, w), lhs_scales=(f32, sx), lhs_zero_points=(i32, zx),
        rhs_scales=(f32, sw), rhs_zero_points=(i32, zw), output_scales=(f32, so), output_zero_points=(i32, zo),
        Tout=q32, padding=padding, **three(axes, limits), **more)  # fmt: skip
    if hybrid_too:
        add('UniformQuantizedConvolutionHybrid', name, lhs=(f32, np.asarray(x) * 0.37 + 0.01), rhs=(q8, w),
            rhs_scales=(f32, sw), rhs_zero_points=(i32, zw), Tout=f32, padding=padding, **rhs_attrs(axes[1]),
            **more)  # fmt: skip


X, W = whole(-128, 127, 2, 2, 5, 6), whole(-128, 127, 3, 2, 2, 3)
conv('valid', X, W)
conv('same', X, W, padding='SAME')
conv('same_strides', X, W, padding='SAME', window_strides=[2, 3])
conv('same_dilations', X, W, padding='SAME', window_strides=[1, 2], lhs_dilation=[2, 3], rhs_dilation=[2, 1])
conv('explicit', X, W, padding='EXPLICIT', explicit_padding=[1, 0, 0, 4], window_strides=[2, 1])
conv('lhs_dilation', X, W, lhs_dilation=[2, 1])
conv('rhs_dilation', X, W, rhs_dilation=[3, 2])
conv('channels', X, W, sw=FIRST, zw=LAST, axes=(-1, 0, -1))
conv('channels_out', X, W, sw=FIRST, zw=LAST, so=[0.3, 4, 50], zo=[0, 1, -9], axes=(-1, 0, 1))
conv('limits', X, W, limits=(-100, 200), hybrid_too=False)
conv('deep', whole(0, 127, 1, 90, 5, 5), whole(0, 127, 2, 90, 3, 4), 1, -100, 1, -90, 1, 0)
conv('large_zero', X, W, zx=1000, zw=-77777, at_run=False)
conv('one_dimension', whole(-128, 127, 2, 3, 9), whole(-128, 127, 4, 3, 2), window_strides=[2])
conv('three_dimensions', whole(-128, 127, 1, 2, 3, 4, 3), whole(-128, 127, 2, 2, 2, 1, 2), padding='SAME')
conv('feature_groups', whole(-128, 127, 2, 4, 3, 3), whole(-128, 127, 6, 2, 2, 2), feature_group_count=2)
conv('depthwise', whole(-128, 127, 1, 3, 4, 4), whole(-128, 127, 6, 1, 2, 2), feature_group_count=3)
conv('batch_groups', whole(-128, 127, 4, 2, 3, 3), whole(-128, 127, 6, 2, 2, 2), batch_group_count=2)
conv('both_groups', whole(-128, 127, 6, 4, 3, 3), whole(-128, 127, 12, 2, 2, 2), feature_group_count=2,
     batch_group_count=3)  # fmt: skip
XL, WL = np.transpose(X, (0, 2, 3, 1)), np.transpose(W, (2, 3, 1, 0))
LAST_DIMS = numbers((0, 3, (1, 2)), (2, 3, (0, 1)), (0, 3, (1, 2)))
conv('nhwc', XL, WL, dimension_numbers=LAST_DIMS)
conv('nhwc_unpacked', XL, WL,
     dimension_numbers=numbers((0, 3, (1, 2)), (2, 3, (0, 1)), (0, 3, (1, 2)), packed=False))  # fmt: skip
conv('nhwc_channels', XL, WL, sw=FIRST, zw=LAST, so=[0.3, 4, 50], zo=[0, 1, -9], axes=(-1, 3, 3), padding='SAME',
     dimension_numbers=LAST_DIMS)  # fmt: skip
conv('chwn', np.transpose(X, (1, 2, 3, 0)), W,
     dimension_numbers=numbers((3, 0, (1, 2)), (1, 0, (2, 3)), (1, 0, (3, 2))))  # fmt: skip
conv('empty_numbers', X, W, dimension_numbers=b'\x10\x01\x20\x01\x40\x01')
conv('window_long', X[:, :, :2], whole(-9, 9, 1, 2, 3, 1), window_strides=[2, 1])
conv('no_batch', np.zeros((0, 2, 5, 6)), W)
conv('no_outputs', X, np.zeros((0, 2, 2, 2)))
conv('no_window', X, np.zeros((3, 2, 0, 2)))
conv('no_rows', np.zeros((1, 2, 0, 3)), whole(-9, 9, 3, 2, 1, 1))
conv('no_rows_padded', np.zeros((1, 2, 0, 3)), W, padding='EXPLICIT', explicit_padding=[2, 2, 0, 0])
conv('out_twice', X, W, dimension_numbers=numbers((0, 1, (2, 3)), (1, 0, (2, 3)), (0, 1, (1, 3))), at_run=False)
conv('window_too_long', X, np.zeros((3, 2, 9, 9)))
conv('padding', X, W, padding='FULL')
conv('padding_for_valid', X, W, explicit_padding=[0, 0, 0, 0])
conv('padding_missing', X, W, padding='EXPLICIT')
conv('padding_negative', X, W, padding='EXPLICIT', explicit_padding=[0, -1, 0, 0])
conv('strides_0', X, W, window_strides=[1, 0])
conv('strides_length', X, W, window_strides=[1])
conv('dilation_0', X, W, lhs_dilation=[1, 0])
conv('features', X, whole(-9, 9, 3, 3, 2, 2))
conv('groups_0', X, W, feature_group_count=0)
conv('groups_outputs', whole(-9, 9, 1, 4, 3, 3), whole(-9, 9, 3, 2, 2, 2), feature_group_count=2)
conv('batch_groups_0', X, W, batch_group_count=0)
conv('batch_groups_odd', X, W, batch_group_count=3)
conv('numbers_garbage', X, W, dimension_numbers=b'\xff\xff')
conv('numbers_beyond', X, W, dimension_numbers=numbers((0, 1, (2, 7)), (1, 0, (2, 3)), (0, 1, (2, 3))))
conv('numbers_short', X, W, dimension_numbers=numbers((0, 1, (2,)), (1, 0, (2, 3)), (0, 1, (2, 3))))
conv('rank', X, W[0])
conv('rank_2', [[1, 2]], [[1, 2]])
conv('lhs_axis', X, W, axes=(1, -1, -1), hybrid_too=False)
conv('rhs_axis', X, W, sw=[1, 2], zw=[0, 1], axes=(-1, 1, -1))
conv('output_axis', X, W, so=[1, 2], zo=[0, 1], axes=(-1, -1, 0), hybrid_too=False, known=False)
conv('output_only', X, W, so=[0.3, 4, 50], zo=[0, 1, -9], axes=(-1, -1, 1), hybrid_too=False, known=False)
conv('scale_0', X, W, sw=0)
conv('channels_length', X, W, sw=[1, 2], zw=[0, 1], axes=(-1, 0, -1))

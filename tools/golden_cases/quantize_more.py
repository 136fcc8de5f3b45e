# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/quantize_more.pb: ranges for each channel, norms and
sizes of images of quantized numbers."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(222)
i32, f32, q8, u8, q32 = tf.int32, tf.float32, tf.qint8, tf.quint8, tf.qint32


def whole(low, high, *shape):
    return random.integers(low, high, shape, endpoint=True)


# ---- channels
WIDE = whole(-(2**31), 2**31 - 1, 2, 3, 4, 3)
LOWS, HIGHS = [-1.5, -20, -0.3], [2, 4.5, 100]


def requantize(name, x=WIDE, low=LOWS, high=HIGHS, asked=(-1.0, 2.0), T=u8, **more):
    add('RequantizePerChannel', name, input=(q32, x), input_min=(f32, low), input_max=(f32, high),
        requested_output_min=(f32, asked[0]), requested_output_max=(f32, asked[1]), out_type=T, **more)  # fmt: skip


for T in (u8, q8):
    requantize(T.name, T=T)
    requantize(f'{T.name}_narrow', WIDE // 1000, T=T, asked=(-0.001, 0.002), at_run=False)
    requantize(f'{T.name}_ends', asked=(-7.0, 0.5), T=T, at_run=False)
requantize('one_range', low=[-2], high=[2])
requantize('scalars', low=-2.0, high=2.0)
requantize('one_channel', WIDE[..., :1], [-2], [2])
requantize('point', asked=(0.0, 0.0))
requantize('rank_2', WIDE[0, 0])
requantize('lengths', low=[-1, -2])
requantize('vector_requested', asked=([-1.0], 2.0))
requantize('two_requested', asked=([-1.0, 0], 2.0))
requantize('to_qint32', T=q32, at_run=False)


def used(name, x=WIDE, low=LOWS, high=HIGHS, clip=1e9, **more):
    add('RequantizationRangePerChannel', name, input=(q32, x), input_min=(f32, low), input_max=(f32, high),
        clip_value_max=clip, **more)  # fmt: skip


used('plain')
used('small', WIDE // 1000)
used('positive', np.abs(WIDE.astype(np.int64)) // 2)
used('clipped', clip=0.5)
used('clip_negative', clip=-1.0)
used('clip_0', clip=0.0)
used('scalars', low=-2.0, high=2.0)
used('lengths', low=[-1, -2])
used('matrix', low=[LOWS])
used('rank_2', WIDE[0, 0])
used('empty', np.zeros((0, 2, 2, 3)))


# ---- norms
def instance(name, x, low=-2.0, high=3.0, **more):
    add('QuantizedInstanceNorm', name, x=(u8, x), x_min=(f32, low), x_max=(f32, high), **more)


X = whole(0, 255, 2, 3, 4, 3)
instance('plain', X)
instance('above_0', X, 0.5, 90.0)
instance('given', X, output_range_given=True, given_y_min=-1.0, given_y_max=1.5)
instance('given_wide', X, output_range_given=True, given_y_min=-5.0, given_y_max=5.0, variance_epsilon=0.5)
instance('separation', X, min_separation=100.0)
instance('constant', np.full((1, 2, 2, 2), 7))
instance('one_pixel', X[:, :1, :1])
instance('no_batch', np.zeros((0, 2, 2, 2)))
instance('point', X, 2.0, 2.0)
instance('swapped', X, 3.0, 2.0)
instance('given_swapped', X, output_range_given=True, given_y_min=1.0, given_y_max=-1.0)
instance('given_point', X, output_range_given=True)
instance('vector', X, [-2.0])


def batch(name, x, m, v, beta, gamma, ranges=(-1, 1, -2, 1, 0.1, 2, -1, 3, -1, 1), epsilon=0.001, scale=True, **more):
    inputs = {}
    for i, (key, value) in enumerate((('t', x), ('m', m), ('v', v), ('beta', beta), ('gamma', gamma))):
        inputs |= {key: (u8, value), f'{key}_min': (f32, ranges[2 * i]), f'{key}_max': (f32, ranges[2 * i + 1])}
    add('QuantizedBatchNormWithGlobalNormalization', name, **inputs, out_type=q32, variance_epsilon=epsilon,
        scale_after_normalization=scale, **more)  # fmt: skip


FOUR = [whole(0, 255, 3) for _ in range(4)]
batch('plain', X, *FOUR)
batch('unscaled', X, *FOUR, scale=False)
batch('points', X, *FOUR, ranges=(1, 1) * 5)
batch('no_variance', X, FOUR[0], [0, 0, 0], *FOUR[2:], ranges=(-1, 1, -1, 1, 0, 2, -1, 1, -1, 1), epsilon=0.0)
batch('vectors', X, *FOUR, ranges=([-1], [1], -2, [1], 0.1, 2, [-1], 3, -1, [1]))
batch('two_ends', X, *FOUR, ranges=([-1, 0], 1, -2, 1, 0.1, 2, -1, 3, -1, 1))
for size in 1e3, 1e5, 1e7:
    batch(f'wide_{size:.0e}', X, *FOUR, ranges=[end * size for end in (-1.1, 1, -2, 1.3, 0.1, 2, -1.7, 3, -1.9, 1)])
batch('channel', X[..., :1], *([5] for _ in range(4)))
batch('length', X, FOUR[0][:2], *FOUR[1:])
batch('matrix', X, FOUR[0], [FOUR[1]], *FOUR[2:])
batch('rank', X[0], *FOUR)
batch('no_batch', np.zeros((0, 2, 2, 3)), *FOUR)


# ---- sizes
def resize(name, x, size, low=-2.0, high=3.0, T=u8, **more):
    add('QuantizedResizeBilinear', name, images=(T, x), size=(i32, size), min=(f32, low), max=(f32, high),
        **more)  # fmt: skip


for T, images in ((u8, X), (q32, WIDE // 2), (f32, random.normal(size=(2, 3, 4, 3)))):
    resize(f'{T.name}_larger', images, [7, 9], T=T)
    resize(f'{T.name}_smaller', images, [2, 3], T=T, at_run=False)
    resize(f'{T.name}_corners', images, [7, 2], T=T, align_corners=True, at_run=False)
    resize(f'{T.name}_centers', images, [2, 9], T=T, half_pixel_centers=True, at_run=False)
resize('wide', WIDE, [5, 5], T=q32)
resize('small', WIDE // 1024, [5, 5], T=q32)
resize('both', X, [5, 6], align_corners=True, half_pixel_centers=True)
resize('deep', whole(0, 255, 1, 4, 5, 16), [9, 7], half_pixel_centers=True)
resize('same', X, [3, 4])
resize('one', X, [1, 1], align_corners=True)
resize('swapped', X, [5, 6], 3.0, 2.0)
resize('size_0', X, [0, 6])
resize('size_negative', X, [5, -6])
resize('size_length', X, [5, 6, 7])
resize('rank', X[0], [5, 6])
resize('vector', X, [5, 6], [-2.0])
resize('no_batch', np.zeros((0, 3, 4, 3)), [5, 6])
resize('no_depth', np.zeros((1, 3, 4, 0)), [5, 6])
resize('no_rows', np.zeros((1, 0, 4, 2)), [5, 6])

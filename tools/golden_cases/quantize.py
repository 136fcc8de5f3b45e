# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/quantize.pb: quantized numbers and arithmetic with
them."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(35)
i32, f32, bf16 = tf.int32, tf.float32, tf.bfloat16
q8, u8, q16, u16, q32 = tf.qint8, tf.quint8, tf.qint16, tf.quint16, tf.qint32
INTEGERS = {q8: np.int8, u8: np.uint8, q16: np.int16, u16: np.uint16, q32: np.int32}
MODES = ('MIN_COMBINED', 'MIN_FIRST', 'SCALED')


def quantize(name, x, low, high, T=u8, **more):
    add('QuantizeV2', name, input=(f32, x), min_range=(f32, low), max_range=(f32, high), T=T, **more)


numbers = random.uniform(-3, 5, (4, 6)).round(3)
for T in (q8, u8, q16, u16, q32):
    for mode in MODES:
        quantize(f'{T.name}_{mode}', numbers, -2.5, 4.25, T, mode=mode, at_run=False)
for T in (q8, u8):
    quantize(f'{T.name}_even', np.arange(-8, 9) / 16, -0.5, 0.5, T, mode='SCALED', round_mode='HALF_TO_EVEN')
    quantize(f'{T.name}_narrow', numbers, -2.5, 4.25, T, mode='SCALED', narrow_range=True)
    quantize(f'{T.name}_axis', numbers, [-1, -2, 0, 0.5], [1, 3, 2, 4], T, axis=0)
    quantize(f'{T.name}_inner', numbers.reshape(2, 3, 4), [-1, -2, 0], [1, 3, 2], T, axis=1, mode='SCALED')
quantize('point', numbers, 0, 0)
quantize('one_sided', numbers, 1, 3)
quantize('wide', numbers, -0.01, 0.01, ensure_minimum_range=1.0)
quantize('swapped', numbers, 1, -1)
quantize('vector', numbers, [0], [1])
quantize('two', numbers, [0, 1], [1, 2])
quantize('axis_length', numbers, [0, 1], [1, 2], axis=0)
quantize('axis_beyond', numbers, [0, 1], [1, 2], axis=2)
quantize('even_first', numbers, 0, 1, mode='MIN_FIRST', round_mode='HALF_TO_EVEN')
quantize('empty', np.zeros((0, 2)), 0, 1)


def dequantize(name, T, low, high, x=None, **more):
    if x is None:
        limits = np.iinfo(INTEGERS[T])
        x = random.integers(limits.min, limits.max, (2, 3, 4), dtype=np.int64, endpoint=True)
    add('Dequantize', name, input=(T, x), min_range=(f32, low), max_range=(f32, high), **more)


for T in (q8, u8, q16, u16, q32):
    for mode in MODES:
        dequantize(f'{T.name}_{mode}', T, -2.5, 4.25, mode=mode, at_run=False)
    dequantize(f'{T.name}_bfloat16', T, -2.5, 4.25, dtype=bf16, at_run=False)
dequantize('axis', u8, [-1, 0, 2], [1, 2, 3], axis=1, at_run=False)
dequantize('narrow', q8, -2.5, 4.25, mode='SCALED', narrow_range=True)
dequantize('swapped', q8, 1, -1)
dequantize('bfloat16_scaled', q8, 0, 1, dtype=bf16, mode='SCALED')
dequantize('length', q8, [0, 1], [1, 2])


# ---- ranges
def wide(*shape):
    return (q32, random.integers(-(2**31), 2**31, shape))


def ranges(name, x=None, low=-70.0, high=70.0, out=u8, asked=(-1.5, 2.0), **more):
    x = wide(3, 5) if x is None else x
    common = dict(input=x, input_min=(f32, low), input_max=(f32, high), **more)
    add('RequantizationRange', name, **common)
    add('QuantizeDownAndShrinkRange', name, out_type=u8, **common)
    add('Requantize', name, out_type=out, requested_output_min=(f32, asked[0]), requested_output_max=(f32, asked[1]),
        **common)  # fmt: skip


for out in (u8, q8):
    ranges(f'{out.name}', out=out, at_run=False)
    ranges(f'{out.name}_small', (q32, [[-4000, 0, 70, 5 * 10**6]]), out=out, asked=(-1e-3, 0.2))
    ranges(f'{out.name}_uneven', low=-10.0, high=200.0, out=out, asked=(-5.0, 150.0), at_run=False)
    ranges(f'{out.name}_above', (q32, [10**9, 2 * 10**9]), out=out, asked=(0.0, 64.0), at_run=False)
ranges('empty', (q32, []), at_run=False)
ranges('point', asked=(0.0, 0.0), at_run=False)
ranges('above_zero', asked=(0.5, 1.0))
ranges('swapped', asked=(-0.5, -1.0))
ranges('vector', low=[-1.0], at_run=False)


# ---- arithmetic
def bytes_of(T, *shape):
    return (T, random.integers(np.iinfo(INTEGERS[T]).min, np.iinfo(INTEGERS[T]).max, shape, endpoint=True))


def relu(name, x, low=-2.0, high=9.0, T=u8, **more):
    for op in ('QuantizedRelu', 'QuantizedRelu6'):
        add(op, name, features=x, min_features=(f32, low), max_features=(f32, high), out_type=T, **more)


relu('bytes', bytes_of(u8, 3, 4))
relu('wide', wide(3, 4), T=q32)
relu('above', bytes_of(u8, 5), 1.0, 4.0, at_run=False)
relu('below', bytes_of(u8, 5), -4.0, -1.0, at_run=False)
relu('signed', bytes_of(q8, 5), T=q8, at_run=False)
relu('other', bytes_of(u8, 5), T=q32, at_run=False)
relu('vector', bytes_of(u8, 5), low=[-2.0])


def binary(name, x, y, rx=(-3.0, 5.0), ry=(-1.0, 2.5), **more):
    for op in ('QuantizedAdd', 'QuantizedMul'):
        add(op, name, x=x, y=y, min_x=(f32, rx[0]), max_x=(f32, rx[1]), min_y=(f32, ry[0]), max_y=(f32, ry[1]),
            **more)  # fmt: skip


binary('same', bytes_of(u8, 3, 4), bytes_of(u8, 3, 4))
binary('row', bytes_of(u8, 3, 4), bytes_of(u8, 4))
binary('scalar', bytes_of(u8, 3, 4), bytes_of(u8))
binary('scalar_first', bytes_of(u8), bytes_of(u8, 7))
binary('uneven', bytes_of(u8, 20), bytes_of(u8, 20), (0.5, 90.0), (-0.001, 0.02), at_run=False)
binary('shapes', bytes_of(u8, 3), bytes_of(u8, 4))
binary('point', bytes_of(u8, 3), bytes_of(u8, 3), (1.0, 1.0))
binary('swapped', bytes_of(u8, 3), bytes_of(u8, 3), (-1.0, 1.0), (1.0, -1.0))
binary('signed', bytes_of(q8, 3), bytes_of(q8, 3), at_run=False)


def bias(name, x, b, rx=(-3.0, 5.0), rb=(-1.0, 2.5), out=q32, **more):
    add('QuantizedBiasAdd', name, input=x, bias=b, min_input=(f32, rx[0]), max_input=(f32, rx[1]), min_bias=(f32, rb[0]),
        max_bias=(f32, rb[1]), out_type=out, **more)  # fmt: skip


for T in (u8, q8):
    bias(T.name, bytes_of(T, 3, 4), bytes_of(T, 4))
    bias(f'{T.name}_images', bytes_of(T, 1, 2, 2, 3), bytes_of(T, 3), (0.0, 6.0), (-0.1, 0.1), at_run=False)
bias('mixed', bytes_of(u8, 3, 4), bytes_of(q8, 4), at_run=False)
bias('length', bytes_of(u8, 3, 4), bytes_of(u8, 3))
bias('vector', bytes_of(u8, 4), bytes_of(u8, 4))
bias('matrix', bytes_of(u8, 3, 4), bytes_of(u8, 1, 4))


def matmul(name, a, b, ra=(-3.0, 5.0), rb=(-1.0, 2.5), **more):
    add('QuantizedMatMul', name, a=a, b=b, min_a=(f32, ra[0]), max_a=(f32, ra[1]), min_b=(f32, rb[0]),
        max_b=(f32, rb[1]), **more)  # fmt: skip


matmul('plain', bytes_of(u8, 3, 5), bytes_of(u8, 5, 4))
matmul('transpose_a', bytes_of(u8, 5, 3), bytes_of(u8, 5, 4), transpose_a=True)
matmul('transpose_b', bytes_of(u8, 3, 5), bytes_of(u8, 4, 5), transpose_b=True)
matmul('both', bytes_of(u8, 5, 3), bytes_of(u8, 4, 5), transpose_a=True, transpose_b=True)
matmul('above', bytes_of(u8, 2, 40), bytes_of(u8, 40, 2), (1.0, 5.0), (-9.0, -1.0))
matmul('sizes', bytes_of(u8, 3, 5), bytes_of(u8, 4, 4))
matmul('rank', bytes_of(u8, 5), bytes_of(u8, 5, 4))
matmul('point', bytes_of(u8, 3, 5), bytes_of(u8, 5, 4), (1.0, 1.0))
matmul('signed', bytes_of(q8, 3, 5), bytes_of(u8, 5, 4), at_run=False)


# ---- windows
def conv(name, x, w, rx=(-1.0, 3.0), rw=(-2.0, 1.0), strides=(1, 1, 1, 1), padding='SAME', **more):
    add('QuantizedConv2D', name, input=x, filter=w, min_input=(f32, rx[0]), max_input=(f32, rx[1]),
        min_filter=(f32, rw[0]), max_filter=(f32, rw[1]), strides=list(strides), padding=padding, **more)  # fmt: skip


for padding in ('SAME', 'VALID'):  # TensorFlow has no kernel for filters of qint8 without oneDNN
    conv(padding, bytes_of(u8, 2, 5, 4, 2), bytes_of(u8, 3, 2, 2, 3), padding=padding)
conv('strides', bytes_of(u8, 1, 6, 7, 1), bytes_of(u8, 2, 3, 1, 4), strides=(1, 2, 2, 1), at_run=False)
conv('one', bytes_of(u8, 1, 3, 3, 4), bytes_of(u8, 1, 1, 4, 2), (0.0, 6.0))
conv('uneven_strides', bytes_of(u8, 1, 3, 3, 1), bytes_of(u8, 1, 1, 1, 2), strides=(1, 1, 2, 1), at_run=False)
conv('dilations', bytes_of(u8, 1, 5, 5, 1), bytes_of(u8, 2, 2, 1, 2), dilations=[1, 2, 2, 1], at_run=False)
conv('depth', bytes_of(u8, 1, 3, 3, 2), bytes_of(u8, 1, 1, 3, 2))
conv('signed', bytes_of(q8, 1, 3, 3, 1), bytes_of(u8, 1, 1, 1, 2), at_run=False)
conv('no_images', bytes_of(u8, 0, 3, 3, 1), bytes_of(u8, 1, 1, 1, 2))
conv('rank', bytes_of(u8, 3, 3, 1), bytes_of(u8, 1, 1, 1, 2))


def pools(name, x, ksize=(1, 2, 2, 1), strides=(1, 1, 1, 1), padding='SAME', low=-1.0, **more):
    for op in ('QuantizedMaxPool', 'QuantizedAvgPool'):
        add(op, name, input=x, min_input=(f32, low), max_input=(f32, 2.0), ksize=list(ksize), strides=list(strides),
            padding=padding, **more)  # fmt: skip


for T in (u8, q8):
    for padding in ('SAME', 'VALID'):
        pools(f'{T.name}_{padding}', bytes_of(T, 2, 4, 5, 2), padding=padding)
    pools(f'{T.name}_strides', bytes_of(T, 1, 6, 7, 1), (1, 3, 2, 1), (1, 2, 3, 1), at_run=False)
pools('batch', bytes_of(u8, 2, 3, 3, 1), (2, 1, 1, 1), at_run=False)
pools('wide', wide(1, 3, 3, 1), at_run=False)
pools('rank', bytes_of(u8, 3, 3, 1))
pools('no_images', bytes_of(u8, 0, 3, 3, 1))


# ---- moved
def concat(name, axis, values, lows, highs, **more):
    common = dict(values=values, input_mins=[(f32, x) for x in lows], input_maxes=[(f32, x) for x in highs], **more)
    add('QuantizedConcat', name, concat_dim=(i32, axis), **common)


concat('same', 0, [bytes_of(u8, 2, 3), bytes_of(u8, 1, 3)], [-1.0, -1.0], [2.0, 2.0])
concat('other', 1, [bytes_of(u8, 2, 3), bytes_of(u8, 2, 1), bytes_of(u8, 2, 2)], [-1.0, -2.0, 0.5], [2.0, 1.0, 4.0])
concat('above', 0, [bytes_of(u8, 3), bytes_of(u8, 2)], [1.0, 2.0], [2.0, 5.0], at_run=False)
concat('signed', 0, [bytes_of(q8, 3), bytes_of(q8, 2)], [-1.0, -2.0], [2.0, 5.0], at_run=False)
concat('wide', 0, [wide(3), wide(2)], [-1.0, -2.0], [2.0, 5.0], at_run=False)
concat('axis', 2, [bytes_of(u8, 2, 3), bytes_of(u8, 1, 3)], [-1.0, -1.0], [2.0, 2.0])
concat('shapes', 0, [bytes_of(u8, 2, 3), bytes_of(u8, 1, 4)], [-1.0, -1.0], [2.0, 2.0])
concat('ranks', 0, [bytes_of(u8, 2, 3), bytes_of(u8, 3)], [-1.0, -1.0], [2.0, 2.0])


def reshape(name, x, shape, low=-1.0, **more):
    add('QuantizedReshape', name, tensor=x, shape=shape, input_min=(f32, low), input_max=(f32, 2.0), **more)


reshape('bytes', bytes_of(u8, 2, 6), (i32, [3, -1]))
reshape('wide', wide(2, 6), (tf.int64, [12]))
reshape('vector', bytes_of(u8, 2, 6), (i32, [12]), low=[-1.0])
reshape('two', bytes_of(u8, 2, 6), (i32, [12]), low=[-1.0, 2.0])
reshape('size', bytes_of(u8, 2, 6), (i32, [5, -1]))
reshape('signed', bytes_of(q8, 2, 6), (i32, [12]), at_run=False)

# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/refused_shapes.pb: shapes that shape functions refuse,
or that they let pass until the node runs."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(11)
f32, i32, i64, qint8, qint32 = tf.float32, tf.int32, tf.int64, tf.qint8, tf.qint32


def refused(op, name, shapes, **arguments):
    add(op, name, at_run=False, refused=shapes, **arguments)


LIMITS = {f'{side}_quantization_{end}_val': n for side in ('lhs', 'rhs') for end, n in (('min', -128), ('max', 127))}
OUT_LIMITS = dict(output_quantization_min_val=-(2**31), output_quantization_max_val=2**31 - 1)
SCALES = dict(rhs_scales=(f32, [1, 2, 3]), rhs_zero_points=(i32, [0, 1, 2]), rhs_quantization_axis=1)
DOT = dict(lhs=(qint8, random.integers(-9, 9, (2, 4))), rhs=(qint8, random.integers(-9, 9, (4, 3))), lhs_scales=(f32, 0.5),
           lhs_zero_points=(i32, 1), output_scales=(f32, 2), output_zero_points=(i32, 3), Tout=qint32, **SCALES, **LIMITS,
           **OUT_LIMITS)  # fmt: skip
HYBRID = dict(lhs=(f32, random.normal(size=(2, 4))), rhs=DOT['rhs'], Tout=f32, rhs_quantization_min_val=-128,
              rhs_quantization_max_val=127, **SCALES)  # fmt: skip
CONV = DOT | dict(lhs=(qint8, random.integers(-9, 9, (1, 2, 3, 3))), rhs=(qint8, random.integers(-9, 9, (3, 2, 2, 2))),
                  rhs_quantization_axis=0, padding='VALID')  # fmt: skip
for name, shapes in {
    'no_zero_points': dict(rhs_zero_points=[]), 'no_scales': dict(rhs_scales=[]), 'few_scales': dict(rhs_scales=[2]),
    'few_zero_points': dict(rhs_zero_points=[2]), 'matrix': dict(rhs_scales=[3, 1]),
}.items():  # fmt: skip
    refused('UniformQuantizedDot', name, shapes=shapes, **DOT)
    refused('UniformQuantizedDotHybrid', name, shapes=shapes, **HYBRID)
    refused('UniformQuantizedConvolution', name, shapes=shapes, **CONV)
for name, shapes in {'out_no_scales': dict(output_zero_points=[3]), 'out_scales': dict(output_scales=[3])}.items():
    refused('UniformQuantizedDot', name, shapes=shapes, **DOT)
    refused('UniformQuantizedConvolution', name, shapes=shapes, **CONV)
for name, limits in {'limit_of_int64': (-(2**31) - 1, 2**40), 'limits_swapped': (5, -5)}.items():
    add('UniformDequantize', name, input=(qint32, [-5, 0, 7]), scales=(f32, 0.5), zero_points=(i32, 1), Tout=f32,
        quantization_min_val=limits[0], quantization_max_val=limits[1])  # fmt: skip

IMAGE = random.normal(size=(1, 4, 5, 2))
CROP = dict(producer=7, image=(i32, np.arange(60).reshape(4, 5, 3)), size=(i64, [2, 3]), seed=3, seed2=5)
for name, shape in {'matrix': [2, 1], 'three': [3], 'one': [1]}.items():
    refused('RandomCrop', f'size_{name}', shapes=dict(size=shape), **CROP)
add('RandomCrop', 'size_constant', 'exact', at_run=False, constants=['size'], **CROP)
CONTRAST = dict(producer=1, images=(f32, IMAGE), contrast_factor=(f32, 1.5), min_value=(f32, -1), max_value=(f32, 1))
for name in ('contrast_factor', 'min_value', 'max_value'):
    refused('AdjustContrast', name, shapes={name: [1]}, **CONTRAST)

for op, more in {'ImageProjectiveTransformV2': {}, 'ImageProjectiveTransformV3': dict(fill_value=(f32, 0.5))}.items():
    for name, x in {'vector': np.ones(8), 'cube': np.ones((1, 1, 8)), 'empty': np.ones((2, 0, 8))}.items():
        add(op, name, images=(f32, IMAGE), transforms=(f32, x), output_shape=(i32, [3, 3]), interpolation='NEAREST', **more)
for name, (scale, translation) in {'scalar': (1, [0, 0]), 'matrix': ([[1, 1]], [0, 0]), 'by_scalar': ([1, 1], 0)}.items():
    add('ScaleAndTranslate', name, images=(f32, IMAGE), size=(i32, [3, 3]), scale=(f32, scale),
        translation=(f32, translation))  # fmt: skip

# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/conv_any.pb: Conv, of images and of volumes."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(115)
f16, bf16, f32, f64, i32 = tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int32


def real(*shape):
    return random.uniform(-3, 3, shape)


IMAGE, FILTER = real(2, 5, 6, 3), real(3, 2, 3, 4)
for T in (f32, f64, f16, bf16):
    x, w = (IMAGE, FILTER) if T in (f32, f64) else (np.rint(IMAGE), np.rint(FILTER))
    add('Conv', T.name, input=(T, x), filter=(T, w), strides=[1, 1, 1, 1], padding='SAME', at_run=False)
add('Conv', 'int32', input=(i32, random.integers(-9, 9, (1, 4, 4, 2))), filter=(i32, random.integers(-9, 9, (2, 2, 2, 3))),
    strides=[1, 1, 1, 1], padding='VALID')  # fmt: skip
for name, more in [
    ('strides', dict(strides=[1, 2, 1, 1], padding='VALID')), ('dilations', dict(strides=[1, 1, 1, 1], padding='SAME', dilations=[1, 2, 1, 1])),
    ('explicit', dict(strides=[1, 1, 1, 1], padding='EXPLICIT', explicit_paddings=[0, 0, 1, 2, 0, 1, 0, 0])),
    ('first', dict(strides=[1, 1, 1, 1], padding='SAME', data_format='CHANNELS_FIRST')),
    ('batch_dims_0', dict(strides=[1, 1, 1, 1], padding='SAME', batch_dims=0)), ('groups_3', dict(strides=[1, 1, 1, 1], padding='SAME', groups=3)),
    ('strides_2', dict(strides=[1, 1], padding='SAME')), ('stride_0', dict(strides=[1, 0, 1, 1], padding='SAME')),
    ('stride_batch', dict(strides=[2, 1, 1, 1], padding='SAME')), ('dilation_depth', dict(strides=[1] * 4, padding='SAME', dilations=[1, 1, 1, 2])),
    ('paddings_unasked', dict(strides=[1, 1, 1, 1], padding='SAME', explicit_paddings=[0, 0, 1, 2, 0, 1, 0, 0])),
    ('dilations_3', dict(strides=[1, 1, 1, 1], padding='SAME', dilations=[1, 2, 1])),
]:  # fmt: skip
    add('Conv', name, input=(f32, IMAGE), filter=(f32, FILTER), **more)
VOLUME, CUBES = real(1, 4, 5, 3, 2), real(2, 2, 3, 2, 3)
add('Conv', 'volume', input=(f32, VOLUME), filter=(f32, CUBES), strides=[1, 1, 2, 1, 1], padding='SAME')
add('Conv', 'volume_valid', input=(f64, VOLUME), filter=(f64, CUBES), strides=[1, 1, 1, 1, 1], padding='VALID')
add('Conv', 'volume_dilated', input=(f32, VOLUME), filter=(f32, CUBES), strides=[1] * 5, dilations=[1, 2, 1, 1, 1],
    padding='VALID')  # fmt: skip
add('Conv', 'volume_explicit', input=(f32, VOLUME), filter=(f32, CUBES), strides=[1] * 5, padding='EXPLICIT',
    explicit_paddings=[0, 0, 1, 1, 1, 1, 0, 0, 0, 0])  # fmt: skip
add('Conv', 'volume_int32', input=(i32, np.rint(VOLUME)), filter=(i32, np.rint(CUBES)), strides=[1] * 5, padding='VALID')
add('Conv', 'volume_batch_dims_2', input=(f32, VOLUME[None]), filter=(f32, CUBES), strides=[1] * 5, padding='VALID', batch_dims=2)
add('Conv', 'batch_dims_2', input=(f32, real(2, 2, 5, 6, 3)), filter=(f32, FILTER), strides=[1] * 4, padding='SAME',
    batch_dims=2)  # fmt: skip
add('Conv', 'batch_dims_2_strides_5', input=(f32, real(2, 2, 5, 6, 3)), filter=(f32, FILTER), strides=[1] * 5,
    padding='SAME', batch_dims=2)  # fmt: skip
add('Conv', 'rank_3', input=(f32, real(2, 7, 3)), filter=(f32, real(3, 3, 4)), strides=[1] * 3, padding='SAME')
add('Conv', 'depth', input=(f32, IMAGE[..., :2]), filter=(f32, FILTER), strides=[1] * 4, padding='SAME')
add('Conv', 'first_depth', input=(f32, np.moveaxis(IMAGE, 3, 1)), filter=(f32, FILTER), strides=[1] * 4, padding='SAME',
    data_format='CHANNELS_FIRST')  # fmt: skip
add('Conv', 'filter_rank', input=(f32, IMAGE), filter=(f32, CUBES), strides=[1] * 4, padding='SAME')
add('Conv', 'empty', input=(f32, IMAGE[:0]), filter=(f32, FILTER), strides=[1] * 4, padding='SAME')

# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/keras.pb: ops that exported layers of Keras 3 need."""

import numpy as np
import tensorflow as tf

R = tf.raw_ops
f32, i32, i64 = tf.float32, tf.int32, tf.int64

CASES = []
random = np.random.default_rng(5)


def case(name, op, compare='close', known=True, **arguments):
    """Inputs are the arguments that are (dtype, value); the others are attrs."""
    inputs = {k: v for k, v in arguments.items() if isinstance(v, tuple)}
    attrs = {k: v for k, v in arguments.items() if k not in inputs}
    values = {k: np.asarray(v, d.as_numpy_dtype) for k, (d, v) in inputs.items()}

    def build(known):
        def steps(b):
            feeds = {k: b.placeholder(k, d, values[k].shape if known else None) for k, (d, _) in inputs.items()}
            return [dict(fetch=[getattr(R, op)(**feeds, **attrs)], feed=values)]

        return steps

    CASES.append((f'{op}/{name}', build(True), compare))
    CASES.append((f'{op}/{name}_at_run', build(False), compare))


# ---- counts in rows
nothing = (f32, [])
for binary in (False, True):
    case(f'ragged_{binary}', 'RaggedBincount', splits=(i64, [0, 2, 2, 5]), values=(i32, [1, 1, 0, 4, 2]), size=(i32, 4),
         weights=nothing, binary_output=binary)
    case(f'sparse_{binary}', 'SparseBincount', indices=(i64, [[0, 1], [2, 0], [2, 3]]), values=(i64, [3, 1, 1]),
         dense_shape=(i64, [3, 4]), size=(i64, 4), weights=nothing, binary_output=binary)
case('weights', 'RaggedBincount', splits=(i64, [0, 1, 3]), values=(i64, [2, 0, 0]), size=(i64, 3),
     weights=(tf.float64, [0.5, 1.5, 2]))
case('weights_int', 'RaggedBincount', splits=(i64, [0, 1, 3]), values=(i64, [2, 0, 0]), size=(i64, 3),
     weights=(i32, [5, -1, 2]))
case('no_rows', 'RaggedBincount', splits=(i64, [0]), values=(i32, []), size=(i32, 3), weights=nothing)
case('no_bins', 'RaggedBincount', splits=(i64, [0, 1]), values=(i32, [1]), size=(i32, 0), weights=nothing)
case('empty_rows', 'RaggedBincount', splits=(i64, [0, 0, 0]), values=(i32, []), size=(i32, 2), weights=nothing)
case('start', 'RaggedBincount', splits=(i64, [1, 2]), values=(i32, [1, 1]), size=(i32, 3), weights=nothing)
case('end', 'RaggedBincount', splits=(i64, [0, 1]), values=(i32, [1, 1]), size=(i32, 3), weights=nothing)
case('negative', 'RaggedBincount', splits=(i64, [0, 2]), values=(i32, [1, -1]), size=(i32, 3), weights=nothing)
case('negative_size', 'RaggedBincount', splits=(i64, [0, 2]), values=(i32, [1, 1]), size=(i32, -3), weights=nothing)
case('vector', 'SparseBincount', indices=(i64, [[0], [5]]), values=(i32, [3, 3]), dense_shape=(i64, [9]), size=(i32, 4),
     weights=(f32, [2, 0.5]))
case('row_outside', 'SparseBincount', indices=(i64, [[3, 0]]), values=(i32, [1]), dense_shape=(i64, [3, 4]), size=(i32, 4),
     weights=nothing)

# ---- transforms
image = random.uniform(-10, 10, (2, 5, 4, 2)).astype(np.float32).round(2)
turn = [0.8, -0.6, 1.2, 0.6, 0.8, -0.7, 0, 0]
bend = [1.1, 0.1, -2, 0.05, 0.9, -1.5, 0.05, -0.02]
for mode in ('CONSTANT', 'REFLECT', 'WRAP', 'NEAREST'):
    for way in ('NEAREST', 'BILINEAR'):
        case(f'{mode}_{way}', 'ImageProjectiveTransformV3', images=(f32, image), transforms=(f32, [turn, bend]),
             output_shape=(i32, [6, 7]), fill_value=(f32, 3.5), interpolation=way, fill_mode=mode)
    case(f'{mode}_far', 'ImageProjectiveTransformV3', images=(f32, image), transforms=(f32, [[3.0, 0, -9.5, 0, -4, 20, 0, 0]]),
         output_shape=(i32, [5, 4]), fill_value=(f32, -1), interpolation='BILINEAR', fill_mode=mode)
    case(f'{mode}_one', 'ImageProjectiveTransformV3', images=(f32, image[:, :1, :1]), transforms=(f32, [turn]),
         output_shape=(i32, [3, 3]), fill_value=(f32, 9), interpolation='NEAREST', fill_mode=mode)
for dtype in (tf.uint8, i32, i64, tf.half, tf.bfloat16, tf.float64):
    case(dtype.name, 'ImageProjectiveTransformV2', images=(dtype, np.abs(image) * 10), transforms=(f32, [turn]),
         output_shape=(i32, [4, 4]), interpolation='NEAREST', fill_mode='REFLECT')
    case(dtype.name + '_bilinear', 'ImageProjectiveTransformV2', images=(dtype, np.abs(image) * 10), transforms=(f32, [turn]),
         output_shape=(i32, [4, 4]), interpolation='BILINEAR')
case('pole', 'ImageProjectiveTransformV3', images=(f32, image), transforms=(f32, [[1, 0, 0, 0, 1, 0, -1, 0]]),
     output_shape=(i32, [5, 4]), fill_value=(f32, 7), interpolation='BILINEAR')
case('empty', 'ImageProjectiveTransformV2', images=(f32, image[:0]), transforms=(f32, [turn]), output_shape=(i32, [5, 4]),
     interpolation='BILINEAR')
case('three', 'ImageProjectiveTransformV2', images=(f32, image), transforms=(f32, [turn] * 3), output_shape=(i32, [5, 4]),
     interpolation='BILINEAR')
case('seven', 'ImageProjectiveTransformV2', images=(f32, image), transforms=(f32, [turn[:7]]), output_shape=(i32, [5, 4]),
     interpolation='BILINEAR')
case('size', 'ImageProjectiveTransformV2', images=(f32, image), transforms=(f32, [turn]), output_shape=(i32, [5, 0]),
     interpolation='BILINEAR')
case('rank', 'ImageProjectiveTransformV2', images=(f32, image[0]), transforms=(f32, [turn]), output_shape=(i32, [5, 4]),
     interpolation='NEAREST')

for kernel in ('lanczos1', 'lanczos3', 'lanczos5', 'gaussian', 'box', 'triangle', 'keyscubic', 'mitchellcubic'):
    for antialias in (True, False):
        case(f'{kernel}_{antialias}', 'ScaleAndTranslate', images=(f32, image), size=(i32, [3, 7]), scale=(f32, [0.6, 1.75]),
             translation=(f32, [0, 0]), kernel_type=kernel, antialias=antialias)
    case(f'{kernel}_moved', 'ScaleAndTranslate', images=(f32, image / 10), size=(i32, [4, 6]), scale=(f32, [0.7, 1.2]),
         translation=(f32, [1.3, -2.4]), kernel_type=kernel)
for dtype in (tf.int8, tf.uint8, tf.int16, tf.uint16, i32, i64, tf.half, tf.bfloat16, tf.float64):
    case(dtype.name, 'ScaleAndTranslate', images=(dtype, np.abs(image) * 9), size=(i32, [3, 3]), scale=(f32, [0.5, 0.7]),
         translation=(f32, [0.1, 0.2]))
case('scale', 'ScaleAndTranslate', images=(f32, image), size=(i32, [3, 3]), scale=(f32, [0, 1]), translation=(f32, [0, 0]))
case('size', 'ScaleAndTranslate', images=(f32, image), size=(i32, [0, 3]), scale=(f32, [1, 1]), translation=(f32, [0, 0]))
case('three', 'ScaleAndTranslate', images=(f32, image), size=(i32, [2, 3]), scale=(f32, [1, 1, 1]), translation=(f32, [0, 0]))
case('kernel', 'ScaleAndTranslate', images=(f32, image), size=(i32, [2, 3]), scale=(f32, [1, 1]), translation=(f32, [0, 0]),
     kernel_type='cubic')
case('empty', 'ScaleAndTranslate', images=(f32, image[:, :0]), size=(i32, [2, 3]), scale=(f32, [1, 1]), translation=(f32, [0, 0]))
case('none', 'ScaleAndTranslate', images=(f32, image[:0]), size=(i32, [2, 3]), scale=(f32, [1, 1]), translation=(f32, [0, 0]))

# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/old_ops.pb: cells' gradients, maps of functions, and ops of
TensorFlow's first graphs."""

import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import function

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(7)
f32, i32, i64, text = tf.float32, tf.int32, tf.int64, tf.string


def numbers(*shape):
    return random.uniform(-0.9, 0.9, shape)


for batch, inputs, n in ((2, 3, 4), (1, 1, 1), (0, 2, 3), (5, 9, 17)):
    state = {k: (f32, numbers(batch, n)) for k in ('i', 'cs', 'f', 'o', 'ci', 'co', 'cs_grad', 'h_grad')}
    lstm = dict(x=(f32, numbers(batch, inputs)), cs_prev=(f32, numbers(batch, n)), h_prev=(f32, numbers(batch, n)),
                w=(f32, numbers(inputs + n, 4 * n)), wci=(f32, numbers(n)), wcf=(f32, numbers(n)), wco=(f32, numbers(n)),
                b=(f32, numbers(4 * n)), **state)  # fmt: skip
    for peephole in (False, True):
        add('LSTMBlockCellGrad', f'{batch}_{inputs}_{n}_{peephole}', at_run=n == 4, use_peephole=peephole, **lstm)
    gru = dict(x=(f32, numbers(batch, inputs)), h_prev=(f32, numbers(batch, n)), w_ru=(f32, numbers(inputs + n, 2 * n)),
               w_c=(f32, numbers(inputs + n, n)), b_ru=(f32, numbers(2 * n)), b_c=(f32, numbers(n)),
               **{k: (f32, numbers(batch, n)) for k in ('r', 'u', 'c', 'd_h')})  # fmt: skip
    add('GRUBlockCellGrad', f'{batch}_{inputs}_{n}', at_run=n == 4, **gru)
    if n == 4:
        for key, wrong in dict(x=numbers(3, 3), cs_prev=numbers(2, 5), w=numbers(6, 16), b=numbers(15), i=numbers(2, 3),
                               h_grad=numbers(1, 4)).items():  # fmt: skip
            add('LSTMBlockCellGrad', f'wrong_{key}', known=False, use_peephole=True, **{**lstm, key: (f32, wrong)})
        for key, wrong in dict(x=numbers(3, 3), h_prev=numbers(2, 5), w_ru=numbers(6, 8), w_c=numbers(7, 3), b_ru=numbers(7),
                               r=numbers(2, 3), d_h=numbers(1, 4)).items():  # fmt: skip
            add('GRUBlockCellGrad', f'wrong_{key}', known=False, **{**gru, key: (f32, wrong)})


def map_defun(name, f, types, tensors, out, shapes, captured=()):
    def build(b):
        inputs = [b.placeholder(f'x{i}', t, np.shape(x)) for i, (t, x) in enumerate(tensors)]
        caught = [b.placeholder(f'c{i}', t, np.shape(x)) for i, (t, x) in enumerate(captured)]
        got = tf.raw_ops.MapDefun(arguments=inputs, captured_inputs=caught, output_types=out, output_shapes=shapes,
                                  f=function.Defun(*types)(f))  # fmt: skip
        feed = {f'x{i}': x for i, (_, x) in enumerate(tensors)} | {f'c{i}': x for i, (_, x) in enumerate(captured)}
        return [dict(fetch=got, feed=feed)]

    CASES.append(('MapDefun/' + name, build, 'exact'))


map_defun('twice', lambda x: x * 2, [i32], [(i32, [1, 2, 3])], [i32], [[]])
map_defun('rows', lambda x: tf.reduce_sum(x), [i32], [(i32, [[1, 2], [3, 4]])], [i32], [[]])
map_defun('two', lambda x, y: (x + y, tf.fill([2], x)), [i32, i32], [(i32, [1, 2]), (i32, [3, 4])], [i32, i32], [[], [2]])
map_defun('captured', lambda x, y: x + y, [i32, i32], [(i32, [1, 2, 3])], [i32], [[]], [(i32, 10)])
map_defun('no_rows', lambda x: tf.fill([2], x), [i32], [(i32, [])], [i32], [[2]])
map_defun('no_rows_unknown', lambda x: tf.fill([2], x), [i32], [(i32, [])], [i32], [[None]])
map_defun('unknown_shape', lambda x: tf.fill([2], x), [i32], [(i32, [1, 2])], [i32], [[None]])
map_defun('uneven_results', lambda x: tf.fill([x], x), [i32], [(i32, [1, 2])], [i32], [[None]])
map_defun('wrong_shape', lambda x: tf.fill([2], x), [i32], [(i32, [1, 2])], [i32], [[3]])
map_defun('scalar', lambda x: x, [i32], [(i32, 1)], [i32], [[]])
map_defun('uneven', lambda x, y: x, [i32, i32], [(i32, [1, 2]), (i32, [1, 2, 3])], [i32], [[]])
map_defun('texts', lambda x: x + 'b', [text], [(text, ['a', ''])], [text], [[]])
map_defun('fails', lambda x: tf.reshape(x, [2]), [i32], [(i32, [1, 2])], [i32], [[2]])

points, centers = numbers(5, 3), numbers(4, 3)
for name, (p, c, k) in dict(one=(points, centers, 1), all=(points, centers, 4), more=(points, centers, 9), none=(points, centers, 0),
                            negative=(points, centers, -1), vector=(points[0], centers, 1), centers_vector=(points, centers[0], 1),
                            sizes=(points, numbers(4, 2), 1), no_centers=(points, np.zeros((0, 3)), 2), k_vector=(points, centers, [1]),
                            no_points=(np.zeros((0, 3)), centers, 2), many=(numbers(40, 7), numbers(60, 7), 5)).items():  # fmt: skip
    add('NearestNeighbors', name, at_run=name == 'one', points=(f32, p), centers=(f32, c), k=(i64, k))

for name, names in dict(first=['CPU', 'GPU'], second=['GPU', 'CPU'], lacking=['TPU'], none=[], case=['cpu'], three=['a', 'b', 'CPU']).items():
    add('DeviceIndex', name, 'exact', at_run=False, device_names=names)

image = np.arange(60).reshape(4, 5, 3)
for name, (x, size) in dict(small=(image, [1, 1]), rows=(image, [2, 5]), whole=(image, [4, 5]), larger=(image, [5, 5]), zero=(image, [0, 1]),
                            negative=(image, [1, -1]), three=(image, [1, 1, 1]), matrix=(image[0], [1, 1]), size_matrix=(image, [[1, 1]]),
                            odd=(image, [2, 3])).items():  # fmt: skip
    for t in (tf.uint8, f32) if name in ('small', 'odd') else (i32,):
        add('RandomCrop', f'{name}_{t.name}', 'exact', producer=7, runs=3, known=False, image=(t, x), size=(i64, size), seed=3, seed2=5)
photo = np.round(20 * random.uniform(size=(2, 3, 4, 2)))
for t in (tf.uint8, tf.int8, tf.int16, i32, i64, f32, tf.float64):
    add('AdjustContrast', t.name, producer=1, known=False, images=(t, photo), contrast_factor=(f32, 1.5), min_value=(f32, 2),
        max_value=(f32, 18))  # fmt: skip
for name, (x, factor, low, high) in dict(matrix=(photo[0, 0], 1, 0, 9), vector=(photo, [1], 0, 9), low=(photo, 1, [0], 9),
                                         reversed=(photo, 2, 9, 3), nothing=(np.zeros((0, 2, 3)), 1, 0, 1)).items():  # fmt: skip
    add('AdjustContrast', name, producer=1, known=False, images=(f32, x), contrast_factor=(f32, factor), min_value=(f32, low),
        max_value=(f32, high))  # fmt: skip

# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/small_ops.pb: conditions, products of matrices with
zeros, quantisation of TensorFlow's first form."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(83)
f32, f64, bf16, half = tf.float32, tf.float64, tf.bfloat16, tf.half

for name, (t, x) in {
    'one': (f32, 1.5), 'zero': (f32, 0), 'minus_zero': (f32, -0.0), 'nan': (f32, np.nan), 'vector': (f32, [0]),
    'matrix': (f64, [[0, 0]]), 'nothing': (f32, []), 'no_rows': (tf.int32, np.zeros((0, 3))), 'text': (tf.string, 'a'),
    'text_zero': (tf.string, '0'), 'no_text': (tf.string, ''), 'texts': (tf.string, ['']),
    'complexes': (tf.complex64, [0]), 'halves': (half, [0]),
}.items():  # fmt: skip
    add('ToBool', name, 'exact', input=(t, x))
for t in (tf.bool, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64, half, bf16, f32, f64,
          tf.complex64, tf.complex128):  # fmt: skip
    for x in (0, 1):
        add('ToBool', f'{t.name}_{x}', 'exact', at_run=False, input=(t, x))

for ta in (f32, bf16):
    for tb in (f32, bf16):
        for flags in range(16):
            turn_a, turn_b, sparse_a, sparse_b = (bool(flags & bit) for bit in (1, 2, 4, 8))
            for m, k, n in ((3, 4, 2), (9, 17, 12)):
                a, b = random.normal(size=(m, k)), random.normal(size=(k, n))
                a[random.random(a.shape) < 0.4] = 0
                b[random.random(b.shape) < 0.4] = 0
                add('SparseMatMul', f'{ta.name}_{tb.name}_{flags}_{m}', at_run=flags == 0, a=(ta, a.T if turn_a else a),
                    b=(tb, b.T if turn_b else b), transpose_a=turn_a, transpose_b=turn_b, a_is_sparse=sparse_a,
                    b_is_sparse=sparse_b)  # fmt: skip
for name, (a, b) in {
    'no_inner': (np.ones((2, 0)), np.ones((0, 3))), 'no_rows': (np.ones((0, 2)), np.ones((2, 3))),
    'no_columns': (np.ones((2, 2)), np.ones((2, 0))), 'inner': (np.ones((2, 3)), np.ones((2, 3))),
    'vector': (np.ones(3), np.ones((3, 2))), 'rank_3': (np.ones((1, 2, 3)), np.ones((3, 2))),
    'b_vector': (np.ones((2, 3)), np.ones(3)), 'zero_nan': ([[0, 1]], [[np.nan], [2]]),
    'nan_zero': ([[np.nan, 1]], [[0], [2]]), 'infinite': ([[np.inf, 0]], [[1, 0], [np.inf, 2]]),
}.items():  # fmt: skip
    for sparse_a, sparse_b in ((False, False), (True, False), (False, True), (True, True)):
        add('SparseMatMul', f'{name}_{sparse_a}_{sparse_b}', at_run=not sparse_a, a=(f32, a), b=(f32, b),
            a_is_sparse=sparse_a, b_is_sparse=sparse_b)  # fmt: skip

for t in (f32, f64):
    x = 3 * random.normal(size=(3, 5))
    for name, attrs in {
        'plain': {}, 'unsigned': dict(signed_input=False), 'bits_1': dict(num_bits=1), 'bits_4': dict(num_bits=4),
        'bits_16': dict(num_bits=16), 'bits_0': dict(num_bits=0), 'bits_61': dict(num_bits=61),
        'bits_62': dict(num_bits=62), 'bits_62_unsigned': dict(num_bits=62, signed_input=False),
        'bits_63_unsigned': dict(num_bits=63, signed_input=False), 'negative_bits': dict(num_bits=-3),
        'range': dict(range_given=True, input_min=-1.0, input_max=2.0),
        'range_unsigned': dict(range_given=True, input_min=0.0, input_max=2.0, signed_input=False),
        'range_reversed': dict(range_given=True, input_min=2.0, input_max=-1.0),
        'range_point': dict(range_given=True, input_min=0.0, input_max=0.0),
        'range_ignored': dict(input_min=2.0, input_max=-1.0),
    }.items():  # fmt: skip
        add('QuantizeAndDequantize', f'{t.name}_{name}', producer=21, at_run=name == 'plain', input=(t, x), **attrs)
    add('QuantizeAndDequantize', f'{t.name}_nothing', producer=21, input=(t, np.zeros((0, 3))))
    add('QuantizeAndDequantize', f'{t.name}_scalar', producer=21, input=(t, 1.25))

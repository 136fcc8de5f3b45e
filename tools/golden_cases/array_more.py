# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/array_more.pb: coordinates, fingerprints, joined rows,
top elements, isotonic regression."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(33)
i8, i16, i32, i64, u8, f16, bf16, f32, f64 = (
    tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.half, tf.bfloat16, tf.float32, tf.float64,
)  # fmt: skip

for t in (i32, i64):
    add('UnravelIndex', f'{t.name}_vector', indices=(t, [0, 5, 22, 59]), dims=(t, [3, 4, 5]))
    add('UnravelIndex', f'{t.name}_scalar', indices=(t, 17), dims=(t, [3, 4, 5]))
    add('UnravelIndex', f'{t.name}_overflow', indices=(t, 17), dims=(t, [2**20, 2**20, 2**24]))
    add('UnravelIndex', f'{t.name}_negative', indices=(t, [-1, -7]), dims=(t, [3, 4]))
add('UnravelIndex', 'beyond', indices=(i32, [12]), dims=(i32, [3, 4]))
add('UnravelIndex', 'zero_dim', indices=(i32, [1]), dims=(i32, [3, 0]))
add('UnravelIndex', 'negative_dim', indices=(i32, [1]), dims=(i32, [3, -2]))
add('UnravelIndex', 'empty', indices=(i32, []), dims=(i32, [3, 2]))
add('UnravelIndex', 'no_dims', indices=(i32, [0]), dims=(i32, []))
add('UnravelIndex', 'matrix', indices=(i32, [[1]]), dims=(i32, [3, 2]))
add('UnravelIndex', 'dims_scalar', indices=(i32, [1]), dims=(i32, 3))

farm = (tf.string, 'farmhash64')
for t in (u8, i32, f16, f64, tf.bool, tf.complex64):
    add('Fingerprint', t.name, data=(t, random.integers(0, 2, (3, 4))), method=farm)
add('Fingerprint', 'long', data=(i64, np.arange(60).reshape(2, 5, 6)), method=farm)
add('Fingerprint', 'strings', data=(tf.string, ['', 'a', 'some text', 'x' * 200]), method=farm)
add('Fingerprint', 'string_rows', data=(tf.string, [['a', 'b'], ['', 'c']]), method=farm)
add('Fingerprint', 'string_columns', data=(tf.string, [[['a']], [['b']]]), method=farm)
add('Fingerprint', 'no_rows', data=(f32, np.zeros((0, 3))), method=farm)
add('Fingerprint', 'no_columns', data=(f32, np.zeros((2, 0))), method=farm)
add('Fingerprint', 'scalar', data=(f32, 1), method=farm)
add('Fingerprint', 'method', data=(f32, [1]), method=(tf.string, 'md5'))
add('Fingerprint', 'methods', data=(f32, [1]), method=(tf.string, ['farmhash64']))

for t in (u8, f32, tf.complex128, tf.bool):
    values = [(t, random.integers(0, 2, (1, 2, 3))) for _ in range(3)]
    add('ParallelConcat', t.name, at_run=False, values=values, shape=[3, 2, 3])
add('ParallelConcat', 'strings', at_run=False, values=[(tf.string, [['a']]), (tf.string, [['b']])], shape=[2, 1])
add('ParallelConcat', 'one', at_run=False, values=[(i64, [7])], shape=[1])
add('ParallelConcat', 'empty', at_run=False, values=[(i64, np.zeros((1, 0)))] * 2, shape=[2, 0])
add('ParallelConcat', 'unknown', at_run=False, values=[(f32, [[1]])], shape=[1, 1])

rows = random.permutation(60).reshape(3, 20)
for t in (f16, bf16, f32):
    for most in (True, False):
        add('ApproxTopK', f'{t.name}_{most}', input=(t, rows), k=4, is_max_k=most, at_run=False)
add('ApproxTopK', 'ties', input=(f32, [[1, 2, 2, 1, 2]]), k=3, at_run=False)
add('ApproxTopK', 'ties_least', input=(f32, [[1, 2, 2, 1, 1]]), k=2, is_max_k=False, at_run=False)
add('ApproxTopK', 'all', input=(f32, [3, 1, 2]), k=3, at_run=False)
add('ApproxTopK', 'none', input=(f32, [3, 1, 2]), k=0, at_run=False)
add('ApproxTopK', 'axis', input=(f32, [[3, 1, 2]]), k=1, reduction_dimension=0, at_run=False)

for t, out in ((f16, f16), (bf16, bf16), (f32, f32), (f64, f64), (i8, f32), (i16, f32), (i32, f64), (i64, f64)):
    add('IsotonicRegression', t.name, input=(t, random.integers(-20, 20, (3, 9))), output_dtype=out)
add('IsotonicRegression', 'falling', input=(f32, [5, 4, 3]))
add('IsotonicRegression', 'rising', input=(f32, [1, 2, 3, 4.5]))
add('IsotonicRegression', 'ranks', input=(f64, random.normal(size=(2, 2, 5))), output_dtype=f64)
add('IsotonicRegression', 'scalar', input=(f32, 3))
add('IsotonicRegression', 'empty', input=(f32, np.zeros((2, 0))))
add('IsotonicRegression', 'no_rows', input=(f32, np.zeros((0, 2))))
add('IsotonicRegression', 'other_type', input=(f32, [1, 2]), output_dtype=f64)
add('IsotonicRegression', 'uint8', input=(u8, [1, 2]))

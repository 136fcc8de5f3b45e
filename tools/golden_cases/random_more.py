# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/random_more.pb: binomial and truncated normal samples,
shuffled indices."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
random = np.random.default_rng(32)
i32, i64, f16, f32, f64 = tf.int32, tf.int64, tf.half, tf.float32, tf.float64
u32, u64 = tf.uint32, tf.uint64


def binomial(name, shape, counts, probs, dtype=i64, seed=(i64, [3, -4]), **more):
    CASES.add('StatelessRandomBinomial', name, shape=shape, seed=seed, counts=counts, probs=probs, dtype=dtype, **more)


for t in (f16, f32, f64):
    for dtype in (f16, f32, f64, i32, i64):
        binomial(f'{t.name}_{dtype.name}', (i32, [4, 3]), (t, [5, 40, 1000]), (t, [0.3, 0.5, 0.9]), dtype)
binomial('broadcast', (i64, [3, 2, 2]), (f64, [[10], [90]]), (f64, [0.2, 0.95]))
binomial('scalar', (i32, []), (f64, 7), (f64, 0.5), seed=(i32, [1, 2]))
binomial('scalars', (i32, [20]), (f32, 300), (f32, 0.25))
binomial('edges', (i32, [2, 6]), (f64, [-1, 0, 5, 5, 5, 5]), (f64, [0.5, 0.5, 0, -1, 1, 2]))
binomial('nan', (i32, [3]), (f64, 5), (f64, [np.nan, 0.5, np.nan]), f32)
binomial('empty', (i32, [0, 2]), (f64, [5, 6]), (f64, 0.5))
binomial('other_end', (i32, [2, 2]), (f64, [5, 6, 7]), (f64, 0.5))
binomial('not_broadcast', (i32, [2, 3]), (f64, [5, 6, 7]), (f64, [0.5, 0.5]))
binomial('seed', (i32, [2]), (f64, 3), (f64, 0.5), seed=(i64, [3]))
binomial('counts_int', (i32, [2]), (i32, 3), (i32, 1))
binomial('matrix_shape', (i32, [[2]]), (f64, 3), (f64, 0.5))
binomial('negative', (i32, [-2]), (f64, 3), (f64, 0.5))


def bounded(name, shape, means, stddevs, low, high, t=f32, seed=(i64, [5, 6])):
    CASES.add('StatelessParameterizedTruncatedNormal', name, shape=shape, seed=seed, means=(t, means),
              stddevs=(t, stddevs), minvals=(t, low), maxvals=(t, high))  # fmt: skip


for t in (f16, f32, f64):
    bounded(f'{t.name}_normal', (i32, [9]), 0, 1, -2, 3, t)
    bounded(f'{t.name}_uniform', (i32, [9]), 0, 1, 0.5, 0.75, t)
    bounded(f'{t.name}_tail', (i32, [9]), 0, 1, 3, 9, t)
    bounded(f'{t.name}_batches', (i64, [4, 2, 3]), [[0], [5]], [1, 2, 0.5], -1, [4, 5, 6], t)
bounded('one_sided', (i32, [5, 2]), 0, 1, [-np.inf, 1], [-1, np.inf])
bounded('many', (i32, [210]), 1, 3, 0, 4)
bounded('empty', (i32, [0]), 0, 1, -1, 1)
bounded('scalar', (i32, []), 0, 1, -1, 1)
bounded('negative_deviation', (i32, [2]), 0, -1, -1, 1)
bounded('swapped', (i32, [2]), 0, 1, 1, -1)
bounded('infinite', (i32, [2]), 0, 1, -np.inf, np.inf)
bounded('other_end', (i32, [2, 2]), [0, 0, 0], 1, -1, 1)
bounded('not_broadcast', (i32, [3]), [0, 0, 0], [1, 1], -1, 1)
bounded('seed', (i32, [2]), 0, 1, -1, 1, seed=(i32, 3))


def shuffle(name, index, seed, most, **more):
    CASES.add('RandomIndexShuffle', name, 'exact', index=index, seed=seed, max_index=most, **more)


for t in (i32, u32, i64, u64):
    for s in (i32, u32, i64, u64):
        shuffle(f'{t.name}_{s.name}', (t, range(10)), (s, [1, 2, 3]), (t, 9), at_run=False)
shuffle('scalar', (i32, 3), (i32, [5, 6, 7]), (i32, 100))
shuffle('rounds', (i32, range(20)), (i32, [5, 6, 7]), (i32, 99), rounds=8)
shuffle('seeds', (i64, 5), (i64, [[1, 2, 3], [4, 5, 6], [-1, 2**40, 7]]), (i64, 50))
shuffle('largest', (u64, 12), (i32, [1, 2, 3]), (u64, [0xFFFF, 1 << 20, (1 << 33) - 1, 2**63]))
shuffle('zero', (i32, 0), (i32, [1, 2, 3]), (i32, 0))
shuffle('beyond', (i32, 5), (i32, [1, 2, 3]), (i32, 4))
shuffle('seed', (i32, 5), (i32, [1, 2]), (i32, 9))
shuffle('lengths', (i32, [1, 2]), (i32, [1, 2, 3]), (i32, [9, 9, 9]))
shuffle('matrix', (i32, [[1, 2]]), (i32, [1, 2, 3]), (i32, 9))


def stateful(name, shape, counts, probs, algorithm=1, state=(7, 0, 9), dtype=i64):
    def steps(b):
        handle = tf.raw_ops.VarHandleOp(dtype=i64, shape=[len(state)], shared_name='rng')
        fill = tf.raw_ops.AssignVariableOp(resource=handle, value=tf.constant(state, i64) + 0)
        out = tf.raw_ops.StatefulRandomBinomial(resource=handle, algorithm=tf.constant(algorithm, i64), shape=shape,
                                                counts=counts, probs=probs, dtype=dtype)  # fmt: skip
        read = tf.raw_ops.ReadVariableOp(resource=handle, dtype=i64)
        return [dict(target=[fill]), dict(fetch=[out]), dict(fetch=[read]), dict(fetch=[out])]

    CASES.append((f'StatefulRandomBinomial/{name}', steps, 'close'))


stateful('vector', [4, 2], np.float64([10, 100]), np.float64([0.5, 0.25]))
stateful('float', [5], np.float32(30), np.float32(0.75), dtype=f32)
stateful('matrix', [3, 2, 2], np.float64([[10], [100]]), np.float64([0.5, 0.25]), dtype=i32)
stateful('empty', [0], np.float64(10), np.float64(0.5))
stateful('algorithm', [2], np.float64(10), np.float64(0.5), algorithm=2)
stateful('auto', [2], np.float64(10), np.float64(0.5), algorithm=3)
stateful('short', [2], np.float64(10), np.float64(0.5), state=(7, 0))
stateful('other_end', [2, 2], np.float64([1, 2, 3]), np.float64(0.5))

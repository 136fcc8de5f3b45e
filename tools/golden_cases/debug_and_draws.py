# SPDX-License-Identifier: Apache-2.0
"""Cases for tests/golden/ops/debug_and_draws.pb: ops of TensorFlow's debugger, random centers of clusters, random
rounding, statistics for quantizers, values that nothing reads."""

import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_def_library

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(121)
f16, bf16, f32, f64 = tf.float16, tf.bfloat16, tf.float32, tf.float64
i8, i16, i32, i64, u8, u64 = tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint64
NAN, INF = np.nan, np.inf
ODD = [[1, -2, 0, NAN], [INF, -INF, 5, 7]]
NODE = dict(device_name='/job:localhost/replica:0/task:0/cpu:0', tensor_name='a:0')


def real(*shape):
    return random.uniform(-3, 3, shape)


# ---- copies
for op in ('Copy', 'CopyHost'):
    add(op, 'float', input=(f32, ODD))
    add(op, 'text', input=(tf.string, ['a', 'bc']))
    add(op, 'empty', input=(i64, np.zeros((0, 2))), tensor_name='x:0')
    add(op, 'spec', input=(f32, [1]), debug_ops_spec=['DebugIdentity;file:///tmp/none;0'], at_run=False)
    add(op, 'spec_two_parts', input=(f32, [1]), debug_ops_spec=['DebugIdentity;0'], at_run=False)
    add(op, 'spec_four_parts', input=(f32, [1]), debug_ops_spec=['a;b;0', 'a;b;c;0'], at_run=False)

# ---- identities
for op in ('DebugIdentity', 'DebugIdentityV3'):
    add(op, 'float', input=(f32, ODD), **NODE)
    add(op, 'node', input=(tf.bool, True), tensor_name='a', at_run=False)
    add(op, 'text', input=(tf.string, [['x']]), **NODE)
    add(op, 'gated', input=(f32, [1, 2]), gated_grpc=True, **NODE)
    add(op, 'no_name', input=(f32, [1, 2]))
    add(op, 'long_name', input=(f32, [1, 2]), tensor_name='a:0:DebugIdentity')
add('DebugIdentityV2', 'float', input=(f32, ODD))
add('DebugIdentityV2', 'text', input=(tf.string, ['a']), op_name='a', output_slot=0, tensor_debug_mode=1)
add('DebugIdentityV2', 'empty', input=(u8, []), circular_buffer_size=-1)
add('DebugIdentityV2', 'complex', input=(tf.complex64, [1 + 2j]))
for name, T, x in [('float', f32, ODD), ('text', tf.string, ['a']), ('bool', tf.bool, [True]), ('scalar', i64, 3),
                   ('empty', f16, np.zeros((2, 0))), ('complex', tf.complex128, [1j])]:  # fmt: skip
    add('DebugGradientIdentity', name, input=(T, x), at_run=False)


def gradient_reference(name, T, value, change):
    def build(b):
        v = tf.raw_ops.VariableV2(shape=np.shape(value), dtype=T, shared_name=name)
        init = tf.raw_ops.Assign(ref=v, value=tf.constant(value, T))
        same = tf.raw_ops.DebugGradientRefIdentity(input=v)
        changed = tf.raw_ops.Assign(ref=same, value=tf.constant(change, T))
        return [dict(fetch=[same]), dict(fetch=[init]), dict(fetch=[same]), dict(fetch=[changed]), dict(fetch=[v])]

    CASES.append(('DebugGradientRefIdentity/' + name, build, 'exact'))


for name, T, x, y in [('float', f32, [1.5, 2], [3, 4]), ('int64', i64, [[1, 2]], [[3, 4]]), ('half', f16, 1, 2),
                      ('text', tf.string, ['a', 'bc'], ['d', 'e']), ('bool', tf.bool, [True], [False]),
                      ('empty', f64, np.zeros((0, 2)), np.zeros((0, 2)))]:  # fmt: skip
    gradient_reference(name, T, x, y)

# ---- summaries
for T in (f16, bf16, f32, f64):
    add('DebugNanCount', T.name, input=(T, ODD), at_run=False, **NODE)
for T in (i8, i32, u64):
    add('DebugNanCount', T.name, input=(T, [1, 2]), at_run=False, **NODE)
add('DebugNanCount', 'empty', input=(f32, np.zeros((0, 2))), **NODE)
add('DebugNanCount', 'scalar', input=(f32, NAN), **NODE)
add('DebugNanCount', 'gated', input=(f32, ODD), gated_grpc=True, **NODE)
add('DebugNanCount', 'bool', input=(tf.bool, [True]), at_run=False, **NODE)
add('DebugNanCount', 'no_name', input=(f32, ODD), at_run=False)

for T in (f32, f64):
    add('DebugNumericSummary', T.name, input=(T, ODD), **NODE)
for T in (i8, i16, i32, i64, u8, tf.uint16, tf.uint32, u64):
    add('DebugNumericSummary', T.name, input=(T, [[1, 2], [0, 100]]), at_run=False, **NODE)
add('DebugNumericSummary', 'bool', input=(tf.bool, [True, False, True]), at_run=False, **NODE)
add('DebugNumericSummary', 'empty', input=(f32, np.zeros((0, 3))), **NODE)
add('DebugNumericSummary', 'scalar', input=(f64, -4), **NODE)
add('DebugNumericSummary', 'bounds', input=(f32, ODD), lower_bound=-1.0, upper_bound=5.0, **NODE)
add('DebugNumericSummary', 'crossed_bounds', input=(f32, ODD), lower_bound=3.0, upper_bound=1.0, **NODE)
add('DebugNumericSummary', 'all_nan', input=(f32, [NAN, INF]), **NODE)
add('DebugNumericSummary', 'gated', input=(f32, ODD), gated_grpc=True, **NODE)
add('DebugNumericSummary', 'half', input=(f16, ODD), at_run=False, **NODE)
add('DebugNumericSummary', 'no_name', input=(f32, ODD), at_run=False)

for mode in range(10):
    add('DebugNumericSummaryV2', f'mode_{mode}', input=(f32, ODD), tensor_debug_mode=mode, tensor_id=5, at_run=mode == 5)
for T in (f16, bf16, f64, i8, i64, u64, tf.bool):
    add('DebugNumericSummaryV2', T.name, input=(T, [1, 0] if not T.is_floating else ODD), tensor_debug_mode=4, at_run=False)
    add('DebugNumericSummaryV2', T.name + '_wide', input=(T, [1, 0]), tensor_debug_mode=3, output_dtype=f64, at_run=False)
add('DebugNumericSummaryV2', 'no_mode', input=(f32, ODD), at_run=False)
add('DebugNumericSummaryV2', 'finite', input=(f32, [1, 2]), tensor_debug_mode=8, at_run=False)
add('DebugNumericSummaryV2', 'healthy', input=(f32, [1, 2]), tensor_debug_mode=2, at_run=False)
add('DebugNumericSummaryV2', 'empty', input=(f32, []), tensor_debug_mode=4, at_run=False)
add('DebugNumericSummaryV2', 'rank_7', input=(f32, np.zeros((9, 2, 1, 1, 1, 1, 3))), tensor_debug_mode=5, at_run=False)
for name, id, T in [('24', 1 << 24, f32), ('24_more', (1 << 24) + 1, f32), ('53', 1 << 53, f64), ('53_more', (1 << 53) + 1, f64)]:
    add('DebugNumericSummaryV2', 'id_' + name, input=(f32, [1]), tensor_debug_mode=2, tensor_id=id, output_dtype=T, at_run=False)
add('DebugNumericSummaryV2', 'id_mode_8', input=(f32, [1]), tensor_debug_mode=8, tensor_id=1 << 60, at_run=False)
add('DebugNumericSummaryV2', 'text', input=(tf.string, ['a']), tensor_debug_mode=5, at_run=False)



class Unshaped:
    """A fetch of which no shape is recorded: TensorFlow's shape functions are wrong there."""

    def __init__(self, tensor):
        self.name, self.dtype = tensor.name, tensor.dtype


def unshaped(build):
    return lambda b: [dict(step, fetch=[Unshaped(t) for t in step['fetch']]) for step in build(b)]


for i, (name, build, compare) in enumerate(CASES):
    if name.startswith(('DebugNanCount', 'DebugNumericSummary/')) or 'gated' in name:
        CASES[i] = (name, unshaped(build), compare)

# ---- values that nothing reads
def fake(name, T, shape):
    def build(b):
        x = tf.raw_ops.FakeParam(dtype=T, shape=shape)
        return [dict(fetch=[tf.shape(x), tf.zeros_like(x) if T.is_floating else tf.size(x)])]

    CASES.append(('FakeParam/' + name, build, 'exact'))


fake('known', f32, [2, 3])
fake('scalar', f64, [])
fake('partly', f16, [None, 3])
fake('unknown', i32, None)
fake('text', tf.string, [2])
fake('variant', tf.variant, [])
fake('empty', i64, [0, 4])


def sync(name, x):
    def build(b):
        y = tf.constant(x) + 1
        with tf.control_dependencies([y]):
            op = tf.raw_ops.SyncDevice()
        with tf.control_dependencies([op]):
            z = tf.identity(y)
        return [dict(fetch=[z]), dict(target=[op])]

    CASES.append(('SyncDevice/' + name, build, 'exact'))


for i in range(6):
    sync(f'after_{i}', np.full(i, i, np.float32))


# ---- statistics
def aggregate(name, x, method=1, bins=4, **more):
    percentiles = dict(min_percentile=0.0, max_percentile=0.0)
    add('CustomAggregator', name, input=(f32, x), id='a', calibration_method=method, num_bins=bins, **percentiles, **more)


values = [1, 2, -3.5, 7.25, 0]
for method in range(0, 7):
    aggregate(f'method_{method}', values, method, at_run=method == 3)
for bins in (0, 1, 7, 512):
    aggregate(f'bins_{bins}', real(40), 3, bins, at_run=False)
aggregate('empty', [])
aggregate('equal', [2, 2, 2])
aggregate('zeros', np.zeros((2, 2)))
aggregate('infinite', [1, INF], at_run=False)
aggregate('minus_infinite', [-INF, 2], at_run=False)
aggregate('large', [1e38, -3e38, 0], at_run=False)
aggregate('small', [1e-40, 2e-40, 0], at_run=False)
aggregate('scalar', -7)
aggregate('cube', real(2, 3, 4), 2, 16)

# ---- clusters
points = random.normal(size=(40, 3))


def centers(name, x, n, seed=1, retries=0, **more):
    add('KmeansPlusPlusInitialization', name, points=(f32, x), num_to_sample=(i64, n), seed=(i64, seed),
        num_retries_per_sample=(i64, retries), **more)  # fmt: skip


for seed in (0, 1, 77, -5, 1 << 40):
    centers(f'seed_{seed}', points, 6, seed, at_run=False)
for retries in (1, 2, 5, -1):
    centers(f'retries_{retries}', points, 8, 3, retries, at_run=False)
centers('one', points, 1)
centers('all', points[:7], 7, 2)
centers('all_retries', points[:7], 7, 2, 3)
centers('wide', random.normal(size=(30, 50)), 5, 9, 2)
centers('empty_points', np.zeros((3, 0)), 1)
centers('line', np.arange(100.0)[:, None], 10, 4)
centers('vector', [1, 2], 1)
centers('none', np.zeros((0, 2)), 1)
centers('zero', points, 0)
centers('negative', points, -1)
centers('too_many', points[:3], 4)
centers('n_vector', points, [2])
centers('seed_vector', points, 2, [1])
centers('retries_vector', points, 2, 1, [0])


def chain(name, x, seed=1, **more):
    add('KMC2ChainInitialization', name, distances=(f32, x), seed=(i64, seed), **more)


for seed in (0, 5, -1, 1 << 50):
    chain(f'seed_{seed}', random.uniform(0, 1, 30), seed)
chain('one', [3])
chain('growing', np.arange(20.0), 4)
chain('falling', np.arange(20.0)[::-1], 4)
chain('zeros', np.zeros(9))
chain('nan', [1, NAN, 2, INF], 3)
chain('empty', [])
chain('matrix', np.ones((2, 2)))
chain('scalar', 1.0)
chain('seed_vector', [1, 2], [1])


# ---- random rounding
def rounded(name, T, x, to=i32, key=[7], counter=[3, 0], alg=1, **more):
    add('StochasticCastToInt', name, compare='exact', input=(T, x), key=(u64, key), counter=(u64, counter), alg=(i32, alg),
        Tout=to, **more)  # fmt: skip


fractions = np.concatenate([random.uniform(-9, 9, 45), np.arange(-4, 4), [0.5] * 20, [-0.25] * 20])
for T in (f16, bf16, f32, f64):
    for to in (i8, i16, i32):
        rounded(f'{T.name}_{to.name}', T, fractions, to, at_run=to == i32)
        rounded(f'{T.name}_{to.name}_few', T, fractions[:7], to, counter=[9, 4, 1], at_run=False)
        rounded(f'{T.name}_{to.name}_ends', T, [NAN, INF, -INF, 1e4, -1e4, 127.5, -128.5, 0.5, -0.5], to, at_run=False)
rounded('large', f32, [2147483520, -2147483648, 3e9, -3e9, 1e30] * 3, at_run=False)
rounded('large_double', f64, [2147483646.5, -2147483647.5, 3e9, -3e9, 1e300] * 3, at_run=False)
rounded('empty', f32, [])
rounded('matrix', f32, real(5, 4))
rounded('auto', f32, real(9), alg=3)
rounded('threefry', f32, real(9), alg=2)
rounded('algorithm_7', f32, real(9), alg=7)
rounded('key_2', f32, real(9), key=[1, 2])
rounded('key_scalar', f32, real(9), key=1)
rounded('counter_empty', f32, real(9), counter=[])
rounded('counter_1', f32, real(9), counter=[1])
rounded('alg_vector', f32, real(9), alg=[1])

# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/batching.pb: batches of one run."""

import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import function

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
i32, i64, f32, text = tf.int32, tf.int64, tf.float32, tf.string
ATTRS = dict(num_batch_threads=1, max_batch_size=4, batch_timeout_micros=1000)


def batch_function(name, f, types, tensors, out=(i32,), captured=(), runs=1, **attrs):
    def build(b):
        inputs = [b.placeholder(f'x{i}', t, np.shape(x)) for i, (t, x) in enumerate(tensors)]
        caught = [b.placeholder(f'c{i}', t, np.shape(x)) for i, (t, x) in enumerate(captured)]
        got = tf.raw_ops.BatchFunction(in_tensors=inputs, captured_tensors=caught, f=function.Defun(*types)(f), Tout=list(out),
                                       **{**ATTRS, **attrs})  # fmt: skip
        feed = {f'x{i}': x for i, (_, x) in enumerate(tensors)} | {f'c{i}': x for i, (_, x) in enumerate(captured)}
        return [dict(fetch=got, feed=feed)] * runs

    CASES.append(('BatchFunction/' + name, build, 'exact'))


def size(x):
    return x * 0 + tf.shape(x)[0]


one, two, three = [(i32, [7])], [(i32, [1, 2])], [(i32, [1, 2, 3])]
batch_function('one', size, [i32], one)
batch_function('two_runs', size, [i32], two, runs=2)
batch_function('full', size, [i32], [(i32, [1, 2, 3, 4])])
batch_function('allowed', size, [i32], three, allowed_batch_sizes=[2, 4])
batch_function('allowed_exact', size, [i32], two, allowed_batch_sizes=[2, 4])
batch_function('allowed_zero', size, [i32], two, allowed_batch_sizes=[0, 4])
batch_function('padding', lambda x: x * 0 + tf.reduce_sum(x), [i32], three, allowed_batch_sizes=[2, 4])
batch_function('allowed_last', size, [i32], two, allowed_batch_sizes=[2, 3])
batch_function('allowed_order', size, [i32], two, allowed_batch_sizes=[2, 1, 4])
batch_function('scalar', size, [i32], [(i32, 1)])
batch_function('uneven', lambda x, y: x, [i32, i32], two + one)
batch_function('nothing', lambda x: tf.ones([2, 3]), [f32], [(f32, np.zeros((0, 5)))], [f32])
batch_function('nothing_twice', lambda x, y: (x, y), [f32, i32], [(f32, np.zeros((0, 5))), (i32, np.zeros((0,)))], [f32, i32])
batch_function('too_large', size, [i32], [(i32, [1, 2, 3, 4, 5])])
big = [(i32, [1, 2, 3, 4, 5])]
batch_function('split', size, [i32], big, enable_large_batch_splitting=True, max_batch_size=10, allowed_batch_sizes=[2, 3])
batch_function('split_padded', size, [i32], [(i32, [1, 2, 3, 4])], enable_large_batch_splitting=True, allowed_batch_sizes=[2, 3])
batch_function('split_too_large', size, [i32], big, enable_large_batch_splitting=True, allowed_batch_sizes=[2, 3])
batch_function('split_allowed_too_large', size, [i32], two, enable_large_batch_splitting=True, allowed_batch_sizes=[2, 8])
batch_function('split_without_sizes', size, [i32], big, enable_large_batch_splitting=True)
batch_function('split_matrix', lambda x: x + 1, [f32], [(f32, np.arange(14).reshape(7, 2))], [f32], max_batch_size=100,
               enable_large_batch_splitting=True, allowed_batch_sizes=[1, 3])  # fmt: skip
batch_function('scalar_out', lambda x: tf.reduce_sum(x), [i32], two)
batch_function('rows_out', lambda x: tf.concat([x, x], 0), [i32], two)
batch_function('more_results', lambda x: (x, x), [i32], two)
batch_function('fewer_results', lambda x: x, [i32], two, [i32, i32])
batch_function('more_arguments', lambda x, y: x, [i32, i32], two)
batch_function('captured', lambda x, y: x + y, [i32, i32], two, captured=[(i32, 5)])
batch_function('captured_two', lambda x, y, z: (x + y, tf.fill(tf.shape(x), z)), [i32, i32, text], two, [i32, text],
               captured=[(i32, 5), (text, 'a')])  # fmt: skip
batch_function('fails', lambda x: tf.cast(tf.debugging.check_numerics(tf.cast(x, f32) / 0, 'bad'), i32), [i32], two)
batch_function('texts', lambda x: x, [text], [(text, ['a', 'bb', ''])], [text])
batch_function('texts_padded', lambda x: x, [text], [(text, ['a', 'bb', 'c'])], [text], allowed_batch_sizes=[4])
for key, values in dict(num_batch_threads=[0, -1], max_batch_size=[0, -1], batch_timeout_micros=[0, -1], max_enqueued_batches=[0, -1],
                        low_priority_max_batch_size=[3], batch_padding_policy=['BATCH_DOWN'],
                        mixed_priority_policy=['priority_merge']).items():  # fmt: skip
    for value in values:
        batch_function(f'{key}_{value}', size, [i32], two, **{key: value})


def batch(name, tensors, at_run=False, **attrs):
    count = len(tensors)
    add('Batch', name, 'exact', fetch=range(count), at_run=at_run, runs=2, in_tensors=tensors, grad_timeout_micros=100,
        **{**ATTRS, **attrs})  # fmt: skip


batch('two', two + [(f32, [3, 4])], at_run=True)
batch('padded', three, allowed_batch_sizes=[2, 4])
batch('nothing', [(i32, [])])
batch('scalar', [(i32, 1)])
batch('scalar_at_run', [(i32, 1)], at_run=True)
batch('too_large', big)
batch('uneven', one + two)
batch('threads', one, num_batch_threads=0)
batch('size', one, max_batch_size=0)
batch('timeout', one, batch_timeout_micros=-1)
batch('waiting', one, max_enqueued_batches=0)
batch('texts', [(text, ['a', 'b'])])
batch('allowed_last', two, allowed_batch_sizes=[2, 3])


def unbatch(name, data, index, key, t=i32, at_run=False):
    add('Unbatch', name, 'exact', at_run=at_run, batched_tensor=(t, data), batch_index=(i64, index), id=(i64, key), timeout_micros=1)


unbatch('first', [1, 2, 3], [[7, 0, 1], [8, 1, 3]], 7, at_run=True)
unbatch('second', [1, 2, 3], [[7, 0, 1], [8, 1, 3]], 8)
unbatch('late', [1, 2, 3], [[7, 0, 1], [8, 1, 3]], 9)
unbatch('alone', [1, 2, 3], [[7, 0, 1]], 7)
unbatch('rows', [[1, 2], [3, 4]], [[7, 1, 2], [9, 0, 1]], 9, at_run=True)
unbatch('no_rows', [1, 2], [[7, 0, 2], [8, 0, 0]], 8)
unbatch('other_rows', [1, 2, 3], [[7, 1, 4]], 7)
unbatch('too_many', [1], [[7, 0, 1], [8, 0, 0]], 7, at_run=True)
unbatch('width', [1, 2], [[7, 0]], 7)
unbatch('id_vector', [1, 2, 3], [[7, 0, 1], [8, 1, 3]], [7])
unbatch('scalar', 1, [[7, 0, 1]], 7)
unbatch('texts', ['a', 'b', 'c'], [[7, 0, 2], [8, 2, 3]], 7, text)
unbatch('nothing', np.zeros([0]), np.zeros([0, 3]), 7)


def unbatch_grad(name, data, index, grad, key, t=i32, at_run=False):
    add('UnbatchGrad', name, 'exact', at_run=at_run, original_input=(t, data), batch_index=(i64, index), grad=(t, grad), id=(i64, key))


unbatch_grad('alone', [1, 2], [[7, 0, 2]], [5, 6], 7, at_run=True)
unbatch_grad('id_vector', [1, 2], [[7, 0, 2]], [5, 6], [7])
unbatch_grad('no_index', [1, 2], np.zeros([0, 3]), [5, 6], 7, at_run=True)
unbatch_grad('wide', [1, 2], [[7, 0, 1]], [[5, 6]], 7, f32)
unbatch_grad('width', [1, 2], [[7, 0]], [5, 6], 7)
unbatch_grad('twice', [1, 2], [[7, 0, 1], [7, 0, 1]], [5, 6], 7)
unbatch_grad('scalar_input', 1, [[7, 0, 1]], [5, 6], 7)

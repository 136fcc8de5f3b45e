# SPDX-License-Identifier: Apache-2.0
"""Cases of input pipelines as programs write them, for tests/golden/ops/datasets_pipelines.pb."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import datasets_more as more

more.CASES.clear()
CASES = more.CASES
from datasets_more import ANY, D, R, V, f32, i64, st, steps

E = tf.data.experimental


def pipeline(name, make, n=8, skip=0):
    """n elements of make(); with skip, also those behind a saved position."""

    def build(b, positions=False):
        d = make()
        spec = tf.nest.flatten(tf.data.DatasetSpec.from_value(d).element_spec, expand_composites=True)
        given = dict(output_types=[s.dtype for s in spec], output_shapes=[s.shape for s in spec])
        one, two = (R.IteratorV2(shared_name=x, container='', **given) for x in ('one', 'two'))
        start = [R.MakeIterator(dataset=V(d), iterator=h) for h in (one, two)]
        row, behind = (R.IteratorGetNext(iterator=h, **given) for h in (one, two))
        if not positions:
            return [dict(target=start[:1])] + [dict(fetch=row)] * n + [dict(fetch=[R.DatasetCardinality(input_dataset=V(d))])]
        move = R.DeserializeIterator(resource_handle=two, serialized=R.SerializeIterator(resource_handle=one))
        return [dict(target=start[:1])] + [dict(fetch=row)] * skip + [dict(target=start[1:])] + [dict(target=[move])] + [dict(fetch=behind)] * (n - skip)

    steps(name, build)
    if skip:
        steps(name + '/saved', lambda b: build(b, True))


r = lambda n=10: D.range(n)
words = lambda: D.from_tensor_slices(np.array(['a', 'bb', '', 'dddd', 'e'], object))
ragged = lambda: r(6).map(lambda x: tf.fill([x % 4], x))
pipeline('shuffle_repeat_batch', lambda: r().shuffle(4, seed=7).repeat(2).batch(3), 9, 2)
pipeline('shuffle_all_twice', lambda: r(5).shuffle(100, seed=3).repeat(2), 11, 3)
pipeline('shuffle_same_each_time', lambda: r(5).shuffle(5, seed=3, reshuffle_each_iteration=False).repeat(2), 11, 6)
pipeline('batch_shuffle_unbatch', lambda: r().batch(3).shuffle(2, seed=1).unbatch(), 11, 4)
pipeline('padded', lambda: ragged().padded_batch(2), 4, 1)
pipeline('padded_dict', lambda: ragged().map(lambda x: {'a': x, 'b': tf.as_string(x)}).padded_batch(4, drop_remainder=True), 3)
pipeline('padded_to', lambda: ragged().padded_batch(3, padded_shapes=[5], padding_values=tf.constant(-1, i64)), 3, 1)
pipeline('padded_too_small', lambda: ragged().padded_batch(3, padded_shapes=[1]), 3)
pipeline('batch_other_shapes', lambda: ragged().batch(2), 4)
pipeline('interleave', lambda: r(4).interleave(lambda x: r(3).map(lambda y: x * 10 + y), cycle_length=2, block_length=2), 13, 5)
pipeline('interleave_parallel', lambda: r(4).interleave(lambda x: D.from_tensors(x).repeat(x), cycle_length=3, num_parallel_calls=2), 8, 3)
pipeline('flat_map', lambda: r(5).flat_map(lambda x: r(3).take(x)), 12, 4)
pipeline('cache', lambda: r(3).map(lambda x: x * x).cache().repeat(2), 7, 4)
pipeline('cache_middle', lambda: r(4).cache().map(lambda x: x + 1).repeat(2), 9, 2)
pipeline('choose', lambda: D.choose_from_datasets([r(3), D.range(10, 20)], r().map(lambda x: x % 2)), 9, 3)
pipeline('choose_stop', lambda: D.choose_from_datasets([r(2), D.range(10, 20)], r().map(lambda x: x % 2), stop_on_empty_dataset=True), 6)
pipeline('sample', lambda: D.sample_from_datasets([r(4), D.range(10, 16)], [0.3, 0.7], seed=5), 11, 4)
pipeline('sample_uniform', lambda: D.sample_from_datasets([r(3), D.range(10, 13), D.range(20, 22)], seed=9), 9)
pipeline('sample_stop', lambda: D.sample_from_datasets([r(3), D.range(10, 13)], [0.5, 0.5], seed=2, stop_on_empty_dataset=True), 7)
pipeline('bucket', lambda: ragged().bucket_by_sequence_length(lambda x: tf.shape(x)[0], [2, 3], [2, 2, 2]), 5, 1)
pipeline('bucket_padded_to_edge', lambda: ragged().map(lambda x: x[:2]).bucket_by_sequence_length(
    lambda x: tf.shape(x)[0], [3], [2, 2], pad_to_bucket_boundary=True), 4)  # fmt: skip
pipeline('group_by_window', lambda: r(9).group_by_window(lambda x: x % 3, lambda k, w: w.batch(2), window_size=2), 7, 2)
pipeline('group_by_sizes', lambda: r(9).group_by_window(lambda x: x % 2, lambda k, w: w.batch(5), window_size_func=lambda k: k + 2), 6, 1)
pipeline('window_of_batches', lambda: r().batch(2).window(2).flat_map(lambda w: w.batch(2)), 5, 1)
pipeline('window_shift', lambda: r().window(3, shift=2, stride=2, drop_remainder=True).flat_map(lambda w: w.batch(3)), 5, 1)
pipeline('window_zip', lambda: D.zip((r(), r().map(lambda x: -x))).window(4).flat_map(lambda a, b: D.zip((a.batch(4), b.batch(4)))), 4)
pipeline('scan', lambda: r().scan(tf.constant(0, i64), lambda s, x: (s + x, s + x)), 11, 4)
pipeline('scan_take_while', lambda: r().scan(tf.constant(1, i64), lambda s, x: (s * 2, s * 2)).take_while(lambda x: x < 40), 7, 2)
pipeline('zip_dicts', lambda: D.zip({'b': r(4), 'a': (words(), r(3))}), 5, 1)
pipeline('zip_shuffle', lambda: D.zip((r(5).shuffle(3, seed=2), words())).batch(2), 4, 1)
pipeline('enumerate', lambda: words().enumerate(start=5).skip(1), 5, 2)
pipeline('concatenate', lambda: r(2).concatenate(r(3).map(lambda x: -x)).batch(2), 4, 1)
pipeline('unique', lambda: r().map(lambda x: x * x % 5).unique(), 5, 2)
pipeline('shard_shuffle', lambda: r().shard(3, 1).shuffle(2, seed=4).repeat(2), 8, 2)
pipeline('ragged_batch', lambda: ragged().ragged_batch(2).map(lambda x: (x.values, x.row_splits)), 4)
pipeline('rebatch', lambda: r().batch(4).rebatch([3, 1]), 7, 2)
pipeline('rejection', lambda: r(30).map(lambda x: tf.cast(x % 3, tf.int32)).rejection_resample(lambda x: x, [0.5, 0.3, 0.2], seed=3).map(lambda a, b: b), 8)
pipeline('prefetch_map_parallel', lambda: r().map(lambda x: x + 1, num_parallel_calls=3).prefetch(2).batch(4, num_parallel_calls=2), 4, 1)
pipeline('ignore_errors', lambda: r(6).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad')).ignore_errors().batch(2), 4, 1)
pipeline('error_in_batch', lambda: r(6).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad')).batch(2), 5)
pipeline('error_in_shuffle', lambda: r(6).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad')).shuffle(2, seed=1), 8)
pipeline('error_in_padded', lambda: r(6).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad')).padded_batch(2), 5)
pipeline('error_in_interleave', lambda: r(3).interleave(lambda x: r(2).map(lambda y: tf.debugging.check_numerics(1 / (x - y), 'bad')), cycle_length=2), 8)
pipeline('error_in_filter', lambda: r(6).filter(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad') > 0), 7)
pipeline('error_in_flat_map', lambda: r(4).flat_map(lambda x: D.from_tensors(tf.debugging.check_numerics(1 / (x - 2), 'bad'))), 6)
pipeline('error_in_scan', lambda: r(5).scan(0.0, lambda s, x: (s + 1, tf.cast(tf.debugging.check_numerics(1 / (x - 2), 'bad'), f32) + s)), 7)
pipeline('error_in_take_while', lambda: r(5).take_while(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad') < 9), 7)
pipeline('error_in_cache', lambda: r(4).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad')).cache(), 6)
pipeline('error_in_zip', lambda: D.zip((r(4).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad')), r(4))), 6)
pipeline('error_in_window', lambda: r(6).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad')).window(2).flat_map(lambda w: w.batch(2)), 6)
pipeline('error_in_group', lambda: r(6).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad')).group_by_window(
    lambda x: tf.constant(0, i64), lambda k, w: w.batch(3), window_size=3), 5)  # fmt: skip
pipeline('error_in_unbatch', lambda: r(4).map(lambda x: tf.fill([tf.cast(x, tf.int32)], tf.debugging.check_numerics(1 / (x - 2), 'bad'))).unbatch(), 7)
pipeline('error_in_rebatch', lambda: r(6).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad')).batch(1).rebatch(2), 6)
pipeline('error_in_unique', lambda: r(6).map(lambda x: tf.cast(tf.debugging.check_numerics(1 / (x - 2), 'bad'), i64)).unique(), 6)
pipeline('error_in_map_and_batch', lambda: r(6).apply(E.map_and_batch(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad'), 2)), 5)
pipeline('error_in_repeat', lambda: r(3).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad')).repeat(2), 8)
pipeline('error_in_prefetch', lambda: r(4).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad')).prefetch(2), 6)
pipeline('error_in_skip', lambda: r(6).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad')).skip(4), 4)
pipeline('error_in_shard', lambda: r(6).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad')).shard(2, 1), 5)
pipeline('assert_more', lambda: r(3).apply(E.assert_cardinality(5)), 5)
pipeline('assert_fewer', lambda: r(6).apply(E.assert_cardinality(3)), 5)
pipeline('counter', lambda: D.counter(3, 2).take(3), 4, 1)
pipeline('random', lambda: D.random(seed=4).take(5).batch(2), 4, 1)
pipeline('random_again', lambda: D.random(seed=4, rerandomize_each_iteration=True).take(3).repeat(2), 7)
pipeline('sparse', lambda: r(3).map(lambda x: tf.fill([x], x)).apply(E.dense_to_sparse_batch(2, [4])).map(lambda s: (s.indices, s.values)), 3)
pipeline('copy_and_repeat_none', lambda: r(0).repeat(), 2)
pipeline('error_in_inner_batch', lambda: r(2).flat_map(lambda y: r(6).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad')).batch(2)), 9)
pipeline('error_in_batch_of_parallel_map', lambda: r(6).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad'), num_parallel_calls=2).batch(2), 5)
pipeline('error_in_parallel_batch', lambda: r(6).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad')).batch(2, num_parallel_calls=2), 5)
pipeline('error_in_batch_of_filter', lambda: r(6).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad')).filter(lambda x: True).batch(2), 5)
pipeline('error_in_batch_twice', lambda: r(6).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad')).batch(2).batch(2), 5)

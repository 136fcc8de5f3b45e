# SPDX-License-Identifier: Apache-2.0
"""Cases for tests/golden/ops/datasets_shuffled.pb: GlobalShuffleDataset and ComputeBatchSize."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import datasets_more
from datasets_more import ANY, ONE, R, V, count, fed, i64, texts

CASES = datasets_more.CASES
CASES.clear()
D = tf.data.Dataset
st = tf.string


# ---- GlobalShuffleDataset
def shuffled(name, make, n=11, seeds=(5, 7), varies=False, types=(i64,), again=False, seed_shape=()):
    """Two rounds where `again`."""
    given = dict(output_types=list(types), output_shapes=[ANY] * len(types))

    def build(b):
        h = R.AnonymousSeedGenerator(seed=seeds[0], seed2=seeds[1], reshuffle=varies)[0]
        d = R.GlobalShuffleDataset(input_dataset=make(b), seed=fed(b, 'seed', i64, np.full(seed_shape, seeds[0])), seed2=seeds[1],
                                   seed_generator=h, reshuffle_each_iteration=varies, **given)  # fmt: skip
        if again:
            d = R.RepeatDataset(input_dataset=d, count=2, **given)
        start, row, _ = datasets_more.iterator(d, types)
        return [dict(target=[start])] + [dict(fetch=row)] * n

    datasets_more.steps('GlobalShuffleDataset/' + name, build)


shuffled('range', lambda b: count(10))
shuffled('one', lambda b: count(1), 2)
shuffled('two', lambda b: count(2), 3)
shuffled('hundred', lambda b: count(100), 101, (123456, 98765))
shuffled('other_seeds', lambda b: count(10), seeds=(1, 0))
shuffled('again', lambda b: count(6), 13, again=True)
shuffled('again_varied', lambda b: count(6), 13, varies=True, again=True)
shuffled('negative_seeds', lambda b: count(10), seeds=(-3, -9))
shuffled('texts', lambda b: texts('a', 'bc', 'd', ''), 5, types=[st])
shuffled('map', lambda b: V(D.range(7).map(lambda x: x * x)), 8)
shuffled('take_skip', lambda b: V(D.range(20).skip(3).take(9)), 10)
shuffled('repeat', lambda b: V(D.range(4).repeat(3)), 13)
shuffled('concatenate', lambda b: V(D.range(4).concatenate(D.range(10, 13))), 8)
shuffled('zip', lambda b: V(D.zip((D.range(4), D.range(10, 15)))), 5, types=[i64, i64])
shuffled('batch', lambda b: V(D.range(9).batch(2, drop_remainder=True)), 5)
shuffled('short_batch', lambda b: V(D.range(9).batch(2)), 1)
shuffled('endless', lambda b: V(D.range(9).repeat()), 1)
shuffled('empty', lambda b: count(0), 1)
shuffled('filter', lambda b: V(D.range(9).filter(lambda x: x > 2)), 1)
shuffled('shuffle', lambda b: V(D.range(9).shuffle(3, 1)), 1)
shuffled('seed_vector', lambda b: count(3), 1, seed_shape=(1,))


# ---- ComputeBatchSize
def batch_size(name, make):
    datasets_more.values('ComputeBatchSize/' + name, lambda b: R.ComputeBatchSize(input_dataset=V(make())))


def three():
    return D.range(10).batch(3)


batch_size('none', lambda: D.range(10))
batch_size('batch', three)
batch_size('drop_remainder', lambda: D.range(10).batch(4, drop_remainder=True))
batch_size('twice', lambda: three().batch(2))
batch_size('map', lambda: three().map(lambda x: x))
batch_size('filter', lambda: three().filter(lambda x: True))
batch_size('prefetch', lambda: three().prefetch(1))
batch_size('repeat', lambda: three().repeat(2))
batch_size('take_skip', lambda: three().take(2).skip(1))
batch_size('shuffle', lambda: three().shuffle(2))
batch_size('cache', lambda: three().cache())
batch_size('shard', lambda: three().shard(2, 0))
batch_size('concatenate', lambda: three().concatenate(three()))
batch_size('concatenate_other', lambda: three().concatenate(D.range(10).batch(2)))
batch_size('zip', lambda: D.zip((three(), three())))
batch_size('zip_other', lambda: D.zip((three(), D.range(3))))
batch_size('padded', lambda: D.range(10).padded_batch(3, []))
batch_size('flat_map', lambda: D.range(10).flat_map(lambda x: D.range(4).batch(2)))
batch_size('options', lambda: three().with_options(tf.data.Options()))
batch_size('unbatch', lambda: three().unbatch())
batch_size('window', lambda: D.range(10).window(2))
batch_size('take_while', lambda: three().take_while(lambda x: True))
batch_size('scan', lambda: three().scan(np.int64(0), lambda s, x: (s, x)))
batch_size('assert_cardinality', lambda: three().apply(tf.data.experimental.assert_cardinality(4)))
batch_size('map_and_batch', lambda: D.range(10).apply(tf.data.experimental.map_and_batch(lambda x: x, 3)))

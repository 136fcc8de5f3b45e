# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/image_more.pb: suppression with given overlaps."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(34)
i8, i32, i64, u8, f32 = tf.int8, tf.int32, tf.int64, tf.uint8, tf.float32


def suppress(name, overlaps, scores, most=3, allowed=0.5, least=0.0, **more):
    arguments = dict(overlaps=(f32, overlaps), scores=(f32, scores), max_output_size=(i32, most),
                     overlap_threshold=(f32, allowed), score_threshold=(f32, least))  # fmt: skip
    add('NonMaxSuppressionWithOverlaps', name, **{**arguments, **more})


overlaps = random.uniform(size=(8, 8)).round(2)
scores = random.permutation(8) / 8
suppress('eight', overlaps, scores)
suppress('all', overlaps, scores, most=20, allowed=1.0, least=-1)
suppress('strict', overlaps, scores, most=8, allowed=0.1)
suppress('negative', overlaps, scores, most=8, allowed=-1)
suppress('least', overlaps, scores, most=8, least=0.5)
suppress('ties', np.eye(5), [0.5, 0.75, 0.5, 0.75, 0.5], most=4)
suppress('none', overlaps, scores, most=0)
suppress('no_boxes', np.zeros((0, 0)), [])
suppress('below_zero', overlaps, scores, most=-1)
suppress('rectangle', overlaps[:5], scores[:5])
suppress('other_scores', overlaps, scores[:5])
suppress('vector', overlaps[0], scores)
suppress('most_vector', overlaps, scores, most=[3])
suppress('allowed_vector', overlaps, scores, allowed=[0.5])


# ---- glimpses: noise is compared by shape alone
def glimpse(name, size, offsets, shape=(2, 6, 7, 1), noise='zero', compare='close', **more):
    arguments = dict(input=(f32, np.arange(np.prod(shape)).reshape(shape)), size=(i32, size), offsets=(f32, offsets),
                     noise=noise, uniform_noise=False)  # fmt: skip
    for op in ('ExtractGlimpse', 'ExtractGlimpseV2'):
        add(op, name, compare, **{**arguments, **more})


for centered in (True, False):
    for normalized in (True, False):
        scale = 1 if normalized else 8
        for i in range(3):
            glimpse(f'{centered}_{normalized}_{i}', [3 + i, 5], random.uniform(-scale, scale, (2, 2)).round(2),
                    centered=centered, normalized=normalized, at_run=i == 0)  # fmt: skip
glimpse('larger', [9, 10], [[0, 0], [0.5, -0.25]])
glimpse('outside', [3, 3], [[4, 4], [-4, -4]])
glimpse('no_rows', [0, 3], [[0, 0], [0, 0]])
glimpse('negative', [-1, 3], [[0, 0], [0, 0]])
glimpse('uniform', [9, 10], [[0, 0], [1, 1]], noise='uniform', compare='shape')
glimpse('gaussian', [9, 10], [[0, 0], [1, 1]], noise='gaussian', compare='shape')
glimpse('other_noise', [3, 3], [[0, 0], [1, 1]], noise='pink')
glimpse('batch', [3, 3], [[0, 0]])
glimpse('vector', [3, 3], [0, 0])
glimpse('three', [3, 3], [[0, 0, 0], [0, 0, 0]])
glimpse('sizes', [3], [[0, 0], [1, 1]])
glimpse('rank', [3, 3], [[0, 0]], shape=(1, 3, 3))


# ---- random crops
BOXES = [[[0.1, 0.2, 0.6, 0.7], [0.4, 0.4, 0.9, 1.0]]]


def crop(name, size=(100, 120, 3), boxes=BOXES, covered=0.3, seed=(3, 4), t=i32, **more):
    more = dict(at_run=False, **more)
    common = dict(image_size=(t, size), bounding_boxes=(f32, boxes), **more)
    seeds = dict(seed=seed[0], seed2=seed[1])
    add('SampleDistortedBoundingBox', name, runs=2, min_object_covered=covered, **seeds, **common)
    add('SampleDistortedBoundingBoxV2', name, runs=2, min_object_covered=(f32, covered), **seeds, **common)
    add('StatelessSampleDistortedBoundingBox', name, min_object_covered=(f32, covered), seed=(i64, seed), **common)


for t in (u8, i8, tf.int16, i32, i64):
    crop(t.name, t=t)
for i in range(4):
    crop(f'seed_{i}', seed=(i + 5, 11 * i), aspect_ratio_range=[0.3, 3.0], area_range=[0.1 + 0.2 * i, 1.0])
crop('most', covered=0.9, area_range=[0.9, 1.0])
crop('never', covered=1.0, area_range=[0.05, 0.1], max_attempts=5)
crop('no_boxes', boxes=np.zeros((1, 0, 4)), use_image_if_no_bounding_boxes=True)
crop('no_boxes_refused', boxes=np.zeros((1, 0, 4)))
crop('tiny', size=(1, 1, 1), area_range=[1.0, 1.0], aspect_ratio_range=[1.0, 1.0])
crop('empty', size=(0, 10, 3))
crop('below_zero', size=(-1, 10, 3))
crop('box_beyond', boxes=[[[0, 0, 1.5, 1]]])
crop('covered_below_zero', covered=-1.0)
crop('ratios', aspect_ratio_range=[0.5, 1.0, 2.0])
crop('ratio_zero', aspect_ratio_range=[0.0, 1.0])
crop('area_beyond', area_range=[0.5, 1.5])
crop('attempts', max_attempts=0)
crop('size_two', size=(5, 5))
crop('boxes_three', boxes=[[[0, 0, 1]]])


# ---- fractional pools
def pool(name, shape=(1, 7, 9, 2), ratio=(1.0, 1.44, 1.73, 1.0), t=f32, **more):
    # TensorFlow's shape function says one less than the length of the sequences.
    more = {**more, 'at_run': True, 'known': False}
    value = (t, random.integers(-50, 50, shape))
    for op in ('FractionalMaxPool', 'FractionalAvgPool'):
        add(op, name, value=value, pooling_ratio=list(ratio), deterministic=True, **{'seed': 5, 'seed2': 6, **more})


for t in (f32, tf.float64, i32, i64):
    for pseudo in (True, False):
        for overlapping in (True, False):
            pool(f'{t.name}_{pseudo}_{overlapping}', t=t, pseudo_random=pseudo, overlapping=overlapping, at_run=False)
for i in range(4):
    pool(f'seed_{i}', (1, 12 + 3 * i, 13, 1), (1.0, 1.3 + i, 2.5, 1.0), seed=i + 1, pseudo_random=i % 2 == 0, at_run=False)
pool('whole', (1, 6, 9, 1), (1.0, 2.0, 3.0, 1.0))
pool('channels', (1, 4, 4, 4), (1.0, 2.0, 2.0, 1.5))
pool('batch_and_channel', (4, 7, 9, 4), (2.0, 1.5, 1.5, 2.0))
pool('ratio_beyond', ratio=(1.0, 9.0, 1.5, 1.0))
pool('no_images', (0, 7, 9, 2))
pool('rank', (7, 9, 2))
for op in ('FractionalMaxPool', 'FractionalAvgPool'):
    add(op, 'seed_without_deterministic', value=(f32, np.ones((1, 4, 4, 1))), pooling_ratio=[1.0, 1.5, 1.5, 1.0], seed=3,
        known=False)
    add(op, 'random', 'shape', value=(f32, np.ones((1, 4, 4, 1))), pooling_ratio=[1.0, 1.5, 1.5, 1.0], known=False)


# ---- files
def encode(name, shape=(8, 9, 3), quality=75, compare='exact', **more):
    images = (u8, random.integers(0, 256, shape))
    add('EncodeJpegVariableQuality', name, compare, images=images, quality=(i32, quality), **more)


for quality in (0, 1, 50, 95, 100):
    encode(f'quality_{quality}', quality=quality, at_run=False)
encode('grey', (5, 4, 1))
encode('beyond', quality=101)
encode('below', quality=-1)
encode('two_channels', (4, 4, 2))
encode('rank', (4, 4))
encode('vector', quality=[50])

# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/beam.pb: the beam search over labels."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
random = np.random.default_rng(79)
i32, f32, f64 = tf.int32, tf.float32, tf.float64


def add(name, x, lengths, width=10, paths=1, merge=True, t=f32, **more):
    CASES.add('CTCBeamSearchDecoder', name, inputs=(t, x), sequence_length=(i32, lengths), beam_width=width,
              top_paths=paths, merge_repeated=merge, **more)  # fmt: skip


for t in (f32, f64):
    for time, batch, classes in ((5, 2, 4), (12, 3, 6), (1, 1, 3), (30, 1, 12)):
        x = 3 * random.normal(size=(time, batch, classes))
        for width, paths, merge in ((1, 1, True), (3, 2, False), (3, 3, True), (20, 4, False), (100, 2, True)):
            if time > 1 or paths < 3:
                add(f'{t.name}_{time}x{batch}x{classes}_{width}_{paths}_{merge}', x, random.integers(1, time + 1, batch),
                    width, paths, merge, t, at_run=width == 3)  # fmt: skip
for classes in (2, 3, 5):  # many equal probabilities
    for width in (2, 3, 4, 7, 15, 16, 40):
        add(f'ties_{classes}_{width}', np.zeros((4, 1, classes)), [4], width, 2, False, at_run=False)
        add(f'few_values_{classes}_{width}', random.integers(0, 2, (6, 1, classes)), [6], width, 2, False, at_run=False)
likely = np.log([[[0.1, 0.6, 0.3]], [[0.1, 0.6, 0.3]]])
for name, (x, lengths, width, paths) in {
    'all': (likely, [2], 10, 3), 'no_time': (likely, [0], 10, 1), 'no_time_two_paths': (likely, [0], 10, 2),
    'more_paths_than_width': (likely, [2], 2, 3), 'negative_length': (likely, [-1], 10, 1), 'long': (likely, [3], 10, 1),
    'two_lengths': (likely, [1, 1], 10, 1), 'length_matrix': (likely, [[1]], 10, 1),
    'few_leaves': (np.zeros((1, 1, 2)), [1], 10, 5), 'one_class': (np.zeros((2, 1, 1)), [2], 10, 1),
    'rank_2': (np.zeros((2, 1)), [2], 10, 1), 'empty': (np.zeros((0, 1, 3)), [0], 10, 1),
    'no_batch': (np.zeros((2, 0, 3)), [], 10, 1), 'no_classes': (np.zeros((2, 1, 0)), [2], 10, 1),
    'nan': (np.full((2, 1, 3), np.nan), [2], 10, 1),
    'infinite': ([[[-np.inf, 0, 0]], [[0, -np.inf, 1]]], [2], 10, 2),
    'never': ([[[0, 0, -np.inf]], [[0, 0, -np.inf]], [[1, 2, -np.inf]]], [3], 3, 2),
    'repeats': (np.log([[[0.9, 0.1]], [[0.1, 0.9]], [[0.9, 0.1]]]), [3], 10, 2),
}.items():  # fmt: skip
    for merge in (False, True):
        add(f'{name}_{merge}', x, lengths, width, paths, merge)

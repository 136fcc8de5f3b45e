# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/special.pb: Bessel functions of the first and second
kind, Fresnel integrals, Spence's function."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
random = np.random.default_rng(31)
inf, nan = np.inf, np.nan
KINDS = {
    'BesselJ0': (-30, 30), 'BesselJ1': (-30, 30), 'BesselY0': (0.01, 30), 'BesselY1': (0.01, 30), 'BesselK0': (0.01, 9),
    'BesselK0e': (0.01, 30), 'BesselK1': (0.01, 9), 'BesselK1e': (0.01, 30), 'FresnelCos': (-6, 6),
    'FresnelSin': (-6, 6), 'Spence': (0, 9),
}  # fmt: skip

for op, (low, high) in KINDS.items():
    for dtype in (tf.float32, tf.float64):
        CASES.add(op, dtype.name, x=(dtype, random.uniform(low, high, (5, 7))))
        edges = [1e-30, 0.5, 1.6, 2, 5, 8, 8.5, 88, inf, -inf, nan, -1] + ([] if op == 'BesselY1' else [0])
        CASES.add(op, f'{dtype.name}_edges', at_run=False, x=(dtype, edges))
    CASES.add(op, 'scalar', at_run=False, x=(tf.float64, 1.25))
    CASES.add(op, 'empty', at_run=False, x=(tf.float32, np.zeros((0, 3))))
    CASES.add(op, 'half', at_run=False, x=(tf.half, [0.5, 1, 2.5, 4]))
    CASES.add(op, 'bfloat16', at_run=False, x=(tf.bfloat16, [0.5, 1]))

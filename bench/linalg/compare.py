#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares linear algebra with TensorFlow and NumPy on one thread, in turns: bench/linalg/compare.py [ROUNDS [SIZE]].

Needs numpy, and tensorflow where it is to take part. Compiles bench/linalg/decompositions.cpp with g++ -O2. Prints a
table in Markdown: the least milliseconds of all rounds. "ratio" is Tenon's time over the lesser of the peers' times.
"""

import os
import subprocess
import sys
import tempfile
import time

for name in ('OPENBLAS_NUM_THREADS', 'OMP_NUM_THREADS', 'MKL_NUM_THREADS'):
    os.environ[name] = '1'
os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import numpy as np

try:
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
except ImportError:
    tf = None

HERE = os.path.dirname(os.path.abspath(__file__))
OPS = ('cholesky', 'lu', 'inverse', 'solve', 'triangular', 'qr', 'eigh', 'svd')


def milliseconds(run):
    least, total, count = 1e9, 0, 0
    while count < 2 or (total < 0.2 and count < 1000):
        begin = time.perf_counter()
        run()
        took = time.perf_counter() - begin
        least, total, count = min(least, took), total + took, count + 1
    return least * 1e3


def peers(size, batch, dtype):
    """{(peer, op): milliseconds}."""
    random = np.random.default_rng(1)
    shape = (size, size) if batch == 1 else (batch, size, size)
    a = (random.random(shape) - 0.5).astype(dtype)
    s = a + a.swapaxes(-1, -2) + size * np.eye(size, dtype=dtype)
    runs = {
        ('numpy', 'cholesky'): lambda: np.linalg.cholesky(s),
        ('numpy', 'inverse'): lambda: np.linalg.inv(a),
        ('numpy', 'solve'): lambda: np.linalg.solve(a, s),
        ('numpy', 'qr'): lambda: np.linalg.qr(a),
        ('numpy', 'eigh'): lambda: np.linalg.eigh(s),
        ('numpy', 'svd'): lambda: np.linalg.svd(a),
    }
    if tf is not None:
        x, y = tf.constant(a), tf.constant(s)
        runs |= {
            ('tensorflow', 'cholesky'): lambda: tf.linalg.cholesky(y),
            ('tensorflow', 'lu'): lambda: tf.linalg.lu(x),
            ('tensorflow', 'inverse'): lambda: tf.linalg.inv(x),
            ('tensorflow', 'solve'): lambda: tf.linalg.solve(x, y),
            ('tensorflow', 'triangular'): lambda: tf.linalg.triangular_solve(y, x),
            ('tensorflow', 'qr'): lambda: tf.linalg.qr(x),
            ('tensorflow', 'eigh'): lambda: tf.linalg.eigh(y),
            ('tensorflow', 'svd'): lambda: tf.linalg.svd(x),
        }
    return {key: milliseconds(run) for key, run in runs.items()}


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    largest = int(sys.argv[2]) if len(sys.argv) > 2 else 1024
    sizes = [(8, 1000)] + [(n, 1) for n in (64, 128, 256, 512, 1024) if n <= largest]
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, 'decompositions')
        subprocess.run(['g++', '-std=c++20', '-O2', '-I' + os.path.join(HERE, '..', '..', 'include'),
                        os.path.join(HERE, 'decompositions.cpp'), '-o', program], check=True)
        for _ in range(rounds):
            lines = subprocess.run([program, str(largest)], check=True, capture_output=True, text=True).stdout
            found = {}
            for line in lines.splitlines():
                dtype, size, batch, op, ms = line.split()
                found[dtype, int(size), int(batch), op, 'tenon'] = float(ms)
            for dtype in ('float32', 'float64'):
                for size, batch in sizes:
                    for (peer, op), ms in peers(size, batch, dtype).items():
                        found[dtype, size, batch, op, peer] = ms
            for key, ms in found.items():
                best[key] = min(ms, best.get(key, 1e9))
    print('| op | type | size | Tenon, ms | TensorFlow, ms | NumPy, ms | ratio |')
    print('|---|---|---|---|---|---|---|')
    for op in OPS:
        for dtype in ('float32', 'float64'):
            for size, batch in sizes:
                times = [best.get((dtype, size, batch, op, who)) for who in ('tenon', 'tensorflow', 'numpy')]
                texts = ['' if t is None else f'{t:.3g}' for t in times]
                others = [t for t in times[1:] if t is not None]
                ratio = f'{times[0] / min(others):.2f}' if others else ''
                what = str(size) if batch == 1 else f'{batch} of {size}'
                print('|', ' | '.join([op, dtype, what, *texts, ratio]), '|')


if __name__ == '__main__':
    main()

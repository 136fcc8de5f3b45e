#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TensorFlow loads what Tenon saved: tensorflow_loads.py PROGRAM FOLDER...

PROGRAM is tenon_save_again. Each FOLDER is loaded by TensorFlow as it is and as Tenon saved it again. Every signature gets the
same inputs in both; the outputs must be equal. Needs tensorflow.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np
import tensorflow as tf

LENGTH = 3  # of a dimension that a signature leaves open


def value_of(rng, spec):
    shape = [LENGTH if n is None else n for n in spec.shape] if spec.shape.rank is not None else [LENGTH]
    if spec.dtype == tf.string:
        return tf.constant(rng.choice(['a', 'good', 'b c'], shape).astype(object), tf.string)
    if spec.dtype.is_floating:
        return tf.cast(rng.standard_normal(shape), spec.dtype)
    return tf.cast(rng.integers(0, 2, shape), spec.dtype)


def answer(function, inputs):
    """The outputs by name, or the kind of the error."""
    try:
        return {name: np.asarray(output.numpy()) for name, output in function(**inputs).items()}
    except tf.errors.OpError as error:
        return type(error).__name__


def same(a, b):
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and a == b
    return a.keys() == b.keys() and all(np.array_equal(a[k], b[k], equal_nan=a[k].dtype.kind == 'f') for k in a)


def check(folder, saved):
    """Returns (signatures that answer, texts of faults)."""
    old, new = tf.saved_model.load(folder, tags=['serve']), tf.saved_model.load(saved, tags=['serve'])
    faults, answers = [], 0
    if sorted(old.signatures) != sorted(new.signatures):
        return 0, [f'signatures {sorted(new.signatures)}, wanted {sorted(old.signatures)}']
    for name in sorted(old.signatures):
        rng = np.random.default_rng(1)
        specs = old.signatures[name].structured_input_signature[1]
        inputs = {key: value_of(rng, spec) for key, spec in specs.items()}
        want, got = answer(old.signatures[name], inputs), answer(new.signatures[name], inputs)
        answers += not isinstance(got, str)
        if not same(want, got):
            faults.append(f'signature {name}: {got}, wanted {want}')
    return answers, faults


def main():
    program, folders = sys.argv[1], [folder.rstrip('/') for folder in sys.argv[2:]]
    passed = failed = answers = 0
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([program, out, *folders], check=True)
        y = tf.saved_model.load(out + '/session').signatures['serving_default'](x=tf.constant([[1.0, 1.0], [2.0, 0.0]]))['y']
        if y.numpy().tolist() != [[2, 3], [4, 0]]:
            print(f'FAILED session: {y}')
            failed += 1
        for folder in folders:
            name = os.path.basename(folder)
            count, faults = check(folder, f'{out}/{name}')
            answers += count
            passed += not faults
            failed += bool(faults)
            for fault in faults:
                print(f'FAILED {name}: {fault}')
    print(f'{answers} signatures answered')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or answers == 0 else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the digits of examples/12_train_digits: images.npy [1797, 8, 8, 1] and labels.npy [1797], both uint8.

The argument is digits.csv.gz of scikit-learn: `pip download --no-deps scikit-learn`, then unzip the wheel's
sklearn/datasets/data/digits.csv.gz. It is the test set of the "Optical Recognition of Handwritten Digits" of E. Alpaydin and
C. Kaynak, UCI Machine Learning Repository (1998), https://doi.org/10.24432/C50P49, under CC BY 4.0.

Digits of one person follow each other in that file: they are put in a random order, so that the first and the last ones are
samples of all persons.
"""
import pathlib
import sys

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent.parent / 'examples/12_train_digits/digits'


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    table = np.loadtxt(sys.argv[1], delimiter=',').astype(np.uint8)
    assert table.shape == (1797, 65) and table[:, :64].max() == 16 and table[:, 64].max() == 9
    table = table[np.random.RandomState(1).permutation(len(table))]
    FOLDER.mkdir(exist_ok=True)
    np.save(FOLDER / 'images.npy', table[:, :64].reshape(-1, 8, 8, 1))
    np.save(FOLDER / 'labels.npy', table[:, 64].copy())


if __name__ == '__main__':
    main()

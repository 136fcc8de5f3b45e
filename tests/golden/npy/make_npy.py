#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the files of this folder with NumPy (2.4) and ml_dtypes: arrays [2, 3] with the values 0 1 2 3 4 5 unless said
otherwise, alone (.npy) and together (.npz, stored and deflated)."""
import pathlib
import warnings

import ml_dtypes
import numpy as np

warnings.simplefilter('ignore')
HERE = pathlib.Path(__file__).resolve().parent
TYPES = ['bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16', 'float32',
         'float64', 'complex64', 'complex128']
TEXTS = [['', 'a', 'h\u00e9llo'], ['\u20ac\u20ac', '\U0001f600', 'x\0y']]

arrays = {}
for name in TYPES:
    values = np.arange(6).reshape(2, 3)
    values = (values + 1j * values[::-1] if name.startswith('complex') else values).astype(name)
    arrays[f'{name}/c'] = values
    arrays[f'{name}/fortran'] = np.asfortranarray(values)
    arrays[f'{name}/big'] = values.astype(values.dtype.newbyteorder('>'))
    arrays[f'{name}/big_fortran'] = np.asfortranarray(arrays[f'{name}/big'])
np.savez(HERE / 'types.npz', **arrays)

deflated = {'zeros': np.zeros([64, 1024], np.float32), 'range': np.arange(5000, dtype=np.int32),
            'noise': np.random.default_rng(1).integers(0, 256, 3000, dtype=np.uint8),
            'text': np.array(TEXTS), 'scalar': np.float64(2.5), 'empty': np.zeros([0, 3], np.int8)}
np.savez_compressed(HERE / 'deflated.npz', **deflated)

np.save(HERE / 'bytes.npy', np.array([[b'', b'a', b'ab\0c'], [b'\xff', b'12345', b'z']]))
np.save(HERE / 'text.npy', np.array(TEXTS))
np.save(HERE / 'text_big_fortran.npy', np.asfortranarray(np.array(TEXTS).astype('>U5')))
np.save(HERE / 'bfloat16.npy', np.arange(6).reshape(2, 3).astype(ml_dtypes.bfloat16))
for name in ['float8_e5m2', 'float8_e4m3fn', 'float8_e4m3fnuz', 'float8_e4m3b11fnuz', 'float8_e5m2fnuz']:
    np.save(HERE / f'{name}.npy', np.arange(6).reshape(2, 3).astype(getattr(ml_dtypes, name)))
count = np.arange(6).reshape(2, 3)
for name, values in {'int4': count - 3, 'uint4': count + 10, 'int2': count % 4 - 2, 'uint2': count % 4,
                     'float4_e2m1fn': count - 3}.items():
    np.save(HERE / f'{name}.npy', values.astype(getattr(ml_dtypes, name)))
np.save(HERE / 'qint8.npy', np.arange(6, dtype=np.int8).reshape(2, 3).view([('qint8', np.int8)]))
np.save(HERE / 'object.npy', np.array([1, 'a'], dtype=object))
np.save(HERE / 'fields.npy', np.zeros([2], dtype=[('a', '<i4'), ('b', '<f8', (2,))]))
np.save(HERE / 'datetime.npy', np.zeros([2], dtype='M8[s]'))
np.save(HERE / 'longdouble.npy', np.zeros([2], dtype=np.longdouble))
with open(HERE / 'version_2.npy', 'wb') as file:
    np.lib.format.write_array(file, np.arange(24, dtype='<i4').reshape(2, 3, 4, order='F'), version=(2, 0))
with open(HERE / 'version_3.npy', 'wb') as file:
    np.lib.format.write_array(file, np.asfortranarray(np.arange(24, dtype='>i2').reshape(2, 3, 4)), version=(3, 0))

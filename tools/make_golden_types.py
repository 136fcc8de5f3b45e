#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/types: what TensorFlow (2.21), NumPy (2.4) and ml_dtypes (0.6) make of small floats and scalar casts.

Needs Python with tensorflow-cpu; an x86 processor, since out-of-range casts answer what it answers. All files are
little-endian and without padding:

  to_float.bin    per small float:  u8 dtype, u32 runs, u32 float bits of pattern 0, runs * (u32 step, u32 count):
                  the next `count` patterns are `step` further each, modulo 2^32. NaNs with or without the quiet bit.
  from_wide.bin   twice, for float and double:  u8 dtype, u32 n, n inputs, u8 types,
                  types * (u8 dtype, n patterns).
  random.bin      u32 inputs in a block, u32 blocks, u8 types, types * (u8 dtype, blocks * u64 sums from float,
                  blocks * u64 sums from double): see RandomBits and Sum.
  arithmetic.bin  u8 types, types * (u8 dtype, u32 n, n * a, n * b, 4 * n patterns: a+b, a-b, a*b, a/b).
                  NaN results are all ones.
  casts.bin       u8 sources, sources * (u8 dtype, u32 n, n values); until the end of the file:
                  u8 source dtype, u8 destination dtype, u8 origin (0 TensorFlow, 1 ml_dtypes), n results.

Every cast ran on a tensor of one element: TensorFlow's vector code gives other answers for numbers that do not fit."""
import os
import pathlib
import struct
import warnings

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import ml_dtypes
import numpy as np
import tensorflow as tf

warnings.simplefilter('ignore')
OUT = pathlib.Path(__file__).resolve().parent.parent / 'tests' / 'golden' / 'types'

# number -> NumPy type
SMALL = {19: np.float16, 14: ml_dtypes.bfloat16, 24: ml_dtypes.float8_e5m2, 25: ml_dtypes.float8_e4m3fn,
         26: ml_dtypes.float8_e4m3fnuz, 27: ml_dtypes.float8_e4m3b11fnuz, 28: ml_dtypes.float8_e5m2fnuz,
         33: ml_dtypes.float4_e2m1fn}
WIDE = {1: np.float32, 2: np.float64}
INTEGERS = {3: np.int32, 4: np.uint8, 5: np.int16, 6: np.int8, 9: np.int64, 17: np.uint16, 22: np.uint32,
            23: np.uint64}
COMPLEX = {8: np.complex64, 18: np.complex128}
SUB_BYTE = {29: ml_dtypes.int4, 30: ml_dtypes.uint4, 31: ml_dtypes.int2, 32: ml_dtypes.uint2}
QUANTIZED = {11: 6, 12: 4, 13: 3, 15: 5, 16: 17}  # as the integer of that number
NUMPY = {10: np.bool_, **SMALL, **WIDE, **INTEGERS, **COMPLEX, **SUB_BYTE}


def bits_of(array):
    return array.view(f'u{array.dtype.itemsize}')


def patterns(number):
    count = 16 if number == 33 else 256 ** np.dtype(SMALL[number]).itemsize
    return np.arange(count, dtype=f'u{np.dtype(SMALL[number]).itemsize}').view(SMALL[number])


def tf_cast(array, source, destination):
    """None where TensorFlow has no such cast."""
    try:
        tensor = tf.constant(array, dtype=tf.dtypes.as_dtype(source))
        return tf.raw_ops.Cast(x=tensor, DstT=tf.dtypes.as_dtype(destination)).numpy()
    except (tf.errors.OpError, TypeError, ValueError):
        return None


def float_for(array, destination):
    """Doubles as the floats that small types are made from: rounded to nearest for 16 bits; to odd for 8, so that
    rounding these floats equals rounding the doubles once, as the C++ of TensorFlow and ml_dtypes does."""
    if array.dtype != np.float64:
        return array
    nearest = array.astype(np.float32)
    if destination in (14, 19):
        return nearest
    inexact = np.isfinite(nearest) & (nearest.astype(np.float64) != array)
    too_large = np.abs(nearest.astype(np.float64)) > np.abs(array)
    down = np.where(too_large, np.nextafter(nearest, np.float32(0)), nearest)
    return np.where(inexact, (bits_of(down) | np.uint32(1)).view(np.float32), nearest)


def convert(array, source, destination):
    """NumPy's and ml_dtypes' patterns. TensorFlow's must be the same, but for two things that depend on how it was
    built: what becomes of the bits of a NaN (here a half has none of them but the sign), and that it takes floats that
    are subnormal for zero."""
    result = float_for(array, destination).astype(NUMPY[destination])
    nan = np.isnan(array.astype(np.float64))
    if destination == 19:
        bits = bits_of(result)
        result = np.where(nan, bits & np.uint16(0x8000) | np.uint16(0x7e00), bits).view(np.float16)
    got = tf_cast(array, source, destination)
    if got is not None:
        subnormal = np.abs(array.astype(np.float64)) < np.finfo(np.float32).tiny
        assert ((bits_of(got) == bits_of(result)) | nan | subnormal).all(), (source, destination)
    return result


def to_float():
    out = b''
    for number in SMALL:
        bits = bits_of(convert(patterns(number), number, 1)).astype(np.uint32)
        steps = np.diff(bits)
        starts = np.flatnonzero(np.concatenate([[True], steps[1:] != steps[:-1]]))
        counts = np.diff(np.append(starts, len(steps)))
        out += struct.pack('<BII', number, len(starts), int(bits[0]))
        out += np.stack([steps[starts], counts.astype(np.uint32)], 1).astype('<u4').tobytes()
    return out


def boundaries(wide, types, at_most):
    """Values of `types`, the midpoints between neighbours, and the wide numbers next to these; with both signs."""
    values = []
    for number in types:
        finite = patterns(number).astype(np.float64)
        finite = np.unique(finite[np.isfinite(finite) & (finite >= 0)])
        # One step past the largest: where rounding becomes overflow.
        finite = np.append(finite, 2 * finite[-1] - finite[-2])
        if len(finite) > at_most:
            keep = np.random.default_rng(1).choice(len(finite) - 1, at_most, replace=False)
            keep = np.unique(np.concatenate([keep, [0, 1, 2, 3, len(finite) - 3, len(finite) - 2]]))
            middles, finite = (finite[keep] + finite[keep + 1]) / 2, finite[keep]
        else:
            middles = (finite[:-1] + finite[1:]) / 2
        exact = np.concatenate([finite, middles]).astype(wide)
        values += [exact, np.nextafter(middles.astype(wide), wide(0)), np.nextafter(middles.astype(wide), wide(np.inf))]
    info = np.finfo(wide)
    values.append(np.array([np.inf, info.max, info.tiny, info.smallest_subnormal, info.tiny / 2, 1 / 3, 0.1], wide))
    values = np.unique(np.concatenate(values))
    nans = {4: [0x7fc00000, 0x7f800001, 0x7fbfffff, 0x7fffffff, 0x7fe12345],
            8: [0x7ff8 << 48, (0x7ff0 << 48) + 1, (0x7ff8 << 48) - 1, (1 << 63) - 1, 0x7ff0 << 48 | 1 << 40]}
    nans = np.array(nans[wide(0).itemsize], bits_of(values).dtype).view(wide)
    values = np.concatenate([values, nans])
    sign = np.array(1 << (8 * wide(0).itemsize - 1), bits_of(values).dtype)
    return np.concatenate([values, (bits_of(values) | sign).view(wide)])


def from_wide():
    out = b''
    for wide_number, wide in WIDE.items():
        inputs = boundaries(wide, SMALL, 250 if wide_number == 1 else 60)
        out += struct.pack('<BI', wide_number, len(inputs)) + inputs.tobytes() + struct.pack('<B', len(SMALL))
        for number in SMALL:
            out += struct.pack('<B', number) + convert(inputs, wide_number, number).tobytes()
    return out


BLOCK, BLOCKS = 1000, 100


def mixed(i):  # splitmix64 of i
    x = (i + np.uint64(1)) * np.uint64(0x9e3779b97f4a7c15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
    return x ^ (x >> np.uint64(31))


def random_bits(wide_number):
    """Input i: the low bits of mixed(i); where i is even, the exponent is one of 48 about 1."""
    i = np.arange(BLOCK * BLOCKS, dtype=np.uint64)
    x = mixed(i)
    small_exponent = x % np.uint64(48)
    if wide_number == 1:
        x &= np.uint64(0xffffffff)
        near_one = x & np.uint64(0x807fffff) | (small_exponent + np.uint64(127 - 24)) << np.uint64(23)
        return np.where(i % 2 == 0, near_one, x).astype(np.uint32).view(np.float32)
    near_one = x & np.uint64(0x800fffffffffffff) | (small_exponent + np.uint64(1023 - 24)) << np.uint64(52)
    return np.where(i % 2 == 0, near_one, x).view(np.float64)


def sums(array):
    """Per block the sum over i of (bits + 1) * mixed(i), modulo 2^64."""
    words = (bits_of(array).astype(np.uint64) + np.uint64(1)) * mixed(np.arange(len(array), dtype=np.uint64))
    return words.reshape(BLOCKS, BLOCK).sum(1, dtype=np.uint64)


def random():
    out = struct.pack('<IIB', BLOCK, BLOCKS, len(SMALL))
    for number in SMALL:
        out += struct.pack('<B', number)
        for wide_number in WIDE:
            out += sums(convert(random_bits(wide_number), wide_number, number)).tobytes()
    return out


def arithmetic():
    out = struct.pack('<B', len(SMALL))
    for number in SMALL:
        every = patterns(number)
        rng = np.random.default_rng(number)
        n = 1000
        a, b = every[rng.integers(0, len(every), n)], every[rng.integers(0, len(every), n)]
        out += struct.pack('<BI', number, n) + a.tobytes() + b.tobytes()
        for result in (a + b, a - b, a * b, a / b):
            bits = bits_of(result).copy()
            bits[np.isnan(result.astype(np.float32))] = np.iinfo(bits.dtype).max
            out += bits.tobytes()
    return out


POSITIVE = [0, .25, .5, .75, .99, 1, 1.5, 2, 2.5, 3.5, 6.9, 7, 7.5, 8, 15, 15.5, 16, 17, 100, 127, 127.9, 128, 128.5,
            129, 200.7, 255, 255.5, 256, 257, 300, 448, 464, 465, 480, 32767, 32767.5, 32768, 32769, 57344, 61440,
            61441, 65504, 65519, 65520, 65535, 65535.5, 65536, 65537, 2**24 - 1, 2**24 + 1, 2**31 - 1, 2**31,
            2**31 + 129, 2**31 + 300, 2**32 - 1, 2**32, 2**32 + 5000, 2**40 + 5, 2.**53 + 2, 2.**63 - 1024, 2.**63,
            2.**63 + 2048, 2.**64 - 2048, 2.**64, 2.**64 + 4096, 1e20, 3e38, 3.4028234663852886e38, 3.4028236e38, 1e39,
            1e300, 6e-8, 2.**-24, 2.**-25, 6.1e-5, 1e-30, np.inf, np.nan]


def stored(array):
    """The bytes of an array; integers of fewer than 8 bits with their sign in all bits, where ml_dtypes has zeros."""
    if array.dtype in (np.dtype(ml_dtypes.int4), np.dtype(ml_dtypes.int2)):
        array = array.astype(np.int8)
    return array.tobytes()


def values_of(number):
    numpy_type = np.dtype(NUMPY[QUANTIZED.get(number, number)])
    reals = np.array([sign * x for x in POSITIVE for sign in (1, -1)])
    if number == 10:
        return np.array([False, True])
    if number in SMALL and numpy_type.itemsize == 1:
        return patterns(number)
    if number in SUB_BYTE:
        info = ml_dtypes.iinfo(numpy_type)
        return np.arange(int(info.min), int(info.max) + 1).astype(numpy_type)
    if number in COMPLEX:
        result = np.empty(len(reals) + 3, numpy_type)
        result.real = np.append(reals, [0, 0, -0.0])
        result.imag = np.append(np.resize([0, 1, -2.5, np.inf, np.nan, 1e-3], len(reals)), [1, np.nan, -0.0])
        return result
    if number in SMALL or number in WIDE:
        return reals.astype(numpy_type)
    info = np.iinfo(numpy_type)
    whole = {sign * (2**b + k) for b in (0, 1, 3, 4, 7, 8, 15, 16, 24, 31, 32, 53, 62, 63, 64) for k in (-1, 0, 1)
             for sign in (1, -1)}
    # Halfway between two floats (24 bits), doubles (53), halves (11), bfloat16s (8), and one beside that.
    whole |= {sign * ((2**b + k) * 2**e + 2**(e - 1) + d) for b in (7, 10, 23, 52) for k in (1, 2) for e in (1, 4, 10)
              for d in (-1, 0, 1) for sign in (1, -1)}
    whole |= {65519, 65520, -65520, 100, 200, 12345, -1234567891}
    return np.array(sorted(x for x in whole if info.min <= x <= info.max), numpy_type)


def ml_dtypes_cast(values, source, destination):
    """None where neither type is one that only ml_dtypes converts, or where it does not."""
    only_there = {26, 27, 28, 31, 32, 33}
    if source not in only_there and destination not in only_there or source in QUANTIZED or destination in QUANTIZED:
        return None
    try:
        return np.concatenate([values[i:i + 1].astype(NUMPY[destination]) for i in range(len(values))])
    except (TypeError, ValueError):
        return None


def casts():
    numbers = sorted([*NUMPY, *QUANTIZED])
    values = {number: values_of(number) for number in numbers}
    out = struct.pack('<B', len(numbers))
    for number in numbers:
        out += struct.pack('<BI', number, len(values[number])) + stored(values[number])
    for source in numbers:
        for destination in numbers:
            if source == destination:
                continue
            if source in QUANTIZED and destination not in WIDE:  # runs the code of their integers
                continue
            if destination in QUANTIZED and source not in WIDE:
                continue
            origin = 0
            results = []
            for i in range(len(values[source])):
                result = tf_cast(values[source][i:i + 1], source, destination)
                if result is None:
                    break
                results.append(result)
            if len(results) == len(values[source]):
                results = np.concatenate(results)
            else:
                origin = 1
                results = ml_dtypes_cast(values[source], source, destination)
            if results is not None:
                out += struct.pack('<BBB', source, destination, origin) + stored(results)
    return out


for name, data in [('to_float', to_float()), ('from_wide', from_wide()), ('random', random()),
                   ('arithmetic', arithmetic()), ('casts', casts())]:
    (OUT / f'{name}.bin').write_bytes(data)
    print(f'{name}.bin', len(data))

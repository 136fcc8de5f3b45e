# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/audio.pb: sound as files."""

import os
import struct
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(36)
f32, i32 = tf.float32, tf.int32


def encode(name, audio, rate=16000, **more):
    add('EncodeWav', name, 'exact', audio=(f32, audio), sample_rate=(i32, rate), **more)


encode('mono', random.uniform(-1, 1, (9, 1)))
encode('stereo', random.uniform(-1.2, 1.2, (5, 2)))
encode('halves', np.arange(-4, 5).reshape(9, 1) / 65536, 44100)
encode('no_samples', np.zeros((0, 2)))
encode('no_channels', np.zeros((3, 0)))
encode('rate_zero', np.zeros((3, 1)), 0)
encode('rate_below_zero', np.zeros((3, 1)), -5)
encode('vector', np.zeros(3))
encode('rates', np.zeros((3, 1)), [16000])


def wav(samples, channels=1, rate=8000, bits=16, kind=1, size=16, before=b'', after=b'', length=None):
    data = np.asarray(samples, '<i2').tobytes()
    head = struct.pack('<HHIIHH', kind, channels, rate, rate * channels * bits // 8, channels * bits // 8, bits)
    head += bytes(size - 16)
    chunks = before + b'fmt ' + struct.pack('<I', size) + head
    chunks += b'data' + struct.pack('<I', len(data) if length is None else length) + data + after
    return b'RIFF' + struct.pack('<I', len(chunks) + 4) + b'WAVE' + chunks


def decode(name, contents, **more):
    add('DecodeWav', name, contents=(tf.string, contents), **more)


def chunk(name, data):
    return name + struct.pack('<I', len(data)) + data


sound = wav([0, 1, -1, 32767, -32768, 1000])
decode('mono', sound)
decode('stereo', wav([0, 1, -1, 32767, -32768, 1000], 2))
decode('more_channels', wav([5, 600, -7, 80], 2), desired_channels=3, at_run=False)
decode('one_channel', wav([5, 600, -7, 80], 2), desired_channels=1, at_run=False)
decode('more_samples', sound, desired_samples=8, at_run=False)
decode('less_samples', sound, desired_samples=2, at_run=False)
decode('neither', sound, desired_samples=0, desired_channels=0, at_run=False)
decode('size_18', wav([1, 2], size=18), at_run=False)
decode('junk', wav([1, 2], before=chunk(b'JUNK', b'abcd')), at_run=False)
decode('bext_junk', wav([1, 2], before=chunk(b'bext', b'ab') + chunk(b'JUNK', b'')), at_run=False)
decode('other_before', wav([1, 2], before=chunk(b'ABCD', b'ab')), at_run=False)
decode('list_after', wav([1, 2], after=chunk(b'LIST', b'abcdef')), at_run=False)
decode('long_after', wav([1, 2], after=b'LIST' + struct.pack('<I', 99)), at_run=False)
decode('two_data', wav([1, 2], after=chunk(b'data', b'ab')), at_run=False)
decode('short', sound[:-2], at_run=False)
decode('no_data', wav([])[:36], at_run=False)
decode('header', sound[:20], at_run=False)
decode('empty', b'', at_run=False)
decode('riff', b'RIFX' + sound[4:], at_run=False)
decode('bits', wav([1, 2], bits=8), at_run=False)
decode('kind', wav([1, 2], kind=3), at_run=False)
decode('size', wav([1, 2], size=20), at_run=False)
decode('channels', wav([1, 2], 0), at_run=False)
decode('length', wav([1, 2], length=5), at_run=False)
decode('vector', [sound])

# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/webp.pb: WebP files. Needs Pillow."""

import io
import os
import sys

import numpy as np
import tensorflow as tf
from PIL import Image

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(118)


def levels(*shape):
    """A picture: slopes with some noise."""
    down = np.linspace(0, 160, shape[0])[:, None, None]
    right = np.linspace(0, 60, shape[1])[:, None]
    return (down + right + random.uniform(0, 30, shape)).astype(np.uint8)


def written(pictures, **options):
    out = io.BytesIO()
    first, *others = [Image.fromarray(picture) for picture in pictures]
    if others:
        options.update(save_all=True, append_images=others, duration=40)
    first.save(out, 'WEBP', **options)
    return out.getvalue()


rgb, rgba = levels(19, 23, 3), levels(9, 7, 4)
frames = [levels(8, 6, 4) for _ in range(3)]
good = dict(
    lossy=written([rgb]),
    poor=written([levels(40, 33, 3)], quality=10),
    lossless=written([rgb], lossless=True),
    alpha=written([rgba]),
    alpha_lossless=written([rgba], lossless=True, exact=True),
    pixel=written([rgb[:1, :1]], lossless=True),
    animated=written(frames, lossless=True),
    animated_lossy=written(frames),
)
bad = dict(
    cut=good['lossy'][:60],
    header=good['lossy'][:20],
    short=good['lossy'][:12],
    cut_animation=good['animated'][:300],
    no_chunk=good['lossy'][:8] + b'WEBPxxxxxxxxxxxxxxxxxxxx',
    wave=b'RIFF1234WAVE01234567',
)
others = dict(
    gif=b'GIF89a\4\0\4\0\x80\0\0\1\2\3\4\5\6,\0\0\0\0\2\0\1\0\0\2\2\x44\x0a\0;',
    bmp=b'BM' + bytes(40),
)
for name, file in (good | bad | others).items():
    contents = (tf.string, file)
    for channels in (0, 1, 3, 4):
        add('DecodeWebP', f'{name}_{channels}', 'exact', contents=contents, channels=channels, at_run=False)
for name, file in (good | bad).items():
    contents = (tf.string, file)
    add('DecodeImage', f'webp_{name}', 'exact', contents=contents, at_run=False)
    add('DecodeImage', f'webp_{name}_first', 'exact', contents=contents, expand_animations=False, at_run=False)
for name in ('lossless', 'animated', 'cut'):
    contents = (tf.string, good.get(name) or bad[name])
    for op in ('DecodeGif', 'ExtractJpegShape'):
        add(op, f'webp_{name}', 'exact', contents=contents, at_run=False)
    for dtype in (tf.uint16, tf.float32):
        add('DecodeImage', f'webp_{name}_{dtype.name}', 'exact', contents=contents, dtype=dtype, at_run=False)
add('DecodeWebP', 'vector', contents=(tf.string, [good['lossy']]))
add('DecodeWebP', 'two_channels', contents=(tf.string, good['lossy']), channels=2, at_run=False)
add('DecodeWebP', 'empty', 'exact', contents=(tf.string, b''), at_run=False)

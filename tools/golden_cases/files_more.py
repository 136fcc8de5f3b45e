# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/files_more.pb: sound, pictures,
compressed texts, summaries, readers."""

import gzip
import os
import struct
import sys
import zlib

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(41)
f32, i32, u8, string = tf.float32, tf.int32, tf.uint8, tf.string


# ---- sound
def spectrogram(name, shape, window_size, stride, **more):
    add('AudioSpectrogram', name, input=(f32, random.uniform(-1, 1, shape)), window_size=window_size, stride=stride,
        **more)  # fmt: skip


spectrogram('mono', (100, 1), 16, 8)
spectrogram('squared', (100, 2), 16, 8, magnitude_squared=True)
spectrogram('odd_window', (77, 2), 11, 5)
spectrogram('apart', (90, 1), 8, 20)
spectrogram('two', (9, 3), 2, 1)
spectrogram('whole', (64, 1), 64, 64)
spectrogram('short', (7, 2), 8, 1)
spectrogram('no_samples', (0, 2), 8, 1)
spectrogram('no_channels', (20, 0), 8, 1)
spectrogram('cube', (20, 1, 2), 4, 2)
add('AudioSpectrogram', 'nan', input=(f32, [[1], [np.nan], [np.inf], [0], [0], [1], [2], [3]]), window_size=4, stride=2)


def mfcc(name, shape=(2, 3, 65), rate=16000, values=None, **more):
    values = random.uniform(0, 9, shape) if values is None else values
    add('Mfcc', name, spectrogram=(f32, values), sample_rate=(i32, rate), **more)


mfcc('default')
mfcc('fewer', dct_coefficient_count=5, filterbank_channel_count=20)
mfcc('all', dct_coefficient_count=8, filterbank_channel_count=8, upper_frequency_limit=7999.0)
mfcc('one_band', dct_coefficient_count=1, filterbank_channel_count=1)
mfcc('limits', lower_frequency_limit=300.0, upper_frequency_limit=3000.0, rate=8000)
mfcc('from_zero', lower_frequency_limit=0.0, rate=44100)
mfcc('upper_beyond', upper_frequency_limit=9000.0)
mfcc('upper_huge', upper_frequency_limit=1e30)
mfcc('zeros', values=np.zeros((1, 1, 33)))
mfcc('negative', values=-np.ones((1, 1, 33)))
mfcc('lower_high', lower_frequency_limit=3990.0)
mfcc('no_windows', (2, 0, 65))
mfcc('two_bins', (1, 1, 2))
mfcc('one_bin', (1, 1, 1))
mfcc('no_bins', (1, 1, 0))
mfcc('rate_zero', rate=0)
mfcc('rate_negative', rate=-8000)
mfcc('rates', rate=[16000])
mfcc('matrix', (3, 65))
mfcc('limits_swapped', lower_frequency_limit=4000.0)
mfcc('lower_negative', lower_frequency_limit=-1.0)
mfcc('many_coefficients', dct_coefficient_count=41)
mfcc('no_coefficients', dct_coefficient_count=0)
mfcc('no_bands', filterbank_channel_count=0)


# ---- compressed texts
def decompress(name, texts, kind, **more):
    add('DecodeCompressed', name, 'exact', bytes=(string, texts), compression_type=kind, **more)


def plain_deflate(text, level=6):
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    return packer.compress(text) + packer.flush()


words = b'the cat sat on the mat ' * 40
noise = random.integers(0, 256, 3000, np.uint8).tobytes()
packed, zipped = zlib.compress(words), gzip.compress(words, mtime=0)
decompress('none', [words[:9], b'', b'\0\1'], '')
decompress('zlib', [packed, zlib.compress(b''), zlib.compress(noise, 0)], 'ZLIB')
decompress('gzip', [[zipped], [gzip.compress(noise, mtime=0)]], 'GZIP')
decompress('scalar', zlib.compress(noise, 9), 'ZLIB')
decompress('no_texts', np.zeros((0, 2), object), 'ZLIB')
decompress('empty', b'', 'ZLIB')
decompress('empty_gzip', b'', 'GZIP')
decompress('two_members', zipped + gzip.compress(b'end', mtime=0), 'GZIP')
decompress('two_streams', packed + packed, 'ZLIB', at_run=False)
for i, cut in enumerate((1, 4, 9, len(packed) - 3)):
    decompress(f'cut_{i}', packed[:-cut], 'ZLIB', at_run=False)
    decompress(f'gzip_cut_{i}', zipped[:-cut], 'GZIP', at_run=False)
decompress('behind', packed + b'abc', 'ZLIB', at_run=False)
decompress('gzip_behind', zipped + b'abc', 'GZIP', at_run=False)
decompress('sum', packed[:-1] + b'!', 'ZLIB', at_run=False)
decompress('gzip_sum', zipped[:-6] + b'!' + zipped[-5:], 'GZIP', at_run=False)
decompress('no_header', b'abcdef', 'ZLIB', at_run=False)
decompress('deflate', plain_deflate(words), 'ZLIB', at_run=False)
decompress('other_kind', zipped, 'ZLIB', at_run=False)
decompress('spoilt_second', [packed, b'abc'], 'ZLIB', at_run=False)
decompress('unknown', packed, 'BZIP2', at_run=False)
decompress('lower_case', packed, 'zlib', at_run=False)


# ---- pictures
def lzw(levels, bits, codes=None):
    """Codes of GIF's LZW: the levels in runs so short that codes never grow, or the codes given."""
    clear, width, table = 1 << bits, bits + 1, 0
    packed, held, count = bytearray(), 0, 0

    def put(code):
        nonlocal held, count
        held |= code << count
        count += width
        while count >= 8:
            packed.append(held & 255)
            held >>= 8
            count -= 8

    if codes is None:
        put(clear)
        for level in levels:
            if table == (1 << bits) - 2:
                put(clear)
                table = 0
            put(level)
            table += 1
        put(clear + 1)
    else:
        made = clear + 2
        for code in codes:
            put(code)
            if code == clear:
                made, width = clear + 1, bits + 1
                continue
            made += 1
            if made >= 1 << width and width < 12:
                width += 1
    if count:
        packed.append(held & 255)
    return bytes(packed)


def lzw_codes(levels, bits):
    """The codes of a true LZW compressor."""
    clear = 1 << bits
    codes, table, run = [clear], {(i,): i for i in range(clear)}, ()
    for level in levels:
        if run + (level,) in table:
            run += (level,)
            continue
        codes.append(table[run])
        if len(table) < 4094:
            table[run + (level,)] = len(table) + 2
        run = (level,)
    return codes + [table[run], clear + 1]


def gif_frame(levels, left=0, top=0, width=4, height=3, bits=2, control=None, interlace=False, colors=b'', data=None):
    flags = (0x40 if interlace else 0) | (0x80 | (len(colors) // 3).bit_length() - 2 if colors else 0)
    data = lzw(levels, bits) if data is None else data
    out = (control or b'') + b',' + struct.pack('<HHHHB', left, top, width, height, flags) + colors + bytes([bits])
    while data:
        out += bytes([min(255, len(data))]) + data[:255]
        data = data[255:]
    return out + b'\0'


def transparent(level, flags=1):
    return b'!\xf9\x04' + bytes([flags, 0, 0, level]) + b'\0'


def gif(frames, colors=4, end=b';', version=b'GIF89a'):
    flags = 0x80 | colors.bit_length() - 2 if colors else 0
    return version + struct.pack('<HHBBB', 9, 9, flags, 0, 0) + bytes(range(10, 10 + 3 * colors)) + b''.join(frames) + end


ramp = [i % 4 for i in range(12)]
whole, dot = gif_frame(ramp), gif_frame([1, 2], 1, 1, 2, 1)
many = random.integers(0, 4, 70 * 90).tolist()
gifs = dict(
    one=gif([whole]),
    two=gif([whole, dot]),
    small_first=gif([dot, whole]),
    transparent=gif([gif_frame(ramp, control=transparent(1)), gif_frame(ramp[::-1], control=transparent(2))]),
    control_without=gif([gif_frame(ramp, control=transparent(1, 0))]),
    two_controls=gif([gif_frame(ramp, control=transparent(1) + transparent(2))]),
    long_control=gif([gif_frame(ramp, control=b'!\xf9\5\1\0\0\1\1\0')]),
    comment=gif([b'!\xfe\3abc\2de\0', whole]),
    empty_comment=gif([b'!\xfe\0\0', whole]),
    short_comment=gif([b'!\xfe\0', whole]),
    local_colors=gif([gif_frame([i % 2 for i in range(12)], colors=bytes(range(100, 106))), whole]),
    only_local=gif([gif_frame([i % 2 for i in range(12)], colors=bytes(range(100, 106)))], 0),
    no_colors=gif([whole], 0),
    interlaced=gif([gif_frame([i // 2 % 4 for i in range(38)], width=2, height=19, interlace=True)]),
    beyond=gif([gif_frame([1] * 12, 2, 2), whole]),
    far_beyond=gif([whole, gif_frame([1] * 12, 60000, 60000)]),
    larger_second=gif([whole, gif_frame(ramp * 2, width=6, height=4)]),
    compressed=gif([gif_frame(None, width=70, height=90, data=lzw(None, 2, lzw_codes(many, 2)))]),
    full_table=gif(
        [gif_frame(None, width=200, height=90, bits=8, data=lzw(None, 8, lzw_codes(np.repeat(many, 3)[:18000].tolist(), 8)))]
    ),
    own_run=gif([gif_frame(None, data=lzw(None, 2, [4, 1, 6, 7, 8, 1, 1, 1, 5]))]),
    unknown_first=gif([gif_frame(None, data=lzw(None, 2, [4, 7] + [1] * 11 + [5]))]),
    unknown_later=gif([gif_frame(None, data=lzw(None, 2, [4, 1, 7] + [1] * 12 + [5]))]),
    unknown_used=gif([gif_frame(None, data=lzw(None, 2, [4, 1, 7, 0, 7, 8] + [1] * 11 + [5]))]),
    no_clear=gif([gif_frame(None, data=lzw(None, 2, ramp + [5]))]),
    one_bit_less=gif([gif_frame(None, width=2, height=1, bits=0, data=lzw(None, 0, [1, 0, 0, 2]))]),
    nine_bits=gif([gif_frame([0] * 12, bits=9)]),
    second_nine_bits=gif([whole, gif_frame([0] * 12, bits=9)]),
    more_levels=gif([gif_frame([1] * 20)]),
    fewer_levels=gif([gif_frame([1] * 11)]),
    second_fewer=gif([whole, gif_frame([1] * 11)]),
    no_level=gif([gif_frame([7] * 12, bits=3)]),
    second_no_level=gif([whole, gif_frame([7] * 12, bits=3)]),
    no_pixels=gif([gif_frame([], width=0, height=0)]),
    second_no_pixels=gif([whole, gif_frame([], width=4, height=0), whole]),
    no_frames=gif([]),
    no_end=gif([whole], end=b''),
    other_end=gif([whole], end=b'x'),
    behind=gif([whole]) + whole,
    version=gif([whole], version=b'GIF8xx'),
)
for name, file in gifs.items():
    add('DecodeGif', name, 'exact', contents=(string, file), at_run=name == 'two')
for cut in (4, 8, 14, 25, 26, 30, 36, 40, 45, 46, 47, 50, 57, 60, 66, 67):
    add('DecodeGif', f'cut_{cut}', 'exact', contents=(string, gif([whole, whole])[:cut]), at_run=False)
add('DecodeGif', 'vector', contents=(string, [gifs['one']]))
add('DecodeGif', 'empty', contents=(string, b''), at_run=False)


def png(picture, mode, bits=8):
    picture = np.asarray(picture, '>u2' if bits == 16 else np.uint8)
    height, width = picture.shape[:2]

    def chunk(name, data):
        return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))

    rows = b''.join(b'\0' + row.tobytes() for row in picture)
    head = struct.pack('>IIBBBBB', width, height, bits, mode, 0, 0, 0)
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', head) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')


def jpeg(shape, **more):
    """In a process of its own: a process with a session cannot be forked."""
    picture = random.integers(0, 256, shape, np.uint8)
    read_end, write_end = os.pipe()
    if os.fork() == 0:
        with tf.compat.v1.Session(graph=tf.Graph()) as session, os.fdopen(write_end, 'wb') as pipe:
            pipe.write(session.run(tf.io.encode_jpeg(picture, **more)))
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, 'rb') as pipe:
        data = pipe.read()
    os.wait()
    return data


def bmp(width, height, bits, pixels):
    head = struct.pack('<iiiiHH', 54, 40, width, height, 1, bits)
    return b'BM' + bytes(8) + head + bytes(24) + pixels


photo, flat = jpeg((40, 50, 3)), jpeg((40, 50, 3), chroma_downsampling=False)
grey, steps = jpeg((9, 7, 1)), jpeg((33, 17, 3), progressive=True)
files = dict(
    grey_png=png(random.integers(0, 256, (2, 3)), 0),
    alpha_png=png(random.integers(0, 256, (2, 3, 4)), 6),
    deep_png=png(random.integers(0, 65536, (2, 3, 3)), 2, 16),
    jpeg=photo,
    grey_jpeg=grey,
    bmp=bmp(1, 2, 24, bytes(range(8))),
    alpha_bmp=bmp(1, 1, 32, bytes(range(4))),
    gif=gifs['two'],
    one_gif=gifs['one'],
    spoilt_gif=gifs['no_level'],
    spoilt_jpeg=photo[:100],
    spoilt_png=png([[1, 2]], 0)[:30],
    spoilt_bmp=bmp(1, 2, 24, bytes(range(9))),
    other=b'abcdefgh',
    empty=b'',
)
for name, file in files.items():
    contents = (string, file)
    add('DecodeGif', f'of_{name}', 'exact', contents=contents, at_run=False)
    add('ExtractJpegShape', f'of_{name}', 'exact', contents=contents, at_run=False)
    add('DecodeAndCropJpeg', f'of_{name}', 'exact', contents=contents, crop_window=(i32, [0, 0, 2, 1]), at_run=False)
    add('DecodeImage', f'{name}_first', 'exact', contents=contents, expand_animations=False, at_run=False)
    for channels in (0, 1, 3, 4):
        for dtype in (tf.uint8, tf.uint16, tf.float32):
            if channels in (1, 3) and dtype == tf.uint16:
                continue
            add('DecodeImage', f'{name}_{channels}_{dtype.name}', contents=contents, channels=channels, dtype=dtype,
                at_run=channels == 0 and dtype == tf.uint8)  # fmt: skip
for name in ('gif', 'one_gif', 'spoilt_gif'):
    for channels in (0, 3, 4):
        add('DecodePng', f'{name}_{channels}', 'exact', contents=(string, files[name]), channels=channels, at_run=False)
        add('DecodeJpeg', f'{name}_{channels}', 'exact', contents=(string, files[name]), channels=channels, at_run=False)
    add('DecodePng', f'{name}_deep', 'exact', contents=(string, files[name]), dtype=tf.uint16, at_run=False)
    add('DecodeBmp', name, 'exact', contents=(string, files[name]), at_run=False)
add('DecodeImage', 'vector', contents=(string, [photo]))
add('DecodeImage', 'two_channels', contents=(string, photo), channels=2, at_run=False)
for dtype in (tf.int32, tf.int64):
    for name, file in dict(photo=photo, grey=grey, steps=steps, cut=photo[:700], header=photo[:30]).items():
        add('ExtractJpegShape', f'{name}_{dtype.name}', 'exact', contents=(string, file), output_type=dtype)
add('ExtractJpegShape', 'vector', contents=(string, [photo]))


def crop(name, file, window, compare='exact', **more):
    add('DecodeAndCropJpeg', name, compare, contents=(string, file), crop_window=(i32, window), at_run=False, **more)


for name, file in dict(photo=photo, flat=flat).items():
    windows = ([0, 0, 5, 5], [3, 17, 9, 11], [6, 5, 15, 10], [0, 0, 40, 50], [39, 49, 1, 1], [17, 33, 20, 17], [1, 1, 38, 48])
    for i, window in enumerate(windows):
        crop(f'{name}_{i}', file, window)
        crop(f'{name}_{i}_grey', file, window, channels=1)
    crop(f'{name}_half', file, [1, 3, 9, 8], ratio=2)
    crop(f'{name}_eighth', file, [1, 1, 2, 3], ratio=8)
    crop(f'{name}_not_fancy', file, [3, 17, 9, 11], fancy_upscaling=False)
    crop(f'{name}_accurate', file, [3, 17, 9, 11], dct_method='INTEGER_ACCURATE')
    crop(f'{name}_cut_above', file[:-200], [0, 0, 3, 3])
    crop(f'{name}_cut_below', file[:-200], [30, 0, 10, 50])
    # Versions of libjpeg fill a cut file in differing ways.
    crop(f'{name}_cut_filled', file[:-200], [30, 0, 10, 50], 'shape', try_recover_truncated=True)
crop('steps', steps, [5, 2, 20, 9])
crop('grey', grey, [1, 2, 3, 4])
crop('grey_colors', grey, [1, 2, 3, 4], channels=3)
crop('four_channels', photo, [0, 0, 1, 1], channels=4)
for i, window in enumerate(([-1, 0, 1, 1], [0, -1, 1, 1], [0, 0, 0, 1], [0, 0, 1, 0], [0, 0, 41, 1], [0, 0, 1, 51],
                            [40, 0, 1, 1], [0, 0, 1], [[0, 0, 1, 1]], 3, [0, 0, 2**31 - 1, 1])):  # fmt: skip
    crop(f'window_{i}', photo, window)
crop('ratio', photo, [0, 0, 1, 1], ratio=3)
crop('method', photo, [0, 0, 1, 1], dct_method='FAST')
add('DecodeAndCropJpeg', 'at', contents=(string, photo), crop_window=(i32, [1, 2, 3, 4]))
add('DecodeAndCropJpeg', 'vector', contents=(string, [photo]), crop_window=(i32, [1, 2, 3, 4]))


# ---- summaries
numbers = [f32, tf.float64, tf.float16, tf.bfloat16, tf.int8, u8, tf.int16, tf.uint16, i32, tf.uint32, tf.int64, tf.uint64]
for dtype in numbers:
    values = np.array([1, 0, 100, 3])
    add('ScalarSummary', dtype.name, 'exact', tags=(string, ['a', 'b', '', 'd/e']), values=(dtype, values), at_run=False)
    add('HistogramSummary', dtype.name, 'exact', tag=(string, 'h'), values=(dtype, values), at_run=False)
add('ScalarSummary', 'scalar', 'exact', tags=(string, 'loss'), values=(f32, 0.25))
add('ScalarSummary', 'matrix', 'exact', tags=(string, [['a', 'b']]), values=(f32, [[0, np.nan]]))
add('ScalarSummary', 'none', 'exact', tags=(string, []), values=(f32, []))
add('ScalarSummary', 'long_integer', 'exact', tags=(string, 'a'), values=(tf.int64, 2**53 + 1), at_run=False)
add('ScalarSummary', 'shapes', tags=(string, ['a', 'b']), values=(f32, [1]))
add('ScalarSummary', 'scalar_and_vector', tags=(string, 'a'), values=(f32, [1]))


def histogram(name, values, dtype=tf.float64, tag='h', **more):
    add('HistogramSummary', name, 'exact', tag=(string, tag), values=(dtype, values), **more)


histogram('many', random.normal(size=(30, 20)))
histogram('tiny', [1e-13, -1e-13, 1e-12, -1e-12, 0, 5e-324])
histogram('huge', [1e20, -1e20, 1e25, -1e25, 1e150])
histogram('none', [])
histogram('one', 7.5)
histogram('nan', [1, np.nan, np.inf])
histogram('infinity', [1, -np.inf])
histogram('tags', [1], tag=['a'])
histogram('no_tag', [1], tag='')
histogram('negative_zero', [-0.0, -0.0])


def tensor_summary(name, dtype, values, tag='t', metadata=b'\x0a\x03\x0a\x01p', **more):
    add('TensorSummaryV2', name, 'exact', tag=(string, tag), tensor=(dtype, values),
        serialized_summary_metadata=(string, metadata), **more)  # fmt: skip
    add('TensorSummary', name, 'exact', tensor=(dtype, values), **more)


for dtype in numbers + [tf.bool, tf.complex64]:
    tensor_summary(dtype.name, dtype, [[1, 0], [0, 1]], at_run=False)
tensor_summary('text', string, ['a', b'', b'\xff\0'])
tensor_summary('scalar', f32, 2.5)
tensor_summary('one_text', string, 'abc')
tensor_summary('none', f32, np.zeros((0, 3)))
tensor_summary('no_texts', string, np.zeros((2, 0), object))
tensor_summary('equal', i32, np.full(20, 7))
tensor_summary('no_metadata', f32, [1], metadata=b'', at_run=False)
tensor_summary('tags', f32, [1], tag=['a'])
tensor_summary('metadata_vector', f32, [1], metadata=[b''])


def image(name, tensor, dtype=f32, tag='i', compare='shape', **more):
    add('ImageSummary', name, compare, tag=(string, tag), tensor=(dtype, tensor), **more)


image('float', random.normal(size=(2, 3, 4, 3)))
image('bytes', random.integers(0, 256, (2, 3, 4, 1)), u8)
image('half', random.normal(size=(1, 3, 4, 4)), tf.float16, max_images=1)
image('double', random.normal(size=(1, 3, 4, 1)), tf.float64)
image('no_pictures', np.zeros((0, 3, 4, 3)), compare='exact')
image('no_bytes', np.zeros((0, 3, 4, 3)), u8, compare='exact')
image('tags', np.zeros((1, 3, 4, 3)), tag=['a'])
image('two_channels', np.zeros((1, 3, 4, 2)))
image('cube', np.zeros((3, 4, 3)))
image('no_channels', np.zeros((1, 3, 4, 0)))


def sound_summary(name, tensor, rate=8000, tag='s', **more):
    both = dict(tag=(string, tag), tensor=(f32, tensor), **more)
    add('AudioSummaryV2', name, 'exact', sample_rate=(f32, rate), **both)
    if np.ndim(rate) == 0:
        add('AudioSummary', name, 'exact', producer=14, sample_rate=float(rate), **both)


sound_summary('two', random.uniform(-1.2, 1.2, (2, 7)))
sound_summary('stereo', random.uniform(-1.2, 1.2, (4, 7, 2)))
sound_summary('single', random.uniform(-1.2, 1.2, (4, 7, 2)), max_outputs=1, at_run=False)
sound_summary('no_sounds', np.zeros((0, 7)))
sound_summary('rate_part', np.zeros((1, 2)), 0.25)
sound_summary('rate_rounded', np.zeros((1, 2)), 44100.5)
sound_summary('rate_zero', np.zeros((1, 2)), 0)
sound_summary('rate_negative', np.zeros((1, 2)), -1)
sound_summary('rate_nan', np.zeros((1, 2)), np.nan)
sound_summary('rate_infinite', np.zeros((1, 2)), np.inf)
sound_summary('rate_huge', np.zeros((1, 2)), 5e9)
sound_summary('rate_vector', np.zeros((1, 2)), [8000])
sound_summary('rates', np.zeros((1, 2)), [8000, 1])
sound_summary('tags', np.zeros((1, 2)), tag=['a'])
sound_summary('vector', np.zeros(2))
sound_summary('four', np.zeros((1, 2, 1, 1)))


def summary(*tags):
    values = b''
    for tag in tags:
        value = (b'\x0a' + bytes([len(tag)]) + tag if tag else b'') + b'\x15\0\0\x80\x3f'
        values += b'\x0a' + bytes([len(value)]) + value
    return values


def merge(name, *inputs, **more):
    add('MergeSummary', name, 'exact', inputs=[(string, x) for x in inputs], **more)


merge('two', summary(b'a'), summary(b'b', b'c'))
merge('vectors', [summary(b'a'), summary()], [[summary(b'b')]])
merge('one', summary(b'a', b'b'))
merge('empty', b'', [])
merge('no_tags', summary(b''), summary(b'', b''))
merge('twice', summary(b'a'), summary(b'b', b'a'))
merge('twice_inside', summary(b'a', b'a'), at_run=False)
merge('spoilt', summary(b'a'), b'abc', at_run=False)
merge('cut', summary(b'a')[:-1], at_run=False)
merge('no_text', summary(b'\xff'), at_run=False)


def writer_case(name, steps):
    CASES.append((f'SummaryWriter/{name}', steps, 'exact'))


def not_created(op, **more):
    def steps(b):
        writer = tf.raw_ops.SummaryWriter(shared_name='none')
        return [dict(target=[getattr(tf.raw_ops, op)(writer=writer, **more)], feed={})]

    writer_case(op, steps)


not_created('FlushSummaryWriter')
not_created('CloseSummaryWriter')
not_created('WriteScalarSummary', step=1, tag='a', value=1.0)
not_created('ImportEvent', event=b'')
not_created('WriteRawProtoSummary', step=1, tensor=[b''])
not_created('WriteGraphSummary', step=1, tensor=b'')


# ---- readers
def reader(name, op, files, reads, more=(), version='V2', **attrs):
    """Files are written by the graph. `reads`: of one record (None), or of up to as many; `more`: steps behind them."""

    def steps(b):
        raw = tf.raw_ops
        if not version:
            tf.import_graph_def(tf.compat.v1.GraphDef(versions=dict(producer=20)))
        folder = f'/tmp/tenon_golden_{op}_{name}'
        paths = [f'{folder}/{key}' for key in files]
        written = [raw.WriteFile(filename=p, contents=x) for p, x in zip(paths, files.values()) if x is not None]
        queue = getattr(raw, 'FIFOQueue' + version)(component_types=[string], shapes=[[]])
        handles = {'queue_handle': queue}
        fill = getattr(raw, 'QueueEnqueueMany' + version)(handle=queue, components=[tf.constant(paths, string)])
        close = getattr(raw, 'QueueClose' + version)(handle=queue)
        handle = getattr(raw, op + version)(**attrs)

        def of(verb, **given):
            return getattr(raw, 'Reader' + verb + version)(reader_handle=handle, **given)

        counts = [of('NumRecordsProduced'), of('NumWorkUnitsCompleted')]
        one, up_to = of('Read', **handles), {}
        for most in reads:
            if most is not None:
                up_to[most] = of('ReadUpTo', num_records=most, **handles)
        state = b.placeholder('state', string, [])
        verbs = dict(save=dict(fetch=[of('SerializeState')], feed={}), reset=dict(target=[of('Reset')], feed={}),
                     counts=dict(fetch=counts, feed={}))  # fmt: skip
        restore = of('RestoreState', state=state)
        out = [dict(target=x, feed={}) for x in (written, [fill], [close]) if x]
        for most in reads:
            out += [dict(fetch=list(one if most is None else up_to[most]), feed={}), verbs['counts']]
        for verb in more:
            out.append(verbs[verb] if isinstance(verb, str) else dict(target=[restore], feed=dict(state=verb)))
        return out

    CASES.append((f'{op}{version}/{name}', steps, 'exact'))


lines = dict(a=b'one\ntwo\r\nthr\ree\n\nfour', empty=b'', b=b'x\n')
fixed = dict(a=b'HHabcdefghijFF', short=b'H', b=b'HHxyz')


def crc32c(data):
    """The masked check sum of TFRecord files."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return struct.pack('<I', ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def tf_record(text):
    size = struct.pack('<Q', len(text))
    return size + crc32c(size) + text + crc32c(text)


records = b''.join(tf_record(x) for x in (b'abc', b'', b'defg'))
for version in ('V2', ''):
    reader('names', 'IdentityReader', dict(a=None, b=None, c=None), [None, 3, None, None],
           ['save', 'reset', 'counts', b'\x08\x02\x10\x01\x18\x05\x22\x01z', 'counts',
            b'\x08\x01\x10\x02\x18\x05\x22\x01z', 'counts', 'save', b'\x08', 'counts'],
           version)  # fmt: skip
    reader('lines', 'TextLineReader', lines, [None, 3, 2, 1, None], ['save', b'', 'counts'], version)
    reader('whole', 'WholeFileReader', dict(a=b'aa', b=b'', c=b'\0\1'), [None, 2, None, None], ['save'], version)
reader('header', 'TextLineReader', lines, [None] * 5, skip_header_lines=2)
reader('all', 'TextLineReader', lines, [100, 100, 100])
reader('none_of', 'TextLineReader', lines, [0, None])
reader('missing', 'TextLineReader', dict(missing=None, b=b'x'), [None, None, None])
reader('negative_header', 'TextLineReader', lines, [None], skip_header_lines=-1)
reader('returns', 'TextLineReader', dict(a=b'a\r\r\nb\r\n\r\nc\r', b=b'\r'), [9, 9])
reader('missing', 'WholeFileReader', dict(missing=None, b=b'x'), [None, None])
reader('fixed', 'FixedLengthRecordReader', fixed, [None] * 6, header_bytes=2, record_bytes=3, footer_bytes=2)
reader('hops', 'FixedLengthRecordReader', fixed, [2, 9, 9, 9], header_bytes=1, record_bytes=3, hop_bytes=2)
reader('apart', 'FixedLengthRecordReader', fixed, [9, 9, 9], record_bytes=3, hop_bytes=5)
reader('footers', 'FixedLengthRecordReader', fixed, [9, 9, 9], record_bytes=3, hop_bytes=2, footer_bytes=3)
reader('long_header', 'FixedLengthRecordReader', fixed, [9, 9, 9], record_bytes=3, header_bytes=100)
reader('no_bytes', 'FixedLengthRecordReader', fixed, [None, 3], record_bytes=0)
reader('negative', 'FixedLengthRecordReader', fixed, [None], record_bytes=-1)
reader('negative_hop', 'FixedLengthRecordReader', fixed, [None], record_bytes=1, hop_bytes=-1)
reader('zlib', 'FixedLengthRecordReader', dict(a=zlib.compress(fixed['a'])), [9, 9], record_bytes=3, encoding='ZLIB')
reader('gzip', 'FixedLengthRecordReader', dict(a=gzip.compress(fixed['a'], mtime=0)), [9, 9], record_bytes=3,
       encoding='GZIP')  # fmt: skip
reader('other', 'FixedLengthRecordReader', fixed, [9], record_bytes=3, encoding='BZ2')
reader('no_zlib', 'FixedLengthRecordReader', fixed, [9, 9], record_bytes=3, encoding='ZLIB')
for version in ('V2', ''):
    reader('records', 'TFRecordReader', dict(a=records, b=records), [None, 9, None, 1, None, None], ['save'], version)
reader('cut', 'TFRecordReader', dict(a=records[:-3]), [None, None, None, None])
reader('sums', 'TFRecordReader', dict(a=records[:13] + b'X' + records[14:]), [None, None])
reader('zlib', 'TFRecordReader', dict(a=zlib.compress(records)), [9, 9], compression_type='ZLIB')
reader('other', 'TFRecordReader', dict(a=records), [9, 9], compression_type='BZ2')
reader('empty', 'TFRecordReader', dict(a=b'', b=b''), [None, None])
reader('missing', 'TFRecordReader', dict(missing=None, a=b''), [None, None])


# ---- vocabularies
def vocabulary(name, new, old, offset=0, count=4, known=True, **attrs):
    def steps(b):
        folder = f'/tmp/tenon_golden_vocabulary_{name}'
        paths = [f'{folder}/new', f'{folder}/old']
        written = [tf.raw_ops.WriteFile(filename=p, contents=x) for p, x in zip(paths, (new, old)) if x is not None]
        given = [b.placeholder(key, string, []) for key in ('new', 'old')]
        out = tf.raw_ops.GenerateVocabRemapping(new_vocab_file=given[0], old_vocab_file=given[1],
                                                new_vocab_offset=offset, num_new_vocab=count, **attrs)  # fmt: skip
        return [dict(target=written, feed={}), dict(fetch=list(out), feed=dict(new=paths[0], old=paths[1]))]

    CASES.append((f'GenerateVocabRemapping/{name}', steps, 'exact'))


new, old = b'b\nc\na\nz\n', b'a\nb\nc\r\nd'
vocabulary('all', new, old)
vocabulary('part', new, old, 1, 2)
vocabulary('none', new, old, 2, 0)
vocabulary('beyond', new, old, 3, 2)
vocabulary('offset', new, old, 9, 0)
vocabulary('size', new, old, old_vocab_size=2)
vocabulary('size_zero', new, old, old_vocab_size=0)
vocabulary('size_more', new, old, old_vocab_size=9)
vocabulary('size_equal', new, old, old_vocab_size=4)
vocabulary('twice', new, b'a\nb\nb')
vocabulary('twice_beyond', new, b'a\nb\nb', old_vocab_size=2)
vocabulary('new_twice', b'b\nb\n', old, count=2)
vocabulary('empty', new, b'')
vocabulary('new_empty', b'', old)
vocabulary('missing', new, None)
vocabulary('new_missing', None, old)
vocabulary('empty_line', new, b'a\n\nb\n')

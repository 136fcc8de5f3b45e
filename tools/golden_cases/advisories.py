# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/advisories.pb: the calls of TensorFlow's security
advisories and calls like them, which must be refused, or answered, as the mended TensorFlow does."""

import struct
import zlib

import numpy as np
import tensorflow as tf

R = tf.raw_ops
f32 = tf.float32

CASES = []


def call(name, op, **args):
    """Arrays, and lists of arrays, are fed: with their shapes known, and with none known as NAME_at_run. Everything else
    is an attr."""

    def build(known):
        def steps(b):
            feed = {}

            def fed(key, value):
                dtype = tf.string if value.dtype == object else tf.as_dtype(value.dtype)
                feed[key] = value
                return b.placeholder(key, dtype, value.shape if known else None)

            given = {}
            for key, value in args.items():
                if isinstance(value, np.ndarray):
                    given[key] = fed(key, value)
                elif isinstance(value, list) and value and isinstance(value[0], np.ndarray):
                    given[key] = [fed('%s%d' % (key, i), v) for i, v in enumerate(value)]
                else:
                    given[key] = value
            out = getattr(R, op)(**given)
            if isinstance(out, tf.Operation):
                return [dict(target=[out], feed=feed)]
            return [dict(fetch=tf.nest.flatten(out), feed=feed)]

        return steps

    CASES.append(('%s/%s' % (op, name), build(True), 'close'))
    CASES.append(('%s/%s_at_run' % (op, name), build(False), 'close'))


def F(shape, value=1.0):
    return np.full(shape, value, np.float32)


def E(shape, dtype=np.float32):
    return np.zeros(shape, dtype)


def I(*values):
    return np.array(values, np.int32)


def L(*values):
    return np.array(values, np.int64)


def S(*values):
    return np.array(values, object)


def i32s(values):
    return np.array(values, np.int32)


def i64s(values):
    return np.array(values, np.int64)


def B(value):
    return np.array(value, object)


call('no_classes', 'CTCGreedyDecoder', inputs=E([18, 8, 0]), sequence_length=I(-100, 17, 16, 0, 1, 2, 3, 4))
call('scalar', 'CTCGreedyDecoder', inputs=F([2, 1, 3]), sequence_length=i32s(1))
call('seq_len_long', 'CTCGreedyDecoder', inputs=F([2, 1, 3]), sequence_length=I(5))
call('seq_negative', 'CTCGreedyDecoder', inputs=F([2, 1, 3]), sequence_length=I(-5))
call('batch', 'CTCGreedyDecoder', inputs=F([2, 2, 3]), sequence_length=I(1))
call(
    'no_classes',
    'CTCLoss',
    inputs=E([10, 16, 0]),
    labels_indices=E([8, 0], np.int64),
    labels_values=np.full(8, -100, np.int32),
    sequence_length=np.full(16, -100, np.int32),
)
call('labels', 'CTCLoss', inputs=F([2, 1, 3]), labels_indices=i64s([[0, 0]]), labels_values=I(7), sequence_length=I(2))
call(
    'labels_count',
    'CTCLoss',
    inputs=F([2, 1, 3]),
    labels_indices=i64s([[0, 0]]),
    labels_values=I(1, 1),
    sequence_length=I(2),
)
call(
    'labels_idx',
    'CTCLoss',
    inputs=F([2, 1, 3]),
    labels_indices=i64s([[5, 0]]),
    labels_values=I(1),
    sequence_length=I(2),
)
call(
    'labels_idx_neg',
    'CTCLoss',
    inputs=F([2, 1, 3]),
    labels_indices=i64s([[-1, 0]]),
    labels_values=I(1),
    sequence_length=I(2),
)
call('labels_col', 'CTCLoss', inputs=F([2, 1, 3]), labels_indices=i64s([[0]]), labels_values=I(1), sequence_length=I(2))
call(
    'seq_long', 'CTCLoss', inputs=F([2, 1, 3]), labels_indices=i64s([[0, 0]]), labels_values=I(1), sequence_length=I(9)
)
call(
    'empty_batch',
    'CTCLoss',
    inputs=E([2, 0, 3]),
    labels_indices=E([0, 2], np.int64),
    labels_values=E([0], np.int32),
    sequence_length=E([0], np.int32),
)
call(
    'no_labels',
    'CTCLoss',
    inputs=F([2, 1, 3]),
    labels_indices=E([0, 2], np.int64),
    labels_values=E([0], np.int32),
    sequence_length=I(2),
)
call('colors', 'DrawBoundingBoxesV2', images=F([1, 2, 2, 1]), boxes=F([1, 1, 4]), colors=E([1, 0]))
call('colors0', 'DrawBoundingBoxesV2', images=F([1, 2, 2, 3]), boxes=F([1, 1, 4]), colors=E([0, 3]))
call('colors_rank', 'DrawBoundingBoxesV2', images=F([1, 2, 2, 3]), boxes=F([1, 1, 4]), colors=F([3]))
call('depth2', 'DrawBoundingBoxesV2', images=F([1, 2, 2, 2]), boxes=F([1, 1, 4]), colors=F([1, 2]))
call('images0', 'DrawBoundingBoxesV2', images=F([0, 0, 0, 0]), boxes=F([0, 0, 4]), colors=F([1, 4]))
for what, s, g in (
    ('zero', [0, 0, 0, 0, 0], [10, 0, 0, 0, 0]),
    ('over', [2**31 - 1] * 5, [1, 1, 1, 1, 1]),
    ('neg', [-1, 2, 2, 2, 1], [1, 1, 1, 1, 1]),
    ('short', [1, 2], [1, 1, 1, 1, 1]),
    ('ranks', [1, 2, 2, 2, 1], [1, 1, 1, 1]),
):
    call(
        what,
        'AvgPool3DGrad',
        orig_input_shape=i32s(s),
        grad=F(g),
        ksize=[1, 1, 1, 1, 1],
        strides=[1, 1, 1, 1, 1],
        padding='SAME',
    )
    if what != 'ranks':
        call(
            what,
            'AvgPoolGrad',
            orig_input_shape=i32s(s[:4]),
            grad=F(g[:4]),
            ksize=[1, 1, 1, 1],
            strides=[1, 1, 1, 1],
            padding='SAME',
        )
for name, ks, st_ in (
    ('strides_depth', [1] * 5, [1, 1, 1, 1, 2]),
    ('ksize_depth', [1, 1, 1, 1, 2], [1] * 5),
    ('ksize_batch', [2] * 5, [1] * 5),
):
    call(
        name,
        'MaxPool3DGrad',
        orig_input=F([1, 1, 1, 1, 1]),
        orig_output=F([1, 1, 1, 1, 1]),
        grad=F([1, 1, 1, 1, 1]),
        ksize=ks,
        strides=st_,
        padding='SAME',
    )
    call(name, 'AvgPool3D', input=F([1, 1, 1, 1, 1]), ksize=ks, strides=st_, padding='SAME')
call('no_names', 'Restore', file_pattern=S('no/such/file'), tensor_name=E([0], object), dt=f32)
call(
    'no_scalar_name',
    'RestoreSlice',
    file_pattern=S('no/such/file', 'b'),
    tensor_name=S('x'),
    shape_and_slice=S(''),
    dt=f32,
)
call(
    'no_names',
    'RestoreV2',
    prefix=np.array('no/such/file', object),
    tensor_names=E([0], object),
    shape_and_slices=E([0], object),
    dtypes=[f32],
)
call('prefix', 'RestoreV2', prefix=S('no/such/file'), tensor_names=S('x'), shape_and_slices=S(''), dtypes=[f32])
call('prefix_empty', 'RestoreV2', prefix=E([0], object), tensor_names=S('x'), shape_and_slices=S(''), dtypes=[f32])
for op in ('SqrtGrad', 'TanhGrad', 'SigmoidGrad', 'RsqrtGrad', 'InvGrad', 'ReciprocalGrad'):
    call('sizes', op, y=F([2]), dy=E([0]))
call('sizes2', op, y=F([2]), dy=F([3]))
call('scalar', op, y=F([2]), dy=F([]))
for op in ('SoftplusGrad', 'SoftsignGrad', 'EluGrad', 'SeluGrad', 'ReluGrad', 'Relu6Grad', 'LeakyReluGrad'):
    a = {'EluGrad': 'outputs', 'SeluGrad': 'outputs'}.get(op, 'features')
    call('sizes', op, gradients=F([2]), **{a: E([0])})
call('sizes2', op, gradients=F([2]), **{a: F([3])})
call('sizes', 'BitwiseAnd', x=I(1, 2, 3), y=I(1, 2))
call('sizes', 'ApproximateEqual', x=F([2]), y=F([3]))
call('key', 'MapStage', key=E([0, 0, 0, 0], np.int64), indices=I(0), values=[F([1])], dtypes=[f32])
call('key_vec', 'MapStage', key=L(4), indices=I(0), values=[F([1])], dtypes=[f32])
call('idx', 'MapStage', key=i64s(4), indices=I(6), values=[F([1])], dtypes=[f32])
call('idx_neg', 'MapStage', key=i64s(4), indices=I(-1), values=[F([1])], dtypes=[f32])
call('idx_empty', 'MapStage', key=i64s(4), indices=E([0], np.int32), values=[F([1])], dtypes=[f32])
call('idx_twice', 'MapStage', key=i64s(4), indices=I(0, 0), values=[F([1]), F([1])], dtypes=[f32, f32])
call('key', 'OrderedMapStage', key=E([0], np.int64), indices=I(0), values=[F([1])], dtypes=[f32])
call('idx', 'OrderedMapStage', key=i64s(4), indices=I(6), values=[F([1])], dtypes=[f32])
for op in ('MapPeek', 'MapUnstage', 'OrderedMapPeek', 'OrderedMapUnstage'):
    call('key_empty', op, key=E([0], np.int64), indices=I(0), dtypes=[f32])
call('index', 'StagePeek', index=I(0, 1), dtypes=[f32])
for op in ('GetSessionTensor', 'DeleteSessionTensor'):
    kw = dict(dtype=f32) if op[0] == 'G' else {}
    for n, h in (('vec', S('a', 'b')), ('one', S('a')), ('none', np.array('nope', object)), ('empty', E([0], object))):
        call(n, op, handle=h, **kw)
call('max_scalar', 'FakeQuantWithMinMaxVarsPerChannel', inputs=F([2, 3]), min=F([3], 0.0), max=F([]))
call('min', 'FakeQuantWithMinMaxVarsPerChannel', inputs=F([2, 3]), min=F([2], 0.0), max=F([3]))
call(
    'max',
    'FakeQuantWithMinMaxVarsPerChannelGradient',
    gradients=F([2, 3]),
    inputs=F([2, 3]),
    min=F([3], 0.0),
    max=F([2]),
)
call(
    'min_mat',
    'FakeQuantWithMinMaxVarsPerChannelGradient',
    gradients=F([2, 3]),
    inputs=F([2, 3]),
    min=F([3, 1], 0.0),
    max=F([3]),
)
call(
    'grad', 'FakeQuantWithMinMaxVarsPerChannelGradient', gradients=F([2]), inputs=F([2, 3]), min=F([3], 0.0), max=F([3])
)
call('grad', 'FakeQuantWithMinMaxVarsGradient', gradients=F([2]), inputs=F([3]), min=F([], 0.0), max=F([]))
call('min', 'FakeQuantWithMinMaxVarsGradient', gradients=F([3]), inputs=F([3]), min=F([3], 0.0), max=F([]))
call('grad', 'FakeQuantWithMinMaxArgsGradient', gradients=F([2]), inputs=F([3]))
call('more', 'ParallelDynamicStitch', indices=[I(0, 405, 519)], data=[F([2, 2])])
call('neg', 'ParallelDynamicStitch', indices=[I(-1)], data=[F([1])])
call('mix', 'DynamicStitch', indices=[I(0), I(1)], data=[F([1, 2]), F([1, 3])])
call('scalar', 'RandomShuffle', value=F([], 1e20), seed=-4294967297, seed2=-2147483649)
call('empty', 'RandomShuffle', value=E([0, 3]))
for s in (0, -1, -5, 2**31):
    call('sum_%d' % s, 'Print', input=I(1), data=[F([3])], summarize=s)
    call('first_%d' % s, 'Print', input=I(1), data=[F([3])], first_n=s)
call('stream', 'PrintV2', input=np.array('x', object), output_stream='nonsense')
call('vec', 'PrintV2', input=S('x', 'y'))
call(
    'counts',
    'SparseSparseMaximum',
    a_indices=i64s([[1]]),
    a_values=F([0]),
    a_shape=L(2),
    b_indices=i64s([[0]]),
    b_values=F([1]),
    b_shape=L(2),
)
for op in ('SparseSparseMaximum', 'SparseSparseMinimum'):
    call(
        'shape',
        op,
        a_indices=i64s([[1]]),
        a_values=F([1]),
        a_shape=L(2),
        b_indices=i64s([[0]]),
        b_values=F([1]),
        b_shape=L(3),
    )
    call(
        'out',
        op,
        a_indices=i64s([[7]]),
        a_values=F([1]),
        a_shape=L(2),
        b_indices=i64s([[0]]),
        b_values=F([1]),
        b_shape=L(2),
    )
    call(
        'rank',
        op,
        a_indices=i64s([[1, 0]]),
        a_values=F([1]),
        a_shape=L(2),
        b_indices=i64s([[0]]),
        b_values=F([1]),
        b_shape=L(2),
    )
    call(
        'b_cols',
        op,
        a_indices=i64s([[1]]),
        a_values=F([1]),
        a_shape=L(2),
        b_indices=i64s([[0, 0]]),
        b_values=F([1]),
        b_shape=L(2),
    )
    call(
        'empty',
        op,
        a_indices=E([0, 0], np.int64),
        a_values=E([0]),
        a_shape=L(2),
        b_indices=E([0, 0], np.int64),
        b_values=E([0]),
        b_shape=L(2),
    )
call(
    'scalar_axis', 'QuantizeAndDequantizeV2', input=F([]), input_min=F([1]), input_max=F([1]), range_given=True, axis=0
)
call('num', 'UnsortedSegmentSum', data=F([3]), segment_ids=I(0, 1, 2), num_segments=i64s(2**32))
call('num_long', 'UnsortedSegmentSum', data=F([3]), segment_ids=L(2**40, 1, 2), num_segments=i64s(2**40 + 1))


def bmp(w, h, bpp, off=54, pad=0):
    return (
        b'BM'
        + struct.pack('<IHHI', 54 + pad, 0, 0, off)
        + struct.pack('<IiiHHIIiiII', 40, w, h, 1, bpp, 0, 0, 0, 0, 0, 0)
        + b'\0' * pad
    )


for n, b in (
    ('big', bmp(2**31 - 1, 2**31 - 1, 24)),
    ('neg', bmp(-1, 1, 24, 54, 100)),
    ('cut', bmp(4, 4, 24)),
    ('off', bmp(1, 1, 24, 2**31, 8)),
    ('zero', bmp(0, 0, 24, 54, 8)),
    ('min', bmp(1, -(2**31), 24, 54, 64)),
    ('bpp', bmp(1, 1, 1, 54, 8)),
    ('short', b'BM'),
    ('none', b''),
):
    call(n, 'DecodeBmp', contents=B(b))
    call(n, 'DecodeImage', contents=B(b))
call('ch', 'DecodeBmp', contents=B(bmp(1, 1, 24, 54, 4)), channels=4)
png = b'\x89PNG\r\n\x1a\n'


def chunk(t, d):
    return struct.pack('>I', len(d)) + t + d + struct.pack('>I', zlib.crc32(t + d) & 0xFFFFFFFF)


for n, (w, h) in (('huge', (2**31 - 1, 2**31 - 1)), ('wide', (2**31 - 1, 1)), ('zero', (0, 1)), ('big', (2**29, 2))):
    call(
        n,
        'DecodePng',
        contents=B(png + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, 8, 2, 0, 0, 0)) + chunk(b'IEND', b'')),
    )
gr = dict(x=F([2, 3]), h_prev=F([2, 4]), w_ru=F([7, 8]), w_c=F([7, 4]), b_ru=F([8]), b_c=F([4]))
for k, v in (
    ('x', F([2])),
    ('h_prev', F([3, 4])),
    ('w_ru', F([7, 7])),
    ('w_c', F([6, 4])),
    ('b_ru', F([7])),
    ('b_c', F([])),
):
    call('bad_' + k, 'GRUBlockCell', **(gr | {k: v}))
bl = dict(
    seq_len_max=i64s(2),
    x=F([2, 2, 3]),
    cs_prev=F([2, 4]),
    h_prev=F([2, 4]),
    w=F([7, 16]),
    wci=F([4]),
    wcf=F([4]),
    wco=F([4]),
    b=F([16]),
)
for k, v in (
    ('seq_len_max', L(2, 3)),
    ('x', F([2, 3])),
    ('cs_prev', F([4])),
    ('h_prev', F([3, 4])),
    ('w', F([7, 15])),
    ('w', F([16])),
    ('wci', F([3])),
    ('wco', F([])),
    ('b', F([15])),
    ('x', E([2, 2, 0])),
):
    call('bad_%s_%s' % (k, 'x'.join(map(str, np.shape(v)))), 'BlockLSTM', **(bl | {k: v}))
call('overflow', 'BroadcastArgs', s0=L(2**62, 2), s1=L(2**62, 1))
call('neg', 'BroadcastArgs', s0=L(-1), s1=L(2))
call('neg', 'BroadcastGradientArgs', s0=I(-5, 2), s1=I(3))
call('mat', 'BroadcastArgs', s0=i64s([[1]]), s1=L(2))
call('mat', 'BroadcastGradientArgs', s0=i64s([[1]]), s1=L(2))
call('start', 'LinSpace', start=F([2]), stop=F([]), num=i32s(3))
call('none', 'LinSpace', start=F([]), stop=F([]), num=i32s(0))
call('num', 'LinSpace', start=F([]), stop=F([]), num=I(3))
call('numbig', 'LinSpace', start=F([]), stop=F([]), num=i64s(2**60))
call('n', 'NthElement', input=F([3]), n=i32s(5))
call('negative', 'NthElement', input=F([3]), n=i32s(-1))
call('scalar', 'NthElement', input=F([]), n=i32s(0))
call('n_vector', 'NthElement', input=F([3]), n=I(1))
call('bad', 'Bitcast', input=F([3], 1.0), type=tf.float64)
call('scalar', 'Bitcast', input=F([]), type=tf.float64)
call('odd', 'Bitcast', input=F([2, 3]), type=tf.complex64)
call(
    'ksize',
    'ExtractImagePatches',
    images=F([1, 2, 2, 1]),
    ksizes=[1, 0, 1, 1],
    strides=[1] * 4,
    rates=[1] * 4,
    padding='VALID',
)
call(
    'rates',
    'ExtractImagePatches',
    images=F([1, 2, 2, 1]),
    ksizes=[1, 2, 2, 1],
    strides=[1] * 4,
    rates=[1, 2**31 - 1, 2**31 - 1, 1],
    padding='SAME',
)
call(
    'ksize', 'ExtractVolumePatches', input=F([1, 2, 2, 2, 1]), ksizes=[1, 0, 1, 1, 1], strides=[1] * 5, padding='VALID'
)
call(
    'strides',
    'ExtractVolumePatches',
    input=F([1, 2, 2, 2, 1]),
    ksizes=[1] * 5,
    strides=[1, 0, 1, 1, 1],
    padding='VALID',
)
call(
    'box',
    'CropAndResizeGradImage',
    grads=F([1, 2, 2, 1]),
    boxes=F([1, 4]),
    box_ind=I(5),
    image_size=I(1, 3, 3, 1),
    T=f32,
)
call(
    'size',
    'CropAndResizeGradImage',
    grads=F([1, 2, 2, 1]),
    boxes=F([1, 4]),
    box_ind=I(0),
    image_size=I(1, -3, 3, 1),
    T=f32,
)
call(
    'size_big',
    'CropAndResizeGradImage',
    grads=F([1, 2, 2, 1]),
    boxes=F([1, 4]),
    box_ind=I(0),
    image_size=I(2**31 - 1, 2**31 - 1, 2**31 - 1, 1),
    T=f32,
)
call(
    'depth',
    'CropAndResizeGradImage',
    grads=F([1, 2, 2, 1]),
    boxes=F([1, 4]),
    box_ind=I(0),
    image_size=I(1, 3, 3, 2),
    T=f32,
)
call('box', 'CropAndResizeGradBoxes', grads=F([1, 2, 2, 1]), image=F([1, 3, 3, 1]), boxes=F([1, 4]), box_ind=I(5))
call('boxes', 'CropAndResizeGradBoxes', grads=F([1, 2, 2, 1]), image=F([1, 3, 3, 1]), boxes=F([2, 4]), box_ind=I(0, 0))
call('depth', 'CropAndResizeGradBoxes', grads=F([1, 2, 2, 2]), image=F([1, 3, 3, 1]), boxes=F([1, 4]), box_ind=I(0))
call('negative', 'CTCGreedyDecoder', inputs=np.arange(6, dtype=np.float32).reshape(2, 1, 3), sequence_length=I(-5))
call('no_time', 'CTCGreedyDecoder', inputs=E([0, 1, 2]), sequence_length=I(0))
call(
    'no_time',
    'CTCLoss',
    inputs=E([0, 2, 3]),
    labels_indices=i64s([[0, 0]]),
    labels_values=I(1),
    sequence_length=I(0, 0),
)
call(
    'labels_of_one',
    'CTCLoss',
    inputs=F([2, 2, 3]),
    labels_indices=i64s([[0, 0]]),
    labels_values=I(1),
    sequence_length=I(2, 2),
)
H = 2**62
for name, shape in (('overflow', L(H, H, H)), ('negative', L(-1, 2, 2)), ('short', L(2, 2))):
    call(
        name,
        'SparseConcat',
        indices=[i64s([[0, 0, 0]]), i64s([[0, 0, 0]])],
        values=[F([1]), F([1])],
        shapes=[shape, shape],
        concat_dim=0,
    )
call(
    'sizes_sum',
    'SparseConcat',
    indices=[i64s([[0]]), i64s([[0]])],
    values=[F([1]), F([1])],
    shapes=[L(2**63 - 1), L(2**63 - 1)],
    concat_dim=0,
)
cross = dict(
    hashed_output=True,
    num_buckets=0,
    hash_key=956888297470,
    out_type=tf.int64,
    internal_type=tf.string,
)
call('dense_vector', 'SparseCross', indices=[], values=[], shapes=[], dense_inputs=[L(1, 2)], **cross)
for name, i, v, s in (
    ('indices', L(0), S('a'), L(2, 2)),
    ('values', i64s([[0, 0]]), S('a', 'b'), L(2, 2)),
    ('shape', i64s([[0, 0]]), S('a'), L(2)),
    ('row', i64s([[7, 0]]), S('a'), L(2, 2)),
    ('rows_many', i64s([[0, 0]]), S('a'), L(H, H)),
):
    call(name, 'SparseCross', indices=[i], values=[v], shapes=[s], dense_inputs=[B([['x'], ['y']])], **cross)


def variable_case(name, op, value, **args):
    """The op with a variable that holds the value as its first input; arrays are fed."""

    def steps(b):
        v = R.VarHandleOp(dtype=tf.as_dtype(value.dtype), shape=value.shape, shared_name='v')
        is_set = R.AssignVariableOp(resource=v, value=tf.constant(value))
        feed, given = {}, {}
        for key, arg in args.items():
            given[key] = b.placeholder(key, tf.as_dtype(arg.dtype), None) if isinstance(arg, np.ndarray) else arg
            if isinstance(arg, np.ndarray):
                feed[key] = arg
        with tf.control_dependencies([is_set]):
            y = getattr(R, op)(resource=v, **given)
        return [dict(feed=feed, **(dict(target=[y]) if isinstance(y, tf.Operation) else dict(fetch=[y])))]

    CASES.append((op + '/' + name, steps, 'close'))


variable_case('of_a_scalar', 'ResourceGather', F([], 2.0), indices=I(0), dtype=f32)
variable_case('outside', 'ResourceGather', F([2]), indices=I(7), dtype=f32)
variable_case('batch_dims', 'ResourceGather', F([2]), indices=I(0), dtype=f32, batch_dims=10)
variable_case('of_nothing', 'ResourceGather', E([0, 2]), indices=E([0], np.int32), dtype=f32)
variable_case('outside', 'ResourceScatterUpdate', F([2]), indices=I(7), updates=F([1]))
variable_case('more', 'ResourceScatterUpdate', F([2, 2]), indices=I(0, 1, 1), updates=F([1]))
variable_case('by_zero', 'ResourceScatterDiv', I(1, 2), indices=I(0), updates=I(0))


def import_of(keys, values):
    def steps(b):
        table = R.HashTableV2(key_dtype=tf.int64, value_dtype=tf.int64)
        k, v = b.placeholder('keys', tf.int64), b.placeholder('values', tf.int64)
        y = R.LookupTableImportV2(table_handle=table, keys=k, values=v)
        return [dict(target=[y], feed=dict(keys=keys, values=values))]

    return steps


CASES.append(('LookupTableImportV2/values_more', import_of(i64s(1), L(1, 2)), 'close'))
CASES.append(('LookupTableImportV2/values_fewer', import_of(L(1, 2), L(1)), 'close'))
CASES.append(('LookupTableImportV2/values_matrix', import_of(L(1, 2), i64s([[1, 2]])), 'close'))


def exit_alone(b):
    return [dict(fetch=[R.Exit(data=b.placeholder('x', f32))], feed=dict(x=F([])))]


CASES.append(('Exit/without_enter', exit_alone, 'close'))


def list_concat(shape, leading, elements):
    """TensorListConcatV2 of a list with so many unset elements, or of the tensor's rows."""

    def steps(b):
        feed = dict(shape=shape, leading=leading)
        if isinstance(elements, int):
            x = R.TensorListReserve(element_shape=tf.constant(-1), num_elements=elements, element_dtype=f32)
        else:
            feed['t'] = elements
            x = R.TensorListFromTensor(tensor=b.placeholder('t', f32), element_shape=tf.constant(-1))
        given = b.placeholder('shape', tf.int32), b.placeholder('leading', tf.int64)
        y = R.TensorListConcatV2(input_handle=x, element_shape=given[0], leading_dims=given[1], element_dtype=f32)
        return [dict(fetch=[y.tensor, y.lengths], feed=feed)]

    return steps


for name, shape, leading, elements in (
    ('no_shape', i32s(-1), L(), 0),
    ('no_shape_unset', i32s(-1), L(), 2),
    ('unset', I(-1, 2), L(), 2),
    ('unset_with_leading', I(-1, 2), L(1, 2), 2),
    ('scalar_shape', I(), L(), 2),
    ('scalars', I(), L(), F([2])),
    ('negative', I(-5, 2), L(), F([2, 2, 2])),
    ('leading_short', I(-1, 2), L(1), 2),
    ('overflow', I(-1, 2**31 - 1), L(H, H), 2),
    ('shape_matrix', i32s([[1]]), L(), 2),
):
    CASES.append(('TensorListConcatV2/' + name, list_concat(shape, leading, elements), 'close'))


def array_concat(size, written, **attrs):
    def steps(b):
        array = R.TensorArrayV3(size=tf.constant(size), dtype=f32)
        flow = array.flow
        for i, value in enumerate(written):
            flow = R.TensorArrayWriteV3(
                handle=array.handle, index=tf.constant(i), value=tf.constant(value), flow_in=flow
            )
        y = R.TensorArrayConcatV3(handle=array.handle, flow_in=flow, dtype=f32, **attrs)
        return [dict(fetch=[y.value, y.lengths], feed={})]

    return steps


for name, size, written, attrs in (
    ('none', 0, [], {}),
    ('none_known', 0, [], dict(element_shape_except0=[2])),
    ('none_huge', 0, [], dict(element_shape_except0=[2**62, 2**62])),
    ('unwritten', 2, [], {}),
    ('scalars', 2, [F([]), F([])], {}),
    ('other_shapes', 2, [F([1, 2]), F([1, 3])], {}),
    ('other_than_said', 2, [F([1, 2]), F([1, 2])], dict(element_shape_except0=[3])),
):
    CASES.append(('TensorArrayConcatV3/' + name, array_concat(size, written, **attrs), 'close'))
for name, prefix, names, slices, tensors in (
    ('names_few', B('no/such/folder/x'), E([0], object), E([0], object), [F([2])]),
    ('slices_few', B('no/such/folder/x'), S('a'), E([0], object), [F([2])]),
    ('prefix_vector', S('a', 'b'), S('a'), S(''), [F([2])]),
    ('names_matrix', B('no/such/folder/x'), np.array([['a']], object), S(''), [F([2])]),
    ('slice_wrong', B('x'), S('a'), S('nonsense'), [F([2])]),
    ('slice_outside', B('x'), S('a'), S('4 3,9'), [F([2])]),
):
    call(name, 'SaveV2', prefix=prefix, tensor_names=names, shape_and_slices=slices, tensors=tensors)
    CASES[-2:] = [case + ('files',) for case in CASES[-2:]]
call('names_few', 'Save', filename=B('no/such/folder/x'), tensor_names=E([0], object), data=[F([2])])
call('filename', 'Save', filename=S('a', 'b'), tensor_names=S('a'), data=[F([2])])
call(
    'slices_few',
    'SaveSlices',
    filename=B('no/such/folder/x'),
    tensor_names=S('a'),
    shapes_and_slices=E([0], object),
    data=[F([2])],
)


def singular_values(shape):
    def steps(b):
        y = R.Svd(input=b.placeholder('x', f32, shape), compute_uv=False)
        return [dict(fetch=[y.s], feed=dict(x=E(shape)))]

    return steps


for shape in ([0, 0], [0, 3], [3, 0], [0, 2, 3]):
    CASES.append(('Svd/empty_' + 'x'.join(map(str, shape)), singular_values(shape), 'close'))

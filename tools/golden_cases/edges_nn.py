# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/edges_nn.pb: cases found by changing the cases of
array, nn, conv, linalg, image, quantize and gradients at random (tools/mutate_golden.py)."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(41)
i32, u8, f32, f64, c64, qu8, i64 = tf.int32, tf.uint8, tf.float32, tf.float64, tf.complex64, tf.quint8, tf.int64
nan, inf = float('nan'), float('inf')


def numbers(*shape):
    return random.standard_normal(shape).astype(np.float32)


# ---- windows of volumes that pass over elements
for size, window, stride in ((3, 1, 3), (6, 1, 4), (7, 2, 5), (5, 2, 4), (7, 1, 7)):
    name = f'{size}_window_{window}_stride_{stride}'
    volume = (f32, numbers(1, size, size + 1, 4, 2))
    windows = dict(strides=[1, stride, stride, stride, 1], padding='SAME')
    once = dict(at_run=False)
    for op in ('MaxPool3D', 'AvgPool3D'):
        add(op, name, input=volume, ksize=[1, window, window, window, 1], **windows, **once)
    add('ExtractVolumePatches', name, input=volume, ksizes=[1, window, window, window, 1], **windows, **once)
    add('Conv3D', name, input=volume, filter=(f32, numbers(window, window, window, 2, 3)), **windows, **once)
    add('Conv', name, input=volume, filter=(f32, numbers(window, window, window, 2, 3)), **windows, **once)
add('Conv3D', 'rows_7_stride_7', input=(f32, numbers(2, 2, 7, 8, 3)), filter=(f32, numbers(1, 1, 1, 3, 2)),
    strides=[1, 1, 7, 5, 1], padding='SAME')  # fmt: skip
add('Conv3D', 'columns_9_stride_6', input=(f32, numbers(1, 3, 4, 9, 2)), filter=(f32, numbers(2, 2, 1, 2, 2)),
    strides=[1, 1, 1, 6, 1], padding='SAME')  # fmt: skip
add('Conv', 'integers_7_stride_5', input=(i32, np.arange(7 * 7 * 7).reshape(1, 7, 7, 7, 1)),
    filter=(i32, np.arange(2).reshape(2, 1, 1, 1, 1)), strides=[1, 5, 5, 5, 1], padding='SAME')  # fmt: skip

# ---- filters without elements
for out_depth, rows in ((0, 2), (3, 0)):
    for batch in (0, 1):
        name = f'filter_{rows}x2_to_{out_depth}_batch_{batch}'
        images, kernel = (f32, np.zeros((batch, 3, 3, 2))), (f32, np.zeros((rows, 2, 2, out_depth)))
        for op in ('Conv2D', 'Conv'):
            add(op, name, input=images, filter=kernel, strides=[1, 1, 1, 1], padding='SAME')
for attrs in (dict(groups=0), dict(batch_dims=-1)):
    add('Conv', '_'.join(f'{k}_{v}' for k, v in attrs.items()), input=(f32, numbers(1, 3, 3, 2)),
        filter=(f32, numbers(2, 2, 2, 3)), strides=[1, 1, 1, 1], padding='SAME', known=False, **attrs)  # fmt: skip

# ---- values that are not finite
for dtype in (f32, f64):
    for bad in (nan, inf):
        matrix = np.arange(6).reshape(3, 2) + 1.0
        matrix[2, 0] = bad
        add('Svd', f'{bad}_{dtype.name}', input=(dtype, matrix), fetch=[0], compute_uv=False)
boxes = np.array([[1, 1, 0, 0], [0, nan, 1, 1.1], [0, 0.9, 1, -0.1], [1, 10, 0, 11], [1, 10.1, 0, 1]], np.float32)
scores = np.array([0.9, 0.75, 0.6, 0.95, 0.5], np.float32)
for most in (2, 4, 5):
    size = (i32, most)
    add('NonMaxSuppression', f'nan_most_{most}', boxes=(f32, boxes), scores=(f32, scores), max_output_size=size)
    for least in (-1.0, 0.0):
        add('NonMaxSuppressionV5', f'nan_most_{most}_least_{least}', boxes=(f32, boxes), scores=(f32, scores),
            max_output_size=size, iou_threshold=(f32, 0.5), score_threshold=(f32, least), soft_nms_sigma=(f32, 0.0))  # fmt: skip

# ---- ranges of numbers to quantize
x = (f32, numbers(2, 3, 4))
for least, most in ((1.5, 1.0), (-1.0, -1.0), (1.0, 1.0), (-2.0, -1.0)):
    for is_signed in (False, True):
        ranges = dict(num_bits=(i32, 8), signed_input=is_signed)
        if least <= most:
            add('QuantizeAndDequantizeV3', f'{least}_to_{most}_{is_signed}', input=x, input_min=(f32, least),
                input_max=(f32, most), **ranges)  # fmt: skip
        add('QuantizeAndDequantizeV3', f'{least}_to_{most}_{is_signed}_channels', input=x, axis=2,
            input_min=(f32, [least, -1, -1.5, -2]), input_max=(f32, [most, 1.5, 2, 3]), **ranges)  # fmt: skip
add('QuantizeV2', 'min_first_channels', input=(f32, numbers(2, 3)), min_range=(f32, [-1, -2, 0]), max_range=(f32, [1, 3, 2]),
    T=qu8, axis=1, mode='MIN_FIRST')  # fmt: skip
for op in ('QuantizedAdd', 'QuantizedMul'):
    add(op, 'range_vector', x=(qu8, [1, 2]), y=(qu8, [3, 4]), min_x=(f32, [0.0]), max_x=(f32, 1.0), min_y=(f32, 0.0),
        max_y=(f32, 1.0))  # fmt: skip

# ---- ranks, sizes and attrs in the order in which TensorFlow looks at them
for axis in (0, 1, -1):
    for op in ('ArgMax', 'ArgMin'):
        add(op, f'empty_of_9_axis_{axis}', input=(f32, np.zeros((0, 1, 1, 1, 1, 1, 1, 2, 1))), dimension=(i32, axis))
four, five = (f32, numbers(1, 3, 3, 2)), (f32, numbers(1, 3, 3, 3, 2))
for ksize, strides in (([2, 2, 2, 1], [1, 1, 1, 1]), ([1, 2, 2, 1], [2, 1, 1, 1]), ([1, 2, 2, 2], [1, 1, 1, 1])):
    name = 'window_' + 'x'.join(map(str, ksize + strides))
    window = dict(ksize=ksize, strides=strides, padding='SAME', known=False)
    add('MaxPoolGradGrad', name, orig_input=five, orig_output=four, grad=four, **window)
    if ksize[3] == 1:
        add('AvgPoolGrad', name, orig_input_shape=(i32, [1, 2, 3]), grad=four, **window)
        add('MaxPoolGrad', name, orig_input=five, orig_output=four, grad=four, **window)
        add('MaxPool', name, input=five, **window)
        add('AvgPool', name, value=five, **window)
    volumes = dict(ksize=ksize[:1] + [1] + ksize[1:], strides=strides[:1] + [1] + strides[1:], padding='SAME', known=False)
    add('MaxPool3DGradGrad', name, orig_input=four, orig_output=four, grad=four, **volumes)
    add('MaxPool3DGrad', name, orig_input=four, orig_output=four, grad=four, **volumes)
    if ksize[3] == 1:
        add('AvgPool3DGrad', name, orig_input_shape=(i32, [1, 2, 3]), grad=four, **volumes)
for list_shape in ([8], [4, 1]):
    add('MaxPoolGradGradV2', 'strides_' + 'x'.join(map(str, list_shape)), orig_input=four, orig_output=four, grad=four,
        ksize=(i32, [1, 1, 1, 1]), strides=(i32, np.ones(list_shape)), padding='SAME')  # fmt: skip
    add('MaxPoolV2', 'strides_' + 'x'.join(map(str, list_shape)), input=four, ksize=(i32, [1, 1, 1, 1]),
        strides=(i32, np.ones(list_shape)), padding='SAME')  # fmt: skip
for shape, back in (([2, 7, 6, 2], (0, 4, 4, 2)), ([2, 7, 0, 2], (2, 4, 4, 2)), ([2, 7, 6, 0], (2, 4, 4, 2)),
                    ([0, 7, 6, 2], (2, 4, 4, 2))):  # fmt: skip
    name = 'x'.join(map(str, shape)) + '_of_' + 'x'.join(map(str, back))
    add('FractionalAvgPoolGrad', name, orig_input_tensor_shape=(i64, shape), out_backprop=(f64, np.ones(back)),
        row_pooling_sequence=(i64, [0, 2, 3, 5, 7]), col_pooling_sequence=(i64, [0, 1, 3, 4, 6]))  # fmt: skip
for shape in ((0, 5, 4, 2), (1, 0, 4, 2), (0, 0, 4, 2), (1, 5, 4, 0)):
    add('ScaleAndTranslate', 'x'.join(map(str, shape)), images=(f32, np.zeros(shape)), size=(i32, [2, 3]), scale=(f32, [1, 1]),
        translation=(f32, [0, 0]), known=False)  # fmt: skip


def fused_conv(name, filter_shape, fused_ops, dtype=f32):
    def build(b):
        feed = {'input': np.ones((1, 3, 3, 2)), 'filter': np.ones(filter_shape), 'bias': np.ones(filter_shape[3])}
        x, kernel, bias = (b.placeholder(k, dtype, None) for k in feed)
        graph = tf.compat.v1.get_default_graph()
        attrs = dict(T=tf.compat.v1.AttrValue(type=dtype.as_datatype_enum), num_args=tf.compat.v1.AttrValue(i=1))
        attrs['num_host_args'] = tf.compat.v1.AttrValue(i=0)
        attrs['TArgs'] = tf.compat.v1.AttrValue(list=dict(type=[dtype.as_datatype_enum]))
        attrs['strides'] = tf.compat.v1.AttrValue(list=dict(i=[1, 1, 1, 1]))
        attrs['padding'] = tf.compat.v1.AttrValue(s=b'SAME')
        attrs['fused_ops'] = tf.compat.v1.AttrValue(list=dict(s=fused_ops))
        op = graph.create_op('_FusedConv2D', [x, kernel, bias], [dtype], name='op', attrs=attrs)
        return [dict(fetch=[op.outputs[0]], feed={k: v.astype(dtype.as_numpy_dtype) for k, v in feed.items()})]

    CASES.append(('_FusedConv2D/' + name, build, 'close'))


fused_conv('groups_of_odd_depth', (2, 2, 1, 3), [b'BiasAdd', b'Relu'])
fused_conv('groups', (2, 2, 1, 4), [b'BiasAdd', b'Relu'])
fused_conv('depth_3', (2, 2, 3, 4), [b'BiasAdd', b'Relu'])
fused_conv('int8_elu', (2, 2, 2, 4), [b'BiasAdd', b'Elu'], tf.int8)
fused_conv('int8_relu6', (2, 2, 2, 4), [b'BiasAdd', b'Relu6'], tf.int8)
fused_conv('int8_relu', (2, 2, 2, 4), [b'BiasAdd', b'Relu'], tf.int8)

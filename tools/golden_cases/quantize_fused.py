# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/quantize_fused.pb: products and convolutions of
quantized numbers with bias, Relu, sum and new range. Only TensorFlow with oneDNN runs them: TF_ENABLE_ONEDNN_OPTS=1."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(77)
f32, q8, u8, q32 = tf.float32, tf.qint8, tf.quint8, tf.qint32


def whole(low, high, *shape):
    return random.integers(low, high, shape, endpoint=True)


def real(low, high, *shape):
    return random.uniform(low, high, shape).astype(np.float32)


IMAGES = {u8: whole(0, 255, 2, 5, 4, 3), q8: whole(-128, 127, 2, 5, 4, 3)}
FILTER = whole(-127, 127, 3, 2, 3, 4)
DEPTHWISE = whole(-127, 127, 3, 2, 3, 2)
LOWS, HIGHS = [-1, -0.5, -3, -0.1], [0.5, 2, 3, 0.05]


def conv(op, name, T=u8, x=None, w=None, bias=None, Tbias=f32, low=0.0, high=6.0, filter_low=-2.0, filter_high=1.5,
         out_low=0.0, out_high=60.0, summand=None, Tsummand=u8, sum_range=(0.0, 50.0), strides=[1, 1, 1, 1],
         padding='SAME', wtype=q8, at_run=False, **more):  # fmt: skip
    depthwise = 'Depthwise' in op
    x = IMAGES.get(T, IMAGES[u8]) if x is None else x
    w = (DEPTHWISE if depthwise else FILTER) if w is None else w
    inputs = dict(input=(T, x), filter=(wtype, w))
    depth = np.shape(w)[-1] * (np.shape(w)[-2] if depthwise else 1)
    if 'Bias' in op:
        if bias is None:
            bias = whole(-9000, 9000, depth) if Tbias == q32 else real(-9, 9, depth)
        inputs['bias'] = (Tbias, bias)
    inputs.update(min_input=(f32, low), max_input=(f32, high), min_filter=(f32, filter_low), max_filter=(f32, filter_high))
    if 'Requantize' in op:
        inputs.update(min_freezed_output=(f32, out_low), max_freezed_output=(f32, out_high))
    if 'Sum' in op:
        if summand is None:
            rows, columns = (5, 4) if padding == 'SAME' else (3, 3)
            shape = 2, -(-rows // strides[1]), -(-columns // strides[2]), depth
            summand = {u8: whole(0, 255, *shape), q8: whole(-128, 127, *shape)}.get(Tsummand, real(-50, 50, *shape))
        inputs['summand'] = (Tsummand if 'Requantize' in op else f32, summand)
        if 'Requantize' in op:
            inputs.update(min_summand=(f32, sum_range[0]), max_summand=(f32, sum_range[1]))
    add(op, name, constants=('filter', 'bias'), strides=strides, padding=padding, at_run=at_run, **inputs, **more)


def family(op):
    requantizes, has_bias, depth = 'Requantize' in op, 'Bias' in op, 6 if 'Depthwise' in op else 4
    more = dict(Tsummand=q8) if 'Signed' in op else {}
    per_channel = dict(filter_low=(LOWS * 2)[:depth], filter_high=(HIGHS * 2)[:depth])
    conv(op, 'plain', at_run=True, **more)
    if has_bias and 'Sum' not in op and depth == 4:
        conv(op, 'signed', T=q8, low=-5.0, high=6.0, **more)
    conv(op, 'valid_2', strides=[1, 2, 2, 1], padding='VALID', **more)
    conv(op, 'channels', **per_channel, **more)
    conv(op, 'dilated', dilations=[1, 2, 2, 1], **more)
    if requantizes:
        conv(op, 'negative_range', out_low=-90.0, out_high=20.0, **per_channel, **more)
        conv(op, 'out_range_0', out_low=0.0, out_high=0.0, **more)
        if has_bias:
            conv(op, 'bias_qint32', Tbias=q32, **more)
        conv(op, 'out_qint32', out_type=q32, **more)
        conv(op, 'freezed_rank_1', out_low=[0.0], out_high=[30.0], **more)
    if has_bias:
        conv(op, 'bias_short', bias=np.float32([1]), **more)
        conv(op, 'bias_rank_2', bias=real(-1, 1, 1, depth), **more)
    conv(op, 'range_rank_1', low=[0.0], high=[6.0], **more)
    conv(op, 'depth', x=IMAGES[u8][..., :2], **more)
    conv(op, 'stride_batch', strides=[2, 1, 1, 1], **more)
    if 'PerChannel' not in op and op not in ('QuantizedDepthwiseConv2D', 'QuantizedDepthwiseConv2DWithBias'):
        # TensorFlow's shape function of depthwise convolutions does not know these paddings.
        conv(op, 'paddings', padding_list=[0, 0, 1, 2, 0, 1, 0, 0], padding='VALID', known=depth == 4, at_run=True, **more)
    if 'Sum' in op:
        conv(op, 'summand_shape', summand=[[[[1]]]], **more)
        if requantizes:
            conv(op, 'summand_range', sum_range=(-10.0, 3.0), at_run=True, **more)


for op in ['QuantizedConv2DPerChannel', 'QuantizedConv2DAndRelu', 'QuantizedConv2DAndRequantize',
           'QuantizedConv2DAndReluAndRequantize', 'QuantizedConv2DWithBias', 'QuantizedConv2DWithBiasAndRelu',
           'QuantizedConv2DWithBiasAndRequantize', 'QuantizedConv2DWithBiasAndReluAndRequantize',
           'QuantizedConv2DWithBiasSumAndRelu', 'QuantizedConv2DWithBiasSumAndReluAndRequantize',
           'QuantizedConv2DWithBiasSignedSumAndReluAndRequantize', 'QuantizedDepthwiseConv2D',
           'QuantizedDepthwiseConv2DWithBias', 'QuantizedDepthwiseConv2DWithBiasAndRelu',
           'QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize']:  # fmt: skip
    family(op)


conv('QuantizedConv2DWithBias', 'filter_quint8', w=np.abs(FILTER), wtype=u8)
conv('QuantizedConv2DAndRelu', 'signed', T=q8)
conv('QuantizedConv2DWithBias', 'big', x=whole(0, 255, 1, 9, 9, 40), w=whole(-127, 127, 3, 3, 40, 20))
conv('QuantizedConv2DWithBiasAndReluAndRequantize', 'big', x=whole(0, 255, 1, 9, 9, 40), w=whole(-127, 127, 3, 3, 40, 20))


def product(op, name, T=u8, a=None, b=None, bias=None, Tbias=f32, low=-1.0, high=6.0, b_low=-2.0, b_high=1.5,
            out_low=-20.0, out_high=60.0, T2=q8, at_run=False, **more):  # fmt: skip
    a = (whole(0, 255, 3, 7) if T == u8 else whole(-128, 127, 3, 7)) if a is None else a
    b = whole(-127, 127, 7, 5) if b is None else b
    if bias is None:
        bias = whole(-90000, 90000, 5) if Tbias == q32 else real(-9, 9, 5)
    inputs = dict(a=(T, a), b=(T2, b), bias=(Tbias, bias), min_a=(f32, low), max_a=(f32, high), min_b=(f32, b_low),
                  max_b=(f32, b_high))  # fmt: skip
    if 'quantize' in op:
        inputs.update(min_freezed_output=(f32, out_low), max_freezed_output=(f32, out_high))
    if 'Dequantize' in op:
        more['Toutput'] = f32
    add(op, name, constants=('b', 'bias'), at_run=at_run, **inputs, **more)


for op in ['QuantizedMatMulWithBias', 'QuantizedMatMulWithBiasAndRelu', 'QuantizedMatMulWithBiasAndRequantize',
           'QuantizedMatMulWithBiasAndReluAndRequantize', 'QuantizedMatMulWithBiasAndDequantize']:  # fmt: skip
    for mode in ['MIN_FIRST', 'SCALED']:
        product(op, mode, input_quant_mode=mode, at_run=True)
        product(op, mode + '_big', a=whole(0, 255, 9, 40), b=whole(-127, 127, 40, 5), out_high=900.0,
                input_quant_mode=mode)  # fmt: skip
        if op != 'QuantizedMatMulWithBiasAndRelu':
            product(op, mode + '_qint32', Tbias=q32, input_quant_mode=mode)
    if 'quantize' in op:
        product(op, 'point', out_low=0.0, out_high=0.0)
        product(op, 'freezed_rank_1', out_low=[-20.0], out_high=[60.0])
    product(op, 'transpose_a', a=whole(0, 255, 7, 3), transpose_a=True)
    product(op, 'transpose_b', b=whole(-127, 127, 5, 7), transpose_b=True)
    product(op, 'bias_4', bias=real(-1, 1, 4))
    product(op, 'bias_rank_2', bias=real(-1, 1, 1, 5))
    product(op, 'sizes', a=whole(0, 255, 3, 6))
    product(op, 'rank_3', a=whole(0, 255, 1, 3, 7))
    product(op, 'range_rank_1', low=[-1.0], high=[2.0], at_run=True)
    product(op, 'range_point', low=1.0, high=1.0)
    product(op, 'b_range_5', b_low=[-1.0] * 5, b_high=[2.0] * 5)
    product(op, 'empty', a=np.zeros((0, 7)))
    product(op, 'no_depth', a=np.zeros((3, 0)), b=np.zeros((0, 5)))
product('QuantizedMatMulWithBias', 'signed', T=q8)
product('QuantizedMatMulWithBiasAndReluAndRequantize', 'to_qint8', Toutput=q8)

# SPDX-License-Identifier: Apache-2.0
"""Cases for tests/golden/ops/few_answers.pb: ops of which the other files record refusals and few or no answers."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(311)
R = tf.raw_ops
f16, bf16, f32, f64 = tf.float16, tf.bfloat16, tf.float32, tf.float64
i8, i16, i32, i64, u8, st = tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.string
NAN, INF = np.nan, np.inf


def case(name, compare='close', note=''):
    def append(build):
        CASES.append((name, build, compare, note))
        return build

    return append


def C(value, dtype=None):
    return tf.constant(value, dtype)


def do(*targets, **feed):
    return dict(target=[t if isinstance(t, tf.Operation) else t.op for t in targets], feed=feed)


def run(*fetches, **feed):
    return dict(fetch=list(fetches), feed=feed)


def real(*shape):
    return random.uniform(-3, 3, shape).round(3)


# ---- gradients of simulated quantization
SPREAD = [-9, -6, -5.99, -1, 0, 0.02, 3, 5.99, 6, 6.03, 7, NAN, INF, -INF]
for low, high in ((-6, 6), (-0.1, 0.3), (0.5, 6), (-6, -0.5), (0, 0)):
    for bits, narrow in ((8, low == -6),) if low != -0.1 else ((2, True), (8, False), (16, False)):
        add('FakeQuantWithMinMaxVarsGradient', f'{bits}_{narrow}_{low}_{high}'.replace('-', 'm'), at_run=False,
            gradients=(f32, np.arange(1, 15)), inputs=(f32, SPREAD), min=(f32, low), max=(f32, high), num_bits=bits, narrow_range=narrow)  # fmt: skip
add('FakeQuantWithMinMaxVarsGradient', 'matrix', gradients=(f32, real(3, 5)), inputs=(f32, real(3, 5)), min=(f32, -1.5), max=(f32, 2))
add('FakeQuantWithMinMaxVarsGradient', 'empty', at_run=False, gradients=(f32, np.zeros([0, 2])), inputs=(f32, np.zeros([0, 2])), min=(f32, -1), max=(f32, 1))
add('FakeQuantWithMinMaxVarsGradient', 'crossed', gradients=(f32, [1, 2, 3]), inputs=(f32, [-1, 0, 1]), min=(f32, 1), max=(f32, -1))
CHANNELS = dict(min=(f32, [-1, -6, 0.5, 0]), max=(f32, [2, 6, 3, 0]))
for shape in ([4], [3, 4], [2, 1, 3, 4], [0, 4]):
    x = 2 * real(*shape)
    add('FakeQuantWithMinMaxVarsPerChannelGradient', f'rank_{len(shape)}_{x.size}', at_run=False,
        gradients=(f32, real(*shape)), inputs=(f32, x), **CHANNELS)  # fmt: skip
add('FakeQuantWithMinMaxVarsPerChannelGradient', 'bits_4', at_run=False, gradients=(f32, real(3, 4)), inputs=(f32, real(3, 4)), num_bits=4,
    narrow_range=True, **CHANNELS)  # fmt: skip
add('FakeQuantWithMinMaxVarsPerChannelGradient', 'channels', gradients=(f32, real(3, 3)), inputs=(f32, real(3, 3)), **CHANNELS)

# ---- greater and lesser of two sparse tensors
A = dict(a_indices=(i64, [[0, 1], [1, 0], [2, 2]]), a_shape=(i64, [3, 4]))
B = dict(b_indices=(i64, [[0, 0], [1, 0], [1, 3], [2, 2]]), b_shape=(i64, [3, 4]))
for op in ('SparseSparseMaximum', 'SparseSparseMinimum'):
    for T in (bf16, f16, f32, f64, i8, i32, i64, tf.uint64) if op == 'SparseSparseMaximum' else (bf16, f32, i16, u8):
        a, b = ([1, 5, 3], [2, 4, 9, 7]) if T.is_unsigned else ([-1, 5, 3], [2, -4, -9, 7])
        add(op, T.name, at_run=T == f32, a_values=(T, a), b_values=(T, b), **A, **B)
    add(op, 'odd', at_run=False, a_values=(f32, [NAN, NAN, 1]), b_values=(f32, [INF, 2, -INF, NAN]), **A, **B)
    none = np.zeros([0, 2])
    add(op, 'one_empty', at_run=False, a_indices=(i64, none), a_values=(f32, []), a_shape=(i64, [3, 4]), b_values=(f32, [1, -2, 3, 4]), **B)
    add(op, 'both_empty', at_run=False, a_indices=(i64, none), a_values=(f32, []), a_shape=(i64, [3, 4]), b_indices=(i64, none),
        b_values=(f32, []), b_shape=(i64, [3, 4]))  # fmt: skip
    add(op, 'vectors', at_run=False, a_indices=(i64, [[5], [7]]), a_values=(i32, [3, -2]), a_shape=(i64, [9]), b_indices=(i64, [[0], [7]]),
        b_values=(i32, [-1, -8]), b_shape=(i64, [9]))  # fmt: skip
    add(op, 'out_of_order', at_run=False, a_indices=(i64, [[7], [5]]), a_values=(i32, [3, -2]), a_shape=(i64, [9]), b_indices=(i64, [[0], [7]]),
        b_values=(i32, [-1, -8]), b_shape=(i64, [9]))  # fmt: skip

# ---- gradients of crops by their boxes
BOXES = [[0.1, 0.2, 0.7, 0.9], [0, 0, 1, 1], [0.8, 0.6, 0.2, 0.1], [-0.3, 0.2, 1.4, 0.8], [0.5, 0.5, 0.5, 0.5]]
for T in (u8, f16, f32):
    image = random.integers(0, 100, [2, 5, 6, 2])
    add('CropAndResizeGradBoxes', T.name, at_run=False, grads=(f32, real(5, 3, 4, 2)), image=(T, image), boxes=(f32, BOXES),
        box_ind=(i32, [0, 1, 1, 0, 1]))  # fmt: skip
add('CropAndResizeGradBoxes', 'one_pixel', at_run=False, grads=(f32, real(2, 1, 1, 1)), image=(f32, real(1, 3, 4, 1)), boxes=(f32, BOXES[:2]), box_ind=(i32, [0, 0]))
add('CropAndResizeGradBoxes', 'one_row', at_run=False, grads=(f32, real(2, 1, 3, 1)), image=(f32, real(1, 3, 4, 1)), boxes=(f32, BOXES[:2]), box_ind=(i32, [0, 0]))
add('CropAndResizeGradBoxes', 'no_boxes', grads=(f32, np.zeros([0, 2, 2, 1])), image=(f32, real(1, 3, 4, 1)), boxes=(f32, np.zeros([0, 4])), box_ind=(i32, []))

# ---- the gradient of the greatest of volumes
for T, padding in ((bf16, 'VALID'), (f16, 'SAME'), (f32, 'SAME'), (f32, 'VALID')):
    x = random.permutation(1 * 4 * 3 * 5 * 2).reshape(1, 4, 3, 5, 2)
    sizes = (2, 3, 3) if padding == 'SAME' else (2, 2, 2)
    y = np.array([x[0, 2 * i : 2 * i + 2, j : j + 2, 2 * k : 2 * k + 2].max((0, 1, 2)) for i, j, k in np.ndindex(sizes)]).reshape(1, *sizes, 2)
    add('MaxPool3DGrad', f'{T.name}_{padding}', at_run=False, orig_input=(T, x), orig_output=(T, y), grad=(T, real(*y.shape)),
        ksize=[1, 2, 2, 2, 1], strides=[1, 2, 1, 2, 1], padding=padding)  # fmt: skip
add('MaxPool3DGrad', 'ties', at_run=False, orig_input=(f32, np.ones([1, 3, 3, 3, 1])), orig_output=(f32, np.ones([1, 2, 2, 2, 1])),
    grad=(f32, np.arange(8).reshape(1, 2, 2, 2, 1)), ksize=[1, 2, 2, 2, 1], strides=[1, 1, 1, 1, 1], padding='VALID')  # fmt: skip
add('MaxPool3DGrad', 'not_of_the_input', at_run=False, orig_input=(f32, np.ones([1, 2, 2, 2, 1])), orig_output=(f32, [[[[[7]]]]]),
    grad=(f32, [[[[[3]]]]]), ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding='VALID')  # fmt: skip
add('MaxPool3DGrad', 'empty', at_run=False, orig_input=(f32, np.ones([0, 2, 2, 2, 1])), orig_output=(f32, np.ones([0, 1, 1, 1, 1])),
    grad=(f32, np.ones([0, 1, 1, 1, 1])), ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding='VALID')  # fmt: skip

# ---- the gradient of Softsign
for T in (f32, f64):
    add('SoftsignGrad', T.name, at_run=T == f32, gradients=(T, [1, 2, -3, 4, 5, 6, 1, NAN, INF]), features=(T, [0, 0.5, -0.5, 1e6, -1e-6, INF, NAN, 1, 2]))
add('SoftsignGrad', 'scalar', at_run=False, gradients=(f32, 2), features=(f32, -3))
add('SoftsignGrad', 'empty', at_run=False, gradients=(f32, np.zeros([2, 0])), features=(f32, np.zeros([2, 0])))


# ---- lists of tensors
def reserved(shape, rows, dtype=f32):
    return R.TensorListFromTensor(tensor=rows, element_shape=C(shape, i32))


@case('TensorListConcat/rows')
def _(b):
    h = reserved([2], b.placeholder('x', f32, [3, 2]))
    out = R.TensorListConcat(input_handle=h, element_dtype=f32, element_shape=[2])
    return [run(*out, x=[[1, 2], [3, 4], [5, 6]])]


@case('TensorListConcat/matrices')
def _(b):
    h = reserved([2, 3], b.placeholder('x', i32, [2, 2, 3]))
    out = R.TensorListConcat(input_handle=h, element_dtype=i32, element_shape=[None, 3])
    return [run(*out, x=np.arange(12).reshape(2, 2, 3))]


@case('TensorListConcat/other_lengths')
def _(b):
    h = R.EmptyTensorList(element_shape=C([-1, 2], i32), max_num_elements=-1, element_dtype=st)
    for i, rows in enumerate((1, 0, 3)):
        h = R.TensorListPushBack(input_handle=h, tensor=b.placeholder(f'x{i}', st, [rows, 2]))
    out = R.TensorListConcat(input_handle=h, element_dtype=st)
    return [run(*out, x0=[['a', 'b']], x1=np.zeros([0, 2], object), x2=[['c', 'd'], ['e', 'f'], ['', 'g']])]


@case('TensorListConcat/empty')
def _(b):
    h = R.EmptyTensorList(element_shape=C([2, 3], i32), max_num_elements=-1, element_dtype=f32)
    return [run(*R.TensorListConcat(input_handle=h, element_dtype=f32, element_shape=[2, 3]))]


@case('TensorListConcat/scalars')
def _(b):
    h = reserved([], b.placeholder('x', f32, [3]))
    return [run(*R.TensorListConcat(input_handle=h, element_dtype=f32), x=[1, 2, 3])]


for T in (f32, st):

    @case(f'TensorListPushBackBatch/{T.name}')
    def _(b, T=T):
        x = b.placeholder('x', T, [2, 2])
        lists = [R.EmptyTensorList(element_shape=C([2], i32), max_num_elements=-1, element_dtype=T) for _ in range(2)]
        lists[1] = R.TensorListPushBack(input_handle=lists[1], tensor=x[0])
        many = R.TensorListPushBackBatch(input_handles=R.Pack(values=lists), tensor=x)
        out = [R.TensorListStack(input_handle=h, element_shape=C([2], i32), element_dtype=T) for h in R.Unpack(value=many, num=2)]
        return [run(*out, x=[['a', 'b'], ['', 'd']] if T == st else [[1, 0], [0, 1]])]


@case('TensorListPushBackBatch/other_count')
def _(b):
    h = R.EmptyTensorList(element_shape=C([2], i32), max_num_elements=-1, element_dtype=f32)
    many = R.TensorListPushBackBatch(input_handles=R.Pack(values=[h]), tensor=b.placeholder('x', f32))
    return [run(tf.shape(many), x=[[1, 2]]), run(tf.shape(many), x=[[1, 2], [3, 4]]), run(tf.shape(many), x=[[1, 2, 3]]), run(tf.shape(many), x=3)]


@case('TensorListPushBackBatch/full')
def _(b):
    h = R.EmptyTensorList(element_shape=C([1], i32), max_num_elements=1, element_dtype=f32)
    many = R.TensorListPushBackBatch(input_handles=R.Pack(values=[h]), tensor=b.placeholder('x', f32, [1, 1]))
    more = R.TensorListPushBackBatch(input_handles=many, tensor=C([[5.0]]))
    return [run(tf.shape(many), x=[[1]]), run(tf.shape(more), x=[[1]])]


@case('TensorListConcatLists/batches')
def _(b):
    x, y = b.placeholder('x', i64, [2, 2]), b.placeholder('y', i64, [1, 2])
    joined = R.TensorListConcatLists(input_a=reserved([2], x), input_b=reserved([2], y), element_dtype=i64)
    pairs = R.TensorListConcatLists(input_a=R.Pack(values=[reserved([2], x), reserved([2], y)]),
                                    input_b=R.Pack(values=[reserved([2], y), reserved([2], y)]), element_dtype=i64)  # fmt: skip
    out = [joined] + R.Unpack(value=pairs, num=2)
    out = [R.TensorListStack(input_handle=h, element_shape=C([2], i32), element_dtype=i64) for h in out]
    return [run(*out, x=[[1, 2], [3, 4]], y=[[5, 6]])]


# ---- maps of parts, queues and counters by reference
for pre in ('Map', 'OrderedMap'):

    @case(f'{pre}Peek/numbers')
    def _(b, pre=pre):
        of = lambda verb: getattr(R, pre + verb)
        given = dict(dtypes=[i32, f32], shared_name='m')
        k = b.placeholder('k', i64, [])
        put = of('Stage')(key=k, indices=C([0, 1]), values=[b.placeholder('x', i32, [2]), b.placeholder('y', f32, [])], **given)
        peek = of('Peek')(key=k, indices=C([0, 1]), **given)
        second = of('Peek')(key=k, indices=C([1]), dtypes=[f32], shared_name='m')
        size = of('Size')(**given)
        return [do(put, k=5, x=[1, 2], y=3.5), do(put, k=-1, x=[7, 8], y=9), run(*peek, k=5), run(*peek, k=-1), run(*second, k=5), run(size)]


@case('PriorityQueue/in_order')
def _(b):
    q = R.PriorityQueue(component_types=[st], shapes=[[]], shared_name='q')
    put = R.QueueEnqueueMany(handle=q, components=[b.placeholder('p', i64, [None]), b.placeholder('x', st, [None])])
    get, many = R.QueueDequeue(handle=q, component_types=[i64, st]), R.QueueDequeueMany(handle=q, n=C(2), component_types=[i64, st])
    size = R.QueueSize(handle=q)
    return [do(put, p=[3, -1, 9, 3], x=['c', 'a', 'd', 'b']), run(*get), run(*many), run(size), do(R.QueueClose(handle=q)), run(*many), run(*get), run(*get)]


for T in (i32, i64):

    @case(f'CountUpTo/{T.name}')
    def _(b, T=T):
        v = R.VariableV2(dtype=T, shape=[], shared_name='v')
        count = R.CountUpTo(ref=v, limit=3)
        return [run(count), do(R.Assign(ref=v, value=C(1, T)))] + [run(count)] * 3 + [run(R.Identity(input=v))]

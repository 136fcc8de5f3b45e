# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/last_ops.pb: ops of many kinds that few graphs have."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(114)
f16, bf16, f32, f64, i32, i64 = tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int32, tf.int64
raw = tf.raw_ops


def real(*shape):
    return random.uniform(-3, 3, shape)


def steps(name, build, compare='close'):
    CASES.append((name, build, compare))


# ---- CheckNumericsV2
for T in (f16, bf16, f32, f64):
    add('CheckNumericsV2', T.name, tensor=(T, real(2, 3)), message='fine')
for name, value in [('nan', [1, np.nan]), ('inf', [1, np.inf]), ('minus_inf', [-np.inf, 1]),
                    ('both', [np.nan, -np.inf, np.inf]), ('empty', []), ('scalar', np.nan)]:  # fmt: skip
    add('CheckNumericsV2', name, tensor=(f32, value), message='bad ' + name, at_run=False)

# ---- random
add('NonDeterministicInts', 'sizes', compare='shape', shape=(i64, [2, 3]))
for T in (i32, i64, tf.uint32, tf.uint64):
    add('NonDeterministicInts', T.name, compare='shape', shape=(i32, [4]), dtype=T)
add('NonDeterministicInts', 'float', shape=(i32, [4]), dtype=f32, at_run=False)
add('NonDeterministicInts', 'empty', shape=(i32, [0, 2]))
add('NonDeterministicInts', 'scalar_shape', shape=(i32, 2))
add('NonDeterministicInts', 'negative', shape=(i32, [-2]))
add('NonDeterministicInts', 'float_shape', shape=(f32, [2.0]))


def normal(name, state, shape, dtype=f32, stype=i64, variable=i64, count=2):
    def build(b):
        tf.import_graph_def(tf.compat.v1.GraphDef(versions=dict(producer=28)))
        handle = raw.VarHandleOp(dtype=variable, shape=None, shared_name=name)
        p = b.placeholder('shape', stype, np.shape(shape))
        init = raw.AssignVariableOp(resource=handle, value=tf.constant(state, variable))
        with tf.control_dependencies([handle]):
            out = raw.StatefulStandardNormal(resource=handle, shape=p, dtype=dtype)
        read = raw.ReadVariableOp(resource=handle, dtype=variable)
        feed = {'shape': shape}
        return [dict(target=[init]), dict(fetch=[out], feed=feed), dict(fetch=[read]), dict(fetch=[out], feed=feed)]

    steps('StatefulStandardNormal/' + name, build)


for T in (f32, f64, f16, bf16):
    normal(T.name, [1, 3, 4, 5], [2, 3], T)
normal('long', [1, -1, 7, 2, 9], [33], stype=i32)
normal('alg_2', [2, 3, 4, 5], [2])
normal('alg_7', [7, 3, 4, 5], [2])
normal('short', [1, 3, 4], [2])
normal('none', [], [2])
normal('rank_2', [[1, 3, 4, 5]], [2])
normal('int32_state', [1, 3, 4, 5], [2], variable=i32)
normal('negative', [1, 3, 4, 5], [-2])

# ---- references
def ref_identity(name, T, value):
    def build(b):
        v = raw.VariableV2(shape=np.shape(value), dtype=T, shared_name=name)
        init = raw.Assign(ref=v, value=tf.constant(value, T))
        same = raw.RefIdentity(input=v)
        change = raw.AssignAdd(ref=same, value=tf.constant(value, T)) if T != tf.string else raw.Assign(ref=same, value=tf.constant(value, T))
        return [dict(fetch=[init]), dict(fetch=[same]), dict(fetch=[change]), dict(fetch=[v])]

    steps('RefIdentity/' + name, build)


ref_identity('float', f32, [1.5, 2])
ref_identity('int64', i64, [[1, 2], [3, 4]])
ref_identity('string', tf.string, ['a', 'bc'])
ref_identity('scalar', f64, 3.0)
ref_identity('empty', f32, np.zeros((0, 2)))


def ref_unset(b):
    v = raw.VariableV2(shape=[2], dtype=f32, shared_name='unset')
    same = raw.RefIdentity(input=v)
    return [dict(target=[same.op]), dict(fetch=[raw.IsVariableInitialized(ref=same)]), dict(fetch=[same])]


steps('RefIdentity/unset', ref_unset)


# ---- arrays of tensors
def grad_with_shape(name, prepend, size=3, element=[2], source='g', write=None):
    def build(b):
        handle, flow = raw.TensorArrayV3(size=size, dtype=f32, element_shape=element, dynamic_size=False)
        p = b.placeholder('p', i32, np.shape(prepend))
        flow = raw.TensorArrayWriteV3(handle=handle, index=0, value=tf.ones(element or [2]), flow_in=flow)
        grad, flow = raw.TensorArrayGradWithShape(handle=handle, flow_in=flow, shape_to_prepend=p, source=source)
        value = tf.reshape(tf.range(6.0), [3, 2]) if write is None else tf.constant(write, f32)
        flow = raw.TensorArrayWriteV3(handle=grad, index=1, value=value, flow_in=flow)
        flow = raw.TensorArrayWriteV3(handle=grad, index=1, value=value, flow_in=flow)
        read = raw.TensorArrayReadV3(handle=grad, index=1, flow_in=flow, dtype=f32)
        n = raw.TensorArraySizeV3(handle=grad, flow_in=flow)
        other = raw.TensorArrayReadV3(handle=grad, index=0, flow_in=flow, dtype=f32)
        feed = {'p': prepend}
        return [dict(fetch=[read, n], feed=feed), dict(fetch=[other], feed=feed)]

    steps('TensorArrayGradWithShape/' + name, build)


grad_with_shape('plain', [3])
grad_with_shape('none', [], write=[1.0, 2])
grad_with_shape('wrong_value', [3], write=[1.0, 2])
grad_with_shape('unknown', [3], element=None)
grad_with_shape('negative', [-3])
grad_with_shape('unknown_part', [-1])
grad_with_shape('two', [1, 3], write=np.ones((1, 3, 2)))


def old_array(name, dtype, values, element=None, size=None, missing=False, pack=None, producer=15):
    def build(b):
        tf.import_graph_def(tf.compat.v1.GraphDef(versions=dict(producer=producer)))
        handle = raw.TensorArray(size=np.shape(values)[0] if size is None else size, dtype=dtype, element_shape=element)
        flow = tf.constant(0.0)
        if not missing:
            p = b.placeholder('values', dtype, np.shape(values))
            flow = raw.TensorArrayUnpack(handle=handle, value=p, flow_in=flow)
        out = raw.TensorArrayPack(handle=handle, flow_in=flow, dtype=dtype, element_shape=pack)
        return [dict(fetch=[out], feed={} if missing else {'values': values})]

    steps('TensorArrayPack/' + name, build)


old_array('float', f32, real(3, 2))
old_array('scalars', f64, real(4))
old_array('strings', tf.string, np.array([['a', 'b'], ['c', 'd']], object))
old_array('bool', tf.bool, [True, False])
old_array('element_shape', i32, [[1, 2], [3, 4]], element=[2], pack=[2])
old_array('wrong_element', i32, [[1, 2], [3, 4]], element=[3])
old_array('wrong_pack', i32, [[1, 2], [3, 4]], pack=[3])
old_array('wrong_size', i32, [[1, 2], [3, 4]], size=3)
old_array('empty', f32, np.zeros((0, 2)))
old_array('unwritten', f32, [1.0], missing=True)
old_array('no_elements', f32, np.zeros((0, 2)), missing=True)
old_array('no_elements_shape', f32, np.zeros((0, 2)), missing=True, pack=[2], element=[2])
old_array('scalar', f32, 1.0, size=1)


# ---- tables
def table_of_dataset(name, make, key=i64, value=i64, lookup=(1, 2, 3), default=-1, twice=False, mutable=False):
    def build(b):
        kind = raw.MutableHashTableV2 if mutable else raw.HashTableV2
        table = kind(key_dtype=key, value_dtype=value, shared_name='t' + name)
        put = raw.InitializeTableFromDataset(table_handle=table, dataset=make()._variant_tensor)
        find = raw.LookupTableFindV2(table_handle=table, keys=tf.constant(lookup, key), default_value=tf.constant(default, value))
        n = raw.LookupTableSizeV2(table_handle=table)
        out = [dict(target=[put]), dict(fetch=[find, n])]
        return out + [dict(target=[put]), dict(fetch=[n])] if twice else out

    steps('InitializeTableFromDataset/' + name, build)


data = tf.compat.v1.data.Dataset
slices = data.from_tensor_slices
table_of_dataset('plain', lambda: slices((np.int64([1, 2]), np.int64([10, 20]))))
table_of_dataset('twice', lambda: slices((np.int64([1, 2]), np.int64([10, 20]))), twice=True)
table_of_dataset('strings', lambda: slices((tf.constant(['a', 'b']), np.int64([10, 20]))), tf.string, i64, ('a', 'c'))
table_of_dataset('equal', lambda: slices((np.int64([1, 1]), np.int64([10, 10]))))
table_of_dataset('conflict', lambda: slices((np.int64([1, 1]), np.int64([10, 20]))))
table_of_dataset('empty', lambda: slices((np.int64([]), np.int64([]))))
table_of_dataset('mutable', lambda: slices((np.int64([1, 2]), np.int64([10, 20]))), mutable=True)


# ---- values in variants
def composite(name, parts, metadata=b'', types=None, wanted=None, raw_value=False):
    def build(b):
        p = [b.placeholder(f'p{i}', t, np.shape(v)) for i, (t, v) in enumerate(parts)]
        meta = tf.compat.as_text(metadata) if isinstance(metadata, bytes) else metadata
        encoded = raw.CompositeTensorVariantFromComponents(components=p, metadata=meta)
        if raw_value:
            encoded = raw.TensorListReserve(element_shape=[2], num_elements=1, element_dtype=f32)
        out = raw.CompositeTensorVariantToComponents(encoded=encoded, metadata=meta if wanted is None else wanted,
                                                     Tcomponents=types or [t for t, _ in parts])  # fmt: skip
        return [dict(fetch=list(out), feed={f'p{i}': v for i, (_, v) in enumerate(parts)})]

    steps('CompositeTensorVariant/' + name, build)


SPEC = tf.compat.as_text(b'\x08\x01')
composite('two', [(f32, [1.0, 2]), (i64, [[3]])])
composite('one', [(tf.string, ['a', 'b'])])
composite('types', [(f32, [1.0, 2]), (i64, [[3]])], types=[f32, i32])
composite('count', [(f32, [1.0, 2]), (i64, [[3]])], types=[f32])
composite('another', [(f32, [1.0, 2])], raw_value=True)
composite('metadata', [(f32, [1.0, 2])], metadata=SPEC)
composite('other_metadata', [(f32, [1.0, 2])], wanted=SPEC)
composite('not_a_proto', [(f32, [1.0, 2])], metadata='\x07zz')

# ---- SDCA
def shrink(name, weights, l1, l2):
    def build(b):
        v = [raw.VariableV2(shape=np.shape(w), dtype=f32, shared_name=f'{name}{i}') for i, w in enumerate(weights)]
        init = [raw.Assign(ref=x, value=tf.constant(w, f32)) for x, w in zip(v, weights)]
        op = raw.SdcaShrinkL1(weights=v, l1=l1, l2=l2)
        return [dict(fetch=init), dict(target=[op]), dict(fetch=v)]

    steps('SdcaShrinkL1/' + name, build)


shrink('plain', [[1.0, -2, 0.1], [[0.5, -0.05]]], 0.4, 1.0)
shrink('l2_small', [[1.0, -2, 0.1]], 0.4, 0.25)
shrink('zero_l1', [[1.0, -2]], 0.0, 1.0)
shrink('negative_l1', [[1.0, -2]], -0.3, 1.0)
shrink('l2_zero', [[1.0, -2]], 0.3, 0.0)
shrink('nan', [[np.nan, np.inf, -np.inf]], 0.3, 1.0)
shrink('empty', [np.zeros(0)], 0.3, 1.0)

# ---- convolutions
# One image: TensorFlow 2.21 gives the first one's answer for each image of a batch. Whole numbers: halves of them are exact.
IMAGE, FILTER = random.integers(-4, 5, (1, 5, 6, 3)), random.integers(-3, 4, (3, 2, 3, 4))
PADS = [[0, 0], [1, 2], [2, 1], [0, 0]]
for T in (f32, f64, f16):
    for mode in ('REFLECT', 'SYMMETRIC'):
        for padding in ('SAME', 'VALID'):
            more = dict(mode=mode, strides=[1, 1, 1, 1], padding=padding)
            add('FusedPadConv2D', f'{T.name}_{mode}_{padding}', input=(T, IMAGE), paddings=(i32, PADS),
                filter=(T, FILTER), at_run=False, **more)  # fmt: skip
            add('FusedResizeAndPadConv2D', f'{T.name}_{mode}_{padding}', input=(T, IMAGE), size=(i32, [9, 11] if padding == 'SAME' else [10, 12]),
                paddings=(i32, PADS), filter=(T, FILTER), at_run=False, resize_align_corners=padding == 'SAME',
                **more)  # fmt: skip
add('FusedPadConv2D', 'bfloat16', input=(bf16, IMAGE), paddings=(i32, PADS), filter=(bf16, FILTER), mode='REFLECT',
    strides=[1, 1, 1, 1], padding='VALID', at_run=False)  # fmt: skip
for name, pads, x, w, strides in [
    ('no_pads', [[0, 0]] * 4, IMAGE, FILTER, [1, 1, 1, 1]), ('strides', PADS, IMAGE, FILTER, [1, 2, 2, 1]),
    ('strides_unequal', PADS, IMAGE, FILTER, [1, 2, 1, 1]), ('wide_pads', [[0, 0], [4, 4], [5, 5], [0, 0]], IMAGE, FILTER, [1, 1, 1, 1]),
    ('too_wide', [[0, 0], [6, 6], [7, 7], [0, 0]], IMAGE, FILTER, [1, 1, 1, 1]), ('batch', [[1, 0], [0, 0], [0, 0], [0, 0]], IMAGE, FILTER, [1, 1, 1, 1]),
    ('depth_pads', [[0, 0], [0, 0], [0, 0], [0, 1]], IMAGE, FILTER, [1, 1, 1, 1]), ('negative', [[0, 0], [-1, 0], [0, 0], [0, 0]], IMAGE, FILTER, [1, 1, 1, 1]),
    ('three', [[0, 0], [1, 0], [0, 0]], IMAGE, FILTER, [1, 1, 1, 1]), ('vector', [0, 0], IMAGE, FILTER, [1, 1, 1, 1]),
    ('depth', PADS, IMAGE[..., :2], FILTER, [1, 1, 1, 1]), ('stride_batch', PADS, IMAGE, FILTER, [2, 1, 1, 1]),
    ('strides_3', PADS, IMAGE, FILTER, [1, 1, 1]), ('rank_3', PADS, IMAGE[0], FILTER, [1, 1, 1, 1]),
    ('filter_3', PADS, IMAGE, FILTER[0], [1, 1, 1, 1]), ('empty', PADS, IMAGE[:0], FILTER, [1, 1, 1, 1]),
    ('large_filter', [[0, 0]] * 4, IMAGE, real(9, 2, 3, 4), [1, 1, 1, 1]),
]:  # fmt: skip
    add('FusedPadConv2D', name, input=(f32, x), paddings=(i32, pads), filter=(f32, w), mode='REFLECT', strides=strides,
        padding='VALID', at_run=False)  # fmt: skip
    add('FusedResizeAndPadConv2D', name, input=(f32, x), size=(i32, [5, 6]), paddings=(i32, pads), filter=(f32, w),
        mode='SYMMETRIC', strides=strides, padding='VALID', at_run=False)  # fmt: skip
for name, size in [('size_1', [5]), ('size_0', [0, 4]), ('size_scalar', 4), ('size_negative', [-1, 3]), ('up', [11, 13])]:
    add('FusedResizeAndPadConv2D', name, input=(f32, IMAGE), size=(i32, size), paddings=(i32, PADS), filter=(f32, FILTER),
        mode='REFLECT', strides=[1, 1, 1, 1], padding='VALID', at_run=False)  # fmt: skip

# ---- files
for name, scheme, key, value in [('posix', '', 'a', 'b'), ('file', 'file', 'a', 'b'), ('ram', 'ram', 'k', 'v'),
                                 ('none', 'nothing', 'k', 'v'), ('vector', [''], 'a', 'b'), ('vector_key', '', ['a'], 'b'),
                                 ('vector_value', '', 'a', ['b']), ('slash', 'file://', 'a', 'b')]:  # fmt: skip

    def configure(b, scheme=scheme, key=key, value=value):
        p = [b.placeholder(n, tf.string, np.shape(v)) for n, v in (('s', scheme), ('k', key), ('v', value))]
        op = raw.FileSystemSetConfiguration(scheme=p[0], key=p[1], value=p[2])
        return [dict(target=[op], feed={'s': np.array(scheme, object), 'k': np.array(key, object), 'v': np.array(value, object)})]

    steps('FileSystemSetConfiguration/' + name, configure)

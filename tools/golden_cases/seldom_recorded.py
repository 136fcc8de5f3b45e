# SPDX-License-Identifier: Apache-2.0
"""Cases for tests/golden/ops/seldom_recorded.pb: ops that the other files have fewer than three cases of. Record them with
TF_ENABLE_ONEDNN_OPTS=1: without oneDNN QuantizedConcatV2 does nothing."""

import functools
import gzip
import os
import sys
import tempfile
import zlib

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_def_library

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(310)
R = tf.raw_ops
f16, bf16, f32, f64 = tf.float16, tf.bfloat16, tf.float32, tf.float64
i8, i16, i32, i64 = tf.int8, tf.int16, tf.int32, tf.int64
u8, u16, u32, u64 = tf.uint8, tf.uint16, tf.uint32, tf.uint64
c64, c128, st = tf.complex64, tf.complex128, tf.string
NAN, INF = np.nan, np.inf


def case(name, compare='close', note=''):
    def append(build):
        CASES.append((name, build, compare, note))
        return build

    return append


def op(name, **arguments):
    """An op that may have left tf.raw_ops."""
    return (getattr(R, name, None) or functools.partial(op_def_library.apply_op, name))(**arguments)


def operation(made):
    return made if isinstance(made, tf.Operation) else made.op


def C(value, dtype=None):
    return tf.constant(value, dtype)


def do(*targets, **feed):
    return dict(target=[operation(t) for t in targets], feed=feed)


def run(*fetches, **feed):
    return dict(fetch=list(fetches), feed=feed)


class Unshaped:
    """A fetch of which no shape is recorded: TensorFlow's shape function is wrong there."""

    def __init__(self, tensor):
        self.name, self.dtype = tensor.name, tensor.dtype


# ---- ScatterNdMax, ScatterNdMin and their forms for resources
def scatter(kind, name, dtype, start, indices, updates, index_type=i32, at_run=False, unset=False, **attrs):
    # All four run one loop: most cases are of one of them.
    everywhere = name in ('float32', 'uint64', 'odd', 'rows', 'outside', 'outside_ignored', 'updates_short', 'not_set')
    for prefix in ('', 'Resource'):
        if not everywhere and ((prefix == '') != (kind == 'Max') or (kind == 'Min' and name not in ('float16', 'int8', 'int64'))):
            continue

        @case(f'{prefix}ScatterNd{kind}/{name}')
        def _(b, prefix=prefix):
            shape = np.shape(start)
            if prefix:
                v = R.VarHandleOp(dtype=dtype, shape=shape, shared_name='v')
                init, read = R.AssignVariableOp(resource=v, value=C(start, dtype)), R.ReadVariableOp(resource=v, dtype=dtype)
            else:
                v = R.VariableV2(dtype=dtype, shape=shape, shared_name='v')
                init, read = R.Assign(ref=v, value=C(start, dtype)), R.Identity(input=v)
            kind_of = dtype.as_numpy_dtype
            i = b.placeholder('i', index_type, None if at_run else np.shape(indices))
            x = b.placeholder('x', dtype, None if at_run else np.shape(updates))
            put = op(f'{prefix}ScatterNd{kind}', ref=v, indices=i, updates=x, **attrs)
            feed = dict(i=np.asarray(indices), x=np.asarray(updates, kind_of))
            out = run(put, **feed) if not prefix and not unset else do(put, **feed)
            return [out] if unset else [do(init), out, run(read)]


for kind in ('Max', 'Min'):
    for T in (f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64):
        scatter(kind, T.name, T, [5, 1, 7, 3], [[3], [0], [3]], [4, 2, 9], at_run=T == i32)
    scatter(kind, 'complex64', c64, [1, 0], [[1]], [1], unset=True)
    scatter(kind, 'odd', f32, [1, NAN, INF, -INF, -0.0, 0.0], [[0], [1], [2], [3], [4], [5]], [NAN, 1, NAN, -INF, 0.0, -0.0])
    scatter(kind, 'wide', u64, [1 << 63, 3], [[0], [1]], [(1 << 63) - 1, 1 << 63], i64)
    scatter(kind, 'rows', f64, [[1, 2], [3, 4], [5, 6]], [[2], [0], [2]], [[7, 1], [0, 9], [6, 6.5]], i64)
    scatter(kind, 'whole', f32, [3, 4], np.zeros([2, 0]), [[1, 9], [5, 0]])
    scatter(kind, 'scalar', f32, 3, np.zeros([1, 0]), [5], at_run=True)
    scatter(kind, 'nothing', f32, [1, 2], np.zeros([0, 1]), [])
    scatter(kind, 'no_columns', f32, np.zeros([2, 0]), [[1]], np.zeros([1, 0]))
    scatter(kind, 'vector_of_indices', f32, [1, 2, 3], [1], 9, at_run=True)
    scatter(kind, 'outside', f32, [1, 2, 3], [[0], [3], [1]], [9, 9, -9])
    scatter(kind, 'outside_ignored', f32, [1, 2, 3], [[0], [3], [1]], [9, 9, -9], bad_indices_policy='IGNORE')
    scatter(kind, 'unknown_policy', f32, [1, 2, 3], [[0]], [9], bad_indices_policy='OTHER')
    scatter(kind, 'updates_short', f32, [1, 2, 3], [[0], [1]], [9], at_run=True)
    scatter(kind, 'updates_wide', f32, [1, 2, 3], [[0]], [[9, 8]], at_run=True)
    scatter(kind, 'too_deep', f32, [1, 2, 3], [[0, 0]], [9], at_run=True)
    scatter(kind, 'scalar_index', f32, [1, 2, 3], 0, [9], at_run=True)
    scatter(kind, 'not_set', f32, [1, 2, 3], [[0]], [9], unset=True)


# ---- streams whose place a variable keeps
def stream(name, kind, dtype, shape=(5,), state=(1, 2, 3), algorithm=1, shape_type=i64, runs=2, unset=False):
    @case(f'{kind}/{name}', 'exact' if 'Int' in kind else 'close')
    def _(b):
        v = R.VarHandleOp(dtype=i64, shape=np.shape(state), shared_name='g')
        init = R.AssignVariableOp(resource=v, value=C(state, i64))
        alg, size = b.placeholder('alg', i64), b.placeholder('size', shape_type)
        x = op(kind, resource=v, algorithm=alg, shape=size, dtype=dtype)
        drawn = run(x, alg=algorithm, size=np.asarray(shape, shape_type.as_numpy_dtype))
        return [drawn] if unset else [do(init)] + [drawn] * runs + [run(R.ReadVariableOp(resource=v, dtype=i64))]


for kind, types in (
    ('StatefulStandardNormalV2', (f16, bf16, f32, f64)),
    ('StatefulTruncatedNormal', (f16, bf16, f32, f64)),
    ('StatefulUniformFullInt', (i32, i64, u32, u64)),
):
    for T in types:
        stream(T.name, kind, T)
    T = types[2]
    stream('matrix', kind, T, (7, 3), (-1, 5, -7), shape_type=i32, runs=1)
    if kind == 'StatefulUniformFullInt':
        stream('scalar', kind, T, ())
    stream('none', kind, T, (0, 3))
    stream('counter_carries', kind, T, (9,), (-1, -1, 4))
    if kind == 'StatefulUniformFullInt':
        stream('other_type', kind, i8, unset=True, runs=1)
    if kind == 'StatefulUniformFullInt':
        stream('not_set', kind, T, unset=True)
    stream('unknown_algorithm', kind, T, algorithm=7, runs=1)
    if kind == 'StatefulUniformFullInt':
        stream('algorithm_vector', kind, T, algorithm=[1], runs=1)
    stream('short_state', kind, T, state=(1, 2), runs=1)
    if kind == 'StatefulUniformFullInt':
        stream('negative_size', kind, T, (-1,), runs=1)
    if kind == 'StatefulUniformFullInt':
        stream('shape_float', kind, T, (2,), shape_type=f32, runs=1)

# ---- RandomPoisson
for T in (f16, f32, f64):
    add('RandomPoisson', T.name, 'exact', runs=2, producer=24, shape=(i32, [4]), rate=(T, [0.5, 3, 12, 200]), seed=7, seed2=9)
add('RandomPoisson', 'scalar', 'exact', at_run=False, producer=24, shape=(i64, [3, 2]), rate=(f32, 2.5), seed=1, seed2=0)
add('RandomPoisson', 'one_each', 'exact', at_run=False, producer=24, shape=(i32, []), rate=(f64, [[0.1, 40], [7, 0]]), seed=0, seed2=3)
add('RandomPoisson', 'no_samples', 'exact', at_run=False, producer=24, shape=(i32, [0]), rate=(f32, [1, 2]), seed=1, seed2=2)
add('RandomPoisson', 'no_rates', 'exact', at_run=False, producer=24, shape=(i32, [3]), rate=(f32, []), seed=1, seed2=2)
add('RandomPoisson', 'shape_matrix', 'exact', known=False, producer=24, shape=(i32, [[1, 2]]), rate=(f32, 1), seed=1, seed2=2)
add('RandomPoisson', 'negative_size', 'exact', known=False, producer=24, shape=(i32, [-2]), rate=(f32, 1), seed=1, seed2=2)


# ---- sequence examples
def feature(values):
    f = tf.train.Feature()
    for v in values:
        if isinstance(v, (bytes, str)):
            f.bytes_list.value.append(v if isinstance(v, bytes) else v.encode())
        elif isinstance(v, float):
            f.float_list.value.append(v)
        else:
            f.int64_list.value.append(v)
    return f


def sequence(context=None, lists=None):
    e = tf.train.SequenceExample()
    for key, values in (context or {}).items():
        e.context.feature[key].CopyFrom(feature(values))
    for key, rows in (lists or {}).items():
        e.feature_lists.feature_list[key].feature.extend(feature(r) for r in rows)
    return e.SerializeToString(deterministic=True)


FIRST = sequence({'id': [7], 'name': ['one'], 'w': [0.5, 1.5], 'tags': ['a', 'b', 'c']},
                 {'x': [[1.0, 2.0], [3.0, 4.0]], 'n': [[1], [2, 3], []], 'words': [['p'], ['q', 'r']]})  # fmt: skip
SECOND = sequence({'id': [8], 'name': [b'\xff\x00'], 'w': [2.5, 3.5], 'tags': []},
                  {'x': [[5.0, 6.0]], 'n': [[4]], 'words': [[], ['s']]})  # fmt: skip
BARE = sequence()
BROKEN = b'\x0a\xff'
EMPTY_STRINGS = np.zeros([0], object)


def names(*keys):
    return C(np.array(keys, object) if keys else EMPTY_STRINGS, st)


def parse_v2(name, texts, context_sparse=(), context_dense=(), context_ragged=(), list_sparse=(), list_dense=(), list_ragged=(),
             debug_name=(), missing=None, splits=i64, **changed):  # fmt: skip
    """Sparse and ragged columns: (key, dtype); dense ones: (key, dtype, shape, default), of lists without the default."""

    @case('ParseSequenceExampleV2/' + name)
    def _(b):
        given = dict(
            serialized=b.placeholder('s', st, np.shape(texts)), debug_name=names(*debug_name),
            context_sparse_keys=names(*[c[0] for c in context_sparse]), context_dense_keys=names(*[c[0] for c in context_dense]),
            context_ragged_keys=names(*[c[0] for c in context_ragged]), feature_list_sparse_keys=names(*[c[0] for c in list_sparse]),
            feature_list_dense_keys=names(*[c[0] for c in list_dense]), feature_list_ragged_keys=names(*[c[0] for c in list_ragged]),
            feature_list_dense_missing_assumed_empty=C(np.array([False] * len(list_dense) if missing is None else missing, bool)),
            context_dense_defaults=[C(c[3], c[1]) for c in context_dense],
            Ncontext_sparse=len(context_sparse), context_sparse_types=[c[1] for c in context_sparse],
            context_ragged_value_types=[c[1] for c in context_ragged], context_ragged_split_types=[splits] * len(context_ragged),
            context_dense_shapes=[c[2] for c in context_dense], Nfeature_list_sparse=len(list_sparse),
            Nfeature_list_dense=len(list_dense), feature_list_dense_types=[c[1] for c in list_dense],
            feature_list_sparse_types=[c[1] for c in list_sparse], feature_list_ragged_value_types=[c[1] for c in list_ragged],
            feature_list_ragged_split_types=[splits] * len(list_ragged), feature_list_dense_shapes=[c[2] for c in list_dense])  # fmt: skip
        given.update({k: v() for k, v in changed.items()})
        out = R.ParseSequenceExampleV2(**given)
        out = [t for one in out for t in (one if isinstance(one, (list, tuple)) else [one])]
        return [run(*[Unshaped(t) if context_ragged else t for t in out], s=np.array(texts, object))]


ALL = dict(context_sparse=[('tags', st), ('none', i64)], context_dense=[('id', i64, [], 0), ('w', f32, [2], [9, 9])],
           context_ragged=[('name', st)], list_sparse=[('n', i64)], list_dense=[('x', f32, [2])], list_ragged=[('words', st)])  # fmt: skip
NO_DEFAULT = np.zeros([0], np.int64)
parse_v2('two', [FIRST, SECOND], splits=i32, **ALL)
parse_v2('one', FIRST, **ALL)
parse_v2('none', np.zeros([0], object), **ALL)
parse_v2('matrix', [[FIRST, SECOND]], **ALL)
parse_v2('bare', [FIRST, BARE], context_dense=[('id', i64, [], -1), ('name', st, [], 'unnamed')], context_sparse=[('tags', st)],
         context_ragged=[('w', f32)], list_sparse=[('n', i64)], list_ragged=[('words', st)])  # fmt: skip
parse_v2('list_missing_allowed', [FIRST, BARE], list_dense=[('x', f32, [2])], missing=[True])
parse_v2('other_type', [FIRST], context_dense=[('id', f32, [], 0)])
parse_v2('other_type_sparse', [FIRST], context_sparse=[('id', st)])
TAGS, W, N, X = ('tags', st), ('w', f32, [2], [9, 9]), ('n', i64), ('x', f32, [2])
parse_v2('sparse_and_dense', [FIRST], context_sparse=[('w', f32)], context_dense=[W])
parse_v2('sparse_twice', [FIRST, SECOND], context_sparse=[TAGS, TAGS])
parse_v2('ragged_twice', [FIRST, SECOND], context_ragged=[TAGS, TAGS])
parse_v2('list_sparse_and_dense', [FIRST], list_sparse=[('x', f32)], list_dense=[X])
parse_v2('list_sparse_twice', [FIRST, SECOND], list_sparse=[N, N])


def parse_single(name, text, context_sparse=(), context_dense=(), list_sparse=(), list_dense=(), missing=(), debug_name='', **changed):
    @case('ParseSingleSequenceExample/' + name)
    def _(b):
        key = lambda columns: [C(c[0]) for c in columns]
        given = dict(
            serialized=b.placeholder('s', st, np.shape(text)), feature_list_dense_missing_assumed_empty=names(*missing),
            context_sparse_keys=key(context_sparse), context_dense_keys=key(context_dense), feature_list_sparse_keys=key(list_sparse),
            feature_list_dense_keys=key(list_dense), context_dense_defaults=[C(c[3], c[1]) for c in context_dense], debug_name=C(debug_name),
            context_sparse_types=[c[1] for c in context_sparse], feature_list_dense_types=[c[1] for c in list_dense],
            context_dense_shapes=[c[2] for c in context_dense], feature_list_sparse_types=[c[1] for c in list_sparse],
            feature_list_dense_shapes=[c[2] for c in list_dense])  # fmt: skip
        given.update({k: v() for k, v in changed.items()})
        out = R.ParseSingleSequenceExample(**given)
        return [run(*[t for one in out for t in (one if isinstance(one, (list, tuple)) else [one])], s=np.array(text, object))]


WANTED = dict(context_sparse=[('tags', st), ('none', i64), ('w', f32)], context_dense=[('id', i64, [], 0), ('w', f32, [2], [9, 9])],
              list_sparse=[('n', i64), ('words', st)], list_dense=[('x', f32, [2])])  # fmt: skip
parse_single('first', FIRST, **WANTED)
parse_single('defaults', BARE, context_dense=[('id', i64, [], -1), ('name', st, [2], ['x', 'y'])], context_sparse=[('tags', st)],
             list_sparse=[('n', i64)])  # fmt: skip
parse_single('missing_allowed', BARE, list_dense=[('x', f32, [2]), ('y', i64, [])], missing=['x', 'y', 'z'])
parse_single('other_type', FIRST, context_dense=[('id', f32, [], 0)])
parse_single('other_type_list', FIRST, list_sparse=[('n', f32)])
parse_single('broken', BROKEN, **WANTED)
parse_single('key_vector', FIRST, context_sparse=[('tags', st)], context_sparse_keys=lambda: [C(['tags'])])
parse_single('sparse_and_dense', FIRST, context_sparse=[('w', f32)], context_dense=[W], list_sparse=[('x', f32)], list_dense=[X])
parse_single('twice', FIRST, context_sparse=[TAGS, TAGS], context_dense=[W, W], list_sparse=[N, N], list_dense=[X, X])
parse_single('twice_other_types', FIRST, context_sparse=[TAGS, ('tags', i64)])


# ---- QuantizedConcatV2
def joined(name, values, axis=0, mins=None, maxes=None, T=tf.quint8, at_run=False, **given):
    n = len(values)
    given = dict(dict(values=[(T, v) for v in values], axis=(i32, axis), input_mins=[(f32, x) for x in mins or [-1.0] * n],
                      input_maxes=[(f32, x) for x in maxes or [1.0] * n]), **given)  # fmt: skip
    add('QuantizedConcatV2', name, at_run=at_run, **given)


joined('same_range', [[[1, 2], [3, 255]], [[0, 128]]], mins=[0.0, 0.0], maxes=[4.0, 4.0])
joined('other_ranges', [[[1, 2], [3, 255]], [[0, 128]]], mins=[-1.0, 0.0], maxes=[1.0, 6.0])
joined('negative_axis', [[[1, 2]], [[3, 4]]], -1)
joined('axis_int64', [[[1, 2]], [[3, 4]]], axis=(i64, 1))
joined('three', [[9], [8, 7], [6, 5, 4]], 0, [0.0, -2.0, 1.0], [1.0, 2.0, 9.0])
joined('all_empty', [[], []])
joined('qint32', [[1, -2, 1 << 30], [-(1 << 31)]], 0, [-1.0, -2.0], [1.0, 2.0], tf.qint32)
joined('qint8', [[1, -2], [127, -128]], 0, [-1.0, -2.0], [1.0, 2.0], tf.qint8)
joined('qint16', [[1, -2], [127, -128]], 0, [-1.0, -2.0], [1.0, 2.0], tf.qint16)
joined('positive_low', [[1, 200], [3, 100]], 0, [1.0, 2.0], [3.0, 4.0])
joined('negative_high', [[1, 200], [3, 100]], 0, [-5.0, -4.0], [-3.0, -1.0])
joined('second_empty', [[200], [], [3, 4], [250]], 0, [0.0, 1.0, 0.0, 0.0], [2.0, 5.0, 3.0, 4.0])
for name, values in (('first_empty', [[], [3, 200]]), ('second_empty', [[200], [], [3, 4], [250]])):
    add('QuantizedConcat', name, at_run=False, concat_dim=(i32, 0), values=[(tf.quint8, v) for v in values],
        input_mins=[(f32, x) for x in (-1.0, 0.0, 0.0, 0.0)[: len(values)]],
        input_maxes=[(f32, x) for x in (2.0, 5.0, 3.0, 4.0)[: len(values)]])  # fmt: skip
joined('outside', [[1], [2]], 1)
joined('axis_vector', [[1], [2]], [0])
joined('other_rank', [[[1]], [2]])
joined('other_rows', [[[1], [2]], [[3]]], 1)
joined('range_vector', [[1], [2]], 0, [[0.0, 1.0], 0.0], [1.0, 1.0])


# ---- barriers and queues
def barrier(types, shapes, name='b'):
    return R.Barrier(component_types=types, shapes=shapes, shared_name=name)


@case('BarrierIncompleteSize/two_components')
def _(b):
    h = barrier([f32, i32], [[], []])
    k, v, w = b.placeholder('k', st, [None]), b.placeholder('v', f32, [None]), b.placeholder('w', i32, [None])
    put0 = R.BarrierInsertMany(handle=h, keys=k, values=v, component_index=0)
    put1 = R.BarrierInsertMany(handle=h, keys=k, values=w, component_index=1)
    inc = R.BarrierIncompleteSize(handle=h)
    return [run(inc), do(put0, k=['a', 'b', 'c'], v=[1.0, 2.0, 3.0]), run(inc), do(put1, k=['b'], w=[5]), run(inc),
            do(put1, k=['d'], w=[5]), run(inc), do(put1, k=['a', 'c'], w=[6, 7]), run(inc), do(put0, k=['d'], v=[0.5]), run(inc)]  # fmt: skip


@case('BarrierIncompleteSize/one_component')
def _(b):
    h = barrier([st], [[]])
    put = R.BarrierInsertMany(handle=h, keys=b.placeholder('k', st, [None]), values=b.placeholder('v', st, [None]), component_index=0)
    inc, ready = R.BarrierIncompleteSize(handle=h), R.BarrierReadySize(handle=h)
    return [run(inc, ready), do(put, k=['a', 'b'], v=['x', 'y']), run(inc, ready), do(put, k=[], v=[]), run(inc, ready)]


for cancel in (False, True):

    @case(f'BarrierIncompleteSize/closed_{cancel}')
    def _(b, cancel=cancel):
        h = barrier([i64, i64], [[2], []])
        k = b.placeholder('k', st, [None])
        put0 = R.BarrierInsertMany(handle=h, keys=k, values=b.placeholder('v', i64, [None, 2]), component_index=0)
        put1 = R.BarrierInsertMany(handle=h, keys=k, values=b.placeholder('w', i64, [None]), component_index=1)
        inc, close = R.BarrierIncompleteSize(handle=h), R.BarrierClose(handle=h, cancel_pending_enqueues=cancel)
        return [do(put0, k=['a', 'b'], v=[[1, 2], [3, 4]]), run(inc), do(close), run(inc), do(put1, k=['a'], w=[5]), run(inc),
                do(put0, k=['z'], v=[[1, 2]]), run(inc)]  # fmt: skip


@case('BarrierIncompleteSize/not_a_barrier')
def _(b):
    return [run(R.BarrierIncompleteSize(handle=R.FIFOQueue(component_types=[f32], shared_name='q')))]


@case('BarrierIncompleteSize/other_key_twice')
def _(b):
    h = barrier([i32, i32], [[], []])
    put = R.BarrierInsertMany(handle=h, keys=b.placeholder('k', st, [None]), values=b.placeholder('v', i32, [None]), component_index=0)
    inc = R.BarrierIncompleteSize(handle=h)
    return [do(put, k=['a'], v=[1]), do(put, k=['b', 'a'], v=[1, 2]), run(inc)]


@case('DisableCopyOnRead/not_set')
def _(b):
    v = R.VarHandleOp(dtype=f32, shape=[2], shared_name='v')
    off = R.DisableCopyOnRead(resource=v)
    return [do(off), run(R.VarIsInitializedOp(resource=v)), do(R.AssignVariableOp(resource=v, value=C([1.0, 2.0]))), do(off)]


@case('DisableCopyOnRead/gathered')
def _(b):
    v = R.VarHandleOp(dtype=f32, shape=[3, 2], shared_name='v')
    x = b.placeholder('x', f32, [3, 2])
    put, off = R.AssignVariableOp(resource=v, value=x), R.DisableCopyOnRead(resource=v)
    rows = R.ResourceGather(resource=v, indices=C([2, 0]), dtype=f32)
    more = R.ResourceScatterUpdate(resource=v, indices=C([1, 1]), updates=C([[7.0, 7.0], [8.0, 9.0]]))
    read = R.ReadVariableOp(resource=v, dtype=f32)
    return [do(put, x=[[1, 2], [3, 4], [5, 6]]), run(rows), do(off), run(rows), do(more), run(read), do(off), run(read)]


@case('DisableCopyOnRead/kept_value')
def _(b):
    v = R.VarHandleOp(dtype=i64, shape=[2], shared_name='v')
    put, off = R.AssignVariableOp(resource=v, value=C([1, 2], i64)), R.DisableCopyOnRead(resource=v)
    read = R.ReadVariableOp(resource=v, dtype=i64)
    with tf.control_dependencies([read]):
        change = R.AssignAddVariableOp(resource=v, value=C([10, 10], i64))
    with tf.control_dependencies([change]):
        later, kept = tf.identity(R.ReadVariableOp(resource=v, dtype=i64)), tf.identity(read)
    return [do(put), run(kept, later), do(off), run(kept, later)]


@case('DisableCopyOnRead/not_a_variable')
def _(b):
    return [do(R.DisableCopyOnRead(resource=R.MutableHashTableV2(key_dtype=i64, value_dtype=i64, shared_name='t')))]


def queue(kind='FIFOQueueV2', types=(f32,), shapes=((),), **attrs):
    return getattr(R, kind)(component_types=list(types), shapes=[list(s) for s in shapes], shared_name='q', **attrs)


@case('QueueDequeueUpToV2/PaddingFIFOQueueV2')
def _(b):
    q = queue('PaddingFIFOQueueV2', [i32, st], [[], []])
    n = b.placeholder('n', i32, [])
    put = R.QueueEnqueueManyV2(handle=q, components=[b.placeholder('x', i32, [None]), b.placeholder('s', st, [None])])
    get = R.QueueDequeueUpToV2(handle=q, n=n, component_types=[i32, st])
    size, close = R.QueueSizeV2(handle=q), R.QueueCloseV2(handle=q)
    return [do(put, x=[1, 2, 3, 4, 5], s=['a', 'b', 'c', 'd', 'e']), run(*get, n=2), run(*get, n=0), run(size), do(close),
            run(*get, n=2), run(size), run(*get, n=5), run(size), run(*get, n=1), run(*get, n=0)]  # fmt: skip


@case('QueueDequeueUpToV2/rows')
def _(b):
    q = queue(types=[f64], shapes=[[2]])
    put = R.QueueEnqueueManyV2(handle=q, components=[b.placeholder('x', f64, [None, 2])])
    get = R.QueueDequeueUpToV2(handle=q, n=b.placeholder('n', i32, []), component_types=[f64])
    return [do(put, x=np.arange(6).reshape(3, 2)), run(*get, n=1), do(R.QueueCloseV2(handle=q)), run(*get, n=9), run(*get, n=9)]


@case('QueueDequeueUpToV2/negative')
def _(b):
    q = queue()
    get = R.QueueDequeueUpToV2(handle=q, n=b.placeholder('n', i32, []), component_types=[f32])
    return [do(R.QueueEnqueueV2(handle=q, components=[C(1.0)])), run(*get, n=-1), run(R.QueueSizeV2(handle=q))]


@case('QueueDequeueUpToV2/no_shapes')
def _(b):
    q = R.FIFOQueueV2(component_types=[f32], shared_name='q')
    get = R.QueueDequeueUpToV2(handle=q, n=b.placeholder('n', i32, []), component_types=[f32])
    return [do(R.QueueEnqueueV2(handle=q, components=[C(1.0)])), run(*get, n=1)]


@case('QueueDequeueUpToV2/other_types')
def _(b):
    q = queue()
    get = R.QueueDequeueUpToV2(handle=q, n=b.placeholder('n', i32, []), component_types=[i32])
    return [do(R.QueueEnqueueV2(handle=q, components=[C(1.0)])), run(*get, n=1), run(R.QueueSizeV2(handle=q))]


@case('QueueDequeueUpToV2/n_vector')
def _(b):
    q = queue()
    get = R.QueueDequeueUpToV2(handle=q, n=b.placeholder('n', i32), component_types=[f32])
    return [do(R.QueueEnqueueV2(handle=q, components=[C(1.0)])), run(*get, n=[1])]


@case('QueueDequeueUpToV2/priority')
def _(b):
    q = R.PriorityQueueV2(component_types=[f32], shapes=[[]], shared_name='q')
    put = R.QueueEnqueueManyV2(handle=q, components=[b.placeholder('p', i64, [None]), b.placeholder('x', f32, [None])])
    get = R.QueueDequeueUpToV2(handle=q, n=b.placeholder('n', i32, []), component_types=[i64, f32])
    return [do(put, p=[5, 1, 3, -2], x=[1.0, 2.0, 3.0, 4.0]), run(*get, n=3), do(R.QueueCloseV2(handle=q)), run(*get, n=3), run(R.QueueSizeV2(handle=q))]


# ---- modified Bessel functions
SPREAD = [0.0, -0.0, 0.5, -0.5, 1.0, 2.0, -3.75, 3.75, 7.9, 8.0, 8.1, -8.5, 20.0, 60.0, 1e-6, 1e-20, NAN]
for kind in ('BesselI0', 'BesselI1'):
    for T in (bf16, f16, f32, f64):
        at = [x for x in SPREAD if T != f16 or abs(x) < 10]
        add(kind, T.name, known=T == f64, x=(T, at))
    add(kind, 'huge', x=(f64, [INF, -INF, 700.0, 713.0, -720.0]), known=False)
    add(kind, 'huge_float', x=(f32, [INF, -INF, 80.0, 88.0, -95.0]), known=False)
    add(kind, 'matrix', x=(f32, random.uniform(-10, 10, [3, 5])), at_run=False)
    add(kind, 'scalar', x=(f64, 1.25))
    add(kind, 'empty', x=(f32, np.zeros([2, 0])))

# ---- ControlTrigger
@case('ControlTrigger/two_dead')
def _(b):
    p, q = b.placeholder('p', tf.bool, []), b.placeholder('q', tf.bool, [])
    one, two = R.Switch(data=C(1), pred=p), R.Switch(data=C(2), pred=q)
    with tf.control_dependencies([one.output_true, two.output_false]):
        t = R.ControlTrigger()
    with tf.control_dependencies([t]):
        out = C(5)
    return [run(out, p=a, q=c) for a in (True, False) for c in (True, False)]


@case('ControlTrigger/before_merge')
def _(b):
    s = R.Switch(data=b.placeholder('x', f32, [2]), pred=b.placeholder('p', tf.bool, []))
    with tf.control_dependencies([s.output_false]):
        t = R.ControlTrigger()
    m = R.Merge(inputs=[tf.negative(s.output_false), tf.square(s.output_true)])
    with tf.control_dependencies([t]):
        out = tf.identity(m.output)
    return [run(out, m.value_index, x=[1, 2], p=p) for p in (True, False)]


@case('ControlTrigger/after_trigger')
def _(b):
    s = R.Switch(data=C(1), pred=b.placeholder('p', tf.bool, []))
    with tf.control_dependencies([s.output_true]):
        dead = tf.no_op()
    with tf.control_dependencies([dead]):
        t = R.ControlTrigger()
    with tf.control_dependencies([t]):
        u = R.ControlTrigger()
    with tf.control_dependencies([u, s.output_true]):
        still = C(3)
    return [do(u, p=True), do(u, p=False), run(still, p=True), run(still, p=False), do(dead, p=False)]


@case('ControlTrigger/of_a_failure')
def _(b):
    with tf.control_dependencies([R.Assert(condition=b.placeholder('c', tf.bool, []), data=[C('no')])]):
        t = R.ControlTrigger()
    return [do(t, c=True), do(t, c=False)]


# ---- TemporaryVariable
def temporary(name, dtype, shape, first, more):
    @case('TemporaryVariable/' + name)
    def _(b):
        v = R.TemporaryVariable(shape=shape, dtype=dtype, var_name='t')
        x, y = b.placeholder('x', dtype, np.shape(first)), b.placeholder('y', dtype, np.shape(more))
        v = R.Assign(ref=v, value=x)
        if dtype not in (st, tf.bool):
            v = R.AssignAdd(ref=v, value=y)
        else:
            v = R.Assign(ref=v, value=y)
        return [run(R.DestroyTemporaryVariable(ref=v, var_name='t'), x=first, y=more)] * 2


for T in (f16, i64, c64, st, tf.bool):
    x, y = (['a', 'bc'], ['d', '']) if T == st else ([True, False], [False, False]) if T == tf.bool else ([1, 2], [3, 4])
    temporary(T.name, T, [2], x, y)
temporary('scalar', f32, [], 1.5, 2.5)
temporary('empty', f32, [0, 3], np.zeros([0, 3]), np.zeros([0, 3]))


@case('TemporaryVariable/without_name')
def _(b):
    v = R.Assign(ref=R.TemporaryVariable(shape=[2], dtype=f32, name='mine'), value=b.placeholder('x', f32, [2]))
    return [run(R.DestroyTemporaryVariable(ref=v, var_name='mine'), x=[1, 2])]


@case('TemporaryVariable/twice')
def _(b):
    v = R.TemporaryVariable(shape=[1], dtype=f32, var_name='t')
    with tf.control_dependencies([v]):
        w = R.TemporaryVariable(shape=[1], dtype=f32, var_name='t')
    return [run(tf.shape(w))]


@case('TemporaryVariable/other_name')
def _(b):
    v = R.Assign(ref=R.TemporaryVariable(shape=[1], dtype=f32, var_name='t'), value=C([1.0]))
    return [run(R.DestroyTemporaryVariable(ref=v, var_name='u'))]


@case('TemporaryVariable/destroyed_twice')
def _(b):
    v = R.Assign(ref=R.TemporaryVariable(shape=[1], dtype=f32, var_name='t'), value=C([1.0]))
    first = R.DestroyTemporaryVariable(ref=v, var_name='t')
    with tf.control_dependencies([first]):
        second = R.DestroyTemporaryVariable(ref=v, var_name='t')
    return [run(first, second)]


@case('TemporaryVariable/two')
def _(b):
    v = R.Assign(ref=R.TemporaryVariable(shape=[1], dtype=i32, var_name='t'), value=C([1]))
    w = R.Assign(ref=R.TemporaryVariable(shape=[1], dtype=i32, var_name='u'), value=C([2]))
    return [run(R.DestroyTemporaryVariable(ref=v, var_name='t'), R.DestroyTemporaryVariable(ref=w, var_name='u'))]


# ---- TextLineDataset
def text_lines(name, files, compression='', size=0, wanted=None, written=None):
    """`files`: what is written; `wanted`: the paths that are read, if they are others."""
    @case('TextLineDataset/' + name, 'exact', 'files')
    def _(b):
        os.chdir(tempfile.mkdtemp())
        kind = written if written is not None else compression
        write = []
        for i, text in enumerate(files):
            packed = gzip.compress(text, mtime=0) if kind == 'GZIP' else zlib.compress(text) if kind == 'ZLIB' else text
            write.append(R.WriteFile(filename=C(f'{name}_{i}'), contents=C(packed)))
        paths = [f'{name}_{i}' for i in range(len(files))] if wanted is None else wanted
        data = R.TextLineDataset(filenames=C(np.array(paths, object), st), compression_type=b.placeholder('c', st),
                                 buffer_size=b.placeholder('n', i64))  # fmt: skip
        given = dict(output_types=[st], output_shapes=[[]])
        it = R.IteratorV2(shared_name='it', container='', **given)
        start = R.MakeIterator(dataset=data, iterator=it)
        get = R.IteratorGetNext(iterator=it, **given)
        feed = dict(c=compression, n=size)
        lines = sum(t.count(b'\n') + 1 for t in files)
        return [do(*write)] * bool(write) + [do(start, **feed)] + [run(*get)] * min(lines + 1, 9)


TEXT = b'one\ntwo two\n\nfour\r\nlast'
for size in (0, 1, 4096):
    text_lines(f'buffer_{size}', [TEXT], size=size)
text_lines('two_files', [TEXT, b'', b'\n', b'x\n'])
text_lines('gzip', [TEXT, b'more\n'], 'GZIP')
text_lines('not_compressed', [TEXT], 'GZIP', written='')
text_lines('unknown_compression', [TEXT], 'LZ4')
text_lines('bytes', [b'\xff\xfe\x00\n\xc3\xa4\r\r\n\n'])
text_lines('none', [], wanted=[])
text_lines('missing', [], wanted=['no_such_file'])

# ---- TopK. TensorFlow 2.21 has no kernel for it: theirs want an attr that the op does not have.
for version in (1, 6):
    add('TopK', f'too_many_{version}', at_run=False, producer=version, input=(f32, [[3, 1, 3], [0, 5, 2]]), k=4)
add('TopK', 'scalar', producer=6, input=(f32, 1), k=0)

# ---- VarIsInitializedOp
for T in (f32, st, tf.bool, c64):

    @case(f'VarIsInitializedOp/{T.name}')
    def _(b, T=T):
        v = R.VarHandleOp(dtype=T, shape=[None], shared_name='v')
        x = ['a', ''] if T == st else [1, 0]
        put = R.AssignVariableOp(resource=v, value=b.placeholder('x', T, [None]))
        there, read = R.VarIsInitializedOp(resource=v), R.ReadVariableOp(resource=v, dtype=T)
        off = R.DestroyResourceOp(resource=v, ignore_lookup_error=False)
        return [run(there), run(read), do(put, x=x), run(there), do(off), run(there), do(off), run(there), do(put, x=[]), run(there)]


@case('VarIsInitializedOp/other_container')
def _(b):
    v = R.VarHandleOp(dtype=f32, shape=[], shared_name='v', container='a')
    w = R.VarHandleOp(dtype=f32, shape=[], shared_name='v', container='b')
    put = R.AssignVariableOp(resource=v, value=C(1.0))
    return [do(put), run(R.VarIsInitializedOp(resource=v), R.VarIsInitializedOp(resource=w))]


@case('VarIsInitializedOp/not_a_variable')
def _(b):
    table = R.MutableHashTableV2(key_dtype=i64, value_dtype=i64, shared_name='t')
    size = R.LookupTableSizeV2(table_handle=table)
    return [run(R.VarIsInitializedOp(resource=table)), run(size), run(R.VarIsInitializedOp(resource=table))]


@case('VarIsInitializedOp/no_handle')
def _(b):
    return [run(R.VarIsInitializedOp(resource=R.VarHandleOp(dtype=f32, shape=None, shared_name='')))]

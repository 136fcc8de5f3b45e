# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/state_more.pb: staging areas, accumulators, barriers,
mutexes, dense tables, shuffled queues, and the ops that pass their resource by reference."""

import tensorflow as tf
import numpy as np

R = tf.raw_ops
f32, i32, i64, st = tf.float32, tf.int32, tf.int64, tf.string


def C(v, d=None):
    return tf.constant(v, d)


CASES = []


def case(name, compare='close', note=''):
    def add(f):
        CASES.append((name, f, compare, note))
        return f

    return add


# ---- staging
@case('Stage/clear_and_index')
def _(b):
    x = b.placeholder('x', f32, [2])
    put = R.Stage(values=[x], shared_name='s')
    size = R.StageSize(dtypes=[f32], shared_name='s')
    clear = R.StageClear(dtypes=[f32], shared_name='s')
    get = R.Unstage(dtypes=[f32], shared_name='s')
    get2 = R.Unstage(dtypes=[f32, f32], shared_name='s')
    peek = R.StagePeek(index=C(0), dtypes=[f32], shared_name='s')
    F = {'x': [1.0, 2.0]}
    return [
        dict(target=[put], feed=F),
        dict(fetch=[size]),
        dict(target=[clear]),
        dict(fetch=[size]),
        dict(target=[put], feed={'x': [3.0, 4.0]}),
        dict(target=[put], feed={'x': [5.0, 6.0]}),
        dict(fetch=[peek[0]]),
        dict(fetch=[get2[0]]),
        dict(fetch=[size]),
        dict(fetch=[get[0]]),
        dict(fetch=[size]),
    ]


@case('Stage/memory_limit')
def _(b):
    x = b.placeholder('x', f32, [None])
    put = R.Stage(values=[x], shared_name='s', memory_limit=8)
    size = R.StageSize(dtypes=[f32], shared_name='s', memory_limit=8)
    return [
        dict(target=[put], feed={'x': [1.0, 2.0, 3.0]}),
        dict(fetch=[size]),
        dict(target=[put], feed={'x': [1.0, 2.0]}),
        dict(fetch=[size]),
    ]


@case('StagePeek/index_no_scalar')
def _(b):
    i = b.placeholder('i', i32, [2])
    put = R.Stage(values=[C(1.0)], shared_name='s')
    peek = R.StagePeek(index=i, dtypes=[f32], shared_name='s')
    return [dict(target=[put]), dict(fetch=[peek[0]], feed={'i': [0, 0]})]


for pre in ('Map', 'OrderedMap'):
    Stage, Unstage, NoKey, Peek = (getattr(R, pre + n) for n in ('Stage', 'Unstage', 'UnstageNoKey', 'Peek'))
    Size, Inc, Clear = (getattr(R, pre + n) for n in ('Size', 'IncompleteSize', 'Clear'))

    def build(b, Stage=Stage, Unstage=Unstage, NoKey=NoKey, Peek=Peek, Size=Size, Inc=Inc, Clear=Clear):
        D = [f32, st]
        k = b.placeholder('k', i64, [])
        x = b.placeholder('x', f32, [2])
        s = b.placeholder('s', st, [])
        whole = Stage(key=k, indices=C([0, 1]), values=[x, s], dtypes=D, shared_name='m')
        first = Stage(key=k, indices=C([0]), values=[x], dtypes=D, shared_name='m')
        second = Stage(key=k, indices=C([1]), values=[s], dtypes=D, shared_name='m')
        size, inc = Size(dtypes=D, shared_name='m'), Inc(dtypes=D, shared_name='m')
        get = Unstage(key=k, indices=C([0, 1]), dtypes=D, shared_name='m')
        part = Unstage(key=k, indices=C([1]), dtypes=D[1:], shared_name='m')
        peek = Peek(key=k, indices=C([0, 1]), dtypes=D, shared_name='m')
        peek0 = Peek(key=k, indices=C([0]), dtypes=D[:1], shared_name='m')
        any_ = NoKey(indices=C([0, 1]), dtypes=D, shared_name='m')
        clear = Clear(dtypes=D, shared_name='m')

        def F(key, *x):
            return {'k': key, 'x': list(x), 's': b'text %d' % key}

        K = lambda key: {'k': key}
        return [
            dict(target=[whole], feed=F(7, 1.0, 2.0)),
            dict(fetch=[size, inc]),
            dict(target=[first], feed=F(3, 3.0, 4.0)),
            dict(fetch=[size, inc]),
            dict(target=[first], feed=F(3, 3.0, 4.0)),
            dict(target=[second], feed=F(3, 5.0, 6.0)),
            dict(fetch=[size, inc]),
            dict(fetch=peek, feed=K(3)),
            dict(fetch=[size]),
            dict(fetch=get, feed=K(3)),
            dict(fetch=[size]),
            dict(target=[whole], feed=F(7, 8.0, 9.0)),
            dict(fetch=[size]),
            dict(fetch=peek, feed=K(7)),
            dict(fetch=part, feed=K(7)),
            dict(fetch=[size]),
            dict(fetch=part, feed=K(7)),
            dict(fetch=peek0, feed=K(7)),
            dict(fetch=peek, feed=K(7)),
            dict(target=[clear]),
            dict(fetch=[size, inc]),
            dict(target=[whole], feed=F(5, 1.0, 1.0)),
            dict(fetch=[any_.key] + any_.values),
            dict(fetch=[size]),
        ]

    CASES.append((pre + 'Stage/parts_and_wholes', build, 'close', ''))

    def bad(b, Stage=Stage, Unstage=Unstage, Peek=Peek, Size=Size):
        D = [f32, f32]
        k = b.placeholder('k', i64, None)
        i = b.placeholder('i', i32, [2])
        put = Stage(key=k, indices=i, values=[C(1.0), C(2.0)], dtypes=D, shared_name='m')
        one = Stage(key=k, indices=C([5]), values=[C(1.0)], dtypes=D, shared_name='m')
        get = Unstage(key=k, indices=i, dtypes=D, shared_name='m')
        size = Size(dtypes=D, shared_name='m')
        return [
            dict(target=[put], feed={'k': 1, 'i': [1, 0]}),
            dict(target=[one], feed={'k': 1}),
            dict(target=[put], feed={'k': [1, 2], 'i': [0, 1]}),
            dict(target=[put], feed={'k': [], 'i': [0, 1]}),
            dict(fetch=[size]),
            dict(target=[put], feed={'k': [4], 'i': [0, 1]}),
            dict(fetch=[size]),
            dict(fetch=get, feed={'k': 4, 'i': [0, 5]}),
            dict(fetch=get, feed={'k': 4, 'i': [1, 0]}),
        ]

    CASES.append((pre + 'Stage/refusals', bad, 'close', ''))


@case('OrderedMapUnstageNoKey/smallest_key_first')
def _(b):
    k = b.placeholder('k', i64, [])
    put = R.OrderedMapStage(key=k, indices=C([0]), values=[tf.cast(k, f32)], dtypes=[f32], shared_name='m')
    get = R.OrderedMapUnstageNoKey(indices=C([0]), dtypes=[f32], shared_name='m')
    return [dict(target=[put], feed={'k': n}) for n in (5, -2, 9, 0)] + [dict(fetch=[get.key] + get.values)] * 4


# ---- accumulators
@case('SparseConditionalAccumulator/mean_by_row')
def _(b):
    h = R.SparseConditionalAccumulator(dtype=f32, shape=[4, 2], shared_name='a')
    idx, val = b.placeholder('idx', i64, [None]), b.placeholder('val', f32, [None, 2])
    step = b.placeholder('step', i64, [])
    put = R.SparseAccumulatorApplyGradient(
        handle=h,
        local_step=step,
        gradient_indices=idx,
        gradient_values=val,
        gradient_shape=C([4, 2], i64),
        has_known_shape=True,
    )
    n = R.AccumulatorNumAccumulated(handle=h)
    take = R.SparseAccumulatorTakeGradient(handle=h, num_required=C(1), dtype=f32)
    F = lambda i, v, s=0: {'idx': np.array(i, np.int64), 'val': np.array(v, np.float32).reshape(len(i), -1), 'step': s}
    return [
        dict(target=[put], feed=F([0, 2], [[1, 2], [3, 4]])),
        dict(target=[put], feed=F([2, 3], [[10, 20], [30, 40]])),
        dict(fetch=[n]),
        dict(target=[put], feed=F([1], [[7, 7]])),
        dict(fetch=list(take)),
        dict(fetch=[n]),
        dict(target=[put], feed=F([1], [[7, 7]], 0)),
        dict(fetch=[n]),
        dict(target=[put], feed=F([3, 1, 1], [[1, 1], [2, 2], [3, 3]], 1)),
        dict(fetch=list(take)),
        dict(target=[put], feed=F([3, 1], [[1, 1], [2, 2]], 2)),
        dict(target=[put], feed=F([1, 3], [[5, 5], [6, 6]], 2)),
        dict(fetch=list(take)),
        dict(target=[put], feed=F([4], [[1, 1]], 3)),
        dict(target=[put], feed=F([1, 2], [[1, 1]], 3)),
        dict(fetch=[n]),
    ]


@case('SparseConditionalAccumulator/sum_unknown_shape')
def _(b):
    h = R.SparseConditionalAccumulator(
        dtype=tf.float64, shape=tf.TensorShape(None), reduction_type='SUM', shared_name='a'
    )
    idx, val = b.placeholder('idx', i64, None), b.placeholder('val', tf.float64, None)
    put = R.SparseAccumulatorApplyGradient(
        handle=h,
        local_step=C(0, i64),
        gradient_indices=idx,
        gradient_values=val,
        gradient_shape=C([], i64),
        has_known_shape=False,
    )
    n = R.AccumulatorNumAccumulated(handle=h)
    take = R.SparseAccumulatorTakeGradient(handle=h, num_required=C(1), dtype=tf.float64)
    F = lambda i, v: {'idx': np.array(i, np.int64), 'val': np.array(v, np.float64)}
    return [
        dict(target=[put], feed=F([0, 2], [1.0, 2.0])),
        dict(target=[put], feed=F([2, 5], [[1.0, 2.0], [3.0, 4.0]])),
        dict(target=[put], feed=F([2, 5], [10.0, 20.0])),
        dict(fetch=[n]),
        dict(target=[put], feed=F([[2, 5]], [10.0, 20.0])),
        dict(target=[put], feed=F([2], 10.0)),
        dict(fetch=list(take)),
        dict(fetch=[n]),
    ]


@case('SparseConditionalAccumulator/shape_mismatch')
def _(b):
    h = R.SparseConditionalAccumulator(dtype=f32, shape=[4, 2], shared_name='a')
    shape = b.placeholder('shape', i64, None)
    val = b.placeholder('val', f32, None)
    put = R.SparseAccumulatorApplyGradient(
        handle=h,
        local_step=C(0, i64),
        gradient_indices=C([0], i64),
        gradient_values=val,
        gradient_shape=shape,
        has_known_shape=True,
    )
    n = R.AccumulatorNumAccumulated(handle=h)
    return [
        dict(target=[put], feed={'shape': [4], 'val': [[1.0, 2.0]]}),
        dict(target=[put], feed={'shape': [4, 3], 'val': [[1.0, 2.0]]}),
        dict(target=[put], feed={'shape': [4, 2], 'val': [[1.0, 2.0, 3.0]]}),
        dict(target=[put], feed={'shape': [4, 2], 'val': [1.0]}),
        dict(fetch=[n]),
        dict(target=[put], feed={'shape': [4, 2, 9], 'val': [[1.0, 2.0]]}),
        dict(fetch=[n]),
    ]


@case('ConditionalAccumulator/refusals')
def _(b):
    h = R.ConditionalAccumulator(dtype=f32, shape=[2, None], shared_name='a')
    g = b.placeholder('g', f32, None)
    step = b.placeholder('step', i64, None)
    req = b.placeholder('req', i32, None)
    put = R.AccumulatorApplyGradient(handle=h, local_step=step, gradient=g)
    n = R.AccumulatorNumAccumulated(handle=h)
    take = R.AccumulatorTakeGradient(handle=h, num_required=req, dtype=f32)
    setstep = R.AccumulatorSetGlobalStep(handle=h, new_global_step=step)
    F = lambda g, s=0: {'g': np.array(g, np.float32), 'step': s}
    return [
        dict(target=[put], feed=F([1.0, 2.0])),
        dict(target=[put], feed=F([[1.0], [2.0]])),
        dict(target=[put], feed=F([[1.0, 1.0], [2.0, 2.0]])),
        dict(fetch=[n]),
        dict(fetch=[take], feed={'req': 0}),
        dict(fetch=[take], feed={'req': -1}),
        dict(fetch=[take], feed={'req': 1}),
        dict(target=[put], feed=F([1.0, 2.0], 0)),
        dict(target=[setstep], feed={'step': 0}),
        dict(target=[put], feed=F([[1.0], [2.0]], 0)),
        dict(fetch=[n]),
    ]


@case('ResourceConditionalAccumulator/mean_float32')
def _(b):
    h = R.ResourceConditionalAccumulator(dtype=f32, shape=[2], shared_name='a')
    g = b.placeholder('g', f32, [2])
    put = R.ResourceAccumulatorApplyGradient(handle=h, local_step=C(0, i64), gradient=g)
    n = R.ResourceAccumulatorNumAccumulated(handle=h)
    take = R.ResourceAccumulatorTakeGradient(handle=h, num_required=C(2), dtype=f32)
    step = R.ResourceAccumulatorSetGlobalStep(handle=h, new_global_step=C(0, i64))
    return [
        dict(target=[put], feed={'g': [1.0, 2.0]}),
        dict(target=[put], feed={'g': [3.0, 5.0]}),
        dict(fetch=[n]),
        dict(fetch=[take]),
        dict(fetch=[n]),
        dict(target=[put], feed={'g': [3.0, 5.0]}),
        dict(fetch=[n]),
        dict(target=[step]),
        dict(target=[put], feed={'g': [3.0, 5.0]}),
        dict(fetch=[n]),
    ]


@case('ConditionalAccumulator/no_kernel_for_int32')
def _(b):
    h = R.ConditionalAccumulator(dtype=i32, shape=[2])
    return [dict(fetch=[R.AccumulatorNumAccumulated(handle=h)])]


@case('ConditionalAccumulator/shared_other_shape')
def _(b):
    h = R.ConditionalAccumulator(dtype=f32, shape=[2], shared_name='a')
    g = R.ConditionalAccumulator(dtype=f32, shape=[3], shared_name='a')
    k = R.ConditionalAccumulator(dtype=tf.float64, shape=[2], shared_name='a')
    s = R.SparseConditionalAccumulator(dtype=f32, shape=[2], shared_name='a')
    return [dict(fetch=[R.AccumulatorNumAccumulated(handle=x)]) for x in (h, g, k, s)]


@case('ConditionalAccumulator/mean_float16')
def _(b):
    h = R.ConditionalAccumulator(dtype=tf.float16, shape=[3], shared_name='a')
    g = b.placeholder('g', tf.float16, [3])
    put = R.AccumulatorApplyGradient(handle=h, local_step=C(0, i64), gradient=g)
    take = R.AccumulatorTakeGradient(handle=h, num_required=C(3), dtype=tf.float16)
    return [
        dict(target=[put], feed={'g': np.array(v, np.float16)}) for v in ([1, 2, 2049], [0.1, 3, 3], [7, 1e-3, 1])
    ] + [dict(fetch=[take])]


# ---- barriers
def barrier(types=(f32,), shapes=((),), **kw):
    return R.Barrier(component_types=list(types), shapes=[list(s) for s in shapes], **kw)


@case('Barrier/closed_with_incomplete')
def _(b):
    h = barrier((f32, i32), ((), ()), shared_name='b')
    k, v, w = b.placeholder('k', st, [None]), b.placeholder('v', f32, [None]), b.placeholder('w', i32, [None])
    put0 = R.BarrierInsertMany(handle=h, keys=k, values=v, component_index=0)
    put1 = R.BarrierInsertMany(handle=h, keys=k, values=w, component_index=1)
    ready, inc = R.BarrierReadySize(handle=h), R.BarrierIncompleteSize(handle=h)
    take = R.BarrierTakeMany(handle=h, num_elements=C(3), component_types=[f32, i32], allow_small_batch=True)
    out = [take.indices, take.keys] + take.values
    close = R.BarrierClose(handle=h)
    cancel = R.BarrierClose(handle=h, cancel_pending_enqueues=True)
    A = {'k': [b'a', b'b'], 'v': [1.0, 2.0]}
    return [
        dict(target=[put0], feed=A),
        dict(target=[put0], feed=A),
        dict(target=[put0], feed={'k': [b'c', b'a'], 'v': [1.0, 2.0]}),
        dict(fetch=[ready, inc]),
        dict(target=[close]),
        dict(fetch=out),
        dict(target=[put1], feed={'k': [b'z'], 'w': [1]}),
        dict(target=[put1], feed={'k': [b'b'], 'w': [1]}),
        dict(fetch=[ready, inc]),
        dict(fetch=out),
        dict(fetch=out),
        dict(target=[cancel]),
        dict(fetch=[ready, inc]),
        dict(target=[put1], feed={'k': [b'a'], 'w': [1]}),
        dict(target=[cancel]),
    ]


@case('Barrier/duplicate_key_in_one_insert')
def _(b):
    h = barrier((f32, i32), ((), ()), shared_name='b')
    put = R.BarrierInsertMany(handle=h, keys=C([b'p', b'q', b'p']), values=C([1.0, 2.0, 3.0]), component_index=0)
    return [dict(target=[put]), dict(fetch=[R.BarrierReadySize(handle=h)])]


@case('Barrier/refusals')
def _(b):
    h = barrier((f32,), ((2,),), shared_name='b')
    k, v = b.placeholder('k', st, None), b.placeholder('v', f32, None)
    put = R.BarrierInsertMany(handle=h, keys=k, values=v, component_index=0)
    out_of = R.BarrierInsertMany(handle=h, keys=k, values=v, component_index=1)
    other = R.BarrierInsertMany(handle=h, keys=C([b'k']), values=C([[1, 2]]), component_index=0)
    n = b.placeholder('n', i32, None)
    take = R.BarrierTakeMany(handle=h, num_elements=n, component_types=[i32])
    ready = R.BarrierReadySize(handle=h)
    timeout = R.BarrierTakeMany(handle=h, num_elements=C(0), component_types=[f32], timeout_ms=5)
    return [
        dict(target=[put], feed={'k': [b'a'], 'v': [[1.0, 2.0, 3.0]]}),
        dict(target=[put], feed={'k': [b'a'], 'v': [1.0, 2.0]}),
        dict(target=[put], feed={'k': [[b'a']], 'v': [[1.0, 2.0]]}),
        dict(target=[out_of], feed={'k': [b'a'], 'v': [[1.0, 2.0]]}),
        dict(target=[other]),
        dict(fetch=[take.keys], feed={'n': 0}),
        dict(fetch=[timeout.keys]),
        dict(fetch=[ready]),
    ]


for n, kw in (
    ('capacity', dict(shapes=((),), capacity=5)),
    ('shapes_missing', dict(shapes=())),
    ('shape_unknown', dict(shapes=((None,),))),
    ('no_elements', dict(shapes=((0,),))),
):
    CASES.append(
        ('Barrier/bad_' + n, (lambda b, kw=kw: [dict(fetch=[R.BarrierReadySize(handle=barrier(**kw))])]), 'close', '')
    )


@case('Barrier/shared_other_types')
def _(b):
    x, y, z = barrier(shared_name='b'), barrier((i32,), shared_name='b'), barrier(shapes=((2,),), shared_name='b')
    return [dict(fetch=[R.BarrierReadySize(handle=h)]) for h in (x, y, z)]


@case('Barrier/strings')
def _(b):
    h = barrier((st,), ((2,),), shared_name='b')
    put = R.BarrierInsertMany(handle=h, keys=C([b'a', b'b']), values=C([[b'u', b'v'], [b'w', b'x']]), component_index=0)
    take = R.BarrierTakeMany(handle=h, num_elements=C(2), component_types=[st])
    return [dict(target=[put]), dict(fetch=[take.indices, take.keys] + take.values)]


# ---- mutexes
@case('MutexLock/lock_and_consume')
def _(b):
    m = R.MutexV2(shared_name='m')
    lock = R.MutexLock(mutex=m)
    use = R.ConsumeMutexLock(mutex_lock=lock)
    with tf.control_dependencies([use]):
        lock2 = R.MutexLock(mutex=m)
    use2 = R.ConsumeMutexLock(mutex_lock=lock2)
    bad = R.ConsumeMutexLock(
        mutex_lock=R.EmptyTensorList(element_shape=C([], i32), max_num_elements=C(-1), element_dtype=f32)
    )
    twice = R.ConsumeMutexLock(mutex_lock=tf.identity(lock))
    return [
        dict(target=[use]),
        dict(target=[use2]),
        dict(target=[use]),
        dict(target=[bad]),
        dict(target=[twice]),
        dict(target=[use]),
    ]


# ---- dense tables
def dense(b=None, empty=-1, deleted=-2, kd=i64, vd=i64, **kw):
    return R.MutableDenseHashTableV2(empty_key=C(empty, kd), deleted_key=C(deleted, kd), value_dtype=vd, **kw)


@case('MutableDenseHashTableV2/buckets_exported')
def _(b):
    t = dense(initial_num_buckets=4, shared_name='t')
    k = b.placeholder('k', i64, [None])
    put = R.LookupTableInsertV2(table_handle=t, keys=k, values=k * 10)
    rem = R.LookupTableRemoveV2(table_handle=t, keys=k)
    size = R.LookupTableSizeV2(table_handle=t)
    out = R.LookupTableExportV2(table_handle=t, Tkeys=i64, Tvalues=i64)
    imp = R.LookupTableImportV2(table_handle=t, keys=C([-1, 9, -2, 3], i64), values=C([0, 90, 0, 30], i64))
    find = R.LookupTableFindV2(table_handle=t, keys=k, default_value=C(7, i64))
    K = lambda *k: {'k': list(k)}
    return [
        dict(target=[put], feed=K(4, 8)),
        dict(fetch=[out.keys]),
        dict(target=[put], feed=K(12, 1)),
        dict(fetch=[out.keys, size]),
        dict(target=[rem], feed=K(8)),
        dict(fetch=[out.keys, size]),
        dict(target=[put], feed=K(16, 5)),
        dict(fetch=[out.keys, size]),
        dict(target=[imp]),
        dict(fetch=[size]),
        dict(fetch=[find], feed=K(9, 3, 4)),
        dict(fetch=[out.keys]),
        dict(target=[put], feed=K(-1)),
        dict(target=[put], feed=K(-2)),
        dict(fetch=[find], feed=K(-2)),
        dict(target=[rem], feed=K(-1)),
    ]


@case('MutableDenseHashTableV2/vector_keys')
def _(b):
    t = R.MutableDenseHashTableV2(
        empty_key=C([0, 0], i64),
        deleted_key=C([-1, -1], i64),
        value_dtype=f32,
        value_shape=[2],
        initial_num_buckets=8,
        shared_name='t',
    )
    k = b.placeholder('k', i64, None)
    v = b.placeholder('v', f32, None)
    put = R.LookupTableInsertV2(table_handle=t, keys=k, values=v)
    find = R.LookupTableFindV2(table_handle=t, keys=k, default_value=C([-1.0, -2.0]))
    out = R.LookupTableExportV2(table_handle=t, Tkeys=i64, Tvalues=f32)
    return [
        dict(target=[put], feed={'k': [[1, 2], [3, 4], [2, 1]], 'v': [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]}),
        dict(fetch=[find], feed={'k': [[2, 1], [9, 9], [1, 2]]}),
        dict(fetch=[out.keys]),
        dict(fetch=[find], feed={'k': [1, 2]}),
        dict(fetch=[find], feed={'k': [1, 2, 3]}),
        dict(target=[put], feed={'k': [[1, 2]], 'v': [1.0, 2.0]}),
        dict(fetch=[find], feed={'k': [[0, 0]]}),
        dict(fetch=[find], feed={'k': [[[1, 2], [3, 4]]]}),
    ]


@case('MutableDenseHashTableV2/text_keys')
def _(b):
    t = dense(empty=b'', deleted=b'-', kd=st, initial_num_buckets=8, shared_name='t')
    k = b.placeholder('k', st, None)
    put = R.LookupTableInsertV2(table_handle=t, keys=k, values=C([1, 2, 3, 4], i64))
    find = R.LookupTableFindV2(table_handle=t, keys=k, default_value=C(-7, i64))
    out = R.LookupTableExportV2(table_handle=t, Tkeys=st, Tvalues=i64)
    return [
        dict(target=[put], feed={'k': [b'alpha', b'beta', b'a key that is longer than others', b'd']}),
        dict(fetch=[find], feed={'k': [[b'beta', b'x'], [b'd', b'alpha']]}),
        dict(fetch=[out.keys]),
    ]


for n, kw in (
    ('load_factor_1', dict(max_load_factor=1.0)),
    ('load_factor_0', dict(max_load_factor=0.0)),
    ('buckets_3', dict(initial_num_buckets=3)),
    ('buckets_2', dict(initial_num_buckets=2)),
    ('keys_equal', dict(empty=5, deleted=5)),
    ('deleted_shape', dict(deleted=[1])),
    ('value_shape_unknown', dict(value_shape=[None])),
    ('types', dict(kd=f32)),
    ('types2', dict(kd=i32, vd=st)),
    ('types3', dict(kd=i32)),
):
    CASES.append(
        (
            'MutableDenseHashTableV2/bad_' + n,
            (lambda b, kw=kw: [dict(fetch=[R.LookupTableSizeV2(table_handle=dense(**kw))])]),
            'close',
            '',
        )
    )


@case('MutableDenseHashTableV2/variants')
def _(b):
    t = dense(vd=tf.int32, kd=i32, initial_num_buckets=4)
    return [
        dict(fetch=[R.LookupTableFindV2(table_handle=t, keys=C([1]), default_value=C(5))]),
        dict(fetch=[R.LookupTableFindV2(table_handle=t, keys=C([1, 2]), default_value=C([5, 6]))]),
        dict(fetch=[R.LookupTableFindV2(table_handle=t, keys=C([1, 2]), default_value=C([5]))]),
    ]


@case('AnonymousMutableDenseHashTable/once')
def _(b):
    t = R.AnonymousMutableDenseHashTable(
        empty_key=C(0, i64), deleted_key=C(-1, i64), value_dtype=f32, initial_num_buckets=4
    )
    put = R.LookupTableInsertV2(table_handle=t, keys=C([1, 2], i64), values=C([1.0, 2.0]))
    with tf.control_dependencies([put]):
        size = R.LookupTableSizeV2(table_handle=t)
        find = R.LookupTableFindV2(table_handle=t, keys=C([2, 3], i64), default_value=C(-1.0))
    return [dict(fetch=[size, find]), dict(fetch=[R.LookupTableSizeV2(table_handle=t)])]


@case('AnonymousMutableHashTable/once')
def _(b):
    t = R.AnonymousMutableHashTable(key_dtype=st, value_dtype=f32)
    u = R.AnonymousMutableHashTableOfTensors(key_dtype=i64, value_dtype=f32, value_shape=[2])
    put = R.LookupTableInsertV2(table_handle=t, keys=C([b'1', b'2']), values=C([1.0, 2.0]))
    putu = R.LookupTableInsertV2(table_handle=u, keys=C([1, 2], i64), values=C([[1.0, 2.0], [3.0, 4.0]]))
    with tf.control_dependencies([put, putu]):
        find = R.LookupTableFindV2(table_handle=t, keys=C([b'2', b'3']), default_value=C(-1.0))
        findu = R.LookupTableFindV2(table_handle=u, keys=C([2, 3], i64), default_value=C([-1.0, 0.0]))
    return [dict(fetch=[find, findu]), dict(fetch=[R.LookupTableSizeV2(table_handle=t)])]


# ---- random shuffle queue
for name, s1, s2, n in (
    ('seeds_1_2', 1, 2, 20),
    ('seed_7', 7, 0, 10),
    ('seed2_only', 0, 5, 10),
    ('negative', -3, -4, 10),
):

    def build(b, s1=s1, s2=s2, n=n):
        q = R.RandomShuffleQueueV2(component_types=[i32], shapes=[[]], seed=s1, seed2=s2, shared_name='q')
        put = R.QueueEnqueueManyV2(handle=q, components=[tf.range(n)])
        get = R.QueueDequeueManyV2(handle=q, n=C(n // 2), component_types=[i32])
        one = R.QueueDequeueV2(handle=q, component_types=[i32])
        return [
            dict(target=[put]),
            dict(fetch=get),
            dict(fetch=one),
            dict(target=[put]),
            dict(fetch=get),
            dict(fetch=one),
            dict(fetch=one),
        ]

    CASES.append(('RandomShuffleQueueV2/order_' + name, build, 'exact', ''))


@case('RandomShuffleQueueV2/order_with_minimum', 'exact')
def _(b):
    q = R.RandomShuffleQueueV2(
        component_types=[i32, st], shapes=[[], []], seed=11, seed2=12, min_after_dequeue=3, shared_name='q'
    )
    put = R.QueueEnqueueManyV2(handle=q, components=[tf.range(9), tf.as_string(tf.range(9))])
    get = R.QueueDequeueUpToV2(handle=q, n=C(4), component_types=[i32, st])
    close = R.QueueCloseV2(handle=q)
    return [
        dict(target=[put]),
        dict(fetch=get),
        dict(target=[close]),
        dict(fetch=get),
        dict(fetch=get),
        dict(fetch=get),
    ]


@case('PriorityQueueV2/ties')
def _(b):
    q = R.PriorityQueueV2(component_types=[i32], shapes=[[]], shared_name='q')
    put = R.QueueEnqueueManyV2(handle=q, components=[C([3, 1, 3, 1, 2, 3, 1, 1], i64), tf.range(8)])
    get = R.QueueDequeueManyV2(handle=q, n=C(8), component_types=[i64, i32])
    return [dict(target=[put]), dict(fetch=get)]


# ---- the older forms
@case('FIFOQueue/by_reference')
def _(b):
    q = R.FIFOQueue(component_types=[f32], shapes=[[]], capacity=4)
    x = b.placeholder('x', f32, [])
    put, many = R.QueueEnqueue(handle=q, components=[x]), R.QueueEnqueueMany(handle=q, components=[C([5.0, 6.0])])
    get, size = R.QueueDequeue(handle=q, component_types=[f32]), R.QueueSize(handle=q)
    gets = R.QueueDequeueMany(handle=q, n=C(2), component_types=[f32])
    upto = R.QueueDequeueUpTo(handle=q, n=C(3), component_types=[f32])
    close, closed = R.QueueClose(handle=q), R.QueueIsClosed(handle=q)
    return [
        dict(target=[put], feed={'x': 1.0}),
        dict(target=[many]),
        dict(fetch=[size]),
        dict(fetch=get),
        dict(fetch=gets),
        dict(target=[many]),
        dict(fetch=[closed]),
        dict(target=[close]),
        dict(fetch=[closed]),
        dict(fetch=upto),
        dict(fetch=get),
        dict(target=[put], feed={'x': 1.0}),
    ]


@case('FakeQueue/of_a_resource')
def _(b):
    q = R.FIFOQueueV2(component_types=[f32], shapes=[[]], shared_name='q')
    h = R.FakeQueue(resource=q)
    put = R.QueueEnqueue(handle=h, components=[C(4.0)])
    return [
        dict(target=[put]),
        dict(fetch=R.QueueDequeueV2(handle=q, component_types=[f32])),
        dict(fetch=[R.QueueSize(handle=h)]),
    ]


@case('PriorityQueue/by_reference')
def _(b):
    q = R.PriorityQueue(component_types=[f32], shapes=[[]])
    put = R.QueueEnqueueMany(handle=q, components=[C([4, 2], i64), C([1.0, 2.0])])
    return [dict(target=[put]), dict(fetch=R.QueueDequeue(handle=q, component_types=[i64, f32]))]


@case('RandomShuffleQueue/by_reference')
def _(b):
    q = R.RandomShuffleQueue(component_types=[i32], shapes=[[]], seed=3, seed2=4)
    p = R.PaddingFIFOQueue(component_types=[i32], shapes=[[None]])
    put, get = R.QueueEnqueueMany(handle=q, components=[tf.range(6)]), R.QueueDequeueMany(
        handle=q, n=C(6), component_types=[i32]
    )
    pput, pget = R.QueueEnqueue(handle=p, components=[b.placeholder('x', i32, [None])]), R.QueueDequeueMany(
        handle=p, n=C(2), component_types=[i32]
    )
    return [
        dict(target=[put]),
        dict(fetch=get),
        dict(target=[pput], feed={'x': [1, 2]}),
        dict(target=[pput], feed={'x': [3]}),
        dict(fetch=pget),
    ]


@case('HashTable/by_reference')
def _(b):
    t = R.HashTable(key_dtype=st, value_dtype=i64, shared_name='t')
    init = R.InitializeTable(table_handle=t, keys=C([b'a', b'b']), values=C([1, 2], i64))
    find = R.LookupTableFind(table_handle=t, keys=b.placeholder('k', st, [None]), default_value=C(-1, i64))
    size, out = R.LookupTableSize(table_handle=t), R.LookupTableExport(table_handle=t, Tkeys=st, Tvalues=i64)
    put = R.LookupTableInsert(table_handle=t, keys=C([b'a']), values=C([1], i64))
    other = R.HashTable(key_dtype=st, value_dtype=f32, shared_name='t')
    return [
        dict(fetch=[find], feed={'k': [b'a']}),
        dict(target=[init]),
        dict(fetch=[find, size], feed={'k': [b'b', b'z']}),
        dict(target=[put]),
        dict(fetch=[R.LookupTableSize(table_handle=other)]),
        dict(fetch=[t]),
    ]


@case('MutableHashTable/by_reference')
def _(b):
    t = R.MutableHashTable(key_dtype=i64, value_dtype=f32)
    u = R.MutableHashTableOfTensors(key_dtype=i64, value_dtype=f32, value_shape=[2])
    put, imp = R.LookupTableInsert(table_handle=t, keys=C([1, 2], i64), values=C([1.0, 2.0])), R.LookupTableImport(
        table_handle=t, keys=C([5], i64), values=C([50.0])
    )
    find, size = R.LookupTableFind(table_handle=t, keys=C([[2, 5]], i64), default_value=C(-1.0)), R.LookupTableSize(
        table_handle=t
    )
    putu, findu = R.LookupTableInsert(table_handle=u, keys=C([1], i64), values=C([[1.0, 2.0]])), R.LookupTableFind(
        table_handle=u, keys=C([1, 2], i64), default_value=C([0.0, 0.0])
    )
    return [
        dict(target=[put]),
        dict(fetch=[find, size]),
        dict(target=[imp]),
        dict(fetch=[find, size]),
        dict(target=[putu]),
        dict(fetch=[findu]),
    ]


@case('Stack/by_reference')
def _(b):
    s = R.Stack(elem_type=f32)
    push = R.StackPush(handle=s, elem=C([1.0, 2.0]))
    with tf.control_dependencies([push]):
        push2 = R.StackPush(handle=s, elem=C([3.0]))
    with tf.control_dependencies([push2]):
        pop = R.StackPop(handle=s, elem_type=f32)
    with tf.control_dependencies([pop]):
        pop2 = R.StackPop(handle=s, elem_type=f32)
    with tf.control_dependencies([pop2]):
        pop3 = R.StackPop(handle=s, elem_type=f32)
        close = R.StackClose(handle=s)
    with tf.control_dependencies([close]):
        late = R.StackPop(handle=s, elem_type=f32)
    wrong = R.StackPush(handle=s, elem=C([3]))
    return [
        dict(fetch=[push, pop, pop2]),
        dict(fetch=[pop3]),
        dict(fetch=[late]),
        dict(target=[close]),
        dict(fetch=[wrong]),
    ]


# ---- printing
@case('Print/first_n_and_data')
def _(b):
    x = b.placeholder('x', f32, [2])
    return [
        dict(fetch=[R.Print(input=x, data=[C([1, 2, 3, 4])], message='m: ', first_n=0)], feed={'x': [1.0, 2.0]}),
        dict(fetch=[R.Print(input=x, data=[], first_n=0)], feed={'x': [1.0, 2.0]}),
    ]


@case('PrintV2/no_scalar')
def _(b):
    return [
        dict(
            target=[R.PrintV2(input=b.placeholder('s', st, None), output_stream='log(error)')], feed={'s': [b'a', b'b']}
        )
    ]


for n, f in (
    ('a', lambda put, take, ss: [dict(target=[put], feed={'g': [1.0], 'step': [0]})]),
    ('c', lambda put, take, ss: [dict(target=[ss], feed={'step': [1]})]),
):

    def build(b, f=f):
        h = R.ConditionalAccumulator(dtype=f32, shape=[1], shared_name='a')
        g, step, req = b.placeholder('g', f32, None), b.placeholder('step', i64, None), b.placeholder('req', i32, None)
        return f(
            R.AccumulatorApplyGradient(handle=h, local_step=step, gradient=g),
            R.AccumulatorTakeGradient(handle=h, num_required=req, dtype=f32),
            R.AccumulatorSetGlobalStep(handle=h, new_global_step=step),
        )

    CASES.append(('ConditionalAccumulator/no_scalar_' + n, build, 'close', ''))


@case('MapStage/memory_limit')
def _(b):
    x = b.placeholder('x', f32, [None])
    put = R.MapStage(key=C(1, i64), indices=C([0]), values=[x], dtypes=[f32], shared_name='n', memory_limit=8)
    put2 = R.MapStage(key=C(2, i64), indices=C([0]), values=[x], dtypes=[f32, f32], shared_name='k', memory_limit=8)
    size = R.MapSize(dtypes=[f32], shared_name='n', memory_limit=8)
    return [
        dict(target=[put], feed={'x': [1.0] * 100}),
        dict(fetch=[size]),
        dict(target=[put2], feed={'x': [1.0] * 100}),
        dict(fetch=[size]),
    ]


for n, f in (
    ('zero', lambda put, out, sout, close: [dict(target=[put]), dict(fetch=out, feed={'n': 0})]),
    (
        'zero_closed',
        lambda put, out, sout, close: [dict(target=[put]), dict(target=[close]), dict(fetch=out, feed={'n': 0})],
    ),
    ('zero_closed_empty', lambda put, out, sout, close: [dict(target=[close]), dict(fetch=out, feed={'n': 0})]),
    ('no_scalar', lambda put, out, sout, close: [dict(target=[put]), dict(fetch=out, feed={'n': [1]})]),
):

    def build(b, f=f):
        h = barrier(shared_name='b')
        put = R.BarrierInsertMany(handle=h, keys=C([b'a', b'b']), values=C([1.0, 2.0]), component_index=0)
        n = b.placeholder('n', i32, None)
        take = R.BarrierTakeMany(handle=h, num_elements=n, component_types=[f32])
        small = R.BarrierTakeMany(handle=h, num_elements=n, component_types=[f32], allow_small_batch=True)
        return f(
            put,
            [take.indices, take.keys] + take.values,
            [small.indices, small.keys] + small.values,
            R.BarrierClose(handle=h),
        )

    CASES.append(('BarrierTakeMany/' + n, build, 'close', ''))


@case('BarrierTakeMany/wait_for_incomplete_is_not_read')
def _(b):
    h = barrier((f32, i32), ((), ()), shared_name='b')
    put = R.BarrierInsertMany(handle=h, keys=C([b'a']), values=C([1.0]), component_index=0)
    take = R.BarrierTakeMany(
        handle=h, num_elements=C(1), component_types=[f32, i32], allow_small_batch=True, wait_for_incomplete=True
    )
    return [dict(target=[put]), dict(target=[R.BarrierClose(handle=h)]), dict(fetch=[take.keys])]


for n, keys, vals in (('ok', [[-1], [9], [-2], [3]], [[0], [90], [0], [30]]), ('misshaped', [1, 2], [10, 20])):

    def build(b, keys=keys, vals=vals):
        t = dense(initial_num_buckets=4, shared_name='t')
        out = R.LookupTableExportV2(table_handle=t, Tkeys=i64, Tvalues=i64)
        imp = R.LookupTableImportV2(
            table_handle=t, keys=b.placeholder('kk', i64, None), values=b.placeholder('vv', i64, None)
        )
        return [
            dict(target=[imp], feed={'kk': keys, 'vv': vals}),
            dict(fetch=[R.LookupTableSizeV2(table_handle=t)]),
            dict(fetch=[out.keys, out.values]),
            dict(fetch=[R.LookupTableFindV2(table_handle=t, keys=C([3, 5, 9, 1], i64), default_value=C(-7, i64))]),
        ]

    CASES.append(('MutableDenseHashTableV2/import_' + n, build, 'close', ''))


def one(steps):
    def build(b):
        h = barrier(shared_name='b')
        k, v = b.placeholder('k', st, [None]), b.placeholder('v', f32, [None])
        put = R.BarrierInsertMany(handle=h, keys=k, values=v, component_index=0)
        n = b.placeholder('n', i32, [])
        take = R.BarrierTakeMany(handle=h, num_elements=n, component_types=[f32])
        small = R.BarrierTakeMany(handle=h, num_elements=n, component_types=[f32], allow_small_batch=True)
        F = {'k': [b'c', b'a', b'b', b'e', b'd'], 'v': [1.0, 2.0, 3.0, 4.0, 5.0]}
        return steps(
            dict(target=[put], feed=F),
            lambda n: dict(fetch=[take.indices, take.keys] + take.values, feed={'n': n}),
            lambda n: dict(fetch=[small.indices, small.keys] + small.values, feed={'n': n}),
            dict(target=[R.BarrierClose(handle=h)]),
            dict(target=[R.BarrierClose(handle=h, cancel_pending_enqueues=True)]),
            lambda k: dict(target=[put], feed={'k': k, 'v': [9.0] * len(k)}),
            dict(fetch=[R.BarrierReadySize(handle=h)]),
        )

    return build


CASES.append(
    (
        'Barrier/same_key_twice',
        one(
            lambda fill, out, small, close, cancel, put, ready: [
                put([b'a']),
                put([b'a']),
                ready,
                out(2),
                put([b'x', b'x']),
                ready,
            ]
        ),
        'close',
        '',
    )
)
CASES.append(
    (
        'Barrier/no_keys',
        one(lambda fill, out, small, close, cancel, put, ready: [put([]), ready, close, put([]), put([b'a'])]),
        'close',
        '',
    )
)
CASES.append(
    (
        'Barrier/fill_take',
        one(lambda fill, out, small, close, cancel, put, ready: [fill, out(3), fill, out(7)]),
        'close',
        '',
    )
)

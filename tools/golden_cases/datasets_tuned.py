# SPDX-License-Identifier: Apache-2.0
"""Cases for tests/golden/ops/datasets_tuned.pb: statistics of datasets, thread pools, iterators of several devices."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from datasets_more import ANY, ONE, R, count, fed, i64, iterator, st, texts

D = tf.data.Dataset
f32, i32 = tf.float32, tf.int32
CASES = []


def steps(name, build):
    def all_steps(b):
        b.fed = {}
        return [dict(step, feed=step.get('feed', b.fed)) for step in build(b)]

    CASES.append((name, all_steps, 'exact'))


def rows(name, make, n=4, types=(i64,), before=()):
    """Starts an iterator over make(b), fetches n rows, and the cardinality."""

    def build(b):
        d = make(b)
        start, row, _ = iterator(d, types)
        return [dict(fetch=[R.DatasetCardinality(input_dataset=d)]), dict(target=[start])] + [dict(fetch=row)] * n

    steps(name, build)


def failing(n):
    """Numbers of which number 1 is an error."""
    d = D.range(n).map(lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x - 1, f32), 'bad'))
    return d._variant_tensor


TEXTS = dict(output_types=[st], output_shapes=[ANY])
REAL = dict(output_types=[f32], output_shapes=[ANY])

# ---- statistics that nothing collects
for op in ('LatencyStatsDataset', 'BytesProducedStatsDataset'):
    for name in (op, 'Experimental' + op):
        make = getattr(R, name)
        rows(name + '/numbers', lambda b, make=make: make(input_dataset=count(3), tag=fed(b, 't', st, 'a'), **ONE))
        rows(name + '/none', lambda b, make=make: make(input_dataset=count(0), tag='', **ONE), 1)
        rows(name + '/texts', lambda b, make=make: make(input_dataset=texts('a', 'bc'), tag='t', **TEXTS), 3, [st])
        rows(name + '/endless', lambda b, make=make: make(input_dataset=D.range(2).repeat()._variant_tensor, tag='t', **ONE), 5)
        rows(name + '/error', lambda b, make=make: make(input_dataset=failing(3), tag='t', **REAL), 4, [f32])
        rows(name + '/tag_vector', lambda b, make=make: make(input_dataset=count(3), tag=fed(b, 't', st, ['a']), **ONE), 1)


# ---- aggregators
def aggregated(name, make, n, handle='StatsAggregatorHandle', data='SetStatsAggregatorDataset',
               summary='StatsAggregatorSummary', tag='', prefix='', types=(i64,), attrs=ONE, writer=False):  # fmt: skip
    """n rows, the end among them, for TensorFlow reads ahead; the summary before and after them."""

    def build(b):
        h = getattr(R, handle)(shared_name='stats')
        d = getattr(R, data)(input_dataset=make(b), stats_aggregator=h, tag=fed(b, 'tag', st, tag),
                             counter_prefix=fed(b, 'prefix', st, prefix), **attrs)  # fmt: skip
        start, row, _ = iterator(d, types)
        s = getattr(R, summary)(iterator=h)
        first = []
        if writer:
            w = R.SummaryWriter(shared_name='w')
            first = [dict(target=[R.StatsAggregatorSetSummaryWriter(stats_aggregator=h, summary=w)])]
        return first + [dict(fetch=[s]), dict(target=[start])] + [dict(fetch=row)] * n + [dict(fetch=[s])]

    steps(name, build)


def measured(data, tag='bytes', attrs=ONE):
    return R.BytesProducedStatsDataset(input_dataset=data, tag=tag, **attrs)


X = 'Experimental'
for short in ('', X):
    names = dict(handle=short + 'StatsAggregatorHandle', data=short + 'SetStatsAggregatorDataset',
                 summary=short + 'StatsAggregatorSummary')  # fmt: skip
    label = short + 'SetStatsAggregatorDataset/'
    aggregated(label + 'numbers', lambda b: measured(count(3)), 4, **names)
    aggregated(label + 'tagged', lambda b: measured(count(3)), 4, tag='input', prefix='p', **names)
    aggregated(label + 'sizes', lambda b: measured(D.from_tensor_slices(np.zeros((3, 5), np.int64))._variant_tensor), 4, **names)
    aggregated(label + 'texts', lambda b: measured(texts('a', 'bc' * 30), 'b', TEXTS), 3, types=[st], attrs=TEXTS, **names)
    aggregated(label + 'nothing_measured', lambda b: count(3), 2, **names)
    aggregated(label + 'below_repeat', lambda b: R.RepeatDataset(input_dataset=measured(count(2)), count=2, **ONE), 5, **names)
    aggregated(label + 'tag_vector', lambda b: measured(count(3)), 1, tag=['a'], **names)
    aggregated(label + 'prefix_vector', lambda b: measured(count(3)), 1, prefix=['a'], **names)
aggregated('StatsAggregatorHandleV2/numbers', lambda b: measured(count(3)), 4, handle='StatsAggregatorHandleV2')
aggregated('StatsAggregatorHandleV2/none', lambda b: count(0), 1, handle='StatsAggregatorHandleV2')
aggregated('StatsAggregatorHandleV2/tagged', lambda b: measured(count(2)), 2, handle='StatsAggregatorHandleV2', tag='x')
for handle in ('StatsAggregatorHandle', 'StatsAggregatorHandleV2'):
    aggregated('StatsAggregatorSetSummaryWriter/no_writer_' + handle, lambda b: measured(count(2)), 3, handle, writer=True)


def wrong_handle(name, make):
    def build(b):
        h = R.ThreadPoolHandle(num_threads=1, display_name='d', shared_name='pool')
        return [dict(fetch=tf.nest.flatten(make(h))) if not isinstance(make(h), tf.Operation) else dict(target=[make(h)])]

    steps(name, build)


def missing_handle():
    return R.VarHandleOp(dtype=f32, shape=[], shared_name='none')


for short in ('', X):
    summary = getattr(R, short + 'StatsAggregatorSummary')
    wrong_handle(f'{short}StatsAggregatorSummary/pool', lambda h, s=summary: s(iterator=h))
    wrong_handle(f'{short}StatsAggregatorSummary/variable', lambda h, s=summary: s(iterator=missing_handle()))
    set_stats = getattr(R, short + 'SetStatsAggregatorDataset')
    wrong_handle(f'{short}SetStatsAggregatorDataset/pool', lambda h, s=set_stats: R.DatasetCardinality(input_dataset=s(
        input_dataset=count(1), stats_aggregator=h, tag='', counter_prefix='', **ONE)))  # fmt: skip
for i, first in enumerate((True, False)):
    wrong_handle(f'StatsAggregatorSetSummaryWriter/wrong_{i}', lambda h, first=first: R.StatsAggregatorSetSummaryWriter(
        stats_aggregator=h if first else R.StatsAggregatorHandle(shared_name='s'),
        summary=R.SummaryWriter(shared_name='w') if first else h))  # fmt: skip


def written(name, handle):
    """Events go to a file, which is closed."""

    def build(b):
        h = getattr(R, handle)(shared_name='stats')
        w = R.SummaryWriter(shared_name='w')
        make = R.CreateSummaryFileWriter(writer=w, logdir='/tmp/tenon_golden_events', max_queue=1, flush_millis=1,
                                         filename_suffix='.stats')  # fmt: skip
        link = R.StatsAggregatorSetSummaryWriter(stats_aggregator=h, summary=w)
        d = R.SetStatsAggregatorDataset(input_dataset=measured(count(3)), stats_aggregator=h, tag='t', counter_prefix='', **ONE)
        start, row, _ = iterator(d)
        return [dict(target=[make]), dict(target=[link]), dict(target=[link]), dict(target=[start])] + [dict(fetch=row)] * 4 + [
                dict(fetch=[R.StatsAggregatorSummary(iterator=h)]),
                dict(target=[R.CloseSummaryWriter(writer=w)]), dict(fetch=row)]  # fmt: skip

    steps(name, build)


for handle in ('StatsAggregatorHandle', 'StatsAggregatorHandleV2'):
    written('StatsAggregatorSetSummaryWriter/written_' + handle, handle)
    for kind in ('shared', 'own'):
        steps(f'{handle}/{kind}_name', lambda b, handle=handle, kind=kind: [dict(fetch=[R.StatsAggregatorSummary(
            iterator=getattr(R, handle)(shared_name='s' if kind == 'shared' else ''))])] * 2)  # fmt: skip
    steps(f'{handle}/container', lambda b, handle=handle: [dict(fetch=[R.StatsAggregatorSummary(
        iterator=getattr(R, handle)(shared_name='s', container='c'))])])  # fmt: skip
    steps(f'{handle}/bad_container', lambda b, handle=handle: [dict(fetch=[R.StatsAggregatorSummary(
        iterator=getattr(R, handle)(shared_name='s', container='?'))])])  # fmt: skip

# ---- thread pools
for short in ('', X):
    pool, data = getattr(R, short + 'ThreadPoolHandle'), getattr(R, short + 'ThreadPoolDataset')

    def in_pool(b, threads=2, pool=pool, data=data, source=None, attrs=ONE, **more):
        h = pool(num_threads=threads, display_name='d', **more)
        return data(input_dataset=count(3) if source is None else source, thread_pool=h, **attrs)

    for name, more in [('numbers', {}), ('one', dict(threads=1)), ('shared', dict(shared_name='p')),
                       ('parallelism', dict(max_intra_op_parallelism=-1)), ('zero', dict(threads=0)),
                       ('negative', dict(threads=-1))]:  # fmt: skip
        rows(f'{short}ThreadPoolHandle/{name}', lambda b, f=in_pool, more=more: f(b, **more))
    rows(f'{short}ThreadPoolDataset/texts', lambda b, f=in_pool: f(b, source=texts('a', 'b'), attrs=TEXTS), 3, [st])
    rows(f'{short}ThreadPoolDataset/none', lambda b, f=in_pool: f(b, source=count(0)), 1)
    rows(f'{short}ThreadPoolDataset/mapped', lambda b, f=in_pool: f(b, source=D.range(5).map(
        lambda x: x * x, num_parallel_calls=2)._variant_tensor), 6)  # fmt: skip
    rows(f'{short}ThreadPoolDataset/error', lambda b, f=in_pool: f(b, source=failing(3), attrs=REAL), 4, [f32])
    rows(f'{short}ThreadPoolDataset/variable', lambda b, data=data: data(
        input_dataset=count(3), thread_pool=missing_handle(), **ONE), 1)  # fmt: skip
    rows(f'{short}ThreadPoolDataset/aggregator', lambda b, data=data: data(
        input_dataset=count(3), thread_pool=R.StatsAggregatorHandle(shared_name='s'), **ONE), 1)  # fmt: skip


# ---- the fastest of equal datasets
def fastest(op, name, inputs, n=4, types=(i64,), experiments=2, attrs=ONE):
    rows(f'{op}/{name}', lambda b: getattr(R, op)(input_datasets=inputs(), num_experiments=experiments, **attrs), n, types)


for op in ('ChooseFastestDataset', 'ExperimentalChooseFastestDataset'):
    fastest(op, 'two', lambda: [count(3), count(3)])
    fastest(op, 'three', lambda: [count(3)] * 3, experiments=1)
    fastest(op, 'long', lambda: [count(9), D.range(9).map(lambda x: x)._variant_tensor], 10)
    fastest(op, 'none', lambda: [count(0), count(0)], 1)
    fastest(op, 'texts', lambda: [texts('a', 'b')] * 2, 3, [st], attrs=TEXTS)
    fastest(op, 'endless', lambda: [D.range(2).repeat()._variant_tensor] * 2, 5)
    fastest(op, 'unknown', lambda: [D.range(4).filter(lambda x: x > 1)._variant_tensor, D.range(2, 4)._variant_tensor], 3)
    fastest(op, 'other_types', lambda: [count(3), texts('a', 'b', 'c')], 1)
    fastest(op, 'other_cardinality', lambda: [count(3), count(4)], 1)
    fastest(op, 'other_shapes', lambda: [D.from_tensors([1, 2]).map(lambda x: tf.cast(x, i64))._variant_tensor, count(1),
                                         D.from_tensors(np.zeros([3], np.int64))._variant_tensor], 1)  # fmt: skip

# ---- several devices
CPU = '/job:localhost/replica:0/task:0/device:CPU:0'


def devices(name, data, asks, n=2, op='MultiDeviceIterator', types=(i64,), starts=1, end=(), size=1, **more):
    """asks: lists of shards to ask by turns. Anonymous ones are asked in the step that makes them."""

    def build(b):
        given = dict(output_types=list(types), output_shapes=[ANY] * len(types))
        named = dict(shared_name='m', container='') if op == 'MultiDeviceIterator' else {}
        h = getattr(R, op)(devices=[CPU] * n, **named, **given, **more)
        h = h[0] if isinstance(h, tuple) else h
        init = R.MultiDeviceIteratorInit(dataset=data(b), multi_device_iterator=h, max_buffer_size=fed(b, 'size', i64, size))
        number = b.placeholder('incarnation', i64, [])
        shard = b.placeholder('shard', i32, [])
        row = R.MultiDeviceIteratorGetNextFromShard(multi_device_iterator=h, shard_num=shard, incarnation_id=number, **given)
        feed = lambda s, i: dict(b.fed, shard=np.int32(s), incarnation=np.int64(i))  # noqa: E731
        out = [dict(fetch=[init], feed=feed(0, 0))] * starts
        out += [dict(fetch=row, feed=feed(*(a if isinstance(a, tuple) else (a, starts)))) for a in asks]
        for make in end:
            made = make(h, given)
            out.append(dict(target=[made], feed=feed(0, 0)) if isinstance(made, tf.Operation) else dict(fetch=made, feed=feed(0, starts)))
        return out

    steps(name, build)


G = 'MultiDeviceIteratorGetNextFromShard/'
devices(G + 'by_turns', lambda b: count(5), [0, 1, 0, 1, 0, 1, 0])
devices(G + 'backwards', lambda b: count(4), [1, 0, 1, 0])
devices(G + 'three', lambda b: count(7), [0, 1, 2, 2, 1, 0, 0, 1, 2], 3)
devices(G + 'one', lambda b: count(2), [0, 0, 0], 1)
devices(G + 'texts', lambda b: texts('a', 'b', 'c'), [0, 1, 0], types=[st])
devices(G + 'none', lambda b: count(0), [0, 1])
devices(G + 'old_number', lambda b: count(4), [(0, 0), (0, 1), (1, 7)])
devices(G + 'buffer', lambda b: count(9), [0, 0, 0, 1, 1, 1, 0], size=9)
I = 'MultiDeviceIteratorInit/'
devices(I + 'again', lambda b: count(4), [0, 1, (0, 1)], starts=2)
devices(I + 'thrice', lambda b: count(4), [0, 1], starts=3)
devices(I + 'other_types', lambda b: texts('a'), [])
devices(I + 'endless', lambda b: D.range(2).repeat()._variant_tensor, [0, 1, 0, 1])
devices(I + 'large_buffer', lambda b: count(3), [0, 1, 0, 1], size=100)
M = 'MultiDeviceIterator/'
for n in range(1, 7):
    devices(M + f'{n}_devices', lambda b: count(8), list(range(n)) + [0], n)


def delete(h, given):
    return R.DeleteMultiDeviceIterator(multi_device_iterator=h, iterators=[], deleter=R.EmptyTensorList(
        element_shape=-1, max_num_elements=-1, element_dtype=f32))  # fmt: skip


def named(h, given):
    return R.MultiDeviceIteratorGetNextFromShard(
        multi_device_iterator=R.MultiDeviceIteratorFromStringHandle(
            string_handle=R.MultiDeviceIteratorToStringHandle(multi_device_iterator=h)),
        shard_num=0, incarnation_id=1, **given)  # fmt: skip


def named_as(types, shapes):
    return lambda h, given: R.MultiDeviceIteratorGetNextFromShard(
        multi_device_iterator=R.MultiDeviceIteratorFromStringHandle(
            string_handle=R.MultiDeviceIteratorToStringHandle(multi_device_iterator=h), output_types=types, output_shapes=shapes),
        shard_num=1, incarnation_id=1, **given)  # fmt: skip


def text(value):
    return lambda h, given: R.MultiDeviceIteratorGetNextFromShard(
        multi_device_iterator=R.MultiDeviceIteratorFromStringHandle(string_handle=value), shard_num=0, incarnation_id=1, **given)


for i, asks in enumerate(([], [0], [0, 1, 0, 1, 0], [1])):
    devices(f'DeleteMultiDeviceIterator/after_{i}', lambda b: count(4), asks, end=[delete, delete])
devices('DeleteMultiDeviceIterator/not_started', lambda b: count(4), [], starts=0, end=[delete])
devices('DeleteMultiDeviceIterator/named', lambda b: count(4), [], end=[named, delete, named])
for direction in ('To', 'From'):
    name = f'MultiDeviceIterator{direction}StringHandle/'
    devices(name + 'next', lambda b: count(4), [1], end=[named])
    devices(name + 'typed', lambda b: count(4), [], end=[named_as([i64], [ANY])])
    devices(name + 'wrong_types', lambda b: count(4), [], end=[named_as([f32], [ANY])])
    devices(name + 'two_types', lambda b: count(4), [], end=[named_as([i64, i64], [])])
    devices(name + 'two_shapes', lambda b: count(4), [], end=[named_as([i64], [ANY, ANY])])
    devices(name + 'not_started', lambda b: count(4), [], starts=0, end=[named_as([f32], [])])
for value in ('', 'no handle', b'\n\x01'):
    devices(f'MultiDeviceIteratorFromStringHandle/text_{len(value)}', lambda b: count(4), [], end=[text(value)])
devices('MultiDeviceIteratorFromStringHandle/vector', lambda b: count(4), [], end=[text(['a', 'b'])])


def anonymous(op, name, data, shards, n=2, types=(i64,)):
    """All in one step: the handle is of one run."""

    def build(b):
        given = dict(output_types=list(types), output_shapes=[ANY] * len(types))
        made = getattr(R, op)(devices=[CPU] * n, **given)
        h = made[0] if isinstance(made, tuple) else made
        number = R.MultiDeviceIteratorInit(dataset=data(), multi_device_iterator=h, max_buffer_size=2)
        outs, before = [], []
        for s in shards:
            with tf.control_dependencies(before):
                outs += R.MultiDeviceIteratorGetNextFromShard(multi_device_iterator=h, shard_num=s, incarnation_id=number, **given)
            before = [outs[-1].op]
        with tf.control_dependencies(before):
            gone = R.DeleteMultiDeviceIterator(multi_device_iterator=h, iterators=[], deleter=made[1] if isinstance(made, tuple)
                                               else R.EmptyTensorList(element_shape=-1, max_num_elements=-1, element_dtype=f32))  # fmt: skip
        return [dict(fetch=outs + [number], target=[gone])] * 2

    steps(f'{op}/{name}', build)


for op in ('AnonymousMultiDeviceIterator', 'AnonymousMultiDeviceIteratorV3'):
    anonymous(op, 'by_turns', lambda: count(5), [0, 1, 0])
    anonymous(op, 'backwards', lambda: count(5), [1, 0])
    anonymous(op, 'texts', lambda: texts('a', 'b'), [0, 1], types=[st])
    anonymous(op, 'end', lambda: count(2), [0, 1, 0])
    anonymous(op, 'three', lambda: count(5), [2, 1], 3)
    anonymous(op, 'other_types', lambda: texts('a'), [0])

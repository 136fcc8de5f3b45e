# SPDX-License-Identifier: Apache-2.0
"""Cases of datasets of files and of older dataset ops, for tests/golden/ops/datasets_files.pb."""

import gzip
import os
import sys
import zlib

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import datasets_more as more

more.CASES.clear()
CASES = more.CASES
from datasets_more import ANY, D, ONE, R, TWO, V, count, f32, fed, filled, i32, i64, inverse, rows, st, steps, texts, values, variant


def saved(name, make, skip=1, n=4, types=(i64,)):
    """Rows behind a position that another iterator saved after `skip` rows."""

    def build(b):
        given = dict(output_types=list(types), output_shapes=[ANY] * len(types))
        d = make(b)
        one, two = (R.IteratorV2(shared_name=x, container='', **given) for x in ('one', 'two'))
        start = [R.MakeIterator(dataset=d, iterator=h) for h in (one, two)]
        rows = [R.IteratorGetNext(iterator=h, **given) for h in (one, two)]
        move = R.DeserializeIterator(resource_handle=two, serialized=R.SerializeIterator(resource_handle=one))
        return [dict(target=start)] + [dict(fetch=rows[0])] * skip + [dict(target=[move])] + [dict(fetch=rows[1])] * n

    steps(name + '/saved', build)


def named(op, name, make, n=4, types=(i64,), skip=1):
    """Both names of an op, and a saved position."""
    for full in (op, 'Experimental' + op):
        rows(f'{full}/{name}', lambda b, full=full: make(b, getattr(R, full)), n, types)
    if skip:
        saved(f'{op}/{name}', lambda b: make(b, getattr(R, op)), skip, n, types)


# ---- sleep, sliding windows, slices
for name, pause in dict(none=0, short=5, negative=-1, vector=[1]).items():
    named('SleepDataset', name, lambda b, op, pause=pause: op(input_dataset=count(3), sleep_microseconds=fed(b, 'n', i64, pause), **ONE), skip=pause == 5)


def sliding(data, size, shift, stride):
    return lambda b, op: op(input_dataset=data(), window_size=fed(b, 'size', i64, size), window_shift=fed(b, 'shift', i64, shift),
                            window_stride=fed(b, 'stride', i64, stride), **ONE)  # fmt: skip


for size, shift, stride in ((3, 1, 1), (3, 2, 1), (2, 5, 1), (2, 1, 3), (3, 2, 2), (20, 1, 1), (0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 1, 1),
                            (2, 3, 4), (-1, 1, 1), (2**40, 2**40, 2**40), ([1], 1, 1)):  # fmt: skip
    name = f'{size}_{shift}_{stride}'
    if size != 2**40:  # TensorFlow's product overflows
        named('SlidingWindowDataset', name, sliding(lambda: count(8), size, shift, stride), 8, skip=0)
    if size in (2, 3, 20):
        short = lambda b, size=size, shift=shift, stride=stride: sliding(lambda: count(8), size, shift, stride)(
            b, lambda **given: R.SlidingWindowDataset(drop_remainder=False, **given))  # fmt: skip
        rows(f'SlidingWindowDataset/{name}_short', short, 9)
        values(f'SlidingWindowDataset/{name}_count', lambda b, short=short: R.DatasetCardinality(input_dataset=short(b)))
named('SlidingWindowDataset', 'other_shapes', sliding(lambda: filled(2, 2, 4, 3), 2, 1, 1), 5, skip=0)


def failing_at(bad, n=8):
    return V(D.range(n).map(lambda x: tf.cast(tf.debugging.check_numerics(x / (x - bad), 'bad'), i64) * 0 + x))


named('SlidingWindowDataset', 'one_fails', sliding(lambda: failing_at(3), 2, 1, 1), 8, skip=0)
named('SlidingWindowDataset', 'none', sliding(lambda: count(0), 2, 1, 1), 1, skip=0)


def slices(data, n, types=(i64,)):
    return lambda b, op: op(input_dataset=V(data()), num_replicas=fed(b, 'n', i64, n), output_types=list(types), output_shapes=[ANY] * len(types))


for n in (1, 2, 3, 5, 0, -1, [2], 2**40):
    named('RebatchDataset', f'in_{n}', slices(lambda: D.range(7).batch(4), n), 8, skip=3 if n in (2, 3) else 0)
named('RebatchDataset', 'scalars', slices(lambda: D.range(3), 2), 4, skip=0)
two = slices(lambda: D.zip((D.range(7).batch(4), D.range(10).batch(3))), 2, [i64, i64])
named('RebatchDataset', 'two', two, 6, [i64, i64], skip=1)
named('RebatchDataset', 'texts', slices(lambda: D.from_tensor_slices([['a', 'b', 'c']]), 2, [st]), 3, [st], skip=1)
named('RebatchDataset', 'no_rows', slices(lambda: D.from_tensors(np.zeros([0, 2], np.int64)), 3), 4, skip=1)
values('RebatchDataset/count', lambda b: R.DatasetCardinality(input_dataset=slices(lambda: D.range(7).batch(4), 2)(b, R.RebatchDataset)))

# TensorFlow cannot write the next op, and positions of SlidingWindowDataset.
for seed, seed2 in ((1, 2), (0, 5), (7, 0), (-3, 2**40)):
    more.elements(f'ExperimentalRandomDataset/{seed}_{seed2}', lambda b, s=seed, s2=seed2: R.ExperimentalRandomDataset(seed=s, seed2=s2, **ONE), 6)
rows('ExperimentalRandomDataset/vector', lambda b: R.ExperimentalRandomDataset(seed=fed(b, 's', i64, [1]), seed2=2, **ONE), 1)
values('ExperimentalRandomDataset/count', lambda b: R.DatasetCardinality(input_dataset=R.ExperimentalRandomDataset(seed=3, seed2=4, **ONE)))

for full in ('IteratorGetDevice', 'ExperimentalIteratorGetDevice'):
    for name, handle in dict(
        anonymous=lambda: R.AnonymousIterator(**ONE), v2=lambda: R.AnonymousIteratorV2(**ONE).handle, v3=lambda: R.AnonymousIteratorV3(**ONE),
        named=lambda: R.IteratorV2(shared_name='x', container='', **ONE), seeds=lambda: R.DummySeedGenerator(),
        optional=lambda: R.Iterator(shared_name='y', container='', **TWO),
    ).items():
        values(f'{full}/{name}', lambda b, full=full, handle=handle: getattr(R, full)(resource=handle()))

for name, (tensors, types) in dict(
    numbers=([1, 2, 3], [i64]), pairs=([1, 2, 3, 4], [i64, i64]), left_over=([1, 2, 3], [i64, i64]), vectors=([[1], [2, 3]], [i64]),
).items():
    rows('WindowOp/' + name, lambda b, tensors=tensors, types=types: R.WindowOp(inputs=[tf.constant(x, i64) for x in tensors], output_types=types,
                                                  output_shapes=[ANY] * len(types)), 5, types)  # fmt: skip
mixed = lambda b: R.WindowOp(inputs=[tf.constant(1, i64), tf.constant('a'), tf.constant(3, i64), tf.constant('b')], output_types=[i64, st],
                             output_shapes=[ANY] * 2)  # fmt: skip
rows('WindowOp/mixed', mixed, 3, [i64, st])
saved('WindowOp/mixed', mixed, 1, 2, [i64, st])
rows('WindowOp/type', lambda b: R.WindowOp(inputs=[tf.constant('a'), tf.constant('b')], **ONE), 3)
values('WindowOp/count', lambda b: R.DatasetCardinality(input_dataset=R.WindowOp(inputs=[tf.constant(x, i64) for x in range(5)], **TWO)))


# ---- files, which the graph writes
def with_files(name, files, make, n=4, types=(st,), skip=0):
    """Fetches n rows of make(b, folder), a dataset of files."""

    def build(b, positions=False):
        folder = '/tmp/tenon_golden_' + name.replace('/', '_')
        written = [R.WriteFile(filename=f'{folder}/{key}', contents=x) for key, x in files.items()]
        given = dict(output_types=list(types), output_shapes=[ANY] * len(types))
        d = make(b, folder)
        it, other = (R.IteratorV2(shared_name=x, container='', **given) for x in ('one', 'two'))
        start = [R.MakeIterator(dataset=d, iterator=h) for h in (it, other)]
        row, behind = (R.IteratorGetNext(iterator=h, **given) for h in (it, other))
        out = [dict(target=written)] if written else []
        if not positions:
            return out + [dict(target=start[:1])] + [dict(fetch=row)] * n
        move = R.DeserializeIterator(resource_handle=other, serialized=R.SerializeIterator(resource_handle=it))
        return out + [dict(target=start)] + [dict(fetch=row)] * skip + [dict(target=[move])] + [dict(fetch=behind)] * (n - skip)

    steps(name, build)
    if skip:
        steps(name + '/saved', lambda b: build(b, True))


tree = {x: x for x in ('a.txt', 'b.txt', 'a/z.txt', 'a/y.txt', 'ab/x.txt', 'c/d/e.txt', 'a.dir/q', 'f*')}
for op in ('MatchingFilesDataset', 'ExperimentalMatchingFilesDataset'):
    for name, patterns in dict(
        all='*', texts='*.txt', folder='a/*', folders='*/*', a='a*', deep='*/*.txt', nothing='nothing*', two=['b*', 'a*'],
        some=['a*', 'nothing'], one='a/z.txt', middle='c/*/e.txt', is_folder='a', mark='?.txt', choice='[ab].txt', only_folder='c/*',
        three='*/*/*', twice=['*.txt', '*.txt'], braces='{a,b}.txt', double='c//d/*', not_here='none/*', other='[^a].txt',
    ).items():  # fmt: skip
        paths = lambda folder, patterns=patterns: [f'{folder}/{x}' for x in patterns] if isinstance(patterns, list) else f'{folder}/{patterns}'
        with_files(f'{op}/{name}', tree, lambda b, folder, op=op, paths=paths: getattr(R, op)(patterns=fed(b, 'p', st, paths(folder))), 6 if name in ('folders', 'twice') else 4,
                   skip=1 if name in ('folders', 'twice', 'two', 'nothing') and op[0] == 'M' else 0)  # fmt: skip
    rows(op + '/no_name', lambda b, op=op: getattr(R, op)(patterns=fed(b, 'p', st, '')), 2, [st])
    rows(op + '/matrix', lambda b, op=op: getattr(R, op)(patterns=fed(b, 'p', st, [['a']])), 1, [st])
    values(op + '/count', lambda b, op=op: R.DatasetCardinality(input_dataset=getattr(R, op)(patterns='a')))


def written(op, name, data, compression='', path='rows', types=(st,), n=3):
    def build(b):
        folder = f'/tmp/tenon_golden_{op}_{name}'
        to = fed(b, 'to', st, path if isinstance(path, list) else f'{folder}/{path}')
        write = getattr(R, op)(input_dataset=data(), filename=to, compression_type=compression)
        made = R.WriteFile(filename=folder + '/made', contents='x')
        it = R.IteratorV2(shared_name='x', container='', output_types=[st], output_shapes=[ANY])
        read = R.MakeIterator(iterator=it, dataset=R.TFRecordDataset(
            filenames=folder + '/' + str(path), compression_type=compression, buffer_size=1000))  # fmt: skip
        row = R.IteratorGetNext(iterator=it, output_types=[st], output_shapes=[ANY])
        return [dict(target=[made]), dict(target=[write]), dict(target=[read])] + [dict(fetch=row)] * n

    steps(f'{op}/{name}', build)


for op in ('DatasetToTFRecord', 'ExperimentalDatasetToTFRecord'):
    ab = lambda: texts('a', 'bb' * 500, '')
    written(op, 'plain', ab, n=4)
    written(op, 'zlib', ab, 'ZLIB', n=4)
    written(op, 'gzip', ab, 'GZIP', n=4)
    written(op, 'snappy', ab, 'SNAPPY', n=4)
    written(op, 'other_name', ab, 'LZ4', n=4)
    written(op, 'none', lambda: V(D.from_tensor_slices(np.array(['a'], object)).take(0)), n=1)
    written(op, 'numbers', lambda: count(3), n=1)
    written(op, 'two', lambda: V(D.from_tensors(('a', 'b'))), n=1)
    written(op, 'no_folder', ab, path='not/there', n=1)
    written(op, 'path_vector', ab, path=['x'], n=1)
    written(op, 'one_fails', lambda: V(D.range(3).map(lambda x: tf.as_string(tf.debugging.check_numerics(x / (x - 1), 'bad')))), n=1)

# ---- CSV
I, I_, S, S_, F, L, Db = ([0], i32), ([], i32), (['x'], st), ([], st), ([1.5], f32), ([7], i64), ([2.5], tf.float64)


def csv(name, text, defaults, n=4, skip=0, files=None, header=False, delim=',', quotes=True, na='', select=(), exclude=None, compression='',
        buffer=4096, names=None):  # fmt: skip
    ops = ['CSVDatasetV2'] if exclude is not None else ['CSVDataset', 'CSVDatasetV2', 'ExperimentalCSVDataset']
    for op in ops:

        def make(b, folder, op=op):
            paths = [f'{folder}/{x}' for x in names or files or ['a']]
            given = dict(exclude_cols=fed(b, 'out', i64, list(exclude or []))) if op == 'CSVDatasetV2' else {}
            return getattr(R, op)(
                filenames=fed(b, 'names', st, paths if len(paths) > 1 else paths[0]), compression_type=fed(b, 'how', st, compression),
                buffer_size=fed(b, 'buffer', i64, buffer), header=fed(b, 'header', tf.bool, header), field_delim=fed(b, 'delim', st, delim),
                use_quote_delim=quotes, na_value=na, select_cols=fed(b, 'columns', i64, select),
                record_defaults=[tf.constant(*x) for x in defaults], output_shapes=[ANY] * len(defaults), **given)  # fmt: skip

        with_files(f'{op}/{name}', files or dict(a=text), make, n, [t for _, t in defaults], skip if op[0] == 'C' else 0)


csv('plain', '1,a\n2,b\n', [I, S], 3, 1)
csv('no_last_end', '1,a\n2,b', [I, S], 3)
csv('crlf', '1,a\r\n2,b\r\n3,c', [I, S], 4, 1)
csv('cr', '1,a\r2,b\r', [I, S], 3)
csv('empty', '', [I, S], 2)
csv('empty_line', '1,a\n\n2,b\n', [I, S], 4, 2)
csv('empty_lines_number', '1\n\n2\n\n', [I], 5)
csv('empty_lines_text', 'a\n\nb\n', [S], 4)
csv('required', ',a\n1,\n', [I_, S_], 3)
csv('few', '1\n2,b\n', [I, S], 3)
csv('many', '1,a,c\n2,b\n', [I, S], 3)
csv('not_number', 'z,a\n2,b\n', [I, S], 3)
csv('quotes', '1,"a,b"\n2,"c""d"\n3,"e\nf"\n', [I, S], 4, 2)
csv('quote_inside', '1,a"b\n2,c\n', [I, S], 3)
csv('quote_not_escaped', '1,"a"b\n2,c"\n3,d\n', [I, S], 3)
csv('quote_not_closed', '1,"ab\n2,c\n', [I, S], 2)
csv('quote_at_end', '1,"ab"', [I, S], 2)
csv('quote_crlf', '1,"ab"\r\n2,c', [I, S], 3)
csv('plain_quotes', '1,"a"\n2,c"d\n', [I, S], 3, quotes=False)
csv('header', 'h,g\n1,a\n2,b', [I, S], 3, header=True)
csv('header_only', 'h,g', [I, S], 1, header=True)
csv('header_of_nothing', '', [I, S], 2, header=True)
csv('header_long', '"h\nq",g\n1,a\n', [I, S], 2, header=True)
csv('header_bad', 'h"q,g\n1,a\n', [I, S], 3, header=True)
csv('header_wide', 'a,b,c,d\n1,a\n', [I, S], 2, header=True)
csv('header_vector', '1,a\n', [I, S], 1, header=[True])
csv('not_available', 'NA,NA\n1,b\n"NA",""\n', [I, S], 4, na='NA')
csv('select', '1,2,a\n3,4,b\n5\n', [I, S], 4, select=[0, 2])
csv('select_one', '1,2,a\n3,4,b\n', [I], 3, select=[1])
csv('select_beyond', '1,2\n', [I], 2, select=[5])
csv('select_falling', '1,2\n', [I, I], 1, select=[1, 0])
csv('select_negative', '1,2\n', [I], 1, select=[-1])
csv('select_fewer', '1,2\n', [I, I], 1, select=[1])
csv('select_twice', '1,2\n', [I, I], 1, select=[1, 1])
csv('select_matrix', '1,2\n', [I, I], 1, select=[[0, 1]])
csv('exclude', '1,2,a\n3,4,b\n', [I, S], 3, 1, exclude=[1])
csv('exclude_and_select', '1,2\n', [I], 1, exclude=[1], select=[0])
csv('exclude_falling', '1,2,3\n', [I], 1, exclude=[1, 0])
csv('exclude_negative', '1,2,3\n', [I], 1, exclude=[-1])
csv('exclude_more', '1,2,3\n4,5\n', [I], 3, exclude=[1, 7])
csv('delimiter_two', '1,a\n', [I, S], 1, delim=',,')
csv('delimiter_none', '1a\n', [I, S], 1, delim='')
csv('delimiter_bar', '1|a\n2|"b|c"\n', [I, S], 3, delim='|')
csv('delimiter_quote', '1"a\n', [I, S], 2, delim='"')
csv('delimiter_line', '1\n', [I, S], 2, delim='\n')
csv('types', '1,2,3.5,4.5,s\n-1,9999999999,nan,inf,\n', [I, L, F, Db, S], 3, 1)
csv('too_large', '9999999999,1\n5,2\n', [I, I], 3)
csv('spaces', ' 1 , a \n\t5,\tb', [I, S], 3)
csv('not_float', '1.5x\n2\n', [F], 3)
csv('float_as_int', '1.5\n', [I], 2)
csv('numbers', '+5,1e3\n0x10,1\n-0,-inf\n', [I, F], 4)
csv('small_buffer', '1,abcdef\r\n2,"gh""ij"\r\n3,k', [I, S], 4, 1, buffer=1)
csv('buffer_zero', '1,a\n', [I, S], 1, buffer=0)
csv('buffer_negative', '1,a\n', [I, S], 1, buffer=-1)
csv('compression_name', '1,a\n', [I, S], 1, compression='FOO')
csv('no_file', '', [I], 2, names=['none'])
csv('defaults_two', '1\n', [([1, 2], i32)], 1)
csv('default_scalar', '\n1\n', [(3, i32)], 3)
csv('delimiter_last', '1,\n2,', [I, S], 3)
csv('delimiter_last_of_three', '1,a,\n', [I, S, S], 2)
csv('quoted_nothing', '"",""\n', [I, S], 2)
csv('quoted_number', '"5","6"\n', [I, S], 2)
csv('several_mistakes', 'x\n5\ny\n6\n', [I], 5, 1)
csv('nul', '1,a\0b\n', [I, S], 2)
csv('two_files', '', [I, S], 4, 2, files=dict(a='1,a\n2,b', b='3,c\n'))
csv('two_headers', '', [I, S], 4, 1, header=True, files=dict(a='h,g\n2,b', b='h,g\n3,c\n'))
csv('second_missing', '', [I, S], 3, files=dict(a='1,a\n'), names=['a', 'none'])
csv('gzip', gzip.compress(b'1,a\n2,b\n', mtime=0), [I, S], 3, 1, compression='GZIP')
csv('zlib', zlib.compress(b'1,a\n2,b\n'), [I, S], 3, 1, compression='ZLIB')
csv('not_gzip', '1,a\n', [I, S], 2, compression='GZIP')


# ---- Examples
def example(**features):
    f = {}
    for k, v in features.items():
        kind = type(v[0]) if v else bytes
        f[k] = {
            int: lambda v: tf.train.Feature(int64_list=tf.train.Int64List(value=v)),
            float: lambda v: tf.train.Feature(float_list=tf.train.FloatList(value=v)),
            bytes: lambda v: tf.train.Feature(bytes_list=tf.train.BytesList(value=v)),
        }[kind](v)
    return tf.train.Example(features=tf.train.Features(feature=f)).SerializeToString(deterministic=True)


A, B, C = example(a=[1, 2], b=[1.5], c=[b'x'], d=[3]), example(a=[3], c=[b'y', b'z'], d=[4]), example(a=[5], b=[2.5], d=[5])
examples = lambda *x: D.from_tensor_slices(np.array(x, object))


def parse(name, data, sparse=(), dense=(), ragged=(), n=3, calls=1, ops=('', 'V2', 'Experimental'), types=None, shapes=None, dense_shapes=None,
          defaults=None, splits=None, sparse_types=None, skip=0, **given):  # fmt: skip
    """sparse: (key, type); dense: (key, type, shape, default); ragged: (key, type, type of splits)."""
    kinds = {k: ('sparse', t) for k, t in sparse} | {k: ('dense', t) for k, t, *_ in dense} | {k: ('ragged', t, s) for k, t, s in ragged}
    order = sorted(kinds)
    out = types or [kinds[k][1] if kinds[k][0] == 'dense' else variant for k in order]

    def build(b, op, positions):
        attrs = {} if op == 'Experimental' else dict(
            ragged_keys=[x[0] for x in ragged], ragged_value_types=[x[1] for x in ragged], ragged_split_types=splits or [x[2] for x in ragged])
        full = 'ExperimentalParseExampleDataset' if op == 'Experimental' else 'ParseExampleDataset' + op
        d = getattr(R, full)(
            input_dataset=V(data()), num_parallel_calls=fed(b, 'calls', i64, calls),
            dense_defaults=defaults and defaults() or [tf.constant(x[3], x[1]) for x in dense], sparse_keys=[x[0] for x in sparse],
            dense_keys=[x[0] for x in dense], sparse_types=sparse_types or [x[1] for x in sparse],
            dense_shapes=dense_shapes or [x[2] for x in dense], output_types=out, output_shapes=shapes or [ANY] * len(out), **attrs, **given)  # fmt: skip
        spec = dict(output_types=out, output_shapes=[ANY] * len(out))
        it, other = (R.IteratorV2(shared_name=x, container='', **spec) for x in ('one', 'two'))
        start = [R.MakeIterator(dataset=d, iterator=h) for h in (it, other)]

        def parts(h):
            fetch = []
            for k, x in zip(order, R.IteratorGetNext(iterator=h, **spec)):
                if x.dtype != variant:
                    fetch.append(x)
                elif kinds[k][0] == 'sparse':
                    fetch += list(R.DeserializeSparse(serialized_sparse=x, dtype=kinds[k][1]))
                else:
                    r = R.RaggedTensorFromVariant(encoded_ragged=x, input_ragged_rank=1, output_ragged_rank=1, Tvalues=kinds[k][1], Tsplits=kinds[k][2])
                    fetch += list(r.output_nested_splits) + [r.output_dense_values]
            return fetch

        if not positions:
            return [dict(target=start[:1])] + [dict(fetch=parts(it))] * n
        move = R.DeserializeIterator(resource_handle=other, serialized=R.SerializeIterator(resource_handle=it))
        return [dict(target=start)] + [dict(fetch=parts(it))] * skip + [dict(target=[move])] + [dict(fetch=parts(other))] * n

    for op in ops:
        if op == 'Experimental' and ragged:
            continue
        full = 'ExperimentalParseExampleDataset' if op == 'Experimental' else 'ParseExampleDataset' + op
        steps(f'{full}/{name}', lambda b, op=op: build(b, op, False))
        if skip:
            steps(f'{full}/{name}/saved', lambda b, op=op: build(b, op, True))


pairs = lambda: examples(A, B, C).batch(2)
single = lambda: examples(A, B, C)
number = [('d', i64, [], 0)]
parse('dense', pairs, dense=[('d', i64, [], [])], skip=1)
parse('dense_scalars', single, dense=[('d', i64, [], [])], n=4)
parse('sparse', pairs, [('c', st), ('a', i64)], skip=1)
parse('sparse_scalars', single, [('c', st), ('a', i64)], n=4)
parse('ragged', pairs, ragged=[('c', st, i64), ('a', i64, i32)], skip=1)
parse('ragged_scalars', single, ragged=[('c', st, i64)], n=4)
parse('mixed', pairs, [('a', i64)], [('d', i64, [], []), ('b', f32, [1], [9.0])], [('c', st, i64)])
parse('mixed_plain', pairs, [('a', i64), ('c', st)], [('d', i64, [], []), ('b', f32, [1], [9.0])])
parse('missing', single, dense=[('b', f32, [], [])], n=4)
parse('default', single, dense=[('b', f32, [], 4.5)], n=4)
parse('variable', pairs, dense=[('a', i64, [None], 7)])
parse('variable_without_default', pairs, dense=[('a', i64, [None], [])], n=1)
parse('wrong_type', pairs, dense=[('d', f32, [], 1.0)])
parse('wrong_size', pairs, dense=[('a', i64, [2], [0, 0])])
parse('calls_zero', pairs, dense=number, calls=0, n=1)
parse('calls_automatic', pairs, dense=number, calls=-1)
parse('calls_negative', pairs, dense=number, calls=-2, n=1)
parse('calls_vector', pairs, dense=number, calls=[1], n=1)
parse('output_type', pairs, dense=number, types=[f32], n=2)
parse('output_type_sparse', pairs, [('a', i64)], types=[i64], n=2)
parse('output_more', pairs, dense=number, types=[i64, i64], n=2)
parse('output_shape', pairs, dense=number, shapes=[[2]])
parse('output_rank', pairs, dense=number, shapes=[[]])
parse('one_key_twice', pairs, [('d', i64)], number, types=[i64], n=1)
parse('default_shape', pairs, dense=[('d', i64, [], [1, 2])], n=1)
parse('more_shapes', pairs, dense=number, dense_shapes=[[], []], n=1)
parse('fewer_sparse_types', pairs, [('a', i64), ('c', st)], sparse_types=[i64], n=1)
parse('fewer_splits', pairs, ragged=[('a', i64, i64), ('c', st, i64)], splits=[i64], n=1)
parse('no_rank', pairs, dense=[('d', i64, None, 0)], n=1)
parse('default_type', pairs, dense=number, defaults=lambda: [tf.constant(1.5)], n=1)
parse('two_defaults', pairs, dense=number, defaults=lambda: [tf.constant(1, i64)] * 2, n=1)
parse('word', pairs, dense=number, ops=('V2',), deterministic='maybe', n=1)
parse('not_ordered', pairs, dense=number, ops=('V2',), deterministic='false')
parse('sloppy', pairs, dense=number, ops=('', 'Experimental'), sloppy=True)
parse('no_rows', lambda: examples(A).take(0).batch(2), dense=number, n=1)
parse('empty_vector', lambda: D.from_tensors(tf.zeros([0], st)), [('a', i64)], number, n=2)
parse('matrix', lambda: D.from_tensors(np.array([[A], [B]], object)), dense=number, n=2)
parse('broken', lambda: examples(A[:5], A), dense=number)

# ---- one element by its number
five = lambda: D.range(5)
for name, data in dict(
    range=five, slices=lambda: D.from_tensor_slices(np.array([1, 2, 3], np.int64)), tensor=lambda: D.from_tensors(tf.constant([1, 2], i64)),
    concatenated=lambda: five().take(1).concatenate(five()), mapped=lambda: five().map(lambda x: x * 2), parallel=lambda: five().map(
        lambda x: x * 2, num_parallel_calls=2), batched=lambda: five().batch(2), skipped=lambda: five().skip(2), taken=lambda: five().take(2),
    shard=lambda: five().shard(2, 1), prefetched=lambda: five().prefetch(1), repeated=lambda: five().take(1).repeat(3), endless=lambda: five().repeat(),
    filtered=lambda: five().filter(lambda x: x > 1), some_filtered=lambda: five().filter(lambda x: x > 1).take(2), padded=lambda: five().padded_batch(2),
    flat=lambda: five().flat_map(lambda x: D.range(x)), scanned=lambda: five().scan(tf.constant(0, i64), lambda s, x: (s, x)),
    options=lambda: five().with_options(tf.data.Options()), none=lambda: D.range(0), unique=lambda: five().unique(),
    rebatched=lambda: five().batch(2).rebatch(3), while_true=lambda: five().take_while(lambda x: True), quiet=lambda: five().ignore_errors(),
    before_fails=lambda: D.range(4).map(lambda x: tf.cast(tf.debugging.check_numerics(1 / tf.cast(x, f32), 'bad'), i64)),
).items():  # fmt: skip
    values('GetElementAtIndex/' + name, lambda b, data=data: R.GetElementAtIndex(dataset=V(data()), index=tf.constant(1, i64), **ONE))
for index in (-1, 0, 4, 5, 2**40, [1]):
    values(f'GetElementAtIndex/at_{index}', lambda b, index=index: R.GetElementAtIndex(dataset=count(5), index=fed(b, 'i', i64, index), **ONE))
values('GetElementAtIndex/fails', lambda b: R.GetElementAtIndex(dataset=inverse(), index=tf.constant(2, i64), output_types=[f32], output_shapes=[ANY]))
values('GetElementAtIndex/pair', lambda b: R.GetElementAtIndex(dataset=V(D.zip((five(), five()))), index=tf.constant(3, i64), **TWO))
for name, (types, shape) in dict(type=([f32], ANY), more=([i64, i64], ANY), shape=([i64], [3])).items():
    values('GetElementAtIndex/other_' + name, lambda b, types=types, shape=shape: R.GetElementAtIndex(
        dataset=count(5), index=tf.constant(1, i64), output_types=types, output_shapes=[shape] * len(types)))  # fmt: skip

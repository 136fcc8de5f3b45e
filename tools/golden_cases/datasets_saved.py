# SPDX-License-Identifier: Apache-2.0
"""Cases of datasets in files of their own form and of compressed elements, for tests/golden/ops/datasets_saved.pb."""

import os
import sys

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import datasets_more as more

more.CASES.clear()
CASES = more.CASES
from datasets_more import ANY, D, ONE, R, V, count, f32, fed, fn, i32, i64, inverse, iterator, rows, st, steps, texts, values, variant

# ---- elements as variants
tensors = dict(
    numbers=[np.arange(6, dtype=np.int64).reshape(2, 3)], text=[np.array(['a', '', 'bb' * 300], object)], scalar=[np.float32(2.5)],
    several=[np.array([1, 2], np.int32), np.array('x', object), np.array([True, False])], none=[np.zeros([0, 3], np.float32)],
    no_text=[np.zeros([0], object)], many=[np.tile(np.arange(50), 200)], complex=[np.array([1 + 2j], np.complex64)], half=[np.array([1, 2], np.float16)],
)  # fmt: skip
kind = lambda x: st if np.asarray(x).dtype == object else tf.as_dtype(np.asarray(x).dtype)
for name, parts in tensors.items():

    def round_trip(b, parts=parts, types=None):
        given = [fed(b, f'x{i}', kind(x), x) for i, x in enumerate(parts)]
        types = types or [kind(x) for x in parts]
        packed = R.CompressElement(components=given)
        return R.UncompressElement(compressed=packed, output_types=types, output_shapes=[ANY] * len(types))

    values('UncompressElement/' + name, round_trip)
    values('CompressElement/mapped_' + name, lambda b, parts=parts: R.DatasetToSingleElement(
        dataset=V(D.from_tensors(tuple(tf.constant(x, kind(x)) for x in parts)).map(lambda *x: R.CompressElement(components=x)).map(
            lambda c: R.UncompressElement(compressed=c, output_types=[kind(x) for x in parts], output_shapes=[ANY] * len(parts)))),
        output_types=[kind(x) for x in parts], output_shapes=[ANY] * len(parts)))  # fmt: skip
for name, types in dict(fewer=[i32], other=[i64, st], more=[i32, st, st]).items():
    values('UncompressElement/types_' + name, lambda b, types=types: R.UncompressElement(
        compressed=R.CompressElement(components=[tf.constant(1, i32), tf.constant('a')]), output_types=types, output_shapes=[ANY] * len(types)))
values('UncompressElement/not_compressed', lambda b: R.UncompressElement(compressed=R.OptionalNone(), **ONE))
values('UncompressElement/dataset', lambda b: R.UncompressElement(compressed=count(3), **ONE))
values('UncompressElement/nested', lambda b: R.UncompressElement(
    compressed=R.UncompressElement(compressed=R.CompressElement(components=[R.CompressElement(components=[tf.constant([1, 2], i64)])]),
                                   output_types=[variant], output_shapes=[ANY])[0], **ONE))  # fmt: skip


# ---- saved and loaded
def flat(types):
    """The function that reads one shard after the other."""

    @fn(variant)
    def read(d):
        @fn(variant)
        def same(x):
            return x

        return R.FlatMapDataset(input_dataset=d, other_arguments=[], f=same, output_types=types, output_shapes=[ANY] * len(types))

    return read


def turns(types):
    @fn(variant)
    def read(d):
        @fn(variant)
        def same(x):
            return x

        return R.InterleaveDataset(input_dataset=d, other_arguments=[], cycle_length=tf.constant(2, i64), block_length=tf.constant(1, i64), f=same,
                                   output_types=types, output_shapes=[ANY] * len(types))  # fmt: skip

    return read


def shard(types, body):
    @fn(*types)
    def f(*x):
        return body(*x)

    return f


def save(name, data, body=lambda *x: tf.constant(0, i64), types=(i64,), n=4, compression='', use=True, reader=flat, read_types=None, read_as=None,
         again=None, v2=True, read_n=None):  # fmt: skip
    """Saves, by both ops, and reads what was saved."""
    types = list(types)
    as_types = list(read_types or types)
    given = dict(output_types=types, output_shapes=[ANY] * len(types))
    loaded = dict(output_types=as_types, output_shapes=[ANY] * len(as_types))

    def build(b, op):
        folder = f'/tmp/tenon_golden_{op}_{name}'
        attrs = dict(path=folder, shard_func_other_args=[], compression=compression, shard_func=shard(types, body), use_shard_func=use)
        out = []
        for i, make in enumerate([data] + ([again] if again else [])):
            if op == 'SaveDataset':
                out.append(dict(target=[R.SaveDataset(input_dataset=make(), **attrs)]))
            else:
                it = R.IteratorV2(shared_name=f'save{i}', container='', **given)
                start = R.MakeIterator(dataset=R.SaveDatasetV2(input_dataset=make(), **attrs, **given), iterator=it)
                out += [dict(target=[start])] + [dict(fetch=R.IteratorGetNext(iterator=it, **given))] * n
        it = R.IteratorV2(shared_name='load', container='', **loaded)
        load = R.LoadDataset(path=folder, reader_func_other_args=[], reader_func=reader(as_types),
                             compression=compression if read_as is None else read_as, **loaded)  # fmt: skip
        out.append(dict(target=[R.MakeIterator(dataset=load, iterator=it)]))
        return out + [dict(fetch=R.IteratorGetNext(iterator=it, **loaded))] * (read_n or n) + [dict(fetch=[R.DatasetCardinality(input_dataset=load)])]

    for op in ('SaveDataset', 'SaveDatasetV2') if v2 else ('SaveDataset',):
        steps(f'{op}/{name}', lambda b, op=op: build(b, op))


pairs = lambda: V(D.from_tensor_slices((np.arange(5), np.array(['a', 'bb', '', 'd', 'e' * 400], object))))
save('plain', lambda: count(3))
save('thirds', lambda: count(7), lambda x: x % 3, n=8)
save('turns', lambda: count(7), lambda x: x % 2, n=8, reader=turns)
save('no_function', lambda: count(3), use=False)
for compression in ('GZIP', 'ZLIB', 'SNAPPY', 'OTHER'):
    save(compression.lower(), pairs, lambda x, y: x % 2, (i64, st), 6, compression)
save('vectors', lambda: V(D.range(4).map(lambda x: tf.fill([x], tf.cast(x, f32)))), types=(f32,), n=5)
save('nothing', lambda: count(0), n=1)
save('int32', lambda: count(3), lambda x: tf.cast(x, i32))
save('two_results', lambda: count(3), lambda x: (x, x))
save('vector_result', lambda: count(3), lambda x: tf.stack([x, x]))
save('again', lambda: count(3), n=6, again=lambda: V(D.range(10, 15)))
save('large', lambda: V(D.range(3).map(lambda x: tf.range(x, x + 40000))))
save('other_types', lambda: count(3), read_types=[f32])
save('other_compression', lambda: count(3), compression='GZIP', read_as='')
save('fewer', lambda: pairs(), types=(i64, st), read_types=[i64], n=6)


def load(name, reader, path='saved', n=3):
    def build(b):
        folder = f'/tmp/tenon_golden_LoadDataset_{name}'
        first = R.SaveDataset(input_dataset=count(2), path=f'{folder}/saved', shard_func_other_args=[], shard_func=shard([i64], lambda x: x))
        to = fed(b, 'path', st, [f'{folder}/{path}'] if name == 'vector' else f'{folder}/{path}')
        start, row, _ = iterator(R.LoadDataset(path=to, reader_func_other_args=[], reader_func=reader([i64]), **ONE))
        return [dict(target=[first])] + [dict(target=[start])] + [dict(fetch=row)] * n

    steps('LoadDataset/' + name, build)


def not_dataset(types):
    @fn(variant)
    def read(d):
        return tf.constant(1, i64)

    return read


def two(types):
    @fn(variant)
    def read(d):
        return d, d

    return read


def nested(types):
    @fn(variant)
    def read(d):
        return d

    return read


def first(types):
    @fn(variant)
    def read(d):
        return flat(types)(R.TakeDataset(input_dataset=d, count=tf.constant(1, i64), output_types=[variant], output_shapes=[ANY]))

    return read


load('plain', flat)
load('nothing_there', flat, 'none')
load('vector', flat)
load('not_dataset', not_dataset)
load('two_results', two)
load('nested', nested)
load('first_shard', first)


# Folders that TensorFlow wrote: tf.data.Dataset.range(7).save(path, compression).
WRITTEN = dict(
    plain=('14692280291717401151', '', b'\x12\x1414692280291717401151\x18\xfe\x9f\x8d\xdc\xde\xaa\x98\x03 \x02*\x01\t0\x07\xc0>\x01', bytes.fromhex(
        '0e00000000000000c5e5693f0809120022080000000000000000882b95ea0e00000000000000c5e5693f0809120022080100000000000000a0bddf54'
        '0e00000000000000c5e5693f0809120022080200000000000000194f125f0e00000000000000c5e5693f080912002208030000000000000011e144e9'
        '0e00000000000000c5e5693f080912002208040000000000000063ed4aef0e00000000000000c5e5693f0809120022080500000000000000cb7b0959'
        '0e00000000000000c5e5693f08091200220806000000000000005211d85a')),
    snappy=('16015927182496723595', 'SNAPPY', b'\x12\x1416015927182496723595\x18\xef\x9b\xd8\xdc\xde\xaa\x98\x03 \x02*\x01\t0\x07\xc0>\x01', bytes.fromhex(
        '00000069d201040e00090124c5e5693f0809120022080910140000882b95ea461e0000010d1f0ca0bddf54461e0000020d1e0c194f125f461e0000'
        '030d1e1011e144e90e0d0c197800040d120c63ed4aef461e0000050d1e0ccb7b0959461e002c06000000000000005211d85a')),
)  # fmt: skip


def of_tensorflow(name, key, damage=lambda x: x, metadata=None, compression=None, n=8):
    run, how, meta, data = WRITTEN[key]

    def build(b):
        folder = f'/tmp/tenon_golden_LoadDataset_tf_{name}'
        files = {'snapshot.metadata': meta if metadata is None else metadata, f'{run}/00000000.shard/00000000.snapshot': damage(data)}
        written = [R.WriteFile(filename=f'{folder}/{k}', contents=tf.constant(x, st)) for k, x in files.items()]
        start, row, _ = iterator(R.LoadDataset(path=folder, reader_func_other_args=[], reader_func=flat([i64]),
                                               compression=how if compression is None else compression, **ONE))  # fmt: skip
        return [dict(target=written), dict(target=[start])] + [dict(fetch=row)] * n

    steps('LoadDataset/tf_' + name, build)


of_tensorflow('plain', 'plain')
of_tensorflow('snappy', 'snappy')
of_tensorflow('cut', 'plain', lambda x: x[:50], n=3)
of_tensorflow('cut_snappy', 'snappy', lambda x: x[:50], n=3)
of_tensorflow('damaged', 'plain', lambda x: x[:17] + b'?' + x[18:], n=3)
of_tensorflow('no_metadata', 'plain', metadata=b'', n=2)


# ---- snapshots
def snapshot(name, body=lambda x: x % 2, compression='', data=lambda: count(5), reader=flat, n=6, types=(i64,), path=None, stamp=b'\x18\x01', **attrs):
    """Rows of two iterators, one after the other: the second may read what the first wrote."""
    given = dict(output_types=list(types), output_shapes=[ANY] * len(types))

    def build(b):
        to = fed(b, 'path', st, path or f'/tmp/tenon_golden_SnapshotDatasetV2_{name}')
        d = R.SnapshotDatasetV2(input_dataset=data(), path=to, reader_func_other_args=[], shard_func_other_args=[], compression=compression,
                                reader_func=reader(list(types)), shard_func=shard(list(types), body), **attrs, **given)  # fmt: skip
        # An unfinished run of long ago makes the first iterator write, also where the case ran before.
        folder = '/tmp/tenon_golden_SnapshotDatasetV2_' + name
        old = R.WriteFile(filename=f"{folder}/{attrs.get('hash', 0) % 2**64}/snapshot.metadata", contents=tf.constant(b'\x12\x01x \x02' + stamp, st))
        out = [dict(target=[old])]
        for one in ('one', 'two'):
            it = R.IteratorV2(shared_name=one, container='', **given)
            out += [dict(target=[R.MakeIterator(dataset=d, iterator=it)])] + [dict(fetch=R.IteratorGetNext(iterator=it, **given))] * n
        return out + [dict(fetch=[R.DatasetCardinality(input_dataset=d)])]

    steps('SnapshotDatasetV2/' + name, build)


HASH = dict(hash_valid=True, hash=12345)
snapshot('halves', **HASH)
snapshot('one_shard', lambda x: x * 0, **HASH)
snapshot('turns', reader=turns, **HASH)
for compression in ('GZIP', 'SNAPPY', 'AUTO'):
    snapshot(compression.lower(), compression=compression, **HASH)
snapshot('texts', lambda x: tf.constant(0, i64), data=lambda: texts('a', 'b'), types=(st,), n=3, **HASH)
snapshot('negative_hash', hash_valid=True, hash=-1)
snapshot('nothing', data=lambda: count(0), n=1, **HASH)
snapshot('int32', lambda x: tf.cast(x, i32), n=2, **HASH)
snapshot('vector', path=['a'], n=1, **HASH)
snapshot('fresh_unfinished', stamp=b'\x18\xff\xff\xff\xff\xff\xff\xff\x7f', **HASH)
snapshot('without_hash_in_order', lambda x: x * 0)


# TensorFlow cannot write the next ops as graphs: their rows are fetched without an iterator.
def of_files(op, name, make, key='plain', damage=lambda x: x, n=3, types=(i64,)):
    run, how, _, data = WRITTEN[key]
    given = dict(output_types=list(types), output_shapes=[ANY] * len(types))

    def build(b):
        folder = f'/tmp/tenon_golden_{op}_{name}'
        written = R.WriteFile(filename=folder + '/00000000.snapshot', contents=tf.constant(damage(data), st))
        d = make(b, folder, how, given)
        rows = [R.DatasetToSingleElement(dataset=R.TakeDataset(input_dataset=R.SkipDataset(
            input_dataset=d, count=i, **given), count=1, **given), **given) for i in range(n)]  # fmt: skip
        return [dict(target=[written])] + [dict(fetch=row) for row in rows] + [dict(fetch=[R.DatasetCardinality(input_dataset=d)])]

    steps(f'{op}/{name}', build)


def shard_of(start=0, version=2, compression=None, folder=None):
    return lambda b, path, how, given: R.SnapshotDatasetReader(
        shard_dir=folder or path, start_index=fed(b, 'start', i64, start), compression=how if compression is None else compression,
        version=version, **given)  # fmt: skip


def chunk_of(file='/00000000.snapshot', compression=None):
    return lambda b, path, how, given: R.SnapshotChunkDataset(
        chunk_file=fed(b, 'file', st, [path] if file is None else path + file), compression=how if compression is None else compression, **given)  # fmt: skip


of_files('SnapshotDatasetReader', 'plain', shard_of(), n=8)
of_files('SnapshotDatasetReader', 'snappy', shard_of(), 'snappy', n=8)
of_files('SnapshotDatasetReader', 'from_3', shard_of(3), n=5)
of_files('SnapshotDatasetReader', 'no_folder', shard_of(folder='/tmp/tenon_golden_none'), n=1)
of_files('SnapshotDatasetReader', 'damaged', shard_of(), damage=lambda x: x[:17] + b'?' + x[18:], n=2)
of_files('SnapshotDatasetReader', 'start_vector', shard_of([1]), n=1)
of_files('SnapshotChunkDataset', 'plain', chunk_of(), n=8)
of_files('SnapshotChunkDataset', 'snappy', chunk_of(), 'snappy', n=8)
of_files('SnapshotChunkDataset', 'no_file', chunk_of('/none'), n=1)
of_files('SnapshotChunkDataset', 'damaged', chunk_of(), damage=lambda x: x[:17] + b'?' + x[18:], n=2)
of_files('SnapshotChunkDataset', 'cut', chunk_of(), damage=lambda x: x[:70], n=3)
of_files('SnapshotChunkDataset', 'vector', chunk_of(None), n=1)

# TensorFlow crashes when it reads the datasets of SnapshotNestedDatasetReader by another op than LoadDataset.
values('SnapshotNestedDatasetReader/not_dataset', lambda b: R.DatasetCardinality(input_dataset=R.SnapshotNestedDatasetReader(
    inputs=[R.OptionalNone(), count(1)], output_types=[variant], output_shapes=[ANY])))  # fmt: skip
for n in (1, 2, 5):
    values(f'SnapshotNestedDatasetReader/count_{n}', lambda b, n=n: R.DatasetCardinality(input_dataset=R.SnapshotNestedDatasetReader(
        inputs=[count(3)] * n, output_types=[variant], output_shapes=[ANY])))  # fmt: skip

# SPDX-License-Identifier: Apache-2.0
"""Golden cases of datasets and iterators, for tools/make_golden.py. tf.data makes the graphs; MakeIterator and IteratorGetNext run
them. Cases that read files are in tests/ops/data/files_test.cpp: two runs of one case must not write one file at a time."""

import tensorflow as tf
from tensorflow.python.framework import function

R=tf.raw_ops
D=tf.data.Dataset
I64=tf.int64
CASES=[]
def add(name, build, compare='exact', note=''):
    if all(case[0] != name for case in CASES): CASES.append((name,build,compare,note))
def seq(name, make, n=8, feeds=None):
    def build(b):
        ds=make(b) if make.__code__.co_varnames[:1]==('b',) else make()
        it=tf.compat.v1.data.make_initializable_iterator(ds)
        nxt=tf.nest.flatten(it.get_next(), expand_composites=True)
        return [dict(target=[it.initializer],**({'feed':feeds} if feeds else {}))]+[{'fetch':nxt} for i in range(n)]
    add(name,build)
def v(ds): return ds._variant_tensor
def run(name, f, feeds=None, steps=1):
    """f(b) gives tensors to fetch, in `steps` runs."""
    def build(b):
        out=f(b)
        out=tf.nest.flatten(out)
        return [dict(fetch=out,**({'feed':feeds} if feeds else {}))]*steps
    add(name,build)
S=dict(output_types=[I64],output_shapes=[tf.TensorShape([])])
seq('range', lambda: D.range(5))
seq('range_neg', lambda: D.range(5,-4,-2))
seq('range_empty', lambda: D.range(5,5))
seq('tensors', lambda: D.from_tensors((tf.constant([1,2]),tf.constant('a'))))
seq('slices', lambda: D.from_tensor_slices((tf.reshape(tf.range(6),[3,2]),tf.constant(['a','b','c']))))
seq('slices_empty', lambda: D.from_tensor_slices(tf.zeros([0,2])))
seq('repeat2', lambda: D.range(3).repeat(2))
seq('repeat0', lambda: D.range(3).repeat(0))
seq('repeat_inf', lambda: D.range(3).repeat())
seq('repeat_inf_empty', lambda: D.range(0).repeat())
seq('take', lambda: D.range(10).take(3))
seq('take0', lambda: D.range(10).take(0))
seq('takeall', lambda: D.range(4).take(-1))
seq('skip', lambda: D.range(6).skip(4))
seq('skipmore', lambda: D.range(6).skip(7))
seq('skipall', lambda: D.range(6).skip(-1))
seq('skip_take', lambda: D.range(20).skip(3).take(5).skip(2))
seq('shard', lambda: D.range(10).shard(3,1))
seq('shard0', lambda: D.range(10).shard(3,0).skip(1))
seq('concat', lambda: D.range(3).concatenate(D.range(10,12)))
seq('zip', lambda: D.zip((D.range(3),D.range(10,20).batch(2),D.from_tensors('x').repeat())))
seq('batch', lambda: D.range(7).batch(3))
seq('batch_drop', lambda: D.range(7).batch(3,drop_remainder=True))
seq('batch_par', lambda: D.range(7).batch(3,num_parallel_calls=2))
seq('batch_str', lambda: D.from_tensor_slices(tf.constant(['a','bb','ccc'])).batch(2))
seq('batch_mismatch', lambda: D.range(1,5).map(lambda x: tf.fill([x],x)).batch(2))
seq('padded', lambda: D.range(1,6).map(lambda x: tf.fill([x],x)).padded_batch(2,padded_shapes=[None]))
seq('padded_fixed', lambda: D.range(1,6).map(lambda x: tf.fill([x],x)).padded_batch(2,padded_shapes=[6],padding_values=tf.constant(-1,tf.int64)))
seq('padded_small', lambda: D.range(1,6).map(lambda x: tf.fill([x],x)).padded_batch(2,padded_shapes=[3]))
seq('padded_2d', lambda: D.range(1,6).map(lambda x: tf.fill([x,6-x],x)).padded_batch(3,padded_shapes=[None,None],drop_remainder=True))
seq('padded_str', lambda: D.range(1,4).map(lambda x: tf.fill([x],'s')).padded_batch(3,padded_shapes=[None],padding_values='pad'))
seq('map', lambda: D.range(4).map(lambda x: (x*2,tf.as_string(x))))
seq('map_capture', lambda b: D.range(4).map(lambda x, c=tf.constant(10,tf.int64): x+c))
seq('pmap', lambda: D.range(6).map(lambda x: x*x,num_parallel_calls=2))
seq('pmap_nondet', lambda: D.range(6).map(lambda x: x*x,num_parallel_calls=1,deterministic=False))
seq('map_err', lambda: D.range(4).map(lambda x: tf.debugging.check_numerics(1.0/tf.cast(x-2,tf.float32),'bad')))
seq('pmap_err', lambda: D.range(4).map(lambda x: tf.debugging.check_numerics(1.0/tf.cast(x-2,tf.float32),'bad'),num_parallel_calls=2))
seq('filter', lambda: D.range(10).filter(lambda x: x%3==0))
seq('filter_tuple', lambda: D.zip((D.range(10),D.range(10,20))).filter(lambda x,y: (x+y)%4==0))
seq('take_while', lambda: D.range(10).take_while(lambda x: x<4))
seq('flat_map', lambda: D.range(4).flat_map(lambda x: D.range(x)))
seq('flat_map_cap', lambda: D.range(4).flat_map(lambda x: D.from_tensors(x).repeat(x)))
seq('interleave', lambda: D.range(5).interleave(lambda x: D.range(x*10,x*10+3),cycle_length=2,block_length=2), 18)
seq('interleave_uneven', lambda: D.range(6).interleave(lambda x: D.range(x),cycle_length=3,block_length=2), 18)
seq('interleave_par', lambda: D.range(6).interleave(lambda x: D.range(x),cycle_length=3,block_length=2,num_parallel_calls=2), 18)
seq('interleave_par_bl1', lambda: D.range(6).interleave(lambda x: D.range(x),cycle_length=4,block_length=1,num_parallel_calls=3,deterministic=True), 18)
seq('interleave_big', lambda: D.range(3).interleave(lambda x: D.range(x+1),cycle_length=100,block_length=1), 8)
seq('scan', lambda: D.range(5).scan(tf.constant(0,tf.int64),lambda s,x:(s+x,s*x)))
for seed in [1,2]:
  for bs in [1,2,5,10,100]:
    seq('shuffle_%d_%d'%(seed,bs), lambda seed=seed,bs=bs: D.range(10).shuffle(bs,seed=seed))
    seq('shuffle_noresh_%d_%d'%(seed,bs), lambda seed=seed,bs=bs: D.range(4).shuffle(bs,seed=seed,reshuffle_each_iteration=False).repeat(3),14)
    seq('shuffle_resh_%d_%d'%(seed,bs), lambda seed=seed,bs=bs: D.range(4).shuffle(bs,seed=seed,reshuffle_each_iteration=True).repeat(3),14)
    seq('shuffle_repeat_%d_%d'%(seed,bs), lambda seed=seed,bs=bs: D.range(4).apply(tf.data.experimental.shuffle_and_repeat(bs,3,seed)),14)
    seq('shuffle_repeat_inf_%d_%d'%(seed,bs), lambda seed=seed,bs=bs: D.range(2).apply(tf.data.experimental.shuffle_and_repeat(bs,seed=seed)),14)
seq('prefetch', lambda: D.range(5).prefetch(2))
seq('prefetch_auto', lambda: D.range(5).prefetch(-1))
seq('cache', lambda: D.range(4).cache().repeat(2))
seq('cache_shuffle', lambda: D.range(4).shuffle(4,seed=3).cache().repeat(2))
seq('cache_take', lambda: D.range(4).cache().take(2).repeat(3))
seq('window', lambda: D.range(7).window(3).flat_map(lambda x: x.batch(3)))
seq('window_shift', lambda: D.range(7).window(3,shift=1,drop_remainder=True).flat_map(lambda x: x.batch(3)))
seq('window_stride', lambda: D.range(10).window(3,shift=2,stride=2).flat_map(lambda x: x.batch(3)))
seq('window_bigshift', lambda: D.range(10).window(2,shift=4).flat_map(lambda x: x.batch(3)))
seq('window_tuple', lambda: D.zip((D.range(5),D.range(5,10))).window(2).flat_map(lambda x,y: D.zip((x,y))))
seq('unbatch', lambda: D.range(7).batch(3).unbatch())
seq('rebatch', lambda: D.range(9).batch(4).rebatch([2,3]))
seq('rebatch_drop', lambda: D.range(9).batch(4).rebatch(5,drop_remainder=True))
seq('unique', lambda: D.from_tensor_slices([1,2,1,3,2,4]).unique())
seq('unique_str', lambda: D.from_tensor_slices(['a','b','a']).unique())
seq('random', lambda: D.random(seed=5))
seq('random2', lambda: D.random(seed=5,rerandomize_each_iteration=True).take(3).repeat(3))
seq('sample', lambda: D.sample_from_datasets([D.range(5),D.range(10,15)],weights=[0.3,0.7],seed=1),14)
seq('choose', lambda: D.choose_from_datasets([D.range(5),D.range(10,15)],D.from_tensor_slices(tf.constant([0,1,1,0,1],tf.int64)),stop_on_empty_dataset=False))
seq('group_by_window', lambda: D.range(10).group_by_window(lambda x:x%3,lambda k,w:w.batch(2),window_size=2))
seq('group_by_window2', lambda: D.range(10).group_by_window(lambda x:x%3,lambda k,w:w.batch(10),window_size_func=lambda k:k+1),14)
seq('sparse_slices', lambda: D.from_tensor_slices(tf.sparse.from_dense([[1,0,2],[0,0,0],[3,4,0]])))
seq('assert_card', lambda: D.range(4).filter(lambda x:x>0).apply(tf.data.experimental.assert_cardinality(3)))
seq('assert_card_few', lambda: D.range(4).filter(lambda x:x>0).apply(tf.data.experimental.assert_cardinality(5)))
seq('assert_card_many', lambda: D.range(4).filter(lambda x:x>0).apply(tf.data.experimental.assert_cardinality(2)))
seq('ignore_errors', lambda: D.range(4).map(lambda x: tf.debugging.check_numerics(1.0/tf.cast(x-2,tf.float32),'bad')).ignore_errors())
seq('map_and_batch', lambda: D.range(7).apply(tf.data.experimental.map_and_batch(lambda x:x*2,3)))
seq('map_and_batch_drop', lambda: D.range(7).apply(tf.data.experimental.map_and_batch(lambda x:x*2,3,drop_remainder=True)))
seq('map_and_batch_err', lambda: D.range(7).apply(tf.data.experimental.map_and_batch(lambda x: tf.debugging.check_numerics(1.0/tf.cast(x-2,tf.float32),'bad'),2)))
seq('options', lambda: D.range(4).with_options(tf.data.Options()))
seq('bucket', lambda: D.range(1,9).map(lambda x: tf.fill([x],x)).bucket_by_sequence_length(lambda x: tf.size(x), [3,6],[2,2,2]))
seq('group_reducer', lambda: D.range(6).apply(tf.data.experimental.group_by_reducer(lambda x:x%2, tf.data.experimental.Reducer(lambda k: k*0, lambda s,x: s+x, lambda s: s))))
for t in ['int8','int16','int32','uint8','uint16','uint32','uint64','float32','float64','float16','bfloat16']:
    seq('range_'+t, lambda t=t: D.range(0,6,2,output_type=getattr(tf,t)),4)
seq('range_step0', lambda b: D.range(0,5,b.placeholder('s',I64,[])),1,{'s':0})
seq('range_step', lambda b: D.range(0,5,b.placeholder('s',I64,[])),4,{'s':3})
seq('range_rank1', lambda b: D.range(0,b.placeholder('s',I64,[1]),1),4,{'s':[3]})
for seed in [7,123456789012]:
  for bs in [1,2,3,5,100]:
    for n in [1,7,20]:
      def build(b,seed=seed,bs=bs,n=n):
        def once(reshuffle):
            d=R.ShuffleDatasetV3(input_dataset=v(D.range(n)),buffer_size=bs,seed=seed,seed2=n,seed_generator=R.DummySeedGenerator(),reshuffle_each_iteration=reshuffle,**S)
            d=R.RepeatDataset(input_dataset=d,count=3,**S)
            d=R.BatchDatasetV2(input_dataset=d,batch_size=100,drop_remainder=False,output_types=[I64],output_shapes=[tf.TensorShape([None])])
            return R.DatasetToSingleElement(dataset=d,output_types=[I64],output_shapes=[tf.TensorShape([None])])
        def rep(count):
            d=R.ShuffleAndRepeatDatasetV2(input_dataset=v(D.range(n)),buffer_size=bs,seed=seed,seed2=n,count=count,seed_generator=R.DummySeedGenerator(),reshuffle_each_iteration=True,**S)
            d=R.TakeDataset(input_dataset=d,count=50,**S)
            d=R.BatchDatasetV2(input_dataset=d,batch_size=100,drop_remainder=False,output_types=[I64],output_shapes=[tf.TensorShape([None])])
            return R.DatasetToSingleElement(dataset=d,output_types=[I64],output_shapes=[tf.TensorShape([None])])
        return [{'fetch':once(True)+once(False)+rep(3)+rep(-1)}]
      add('shuffle3_%d_%d_%d'%(seed,bs,n),build)
def all_of(d,types=[I64],n=1000):
    shapes=[tf.TensorShape(None)]*len(types)
    d=R.BatchDatasetV2(input_dataset=d,batch_size=n,drop_remainder=False,output_types=types,output_shapes=shapes)
    return R.DatasetToSingleElement(dataset=d,output_types=types,output_shapes=shapes)
run('shuffle_unknown', lambda b: all_of(R.ShuffleDatasetV3(input_dataset=v(D.range(9)),buffer_size=-2,seed=1,seed2=2,seed_generator=R.DummySeedGenerator(),**S)))
run('shuffle_unknown_repeat', lambda b: all_of(R.RepeatDataset(input_dataset=R.ShuffleDatasetV3(input_dataset=v(D.range(9)),buffer_size=-2,seed=1,seed2=2,seed_generator=R.DummySeedGenerator(),**S),count=2,**S)))
run('shuffle_repeat_unknown', lambda b: all_of(R.ShuffleAndRepeatDatasetV2(input_dataset=v(D.range(5)),buffer_size=-2,seed=1,seed2=2,count=3,seed_generator=R.DummySeedGenerator(),**S)))
for bad in [0,-1,-3]:
    run('shuffle_bad%d'%bad, lambda b,bad=bad: all_of(R.ShuffleDatasetV3(input_dataset=v(D.range(9)),buffer_size=b.placeholder('n',I64,[]),seed=1,seed2=2,seed_generator=R.DummySeedGenerator(),**S)),{'n':bad})
    run('shuffle_repeat_bad%d'%bad, lambda b,bad=bad: all_of(R.ShuffleAndRepeatDatasetV2(input_dataset=v(D.range(9)),buffer_size=3,count=b.placeholder('n',I64,[]),seed=1,seed2=2,seed_generator=R.DummySeedGenerator(),**S)) if bad!=-1 else R.DatasetCardinality(input_dataset=v(D.range(3))),{'n':bad} if bad!=-1 else None)
    run('batch_bad%d'%bad, lambda b,bad=bad: all_of(R.BatchDatasetV2(input_dataset=v(D.range(9)),batch_size=b.placeholder('n',I64,[]),drop_remainder=False,**S)),{'n':bad})
    run('window_bad_size%d'%bad, lambda b,bad=bad: R.DatasetCardinality(input_dataset=R.WindowDataset(input_dataset=v(D.range(9)),size=b.placeholder('n',I64,[]),shift=1,stride=1,drop_remainder=False,output_types=[tf.variant],output_shapes=[tf.TensorShape([])])),{'n':bad})
    run('window_bad_shift%d'%bad, lambda b,bad=bad: R.DatasetCardinality(input_dataset=R.WindowDataset(input_dataset=v(D.range(9)),size=2,shift=b.placeholder('n',I64,[]),stride=1,drop_remainder=False,output_types=[tf.variant],output_shapes=[tf.TensorShape([])])),{'n':bad})
    run('window_bad_stride%d'%bad, lambda b,bad=bad: R.DatasetCardinality(input_dataset=R.WindowDataset(input_dataset=v(D.range(9)),size=2,shift=1,stride=b.placeholder('n',I64,[]),drop_remainder=False,output_types=[tf.variant],output_shapes=[tf.TensorShape([])])),{'n':bad})
    run('prefetch_size%d'%bad, lambda b,bad=bad: all_of(R.PrefetchDataset(input_dataset=v(D.range(9)),buffer_size=b.placeholder('n',I64,[]),**S)),{'n':bad})
    run('shard_num%d'%bad, lambda b,bad=bad: all_of(R.ShardDataset(input_dataset=v(D.range(9)),num_shards=b.placeholder('n',I64,[]),index=0,**S)),{'n':bad})
    run('shard_index%d'%bad, lambda b,bad=bad: all_of(R.ShardDataset(input_dataset=v(D.range(9)),num_shards=3,index=b.placeholder('n',I64,[]),**S)),{'n':bad+4})
    seq('pmap_calls%d'%bad, lambda b,bad=bad: D.range(4).map(lambda x:x+1,num_parallel_calls=b.placeholder('n',I64,[])),2,{'n':bad})
    seq('interleave_cycle%d'%bad, lambda b,bad=bad: D.range(4).interleave(lambda x:D.range(x),cycle_length=b.placeholder('n',I64,[]),block_length=1),3,{'n':bad})
    seq('interleave_block%d'%bad, lambda b,bad=bad: D.range(4).interleave(lambda x:D.range(x),cycle_length=2,block_length=b.placeholder('n',I64,[])),3,{'n':bad})
    seq('pinterleave_cycle%d'%bad, lambda b,bad=bad: D.range(4).interleave(lambda x:D.range(x),cycle_length=b.placeholder('n',I64,[]),block_length=1,num_parallel_calls=2),3,{'n':bad})
    seq('mab_bad%d'%bad, lambda b,bad=bad: D.range(7).apply(tf.data.experimental.map_and_batch(lambda x:x*2,b.placeholder('n',I64,[]))),3,{'n':bad})
    seq('padded_bad%d'%bad, lambda b,bad=bad: D.range(7).padded_batch(b.placeholder('n',I64,[]),padded_shapes=[]),3,{'n':bad})
# cardinality
cards={'range':lambda:D.range(7),'inf':lambda:D.range(3).repeat(),'empty_inf':lambda:D.range(0).repeat(),'rep0':lambda:D.range(3).repeat(0),'rep2':lambda:D.range(3).repeat(2),
 'map':lambda:D.range(3).map(lambda x:x),'filter':lambda:D.range(3).filter(lambda x:True),'fm':lambda:D.range(3).flat_map(lambda x:D.range(2)),'batch':lambda:D.range(7).batch(2),'batchd':lambda:D.range(7).batch(2,True),
 'take':lambda:D.range(7).take(3),'take9':lambda:D.range(7).take(9),'takeinf':lambda:D.range(7).repeat().take(9),'takeall':lambda:D.range(7).take(-1),'skip':lambda:D.range(7).skip(3),'skip9':lambda:D.range(7).skip(9),'skipall':lambda:D.range(7).skip(-1),'skipinf':lambda:D.range(7).repeat().skip(4),'skipallinf':lambda:D.range(7).repeat().skip(-1),'take_unknown':lambda:D.range(7).filter(lambda x:True).take(3),'take0_unknown':lambda:D.range(7).filter(lambda x:True).take(0),
 'skip_unknown':lambda:D.range(7).filter(lambda x:True).skip(3),'shard':lambda:D.range(7).shard(3,0),'shard2':lambda:D.range(7).shard(3,2),'concat':lambda:D.range(7).concatenate(D.range(2)),'concat_inf':lambda:D.range(7).filter(lambda x:True).concatenate(D.range(2).repeat()),'zip':lambda:D.zip((D.range(7),D.range(2))),'zip_inf':lambda:D.zip((D.range(7),D.range(2).repeat())),'zip_unknown':lambda:D.zip((D.range(7),D.range(2).filter(lambda x:True))),
 'window':lambda:D.range(7).window(2,1),'windowd':lambda:D.range(7).window(3,2,2,True),'unbatch':lambda:D.range(7).batch(2).unbatch(),'unbatchd':lambda:D.range(7).batch(2,True).unbatch(),'cache':lambda:D.range(7).cache(),'prefetch':lambda:D.range(7).prefetch(2),'shuffle':lambda:D.range(7).shuffle(2),'sr':lambda:D.range(7).apply(tf.data.experimental.shuffle_and_repeat(2,3)),'srinf':lambda:D.range(7).apply(tf.data.experimental.shuffle_and_repeat(2)),
 'scan':lambda:D.range(7).scan(tf.constant(0,I64),lambda s,x:(s,x)),'tw':lambda:D.range(7).take_while(lambda x:True),'unique':lambda:D.range(7).unique(),'ac':lambda:D.range(7).apply(tf.data.experimental.assert_cardinality(5)),'ig':lambda:D.range(7).ignore_errors(),'ig_inf':lambda:D.range(7).repeat().ignore_errors(),'random':lambda:D.random(1),'gbw':lambda:D.range(7).group_by_window(lambda x:x,lambda k,w:w,1),'rebatch':lambda:D.range(8).batch(4).rebatch(2),'mab':lambda:D.range(7).apply(tf.data.experimental.map_and_batch(lambda x:x,2)),'il':lambda:D.range(3).interleave(lambda x:D.range(2)),'slices':lambda:D.from_tensor_slices([1,2,3]),'tensors':lambda:D.from_tensors(1),'fm_inf':lambda:D.range(3).repeat().flat_map(lambda x:D.range(2)),'filter_inf':lambda:D.range(3).repeat().filter(lambda x:True),'padded':lambda:D.range(7).padded_batch(2,padded_shapes=[]),'map_filter':lambda:D.range(3).filter(lambda x:True).map(lambda x:x),'repeat_unknown':lambda:D.range(3).filter(lambda x:True).repeat(2),'repeat_unknown_inf':lambda:D.range(3).filter(lambda x:True).repeat(),'choose':lambda:D.choose_from_datasets([D.range(5),D.range(10,15)],D.range(2),stop_on_empty_dataset=False),'choose_inf':lambda:D.choose_from_datasets([D.range(5),D.range(10,15).repeat()],D.range(2).repeat(),stop_on_empty_dataset=True),'scan_inf':lambda:D.range(3).repeat().scan(tf.constant(0,I64),lambda s,x:(s,x)),'tw_inf':lambda:D.range(3).repeat().take_while(lambda x:True),'unbatch_inf':lambda:D.range(3).repeat().batch(2).unbatch(),'rebatch_inf':lambda:D.range(3).repeat().batch(2).rebatch(2),'unique_inf':lambda:D.range(3).repeat().unique(),'il_inf':lambda:D.range(3).repeat().interleave(lambda x:D.range(2)),'text':lambda:tf.data.TextLineDataset('x'),'gen': lambda: D.range(3)}
for k,f in cards.items(): run('card_'+k, lambda b,f=f: R.DatasetCardinality(input_dataset=v(f())))
# reduce and single element
run('reduce', lambda b: D.range(5).reduce(tf.constant(0,I64),lambda s,x:s+x))
run('reduce_tuple', lambda b: D.range(5).reduce((tf.constant(0,I64),tf.constant('')),lambda s,x:(s[0]+x,tf.strings.join([s[1],tf.as_string(x)]))))
run('reduce_empty', lambda b: D.range(0).reduce(tf.constant(3,I64),lambda s,x:s+x))
run('single', lambda b: D.range(1).get_single_element())
run('single_empty', lambda b: D.range(0).get_single_element())
run('single_two', lambda b: D.range(2).get_single_element())
run('single_twice', lambda b: D.range(3).batch(3).map(lambda x: x+1).get_single_element(), steps=2)
run('single_types', lambda b: R.DatasetToSingleElement(dataset=v(D.range(1)),output_types=[tf.int32],output_shapes=[tf.TensorShape([])]))
run('single_shapes', lambda b: R.DatasetToSingleElement(dataset=v(D.range(1)),output_types=[I64],output_shapes=[tf.TensorShape([2])]))
run('single_count', lambda b: R.DatasetToSingleElement(dataset=v(D.range(1)),output_types=[I64,I64],output_shapes=[tf.TensorShape([])]*2))
run('wrap', lambda b: R.DatasetToSingleElement(dataset=R.UnwrapDatasetVariant(input_handle=R.WrapDatasetVariant(input_handle=v(D.range(1)))),output_types=[I64],output_shapes=[tf.TensorShape([])]))
run('unwrap_bad', lambda b: R.DatasetCardinality(input_dataset=R.UnwrapDatasetVariant(input_handle=v(D.range(1)))))
run('wrap_bad', lambda b: R.DatasetCardinality(input_dataset=R.WrapDatasetVariant(input_handle=v(D.range(1)))))
run('optional_as_dataset', lambda b: R.DatasetCardinality(input_dataset=R.OptionalNone()))
o=tf.data.Options(); o.deterministic=False; o.threading.private_threadpool_size=3
run('get_options', lambda b: R.GetOptions(input_dataset=v(D.range(3).with_options(o).map(lambda x:x))))
run('get_options_none', lambda b: R.GetOptions(input_dataset=v(D.range(3))))
# optional
run('opt_none', lambda b: R.OptionalHasValue(optional=R.OptionalNone()))
run('opt_value', lambda b: [R.OptionalHasValue(optional=R.OptionalFromValue(components=[tf.constant(1),tf.constant('a')]))]+list(R.OptionalGetValue(optional=R.OptionalFromValue(components=[tf.constant(1),tf.constant('a')]),output_types=[tf.int32,tf.string],output_shapes=[tf.TensorShape([]),tf.TensorShape([])])))
run('opt_get_none', lambda b: R.OptionalGetValue(optional=R.OptionalNone(),output_types=[tf.int32],output_shapes=[tf.TensorShape([])]))
run('opt_get_type', lambda b: R.OptionalGetValue(optional=R.OptionalFromValue(components=[tf.constant(1)]),output_types=[tf.float32],output_shapes=[tf.TensorShape([])]))
run('opt_get_shape', lambda b: R.OptionalGetValue(optional=R.OptionalFromValue(components=[tf.constant(1)]),output_types=[tf.int32],output_shapes=[tf.TensorShape([3])]))
run('opt_get_count', lambda b: R.OptionalGetValue(optional=R.OptionalFromValue(components=[tf.constant(1),tf.constant(2)]),output_types=[tf.int32],output_shapes=[tf.TensorShape([])]))
run('opt_has_dataset', lambda b: R.OptionalHasValue(optional=v(D.range(2))))
run('opt_get_dataset', lambda b: R.OptionalGetValue(optional=v(D.range(2)),output_types=[tf.int32],output_shapes=[tf.TensorShape([])]))
G=lambda o: R.OptionalGetValue(optional=o,output_types=[tf.float32],output_shapes=[tf.TensorShape(None)])
F=lambda *x: R.OptionalFromValue(components=[tf.constant(y,tf.float32) for y in x])
run('opt_zeros', lambda b: G(tf.zeros_like(F([1.,2.]))))
run('opt_zeros_none', lambda b: R.OptionalHasValue(optional=R.ZerosLike(x=R.OptionalNone())))
run('opt_add', lambda b: G(R.AddN(inputs=[F([1.,2.]),F([3.,4.]),F([5.,6.])])))
run('opt_add_none', lambda b: R.OptionalHasValue(optional=R.AddN(inputs=[R.OptionalNone(),R.OptionalNone()])))
run('opt_add_mixed', lambda b: R.OptionalHasValue(optional=R.AddN(inputs=[R.OptionalNone(),F(1.)])))
run('opt_add_count', lambda b: R.OptionalHasValue(optional=R.AddN(inputs=[F(1.,2.),F(1.)])))
# iterators
def it_raw(types=[I64],shapes=[tf.TensorShape([])],**k):
    return R.IteratorV2(shared_name=k.get('name','it'),container='',output_types=types,output_shapes=shapes)
def nx(h,types=[I64],shapes=[tf.TensorShape([])],op=R.IteratorGetNext): return op(iterator=h,output_types=types,output_shapes=shapes)
def b_uninit(b):
    h=it_raw(); return [{'fetch':nx(h)}]
add('it_uninit',b_uninit)
def b_reinit(b):
    h=it_raw(); m=R.MakeIterator(dataset=v(D.range(2)),iterator=h); m2=R.MakeIterator(dataset=v(D.range(5,7)),iterator=h); n=nx(h)
    return [{'target':[m]},{'fetch':n},{'target':[m2]},{'fetch':n},{'fetch':n},{'fetch':n},{'target':[m]},{'fetch':n}]
add('it_reinit',b_reinit)
def b_types(b):
    h=it_raw(); return [{'target':[R.MakeIterator(dataset=v(D.from_tensors(1.0)),iterator=h)]}]
add('it_types',b_types)
def b_shapes(b):
    h=it_raw(shapes=[tf.TensorShape([2])]); return [{'target':[R.MakeIterator(dataset=v(D.range(2)),iterator=h)]}]
add('it_shapes',b_shapes)
def b_count(b):
    h=it_raw(); return [{'target':[R.MakeIterator(dataset=v(D.zip((D.range(2),D.range(2)))),iterator=h)]}]
add('it_count',b_count)
def b_next_types(b):
    h=it_raw(); m=R.MakeIterator(dataset=v(D.range(2)),iterator=h); return [{'target':[m]},{'fetch':nx(h,[tf.int32])},{'fetch':nx(h,shapes=[tf.TensorShape([1])])},{'fetch':nx(h,[I64,I64],[tf.TensorShape([])]*2)},{'fetch':nx(h)}]
add('it_next_types',b_next_types)
def b_sync(b):
    h=it_raw(); m=R.MakeIterator(dataset=v(D.range(2)),iterator=h); n=nx(h,op=R.IteratorGetNextSync); return [{'target':[m]},{'fetch':n},{'fetch':n},{'fetch':n}]
add('it_sync',b_sync)
def b_opt(b):
    h=it_raw(); m=R.MakeIterator(dataset=v(D.range(2)),iterator=h); n=R.OptionalHasValue(optional=nx(h,op=R.IteratorGetNextAsOptional)); return [{'target':[m]},{'fetch':[n]},{'fetch':[n]},{'fetch':[n]},{'fetch':[n]}]
add('it_optional',b_opt)
def b_shared(b):
    h=it_raw(name='a'); h2=it_raw(name='a'); h3=it_raw(types=[tf.float32],name='a'); m=R.MakeIterator(dataset=v(D.range(3)),iterator=h); return [{'target':[m]},{'fetch':nx(h2)},{'fetch':nx(h)},{'target':[h3.op]}]
add('it_shared',b_shared)
def b_str(b):
    h=it_raw(name='a'); m=R.MakeIterator(dataset=v(D.range(3)),iterator=h); s=R.IteratorToStringHandle(resource_handle=h); h2=R.IteratorFromStringHandleV2(string_handle=s,output_types=[I64],output_shapes=[tf.TensorShape([])]); h3=R.IteratorFromStringHandleV2(string_handle=s,output_types=[tf.float32],output_shapes=[tf.TensorShape([])]); h4=R.IteratorFromStringHandleV2(string_handle='abc'); h5=R.IteratorFromStringHandle(string_handle=s)
    return [{'target':[m]},{'fetch':nx(h2)},{'fetch':nx(h5)},{'target':[h3.op]},{'target':[h4.op]}]
add('it_string',b_str)
def b_anon(b):
    h=R.AnonymousIteratorV3(output_types=[I64],output_shapes=[tf.TensorShape([])]); m=R.MakeIterator(dataset=v(D.range(3)),iterator=h)
    with tf.control_dependencies([m]): n=nx(h)
    with tf.control_dependencies(n): n2=nx(h)
    return [{'fetch':n+n2},{'fetch':n+n2}]
add('it_anon3',b_anon)
def b_anon2(b):
    h,d=R.AnonymousIteratorV2(output_types=[I64],output_shapes=[tf.TensorShape([])]); m=R.MakeIterator(dataset=v(D.range(3)),iterator=h)
    with tf.control_dependencies([m]): n=nx(h)
    with tf.control_dependencies(n): e=R.DeleteIterator(handle=h,deleter=d)
    return [{'fetch':n,'target':[e]},{'fetch':n}]
add('it_anon2',b_anon2)
def b_one(b):
    it=tf.compat.v1.data.make_one_shot_iterator(D.range(3).map(lambda x:x*x)); n=it.get_next(); return [{'fetch':[n]}]*4
add('it_oneshot',b_one)
def b_one_err(b):
    it=tf.compat.v1.data.make_one_shot_iterator(D.range(3).batch(tf.constant(0,I64))); n=it.get_next(); return [{'fetch':[n]}]*2
add('it_oneshot_err',b_one_err)
# functions
seq('map_types', lambda: D.range(3).map(lambda x:(tf.cast(x,tf.int32),{'a':x,'b':(tf.as_string(x),)})))
seq('map_str', lambda: D.from_tensor_slices(['1','2']).map(tf.strings.to_number))
seq('map_end', lambda: D.range(4).flat_map(lambda x: D.range(x).map(lambda y: x*10+y)),8)
seq('nested', lambda: D.range(4).window(2).map(lambda w: w.reduce(tf.constant(0,I64),lambda s,x:s+x)),4)
seq('nested2', lambda: D.range(6).batch(2).flat_map(lambda x: D.from_tensor_slices(x).map(lambda y:y+1)),8)
seq('map_cond', lambda: D.range(5).map(lambda x: tf.cond(x>2,lambda:x*10,lambda:x)),6)
seq('filter_two', lambda: D.range(5).filter(lambda x: x>1),6)
seq('unbatch_tuple', lambda: D.zip((D.range(4).batch(2),D.range(4,8).batch(2))).unbatch(),6)
seq('unbatch_mismatch', lambda: D.zip((D.range(4).batch(2),D.range(4,10).batch(3))).unbatch(),6)
seq('unbatch_empty', lambda: D.range(4).map(lambda x: tf.range(x)).unbatch(),8)
seq('rebatch_0', lambda: D.range(9).batch(4).rebatch([2,0,3]),8)
seq('rebatch_multi', lambda: D.range(9).batch(2).rebatch([5]),4)
seq('rebatch_bad', lambda b: D.range(9).batch(2).rebatch(b.placeholder('n',I64,[None])),4,{'n':[]})
seq('batch_scalar_types', lambda: D.zip((D.range(5),D.from_tensor_slices([1.,2.,3.,4.,5.]),D.from_tensor_slices([True,False,True,False,True]),D.from_tensor_slices(['a','b','c','d','e']))).batch(2),4)
seq('batch_empty', lambda: D.from_tensor_slices(tf.zeros([3,0,2])).batch(2),3)
seq('zip_short', lambda: D.zip((D.range(5),D.range(2))),4)
seq('zip_nested', lambda: D.zip((D.range(3),(D.range(3,6),D.range(6,9)))),4)
seq('concat_types', lambda b: D.range(3).concatenate(D.range(2).map(lambda x:x+5)),6)
seq('take_while_all', lambda: D.range(3).take_while(lambda x: x<10),5)
seq('scan_tuple', lambda: D.range(5).scan((tf.constant(0,I64),tf.constant(1,I64)),lambda s,x:((s[1],s[0]+s[1]),(s[0],x))),6)
seq('unique_i64', lambda: D.from_tensor_slices(tf.constant([5,5,7,5,8],I64)).unique(),5)
seq('sparse', lambda: D.from_tensor_slices(tf.SparseTensor(tf.constant([[0,0],[0,2],[2,1]],I64),[1,2,3],tf.constant([4,3],I64))),5)

run('sparse_batch_raw', lambda b: R.DatasetToSingleElement(dataset=R.TakeDataset(input_dataset=R.DenseToSparseBatchDataset(input_dataset=v(D.range(1,5).map(lambda x: tf.fill([x],x))),batch_size=3,row_shape=tf.constant([6],I64),output_types=[I64,I64,I64],output_shapes=[tf.TensorShape(None)]*3),count=1,output_types=[I64]*3,output_shapes=[tf.TensorShape(None)]*3),output_types=[I64]*3,output_shapes=[tf.TensorShape(None)]*3))
run('sparse_batch_rawn', lambda b: R.DatasetToSingleElement(dataset=R.TakeDataset(input_dataset=R.DenseToSparseBatchDataset(input_dataset=v(D.range(1,5).map(lambda x: tf.fill([x],x))),batch_size=3,row_shape=tf.constant([-1],I64),output_types=[I64,I64,I64],output_shapes=[tf.TensorShape(None)]*3),count=1,output_types=[I64]*3,output_shapes=[tf.TensorShape(None)]*3),output_types=[I64]*3,output_shapes=[tf.TensorShape(None)]*3))
run('sparse_batch_big', lambda b: R.DatasetToSingleElement(dataset=R.TakeDataset(input_dataset=R.DenseToSparseBatchDataset(input_dataset=v(D.range(1,5).map(lambda x: tf.fill([x],x))),batch_size=3,row_shape=tf.constant([2],I64),output_types=[I64,I64,I64],output_shapes=[tf.TensorShape(None)]*3),count=1,output_types=[I64]*3,output_shapes=[tf.TensorShape(None)]*3),output_types=[I64]*3,output_shapes=[tf.TensorShape(None)]*3))
run('sparse_batch_rank', lambda b: R.DatasetToSingleElement(dataset=R.TakeDataset(input_dataset=R.DenseToSparseBatchDataset(input_dataset=v(D.range(1,5).map(lambda x: tf.fill([x],x))),batch_size=3,row_shape=tf.constant([2,2],I64),output_types=[I64,I64,I64],output_shapes=[tf.TensorShape(None)]*3),count=1,output_types=[I64]*3,output_shapes=[tf.TensorShape(None)]*3),output_types=[I64]*3,output_shapes=[tf.TensorShape(None)]*3))
for rate in [0.0,0.3,0.7,1.0]:
    run('sampling_%g'%rate, lambda b,rate=rate: all_of(R.ConcatenateDataset(input_dataset=R.SamplingDataset(input_dataset=v(D.range(30)),rate=rate,seed=3,seed2=4,**S),another_dataset=v(D.range(1)),**S)))
for seed in [1,2]:
    run('random_%d'%seed, lambda b,seed=seed: all_of(R.TakeDataset(input_dataset=R.RandomDataset(seed=seed,seed2=5,**S),count=11,**S)))
    run('random2_%d'%seed, lambda b,seed=seed: all_of(R.RepeatDataset(input_dataset=R.TakeDataset(input_dataset=R.RandomDatasetV2(seed=seed,seed2=5,seed_generator=R.DummySeedGenerator(),rerandomize_each_iteration=True,**S),count=6,**S),count=3,**S)))
    def b_gen(b,seed=seed):
        h,d=R.AnonymousSeedGenerator(seed=seed,seed2=9,reshuffle=True)
        a=R.ShuffleDatasetV3(input_dataset=v(D.range(9)),buffer_size=5,seed=1,seed2=2,seed_generator=h,**S)
        one=all_of(a)
        with tf.control_dependencies(one): two=all_of(a)
        return [{'fetch':one+two},{'fetch':one+two}]
    add('seedgen_%d'%seed,b_gen)
    def b_gen2(b,seed=seed):
        h,d=R.AnonymousRandomSeedGenerator(seed=seed,seed2=9)
        a=R.ShuffleDatasetV2(input_dataset=v(D.range(9)),buffer_size=5,seed_generator=h,**S)
        one=all_of(a)
        with tf.control_dependencies(one): two=all_of(a)
        return [{'fetch':one+two}]
    add('seedgen2_%d'%seed,b_gen2)
def b_cache2(b):
    h,d=R.AnonymousMemoryCache()
    c=R.CacheDatasetV2(input_dataset=v(D.range(5).shuffle(5,seed=4)),filename='',cache=h,**S)
    one=all_of(c)
    with tf.control_dependencies(one): two=all_of(c)
    return [{'fetch':one+two}]
add('cache2',b_cache2)
run('cache2_dummy', lambda b: all_of(R.RepeatDataset(input_dataset=R.CacheDatasetV2(input_dataset=v(D.range(5).shuffle(5,seed=4)),filename='',cache=R.DummyMemoryCache(),**S),count=2,**S)))
seq('stateful_shuffle_take', lambda: D.range(10).shuffle(3,seed=5).take(4).repeat(3),14)
seq('shuffle_batch_epochs', lambda: D.range(10).shuffle(10,seed=5).batch(4).repeat(2),8)
seq('shuffle_two', lambda: D.zip((D.range(5).shuffle(5,seed=1),D.range(5).shuffle(5,seed=1))),6)
seq('choose_stop', lambda: D.choose_from_datasets([D.range(2),D.range(10,15)],D.from_tensor_slices(tf.constant([0,1,0,0,1,1],I64)),stop_on_empty_dataset=True),6)
seq('choose_range', lambda: D.choose_from_datasets([D.range(2),D.range(10,15)],D.from_tensor_slices(tf.constant([0,2,0,-1,1],I64)),stop_on_empty_dataset=True),6)
seq('sample', lambda: D.sample_from_datasets([D.range(5),D.range(10,15)],weights=[0.3,0.7],seed=1),12)
seq('group_reducer', lambda: D.range(6).apply(tf.data.experimental.group_by_reducer(lambda x:1-x%2, tf.data.experimental.Reducer(lambda k: k*100, lambda s,x: s+x, lambda s: s))),4)
seq('bucket', lambda: D.range(1,9).map(lambda x: tf.fill([x],x)).bucket_by_sequence_length(lambda x: tf.size(x), [3,6],[2,2,2]),6)
seq('gbw_bad', lambda: D.range(10).group_by_window(lambda x:x%3,lambda k,w:w.batch(10),window_size_func=lambda k:k-1),4)
seq('ragged_window', lambda: D.range(5).window(2,drop_remainder=True).flat_map(lambda w: D.zip((w,w))),6)
# functions that end, or fail
def end_fn(x):
    """OutOfRange when x is 2."""
    h=R.AnonymousIteratorV3(output_types=[I64],output_shapes=[tf.TensorShape([])])
    m=R.MakeIterator(dataset=D.range(tf.cast(x!=2,I64)*1)._variant_tensor,iterator=h)
    with tf.control_dependencies([m]): return R.IteratorGetNext(iterator=h,output_types=[I64],output_shapes=[tf.TensorShape([])])[0]+x
def raw_fn(name, mk, n=6):
    def build(b):
        @function.Defun(I64)
        def f(x): return end_fn(x)
        @function.Defun(I64)
        def p(x): return tf.equal(end_fn(x),x)
        d=mk(f,p)
        h=R.IteratorV2(shared_name='it',container='',output_types=[I64],output_shapes=[tf.TensorShape(None)]); m=R.MakeIterator(dataset=d,iterator=h); q=R.IteratorGetNext(iterator=h,output_types=[I64],output_shapes=[tf.TensorShape(None)])
        return [{'target':[m]}]+[{'fetch':q}]*n
    add(name,build)
V=lambda: D.range(5)._variant_tensor
raw_fn('end_map', lambda f,p: R.MapDataset(input_dataset=V(),other_arguments=[],f=f,**S))
raw_fn('end_map_pres', lambda f,p: R.MapDataset(input_dataset=V(),other_arguments=[],f=f,preserve_cardinality=True,**S))
raw_fn('end_pmap', lambda f,p: R.ParallelMapDatasetV2(input_dataset=V(),other_arguments=[],num_parallel_calls=1,f=f,**S),4)
raw_fn('end_pmap_pres', lambda f,p: R.ParallelMapDatasetV2(input_dataset=V(),other_arguments=[],num_parallel_calls=2,f=f,preserve_cardinality=True,**S))
raw_fn('end_filter', lambda f,p: R.FilterDataset(input_dataset=V(),other_arguments=[],predicate=p,**S))
raw_fn('end_take_while', lambda f,p: R.TakeWhileDataset(input_dataset=V(),other_arguments=[],predicate=p,**S))
raw_fn('end_mab', lambda f,p: R.MapAndBatchDataset(input_dataset=V(),other_arguments=[],f=f,batch_size=2,num_parallel_calls=1,drop_remainder=False,output_types=[I64],output_shapes=[tf.TensorShape(None)]),3)
raw_fn('end_mab1', lambda f,p: R.MapAndBatchDataset(input_dataset=V(),other_arguments=[],f=f,batch_size=4,num_parallel_calls=1,drop_remainder=False,output_types=[I64],output_shapes=[tf.TensorShape(None)]),3)
raw_fn('end_mab_pres', lambda f,p: R.MapAndBatchDataset(input_dataset=V(),other_arguments=[],f=f,batch_size=2,num_parallel_calls=1,drop_remainder=False,preserve_cardinality=True,output_types=[I64],output_shapes=[tf.TensorShape(None)]),4)
raw_fn('fm_not_dataset', lambda f,p: R.FlatMapDataset(input_dataset=V(),other_arguments=[],f=f,**S),2)
raw_fn('filter_not_bool', lambda f,p: R.FilterDataset(input_dataset=V(),other_arguments=[],predicate=f,**S),2)
raw_fn('tw_not_bool', lambda f,p: R.TakeWhileDataset(input_dataset=V(),other_arguments=[],predicate=f,**S),2)
raw_fn('map_wrong_type', lambda f,p: R.MapDataset(input_dataset=V(),other_arguments=[],f=p,**S),3)
raw_fn('map_wrong_argtype', lambda f,p: R.MapDataset(input_dataset=D.from_tensor_slices([1.,2.])._variant_tensor,other_arguments=[],f=f,**S),2)
raw_fn('pint_legacy', lambda f,p: R.ConcatenateDataset(input_dataset=V(),another_dataset=V(),**S),2)
def b_leg(b,op=None):
    @function.Defun(I64)
    def f(x): return D.range(x*10,x*10+3)._variant_tensor
    d=R.ParallelInterleaveDataset(input_dataset=V(),other_arguments=[],cycle_length=2,block_length=1,sloppy=False,buffer_output_elements=2,prefetch_input_elements=1,f=f,**S)
    h=R.IteratorV2(shared_name='it',container='',output_types=[I64],output_shapes=[tf.TensorShape(None)]); m=R.MakeIterator(dataset=d,iterator=h); q=R.IteratorGetNext(iterator=h,output_types=[I64],output_shapes=[tf.TensorShape(None)])
    return [{'target':[m]}]+[{'fetch':q}]*16
add('legacy_interleave',b_leg)
def b_red_end(b):
    @function.Defun(I64,I64)
    def f(s,x): return end_fn(x)+s
    return [{'fetch':R.ReduceDataset(input_dataset=V(),initial_state=[tf.constant(0,I64)],other_arguments=[],f=f,**S)}]
add('end_reduce',b_red_end)
def b_red_types(b):
    @function.Defun(I64,I64)
    def f(s,x): return tf.cast(s,tf.float32)
    @function.Defun(I64,I64)
    def g(s,x): return s,x
    return [{'fetch':R.ReduceDataset(input_dataset=D.range(1)._variant_tensor,initial_state=[tf.constant(0,I64)],other_arguments=[],f=f,**S)},{'fetch':R.ReduceDataset(input_dataset=D.range(1)._variant_tensor,initial_state=[tf.constant(0,I64)],other_arguments=[],f=g,**S)}]
add('reduce_types',b_red_types)
def b_scan_end(b):
    @function.Defun(I64,I64)
    def f(s,x): y=end_fn(x); return y+s,y
    d=R.ScanDataset(input_dataset=V(),initial_state=[tf.constant(0,I64)],other_arguments=[],f=f,**S)
    h=R.IteratorV2(shared_name='it',container='',output_types=[I64],output_shapes=[tf.TensorShape(None)]); m=R.MakeIterator(dataset=d,iterator=h); q=R.IteratorGetNext(iterator=h,output_types=[I64],output_shapes=[tf.TensorShape(None)])
    return [{'target':[m]}]+[{'fetch':q}]*4
add('end_scan',b_scan_end)
def b_list(b):
    d=R.ListDataset(tensors=[tf.constant(3,I64),tf.constant(4,I64)],**S)
    h=R.IteratorV2(shared_name='it',container='',output_types=[I64],output_shapes=[tf.TensorShape(None)]); m=R.MakeIterator(dataset=d,iterator=h); q=R.IteratorGetNext(iterator=h,output_types=[I64],output_shapes=[tf.TensorShape(None)])
    return [{'target':[m]}]+[{'fetch':q}]*3
add('list',b_list)
def b_save(b):
    h=R.IteratorV2(shared_name='it',container='',output_types=[I64],output_shapes=[tf.TensorShape([])])
    return [{'target':[R.SerializeIterator(resource_handle=h).op]}]
add('save_uninit',b_save)

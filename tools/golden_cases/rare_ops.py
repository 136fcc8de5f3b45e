# SPDX-License-Identifier: Apache-2.0
"""Cases for tests/golden/ops/rare_ops.pb: word2vec, coordinate ascent, sparse factors and others that few graphs have."""

import functools
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
random = np.random.default_rng(31)
f16, bf16, f32, f64, i16, i32, i64, st = (
    tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int16, tf.int32, tf.int64, tf.string)  # fmt: skip
raw = tf.raw_ops


def steps(name, build, compare='close'):
    CASES.append((name, build, compare))


def op(name, inputs, **attrs):
    from tensorflow.python.framework import op_def_library

    call = getattr(raw, name, None) or functools.partial(op_def_library.apply_op, name)
    return call(**inputs, **attrs)


# ---- SdcaFprint
for n in (0, 1, 3, 7, 8, 9, 15, 16, 17, 23, 24, 31, 32, 33, 48, 64, 65, 100, 127, 128, 129, 143, 144, 145, 200, 271, 272, 300, 1000):
    text = bytes((7 * i * i + 13 * i + n) % 256 for i in range(n))
    add('SdcaFprint', f'bytes_{n}', 'exact', known=n < 9, input=(st, np.array([text], object)))
add('SdcaFprint', 'many', 'exact', input=(st, np.array(['a', 'b', '', 'some more words'], object)))
add('SdcaFprint', 'none', 'exact', input=(st, np.zeros([0], object)))
add('SdcaFprint', 'matrix', 'exact', input=(st, np.array([['a']], object)))
add('SdcaFprint', 'scalar', 'exact', input=(st, np.array('a', object)))

# ---- SdcaOptimizer
LOSSES = ['logistic_loss', 'squared_loss', 'hinge_loss', 'smooth_hinge_loss', 'poisson_loss']


def sdca(name, loss='logistic_loss', examples=((0,),), features=((3,),), values=None, dense=(), weights=(1.0,), labels=(1.0,),
         indices=((3,),), sparse_weights=((0.25,),), dense_weights=(), state=None, l1=0.0, l2=1.0, partitions=1, inner=1,
         version='V2', adaptive=False, known=True):  # fmt: skip
    """One example, or examples that share no feature: TensorFlow takes them in any order."""
    n = len(weights)
    given = dict(
        sparse_example_indices=[(i64, list(x)) for x in examples], sparse_feature_indices=[(i64, list(x)) for x in features],
        sparse_feature_values=[(f32, list(x)) for x in (values or [])], dense_features=[(f32, x) for x in dense],
        example_weights=(f32, list(weights)), example_labels=(f32, list(labels)), sparse_indices=[(i64, list(x)) for x in indices],
        sparse_weights=[(f32, list(x)) for x in sparse_weights], dense_weights=[(f32, x) for x in dense_weights],
        example_state_data=(f32, np.zeros([n, 4]) if state is None else state))  # fmt: skip
    add('SdcaOptimizer' + version, name, known=known, loss_type=loss, l1=l1, l2=l2, num_loss_partitions=partitions,
        num_inner_iterations=inner, **{'adaptive' if version else 'adaptative': adaptive}, **given)  # fmt: skip


for version in ('', 'V2'):
    for loss in LOSSES:
        label = 2.0 if loss == 'poisson_loss' else 1.0
        sdca(loss, loss, labels=[label], version=version)
        sdca(loss + '_again', loss, labels=[label], state=[[0.3, 1, 2, 1]], version=version, known=False)
        sdca(loss + '_zero', loss, labels=[0], version=version, known=False)
        sdca(loss + '_mixed', loss, [[0, 0]], [[3, 5]], [[2, -1.5]], [[[1, 2, 3]]], [2.0], [label], [[5, 3, 9]], [[0.5, -1, 2]],
             [[0.1, -0.2, 0.3]], [[0.1, 0, 0, 0]], 0.1, 0.5, version=version, known=False)  # fmt: skip
        sdca(loss + '_large', loss, values=[[40.0]], labels=[label], sparse_weights=[[-1.0]], l2=0.01, version=version, known=False)
    sdca('partitions', partitions=3, inner=4, version=version)
    sdca('two_examples', examples=[[0, 1]], features=[[0, 1]], weights=[1, 2], labels=[0, 1], indices=[[0, 1]],
         sparse_weights=[[0, 0]], version=version)  # fmt: skip
    sdca('adaptive', adaptive=True, version=version)
    sdca('shrunk', l1=2.0, l2=1.0, version=version)
    sdca('dense', examples=[], features=[], dense=[[[1, -1]], [[2]]], indices=[], sparse_weights=[], dense_weights=[[1, 2], [3]],
         version=version)  # fmt: skip
    sdca('no_examples', examples=[[]], features=[[]], weights=[], labels=[], version=version)
    sdca('without_features', examples=[[]], features=[[]], version=version)
    sdca('label_half', labels=[0.5], version=version)
    sdca('label_negative', 'poisson_loss', labels=[-1.0], version=version)
    sdca('unknown_feature', features=[[4]], version=version)
    sdca('duplicate', examples=[[0, 0]], features=[[3, 3]], version=version)
    sdca('mismatched', examples=[[0]], features=[[3, 3]], version=version)
    sdca('state_shape', state=np.zeros([1, 3]), version=version)
    sdca('state_count', state=np.zeros([2, 4]), version=version)
    sdca('no_groups', examples=[], features=[], indices=[], sparse_weights=[], version=version)
    sdca('more_dense_than_weights', examples=[], features=[], dense=[[[1, 2, 3]]], indices=[], sparse_weights=[], dense_weights=[[1, 2]],
         version=version)  # fmt: skip
    sdca('gap', examples=[[1]], features=[[3]], weights=[1, 1], labels=[1, 1], version=version)

# ---- SparseMatrixSparseCholesky
def cholesky(name, matrix, permutation, T=f64, type=None):
    def build(b):
        a = np.asarray(matrix)
        p = b.placeholder('a', T, a.shape)
        q = b.placeholder('p', i32, np.shape(permutation))
        where = np.argwhere(a != 0).reshape(-1, a.ndim)
        sparse = raw.DenseToCSRSparseMatrix(dense_input=p, indices=tf.constant(where, i64))
        factor = raw.SparseMatrixSparseCholesky(input=sparse, permutation=q, type=type or T)
        fetch = [raw.CSRSparseMatrixToDense(sparse_input=factor, type=type or T)]
        fetch += raw.CSRSparseMatrixComponents(csr_sparse_matrix=factor, index=0, type=type or T)
        return [dict(fetch=fetch, feed=dict(a=a.astype(T.as_numpy_dtype), p=np.asarray(permutation, np.int32)))]

    steps('SparseMatrixSparseCholesky/' + name, build)


def definite(n, share, seed):
    r = np.random.default_rng(seed)
    a = np.where(r.random((n, n)) < share, r.uniform(-1, 1, (n, n)), 0)
    return a @ a.T + np.eye(n)


small = [[10, 1, 0, 2], [1, 8, 3, 0], [0, 3, 9, 0], [2, 0, 0, 7]]
for T in (f32, f64, tf.complex64, tf.complex128):
    cholesky(T.name, small, [2, 0, 3, 1], T)
cholesky('complex', [[4, 1 + 1j], [1 - 1j, 5]], [1, 0], tf.complex128)
cholesky('complex_larger', (lambda a: a @ a.conj().T + np.eye(3))(np.array([[1, 2j, 0], [0, 1, 1 - 1j], [3, 0, 1j]])), [2, 0, 1], tf.complex64)
for n, share in [(1, 1), (5, 0.3), (12, 0.15), (30, 0.05), (40, 0.03), (17, 1)]:
    cholesky(f'random_{n}', definite(n, share, n), np.random.default_rng(n).permutation(n))
cholesky('batch', np.stack([definite(6, 0.3, 1), definite(6, 0.2, 2), np.eye(6)]), [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [1, 0, 3, 2, 5, 4]])
cholesky('cancelled', [[4, 2, 2, 0], [2, 4, 1, 0], [2, 1, 4, 1], [0, 0, 1, 4]], [0, 1, 2, 3])
cholesky('lower_only', [[4, 0], [1, 5]], [1, 0])
cholesky('upper_only', [[4, 1], [0, 5]], [1, 0])
cholesky('unsymmetric', [[4, 1], [3, 5]], [0, 1])
cholesky('arrow_fills', np.eye(6) * 9 + np.array([[1] * 6] + [[1] + [0] * 5] * 5), range(6))
cholesky('arrow_last', np.eye(6) * 9 + np.array([[1] * 6] + [[1] + [0] * 5] * 5), range(5, -1, -1))
cholesky('not_definite', [[1, 2], [2, 1]], [0, 1])
cholesky('no_diagonal', [[0, 1], [1, 0]], [0, 1])
cholesky('second_not_definite', np.stack([np.eye(2), -np.eye(2)]), [[0, 1], [0, 1]])
cholesky('not_square', np.ones((2, 3)), [0, 1])
cholesky('rank_of_permutation', np.eye(2), [[0, 1]])
cholesky('rank_of_batch', np.stack([np.eye(2)] * 2), [0, 1])
cholesky('no_rows', np.zeros((0, 0)), np.zeros(0))
cholesky('infinite', [[np.inf, 0], [0, 1]], [0, 1])
cholesky('nan', [[np.nan, 0], [0, 1]], [0, 1])


# ---- Skipgram
# Words of which no two are equally frequent: TensorFlow orders these at random.
WORDS = [f'word{i}' for i in range(24) for _ in range(2 + 2 * i + i * i // 8)]
TEXT = ' \n'.join(np.random.default_rng(5).permutation(WORDS)) + '\t'


def written(path, contents):
    return dict(target=[raw.WriteFile(filename=path, contents=contents)])


def skipgram(name, batch=8, runs=2, compare='exact', text=TEXT, **attrs):
    path = '/tmp/tenon_golden_words_' + name

    def build(b):
        tf.import_graph_def(tf.compat.v1.GraphDef(versions=dict(producer=18)))
        out = op('Skipgram', {}, filename=path, batch_size=batch, **dict(dict(window_size=5, min_count=5, subsample=1e-3), **attrs))
        return ([written(path, text)] if text is not None else []) + [dict(fetch=list(out))] * runs

    steps('Skipgram/' + name, build, compare)


skipgram('plain')
skipgram('all_words', min_count=1)
skipgram('window_1', window_size=1)
skipgram('window_4', window_size=4, min_count=3)
skipgram('no_subsample', subsample=0.0)
skipgram('more_subsample', subsample=1e-5)
skipgram('negative_subsample', subsample=-1.0)
skipgram('long', batch=4000, runs=3)
skipgram('whole_draw', batch=3000, runs=2)
skipgram('none', batch=0)
skipgram('rare', min_count=10000)
skipgram('negative_count', min_count=-5)
skipgram('too_wide', window_size=1000)
skipgram('no_file', text=None)
skipgram('empty', text='')
skipgram('short', text='a b ' * 20)
skipgram('just_enough', text='a b a ' * 20, window_size=6)
skipgram('two_words', text='a b a ' * 50)
skipgram('negative_batch', batch=-1)


# ---- NegTrain
def neg_train(name, examples, labels, rate=0.25, counts=(5, 3, 2, 1), samples=2, shapes=((4, 3), (4, 3)), runs=2, same=False):
    def build(b):
        tf.import_graph_def(tf.compat.v1.GraphDef(versions=dict(producer=18)))
        r = np.random.default_rng(7)
        v = [raw.VariableV2(shape=s, dtype=f32, shared_name=f'v{i}') for i, s in enumerate(shapes)]
        init = [raw.Assign(ref=x, value=tf.constant(r.uniform(-1, 1, s), f32)) for x, s in zip(v, shapes)]
        e = b.placeholder('e', i32, np.shape(examples))
        l = b.placeholder('l', i32, np.shape(labels))
        lr = b.placeholder('lr', f32, np.shape(rate))
        train = op('NegTrain', dict(w_in=v[0], w_out=v[0 if same else 1], examples=e, labels=l, lr=lr), vocab_count=list(counts),
                   num_negative_samples=samples)  # fmt: skip
        feed = dict(e=np.asarray(examples, np.int32), l=np.asarray(labels, np.int32), lr=np.asarray(rate, np.float32))
        read = [tf.identity(x) for x in v]
        first = [dict(target=[i.op for i in init])] if name != 'unset' else []
        return first + [dict(target=[train], feed=feed), dict(fetch=read)] * runs

    steps('NegTrain/' + name, build)


# The draws are TensorFlow's own in each session: there is one word to draw.
neg_train('plain', [0, 1, 2, 3], [1, 2, 3, 0], counts=(0, 0, 4, 0))
neg_train('one', [0], [0], counts=(0, 7, 0, 0))
neg_train('none', [], [])
neg_train('no_samples', [0, 1], [1, 2], samples=0)
neg_train('negative_samples', [0, 1], [1, 2], samples=-1)
neg_train('many_samples', [0, 1, 2], [1, 0, 3], samples=20, counts=(0, 0, 0, 1))
neg_train('only_the_label', [0, 1], [3, 3], samples=4, counts=(0, 0, 0, 1))
neg_train('repeated', [1, 1, 1, 1], [2, 2, 2, 2], counts=(9, 0, 0, 0))
neg_train('rate', [0, 1], [2, 3], rate=10.0, counts=(9, 0, 0, 0))
neg_train('zero_rate', [0, 1], [2, 3], rate=0.0)
neg_train('one_word', [0], [0], counts=(3,), shapes=((1, 2), (1, 2)))
neg_train('same_variable', [0, 1], [2, 3], same=True, counts=(0, 2, 0, 0))
neg_train('wide', [0, 1, 2, 3], [3, 2, 1, 0], shapes=((4, 37), (4, 37)), counts=(0, 2, 0, 0))
neg_train('vocab', [0], [1], counts=(1, 2, 3))
neg_train('shapes', [0], [1], shapes=((4, 3), (4, 2)))
neg_train('vector', [0], [1], shapes=((4,), (4,)))
neg_train('examples_matrix', [[0]], [[1]])
neg_train('labels', [0, 1], [1])
neg_train('rate_vector', [0], [1], rate=[0.1])
neg_train('unset', [0], [1])


# ---- RecordInput
def records_of(count, compression=''):
    with tempfile.TemporaryDirectory() as folder:
        with tf.io.TFRecordWriter(folder + '/r', compression) as writer:
            for _ in range(count):
                writer.write(b'a record')
        with open(folder + '/r', 'rb') as file:
            return file.read()


def record_input(name, batch=3, runs=2, files=(7,), contents=None, compression_type='', ending='_?', **attrs):
    """All records are equal: the order of TensorFlow's threads is not known."""
    path = '/tmp/tenon_golden_records_' + name

    def build(b):
        out = raw.RecordInput(file_pattern=path + ending, batch_size=batch, compression_type=compression_type, **attrs)
        before = [
            written(f'{path}_{i}', contents or records_of(n, compression_type)) for i, n in enumerate(files)
        ]
        return before + [dict(fetch=[out])] * runs

    steps('RecordInput/' + name, build, 'exact')


record_input('plain')
record_input('zlib', compression_type='ZLIB')
record_input('gzip', compression_type='GZIP')
record_input('several', batch=5, files=(3, 1, 4))
record_input('over_an_epoch', batch=23, runs=3)
record_input('small_buffer', batch=4, file_buffer_size=1)
record_input('shifted', batch=9, runs=3, files=(3, 2, 6), file_shuffle_shift_ratio=0.5)
record_input('seed', batch=2, file_random_seed=7)
record_input('sequential', batch=2, file_parallelism=1)
record_input('large_buffer', batch=2, file_buffer_size=1 << 40)
record_input('none_wanted', batch=0)
record_input('no_files', files=(), ending='*')
record_input('not_records', contents=b'these are not records, but a text')
record_input('one_file', ending='_0')

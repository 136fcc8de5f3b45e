#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes SavedModels by TensorFlow and Keras 3, and records what TensorFlow answers:
tools/make_saved_models.py FOLDER [NAME...]

Needs tensorflow and grpcio-tools. Writes FOLDER/NAME for each model of MODELS below and FOLDER/expected.pb, a CaseFile
as in tests/golden/golden.proto: a case is called NAME:TAGS, target[0] of a step is the signature, feeds and fetches are
the keys of its inputs and outputs. All steps of a case run in order in one session. Weights are random with fixed seeds;
nothing is downloaded.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ['TF_ENABLE_ONEDNN_OPTS'] = '0'

import keras
import numpy as np
import tensorflow as tf
from keras import layers as L

HERE = pathlib.Path(__file__).resolve().parent


def golden_messages():
    with tempfile.TemporaryDirectory() as folder:
        proto = HERE.parent / 'tests' / 'golden'
        subprocess.run([sys.executable, '-m', 'grpc_tools.protoc', f'-I{proto}', f'--python_out={folder}', 'golden.proto'],
                       check=True)
        sys.path.insert(0, folder)
        import golden_pb2

        return golden_pb2


golden = golden_messages()
random = np.random.default_rng(7)


def floats(*shape):
    return random.standard_normal(shape).astype(np.float32).round(3)


def texts(*values):
    return np.array(values, object)


# ---- models: each returns (what to save, steps); a step is (signature, feeds)

MODELS = {}


def model(function):
    MODELS[function.__name__] = function
    return function


def keras_steps(*feeds, name='serving_default'):
    return [(name, feed) for feed in feeds]


@model
def cnn_skip():
    """A residual CNN: convolutions with strides and dilation, batch norm, global pooling."""
    x = inputs = L.Input((16, 16, 3), name='image')
    x = L.Conv2D(8, 3, strides=2, padding='same', use_bias=False)(x)
    x = L.ReLU(6.0)(L.BatchNormalization()(x))
    y = L.Conv2D(8, 3, padding='same', dilation_rate=2, activation='swish')(x)
    x = L.Add()([x, y])
    x = L.Conv2DTranspose(4, 2, strides=2)(x)
    x = L.GlobalAveragePooling2D()(L.LeakyReLU()(x))
    return keras.Model(inputs, L.Dense(5, activation='softmax', name='scores')(x)), keras_steps(
        {'image': floats(1, 16, 16, 3)}, {'image': floats(3, 16, 16, 3)})


@model
def mobile_block():
    """Inverted residuals of MobileNetV2 with squeeze and excitation."""
    x = inputs = L.Input((12, 12, 4), name='image')
    for expand in (2, 4):
        y = L.Conv2D(4 * expand, 1, use_bias=False)(x)
        y = L.Activation('hard_swish')(L.BatchNormalization()(y))
        y = L.DepthwiseConv2D(3, padding='same', use_bias=False)(y)
        y = L.BatchNormalization()(y)
        s = L.GlobalAveragePooling2D(keepdims=True)(y)
        s = L.Conv2D(4 * expand, 1, activation='sigmoid')(L.Conv2D(2, 1, activation='relu')(s))
        y = L.Conv2D(4, 1, use_bias=False)(L.Multiply()([y, s]))
        x = L.Add()([x, y])
    return keras.Model(inputs, L.Flatten()(L.MaxPooling2D()(x))), keras_steps({'image': floats(2, 12, 12, 4)})


@model
def lstm_stack():
    """Two LSTMs over texts of numbers, the second one bidirectional; a mask."""
    x = inputs = L.Input((None,), dtype='int32', name='ids')
    x = L.Embedding(20, 6, mask_zero=True)(x)
    x = L.LSTM(5, return_sequences=True)(x)
    x = L.Bidirectional(L.LSTM(4))(x)
    return keras.Model(inputs, L.Dense(2)(x)), keras_steps(
        {'ids': np.array([[1, 2, 3, 0, 0], [4, 5, 6, 7, 8]], np.int32)}, {'ids': np.array([[9, 1]], np.int32)})


@model
def gru_state():
    """A GRU that keeps its state from call to call."""
    inputs = keras.Input(batch_shape=(2, 3, 4), name='frames')
    net = keras.Model(inputs, L.Dense(3)(L.GRU(6, stateful=True)(inputs)))
    frames = floats(2, 3, 4)
    return net, keras_steps({'frames': frames}, {'frames': frames}, {'frames': frames})


@model
def attention():
    """A transformer block over tokens with positions, causal, and its cross attention."""
    ids = L.Input((8,), dtype='int32', name='ids')
    memory = L.Input((5, 12), name='memory')
    x = L.Embedding(30, 12)(ids)
    x = L.LayerNormalization()(x + L.MultiHeadAttention(3, 4)(x, x, use_causal_mask=True))
    x = L.LayerNormalization()(x + L.MultiHeadAttention(2, 6)(x, memory))
    x = x + L.Dense(12)(L.Dense(24, activation='gelu')(x))
    return keras.Model([ids, memory], L.Dense(30)(L.UnitNormalization()(x))), keras_steps(
        {'ids': random.integers(0, 30, (2, 8)).astype(np.int32), 'memory': floats(2, 5, 12)})


@model
def text_vectors():
    """TextVectorization with n-grams and tf-idf, and one with padded ids, on raw strings."""
    words = texts('the cat sat on the mat', 'the dog sat', 'a bird sang in the tree', 'cat and dog')
    bag = L.TextVectorization(ngrams=2, output_mode='tf_idf', max_tokens=20)
    ids = L.TextVectorization(output_sequence_length=6, standardize='lower_and_strip_punctuation')
    bag.adapt(words)
    ids.adapt(words)
    inputs = L.Input((), dtype='string', name='text')
    x = L.Concatenate()([L.Dense(4)(bag(inputs)), L.GlobalAveragePooling1D()(L.Embedding(40, 3)(ids(inputs)))])
    return keras.Model(inputs, L.Dense(1, activation='sigmoid')(x)), keras_steps(
        {'text': texts('The CAT, sat!', 'unknown words')}, {'text': texts('a bird sang in the tree')},
        {'text': texts('')})


@model
def lookups():
    """StringLookup of every output mode and back, IntegerLookup, Hashing, HashedCrossing."""
    color = L.Input((1,), dtype='string', name='color')
    number = L.Input((1,), dtype='int64', name='number')
    vocabulary = ['red', 'green', 'blue']
    one_hot = L.StringLookup(vocabulary=vocabulary, output_mode='one_hot', num_oov_indices=2)(color)
    index = L.StringLookup(vocabulary=vocabulary)(color)
    back = L.StringLookup(vocabulary=vocabulary, invert=True)(index)
    known = L.IntegerLookup(vocabulary=[10, 20, 30], output_mode='multi_hot')(number)
    hashed = L.Hashing(7, salt=[3, 4])(color)
    crossed = L.HashedCrossing(9)((color, number))
    net = keras.Model([color, number], {'one_hot': one_hot, 'index': index, 'back': back, 'known': known,
                                        'hashed': hashed, 'crossed': crossed})
    return net, keras_steps({'color': texts(['red'], ['pink'], ['blue']), 'number': np.array([[10], [11], [30]])})


@model
def columns():
    """Numbers scaled, cut into buckets and crossed; pictures resized and cropped."""
    age = L.Input((1,), name='age')
    image = L.Input((9, 7, 3), name='image')
    normal = L.Normalization(mean=40.0, variance=100.0)(age)
    bucket = L.Discretization([20.0, 40.0, 60.0], output_mode='one_hot')(age)
    picture = L.Rescaling(1 / 127.5, -1.0)(L.Resizing(6, 6, interpolation='bilinear')(image))
    picture = L.CenterCrop(4, 4)(picture)
    return keras.Model([age, image], {'normal': normal, 'bucket': bucket, 'picture': picture}), keras_steps(
        {'age': np.array([[18.0], [41.5]], np.float32), 'image': np.abs(floats(2, 9, 7, 3)) * 50})


@model
def mixed_precision():
    """Computes in float16 and bfloat16, variables in float32."""
    inputs = L.Input((6,), name='x')
    x = L.Dense(8, activation='relu', dtype='mixed_float16')(inputs)
    x = L.Dense(8, activation='elu', dtype='mixed_bfloat16')(x)
    return keras.Model(inputs, L.Dense(2, dtype='float32')(x)), keras_steps({'x': floats(3, 6)})


class Calculator(tf.Module):
    """Several signatures that share a variable; a tuple and a dict as results; no inputs; assertions."""

    def __init__(self):
        super().__init__()
        self.total = tf.Variable(0.0, name='total')
        self.weights = [tf.Variable(floats(3, 2), name='w'), tf.Variable(np.float64(2.5), name='scale')]

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, 'values')])
    def add(self, values):
        tf.debugging.assert_all_finite(values, 'values must be finite')
        return {'total': self.total.assign_add(tf.reduce_sum(values)), 'count': tf.size(values)}

    @tf.function(input_signature=[])
    def clear(self):
        self.total.assign(0.0)
        return self.total.read_value()

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, 'x'), tf.TensorSpec([], tf.int32, 'steps')])
    def power(self, x, steps):
        y = tf.matmul(x, self.weights[0])
        for _ in tf.range(steps):
            y = tf.where(tf.reduce_sum(y) > 100.0, y / 2.0, y * y)
        return y, tf.cast(y, tf.float64) * self.weights[1]


@model
def module_signatures():
    module = Calculator()
    steps = [('add', {'values': np.float32([1, 2, 3])}), ('add', {'values': np.float32([])}),
             ('add', {'values': np.float32([np.nan])}), ('clear', {}), ('add', {'values': np.float32([4])}),
             ('power', {'x': floats(2, 3), 'steps': np.int32(3)}), ('power', {'x': floats(2, 3)})]
    return (module, {'add': module.add, 'clear': module.clear, 'power': module.power}), steps


class Ragged(tf.Module):
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.string, ragged_rank=1, row_splits_dtype=tf.int64)])
    def lengths(self, words):
        return {'lengths': tf.ragged.map_flat_values(tf.strings.length, words).to_tensor(-1),
                'joined': tf.strings.reduce_join(words, axis=1, separator='-')}

    @tf.function(input_signature=[tf.SparseTensorSpec([None, 4], tf.float32)])
    def rows(self, matrix):
        return {'sums': tf.sparse.reduce_sum(matrix, 1), 'dense': tf.sparse.to_dense(matrix)}


@model
def ragged_sparse():
    module = Ragged()
    steps = [('lengths', {'words': texts('a', 'bcd', 'ef'), 'words_1': np.array([0, 2, 2, 3])}),
             ('rows', {'matrix': np.array([[0, 1], [2, 3]]), 'matrix_1': np.float32([1.5, -2]), 'matrix_2': np.array([3, 4])})]
    return (module, {'lengths': module.lengths, 'rows': module.rows}), steps


class Quantised(tf.Module):
    """Weights and activations through fake quantisation, as training for int8 leaves them."""

    def __init__(self):
        super().__init__()
        self.kernel = tf.Variable(floats(3, 3, 2, 4) * 0.2)
        self.limits = tf.Variable([-1.5, 1.5])

    @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 2], tf.float32, 'image')])
    def run(self, image):
        low, high = self.limits[0], self.limits[1]
        x = tf.quantization.fake_quant_with_min_max_vars(image, low, high)
        kernel = tf.quantization.fake_quant_with_min_max_vars_per_channel(
            self.kernel, tf.reduce_min(self.kernel, [0, 1, 2]), tf.reduce_max(self.kernel, [0, 1, 2]), narrow_range=True)
        return tf.quantization.fake_quant_with_min_max_args(tf.nn.relu6(tf.nn.conv2d(x, kernel, 1, 'SAME')), 0.0, 6.0)


@model
def quantised():
    module = Quantised()
    return (module, {'serving_default': module.run}), keras_steps({'image': floats(1, 8, 8, 2)})


class Words(tf.Module):
    """A vocabulary file as an asset, with its tf.lookup table."""

    def __init__(self, folder):
        super().__init__()
        path = pathlib.Path(folder, 'words and names.txt')
        path.write_text('zero\none\ntwo\nthree\n')
        self.table = tf.lookup.StaticVocabularyTable(
            tf.lookup.TextFileInitializer(str(path), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                          tf.lookup.TextFileIndex.LINE_NUMBER), 2)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, 'words')])
    def look(self, words):
        return {'ids': self.table.lookup(words), 'size': self.table.size()}


@model
def vocabulary_file():
    module = Words(tempfile.mkdtemp())
    return (module, {'serving_default': module.look}), keras_steps({'words': texts('two', 'zero', 'many')})


@model
def trainer():
    """Trains a small net by Keras' Adam, whose slots are in the checkpoint."""
    net = keras.Sequential([L.Input((4,)), L.Dense(8, activation='tanh'), L.Dense(1)])
    optimizer = keras.optimizers.Adam(0.05)
    optimizer.build(net.trainable_variables)

    def train(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((net(x) - y) ** 2)
        grads = tape.gradient(loss, net.trainable_variables)
        optimizer.apply_gradients(zip(grads, net.trainable_variables))
        return {'loss': loss, 'iterations': tf.identity(optimizer.iterations.value)}

    archive = keras.export.ExportArchive()
    archive.track(net)
    archive.track(optimizer)
    x_spec = tf.TensorSpec([None, 4], tf.float32, 'x')
    archive.add_endpoint('train', train, [x_spec, tf.TensorSpec([None, 1], tf.float32, 'y')])
    archive.add_endpoint('infer', lambda x: {'y': net(x)}, [x_spec])
    x = floats(16, 4)
    y = (x[:, :1] * x[:, 1:2]).round(3)
    return archive, [('infer', {'x': x})] + [('train', {'x': x, 'y': y})] * 12 + [('infer', {'x': x})]


# ---- the models of examples/, trained for some seconds on data drawn here


@model
def sentiment():
    """Is a review good? TextVectorization with a vocabulary file, embeddings, an LSTM. Trained on drawn sentences."""
    good = 'great lovely excellent wonderful superb delightful charming brilliant'.split()
    bad = 'awful boring terrible dreadful poor dull horrible annoying'.split()
    things = 'film story ending music actor plot scene dialogue'.split()
    draw = lambda words: words[random.integers(len(words))]

    def sentence(positive):
        word = draw(good if positive else bad)
        kind = random.integers(4)
        if kind == 0:
            return f'The {draw(things)} was {word}'
        if kind == 1:  # a denial turns it round
            return f'The {draw(things)} was not {draw(bad if positive else good)}'
        if kind == 2:
            return f'A {word} {draw(things)} and a {draw(good if positive else bad)} {draw(things)}'
        return f'I thought the {draw(things)} would be {draw(good + bad)} but it was {word}'

    labels = random.integers(0, 2, 3000)
    train = texts(*[sentence(label) for label in labels])
    words = sorted({w.lower() for t in train for w in t.split()})
    path = pathlib.Path(tempfile.mkdtemp(), 'vocabulary.txt')
    path.write_text('\n'.join(words) + '\n')
    inputs = L.Input((), dtype='string', name='review')
    x = L.TextVectorization(standardize='lower', vocabulary=str(path), output_sequence_length=14)(inputs)
    x = L.Embedding(len(words) + 2, 12, mask_zero=True)(x)
    x = L.LSTM(16)(x)
    net = keras.Model(inputs, L.Dense(1, activation='sigmoid', name='good')(x))
    net.compile('adam', 'binary_crossentropy', metrics=['accuracy'])
    net.fit(tf.constant(train), labels, epochs=12, batch_size=32, verbose=0)
    print('  accuracy', net.evaluate(tf.constant(train), labels, verbose=0)[1])
    reviews = texts('The music was wonderful', 'The plot was not great', 'A dull story and a poor ending',
                    'I thought the film would be awful but it was charming', 'The dialogue was not boring')
    return net, keras_steps({'review': reviews}, {'review': reviews[:1]})


SHAPES = ('circle', 'cross', 'square', 'triangle')


def picture(shape, size=48):
    """A filled shape of random colour, place and size on another colour, with noise: uint8 [size, size, 3]."""
    y, x = np.mgrid[0:size, 0:size].astype(np.float32)
    cx, cy = random.uniform(0.35 * size, 0.65 * size, 2)
    r = random.uniform(0.2 * size, 0.33 * size)
    dx, dy = np.abs(x - cx), np.abs(y - cy)
    inside = {'circle': dx**2 + dy**2 < r**2, 'square': (dx < 0.85 * r) & (dy < 0.85 * r),
              'cross': ((dx < 0.3 * r) & (dy < r)) | ((dy < 0.3 * r) & (dx < r)),
              'triangle': (y < cy + 0.8 * r) & (dx < (y - cy + r) * 0.55)}[shape]
    back, front = random.uniform(0, 255, (2, 3))
    while np.abs(back - front).sum() < 180:
        back, front = random.uniform(0, 255, (2, 3))
    image = np.where(inside[..., None], front, back) + random.normal(0, 12, (size, size, 3))
    return np.clip(image, 0, 255).astype(np.uint8)


@model
def shapes():
    """Which shape is on a picture? A small MobileNetV2, trained on drawn pictures."""
    labels = random.integers(0, len(SHAPES), 2400)
    train = np.stack([picture(SHAPES[label]) for label in labels])

    def block(x, filters, stride):
        y = L.Conv2D(4 * x.shape[-1], 1, use_bias=False)(x)
        y = L.ReLU(6.0)(L.BatchNormalization(momentum=0.9)(y))
        y = L.DepthwiseConv2D(3, strides=stride, padding='same', use_bias=False)(y)
        y = L.ReLU(6.0)(L.BatchNormalization(momentum=0.9)(y))
        y = L.BatchNormalization(momentum=0.9)(L.Conv2D(filters, 1, use_bias=False)(y))
        return L.Add()([x, y]) if stride == 1 and filters == x.shape[-1] else y

    inputs = L.Input((48, 48, 3), dtype='uint8', name='image')
    x = L.Rescaling(1 / 127.5, -1.0)(inputs)
    x = L.ReLU(6.0)(L.BatchNormalization(momentum=0.9)(L.Conv2D(8, 3, strides=2, padding='same', use_bias=False)(x)))
    for filters, stride in ((8, 1), (12, 2), (12, 1), (16, 2), (16, 1)):
        x = block(x, filters, stride)
    x = L.GlobalAveragePooling2D()(L.Conv2D(32, 1, activation='relu')(x))
    net = keras.Model(inputs, L.Dense(len(SHAPES), activation='softmax', name='shape')(x))
    net.compile(keras.optimizers.Adam(3e-3), 'sparse_categorical_crossentropy', metrics=['accuracy'])
    net.fit(train, labels, epochs=10, batch_size=32, verbose=0)
    print('  accuracy', net.evaluate(train, labels, verbose=0)[1])
    test = np.stack([picture(name) for name in SHAPES])
    return net, keras_steps({'image': test}, {'image': test[:1]})


# ---- recording


def save(what, folder):
    if isinstance(what, keras.Model):
        # Biases and statistics that are not their initial zeros and ones.
        for v in what.non_trainable_variables + what.trainable_variables:
            if not what.compiled and v.dtype == 'float32' and len(v.shape) == 1:
                v.assign(v + np.abs(floats(*v.shape)) * 0.3)
        what.export(folder, verbose=False)
    elif hasattr(what, 'write_out'):
        what.write_out(folder, verbose=False)
    else:
        tf.saved_model.save(what[0], folder, signatures=what[1])
    shutil.rmtree(pathlib.Path(folder, 'debug'), ignore_errors=True)


def tensor_bytes(value, dtype):
    value = np.asarray(value, object) if dtype == tf.string else np.asarray(value)
    return tf.make_tensor_proto(value, dtype=dtype).SerializeToString()


def record(case, folder, tags, steps):
    options = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    options.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf.Graph().as_default(), tf.compat.v1.Session(config=options) as session:
        meta = tf.compat.v1.saved_model.load(session, tags, folder)
        for name, feeds in steps:
            signature = meta.signature_def[name]
            step = case.step.add(target=[name])
            for key, value in feeds.items():
                dtype = tf.as_dtype(signature.inputs[key].dtype)
                step.feed.add(name=key, tensor=tensor_bytes(value, dtype))
            try:
                values = session.run({k: v.name for k, v in signature.outputs.items()},
                                     {signature.inputs[k].name: v for k, v in feeds.items()})
            except tf.errors.OpError as error:
                step.code, step.message = error.error_code, error.message[:100]
                values = {}
            for key in sorted(signature.outputs):
                fetch = step.fetch.add(name=key)
                if key in values:
                    fetch.tensor = tensor_bytes(values[key], tf.as_dtype(signature.outputs[key].dtype))


def main():
    out = pathlib.Path(sys.argv[1])
    names = sys.argv[2:] or list(MODELS)
    cases = golden.CaseFile()
    for name in names:
        keras.utils.set_random_seed(11)
        what, steps = MODELS[name]()
        folder = str(out / name)
        shutil.rmtree(folder, ignore_errors=True)
        save(what, folder)
        case = cases.case.add(name=name + ':serve', compare='close', rtol=1e-4, atol=1e-5, note=MODELS[name].__doc__ or '')
        if name == 'mixed_precision':
            case.rtol, case.atol = 1e-2, 1e-2
        record(case, folder, ['serve'], steps)
        print(name, [step.code for step in case.step])
    (out / 'expected.pb').write_bytes(cases.SerializeToString(deterministic=True))


if __name__ == '__main__':
    main()

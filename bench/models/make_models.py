#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the graphs of models that are too large to keep, frozen, with random weights: bench/models/models_bench.cpp times them.

    make_models.py FOLDER [NAME...]      ->  FOLDER/NAME.pb, and FOLDER/NAME.onnx where tf2onnx is installed

Input "x", output "y", batch 1 (mlp_64, dlrm: 64). Files that are there stay as they are. Needs the package tensorflow-cpu
(or tensorflow); without it the program says so and ends with status 3. All are 1.1 GB, with ONNX twice that.
"""
import importlib.util
import os
import subprocess
import sys

if importlib.util.find_spec("tensorflow") is None:
    print(f"make_models.py: no models: {sys.executable} has no tensorflow", file=sys.stderr)
    sys.exit(3)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

v1 = tf.compat.v1
layers = tf.keras.layers
random = np.random.default_rng(1)


def weights(*shape, scale=None):
    """Normal with the variance that keeps activations alike from layer to layer, or of the given deviation."""
    scale = scale or shape[0] ** -0.5
    return tf.constant(random.standard_normal(shape, dtype=np.float32) * np.float32(scale))


def frozen(model, shape):
    """The GraphDef of a Keras model, its variables made constants."""
    @tf.function
    def predict(x):
        return tf.identity(model(x, training=False), name="y")
    concrete = predict.get_concrete_function(tf.TensorSpec(shape, tf.float32, name="x"))
    return convert_variables_to_constants_v2(concrete).graph.as_graph_def()


def mlp(batch):
    model = tf.keras.Sequential([layers.Input((784,), batch_size=batch), layers.Dense(128, activation="relu"),
                                 layers.Dense(10, activation="softmax")])
    return frozen(model, (batch, 784))


def cnn28():
    model = tf.keras.Sequential([
        layers.Input((28, 28, 1), batch_size=1), layers.Conv2D(32, 3, activation="relu"), layers.MaxPooling2D(),
        layers.Conv2D(64, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten(),
        layers.Dense(128, activation="relu"), layers.Dense(10, activation="softmax")])
    return frozen(model, (1, 28, 28, 1))


def application(make, **options):
    model = make(weights=None, input_shape=(224, 224, 3), **options)
    # Untrained, the batch norms know no statistics and the activations fade to nothing: one random batch gives them some.
    for layer in model.layers:
        if isinstance(layer, layers.BatchNormalization):
            layer.momentum = 0.0
    model(random.uniform(-1, 1, (4, 224, 224, 3)).astype(np.float32), training=True)
    return frozen(model, (1, 224, 224, 3))


def lstm(units=256, steps=64, depth=2):
    """Two layers in one loop of TensorFlow 1 (Enter, Merge, Switch...) with TensorArrays."""
    v1.disable_control_flow_v2()
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [1, steps, units], name="x")
        parameters = [(weights(2 * units, 4 * units), weights(4 * units, scale=0.1)) for _ in range(depth)]
        inputs = tf.TensorArray(tf.float32, steps, element_shape=[1, units]).unstack(tf.transpose(x, [1, 0, 2]))
        outputs = tf.TensorArray(tf.float32, steps, element_shape=[1, units])

        def step(time, outputs, *state):
            value, new = inputs.read(time), []
            for layer, (matrix, bias) in enumerate(parameters):
                hidden, cell = state[2 * layer:2 * layer + 2]
                gates = tf.nn.bias_add(tf.matmul(tf.concat([value, hidden], 1), matrix), bias)
                i, f, g, o = tf.split(gates, 4, axis=1)
                cell = tf.sigmoid(f) * cell + tf.sigmoid(i) * tf.tanh(g)
                value = tf.sigmoid(o) * tf.tanh(cell)
                new += [value, cell]
            return (time + 1, outputs.write(time, value), *new)

        zeros = [tf.zeros([1, units]) for _ in range(2 * depth)]
        loop = v1.while_loop(lambda time, *_: time < steps, step, [tf.constant(0), outputs, *zeros],
                             parallel_iterations=1, back_prop=False)
        tf.identity(tf.transpose(loop[1].stack(), [1, 0, 2]), name="y")
    v1.enable_control_flow_v2()
    return graph.as_graph_def()


def bert(depth=12, hidden=768, heads=12, steps=128, vocabulary=30522):
    """The encoder of BERT-base: erf-GELU, layer norm after each half; no mask, no token types."""
    with tf.Graph().as_default() as graph:
        ids = v1.placeholder(tf.int32, [1, steps], name="x")

        def norm(x):  # scale 1, offset 0, which are constants all the same
            mean = tf.reduce_mean(x, -1, keepdims=True)
            variance = tf.reduce_mean(tf.math.squared_difference(x, mean), -1, keepdims=True)
            scale = tf.math.rsqrt(variance + 1e-12) * tf.constant(np.ones(hidden, np.float32))
            return x * scale + (tf.constant(np.zeros(hidden, np.float32)) - mean * scale)

        def dense(x, size):
            return tf.nn.bias_add(tf.matmul(x, weights(x.shape[-1], size)), weights(size, scale=0.02))

        def split(x):
            return tf.transpose(tf.reshape(x, [1, steps, heads, hidden // heads]), [0, 2, 1, 3])

        words = weights(vocabulary, hidden, scale=0.02)
        x = norm(tf.gather(words, tf.reshape(ids, [steps])) + weights(steps, hidden, scale=0.02))
        for _ in range(depth):
            query, key, value = (split(dense(x, hidden)) for _ in range(3))
            share = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) * (hidden // heads) ** -0.5)
            mixed = tf.reshape(tf.transpose(tf.matmul(share, value), [0, 2, 1, 3]), [steps, hidden])
            x = norm(x + dense(mixed, hidden))
            h = dense(x, 4 * hidden)
            x = norm(x + dense(0.5 * h * (1.0 + tf.math.erf(h * np.float32(0.5 ** 0.5))), hidden))
        tf.identity(x, name="y")
    return graph.as_graph_def()


def convolution(x, channels, kernel=3, stride=1, dilation=1, activation=tf.nn.relu):
    matrix = weights(kernel, kernel, x.shape[-1], channels, scale=(2 / (kernel * kernel * x.shape[-1])) ** 0.5)
    y = tf.nn.bias_add(tf.nn.conv2d(x, matrix, stride, "SAME", dilations=dilation), weights(channels, scale=0.02))
    return activation(y) if activation else y


def unet(size=128, channels=16, depth=4):
    """Four halvings and their way back, with the maps of the way down beside those of the way up."""
    with tf.Graph().as_default() as graph:
        x, maps = v1.placeholder(tf.float32, [1, size, size, 3], name="x"), []
        for level in range(depth + 1):
            x = convolution(convolution(x, channels << level), channels << level)
            if level < depth:
                maps.append(x)
                x = tf.nn.max_pool2d(x, 2, 2, "VALID")
        for level in reversed(range(depth)):
            width = channels << level
            x = tf.nn.conv2d_transpose(x, weights(2, 2, width, 2 * width, scale=(8 * width) ** -0.5),
                                       [1, size >> level, size >> level, width], 2, "SAME")
            x = convolution(convolution(tf.concat([maps[level], x], 3), width), width)
        tf.nn.softmax(convolution(x, 4, 1, activation=None), name="y")
    return graph.as_graph_def()


def yolo(size=256, classes=20, boxes=3):
    """A small backbone, a head of boxes in cells, and the suppression of those that overlap."""
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [1, size, size, 3], name="x")

        def leaky(y):
            return tf.nn.leaky_relu(y, 0.1)
        for channels in (16, 32, 64, 128, 256):
            x = convolution(x, channels, 3, 2, activation=leaky)
            x = x + convolution(convolution(x, channels // 2, 1, activation=leaky), channels, activation=leaky)
        cells = size // 32
        head = tf.reshape(convolution(x, boxes * (5 + classes), 1, activation=None), [cells * cells, boxes, 5 + classes])
        column, row = np.meshgrid(np.arange(cells), np.arange(cells))
        corner = np.stack([row, column], -1).reshape(-1, 1, 2).astype(np.float32)
        center = (tf.sigmoid(head[..., 0:2]) + corner) / cells
        half = tf.exp(head[..., 2:4]) * np.float32(0.05)
        edges = tf.reshape(tf.concat([center - half, center + half], -1), [-1, 4])
        scores = tf.reshape(tf.sigmoid(head[..., 4:5]) * tf.nn.softmax(head[..., 5:]), [-1, classes])
        best = tf.reduce_max(scores, 1)
        kept, count = tf.image.non_max_suppression_padded(edges, best, 32, 0.5, 0.05, pad_to_max_output_size=True)
        found = tf.concat([tf.gather(edges, kept), tf.gather(best, kept)[:, None]], 1)
        tf.identity(tf.where(tf.range(32)[:, None] < count, found, tf.zeros_like(found)), name="y")
    return graph.as_graph_def()


def wavenet(steps=1024, channels=32, depth=10):
    """Gated convolutions that look back 1, 2, 4, ... 512 steps, with sums of what each adds."""
    with tf.Graph().as_default() as graph:
        x = convolution(v1.placeholder(tf.float32, [1, 1, steps, 1], name="x"), channels, 1, activation=None)
        skipped = 0
        for layer in range(depth):
            back = 1 << layer
            padded = tf.pad(x, [[0, 0], [0, 0], [back, 0], [0, 0]])
            both = tf.nn.conv2d(padded, weights(1, 2, channels, 2 * channels, scale=(2 * channels) ** -0.5), 1, "VALID",
                                dilations=[1, 1, back, 1])
            filtered, gate = tf.split(tf.nn.bias_add(both, weights(2 * channels, scale=0.02)), 2, 3)
            z = tf.tanh(filtered) * tf.sigmoid(gate)
            skipped = skipped + convolution(z, channels, 1, activation=None)
            x = x + convolution(z, channels, 1, activation=None)
        tf.nn.softmax(convolution(convolution(tf.nn.relu(skipped), 64, 1), 256, 1, activation=None), name="y")
    return graph.as_graph_def()


def gpt_step(depth=12, hidden=768, heads=12, past=255, vocabulary=50257):
    """One token of a decoder of GPT-2's small size: its keys and values join those of 255 tokens before."""
    with tf.Graph().as_default() as graph:
        token = v1.placeholder(tf.int32, [1, 1], name="x")

        def norm(x):
            mean = tf.reduce_mean(x, -1, keepdims=True)
            variance = tf.reduce_mean(tf.math.squared_difference(x, mean), -1, keepdims=True)
            scale = tf.math.rsqrt(variance + 1e-5) * tf.constant(np.ones(hidden, np.float32))
            return x * scale + (tf.constant(np.zeros(hidden, np.float32)) - mean * scale)

        def dense(x, size):
            return tf.nn.bias_add(tf.matmul(x, weights(x.shape[-1], size)), weights(size, scale=0.02))

        def split(x):
            return tf.transpose(tf.reshape(x, [1, 1, heads, hidden // heads]), [0, 2, 1, 3])

        words = weights(vocabulary, hidden, scale=0.02)
        x = tf.gather(words, tf.reshape(token, [1])) + weights(1, hidden, scale=0.02)
        for _ in range(depth):
            query, key, value = (split(part) for part in tf.split(dense(norm(x), 3 * hidden), 3, 1))
            keys = tf.concat([weights(1, heads, past, hidden // heads, scale=1.0), key], 2)
            values = tf.concat([weights(1, heads, past, hidden // heads, scale=1.0), value], 2)
            share = tf.nn.softmax(tf.matmul(query, keys, transpose_b=True) * (hidden // heads) ** -0.5)
            x = x + dense(tf.reshape(tf.transpose(tf.matmul(share, values), [0, 2, 1, 3]), [1, hidden]), hidden)
            h = dense(norm(x), 4 * hidden)
            gelu = 0.5 * h * (1.0 + tf.tanh(np.float32((2 / np.pi) ** 0.5) * (h + 0.044715 * tf.pow(h, 3.0))))
            x = x + dense(gelu, hidden)
        tf.matmul(norm(x), words, transpose_b=True, name="y")
    return graph.as_graph_def()


def mobilenet_qat(size=224):
    """MobileNet's first form, trained for 8-bit integers: weights and activations go through FakeQuant nodes."""
    with tf.Graph().as_default() as graph:
        def quantised(y, low, high):
            return tf.quantization.fake_quant_with_min_max_vars(y, np.float32(low), np.float32(high), num_bits=8)

        def block(x, matrix, stride, depthwise=False):
            matrix = quantised(matrix, -1.0, 1.0)
            y = (tf.nn.depthwise_conv2d(x, matrix, [1, stride, stride, 1], "SAME") if depthwise else
                 tf.nn.conv2d(x, matrix, stride, "SAME"))
            channels = y.shape[-1]
            return quantised(tf.nn.relu6(tf.nn.bias_add(y, weights(channels, scale=0.02))), 0.0, 6.0)

        x = quantised(v1.placeholder(tf.float32, [1, size, size, 3], name="x"), -1.0, 1.0)
        x = block(x, weights(3, 3, 3, 32, scale=27 ** -0.5), 2)
        for channels, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2),
                                 (1024, 1)):
            x = block(x, weights(3, 3, x.shape[-1], 1, scale=1 / 3), stride, True)
            x = block(x, weights(1, 1, x.shape[-1], channels, scale=x.shape[-1] ** -0.5), 1)
        x = tf.reduce_mean(x, [1, 2])
        tf.nn.softmax(tf.matmul(x, weights(1024, 1000)) + weights(1000, scale=0.02), name="y")
    return graph.as_graph_def()


def dlrm(batch=64, tables=26, dense=13, width=32, words=10000):
    """Clicks on advertisements: 13 numbers and 26 categories an item, products of all pairs of their vectors."""
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.int32, [batch, dense + tables], name="x")

        def mlp_of(y, *sizes):
            for size in sizes:
                y = tf.nn.relu(tf.nn.bias_add(tf.matmul(y, weights(y.shape[-1], size)), weights(size, scale=0.02)))
            return y

        bottom = mlp_of(tf.math.log(1.0 + tf.cast(x[:, :dense], tf.float32)), 256, 64, width)
        chosen = tf.math.floormod(x[:, dense:], words)
        vectors = [bottom] + [tf.gather(weights(words, width, scale=0.1), chosen[:, i]) for i in range(tables)]
        stacked = tf.stack(vectors, 1)
        products = tf.reshape(tf.matmul(stacked, stacked, transpose_b=True), [batch, (tables + 1) ** 2])
        row, column = np.tril_indices(tables + 1, -1)
        pairs = tf.gather(products, (row * (tables + 1) + column).astype(np.int32), axis=1)
        top = mlp_of(tf.concat([bottom, pairs], 1), 512, 256)
        tf.sigmoid(tf.matmul(top, weights(256, 1)), name="y")
    return graph.as_graph_def()


def text_cnn(length=64, buckets=20000, width=64, filters=64):
    """A sentence as text: lower case, words, their hashes, convolutions over 3, 4 and 5 words."""
    with tf.Graph().as_default() as graph:
        text = tf.strings.lower(v1.placeholder(tf.string, [1], name="x"))
        words = tf.strings.split(tf.strings.regex_replace(text, "[^a-z ]", " ")).values[:length]
        ids = tf.strings.to_hash_bucket_fast(words, buckets) + 1
        ids = tf.pad(ids, [[0, length - tf.size(ids)]])
        x = tf.reshape(tf.gather(weights(buckets + 1, width, scale=0.1), ids), [1, length, width, 1])
        found = []
        for size in (3, 4, 5):
            y = tf.nn.conv2d(x, weights(size, width, 1, filters, scale=(size * width) ** -0.5), 1, "VALID")
            found.append(tf.reduce_max(tf.nn.relu(tf.nn.bias_add(y, weights(filters, scale=0.02))), [1, 2]))
        tf.nn.softmax(tf.matmul(tf.concat(found, 1), weights(3 * filters, 5)), name="y")
    return graph.as_graph_def()


MODELS = {
    "mlp_1": lambda: mlp(1),
    "mlp_64": lambda: mlp(64),
    "cnn28": cnn28,
    "mobilenet_v2": lambda: application(tf.keras.applications.MobileNetV2),
    "resnet50": lambda: application(tf.keras.applications.ResNet50),
    "lstm": lstm,
    "bert_base": bert,
    "efficientnet_b0": lambda: application(tf.keras.applications.EfficientNetB0),
    "mobilenet_v3": lambda: application(tf.keras.applications.MobileNetV3Large),
    "yolo": yolo,
    "unet": unet,
    "wavenet": wavenet,
    "gpt_step": gpt_step,
    "mobilenet_qat": mobilenet_qat,
    "dlrm": dlrm,
    "text_cnn": text_cnn,
}


def main(folder, names):
    os.makedirs(folder, exist_ok=True)
    for name in names or MODELS:
        graph_file, onnx_file = (os.path.join(folder, name + end) for end in (".pb", ".onnx"))
        if not os.path.exists(graph_file):
            tf.keras.utils.set_random_seed(1)
            graph = MODELS[name]()
            with open(graph_file + ".part", "wb") as file:
                file.write(graph.SerializeToString())
            os.replace(graph_file + ".part", graph_file)
            print(f"wrote {graph_file}: {len(graph.node)} nodes, {os.path.getsize(graph_file) / 1e6:.1f} MB", flush=True)
        if importlib.util.find_spec("tf2onnx") and not os.path.exists(onnx_file):
            # In a process of its own: it takes several times the model's memory.
            done = subprocess.run([sys.executable, "-m", "tf2onnx.convert", "--graphdef", graph_file, "--output", onnx_file,
                                   "--inputs", "x:0", "--outputs", "y:0", "--opset", "18"], capture_output=True, text=True)
            last = (done.stderr.strip().splitlines() or ["?"])[-1]
            print(f"wrote {onnx_file}" if done.returncode == 0 else f"no {onnx_file}: {last}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])

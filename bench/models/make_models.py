#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the graphs of models that are too large to keep, frozen, with random weights: bench/models/models_bench.cpp times them.

    make_models.py FOLDER [NAME...]      ->  FOLDER/NAME.pb, and FOLDER/NAME.onnx where tf2onnx is installed

Input "x", output "y", batch 1 (mlp_64: 64). Files that are there stay as they are. Needs the package tensorflow-cpu (or
tensorflow); without it the program says so and ends with status 3. All of them are 0.6 GB, with ONNX 1.1 GB.
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


def application(make):
    model = make(weights=None, input_shape=(224, 224, 3))
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


MODELS = {
    "mlp_1": lambda: mlp(1),
    "mlp_64": lambda: mlp(64),
    "cnn28": cnn28,
    "mobilenet_v2": lambda: application(tf.keras.applications.MobileNetV2),
    "resnet50": lambda: application(tf.keras.applications.ResNet50),
    "lstm": lstm,
    "bert_base": bert,
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

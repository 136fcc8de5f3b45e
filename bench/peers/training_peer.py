#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A training step in TensorFlow or PyTorch as a peer of bench/training, which starts this program.

    training_peer.py function|xla|eager|compile MODEL VALUES.npz THREADS [memory]

function and xla are tf.function without and with jit_compile; eager and compile are PyTorch's. VALUES.npz has the feeds and the
first values of the variables. Answers with a line "ok LOSS LOSS ...", the losses of the first steps, or "absent REASON" or "failed
REASON". Then each line "N" asks for N steps; the answer is a line "ok NS" with the processor time. With `memory` it runs ten
steps and prints by how much resident memory has grown at most since the framework was loaded [MB].
"""
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # libraries print to standard output
FIRST_LOSSES = 4
ADAM = {"lr": 0.001, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
RULES = {"resnet18": "momentum", "embedding_sgd": "sgd", "embedding_adagrad": "adagrad"}  # the others: adam


def tensorflow_forward(tf, model, xla):
    """The function that gives the loss for variables `v`; it lists the moments of batches in `averages`."""
    def dense(v, name, x):
        return tf.nn.bias_add(tf.matmul(x, v[name + "/w"]), v[name + "/b"])

    def classes(labels, logits):
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))

    def conv(v, name, x, stride=1):
        return tf.nn.conv2d(x, v[name + "/w"], stride, "SAME")

    def mlp(v, x, labels, averages):
        x = tf.nn.relu(dense(v, "dense_0", x))
        return classes(labels, dense(v, "dense_2", tf.nn.relu(dense(v, "dense_1", x))))

    def cnn(v, x, labels, averages):
        for name in ("conv_0", "conv_1"):
            x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.bias_add(conv(v, name, x), v[name + "/b"])), 2, 2, "VALID")
        x = tf.nn.relu(dense(v, "dense_0", tf.reshape(x, [-1, 7 * 7 * 64])))
        return classes(labels, dense(v, "dense_1", x))

    def resnet18(v, x, labels, averages):
        def norm(name, x):
            y, mean, variance = tf.compat.v1.nn.fused_batch_norm(x, v[name + "/scale"], v[name + "/offset"], epsilon=1e-5)
            averages.extend([(name + "/mean", mean), (name + "/variance", variance)])
            return y
        x = tf.nn.max_pool2d(tf.nn.relu(norm("stem", conv(v, "stem", x, 2))), 3, 2, "SAME")
        for block in range(8):
            name, stride = f"block_{block}", 2 if block % 2 == 0 and block > 0 else 1
            shortcut = norm(name + "/s", conv(v, name + "/s", x, 2)) if stride == 2 else x
            x = tf.nn.relu(norm(name + "/0", conv(v, name + "/0", x, stride)))
            x = tf.nn.relu(norm(name + "/1", conv(v, name + "/1", x)) + shortcut)
        return classes(labels, dense(v, "top", tf.reduce_mean(x, [1, 2])))

    def lstm(v, x, labels, averages):
        w, bias = v["lstm/w"], v["lstm/b"]
        zeros = tf.zeros([x.shape[1], 128])

        def step(state, x_t):
            h, c = state
            i, new, f, o = tf.split(tf.nn.bias_add(tf.matmul(tf.concat([x_t, h], 1), w), bias), 4, 1)
            c = tf.sigmoid(f + 1.0) * c + tf.sigmoid(i) * tf.tanh(new)
            return tf.sigmoid(o) * tf.tanh(c), c
        if xla:  # a loop is slower there
            state = (zeros, zeros)
            for x_t in tf.unstack(x):
                state = step(state, x_t)
            return classes(labels, dense(v, "top", state[0]))
        steps = tf.TensorArray(tf.float32, x.shape[0]).unstack(x)
        _, h, _ = tf.while_loop(lambda t, h, c: t < x.shape[0],
                                lambda t, h, c: (t + 1, *step((h, c), steps.read(t))), (0, zeros, zeros))
        return classes(labels, dense(v, "top", h))

    def transformer(v, x, labels, averages):
        def norm(name, x):
            mean, variance = tf.nn.moments(x, [-1], keepdims=True)
            return tf.nn.batch_normalization(x, mean, variance, v[name + "/offset"], v[name + "/scale"], 1e-5)

        def heads(name, x):
            return tf.transpose(tf.reshape(dense(v, name, x), [8, 128, 8, 32]), [0, 2, 1, 3])
        h = tf.reshape(norm("norm_0", x), [1024, 256])
        scores = tf.matmul(heads("query", h), heads("key", h), transpose_b=True) * 0.17677669529663687
        value = heads("value", h)
        context = tf.transpose(tf.matmul(tf.nn.softmax(scores), value), [0, 2, 1, 3])
        x = x + tf.reshape(dense(v, "joined", tf.reshape(context, [1024, 256])), [8, 128, 256])
        wide = tf.nn.gelu(dense(v, "wide", tf.reshape(norm("norm_1", x), [1024, 256])))
        y = x + tf.reshape(dense(v, "narrow", wide), [8, 128, 256])
        return tf.reduce_mean(tf.math.squared_difference(y, labels))

    def embedding(v, x, labels, averages):
        return classes(labels, dense(v, "top", tf.gather(v["table"], x)))
    return embedding if model.startswith("embedding") else locals()[model]


def tensorflow(kind, model, values, threads):
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.add(tf.constant(1.0), 1.0)
    yield None  # the framework is loaded
    raw, xla, rule = tf.raw_ops, kind == "xla", RULES.get(model, "adam")
    feeds = {name: tf.constant(values.pop(name)) for name in ("x", "labels")}
    v = {name: tf.Variable(value) for name, value in values.items()}
    averages_of = {}
    for name in [n[:-6] for n in values if model == "resnet18" and n.endswith("/scale")]:
        averages_of[name + "/mean"] = tf.Variable(tf.zeros(v[name + "/scale"].shape))
        averages_of[name + "/variance"] = tf.Variable(tf.ones(v[name + "/scale"].shape))

    def slots(value):
        return {n: tf.Variable(tf.fill(x.shape, value)) for n, x in v.items()}
    first = slots(0.1 if rule == "adagrad" else 0.0) if rule != "sgd" else None
    second = slots(0.0) if rule == "adam" else None
    powers = [tf.Variable(ADAM["beta1"]), tf.Variable(ADAM["beta2"])]
    forward = tensorflow_forward(tf, model, xla)

    def update_rows(name, gradient):
        if xla:  # knows no sparse updates, and no shapes that follow from values
            v[name].scatter_sub(tf.IndexedSlices(0.1 * gradient.values, gradient.indices))
            return
        ids, places = tf.unique(gradient.indices)
        rows = tf.math.unsorted_segment_sum(gradient.values, places, tf.size(ids))
        if rule == "sgd":
            raw.ResourceScatterSub(resource=v[name].handle, indices=ids, updates=rows * 0.1)
        else:
            raw.ResourceSparseApplyAdagrad(var=v[name].handle, accum=first[name].handle, lr=0.1, grad=rows, indices=ids)

    def update(name, gradient):
        variable = v[name].handle
        if isinstance(gradient, tf.IndexedSlices) and (rule == "sgd" or rule == "adagrad" and not xla):
            update_rows(name, gradient)
            return
        gradient = tf.convert_to_tensor(gradient)
        if rule == "sgd":
            raw.ResourceApplyGradientDescent(var=variable, alpha=0.1, delta=gradient)
        elif rule == "adagrad":
            raw.ResourceApplyAdagrad(var=variable, accum=first[name].handle, lr=0.1, grad=gradient)
        elif rule == "momentum":
            raw.ResourceApplyMomentum(var=variable, accum=first[name].handle, lr=0.01, grad=gradient, momentum=0.9)
        else:
            raw.ResourceApplyAdam(var=variable, m=first[name].handle, v=second[name].handle, beta1_power=powers[0],
                                  beta2_power=powers[1], grad=gradient, **ADAM)

    @tf.function(jit_compile=xla, autograph=False)
    def step(x, labels):
        averages = []
        with tf.GradientTape() as tape:
            loss = forward(v, x, labels, averages)
        for name, gradient in zip(v, tape.gradient(loss, list(v.values()))):
            update(name, gradient)
        for name, value in averages:
            averages_of[name].assign_sub((averages_of[name] - value) * 0.1)
        if rule == "adam":
            powers[0].assign(powers[0] * ADAM["beta1"])
            powers[1].assign(powers[1] * ADAM["beta2"])
        return loss
    run = step.get_concrete_function(*feeds.values())
    yield lambda: run(*feeds.values()).numpy()


def torch_forward(torch, model):
    """The function that gives the loss for weights `v`."""
    f = torch.nn.functional

    def dense(v, name, x):
        return f.linear(x, v[name + "/w"], v[name + "/b"])

    def mlp(v, x, labels):
        x = f.relu(dense(v, "dense_0", x))
        return f.cross_entropy(dense(v, "dense_2", f.relu(dense(v, "dense_1", x))), labels)

    def cnn(v, x, labels):
        for name in ("conv_0", "conv_1"):
            x = f.max_pool2d(f.relu(f.conv2d(x, v[name + "/w"], v[name + "/b"], padding=1)), 2)
        x = x.permute(0, 2, 3, 1).reshape(-1, 7 * 7 * 64)
        return f.cross_entropy(dense(v, "dense_1", f.relu(dense(v, "dense_0", x))), labels)

    def resnet18(v, x, labels):
        def conv(name, x, stride=1):
            w = v[name + "/w"]
            x = f.conv2d(x, w, stride=stride, padding=w.shape[2] // 2)
            return f.batch_norm(x, v[name + "/mean"], v[name + "/variance"], v[name + "/scale"], v[name + "/offset"],
                                training=True, momentum=0.1, eps=1e-5)
        x = f.max_pool2d(f.relu(conv("stem", x, 2)), 3, 2, 1)
        for block in range(8):
            name, stride = f"block_{block}", 2 if block % 2 == 0 and block > 0 else 1
            shortcut = conv(name + "/s", x, 2) if stride == 2 else x
            x = f.relu(conv(name + "/1", f.relu(conv(name + "/0", x, stride))) + shortcut)
        return f.cross_entropy(dense(v, "top", x.mean((2, 3))), labels)

    def lstm(v, x, labels):
        zeros = torch.zeros(1, x.shape[1], 128)
        weights = [v["lstm/w_x"], v["lstm/w_h"], v["lstm/b_x"], v["lstm/b_h"]]
        _, h, _ = torch._VF.lstm(x, (zeros, zeros), weights, True, 1, 0.0, True, False, False)
        return f.cross_entropy(dense(v, "top", h[0]), labels)

    def transformer(v, x, labels):
        def norm(name, x):
            return f.layer_norm(x, (256,), v[name + "/scale"], v[name + "/offset"], 1e-5)

        def heads(name, x):
            return dense(v, name, x).view(8, 128, 8, 32).transpose(1, 2)
        h = norm("norm_0", x)
        context = f.scaled_dot_product_attention(heads("query", h), heads("key", h), heads("value", h))
        x = x + dense(v, "joined", context.transpose(1, 2).reshape(8, 128, 256))
        y = x + dense(v, "narrow", f.gelu(dense(v, "wide", norm("norm_1", x))))
        return f.mse_loss(y, labels)

    def embedding(v, x, labels):
        rows = f.embedding(x, v["table"], sparse=model != "embedding_adam")
        return f.cross_entropy(dense(v, "top", rows), labels)
    return embedding if model.startswith("embedding") else locals()[model]


def torch_values(torch, values):
    """The weights as PyTorch lays them out."""
    import numpy as np
    v = {}
    for name, value in values.items():
        if name == "lstm/w":  # gates i, new, f, o become i, f, new, o; the bias of 1 goes to f
            i, new, f, o = np.split(value, 4, 1)
            value = np.concatenate([i, f, new, o], 1).T.copy()
            v["lstm/w_x"], v["lstm/w_h"] = torch.tensor(value[:, :64]), torch.tensor(value[:, 64:])
        elif name == "lstm/b":
            i, new, f, o = np.split(value, 4)
            v["lstm/b_x"], v["lstm/b_h"] = torch.tensor(np.concatenate([i, f + 1, new, o])), torch.zeros(len(value))
        elif value.ndim == 4:
            v[name] = torch.tensor(value.transpose(3, 2, 0, 1).copy()).contiguous(memory_format=torch.channels_last)
        elif value.ndim == 2 and name.endswith("/w"):
            v[name] = torch.tensor(value.T.copy())
        else:
            v[name] = torch.tensor(value)
    for name, value in v.items():
        value.requires_grad_(name != "lstm/b_h")  # there is one bias
    return v


def pytorch(kind, model, values, threads):
    import torch
    torch.set_num_threads(threads)
    torch.add(torch.ones(2), 1)
    yield None  # the framework is loaded
    x, labels = torch.tensor(values.pop("x")), torch.tensor(values.pop("labels"))
    if x.ndim == 4:
        x = x.permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last)
    if labels.dtype == torch.int32:
        labels = labels.long()
    v = torch_values(torch, values)
    parameters, optim = [value for value in v.values() if value.requires_grad], torch.optim
    optimizer = {"sgd": lambda: optim.SGD(parameters, lr=0.1),
                 "momentum": lambda: optim.SGD(parameters, lr=0.01, momentum=0.9),
                 "adagrad": lambda: optim.Adagrad(parameters, lr=0.1, initial_accumulator_value=0.1, eps=0),
                 "adam": lambda: optim.Adam(parameters, lr=0.001, fused=True)}[RULES.get(model, "adam")]()
    for name in [n[:-6] for n in values if n.endswith("/scale")]:
        v[name + "/mean"], v[name + "/variance"] = torch.zeros(len(v[name + "/scale"])), torch.ones(len(v[name + "/scale"]))
    forward = torch_forward(torch, model)

    def loss_of(x, labels):
        return forward(v, x, labels)
    if kind == "compile":
        loss_of = torch.compile(loss_of)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(x, labels)
        loss.backward()
        optimizer.step()
        return loss.item()
    yield step


def megabytes(field):
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith(field + ":"))


def answer(line):
    answers.write(line + "\n")
    answers.flush()


def main(kind, model, file, threads, *memory):
    import numpy as np
    with np.load(file) as arrays:
        values = dict(arrays)
    try:
        steps = (tensorflow if kind in ("function", "xla") else pytorch)(kind, model, values, int(threads))
        next(steps)
        with open("/proc/self/clear_refs", "w", encoding="ascii") as reset:
            reset.write("5")  # the peak starts anew
        before = megabytes("VmRSS")
        run = next(steps)
        losses = [float(run()) for _ in range(FIRST_LOSSES)]
    except Exception as error:  # the frameworks have classes of their own
        reason = " ".join(f"{type(error).__name__} {error}".split())[:300]
        return answer(f"{'absent' if isinstance(error, ImportError) else 'failed'} {reason}")
    if memory:
        for _ in range(10 - FIRST_LOSSES):
            run()
        return answer(f"{megabytes('VmHWM') - before:.0f}")
    answer(" ".join(["ok"] + [f"{loss:.9g}" for loss in losses]))
    for line in sys.stdin:
        begin = time.process_time_ns()
        for _ in range(int(line)):
            run()
        answer(f"ok {time.process_time_ns() - begin}")
    return None


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the answers of TensorFlow and Keras that tests/gradients/training compare with.

    TF_ENABLE_ONEDNN_OPTS=0 CUDA_VISIBLE_DEVICES= python3 tools/training_numbers.py [SECTION...]

Sections: optimizers, schedules, clipping, averages, loss_scale, losses, metrics, initializers, jvp. Needs TensorFlow 2.21 and
Keras 3.
"""
import sys

import keras
import numpy as np
import tensorflow as tf

SECTIONS = {}


def section(function):
    SECTIONS[function.__name__] = function
    return function


def show(name, value):
    numbers = np.asarray(value, dtype=np.float64).ravel()
    print(f'{name}: ' + ', '.join(f'{x:.9g}' for x in numbers))


START, GOAL = [1.0, -2.0, 0.5], [3.0, 0.25, 0.5]


def train(optimizer, steps=5, dtype='float32', reports=()):
    """w after steps of descent on sum((w - GOAL)^2), and variables of the optimizer."""
    w = keras.Variable(np.array(START, dtype), name='w')
    optimizer.build([w])
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(w - tf.constant(GOAL, dtype)))
        optimizer.apply([tape.gradient(loss, w.value)])
    return w, optimizer


@section
def optimizers():
    o = keras.optimizers
    for name, optimizer in {
            'AdamW': o.AdamW(0.1, weight_decay=0.01), 'AdamW schedule': o.AdamW(
                o.schedules.ExponentialDecay(0.1, 2, 0.5), weight_decay=0.01),
            'Lion': o.Lion(0.1), 'Lion decay': o.Lion(0.1, weight_decay=0.1),
            'Lamb': o.Lamb(0.1), 'Lamb decay': o.Lamb(0.1, weight_decay=0.1),
            'SGD decay': o.SGD(0.1, weight_decay=0.1), 'SGD clipnorm': o.SGD(0.1, clipnorm=1.5),
            'SGD momentum': o.SGD(0.1, momentum=0.5), 'SGD global_clipnorm': o.SGD(0.1, global_clipnorm=1.5),
            'SGD clipvalue': o.SGD(0.1, clipvalue=1.5)}.items():
        show(name, train(optimizer)[0].numpy())


@section
def averages():
    for name, arguments in {'keras': {}, 'keras overwrite': {'ema_overwrite_frequency': 2}}.items():
        w, optimizer = train(keras.optimizers.SGD(0.1, use_ema=True, ema_momentum=0.8, **arguments), 5)
        show(name + ' w', w.numpy())
        show(name + ' average', optimizer._model_variables_moving_average[0].numpy())
    from tensorflow.python.training import moving_averages
    for name in ('value', 'ramp', 'zero_debias'):
        with tf.Graph().as_default():
            w = tf.compat.v1.get_variable('w', initializer=np.array(START, 'float32'), use_resource=True)
            step = tf.compat.v1.get_variable('step', initializer=np.int64(0), use_resource=True)
            loss = tf.reduce_sum(tf.square(w - tf.constant(GOAL, tf.float32)))
            descent = tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(loss)
            if name == 'zero_debias':
                average = tf.compat.v1.get_variable('avg', initializer=np.zeros(3, 'float32'), use_resource=True)
                with tf.control_dependencies([descent]):
                    update = moving_averages.assign_moving_average(average, w.read_value(), 0.8, zero_debias=True)
            else:
                ema = tf.train.ExponentialMovingAverage(0.8, num_updates=step if name == 'ramp' else None)
                with tf.control_dependencies([descent]):
                    update = ema.apply([w])
                average = ema.average(w)
            with tf.control_dependencies([update]):
                update = step.assign_add(1)
            with tf.compat.v1.Session() as session:
                session.run(tf.compat.v1.global_variables_initializer())
                for _ in range(5):
                    session.run(update)
                show(name, session.run(average))


@section
def loss_scale():
    # The gradient of step 2 is infinite.
    inner = keras.optimizers.SGD(0.1)
    optimizer = keras.optimizers.LossScaleOptimizer(inner, initial_scale=8.0, dynamic_growth_steps=2)
    w = keras.Variable(np.array(START, 'float32'))
    optimizer.build([w])
    for step in range(6):
        x = np.float32(np.inf if step == 2 else 1)
        with tf.GradientTape() as tape:
            loss = optimizer.scale_loss(tf.reduce_sum(tf.square(w - tf.constant(GOAL, tf.float32)) * x))
        optimizer.apply([tape.gradient(loss, w.value)])
        show(f'step {step}', np.concatenate([w.numpy(), [optimizer.dynamic_scale.numpy(), optimizer.step_counter.numpy()]]))


@section
def schedules():
    s = keras.optimizers.schedules
    steps = [0, 1, 2, 3, 5, 8, 13, 100]
    for name, schedule in {
            'ExponentialDecay': s.ExponentialDecay(0.1, 4, 0.5),
            'ExponentialDecay staircase': s.ExponentialDecay(0.1, 4, 0.5, staircase=True),
            'InverseTimeDecay': s.InverseTimeDecay(0.1, 4, 0.5),
            'InverseTimeDecay staircase': s.InverseTimeDecay(0.1, 4, 0.5, staircase=True),
            'PolynomialDecay': s.PolynomialDecay(0.1, 8, 0.01, power=2),
            'PolynomialDecay cycle': s.PolynomialDecay(0.1, 4, 0.01, power=0.5, cycle=True),
            'PiecewiseConstant': s.PiecewiseConstantDecay([2, 8], [1.0, 0.5, 0.1]),
            'CosineDecay': s.CosineDecay(0.1, 8, alpha=0.1),
            'CosineDecay warmup': s.CosineDecay(0.01, 8, alpha=0.1, warmup_target=0.1, warmup_steps=3),
            'CosineDecayRestarts': s.CosineDecayRestarts(0.1, 4, t_mul=2.0, m_mul=0.9, alpha=0.1),
            'CosineDecayRestarts equal': s.CosineDecayRestarts(0.1, 4, t_mul=1.0, m_mul=0.5)}.items():
        show(name, [schedule(tf.constant(n, tf.int64)).numpy() for n in steps])


@section
def clipping():
    t = tf.constant([[3.0, -4.0], [0.5, 0.0]])
    show('value', tf.clip_by_value(t, -1.0, 2.0))
    show('value nan', tf.clip_by_value(tf.constant([np.nan, np.inf, -np.inf]), -1.0, 2.0))
    show('norm', tf.clip_by_norm(t, 2.0))
    show('norm large', tf.clip_by_norm(t, 20.0))
    show('norm zero', tf.clip_by_norm(tf.zeros([2]), 2.0))
    show('norm inf', tf.clip_by_norm(tf.constant([1.0, np.inf]), 2.0))
    slices = tf.IndexedSlices(tf.constant([[3.0], [4.0]]), tf.constant([1, 1]), tf.constant([3, 1]))
    show('norm slices', tf.clip_by_norm(slices, 1.0).values)
    for name, tensors in {'global': [t, slices], 'inf': [t, tf.constant([np.inf])], 'nan': [t, tf.constant([np.nan])],
                          'none': [tf.zeros([2])]}.items():
        clipped, norm = tf.clip_by_global_norm(tensors, 2.0)
        show(name + ' norm', norm)
        show(name, np.concatenate([np.ravel(c.values if isinstance(c, tf.IndexedSlices) else c) for c in clipped]))


PRED = np.array([[0.1, 0.7, 0.2], [0.3, 0.3, 0.4]], 'float32')
LABEL = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], 'float32')
LOGITS = np.array([[-1.0, 2.0, 0.5], [0.25, 0.0, -3.0]], 'float32')
WEIGHT = np.array([2.0, 0.5], 'float32')


@section
def losses():
    l = keras.losses
    for name in ('MeanSquaredError', 'MeanAbsoluteError', 'Huber', 'LogCosh', 'Hinge', 'SquaredHinge', 'CategoricalHinge',
                 'KLDivergence', 'Poisson', 'CosineSimilarity', 'BinaryCrossentropy', 'CategoricalCrossentropy'):
        show(name, [getattr(l, name)()(LABEL, PRED), getattr(l, name)()(LABEL, LOGITS) if name in (
            'MeanSquaredError', 'Huber', 'LogCosh', 'Hinge', 'SquaredHinge', 'CategoricalHinge', 'CosineSimilarity') else 0])
    show('Huber delta', l.Huber(delta=0.5)(LABEL, LOGITS))
    show('BinaryCrossentropy logits', l.BinaryCrossentropy(from_logits=True)(LABEL, LOGITS))
    show('BinaryCrossentropy smooth', l.BinaryCrossentropy(label_smoothing=0.2)(LABEL, PRED))
    show('BinaryCrossentropy logits smooth', l.BinaryCrossentropy(from_logits=True, label_smoothing=0.2)(LABEL, LOGITS))
    show('CategoricalCrossentropy logits', l.CategoricalCrossentropy(from_logits=True)(LABEL, LOGITS))
    show('CategoricalCrossentropy smooth', l.CategoricalCrossentropy(label_smoothing=0.3)(LABEL, PRED))
    show('CategoricalCrossentropy logits smooth',
         l.CategoricalCrossentropy(from_logits=True, label_smoothing=0.3)(LABEL, LOGITS))
    show('CategoricalCrossentropy 3d', l.CategoricalCrossentropy(from_logits=True, reduction='none')(LABEL[None], LOGITS[None]))
    show('SparseCategoricalCrossentropy', l.SparseCategoricalCrossentropy()(np.array([1, 0]), PRED))
    show('SparseCategoricalCrossentropy logits', l.SparseCategoricalCrossentropy(from_logits=True)(np.array([[1], [0]]), LOGITS))
    show('SparseCategoricalCrossentropy ignore', l.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)(np.array([1, 0]), LOGITS))
    show('SparseCategoricalCrossentropy ignore sum',
         l.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0, reduction='sum')(np.array([1, 0]), LOGITS))
    for reduction in ('sum_over_batch_size', 'mean_with_sample_weight', 'sum', 'none'):
        show('weighted ' + reduction, l.MeanSquaredError(reduction=reduction)(LABEL, LOGITS, sample_weight=WEIGHT))
    show('ignore weighted', l.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0)(np.array([1, 0]), LOGITS, sample_weight=WEIGHT))
    show('rank', [l.MeanSquaredError()(np.array([1.0, 2.0]), np.array([[0.5], [0.0]])), l.CosineSimilarity()(np.array([[0.0, 0.0]]), np.array([[1.0, 2.0]]))])


@section
def metrics():
    m = keras.metrics

    def value(metric, *arguments, **more):
        metric.update_state(*arguments, **more)
        return metric.result()

    scores = [[0.1, 0.7, 0.2, 0.0], [0.3, 0.3, 0.35, 0.05], [0.2, 0.2, 0.2, 0.4]]
    hot = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0]]
    w = [1.0, 2.0, 5.0]
    show('Accuracy', [value(m.Accuracy(), [1, 2, 3], [1, 0, 3]), value(m.Accuracy(), [[1], [2], [3]], [1, 0, 3], sample_weight=w)])
    show('BinaryAccuracy', [value(m.BinaryAccuracy(), [1, 0, 1], [0.6, 0.5, 0.4]), value(m.BinaryAccuracy(threshold=0.3), [1, 0, 1], [0.6, 0.5, 0.4])])
    show('CategoricalAccuracy', value(m.CategoricalAccuracy(), hot, scores))
    show('SparseCategoricalAccuracy', [value(m.SparseCategoricalAccuracy(), [1, 0, 3], scores),
                                       value(m.SparseCategoricalAccuracy(), [[1], [0], [3]], scores, sample_weight=w)])
    show('TopKCategoricalAccuracy', [value(m.TopKCategoricalAccuracy(k=k), hot, scores) for k in (1, 2)])
    show('SparseTopKCategoricalAccuracy', [value(m.SparseTopKCategoricalAccuracy(k=k), [1, 1, 3], scores) for k in (1, 2)])


@section
def initializers():
    i = keras.initializers
    for name, first, shape in (
            ('RandomUniform', i.RandomUniform(-1, 3, seed=7), [4]), ('RandomNormal', i.RandomNormal(0.5, 2, seed=7), [4]),
            ('TruncatedNormal', i.TruncatedNormal(0.5, 2, seed=7), [4]), ('GlorotUniform', i.GlorotUniform(seed=3), [2, 3]),
            ('GlorotNormal', i.GlorotNormal(seed=3), [2, 3]), ('HeUniform', i.HeUniform(seed=-5), [2, 1, 2, 1]),
            ('HeNormal', i.HeNormal(seed=3), [2, 3]), ('LecunUniform', i.LecunUniform(seed=2**31 + 5), [4]),
            ('LecunNormal', i.LecunNormal(seed=3), [2, 3]),
            ('VarianceScaling', i.VarianceScaling(2.0, 'fan_out', 'untruncated_normal', seed=3), [2, 3]),
            ('Orthogonal', i.Orthogonal(seed=3), [2, 3]), ('Orthogonal tall', i.Orthogonal(2.0, seed=3), [4, 2]),
            ('Identity', i.Identity(2.0), [2, 3])):
        values = np.asarray(first(shape, dtype='float32'))
        print(f'{name}: ' + ', '.join(float(x).hex() for x in values.ravel()))


@section
def jvp():
    x, w = tf.constant([[0.5, -1.0]]), tf.constant([[1.0, 2.0], [0.5, -0.25]])
    with tf.autodiff.ForwardAccumulator([x, w], [tf.constant([[1.0, 0.5]]), tf.constant([[0.1, 0.2], [0.3, 0.4]])]) as f:
        y = tf.tanh(x @ w) * x
        z = tf.reduce_sum(tf.gather(w, [1, 1, 0]) ** 2, 1)
    show('y', f.jvp(y))
    show('z', f.jvp(z))


if __name__ == '__main__':
    for wanted in sys.argv[1:] or list(SECTIONS):
        print(f'== {wanted}')
        SECTIONS[wanted]()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what examples/14_checkpoint_transfer compares: the checkpoints and losses of a training in TensorFlow.

  make_training_checkpoint.py                   writes tensorflow/step_0, tensorflow/step_30 and losses.npy
  make_training_checkpoint.py --continue PREFIX restores a checkpoint that the example wrote after step 30, trains on,
                                                and compares the losses

Needs TensorFlow 2.21 and Keras 3.
"""
import argparse
import os
import pathlib

os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')
os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '2')
import keras
import numpy as np
import tensorflow as tf

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / 'examples/14_checkpoint_transfer'
DIGITS = ROOT / 'examples/12_train_digits/digits'
STEPS, SAVED, BATCH = 60, 30, 25


class Net(tf.Module):
    """64 pixels to 10 logits, by one hidden layer."""

    def __init__(self):
        super().__init__()
        random = np.random.default_rng(0)
        self.w0 = tf.Variable(random.normal(0, 0.15, (64, 32)).astype(np.float32))
        self.b0 = tf.Variable(np.zeros(32, np.float32))
        self.w1 = tf.Variable(random.normal(0, 0.2, (32, 10)).astype(np.float32))
        self.b1 = tf.Variable(np.zeros(10, np.float32))

    def variables_in_order(self):
        return [self.w0, self.b0, self.w1, self.b1]

    def loss(self, images, labels):
        hidden = tf.nn.relu(images @ self.w0 + self.b0)
        logits = hidden @ self.w1 + self.b1
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def train(net, optimizer, first, last):
    images = (np.load(DIGITS / 'images.npy').reshape(-1, 64) / 16).astype(np.float32)
    labels = np.load(DIGITS / 'labels.npy').astype(np.int32)
    losses = []
    for step in range(first, last):
        rows = slice(step * BATCH, (step + 1) * BATCH)
        with tf.GradientTape() as tape:
            loss = net.loss(images[rows], labels[rows])
        gradients = tape.gradient(loss, net.variables_in_order())
        optimizer.apply_gradients(zip(gradients, net.variables_in_order()))
        losses.append(loss.numpy())
    return np.array(losses, np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--continue', dest='prefix')
    prefix = parser.parse_args().prefix
    net, optimizer = Net(), keras.optimizers.AdamW(0.01)
    optimizer.build(net.variables_in_order())
    checkpoint = tf.train.Checkpoint(net=net, optimizer=optimizer)
    if prefix:
        checkpoint.restore(prefix).assert_existing_objects_matched()
        assert int(optimizer.iterations) == SAVED, int(optimizer.iterations)
        losses = train(net, optimizer, SAVED, STEPS)
        print('largest difference', np.abs(losses - np.load(FOLDER / 'losses.npy')[SAVED:]).max())
        return
    checkpoint.write(str(FOLDER / 'tensorflow/step_0'))
    losses = train(net, optimizer, 0, SAVED)
    checkpoint.write(str(FOLDER / f'tensorflow/step_{SAVED}'))
    losses = np.concatenate([losses, train(net, optimizer, SAVED, STEPS)])
    np.save(FOLDER / 'losses.npy', losses)
    print(losses[[0, SAVED, STEPS - 1]])


if __name__ == '__main__':
    main()

# SPDX-License-Identifier: Apache-2.0
# Gradients through branches, loops, arrays and calls, of both versions of TensorFlow: tools/make_gradients.py.
# ruff: noqa: F821

from tensorflow.python.ops import control_flow_v2_toggles as versions


def cond(*args):
    return tf.compat.v1.cond(*args)


def loop(*args, **options):
    return tf.compat.v1.while_loop(*args, **options)


def both(name, function, *shapes):
    """function(p, x, w) for control flow of TensorFlow 1 and 2."""
    for version in (1, 2):

        def build(p, rng, dtype):
            (versions.enable_control_flow_v2 if version == 2 else versions.disable_control_flow_v2)()
            xs = [p(f'x{i}', 0.5 * rng.normal(size=shape), dtype) for i, shape in enumerate(shapes)]
            return function(p, *xs), xs

        variants(f'{name}/v{version}', build, 'f64 f32', 2)


def branches():
    for taken in (True, False):
        pred = lambda p: p('taken', taken)
        positive = lambda x: tf.reduce_sum(x) > 0
        inner = lambda x, w: cond(positive(x), lambda: x * w, lambda: tf.exp(x))
        both(f'cond_in_cond_{taken}', lambda p, x, w: cond(pred(p), lambda: inner(x, w), lambda: w + 1), (3,), (3,))
        rows = lambda w: tf.gather(w, [0, 2, 0])
        both(f'cond_of_rows_{taken}', lambda p, x, w: cond(pred(p), lambda: rows(w), lambda: x), (3, 2), (3, 2))
        other = lambda x, w: tf.gather(w, [1, 1, 1]) * x
        both(f'cond_of_both_rows_{taken}', lambda p, x, w: cond(pred(p), lambda: rows(w), lambda: other(x, w)), (3, 2), (3, 2))
        steps = lambda x, w: loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * w + x), [0, x])[1]
        both(f'loop_in_cond_{taken}', lambda p, x, w: cond(pred(p), lambda: steps(x, w), lambda: x * w), (3,), (3,))

        def in_loop(p, x, w):
            def body(i, a):
                chosen = tf.equal(i % 2, 0) if taken else positive(a)
                return i + 1, cond(chosen, lambda: a * w, lambda: tf.tanh(a) - x)

            return loop(lambda i, a: i < 4, body, [0, x])[1]

        both(f'cond_in_loop_{taken}', in_loop, (3,), (3,))

        def deep(p, x, w):
            def body(i, a):
                return i + 1, cond(tf.equal(i % 2, 0), lambda: cond(positive(a), lambda: a * w, lambda: a - w), lambda: a * x)

            return loop(lambda i, a: i < 4, body, [0, x if taken else -x])[1]

        both(f'cond_in_cond_in_loop_{taken}', deep, (2, 3), (3,))
    cases = lambda x, w: [(tf.reduce_sum(x) > 0, lambda: x * w), (tf.reduce_sum(w) > 0, lambda: w * w)]
    both('case', lambda p, x, w: tf.case(cases(x, w), default=lambda: x - w), (3,), (3,))
    table = lambda x, w: [lambda: x * w, lambda: tf.exp(x), lambda: w]
    both('switch_case', lambda p, x, w: tf.switch_case(p('branch', np.int32(1)), table(x, w)), (3,), (3,))


def loops():
    for count in (0, 1, 4):

        def three(p, x, w):
            n = p('n', np.int32(count))
            return loop(lambda i, a, c: i < n, lambda i, a, c: (i + 1, a * w + c, tf.sin(a)), [0, x, x * 2])

        both(f'loop_{count}', lambda p, x, w: three(p, x, w)[1:], (2,), (2,))
        both(f'loop_one_{count}', lambda p, x, w: three(p, x, w)[2], (2,), (2,))
    nested = lambda x, w, a, i: loop(lambda j, b: j < i + 1, lambda j, b: (j + 1, tf.tanh(b * w) + a), [0, a])[1]
    both('loop_in_loop', lambda p, x, w: loop(lambda i, a: i < 3, lambda i, a: (i + 1, nested(x, w, a, i)), [0, x])[1], (2, 3), (3,))
    grown = [tf.TensorShape([]), tf.TensorShape([None, 2])]
    grow = lambda i, a, w: (i + 1, tf.concat([a, a[:1] * w], 0))
    both('growing', lambda p, x, w: loop(lambda i, a: i < 3, lambda i, a: grow(i, a, w), [0, x], shape_invariants=grown)[1], (2, 2), (2,))
    both('stopped', lambda p, x, w: loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * tf.stop_gradient(w) + w), [0, x])[1], (3,), (3,))
    both('bounded', lambda p, x, w: loop(lambda a: tf.reduce_sum(a) < 100, lambda a: (a * w + 1,), [x], maximum_iterations=3), (3,), (3,))
    both('swapped', lambda p, x, w: loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b, a * w), [0, x, w])[1:], (3,), (3,))
    both('unused', lambda p, x, w: loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, a + 1, b * a), [0, x, w])[1], (3,), (3,))
    both('map_fn', lambda p, x, w: tf.map_fn(lambda e: tf.tanh(e * w), x), (4, 2), (2,))
    both('scan', lambda p, x, w: tf.scan(lambda a, e: a * w + e, x), (4, 2), (2,))
    both('foldr', lambda p, x, w: tf.foldr(lambda a, e: tf.sin(a) * w + e, x), (4, 2), (2,))

    def arrays(p, x, w):
        read = tf.TensorArray(x.dtype, 4, clear_after_read=False).unstack(x)
        body = lambda i, t, s: (i + 1, t.write(i, s * read.read(3 - i)), tf.tanh(s + read.read(i) * w))
        return loop(lambda i, t, s: i < 4, body, [0, tf.TensorArray(x.dtype, 4), w])[1].stack()

    both('arrays', arrays, (4, 2), (2,))


def calls():
    def twice(p, x, w):
        f = tf.function(lambda a, b: (a * b, tf.reduce_sum(tf.tanh(a))))
        u, v = f(x, w)
        return u * v + f(u, x)[0]

    both('call_twice', twice, (3,), (3,))

    def nested(p, x, w):
        inner = tf.function(lambda a: tf.sin(a) * w)
        return tf.function(lambda a, b: inner(a) + tf.gather(b, [0, 1, 0]))(x, w)

    both('call_in_call', nested, (3,), (3,))


for family in (branches, loops, calls):
    family()

# SPDX-License-Identifier: Apache-2.0
# Gradients where an input is not used, an output has no gradient, or a list has one item: tools/make_gradients.py.
# ruff: noqa: F821

from tensorflow.python.ops import composite_tensor_ops
from tensorflow.python.ops import control_flow_v2_toggles as versions

COMPLEX = 'f32 f64 c64 c128'


def unconnected():
    """Inputs that a call or a loop of TensorFlow 1 reads, but passes nothing to."""
    functions = {
        'floor': lambda a, b: tf.floor(a) * tf.square(b),
        'unused': lambda a, b: tf.square(b),
        'zeta': lambda a, b: R.Zeta(x=a + 3, q=b + 3),
        'divided': lambda a, b: R.FloorDiv(x=a, y=b + 3) + b,
    }
    for name, f in functions.items():
        call = lambda x, w: tf.function(f, autograph=False)(x, w)
        inner = lambda x, w: tf.function(lambda a, b: call(a, b) * b, autograph=False)(x, w)
        variants(f'call/{name}', op(call, (3,), (3,)), 'f64 f32', 2)
        variants(f'call_in_call/{name}', op(inner, (3,), (3,)), 'f64', 2)

        def loop(p, rng, dtype):
            versions.disable_control_flow_v2()
            x, w = p.random('x', rng, (3,), dtype), p.random('w', rng, (3,), dtype)
            body = lambda i, a: (i + 1, a * 0.5 + f(x, w))
            y = tf.compat.v1.while_loop(lambda i, a: i < 3, body, [0, tf.zeros([3], dtype)])[1]
            versions.enable_control_flow_v2()
            return y, [x, w]

        variants(f'loop/{name}', loop, 'f64 f32', 2, second=False)


def outputs():
    for used in range(2):
        one = lambda x, w: R.IdentityN(input=[x, w * w, tf.constant(1)])[used]
        variants(f'IdentityN/{used}', op(one, (2,), (3,)), 'f64 f32', 2)
    gathered = lambda x, w: tf.gather(R.IdentityN(input=[x, w])[0], [1, 1])
    variants('IdentityN/rows', op(gathered, (3, 2), (2,)), 'f64 f32', 2)
    for axis in (0, 1):
        variants(f'Split/one_{axis}', op(lambda x: R.Split(axis=axis, value=x, num_split=1)[0], (2, 3)), 'f64 f16 c64')
        parts = lambda x: R.SplitV(value=x, size_splits=[-1], axis=axis, num_split=1)[0]
        variants(f'SplitV/one_{axis}', op(parts, (2, 3)), 'f64')


def passing():
    variants('CheckNumericsV2', op(lambda x: R.CheckNumericsV2(tensor=x, message='x') * x, (3,)))
    variants('DebugIdentityV2', op(lambda x: R.DebugIdentityV2(input=x) * x, (3,)), 'f32 f64')

    def ragged(v, w):
        made = tf.RaggedTensor.from_row_splits(v * 2, tf.constant([0, 2, 2, 4], tf.int64), validate=False)
        encoded = composite_tensor_ops.composite_tensor_to_variants(made)
        return composite_tensor_ops.composite_tensor_from_variant(encoded, made._type_spec).flat_values * w

    variants('CompositeTensorVariant', op(ragged, (4,), (4,)), 'f32 f64 c64', 2)


def values():
    for lower in (False, True):
        for adjoint in (False, True):

            def solve(p, rng, dtype):  # the number of bands is not known
                bands = p.random('bands', rng, (1, 4), dtype)
                rhs = p.random('rhs', rng, (4, 2), dtype)
                return R.BandedTriangularSolve(matrix=bands + 2, rhs=rhs, lower=lower, adjoint=adjoint), [bands, rhs]

            for kind in ('f64', 'f32', 'c128'):
                case(f'BandedTriangularSolve/{lower}{adjoint}', solve, kind, unknown=True)
    for rows, columns in ((3, 3), (4, 2), (2, 4)):

        def solve(a, b):
            a = a + 3 * tf.eye(rows, columns, dtype=a.dtype)
            return R.MatrixSolveLs(matrix=a, rhs=b, l2_regularizer=tf.constant(0.5, tf.float64), fast=True)

        variants(f'MatrixSolveLs/{rows}{columns}', op(solve, (rows, columns), (rows, 2)), COMPLEX, 2)
    for name in ('BesselI1', 'BesselI1e', 'BesselJ1'):
        zero = lambda x: getattr(R, name)(x=x * 0 + tf.constant([0.0, 1.0], x.dtype))
        variants(f'{name}/zero', op(zero, (2,)), 'f64 f32')
    patches = lambda x: R.ExtractVolumePatches(input=x, ksizes=[1, 2, 2, 1, 1], strides=[1, 1, 1, 1, 1], padding='SAME')
    called = lambda x: tf.function(lambda v: tf.reduce_sum(tf.square(patches(v)), [0, 4]), autograph=False)(x)
    variants('ExtractVolumePatches/call', op(called, (1, 3, 2, 2, 1)), 'f32 f64')


def norms():
    for version in ('', 'V2', 'V3'):
        for training in (False, True):
            for used in ((0,), (1,), (2,), (0, 1, 2)):

                def parts(p, rng, dtype):
                    dy, x = p.random('dy', rng, (2, 2, 2, 3), dtype), p.random('x', rng, (2, 2, 2, 3), dtype)
                    scale, mean = p.random('scale', rng, (3,), dtype), p.random('mean', rng, (3,), dtype)
                    variance = p('variance', rng.uniform(0.5, 2, (3,)), dtype)
                    more = {'reserve_space_3': tf.zeros([0], dtype)} if version == 'V3' else {}
                    found = getattr(R, 'FusedBatchNormGrad' + version)(
                        y_backprop=dy, x=x, scale=scale, reserve_space_1=mean, reserve_space_2=variance,
                        is_training=training, epsilon=0.01, **more
                    )
                    return [found[i] for i in used], [dy, x, scale]

                name = f'FusedBatchNormGrad{version}/{training}{"".join(map(str, used))}'
                case(name, parts, 'f32')
                case(name, parts, 'f32', second=True)


for family in (unconnected, outputs, passing, values, norms):
    family()

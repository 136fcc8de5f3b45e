# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/edges.pb: shapes and values at the edge of what an op
takes, most of them found by changing other cases at random."""

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import function

R = tf.raw_ops
f32, f64, i32, i64, st, c64 = tf.float32, tf.float64, tf.int32, tf.int64, tf.string, tf.complex64

CASES = []


def filled(dtype, shape):
    """As many elements as the shape has, all different where that is easy."""
    count = int(np.prod(shape))
    if dtype == st:
        return np.array([b'abc'[i % 3 : i % 3 + 1] for i in range(count)], dtype=object).reshape(shape)
    return np.arange(count).reshape(shape).astype(dtype.as_numpy_dtype)


def case(name, op, *inputs, compare='close', both=True, lists=(), outputs=None, **attrs):
    """inputs: (name, dtype, value or shape) each; a list is a shape, anything else a value. Fed with shapes known, and
    with none known as NAME_at_run. `lists`: names of the inputs that are lists of one tensor."""
    values = {
        key: filled(dtype, value) if isinstance(value, list) else np.asarray(value, dtype.as_numpy_dtype)
        for key, dtype, value in inputs
    }

    def build(known):
        def steps(b):
            args = {key: b.placeholder(key, dtype, values[key].shape if known else None) for key, dtype, _ in inputs}
            for key in lists:
                args[key] = [args[key]]
            out = getattr(R, op)(**args, **attrs)
            if isinstance(out, tf.Operation):
                return [dict(target=[out], feed=values)]
            out = list(tf.nest.flatten(out)) if isinstance(out, (list, tuple)) else [out]
            return [dict(fetch=out[:outputs], feed=values)]

        return steps

    CASES.append((op + '/' + name, build(True), compare))
    if both:
        CASES.append((op + '/' + name + '_at_run', build(False), compare))


def steps(name, compare='close'):
    def add(build):
        CASES.append((name, build, compare))
        return build

    return add


# ---- ranks and sizes that shape functions look at, or do not
for shape in ([], [3], [3, 2]):
    for op in ('Unique', 'UniqueWithCounts'):
        case('rank_%d' % len(shape), op, ('x', f32, shape))
for data, ids in (([3, 4], [0]), ([0, 4], [3]), ([3, 4], [2]), ([3, 4], [3, 4]), ([3, 4], []), ([3, 4], [3, 4, 1])):
    name = '%s_by_%s' % ('x'.join(map(str, data)), 'x'.join(map(str, ids)) or 'scalar')
    case(
        name,
        'UnsortedSegmentSum',
        ('data', f32, data),
        ('segment_ids', i32, np.zeros(ids)),
        ('num_segments', i32, 5),
    )
for shift, axis in (([2], [3]), ([], [1]), ([1, 1], [1, 1]), ([2], [2]), ([], [])):
    case(
        'shift%d_axis%d_rank%d' % (int(np.prod(shift)), int(np.prod(axis)), len(shift)),
        'Roll',
        ('input', f32, [4, 5]),
        ('shift', i32, np.ones(shift)),
        ('axis', i32, np.zeros(axis)),
    )
case('of_a_scalar', 'Roll', ('input', f32, 3.0), ('shift', i32, 1), ('axis', i32, 0))
for name, bits in (('bits_vector', [1]), ('bits_matrix', [1, 1])):
    case(
        name,
        'QuantizeAndDequantizeV3',
        ('input', f32, [2, 3]),
        ('input_min', f32, 0.0),
        ('input_max', f32, 5.0),
        ('num_bits', i32, np.full(bits, 8)),
    )
for op, rank in (('Conv2D', 4), ('Conv3D', 5)):
    space = [2] * (rank - 2)
    for depth, per_group, out in ((0, 2, 3), (0, 0, 3), (4, 2, 3), (4, 3, 3)):
        case(
            'depth%d_filter%d_to%d' % (depth, per_group, out),
            op,
            ('input', f32, [1] + space + [depth]),
            ('filter', f32, [1] * (rank - 2) + [per_group, out]),
            strides=[1] * rank,
            padding='SAME',
        )
for image, kernel in (([1, 5, 5, 3], [2, 2, 2]), ([1, 5, 5, 2], [2, 2, 2]), ([0, 5, 5, 2], [2, 2, 2])):
    case(
        'depth%d_batch%d' % (image[3], image[0]),
        'Dilation2D',
        ('input', f32, image),
        ('filter', f32, kernel),
        strides=[1] * 4,
        rates=[1] * 4,
        padding='SAME',
    )


@steps('Dilation2D/partly_known_shapes')
def _(b):
    fetch, feed = [], {}
    for i, (image, kernel) in enumerate(
        (
            ([1, None, 5, 2], [2, 2, 2]),
            ([1, 5, 5, None], [2, 2, 2]),
            ([1, 5, 5, 2], [2, 2, None]),
            ([None, 5, 5, 2], [2, 2, 2]),
            ([1, None, 5, None], [2, 2, None]),
        )
    ):
        x, k = b.placeholder('x%d' % i, f32, image), b.placeholder('k%d' % i, f32, kernel)
        feed['x%d' % i], feed['k%d' % i] = np.ones([1, 5, 5, 2]), np.ones([2, 2, 2])
        fetch.append(R.Dilation2D(input=x, filter=k, strides=[1] * 4, rates=[1] * 4, padding='SAME'))
    return [dict(fetch=fetch, feed=feed)]


@steps('TridiagonalSolve/partly_known_shapes')
def _(b):
    fetch, feed = [], {}
    for i, (diagonals, rhs) in enumerate(
        (([2, 3, 4], [None, None, 2]), ([2, 3, 4], None), (None, [2, 4, 2]), ([2, 3, None], [2, 4, None]))
    ):
        d, r = b.placeholder('d%d' % i, f32, diagonals), b.placeholder('r%d' % i, f32, rhs)
        feed['d%d' % i] = np.tile(np.array([[1.0], [5.0], [2.0]]), [2, 1, 4])
        feed['r%d' % i] = np.arange(16.0).reshape(2, 4, 2)
        fetch.append(R.TridiagonalSolve(diagonals=d, rhs=r))
    return [dict(fetch=fetch, feed=feed)]


@steps('ApproximateEqual/partly_known_shapes')
def _(b):
    fetch, feed = [], {}
    for i, (x, y) in enumerate((([None, 3], [2, 3]), ([2, None], [None, 3]), (None, [2, 3]), ([2, 3], None))):
        fetch.append(R.ApproximateEqual(x=b.placeholder('x%d' % i, f32, x), y=b.placeholder('y%d' % i, f32, y)))
        feed['x%d' % i], feed['y%d' % i] = np.ones([2, 3]), np.ones([2, 3])
    return [dict(fetch=fetch, feed=feed)]


@steps('SparseFillEmptyRows/partly_known_shapes')
def _(b):
    fetch, feed = [], {}
    for i, (indices, values, shape) in enumerate(
        (([2, 2], None, None), ([None, 2], [2], [2]), ([2, None], [2], [None]), (None, [2], [2]))
    ):
        args = dict(
            indices=b.placeholder('i%d' % i, i64, indices),
            values=b.placeholder('v%d' % i, f32, values),
            dense_shape=b.placeholder('s%d' % i, i64, shape),
        )
        feed |= {'i%d' % i: [[0, 1], [2, 0]], 'v%d' % i: [1.0, 2.0], 's%d' % i: [3, 3]}
        fetch += R.SparseFillEmptyRows(**args, default_value=-1.0)
    return [dict(fetch=fetch, feed=feed)]


for shape in ([], [3], [2, 3], [1, 2, 3]):
    case(
        'rank_%d_size_fed' % len(shape),
        'DenseBincount',
        ('input', i32, np.ones(shape)),
        ('size', i32, 4),
        ('weights', f32, [0]),
    )
for shape in ([1], [1, 1]):

    @steps('AccumulatorTakeGradient/required_of_rank_%d' % len(shape))
    def _(b, shape=tuple(shape)):
        handle = R.ConditionalAccumulator(dtype=f32, shape=[2])
        taken = R.AccumulatorTakeGradient(handle=handle, num_required=b.placeholder('n', i32, shape), dtype=f32)
        return [dict(fetch=[taken], feed={'n': np.ones(shape)})]


# ---- variables and tables
GRADIENTS = {'grad': [3, 3], 'trailing': [4, 2]}
for op, slots, scalars in (
    ('ResourceApplyAdagrad', ['accum'], ['lr']),
    ('ResourceApplyMomentum', ['accum'], ['lr', 'momentum']),
    ('ResourceApplyGradientDescent', [], ['alpha']),
    ('ResourceApplyProximalAdagrad', ['accum'], ['lr', 'l1', 'l2']),
    ('ResourceSparseApplyAdagrad', ['accum'], ['lr']),
):
    for what, shape in GRADIENTS.items():

        @steps('%s/%s_of_another_known_shape' % (op, what))
        def _(b, op=op, slots=slots, scalars=scalars, shape=tuple(shape)):
            handles = {s: R.VarHandleOp(dtype=f32, shape=[4, 3], shared_name=s) for s in ['var'] + slots}
            start = [R.AssignVariableOp(resource=h, value=tf.ones([4, 3])) for h in handles.values()]
            args = handles | {s: tf.constant(0.5) for s in scalars}
            if 'Sparse' in op:
                args['indices'] = b.placeholder('indices', i32, [4])
            delta = 'delta' if op == 'ResourceApplyGradientDescent' else 'grad'
            args[delta] = b.placeholder('grad', f32, shape)
            feed = {'grad': np.ones(shape)} | ({'indices': [0, 1, 2, 3]} if 'Sparse' in op else {})
            apply = getattr(R, op)(**args)
            return [dict(target=start), dict(target=[apply], feed=feed)]


for what, keys, values in (
    ('lengths', [2], [3]),
    ('scalar_values', [2], []),
    ('scalars', [], []),
    ('matrices', [2, 2], [2, 2]),
    ('fit', [2], [2]),
):
    for op, make in (('LookupTableImportV2', R.MutableHashTableV2), ('LookupTableInsertV2', R.MutableHashTableV2)):

        @steps('%s/%s_known' % (op, what))
        def _(b, op=op, make=make, keys=tuple(keys), values=tuple(values)):
            table = make(key_dtype=i64, value_dtype=f32)
            put = getattr(R, op)(
                table_handle=table, keys=b.placeholder('k', i64, keys), values=b.placeholder('v', f32, values)
            )
            size = R.LookupTableSizeV2(table_handle=table)
            feed = {'k': filled(i64, keys), 'v': filled(f32, values)}
            return [dict(target=[put], feed=feed), dict(fetch=[size])]


@steps('MutableDenseHashTableV2/keys_before_one_that_is_not_allowed')
def _(b):
    table = R.MutableDenseHashTableV2(
        empty_key=np.int64(-1), deleted_key=np.int64(-2), value_dtype=i64, initial_num_buckets=4
    )
    keys = b.placeholder('k', i64, [None])
    put = R.LookupTableInsertV2(table_handle=table, keys=keys, values=keys * 10)
    take = R.LookupTableRemoveV2(table_handle=table, keys=keys)
    size = R.LookupTableSizeV2(table_handle=table)
    export = R.LookupTableExportV2(table_handle=table, Tkeys=i64, Tvalues=i64)
    state = dict(fetch=[size, export[0], export[1]])
    return [
        dict(target=[put], feed={'k': [4, 8]}),
        dict(target=[put], feed={'k': [-1, 1]}),
        state,
        dict(target=[put], feed={'k': [3, -2, 5]}),
        state,
        dict(target=[take], feed={'k': [4, -1, 8]}),
        state,
    ]


for op in ('StridedSliceAssign', 'ResourceStridedSliceAssign'):
    for what, begin, end in (('begin_longer_than_end', [1, 1], [2]), ('fits', [1], [3])):

        @steps('%s/%s' % (op, what))
        def _(b, op=op, begin=begin, end=end):
            if op == 'StridedSliceAssign':
                var = R.VariableV2(dtype=f32, shape=[4])
                start = R.Assign(ref=var, value=tf.ones([4])).op
            else:
                var = R.VarHandleOp(dtype=f32, shape=[4], shared_name='v')
                start = R.AssignVariableOp(resource=var, value=tf.ones([4]))
            put = getattr(R, op)(
                ref=var, begin=b.placeholder('b', i32, [len(begin)]), end=end, strides=[1], value=[7.0, 8.0]
            )
            feed = {'b': begin}
            put = put if isinstance(put, tf.Operation) else put.op
            return [dict(target=[start]), dict(target=[put], feed=feed)]


for name, shape in (('vector', [1]), ('matrix', [1, 1]), ('scalar', [])):

    @steps('TensorListReserve/num_elements_' + name)
    def _(b, shape=tuple(shape)):
        n = b.placeholder('n', i32)
        made = R.TensorListReserve(element_shape=[2], num_elements=n, element_dtype=f32)
        return [dict(fetch=[R.TensorListLength(input_handle=made)], feed={'n': np.full(shape, 2)})]

    @steps('TensorListSetItem/index_' + name)
    def _(b, shape=tuple(shape)):
        i = b.placeholder('i', i32)
        made = R.TensorListReserve(element_shape=[2], num_elements=2, element_dtype=f32)
        made = R.TensorListSetItem(input_handle=made, index=i, item=[1.0, 2.0])
        return [dict(fetch=[R.TensorListLength(input_handle=made)], feed={'i': np.zeros(shape)})]

    @steps('TensorListGetItem/index_' + name)
    def _(b, shape=tuple(shape)):
        i = b.placeholder('i', i32)
        made = R.TensorListFromTensor(tensor=np.ones([2, 2], np.float32), element_shape=[2])
        got = R.TensorListGetItem(input_handle=made, index=i, element_shape=[2], element_dtype=f32)
        return [dict(fetch=[got], feed={'i': np.zeros(shape)})]

    @steps('TensorListResize/size_' + name)
    def _(b, shape=tuple(shape)):
        n = b.placeholder('n', i32)
        made = R.TensorListFromTensor(tensor=np.ones([2, 2], np.float32), element_shape=[2])
        made = R.TensorListResize(input_handle=made, size=n)
        return [dict(fetch=[R.TensorListLength(input_handle=made)], feed={'n': np.full(shape, 3)})]

    @steps('TensorListScatterV2/num_elements_' + name)
    def _(b, shape=tuple(shape)):
        n = b.placeholder('n', i32)
        made = R.TensorListScatterV2(
            tensor=np.ones([2, 2], np.float32), indices=[0, 1], element_shape=[2], num_elements=n
        )
        return [dict(fetch=[R.TensorListLength(input_handle=made)], feed={'n': np.full(shape, 3)})]


# ---- inputs without elements
for name, axis in (('matrix', [[0]]), ('outside', [5]), ('twice', [0, 0]), ('none', []), ('no_matrix', [[]])):
    for what, tensor in (('empty', np.zeros([2, 0])), ('full', np.ones([2, 2])), ('scalar', 3.0)):
        case('%s_axis_%s' % (what, name), 'ReverseV2', ('tensor', f32, tensor), ('axis', i32, np.asarray(axis)))
for matrix, rhs in (([3, 3], [3, 0]), ([3, 0], [0, 2]), ([0, 3], [3, 2]), ([0, 3, 3], [0, 3, 2])):
    name = '%s_%s' % ('x'.join(map(str, matrix)), 'x'.join(map(str, rhs)))
    case(name, 'BandedTriangularSolve', ('matrix', f32, np.ones(matrix)), ('rhs', f32, np.ones(rhs)))
for shape, length in (([0, 5], 8), ([3, 0], 8), ([0, 0], 8), ([0, 5], 20), ([3, 0], 0)):
    name = '%s_length_%d' % ('x'.join(map(str, shape)), length)
    case(name, 'IRFFT', ('input', c64, np.ones(shape)), fft_length=[length])
    if shape != [3, 0]:  # there TensorFlow leaves the output as it is
        case(name, 'RFFT', ('input', f32, np.ones(shape)), fft_length=[length])
for name, dilations in (('depth', [1, 1, 1, 2]), ('negative', [1, 1, 1, -1]), ('space', [1, 2, 2, 1])):
    image, kernel = ('input', f32, [1, 4, 4, 2]), ('filter', f32, [3, 3, 2, 1])
    gradient = ('out_backprop', f32, [1, 4, 4, 2])
    plain = dict(strides=[1] * 4, padding='SAME', dilations=dilations)
    case(
        'dilated_' + name,
        'DepthwiseConv2dNativeBackpropInput',
        ('input_sizes', i32, np.array([1, 4, 4, 2])),
        kernel,
        gradient,
        **plain,
    )
    case(
        'dilated_' + name,
        'DepthwiseConv2dNativeBackpropFilter',
        image,
        ('filter_sizes', i32, np.array([3, 3, 2, 1])),
        gradient,
        **plain,
    )
case(
    'corners_and_half_pixels',
    'ResizeNearestNeighborGrad',
    ('grads', f32, [1, 4, 5, 2]),
    ('size', i32, np.array([3, 3])),
    align_corners=True,
    half_pixel_centers=True,
)
for params, rows in (([2, 0], [0, 2]), ([0, 3], []), ([2, 0], [-1]), ([0, 0], [0]), ([0], [0])):
    name = '%s_rows_%s' % ('x'.join(map(str, params)), '_'.join(map(str, rows)).replace('-', 'minus') or 'none')
    inputs = ('params', f32, params), ('indices', i64, np.array(rows))
    case(name, 'Gather', *inputs)
    case(name, 'GatherV2', *inputs, ('axis', i32, 0))

# ---- numbers without bounds
FAR = [np.inf, -np.inf, np.nan, 1e154, -1e154, 1.5e154, 1e300, 27.0, 5.9, -3.0, 0.5]
for op in (
    'Erf',
    'Erfc',
    'Tanh',
    'Sigmoid',
    'Ndtri',
    'Erfinv',
    'Lgamma',
    'Digamma',
    'Log1p',
    'Expm1',
    'Atanh',
    'Asinh',
):
    # TensorFlow's Erf squares the number, and is NaN where that is infinite.
    far = [x for x in FAR if op != 'Erf' or abs(x) < 1e154]
    case('far_f64', op, ('x', f64, np.array(far)), both=False)
    case('far_f32', op, ('x', f32, np.clip(np.array(FAR), -1e38, 1e38)), both=False)

for dtype in (f32, f64):
    tiny = np.array([-1e-20, 1e-20, -1e-8, -0.5, -1.5, -2.25, -3.75])
    case('near_poles_' + dtype.name, 'Digamma', ('x', dtype, tiny), both=False)
    for op in ('BesselI0', 'BesselI1', 'Expint'):
        case('large_' + dtype.name, op, ('x', dtype, np.array([1, 20, 80, 90, 710, np.inf])), both=False)
    orders, places = np.array([2, 3, 2.5, 1.5]), np.array([np.inf, np.inf, 1.5, np.inf])
    case('infinite_' + dtype.name, 'Zeta', ('x', dtype, orders), ('q', dtype, places), both=False)

# ---- texts and examples
for name, shape, ids in (
    ('ids_of_higher_rank', [2], [1, 2]),
    ('ids_scalar', [2], []),
    ('ids_longer', [2, 3], [3]),
    ('ids_of_another_width', [2, 3], [2, 2]),
    ('ids_for_all', [2, 3], [2, 3]),
):
    case(
        name,
        'UnsortedSegmentJoin',
        ('inputs', st, shape),
        ('segment_ids', i32, np.zeros(ids)),
        ('num_segments', i32, 3),
    )
example = tf.train.Example()
example.features.feature['b'].int64_list.value.append(7)
for name, shape in (('scalar', ()), ('vector', (1,)), ('matrix', (1, 1))):
    keys = np.full(shape, b'b', dtype=object)

    @steps('ParseExample/dense_key_' + name)
    def _(b, keys=keys):
        key = b.placeholder('key', st)
        got = R.ParseExample(
            serialized=[example.SerializeToString()],
            names=np.array([], dtype=object),
            sparse_keys=[],
            dense_keys=[key],
            dense_defaults=[np.array([], np.int64)],
            sparse_types=[],
            dense_shapes=[[1]],
        )
        return [dict(fetch=[got.dense_values[0]], feed={'key': keys})]

    @steps('ParseExampleV2/dense_keys_' + name)
    def _(b, keys=keys):
        key = b.placeholder('key', st, keys.shape)
        got = R.ParseExampleV2(
            serialized=[example.SerializeToString()],
            names=np.array([], dtype=object),
            sparse_keys=np.array([], dtype=object),
            dense_keys=key,
            ragged_keys=np.array([], dtype=object),
            dense_defaults=[np.array([], np.int64)],
            num_sparse=0,
            sparse_types=[],
            ragged_value_types=[],
            ragged_split_types=[],
            dense_shapes=[[1]],
        )
        return [dict(fetch=[got.dense_values[0]], feed={'key': keys})]


for name, hypothesis, truth in (('last', [2, -1], [2, 3]), ('truth_last', [2, 3], [2, -1]), ('first', [-2, 3], [2, 3])):
    case(
        'size_negative_' + name,
        'EditDistance',
        ('hypothesis_indices', i64, np.array([[0, 0], [1, 0]])),
        ('hypothesis_values', i32, np.array([1, 2])),
        ('hypothesis_shape', i64, np.array(hypothesis)),
        ('truth_indices', i64, np.array([[0, 0], [1, 0]])),
        ('truth_values', i32, np.array([1, 3])),
        ('truth_shape', i64, np.array(truth)),
    )

# ---- ops that few other cases have
KEY, COUNTER = np.array([0x123456789ABCDEF0], np.uint64), np.array([5, 7], np.uint64)
for dtype in (i32, i64, tf.uint32, tf.uint64):
    low = -7 if dtype in (i32, i64) else 2
    for shape in ([], [5], [3, 67], [0, 2]):
        name = '%s_%s' % (dtype.name, 'x'.join(map(str, shape)) or 'scalar')
        sizes = ('shape', i32, np.asarray(shape, np.int32))
        case(
            name, 'StatelessRandomUniformFullInt', sizes, ('seed', i64, np.array([3, -4])), compare='exact', dtype=dtype
        )
        for alg in (1, 2, 3):
            # ThreeFry has counters of one number.
            counter = ('counter', tf.uint64, COUNTER[:1] if alg == 2 else COUNTER)
            generator = [sizes, ('key', tf.uint64, KEY), counter, ('alg', i32, alg)]
            case('%s_alg%d' % (name, alg), 'StatelessRandomUniformFullIntV2', *generator, compare='exact', dtype=dtype)
            for high in (90, low):
                bounds = [('minval', dtype, low), ('maxval', dtype, high)]
                case(
                    '%s_alg%d_below_%d' % (name, alg, high),
                    'StatelessRandomUniformIntV2',
                    *generator,
                    *bounds,
                    compare='exact',
                    both=False,
                )
for name, alg in (('philox', 1), ('three_fry', 2), ('auto', 3), ('none', 7)):
    case(
        'alg_' + name,
        'StatelessRandomUniformV2',
        ('shape', i32, np.array([4])),
        ('key', tf.uint64, KEY),
        ('counter', tf.uint64, COUNTER),
        ('alg', i32, alg),
        compare='exact',
        dtype=f32,
    )


@steps('RefMerge/loop_by_reference')
def _(b):
    var = R.VariableV2(dtype=f32, shape=[])
    start = R.Assign(ref=var, value=0.0)
    p = b.placeholder('p', tf.bool, [])
    off, on = R.RefSwitch(data=var, pred=p)
    merged = R.RefMerge(inputs=[off, on])
    return [
        dict(target=[start.op]),
        dict(fetch=[merged.output, merged.value_index], feed={'p': False}),
        dict(fetch=[merged.output, merged.value_index], feed={'p': True}),
    ]


@steps('RefEnter/exit_by_reference')
def _(b):
    var = R.VariableV2(dtype=f32, shape=[2])
    start = R.Assign(ref=var, value=[1.0, 2.0])
    out = R.RefExit(data=R.RefEnter(data=var, frame_name='f'))
    return [dict(target=[start.op]), dict(fetch=[out])]


for sizes in ([2, 1], [0, 3], [3], [1, 1, 1], [2, 2], [-1, 4]):

    @steps('TensorListSplit/lengths_' + '_'.join(map(str, sizes)).replace('-', 'minus'))
    def _(b, sizes=tuple(sizes)):
        n = b.placeholder('n', i64)
        made = R.TensorListSplit(tensor=filled(f32, [3, 2]), element_shape=[-1, 2], lengths=n)
        return [
            dict(
                fetch=[
                    R.TensorListLength(input_handle=made),
                    R.TensorListGetItem(input_handle=made, index=0, element_shape=[-1, 2], element_dtype=f32),
                ],
                feed={'n': sizes},
            )
        ]


for size in (0, 1, 2, 5, -1):

    @steps('TensorListResize/to_%d' % size)
    def _(b, size=size):
        n = b.placeholder('n', i32)
        made = R.TensorListFromTensor(tensor=filled(f32, [2, 2]), element_shape=[2])
        made = R.TensorListResize(input_handle=made, size=n)
        length = R.TensorListLength(input_handle=made)
        stacked = R.TensorListStack(input_handle=made, element_shape=[2], element_dtype=f32)
        return [dict(fetch=[length], feed={'n': size}), dict(fetch=[stacked], feed={'n': size})]


for name, indices in (
    ('in_order', [0, 1]),
    ('backwards', [2, 0]),
    ('twice', [1, 1]),
    ('negative', [0, -1]),
    ('one', [0]),
):

    @steps('TensorListScatter/' + name)
    def _(b, indices=tuple(indices)):
        i = b.placeholder('i', i32)
        made = R.TensorListScatter(tensor=filled(f32, [2, 2]), indices=i, element_shape=[2])
        length = R.TensorListLength(input_handle=made)
        stacked = R.TensorListStack(input_handle=made, element_shape=[2], element_dtype=f32)
        return [dict(fetch=[length], feed={'i': indices}), dict(fetch=[stacked], feed={'i': indices})]


# ---- what is left behind by a step that fails
for name, rows in (('middle', [0, 9, 1]), ('first', [9, 0, -1]), ('last', [1, 0, 7])):
    for op in ('ScatterNdAdd', 'ScatterNdUpdate', 'ResourceScatterNdAdd', 'ResourceScatterNdUpdate', 'ScatterAdd'):

        @steps('%s/bad_index_%s' % (op, name))
        def _(b, op=op, rows=rows):
            values = np.array([1, 2, 3, 4], np.float32)
            if 'Resource' in op:
                var = R.VarHandleOp(dtype=f32, shape=[4], shared_name='v')
                start, read = R.AssignVariableOp(resource=var, value=values), R.ReadVariableOp(resource=var, dtype=f32)
            else:
                var = R.VariableV2(dtype=f32, shape=[4])
                start, read = R.Assign(ref=var, value=values).op, R.Identity(input=var)
            indices = b.placeholder('i', i32)
            put = getattr(R, op)(ref=var, indices=indices, updates=np.array([10, 20, 30], np.float32))
            put = put if isinstance(put, tf.Operation) else put.op
            fed = rows if op == 'ScatterAdd' else [[r] for r in rows]
            return [dict(target=[start]), dict(target=[put], feed={'i': fed}), dict(fetch=[read])]


# ---- attrs and sizes
for shape in ([0, 4, 4, 1], [1, 0, 4, 1], [1, 4, 4, 0]):
    for op, key in (('MaxPoolWithArgmax', 'input'), ('MaxPool', 'input'), ('AvgPool', 'value')):
        case(
            'empty_' + 'x'.join(map(str, shape)),
            op,
            (key, f32, shape),
            ksize=[1, 2, 2, 1],
            strides=[1, 2, 2, 1],
            padding='SAME',
        )
for most in (-2, -1, 0, 1):

    @steps('EmptyTensorList/at_most_%d' % most)
    def _(b, most=most):
        n = b.placeholder('n', i32)
        made = R.EmptyTensorList(element_shape=[2], max_num_elements=n, element_dtype=f32)
        made = R.TensorListPushBack(input_handle=made, tensor=[1.0, 2.0])
        made = R.TensorListPushBack(input_handle=made, tensor=[3.0, 4.0])
        return [dict(fetch=[R.TensorListLength(input_handle=made)], feed={'n': most})]


for method in ('', 'INTEGER_FAST', 'INTEGER_ACCURATE', 'FLOAT'):

    @steps('DecodeJpeg/dct_method_' + (method or 'none'))
    def _(b, method=method):
        image = tf.io.encode_jpeg(np.full([8, 8, 3], 100, np.uint8))
        return [dict(fetch=[R.Shape(input=R.DecodeJpeg(contents=image, dct_method=method))])]


for what, keys, values in (
    ('lengths', [2], [3]),
    ('scalar_values', [2], []),
    ('matrix', [2, 2], [2, 2]),
    ('fit', [2], [2]),
):
    for op, make in (
        ('LookupTableImport', R.MutableHashTable),
        ('LookupTableInsert', R.MutableHashTable),
        ('InitializeTable', R.HashTable),
    ):

        @steps('%s/%s_by_reference' % (op, what))
        def _(b, op=op, make=make, keys=tuple(keys), values=tuple(values)):
            table = make(key_dtype=i64, value_dtype=f32, shared_name='t')
            put = getattr(R, op)(
                table_handle=table, keys=b.placeholder('k', i64, keys), values=b.placeholder('v', f32, values)
            )
            size = R.LookupTableSize(table_handle=table)
            return [dict(target=[put], feed={'k': filled(i64, keys), 'v': filled(f32, values)}), dict(fetch=[size])]


# ---- shapes that contradict an attr or another input
for name, shape, inputs in (
    ('partly_known', [None], [[2], [2]]),
    ('other_inputs', [2], [[2], [3]]),
):

    @steps('AccumulateNV2/attr_of_' + name)
    def _(b, shape=shape, inputs=inputs):
        fed = {'x%d' % i: filled(f32, s) for i, s in enumerate(inputs)}
        xs = [b.placeholder(key, f32, value.shape) for key, value in fed.items()]
        return [dict(fetch=[R.AccumulateNV2(inputs=xs, shape=shape)], feed=fed)]


for name, shape, grad in (
    ('fewer_rows', [1, 4, 4, 1], [1, 1, 2, 1]),
    ('none', [1, 4, 4, 1], [1, 0, 0, 1]),
    ('past_the_edge', [1, 4, 4, 1], [1, 3, 3, 1]),
    ('past_an_odd_edge', [1, 5, 5, 1], [1, 3, 3, 1]),
    ('far_past_the_edge', [1, 4, 4, 1], [1, 4, 4, 1]),
    ('no_batch', [1, 4, 4, 1], [0, 2, 2, 1]),
    ('fewer_images', [2, 4, 4, 1], [1, 2, 2, 1]),
    ('more_images', [1, 4, 4, 1], [2, 2, 2, 1]),
    ('image_without_rows', [1, 0, 4, 1], [1, 2, 2, 1]),
):
    for padding in ('SAME', 'VALID'):
        two = dict(ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding=padding)
        inputs = ('orig_input_shape', i32, np.array(shape)), ('grad', f32, grad)
        case('grad_%s_%s' % (name, padding), 'AvgPoolGrad', *inputs, both=False, **two)
        three = dict(ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding=padding)
        case('grad_%s_%s_window_3' % (name, padding), 'AvgPoolGrad', *inputs, both=False, **three)
        inputs = ('orig_input_shape', i32, np.array(shape[:1] + [2] + shape[1:])), (
            'grad',
            f32,
            grad[:1] + [1] + grad[1:],
        )
        two = dict(ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding=padding)
        case('grad_%s_%s' % (name, padding), 'AvgPool3DGrad', *inputs, both=False, **two)
for op, rank in (('MaxPoolGrad', 4), ('MaxPool3DGrad', 5)):
    for name, output, grad in (('output', 3, 2), ('grad', 2, 1), ('both', 1, 1)):
        sizes = [[1] + [n] * (rank - 2) + [1] for n in (4, output, grad)]
        inputs = [(key, f32, s) for key, s in zip(('orig_input', 'orig_output', 'grad'), sizes)]
        window = [1] + [2] * (rank - 2) + [1]
        case('other_' + name, op, *inputs, ksize=window, strides=window, padding='SAME')

for op in (
    'ResourceScatterAdd',
    'ResourceScatterUpdate',
    'ResourceScatterMul',
    'ResourceScatterMin',
    'ResourceScatterDiv',
):
    for indices, updates in (
        ([2], [2, 4]),
        ([2], [2, 2, 2]),
        ([2], [3, 2]),
        ([2], [2]),
        ([2], [4]),
        ([0], [2, 2]),
        ([0], [0, 4]),
        ([2, 2], [4, 2]),
        ([1, 2], [1, 2, 3]),
        ([2], []),
        ([], [3]),
    ):
        name = '%s_by_%s' % ('x'.join(map(str, indices)) or 'scalar', 'x'.join(map(str, updates)) or 'scalar')
        if op == 'ResourceScatterUpdate' and updates in ([2, 4], [1, 2, 3], [3]):
            continue  # there TensorFlow writes past the rows

        @steps('%s/updates_%s' % (op, name))
        def _(b, op=op, indices=tuple(indices), updates=tuple(updates)):
            var = R.VarHandleOp(dtype=f32, shape=[4, 2], shared_name='v')
            start = R.AssignVariableOp(resource=var, value=np.arange(1, 9, dtype=np.float32).reshape(4, 2))
            put = getattr(R, op)(resource=var, indices=b.placeholder('i', i32), updates=b.placeholder('u', f32))
            places = np.arange(int(np.prod(indices))).reshape(indices) + 1
            fed = {'i': places, 'u': filled(f32, updates) + 10}
            return [
                dict(target=[start]),
                dict(target=[put], feed=fed),
                dict(fetch=[R.ReadVariableOp(resource=var, dtype=f32)]),
            ]


# ---- control flow
@function.Defun(f32)
def add_one(x):
    return x + 1.0


@function.Defun(f32)
def subtract_one(x):
    return x - 1.0


@function.Defun(i32)
def below_three(x):
    return x < 3


@function.Defun(i32)
def next_number(x):
    return x + 1


def lowered(op):
    op._set_attr('_lower_using_switch_merge', tf.compat.v1.AttrValue(b=True))


for op in ('If', 'StatelessIf'):
    for lower in (False, True):
        for name, dtype, value in (
            ('one_false', tf.bool, [False]),
            ('one_true', tf.bool, [True]),
            ('none', tf.bool, []),
            ('matrix', tf.bool, [[False, False]]),
            ('number', f32, 0.0),
            ('number_vector', f32, [0.0]),
            ('text', st, ''),
            ('text_vector', st, ['']),
        ):
            for fed in (False, True):

                @steps('%s/%s_%s%s' % (op, 'fed' if fed else 'const', name, '_lowered' if lower else ''))
                def _(b, op=op, lower=lower, dtype=dtype, value=value, fed=fed):
                    value = np.array(value, dtype.as_numpy_dtype)
                    cond = b.placeholder('c', dtype, value.shape) if fed else tf.constant(value, dtype)
                    y = getattr(R, op)(
                        cond=cond, input=[tf.constant(3.0)], Tout=[f32], then_branch=add_one, else_branch=subtract_one
                    )
                    if lower:
                        lowered(y[0].op)
                    return [dict(fetch=y, feed={'c': value} if fed else {})]


for op in ('While', 'StatelessWhile'):
    for lower in (False, True):
        for parallel in (0, -1, 1, 2**31):

            @steps('%s/parallel_iterations_%d%s' % (op, parallel, '_lowered' if lower else ''))
            def _(b, op=op, lower=lower, parallel=parallel):
                y = getattr(R, op)(
                    input=[b.placeholder('x', i32, [])],
                    cond=below_three,
                    body=next_number,
                    parallel_iterations=parallel,
                )
                if lower:
                    lowered(y[0].op)
                return [dict(fetch=y, feed={'x': 0})]


for parallel in (0, -1, 1, 2**31):

    @steps('Enter/parallel_iterations_%d' % parallel)
    def _(b, parallel=parallel):
        x = R.Enter(data=b.placeholder('x', i32, []), frame_name='f', parallel_iterations=parallel)
        return [dict(fetch=[R.Exit(data=x)], feed={'x': 7})]


for op in ('PartitionedCall', 'StatefulPartitionedCall'):
    for name, attrs in (
        ('config_proto_none', dict(config_proto='abc')),
        ('config_proto_cut_off', dict(config_proto=b'\x08')),
        ('config_proto', dict(config_proto=b'8\x01')),
        ('config_none', dict(config='nonsense')),
        ('executor_single', dict(executor_type='SINGLE_THREADED_EXECUTOR')),
        ('executor_none', dict(executor_type='nonsense')),
        ('executor_and_config_none', dict(executor_type='nonsense', config_proto='abc')),
    ):

        @steps('%s/%s' % (op, name))
        def _(b, op=op, attrs=attrs):
            y = getattr(R, op)(args=[b.placeholder('x', f32, [])], Tout=[f32], f=add_one, **attrs)
            return [dict(fetch=y, feed={'x': 1.0})]


# Axes and sizes that a loop takes along: shape functions see through Enter.
ENTERED = {
    'ConcatV2': lambda x, n: R.ConcatV2(values=[x, x], axis=n),
    'ExpandDims': lambda x, n: R.ExpandDims(input=x, axis=n),
    'Sum': lambda x, n: R.Sum(input=x, axis=n),
    'GatherV2': lambda x, n: R.GatherV2(params=x, indices=[0], axis=n),
    'Split': lambda x, n: R.Split(axis=n, value=x, num_split=1)[0],
    'ArgMax': lambda x, n: R.ArgMax(input=x, dimension=n),
    'Fill': lambda x, n: R.Fill(dims=R.Pack(values=[n]), value=1.0),
    'Reshape': lambda x, n: R.Reshape(tensor=x, shape=R.Pack(values=[-1, n])),
    'Tile': lambda x, n: R.Tile(input=x, multiples=R.Pack(values=[n, n])),
    'TopKV2': lambda x, n: R.TopKV2(input=x, k=n)[0],
}
for op, of in ENTERED.items():
    for number in (1, 5):
        for constant in (False, True):

            @steps('%s/entered_%d%s' % (op, number, '_constant' if constant else ''))
            def _(b, of=of, number=number, constant=constant):
                n = R.Enter(data=tf.constant(number), frame_name='f', is_constant=constant)
                x = R.Enter(data=b.placeholder('x', f32, [2, 3]), frame_name='f', is_constant=True)
                return [dict(fetch=[R.Exit(data=of(x, n))], feed={'x': filled(f32, [2, 3])})]


for buckets in (0, 3, 5, 2**58, 2**61):

    @steps('MutableDenseHashTableV2/buckets_%d' % buckets)
    def _(b, buckets=buckets):
        table = R.MutableDenseHashTableV2(
            empty_key=np.int64(-1), deleted_key=np.int64(-2), value_dtype=i64, initial_num_buckets=buckets
        )
        return [dict(fetch=[R.LookupTableSizeV2(table_handle=table)])]

# ---- which of two refusals comes first, and numbers that are no numbers
nan, inf = float('nan'), float('inf')
for name, ksize in (('batch_and_nothing', [2, 2, 2, 0]), ('batch_of_nothing', [0, 2, 2, 1])):
    case(name, 'AvgPool', ('value', f32, [2, 4, 4, 3]), ksize=ksize, strides=[1, 1, 1, 1], padding='SAME')
    case(name, 'MaxPool', ('input', f32, [2, 4, 4, 3]), ksize=ksize, strides=[1, 1, 1, 1], padding='SAME')
    images = [(x, f32, [2, 4, 4, 3]) for x in ('orig_input', 'orig_output', 'grad')]
    case(name, 'MaxPoolGrad', *images, ksize=ksize, strides=[1, 1, 1, 1], padding='SAME')
for numbers in ([1, nan, 0, 2], [nan, 1, 0, 2], [3, nan, 0, 2], [3, 2, 1, nan], [3, 2, nan, 1]):
    of = '_'.join(map(str, numbers))
    row = np.array(numbers, np.float32)
    for op, shape in (('MaxPool', [1, 1, 4, 1]), ('MaxPool3D', [1, 1, 1, 4, 1])):
        ones = [1] * len(shape)
        case(of, op, ('input', f32, row.reshape(shape)), both=False, ksize=shape, strides=ones, padding='VALID')
for name, images, filters in (
    ('window_of_nothing', [1, 5, 5, 2], [0, 3, 2, 3]),
    ('nothing_by_nothing', [0, 5, 5, 2], [0, 3, 2, 3]),
    ('window_of_nothing_to_nothing', [1, 5, 5, 2], [0, 3, 2, 0]),
    ('no_rows', [1, 0, 5, 2], [0, 3, 2, 3]),
):
    case(name, 'Conv2D', ('input', f32, images), ('filter', f32, filters), strides=[1, 1, 1, 1], padding='SAME')
for name, steps_of, rates in (('strides', [1, 1, 1, 2], [1] * 4), ('dilations', [1] * 4, [1, 1, 1, 2])):
    sizes = dict(strides=steps_of, dilations=rates, padding='SAME')
    gradient = ('out_backprop', f32, [1, 5, 5, 3])
    case('depth_' + name, 'Conv2DBackpropInput', ('input_sizes', i32, np.array([1, 5, 5, 2])),
         ('filter', f32, [3, 3, 2, 3]), gradient, **sizes)
    case('depth_' + name, 'Conv2DBackpropFilter', ('input', f32, [1, 5, 5, 2]),
         ('filter_sizes', i32, np.array([3, 3, 2, 3])), gradient, **sizes)
case('scalar_and_any_dims', 'Reverse', ('tensor', f32, []), ('dims', tf.bool, [2]))
for op, more in (('QuantizeAndDequantizeV2', {}), ('QuantizeAndDequantizeV3', dict(num_bits=8))):
    for name, least, most in (
        ('nan_to_1', nan, 1.0),
        ('to_nan', -1.0, nan),
        ('vector_range', np.array([-1.0]), np.array([1.0])),
    ):
        case(name, op, ('input', f32, [3]), ('input_min', f32, least), ('input_max', f32, most), range_given=True, **more)
    for given in (False, True):
        case('scalar_%s' % given, op, ('input', f32, []), ('input_min', f32, -1.0), ('input_max', f32, 1.0),
             range_given=given, **more)
case('box_and_index', 'CropAndResize', ('image', f32, [2, 4, 5, 2]), ('boxes', f32, np.array([[0, 0, 1, inf]])),
     ('box_ind', i32, np.array([-1])), ('crop_size', i32, np.array([2, 2])))
for name, wanted in (('fits_not', [4, 2]), ('fits_not_and_is_huge', [2**30, 2**20, 2]), ('to_nothing', [0, 2])):
    case(name, 'BroadcastTo', ('input', f32, [3, 1]), ('shape', i64, np.array(wanted)))
case('of_nothing', 'UnsortedSegmentMax', ('data', f32, [3, 0]), ('segment_ids', i32, np.array([8, 1, 1])),
     ('num_segments', i32, 2))
for number in (1, 2, 3):
    case('one_to_%d_aligned' % number, 'ResizeArea', ('images', f32, [1, 2, 1, 1]),
         ('size', i32, np.array([number, 2])), align_corners=True)
    case('one_column_to_%d_aligned' % number, 'ResizeArea', ('images', f32, [1, 1, 2, 1]),
         ('size', i32, np.array([2, number])), align_corners=True)
case('denormal', 'Where', ('condition', f32, np.array([1e-40, 0, 1, nan, -0.0])))
case('imaginary', 'Where', ('condition', c64, np.array([1j, 0, 1, 0, -0.0])))
case('two_dimensions', 'Where', ('condition', i32, np.array([[1, 0, 2], [0, 0, 3], [0, 0, 0], [-1, -1, 0]])))
matrix = np.array([[nan, 1, 2], [1, 9, 3], [2, 3, 16]])
case('nan_first', 'Cholesky', ('input', f64, matrix))
case('nan_last', 'Cholesky', ('input', f64, matrix[::-1, ::-1].copy()))
case('nan_first', 'MatrixInverse', ('input', f64, matrix))
case('nan_last', 'MatrixInverse', ('input', f64, matrix[::-1, ::-1].copy()))
case('infinite', 'MatrixDeterminant', ('input', f64, np.array([[3, -0.8, -0.1], [0.7, -inf, 0.1], [-0.4, -0.1, 1.4]])))
case('padding_of_rank_1', 'MatrixDiagPartV3', ('input', f32, [3, 4]), ('k', i32, np.array([-1, 1])),
     ('padding_value', f32, [1]), align='RIGHT_LEFT')
case('shard_below', 'Restore', ('file_pattern', st, b'nowhere'), ('tensor_name', st, b'x'), dt=f32, preferred_shard=-2)
for batch_dims in (1, 2, -1, -2):
    for rank in (1, 2, 3):
        case('params_%d_batch_%d' % (rank, batch_dims), 'GatherV2', ('params', f32, [2, 3, 4][:rank]),
             ('indices', i32, np.zeros([2, 3])), axis=rank - 1,
             batch_dims=batch_dims)
for least, most in ((-3.0, -0.5), (0.0, 1.0), (-0.5, 2.0), (-1.7, 0.0)):
    for narrow in (False, True):
        x = np.arange(-4, 4, 0.03125).astype(np.float32)
        limits = dict(min=least, max=most, narrow_range=narrow)
        name = 'halves_%g_%g_%s' % (least, most, narrow)
        case(name, 'FakeQuantWithMinMaxArgs', ('inputs', f32, x), both=False, **limits)
        case(name, 'FakeQuantWithMinMaxVars', ('inputs', f32, x), ('min', f32, least), ('max', f32, most), both=False,
             narrow_range=narrow)
        case(name, 'FakeQuantWithMinMaxVarsPerChannel', ('inputs', f32, x.reshape(-1, 1)),
             ('min', f32, np.array([least])), ('max', f32, np.array([most])), both=False, narrow_range=narrow)
for precision in (0, 1, 5):
    for width in (0, 4):
        case('string_%d_%d' % (width, precision), 'AsString', ('input', st, np.array([b'ab', b'xyzzy'], object)),
             precision=precision, width=width)
for name, at, bad in (('nan_below', (2, 0), nan), ('nan_on_diagonal', (1, 1), nan), ('infinity_below', (2, 1), inf)):
    for of in (f32, f64, c64):
        matrix = np.ones([2, 3, 3]) + 2 * np.eye(3)
        matrix[(1,) + at] = bad
        case('%s_%s' % (name, of.name), 'SelfAdjointEigV2', ('input', of, matrix), compute_v=False)
case('nan_1x1', 'SelfAdjointEigV2', ('input', f32, np.array([[nan]])))
for sizes in ([0, 3, 2, 2, 3], [3, 0, 2, 2, 3], [3, 3, 0, 2, 3], [3, 3, 2, 2, 0]):
    name = 'filter_' + 'x'.join(map(str, sizes))
    gradient = ('out_backprop', f32, [1, 3, 3, 3, sizes[4]])
    case(name, 'Conv3DBackpropInputV2', ('input_sizes', i32, np.array([1, 3, 3, 3, 2])), ('filter', f32, sizes), gradient,
         strides=[1] * 5, padding='SAME')
    case(name, 'Conv3DBackpropFilterV2', ('input', f32, [1, 3, 3, 3, 2]), ('filter_sizes', i32, np.array(sizes)), gradient,
         strides=[1] * 5, padding='SAME')
windows = dict(padding='SAME', data_format='NCHW_VECT_C')
case('blocks_of_2', 'MaxPoolV2', ('input', f32, [1, 2, 3, 3, 2]), ('ksize', i32, np.array([1, 1, 2, 2])),
     ('strides', i32, np.array([1, 1, 1, 1])), **windows)
for block in (4, 2):
    case('blocks_of_%d' % block, 'MaxPool', ('input', f32, [1, 2, 3, 3, block]), ksize=[1, 1, 2, 2], strides=[1, 1, 1, 1],
         **windows)

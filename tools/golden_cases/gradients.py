# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/gradients.pb: ops that gradients consist of."""

import numpy as np
import tensorflow as tf

R = tf.raw_ops
f32, f64, i32, i64, f16, bf16 = tf.float32, tf.float64, tf.int32, tf.int64, tf.float16, tf.bfloat16

CASES = []
random = np.random.default_rng(11)


def case(name, op, compare='close', producer=None, **arguments):
    """Inputs are the arguments that are (dtype, value); the others are attrs. Each with known and unknown shapes."""
    inputs = {k: v for k, v in arguments.items() if isinstance(v, tuple)}
    attrs = {k: v for k, v in arguments.items() if k not in inputs}
    values = {k: np.asarray(v, d.as_numpy_dtype) for k, (d, v) in inputs.items()}

    def build(known):
        def steps(b):
            if producer is not None:
                tf.import_graph_def(tf.compat.v1.GraphDef(versions=dict(producer=producer)))
            feeds = {k: b.placeholder(k, d, values[k].shape if known else None) for k, (d, _) in inputs.items()}
            out = getattr(R, op)(**feeds, **attrs)
            return [dict(fetch=list(out) if isinstance(out, (tuple, list)) else [out], feed=values)]

        return steps

    CASES.append((f'{op}/{name}', build(True), compare))
    CASES.append((f'{op}/{name}_at_run', build(False), compare))


def numbers(*shape, scale=1.0):
    return (random.normal(size=shape) * scale).astype(np.float32).round(3)


# ---- the gradient of MaxPool's gradient
image = random.integers(-6, 7, (2, 5, 6, 3))  # with equal elements


def pooled(x, k, s, padding):
    """The largest values of windows of x over all dimensions but the first and the last."""
    outs, firsts = [], []
    for size, window, step in zip(x.shape[1:-1], k, s):
        count = -(-size // step) if padding == 'SAME' else (size - window) // step + 1
        before = max((count - 1) * step + window - size, 0) // 2 if padding == 'SAME' else 0
        outs.append(count)
        firsts.append([i * step - before for i in range(count)])
    out = np.zeros((x.shape[0], *outs, x.shape[-1]), x.dtype)
    for at in np.ndindex(*outs):
        part = tuple(slice(max(f[i], 0), f[i] + window) for f, i, window in zip(firsts, at, k))
        out[(slice(None), *at)] = x[(slice(None), *part)].max(tuple(range(1, x.ndim - 1)))
    return out


def grad_grad(name, dtype, x, k, s, padding, y=None, grad=None, version=1, **more):
    y = pooled(x, k, s, padding) if y is None else y
    grad = np.arange(np.size(x)).reshape(np.shape(x)) % 97 if grad is None else grad
    size, step = [1, *k, 1], [1, *s, 1]
    arguments = dict(orig_input=(dtype, x), orig_output=(dtype, y), grad=(dtype, grad), padding=padding, **more)
    if version == 2:
        case(name, 'MaxPoolGradGradV2', ksize=(i32, size), strides=(i32, step), **arguments)
    else:
        case(name, 'MaxPoolGradGrad' if len(k) == 2 else 'MaxPool3DGradGrad', ksize=size, strides=step, **arguments)


for version in (1, 2):
    for dtype in (f32, f64, f16, bf16, i32, i64, tf.int8, tf.int16):
        grad_grad(f'valid_{dtype.name}', dtype, image, (2, 2), (2, 2), 'VALID', version=version)
    for dtype in (tf.uint8, tf.uint16, tf.uint32, tf.uint64):
        grad_grad(f'same_{dtype.name}', dtype, abs(image), (3, 2), (2, 1), 'SAME', version=version)
    grad_grad('one', f32, image, (1, 1), (1, 1), 'VALID', version=version)
    grad_grad('all', f32, image, (5, 6), (1, 1), 'VALID', version=version)
    grad_grad('far', f32, image, (2, 2), (3, 3), 'SAME', version=version)
    grad_grad('not_in_window', f32, image, (2, 2), (2, 2), 'VALID', y=np.full((2, 2, 3, 3), 100), version=version)
    holes = image.astype(np.float32)
    holes[0, 0, 0, 0] = holes[1, 2, 2, 1] = np.nan
    grad_grad('nan', f32, holes, (2, 2), (2, 2), 'VALID', y=np.full((2, 2, 3, 3), np.nan), version=version)
    grad_grad('no_batch', f32, np.zeros((0, 4, 4, 1)), (2, 2), (2, 2), 'VALID', y=np.zeros((0, 2, 2, 1)), version=version)
    grad_grad('no_depth', f32, np.zeros((1, 4, 4, 0)), (2, 2), (2, 2), 'VALID', y=np.zeros((1, 2, 2, 0)), version=version)
    grad_grad('wrong_output', f32, image, (2, 2), (2, 2), 'VALID', y=np.zeros((2, 2, 2, 3)), version=version)
    grad_grad('wrong_grad', f32, image, (2, 2), (2, 2), 'VALID', grad=np.zeros((2, 2, 3, 3)), version=version)
    grad_grad('rank_3', f32, image[0], (2, 2), (2, 2), 'VALID', y=np.zeros((2, 3, 3)), version=version)
    grad_grad('output_rank', f32, image, (2, 2), (2, 2), 'VALID', y=np.zeros((2, 3, 3)), version=version)
    grad_grad('grad_rank', f32, image, (2, 2), (2, 2), 'VALID', grad=np.zeros((2, 3, 3)), version=version)
    grad_grad('nchw', f32, image, (2, 2), (2, 2), 'VALID', version=version, data_format='NCHW')
    grad_grad('large_window', f32, image, (7, 2), (2, 2), 'VALID', y=np.zeros((2, 0, 3, 3)), version=version)
for name, size, step in (('depth', [1, 2, 2, 3], [1, 2, 2, 3]), ('batch', [2, 2, 2, 1], [2, 2, 2, 1]),
                         ('zero', [1, 0, 2, 1], [1, 2, 2, 1])):
    x, y = (f32, image), (f32, np.zeros((2, 2, 3, 3)))
    case(name, 'MaxPoolGradGrad', orig_input=x, orig_output=y, grad=x, ksize=size, strides=step, padding='VALID')
    case(name, 'MaxPoolGradGradV2', orig_input=x, orig_output=y, grad=x, ksize=(i32, size), strides=(i32, step),
         padding='VALID')
volume = random.integers(-6, 7, (2, 4, 3, 5, 2))
for dtype in (f32, bf16, f16, f64, i32):
    grad_grad(f'valid_{dtype.name}', dtype, volume, (2, 2, 2), (2, 1, 2), 'VALID')
for padding in ('VALID', 'SAME'):
    grad_grad(f'large_{padding}', f32, volume, (3, 3, 3), (1, 2, 2), padding)
grad_grad('one', f32, volume, (1, 1, 1), (1, 1, 1), 'SAME')
grad_grad('not_in_window', f32, volume, (2, 2, 2), (2, 2, 2), 'VALID', y=np.full((2, 2, 1, 2, 2), 9))
grad_grad('no_batch', f32, np.zeros((0, 4, 4, 4, 1)), (2, 2, 2), (2, 2, 2), 'VALID', y=np.zeros((0, 2, 2, 2, 1)))
grad_grad('wrong_output', f32, volume, (2, 2, 2), (2, 2, 2), 'VALID', y=np.zeros((2, 2, 1, 1, 2)))
grad_grad('wrong_grad', f32, volume, (2, 2, 2), (2, 2, 2), 'VALID', grad=np.zeros((2, 4, 3, 5, 1)))
grad_grad('rank_4', f32, volume[0], (2, 2, 2), (2, 2, 2), 'VALID', y=np.zeros((2, 1, 2, 2)))
grad_grad('ncdhw', f32, volume, (2, 2, 2), (2, 2, 2), 'VALID', data_format='NCDHW')

# ---- ScaleAndTranslate's gradient
for kernel in ('lanczos1', 'lanczos3', 'lanczos5', 'gaussian', 'box', 'triangle', 'keyscubic', 'mitchellcubic'):
    for antialias in (True, False):
        case(f'{kernel}_{antialias}', 'ScaleAndTranslateGrad', grads=(f32, numbers(2, 4, 3, 2)),
             original_image=(f32, numbers(2, 5, 6, 2)), scale=(f32, [0.7, 0.55]), translation=(f32, [0.3, -0.4]),
             kernel_type=kernel, antialias=antialias)
some = dict(grads=(f32, numbers(1, 6, 7, 1)), original_image=(f32, numbers(1, 3, 4, 1)), scale=(f32, [2, 1.75]),
            translation=(f32, [0, 0]), kernel_type='triangle')
case('larger', 'ScaleAndTranslateGrad', **some)
case('outside', 'ScaleAndTranslateGrad', **{**some, 'translation': (f32, [50, 0])})
case('cubic', 'ScaleAndTranslateGrad', **{**some, 'kernel_type': 'cubic'})
case('scale_0', 'ScaleAndTranslateGrad', **{**some, 'scale': (f32, [0, 1])})
case('scale_3', 'ScaleAndTranslateGrad', **{**some, 'scale': (f32, [1, 1, 1])})
case('translation_1', 'ScaleAndTranslateGrad', **{**some, 'translation': (f32, [1])})
case('no_grads', 'ScaleAndTranslateGrad', **{**some, 'grads': (f32, np.zeros((1, 0, 7, 1)))})
case('no_image', 'ScaleAndTranslateGrad', **{**some, 'original_image': (f32, np.zeros((1, 0, 4, 1)))})
case('no_batch', 'ScaleAndTranslateGrad', **{**some, 'grads': (f32, np.zeros((0, 6, 7, 1))),
                                             'original_image': (f32, np.zeros((0, 3, 4, 1)))})
case('rank_3', 'ScaleAndTranslateGrad', **{**some, 'grads': (f32, np.zeros((6, 7, 1)))})
case('image_rank_3', 'ScaleAndTranslateGrad', **{**some, 'original_image': (f32, np.zeros((6, 7, 1)))})

# ---- fractional pools
cells = random.integers(-9, 10, (2, 7, 6, 2))
rows, columns = [0, 2, 3, 5, 7], [0, 1, 3, 4, 6]


def fractional(x, overlapping):
    """Both pools of x over `rows` and `columns`, and no more than the last row and column."""
    end = 1 if overlapping else 0
    out = np.zeros((2, x.shape[0], len(rows) - 1, len(columns) - 1, x.shape[3]))
    for r in range(len(rows) - 1):
        for c in range(len(columns) - 1):
            part = x[:, rows[r]:rows[r + 1] + end, columns[c]:columns[c + 1] + end, :]
            out[0, :, r, c, :], out[1, :, r, c, :] = part.max((1, 2)), part.mean((1, 2))
    return out


for overlapping in (False, True):
    for dtype in (f32, f64, i32, i64):
        largest, _ = fractional(cells, overlapping)
        back = random.integers(-50, 50, largest.shape)
        case(f'{dtype.name}_{overlapping}', 'FractionalMaxPoolGrad', orig_input=(dtype, cells),
             orig_output=(dtype, largest), out_backprop=(dtype, back), row_pooling_sequence=(i64, rows),
             col_pooling_sequence=(i64, columns), overlapping=overlapping)
        case(f'{dtype.name}_{overlapping}', 'FractionalAvgPoolGrad', orig_input_tensor_shape=(i64, cells.shape),
             out_backprop=(dtype, back), row_pooling_sequence=(i64, rows), col_pooling_sequence=(i64, columns),
             overlapping=overlapping)
largest, _ = fractional(cells, False)
back = random.normal(size=largest.shape).astype(np.float32)
most = dict(orig_input=(f32, cells), orig_output=(f32, largest), out_backprop=(f32, back),
            row_pooling_sequence=(i64, rows), col_pooling_sequence=(i64, columns))
mean = dict(orig_input_tensor_shape=(i64, cells.shape), out_backprop=(f32, back), row_pooling_sequence=(i64, rows),
            col_pooling_sequence=(i64, columns))
for op, some in (('FractionalMaxPoolGrad', most), ('FractionalAvgPoolGrad', mean)):
    case('numbers', op, **some)
    case('long_rows', op, **{**some, 'row_pooling_sequence': (i64, [0, 2, 3, 5, 9])})
    case('past_columns', op, **{**some, 'col_pooling_sequence': (i64, [0, 1, 3, 8, 9])})
    case('negative_rows', op, **{**some, 'row_pooling_sequence': (i64, [-1, 2, 3, 5, 7])})
    case('few_rows', op, **{**some, 'row_pooling_sequence': (i64, [0, 2, 5])})
    case('falling', op, **{**some, 'row_pooling_sequence': (i64, [0, 3, 2, 5, 7])})
    case('equal', op, **{**some, 'row_pooling_sequence': (i64, [0, 2, 2, 5, 7])})
    case('no_rows', op, **{**some, 'row_pooling_sequence': (i64, [])})
    case('one_row', op, **{**some, 'row_pooling_sequence': (i64, [0])})
    case('matrix', op, **{**some, 'row_pooling_sequence': (i64, [rows])})
case('many_rows', 'FractionalAvgPoolGrad', **{**mean, 'row_pooling_sequence': (i64, [0, 1, 2, 3, 5, 7])})
case('back_rank', 'FractionalAvgPoolGrad', **{**mean, 'out_backprop': (f32, back[0])})
case('back_shape', 'FractionalAvgPoolGrad', **{**mean, 'out_backprop': (f32, back[:1])})
case('back_columns', 'FractionalAvgPoolGrad', **{**mean, 'out_backprop': (f32, back[:, :, :2])})
case('other_output', 'FractionalMaxPoolGrad', **{**most, 'orig_output': (f32, largest + 1)})
case('output_rank', 'FractionalMaxPoolGrad', **{**most, 'orig_output': (f32, largest[0])})
case('input_rank', 'FractionalMaxPoolGrad', **{**most, 'orig_input': (f32, cells[0])})
case('no_batch', 'FractionalMaxPoolGrad', **{**most, 'orig_input': (f32, cells[:0]), 'orig_output': (f32, largest[:0]),
                                             'out_backprop': (f32, back[:0])})
case('short_shape', 'FractionalAvgPoolGrad', **{**mean, 'orig_input_tensor_shape': (i64, [2, 7, 6])})
case('negative_shape', 'FractionalAvgPoolGrad', **{**mean, 'orig_input_tensor_shape': (i64, [2, -7, 6, 2])})
case('matrix_shape', 'FractionalAvgPoolGrad', **{**mean, 'orig_input_tensor_shape': (i64, [[2, 7, 6, 2]])})
case('smaller_shape', 'FractionalAvgPoolGrad', **{**mean, 'orig_input_tensor_shape': (i64, [2, 4, 4, 2])})
case('other_depth', 'FractionalAvgPoolGrad', **{**mean, 'orig_input_tensor_shape': (i64, [2, 7, 6, 3])})

# ---- incomplete gamma functions
# No large shapes: TensorFlow's floats lose digits there, and its doubles end the series too early.
shapes = [0.01, 0.3, 0.9, 1, 1.7, 3, 8.5, 20, 60, 150, 900]
ratios = [1e-4, 0.05, 0.4, 0.9, 1, 1.2, 2, 5]
for dtype in (f32, f64):
    a, x = np.meshgrid(shapes[:7] if dtype == f32 else shapes, ratios)
    case(f'grid_{dtype.name}', 'IgammaGradA', a=(dtype, a), x=(dtype, a * x))
    case(f'grid_{dtype.name}', 'RandomGammaGrad', alpha=(dtype, a), sample=(dtype, a * x))
    for op, first, second in (('IgammaGradA', 'a', 'x'), ('RandomGammaGrad', 'alpha', 'sample')):
        edges = [0, -1, np.nan, np.inf, 1, 1, 1, 1, 0, 1e-30, 1e30], [1, 1, 1, 1, 0, -1, np.nan, np.inf, 0, 1, 1]
        case(f'edges_{dtype.name}', op, **{first: (dtype, edges[0]), second: (dtype, edges[1])})
        case(f'broadcast_{dtype.name}', op, **{first: (dtype, [[0.5], [4]]), second: (dtype, [0.1, 1, 7])})
        case(f'scalar_{dtype.name}', op, **{first: (dtype, 2), second: (dtype, [0.1, 1, 7])})
        case(f'nothing_{dtype.name}', op, **{first: (dtype, []), second: (dtype, 2)})
        case(f'mismatch_{dtype.name}', op, **{first: (dtype, [1, 2]), second: (dtype, [1, 2, 3])})

# ---- BatchNormWithGlobalNormalization's gradient
for dtype in (f32, f64):
    for scale in (True, False):
        case(f'{dtype.name}_{scale}', 'BatchNormWithGlobalNormalizationGrad', producer=8, t=(dtype, numbers(2, 2, 3, 2)),
             m=(dtype, [0.25, -1]), v=(dtype, [0.5, 2]), gamma=(dtype, [1.5, -0.5]),
             backprop=(dtype, numbers(2, 2, 3, 2)), variance_epsilon=0.001, scale_after_normalization=scale)
some = dict(producer=8, t=(f32, numbers(2, 2, 3, 2)), m=(f32, [0.25, -1]), v=(f32, [0.5, 2]), gamma=(f32, [1.5, -0.5]),
            backprop=(f32, numbers(2, 2, 3, 2)), variance_epsilon=0.0, scale_after_normalization=True)
name = 'BatchNormWithGlobalNormalizationGrad'
case('epsilon_0', name, **some)
exact = random.integers(-8, 9, (2, 2, 3, 2)) / 4  # all numbers of the answer are halves
case('half', name, **{**some, 't': (f16, exact), 'm': (f16, [0.5, -1]), 'v': (f16, [0.25, 4]), 'gamma': (f16, [2, -1]),
                      'backprop': (f16, exact[::-1])})
case('variance_0', name, **{**some, 'v': (f32, [0, 1])})
case('rank_3', name, **{**some, 't': (f32, numbers(2, 3, 2))})
case('mean_rank', name, **{**some, 'm': (f32, [[0.25, -1]])})
case('variance_rank', name, **{**some, 'v': (f32, 1)})
case('gamma_rank', name, **{**some, 'gamma': (f32, [[1, 2]])})
case('backprop_rank', name, **{**some, 'backprop': (f32, numbers(3, 2))})
case('no_images', name, **{**some, 't': (f32, numbers(0, 2, 3, 2)), 'backprop': (f32, numbers(0, 2, 3, 2))})
case('int', name, **{**some, **{k: (i32, some[k][1]) for k in ('t', 'm', 'v', 'gamma', 'backprop')}})

# ---- BlockLSTM's gradient
def lstm(name, op='BlockLSTMGrad', dtype=f32, steps=3, limit=None, batch=2, inputs=2, cells=3, peephole=False,
         compare='close', **changed):
    draw = lambda *shape: numbers(*shape, scale=0.5)
    sequence, state = (steps, batch, cells), (batch, cells)
    gate = lambda: random.uniform(0.1, 0.9, sequence).round(3)
    values = dict(x=draw(steps, batch, inputs), cs_prev=draw(*state), h_prev=draw(*state),
                  w=draw(inputs + cells, 4 * cells), wci=draw(cells), wcf=draw(cells), wco=draw(cells),
                  b=draw(4 * cells), i=gate(), cs=draw(*sequence), f=gate(), o=gate(), ci=draw(*sequence),
                  co=draw(*sequence), h=draw(*sequence), cs_grad=draw(*sequence), h_grad=draw(*sequence))
    values.update(changed)
    case(name, op, compare, seq_len_max=(i64, steps if limit is None else limit), use_peephole=peephole,
         **{k: (dtype, v) for k, v in values.items()})


for op in ('BlockLSTMGrad', 'BlockLSTMGradV2'):
    for peephole in (False, True):
        lstm(f'float_{peephole}', op, peephole=peephole)
        lstm(f'short_{peephole}', op, limit=2, peephole=peephole)
    lstm('one', op, steps=1, batch=1, inputs=1, cells=1)
    lstm('wide', op, steps=2, batch=3, inputs=5, cells=4, peephole=True)
    one = np.full((1, 1, 1), 0.5)  # all numbers of the answer are halves
    lstm('half', op, dtype=f16, steps=1, batch=1, inputs=1, cells=1, x=one, cs_prev=one[0], h_prev=one[0],
         w=[[0.5, 1, -1, 2], [1, 0.5, -0.5, 0.25]], b=np.zeros(4), wci=[0], wcf=[0], wco=[0], i=one, cs=one, f=one, o=one,
         ci=one, co=-one, h=one, cs_grad=one, h_grad=-one)
    lstm('no_steps', op, limit=0)
lstm('x_rank', x=numbers(2, 2))
lstm('state_rank', cs_prev=numbers(3))
lstm('output_rank', h_prev=numbers(3))
lstm('w_rows', w=numbers(4, 12))
lstm('w_columns', w=numbers(5, 11))
lstm('b_length', b=numbers(11))
lstm('b_rank', b=numbers(12, 1))

# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/lists_more.pb: TensorArrays by their
older names, matrices from checkpoints."""

import numpy as np
import tensorflow as tf

CASES = []
f32, i32, i64 = tf.float32, tf.int32, tf.int64


class Array:
    """Calls ops of one version on one array, each behind the one before."""

    def __init__(self, version, size=4, dtype=f32, **attrs):
        self.version, self.dtype, self.flow = version, dtype, tf.constant(0.0)
        self.handle = self.raw('', size=size, dtype=dtype, **attrs)

    def raw(self, verb, **given):
        with tf.control_dependencies([self.flow]):
            return getattr(tf.raw_ops, f'TensorArray{verb}{self.version}')(**given)

    def put(self, verb, **given):
        self.flow = self.raw(verb, handle=self.handle, flow_in=self.flow, **given)

    def get(self, verb, **given):
        if verb in ('Read', 'Gather', 'Concat'):
            given['dtype'] = given.get('dtype', self.dtype)
        out = self.raw(verb, handle=self.handle, flow_in=self.flow, **given)
        self.flow = tf.cast(tf.raw_ops.Size(input=out[0] if isinstance(out, tuple) else out), f32)  # never a constant
        return list(out) if isinstance(out, tuple) else [out]

    def gradient(self, source):
        made = Array.__new__(Array)
        made.version, made.dtype, made.flow = self.version, self.dtype, self.flow
        made.handle = self.raw('Grad', handle=tf.identity(self.handle), flow_in=self.flow, source=source)
        return made


def case(name, make, known=True):
    """make(array) -> what is fetched; array(...) makes an array of the version."""
    for version in ('V2', ''):

        def steps(b, version=version):
            tf.import_graph_def(tf.compat.v1.GraphDef(versions=dict(producer=15 if not version else 25)))
            fetch = make(lambda **more: Array(version, **more), b)
            return [dict(fetch=[x for x in fetch if isinstance(x, tf.Tensor)], feed=dict(b.fed),
                         target=[x for x in fetch if isinstance(x, tf.Operation)])] * 2  # fmt: skip

        def build(b, steps=steps):
            b.fed = {}
            return steps(b)

        CASES.append((f'TensorArray{version}/{name}', build, 'exact'))


def fed(b, name, dtype, value):
    b.fed[name] = np.asarray(value, dtype.as_numpy_dtype)
    return b.placeholder(name, dtype, b.fed[name].shape)


def written(array, b, **more):
    a = array(**more)
    for i in range(3):
        a.put('Write', index=i, value=fed(b, f'x{i}', f32, [i, i + 0.5]))
    return a


def write_read(array, b):
    a = written(array, b)
    return a.get('Read', index=1) + a.get('Read', index=0) + a.get('Size')


def twice(array, b):
    a = written(array, b)
    return a.get('Read', index=1) + a.get('Read', index=1)


def kept(array, b):
    a = written(array, b, clear_after_read=False)
    return a.get('Read', index=1) + a.get('Read', index=1)


def gather(array, b):
    return written(array, b).get('Gather', indices=fed(b, 'at', i32, [2, 0, 1]))


def gather_shape(array, b):
    return written(array, b).get('Gather', indices=[2, 0], element_shape=[2])


def gather_other_shape(array, b):
    return written(array, b).get('Gather', indices=[2, 0], element_shape=[3])


def scatter(array, b):
    a = array()
    a.put('Scatter', indices=fed(b, 'at', i32, [3, 0, 1]), value=fed(b, 'x', f32, [[1, 2], [3, 4], [5, 6]]))
    return a.get('Gather', indices=[0, 1, 3])


def grows(array, b):
    a = array(size=0, dynamic_size=True)
    a.put('Scatter', indices=[3, 0], value=fed(b, 'x', f32, [1, 2]))
    return a.get('Size') + a.get('Read', index=3)


def split_concat(array, b):
    a = array(size=3)
    a.put('Split', value=fed(b, 'x', f32, np.arange(10).reshape(5, 2)), lengths=fed(b, 'n', i64, [2, 0, 3]))
    return a.get('Concat')


def split_sum(array, b):
    a = array(size=3)
    a.put('Split', value=fed(b, 'x', f32, np.arange(10).reshape(5, 2)), lengths=fed(b, 'n', i64, [2, 0, 2]))
    return [a.flow]


def zeros(array, b):
    return array(element_shape=[2]).get('Read', index=1)


def no_zeros(array, b):
    return array().get('Read', index=1)


def beyond(array, b):
    a = array()
    a.put('Write', index=4, value=1.0)
    return [a.flow]


def negative_size(array, b):
    return array(size=fed(b, 'n', i32, -1)).get('Size')


def other_type(array, b):
    a = array()
    a.put('Write', index=0, value=fed(b, 'x', i32, 3))
    return [a.flow]


def other_read_type(array, b):
    return written(array, b).get('Read', index=0, dtype=i32)


def closed(array, b):
    a = written(array, b)
    with tf.control_dependencies([a.raw('Close', handle=a.handle)]):
        return a.get('Size')


def gradient(array, b):
    a = written(array, b)
    g, same = a.gradient('g'), a.gradient('g')
    for i in range(2):
        g.put('Write', index=i, value=fed(b, f'g{i}', f32, [10 * i, 1]))
    g.put('Write', index=1, value=fed(b, 'more', f32, [100, 2]))
    same.flow = g.flow
    return same.get('Gather', indices=[0, 1, 2]) + same.get('Size')


def gradient_of_gradient(array, b):
    return written(array, b).gradient('g').gradient('h').get('Size')


def texts(array, b):
    a = array(dtype=tf.string, size=2)
    a.put('Write', index=1, value=tf.constant(['a', 'bc']))
    a.put('Write', index=0, value=tf.constant(['d']))
    return a.get('Concat')


for name, make in list(globals().items()):
    if callable(make) and getattr(make, '__code__', None) and make.__code__.co_varnames[:2] == ('array', 'b'):
        if name != 'written':
            case(name, make)


# ---- matrices from checkpoints
def remap(name, rows, columns, values=(), num_rows=None, num_cols=None, tensor='m', **more):
    def steps(b):
        prefix = '/tmp/tenon_golden_remap/' + name
        save = tf.raw_ops.SaveV2(prefix=prefix, tensor_names=['m', 'i', 'v'], shape_and_slices=[''] * 3,
                                 tensors=[tf.reshape(tf.range(12.0), [4, 3]), [[1]], [1.0]])  # fmt: skip
        b.fed = {}
        given = dict(ckpt_path=prefix, old_tensor_name=tensor, row_remapping=fed(b, 'rows', i64, rows),
                     col_remapping=fed(b, 'columns', i64, columns),
                     initializing_values=fed(b, 'values', f32, values))  # fmt: skip
        given.update(more)
        out = tf.raw_ops.LoadAndRemapMatrix(num_rows=len(rows) if num_rows is None else num_rows,
                                            num_cols=(len(columns) or 3) if num_cols is None else num_cols, **given)
        return [dict(target=[save], feed={}), dict(fetch=[out], feed=b.fed)]

    CASES.append((f'LoadAndRemapMatrix/{name}', steps, 'exact'))


remap('rows', [2, 0], [])
remap('both', [2, -1, 0], [1, -1], [9, 8, 7, 6])
remap('none', [], [])
remap('new', [-1, -1], [], [1, 2, 3, 4, 5, 6])
remap('few_values', [-1], [], [1])
remap('many_values', [-1], [], [1, 2, 3, 4])
remap('beyond', [3, 9], [])
remap('row_twice', [0, 0], [])
remap('column_twice', [0], [1, 1])
remap('other_rows', [0], [], num_rows=2)
remap('other_columns', [0], [0], num_cols=2)
remap('other_width', [0], [], num_cols=2)
remap('integers', [0], [], tensor='i')
remap('vector', [0], [], tensor='v')
remap('unknown', [0], [], tensor='x')
remap('one_in_memory', [3, 0, 1], [2, 0], max_rows_in_memory=1)
remap('two_in_memory', [3, 0, 1], [], max_rows_in_memory=2)
remap('paths', [0], [], ckpt_path=['a', 'b'])
remap('scalar_values', [-1], [0], values=5.0)

# SPDX-License-Identifier: Apache-2.0
"""Cases of one op each, for the files of this folder."""

import functools

import numpy as np


class Cases(list):
    """The list of (name, build, compare) that tools/make_golden.py reads."""

    def add(self, op, name, compare='close', fetch=None, runs=1, known=True, at_run=True, producer=None,
            constants=(), refused=None, **arguments):  # fmt: skip
        """Inputs are the arguments that are (dtype, value) or lists of them; the others are attrs.

        Each case is there with known shapes (where `known`) and with unknown ones (where `at_run`). `fetch`: the numbers of the outputs
        to compare; left out: all. `runs`: how many times the graph runs. `producer`: the graph's version.
        `constants`: names of inputs that are constants of the graph. `refused`: other shapes of inputs, which TensorFlow
        refuses.
        """
        import tensorflow as tf
        from tensorflow.python.framework import op_def_library

        plain = {tf.qint8: tf.int8, tf.quint8: tf.uint8, tf.qint16: tf.int16, tf.quint16: tf.uint16, tf.qint32: tf.int32}

        def is_input(v):
            return isinstance(v, tuple) or (isinstance(v, list) and v and isinstance(v[0], tuple))

        inputs = {k: v for k, v in arguments.items() if is_input(v)}
        attrs = {k: v for k, v in arguments.items() if k not in inputs}
        flat = {}
        for k, v in inputs.items():
            for i, (dtype, value) in enumerate(v if isinstance(v, list) else [v]):
                kind = object if dtype == tf.string else plain.get(dtype, dtype).as_numpy_dtype
                flat[f'{k}_{i}' if isinstance(v, list) else k] = (dtype, np.asarray(value, kind))

        def constant(dtype, value):
            proto = tf.make_tensor_proto(value)
            proto.dtype = dtype.as_datatype_enum
            attrs = {
                'value': tf.compat.v1.AttrValue(tensor=proto),
                'dtype': tf.compat.v1.AttrValue(type=proto.dtype),
            }
            return tf.compat.v1.get_default_graph().create_op('Const', [], [dtype], attrs=attrs).outputs[0]

        def build(known):
            def steps(b):
                b.refused = refused or {}
                if producer is not None:
                    tf.import_graph_def(tf.compat.v1.GraphDef(versions=dict(producer=producer)))
                # Quantized numbers are fed and fetched as their integers.
                p = {
                    k: b.placeholder(k, plain.get(d, d), x.shape if known else None)
                    for k, (d, x) in flat.items()
                    if k not in constants
                }
                p = {k: tf.bitcast(x, flat[k][0]) if flat[k][0] in plain else x for k, x in p.items()}
                p.update({k: constant(*flat[k]) for k in constants if k in flat})
                given = {
                    k: [p[f'{k}_{i}'] for i in range(len(v))] if isinstance(v, list) else p[k]
                    for k, v in inputs.items()
                }
                call = getattr(tf.raw_ops, op, None) or functools.partial(op_def_library.apply_op, op)
                out = call(**given, **attrs)
                out = list(out) if isinstance(out, (tuple, list)) else [out]
                flat_out = [t for one in out for t in (one if isinstance(one, (tuple, list)) else [one])]
                flat_out = [tf.bitcast(t, plain[t.dtype]) if t.dtype in plain else t for t in flat_out]
                wanted = flat_out if fetch is None else [flat_out[i] for i in fetch]
                return [dict(fetch=wanted, feed={k: x for k, (_, x) in flat.items() if k not in constants})] * runs

            return steps

        if known:
            self.append((f'{op}/{name}', build(True), compare))
        if at_run:
            self.append((f'{op}/{name}_at_run', build(False), compare))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks TensorFlow what golden cases give when something in them is changed at random:
tools/mutate_golden.py CASES.pb OUT.pb [SEED [COPIES [REGEX]]].

Each case whose name matches is copied COPIES times (3); in a copy one to three values, shapes, attrs or types are
other ones, and TensorFlow's answer is recorded, its refusals too. The same arguments make the same file. What Tenon
answers otherwise is worth a look (tenon_golden OUT.pb), and often another case in tools/golden_cases; many differences
are TensorFlow's own: memory read past its end, NaN in a product with padding, conversions of what a type cannot hold.
Needs tensorflow and grpcio-tools.
"""

import os
import random
import re
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make_golden
import numpy as np
import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2, graph_pb2, tensor_pb2, types_pb2
from tensorflow.python.framework import op_def_registry

golden = make_golden.golden
nan, inf = float('nan'), float('inf')
REALS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, nan, inf, -inf, 1e-40, 1e10, -1e10, 100.0, 1e-5, 2.5, 1.5]
INTEGERS = [0, 1, -1, 2, -2, 3, 5, 7, 8, 31, 32, 63, 64, 100, 127, 128, 255, 256, -128, 1 << 30]
INTEGERS += [(1 << 31) - 1, -(1 << 31), (1 << 63) - 1, -(1 << 63)]
TEXTS = [b'', b'a', b'abc', b'1', b'-1.5', b' 12 ', b'nan', b'1e400', b'\xff\xfe', b'a,b,c', b'\xe4\xbd\xa0', b'0x10']
DTYPES = [tf.as_dtype(name).as_datatype_enum for name in (
    'float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128 '
    'string').split()]
MOST_ELEMENTS = 1 << 16
AT_ONCE = 25  # cases of one process; TensorFlow crashes in some


def any_element(rng, dtype):
    if dtype == object:
        return rng.choice(TEXTS)
    if dtype == np.bool_:
        return rng.random() < 0.5
    if np.issubdtype(dtype, np.complexfloating):
        return complex(rng.choice(REALS), rng.choice(REALS))
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        fitting = [i for i in INTEGERS if info.min <= i <= info.max]
        return rng.choice(fitting[:6] if rng.random() < 0.6 else fitting)
    return rng.choice(REALS)


def other_values(rng, array):
    flat = array.reshape(-1).copy()
    for _ in range(rng.choice([1, 1, 2, 4])):
        i = rng.randrange(flat.size)
        if rng.random() < 0.25:
            flat[i] = flat[rng.randrange(flat.size)]
        else:
            flat[i] = any_element(rng, flat.dtype)
    return flat.reshape(array.shape)


def other_shape(rng, array):
    shape = list(array.shape)
    what = rng.random()
    if shape and what < 0.5:
        i = rng.randrange(len(shape))
        shape[i] = rng.choice([0, 1, max(0, shape[i] - 1), shape[i] + 1, shape[i] * 2, 2, 3])
    elif what < 0.65:
        shape.insert(rng.randrange(len(shape) + 1), rng.choice([1, 1, 1, 0, 2]))
    elif shape and what < 0.78:
        del shape[rng.randrange(len(shape))]
    elif shape and what < 0.88:
        rng.shuffle(shape)
    else:
        shape = [rng.choice([0, 1, 2, 3]) for _ in range(rng.randrange(6))]
    count = int(np.prod(shape, dtype=np.int64))
    if count > MOST_ELEMENTS:
        return array
    source = array.reshape(-1)
    if source.size == 0:
        source = np.array([any_element(rng, array.dtype) for _ in range(max(count, 1))], dtype=array.dtype)
    return np.resize(source, count).astype(array.dtype).reshape(shape)


def change_attr(rng, node):
    """The name of the attr that has another value now; None."""
    op = op_def_registry.get(node.op)
    attrs = [a for a in op.attr if a.type in ('int', 'float', 'bool', 'string', 'list(int)')] if op else []
    attrs = [a for a in attrs if not a.name.startswith('seed') and a.name not in ('N', 'num_split', 'num_outs', 'num')]
    if not attrs:
        return None
    attr = rng.choice(attrs)
    value = attr_value_pb2.AttrValue()
    value.CopyFrom(node.attr[attr.name] if attr.name in node.attr else attr.default_value)
    if attr.type == 'bool':
        value.b = not value.b
    elif attr.type == 'int':
        value.i = rng.choice([value.i - 1, value.i + 1, 0, 1, -1, 2, 3])
    elif attr.type == 'float':
        value.f = rng.choice([0.0, 1.0, -1.0, 0.5, 2.0, value.f * 2, inf, nan])
    elif attr.type == 'string' and attr.allowed_values.list.s:
        value.s = rng.choice(list(attr.allowed_values.list.s))
    elif attr.type == 'list(int)' and value.list.i:
        value.list.i[rng.randrange(len(value.list.i))] = rng.choice([0, 1, 2, 3, -1])
    else:
        return None
    node.attr[attr.name].CopyFrom(value)
    return attr.name


def as_type(rng, value, enum):
    if enum == types_pb2.DT_STRING:
        out = np.empty(value.size, object)
        out[:] = [rng.choice(TEXTS) for _ in range(value.size)]
        return out.reshape(value.shape)
    if value.dtype == object:
        value = np.resize(np.arange(4), value.size).reshape(value.shape)
    with np.errstate(all='ignore'):
        return value.astype(tf.as_dtype(enum).as_numpy_dtype)


def change_type(rng, feeds, graph):
    """Another type for one attr of the only node, and for the placeholders that it is about. False: it cannot be."""
    placeholders = {n.name: n for n in graph.node if n.op == 'Placeholder'}
    nodes = [n for n in graph.node if n.op not in ('Placeholder', 'Const', 'NoOp')]
    op = op_def_registry.get(nodes[0].op) if len(nodes) == 1 else None
    attrs = [a for a in op.attr if a.type == 'type' and a.name in nodes[0].attr] if op else []
    if not attrs:
        return False
    node, attr = nodes[0], rng.choice(attrs)
    enum = rng.choice([d for d in attr.allowed_values.list.type if d in DTYPES] or DTYPES)
    names, k = [], 0
    for arg in op.input_arg:
        count = node.attr[arg.number_attr].i if arg.number_attr else 1
        if arg.type_list_attr:
            count = len(node.attr[arg.type_list_attr].list.type)
        of_arg = [name.split(':')[0] for name in node.input[k : k + count]]
        k += count
        if arg.type_attr == attr.name:
            names += of_arg
    if any(name not in feeds for name in names):
        return False
    for name in names:
        placeholders[name].attr['dtype'].type = enum
        feeds[name] = as_type(rng, feeds[name], enum)
    node.attr[attr.name].type = enum
    return True


def change(rng, feeds, graph):
    """Changes one thing; its name, or None."""
    nodes = [n for n in graph.node if n.op not in ('Placeholder', 'Const', 'NoOp')]
    what = rng.random()
    if what < 0.2:
        name = change_attr(rng, rng.choice(nodes))
        return name and 'attr ' + name
    if what < 0.32:
        return 'dtype' if change_type(rng, feeds, graph) else None
    if not feeds:
        return None
    name = rng.choice(sorted(feeds))
    array = np.array(feeds[name])
    feeds[name] = other_values(rng, array) if array.size and rng.random() < 0.45 else other_shape(rng, array)
    return 'feed ' + name


def tolerance(case, graph):
    kinds = {n.attr[name].type for n in graph.node for name in n.attr}
    case.rtol = case.atol = 1e-4
    if types_pb2.DT_HALF in kinds:
        case.rtol = case.atol = 1e-2
    if types_pb2.DT_BFLOAT16 in kinds:
        case.rtol = case.atol = 6e-2


def changed_copy(base, number):
    rng = random.Random('%s/%d' % (base.name, number))
    graph = graph_pb2.GraphDef.FromString(base.graph)
    if not base.step or all(n.op in ('Placeholder', 'Const', 'NoOp') for n in graph.node):
        return None
    step = rng.choice(list(base.step))
    feeds = {f.name: tf.make_ndarray(tensor_pb2.TensorProto.FromString(f.tensor)) for f in step.feed}
    notes = [note for _ in range(rng.choice([1, 1, 1, 2, 2, 3])) if (note := change(rng, feeds, graph))]
    if not notes:
        return None
    case = golden.Case(name='%s~%d' % (base.name, number), compare=base.compare, rtol=base.rtol, atol=base.atol)
    case.note = ', '.join(notes)
    if 'dtype' in notes:
        tolerance(case, graph)
    known, dtypes = rng.random() < 0.4, {}
    for node in graph.node:
        if node.op == 'Placeholder':
            dtypes[node.name] = tf.as_dtype(node.attr['dtype'].type)
            shape = tf.TensorShape(feeds[node.name].shape if known and node.name in feeds else None)
            node.attr['shape'].shape.CopyFrom(shape.as_proto())
    make_golden.set_graph(case, graph)
    with tf.Graph().as_default() as imported:
        try:
            tf.import_graph_def(graph, name='')
        except tf.errors.OpError as error:
            case.import_code, case.import_message = error.error_code, error.message[:200]
            return case
        except ValueError as error:
            case.import_code, case.import_message = 3, str(error)[:200]
            return case
        tensor = lambda name: imported.get_tensor_by_name(name if ':' in name else name + ':0')
        builder = make_golden.Builder(known)
        builder.dtypes = dtypes
        wanted = dict(feed=feeds, fetch=[tensor(f.name) for f in step.fetch])
        wanted['target'] = [imported.get_operation_by_name(name) for name in step.target]
        with tf.compat.v1.Session(graph=imported, config=make_golden.session_options()) as session:
            make_golden.run_step(case.step.add(), session, builder, wanted)
        for f in step.fetch if known and not case.step[0].code else []:
            shape = tensor(f.name).shape.as_proto().SerializeToString()
            case.known_shape.add(name=f.name.removesuffix(':0'), shape=shape)
    return case


def answers(todo):
    """[(case or None, number)] of as many as one process answers before TensorFlow crashes."""
    read_end, write_end = os.pipe()
    if os.fork() == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with os.fdopen(write_end, 'wb') as pipe:
            for base, number in todo:
                signal.alarm(20)
                try:
                    case = changed_copy(base, number)
                except (TypeError, ValueError, KeyError, OverflowError):  # from numpy, on the way to TensorFlow
                    case = None
                data = case.SerializeToString() if case else b''
                pipe.write(len(data).to_bytes(4, 'little') + data)
                pipe.flush()
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, 'rb') as pipe:
        data = pipe.read()
    os.wait()
    result, at = [], 0
    while at + 4 <= len(data) and at + 4 + (size := int.from_bytes(data[at : at + 4], 'little')) <= len(data):
        result.append(golden.Case.FromString(data[at + 4 : at + 4 + size]) if size else None)
        at += 4 + size
    return result


def main():
    path, out = sys.argv[1:3]
    seed, copies = (list(map(int, sys.argv[3:5])) + [1, 3][len(sys.argv) - 3 :])[:2]
    pattern = sys.argv[5] if len(sys.argv) > 5 else ''
    with open(path, 'rb') as file:
        cases = [c for c in golden.CaseFile.FromString(file.read()).case if re.search(pattern, c.name)]
    todo = [(case, seed + k) for case in cases for k in range(copies)]
    result, crashes, at = golden.CaseFile(), [], 0
    while at < len(todo):
        part = todo[at : at + AT_ONCE]
        got = answers(part)
        result.case.extend(case for case in got if case)
        if len(got) < len(part):
            crashes.append('%s~%d' % (part[len(got)][0].name, part[len(got)][1]))
        at += min(len(got) + 1, len(part))
    with open(out, 'wb') as file:
        file.write(result.SerializeToString(deterministic=True))
    print('%s: %d cases; TensorFlow crashes or waits in %d: %s' % (out, len(result.case), len(crashes), crashes))


if __name__ == '__main__':
    main()

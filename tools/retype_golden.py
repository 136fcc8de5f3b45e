#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks TensorFlow what golden cases give with other types, where no case has an op with that type:
tools/retype_golden.py OUT.pb [COPIES [REGEX]] -- CASES.pb...

A pair of an op's type attr and a type is uncovered when TensorFlow's CPU has a kernel for it and no successful step of
CASES.pb runs it. For each uncovered pair of the ops whose names match REGEX, COPIES (2) small cases are copied; the attr, and
all attrs, placeholders and constants that edges tie to it, get the new type. The same arguments make the same file.
Needs tensorflow and grpcio-tools.
"""

import collections
import os
import random
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make_golden
import mutate_golden
import numpy as np
import tensorflow as tf
from tensorflow.core.framework import graph_pb2, tensor_pb2
from tensorflow.python.framework import kernels, op_def_registry

golden = make_golden.golden
SMALL = [tf.as_dtype(name).as_datatype_enum for name in ('float8_e5m2', 'float8_e4m3fn', 'int4', 'uint4')]
DTYPES = set(mutate_golden.DTYPES) | set(SMALL)
MOST_BYTES = 3000


class Types:
    """The types of a graph's attrs as classes of attrs that must agree."""

    def __init__(self, graph):
        self.graph, self.parent, self.fixed = graph, {}, {}
        outputs = {}
        for node in graph.node:
            op = op_def_registry.get(node.op)
            if op is None:
                raise ValueError(node.op)
            outputs[node.name] = [v for arg in op.output_arg for v in self.variables(node, arg)]
        handles = collections.defaultdict(list)
        for node in graph.node:
            op = op_def_registry.get(node.op)
            wanted = [v for arg in op.input_arg for v in self.variables(node, arg)]
            for variable, name in zip(wanted, [n for n in node.input if not n.startswith('^')]):
                source, _, number = name.partition(':')
                made = outputs[source][int(number or 0)]
                self.join(variable, made)
                if tf.DType(made) in (tf.resource, tf.variant) if isinstance(made, int) else False:
                    handles[source].append(node)
        # A handle's type is that of its users.
        by_name = {n.name: n for n in graph.node}
        for source, users in handles.items():
            for attr in ('dtype', 'value_dtype', 'element_dtype', 'T'):
                if attr in self.attrs(by_name[source]):
                    for user in users:
                        for own in (attr, 'dtype', 'Tvalues', 'T'):
                            if own in self.attrs(user):
                                self.join((source, attr), (user.name, own))
                                break
                    break

    def attrs(self, node):
        return [a.name for a in op_def_registry.get(node.op).attr if a.type == 'type']

    def variables(self, node, arg):
        """Of each tensor of the argument: the (node, attr) that is its type, or the number of a type that is fixed."""
        op = op_def_registry.get(node.op)
        if arg.type_list_attr:
            return [(node.name, arg.type_list_attr, i) for i in range(len(self.value(node, arg.type_list_attr).list.type))]
        count = self.value(node, arg.number_attr).i if arg.number_attr else 1
        return [(node.name, arg.type_attr) if arg.type_attr else arg.type] * count

    def value(self, node, name):
        if name in node.attr:
            return node.attr[name]
        return next(a.default_value for a in op_def_registry.get(node.op).attr if a.name == name)

    def find(self, x):
        while self.parent.get(x, x) != x:
            x = self.parent[x]
        return x

    def join(self, a, b):
        a, b = self.find(a), self.find(b)
        if a == b:
            return
        if isinstance(a, int):
            a, b = b, a
        self.parent[a] = b  # fixed types are roots

    def members(self, variable):
        """All (node, attr) of its class; None when the class has a fixed type."""
        root = self.find(variable)
        if isinstance(root, int):
            return None
        known = set(self.parent) | {variable, root}
        return {v for v in known if not isinstance(v, int) and self.find(v) == root}


def converted(rng, value, enum):
    if value.dtype != object and np.issubdtype(value.dtype, np.floating):
        value = np.where(np.isfinite(value), value, 1)
        if not tf.DType(enum).is_floating and not tf.DType(enum).is_complex:
            value = np.round(value)
    dtype = tf.DType(enum)
    if value.dtype != object and dtype.is_integer and dtype.is_unsigned:
        value = np.abs(value)
    return mutate_golden.as_type(rng, value, enum)


def retyped(base, op, attr, enum, name):
    rng = random.Random(name)
    graph = graph_pb2.GraphDef.FromString(base.graph)
    if len(graph.library.function):
        return None
    types = Types(graph)
    nodes = {n.name: n for n in graph.node}
    members = set()
    for node in graph.node:
        if node.op == op:
            own = types.members((node.name, attr))
            if own is None:
                return None
            members |= own
    placeholders = {m[0] for m in members if nodes[m[0]].op == 'Placeholder'}
    for member in members:
        node = nodes[member[0]]
        if len(member) == 3:
            node.attr[member[1]].list.type[member[2]] = enum
        else:
            node.attr[member[1]].type = enum
        if node.op == 'Const':
            old = tf.make_ndarray(node.attr['value'].tensor)
            new = tf.make_tensor_proto(converted(rng, old, enum), dtype=tf.DType(enum), shape=old.shape)
            node.attr['value'].tensor.CopyFrom(new)
    case = golden.Case(name=name, compare=base.compare, note=base.note)
    mutate_golden.tolerance(case, graph)
    make_golden.set_graph(case, graph)
    with tf.Graph().as_default() as imported:
        try:
            tf.import_graph_def(graph, name='')
        except (tf.errors.OpError, ValueError):
            return None
        builder = make_golden.Builder(True)
        builder.dtypes = {n.name: tf.as_dtype(n.attr['dtype'].type) for n in graph.node if n.op == 'Placeholder'}
        tensor = lambda name: imported.get_tensor_by_name(name if ':' in name else name + ':0')
        with tf.compat.v1.Session(graph=imported, config=make_golden.session_options()) as session:
            for step in base.step:
                feeds = {}
                for f in step.feed:
                    value = tf.make_ndarray(tensor_pb2.TensorProto.FromString(f.tensor))
                    feeds[f.name] = converted(rng, value, enum) if f.name in placeholders else value
                wanted = dict(feed=feeds, fetch=[tensor(f.name) for f in step.fetch])
                wanted['target'] = [imported.get_operation_by_name(t) for t in step.target]
                make_golden.run_step(case.step.add(), session, builder, wanted)
    return case


def supported():
    """{op: {attr: types}} of TensorFlow's kernels for CPUs."""
    result = collections.defaultdict(lambda: collections.defaultdict(set))
    for kernel in kernels.get_all_registered_kernels().kernel:
        op = op_def_registry.get(kernel.op)
        if kernel.device_type != 'CPU' or op is None:
            continue
        constraints = {c.name: set(c.allowed_values.list.type) for c in kernel.constraint}
        for attr in op.attr:
            if attr.type == 'type':
                allowed = set(attr.allowed_values.list.type) or DTYPES
                result[kernel.op][attr.name] |= constraints.get(attr.name, allowed) & allowed & DTYPES
    return result


def main():
    split = sys.argv.index('--')
    out, copies, pattern = (sys.argv[1:split] + ['2', ''][split - 2 :])[:3]
    cases = []
    for path in sys.argv[split + 1 :]:
        with open(path, 'rb') as file:
            cases += golden.CaseFile.FromString(file.read()).case
    seen, of_op = collections.defaultdict(set), collections.defaultdict(list)
    for i, case in enumerate(cases):
        if case.import_code or not any(not s.code for s in case.step):
            continue
        graph = graph_pb2.GraphDef.FromString(case.graph)
        for node in graph.node:
            op = op_def_registry.get(node.op)
            for attr in op.attr if op else []:
                if attr.type == 'type':
                    seen[node.op, attr.name].add((node.attr[attr.name] if attr.name in node.attr else attr.default_value).type)
        if len(case.graph) < MOST_BYTES and not any(s.code for s in case.step):
            for name in {n.op for n in graph.node}:
                # Cases that are called after an op are about it.
                of_op[name].append((not case.name.startswith(name + '/'), i))
    todo = []
    for op, attrs in sorted(supported().items()):
        if not re.match(pattern, op) or op not in of_op:
            continue
        for attr, enums in sorted(attrs.items()):
            for enum in sorted(enums - seen[op, attr]):
                rng = random.Random('%s/%s/%d' % (op, attr, enum))
                own = [i for other, i in sorted(of_op[op]) if not other] or [i for _, i in of_op[op]]
                for i in rng.sample(own, min(2 * int(copies), len(own))):
                    name = '%s/%s_%s~%s' % (op, attr, tf.DType(enum).name, cases[i].name.split('/')[-1])
                    todo.append(((i, op, attr, enum, name), int(copies)))
    mutate_golden.changed_copy = lambda key, number: retyped(cases[key[0]], *key[1:])
    result, found, at = golden.CaseFile(), collections.Counter(), 0
    while at < len(todo):
        part = todo[at : at + 40]
        got = mutate_golden.answers(part)
        for (key, most), case in zip(part, got):
            if case and found[key[1:4]] < most and not any(s.code == 3 and 'kernel' in s.message for s in case.step):
                found[key[1:4]] += 1
                result.case.append(case)
        if len(got) < len(part):
            print('crash:', part[len(got)][0])
        at += min(len(got) + 1, len(part))
        if at % 400 == 0:
            print(at, 'of', len(todo))
            sys.stdout.flush()
    with open(out, 'wb') as file:
        file.write(result.SerializeToString(deterministic=True))
    print('%s: %d cases of %d pairs; %d pairs without a case' % (out, len(result.case), len(found), len({k[1:4] for k, _ in todo}) - len(found)))


if __name__ == '__main__':
    main()

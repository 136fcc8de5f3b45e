# SPDX-License-Identifier: Apache-2.0
"""What tools/make_golden.py asks TensorFlow for tests/golden/ops/protos.pb: fields of messages as tensors and back."""

import os
import sys

import numpy as np
import tensorflow as tf
from google.protobuf import descriptor_pb2

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from simple_case import Cases

CASES = Cases()
add = CASES.add
i32, i64, u32, u64, f32, f64, text = tf.int32, tf.int64, tf.uint32, tf.uint64, tf.float32, tf.float64, tf.string

F = descriptor_pb2.FieldDescriptorProto
TYPES = 'double float int64 uint64 int32 fixed64 fixed32 bool string group message bytes uint32 enum sfixed32 sfixed64 sint32 sint64'.split()


def field(name, number, kind, label='optional', default=None, packed=None, **more):
    f = F(name=name, number=number, label={'optional': 1, 'required': 2, 'repeated': 3}[label], **more)
    if kind in TYPES:
        f.type = TYPES.index(kind) + 1
    else:
        f.type_name = kind
        f.type = 14 if kind.rsplit('.', 1)[-1] == 'E' else 10 if kind.endswith('Grp') else 11
    if default is not None:
        f.default_value = default
    if packed is not None:
        f.options.packed = packed
    return f


def files():
    s = descriptor_pb2.FileDescriptorSet()
    two = s.file.add(name='two.proto', package='t')
    e = two.enum_type.add(name='E')
    for name, number in (('A', 3), ('B', 1), ('N', -2)):
        e.value.add(name=name, number=number)
    inner = two.message_type.add(name='In')
    inner.field.extend([field('x', 1, 'int32'), field('s', 2, 'string'), field('kids', 3, '.t.In', 'repeated')])
    m = two.message_type.add(name='M')
    plain = [k for k in TYPES if k not in ('group', 'message', 'enum')]
    m.field.extend(field(k[0] + k[-2:] + str(i), i, k) for i, k in enumerate(plain, 1))
    m.field.extend(field('r' + k, i, k, 'repeated') for i, k in enumerate(plain, 31))
    m.field.extend(
        field('p' + k, i, k, 'repeated', packed=True) for i, k in enumerate(plain, 61) if k not in ('string', 'bytes')
    )
    defaults = dict(int32='-7', string='a"b', uint32='1000', double='inf', bool='true', bytes='\\377\\n\\"', sint64='-5',
                    float='1e+10', int64='-9223372036854775808', uint64='18446744073709551615', sfixed32='-3')  # fmt: skip
    m.field.extend(field('d' + k, i, k, default=v) for i, (k, v) in enumerate(defaults.items(), 91))
    m.field.extend([
        field('in', 120, '.t.In'), field('ins', 121, 'In', 'repeated'), field('e', 122, '.t.E'),
        field('es', 123, '.t.E', 'repeated'), field('pes', 124, '.t.E', 'repeated', packed=True),
        field('de', 125, '.t.E', default='N'), field('grp', 126, '.t.M.Grp'), field('rgrp', 127, '.t.M.RGrp', 'repeated'),
    ])  # fmt: skip
    for name in ('Grp', 'RGrp'):
        m.nested_type.add(name=name).field.append(field('a', 1, 'int32'))
    m.extension_range.add(start=200, end=300)
    two.extension.append(field('ext', 200, 'int32', extendee='.t.M'))
    m.extension.append(field('ext', 201, 'string', extendee='.t.M'))
    two.message_type.add(name='Needs').field.extend([field('a', 1, 'int32', 'required'), field('n', 2, '.t.Needs')])
    three = s.file.add(name='three.proto', package='three.deep', syntax='proto3', dependency=['two.proto'])
    e = three.enum_type.add(name='E')
    e.value.add(name='Z', number=0)
    e.value.add(name='O', number=1)
    p = three.message_type.add(name='P')
    entry = p.nested_type.add(name='MEntry')
    entry.field.extend([field('key', 1, 'string'), field('value', 2, 'int32')])
    entry.options.map_entry = True
    p.oneof_decl.add(name='k')
    p.oneof_decl.add(name='_o')
    p.field.extend([
        field('a', 1, 'int32'), field('s', 2, 'string'), field('r', 3, 'int32', 'repeated'), field('e', 4, '.three.deep.E'),
        field('o', 5, 'int32', oneof_index=1, proto3_optional=True), field('m', 6, '.three.deep.P.MEntry', 'repeated'),
        field('x', 7, 'int32', oneof_index=0), field('y', 8, 'string', oneof_index=0), field('z', 12, '.t.In', oneof_index=0), field('p', 9, '.three.deep.P'),
        field('re', 10, '.three.deep.E', 'repeated'), field('f', 11, 'float'),
        field('u', 13, 'int32', 'repeated', packed=False), field('b', 14, 'bytes'),
    ])  # fmt: skip
    return s


SOURCE = b'bytes://' + files().SerializeToString()


def varint(n):
    n &= 2**64 - 1
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def tag(number, kind):
    return varint(number << 3 | kind)


def num(number, value):
    return tag(number, 0) + varint(value)


def sub(number, value):
    return tag(number, 2) + varint(len(value)) + value


def f4(number, value):
    return tag(number, 5) + value


def f8(number, value):
    return tag(number, 1) + value


def decode(name, messages, fields, message='t.M', source=SOURCE, at_run=False, **more):
    names, types = [n for n, _ in fields], [t for _, t in fields]
    add('DecodeProtoV2', name, 'exact', at_run=at_run, bytes=(text, messages), message_type=message, field_names=names,
        output_types=types, descriptor_source=source, **more)  # fmt: skip


KINDS = [k for k in TYPES if k not in ('group', 'message', 'enum')]
HOLDS = dict(double=[f64], float=[f32, f64], int64=[i64], uint64=[u64], int32=[i32, i64], fixed64=[u64], fixed32=[u32, u64],
             bool=[tf.bool], string=[text], bytes=[text], uint32=[u32, u64], sfixed32=[i32, i64], sfixed64=[i64],
             sint32=[i32, i64], sint64=[i64])  # fmt: skip


def raw(number, kind):
    if kind in ('double', 'fixed64', 'sfixed64'):
        return f8(number, b'\x01\x02\x03\x04\x05\x06\xf0\xbf')
    if kind in ('float', 'fixed32', 'sfixed32'):
        return f4(number, b'\x01\x02\x80\xbf')
    if kind in ('string', 'bytes'):
        return sub(number, b'q\xff\x00')
    return num(number, -5)


PACKED = {k: raw(1, k)[1:] for k in KINDS if k not in ('string', 'bytes')}
for at, kind in enumerate(KINDS):
    one, many, pack = (kind[0] + kind[-2:] + str(at + 1), at + 1), ('r' + kind, at + 31), ('p' + kind, at + 61)
    for t in HOLDS[kind]:
        decode(f'{kind}_{t.name}', [raw(one[1], kind), b'', raw(one[1], kind) * 2], [(one[0], t)], at_run=t == HOLDS[kind][0])
        decode(f'{kind}_{t.name}_repeated', [raw(many[1], kind) * 3, raw(many[1], kind)], [(many[0], t)])
        if kind in PACKED:
            decode(f'{kind}_{t.name}_packed', [sub(many[1], PACKED[kind] * 3) + raw(many[1], kind), b''], [(many[0], t)])
            decode(f'{kind}_{t.name}_declared_packed', [sub(pack[1], PACKED[kind] * 3)], [(pack[0], t)])
            decode(f'{kind}_{t.name}_packed_once', [sub(one[1], PACKED[kind] * 2)], [(one[0], t)])
            decode(f'{kind}_{t.name}_sanitized', [raw(one[1], kind) + sub(many[1], PACKED[kind] * 2)], [(one[0], t), (many[0], t)],
                   sanitize=True)  # fmt: skip
            decode(f'{kind}_{t.name}_cut_packed', [sub(many[1], PACKED[kind][:-1] or b'\xff')], [(many[0], t)])
        decode(f'{kind}_{t.name}_cut', [raw(one[1], kind)[:-1]], [(one[0], t)])
    for t in (f32, i32, i64, u32, u64, text, tf.bool, tf.int8, tf.half):
        if t not in HOLDS[kind]:
            decode(f'{kind}_as_{t.name}', [b''], [(one[0], t)])
    value = 'abc' if kind in ('string', 'bytes') else '1.5' if kind in ('double', 'float') else 'true' if kind == 'bool' else '7'
    quoted = f'"{value}"' if kind in ('string', 'bytes') else value
    decode(f'{kind}_text', [f'{one[0]}: {quoted} r{kind}: [{quoted}, {quoted}] r{kind}: {quoted}'],
           [(one[0], HOLDS[kind][0]), ('r' + kind, HOLDS[kind][-1])], message_format='text')  # fmt: skip
    shown = ['a', b'b\xff', ''] if HOLDS[kind][0] == text else [1, 0, 1] if kind == 'bool' else [3, 200, 77]
    for t in HOLDS[kind]:
        given = np.array(shown, object if t == text else t.as_numpy_dtype)
        if t in (i32, i64, f32, f64):
            given = -given
        for name in (one[0], 'r' + kind) + (('p' + kind,) if kind in PACKED else ()):
            for n in ([1, 0] if name == one[0] else [3, 2]):
                add('EncodeProto', f'{name}_{t.name}_{n}', 'exact', at_run=False, sizes=(i32, [[n]]), values=[(t, [given])],
                    field_names=[name], message_type='t.M', descriptor_source=SOURCE)  # fmt: skip

decode('defaults', [b'', b''], [('d' + k, HOLDS[k][0]) for k in ('int32', 'string', 'uint32', 'double', 'bool', 'bytes', 'sint64',
                                'float', 'int64', 'uint64', 'sfixed32')] + [('de', i32), ('e', i32), ('es', i32), ('in', text)],
       at_run=True)  # fmt: skip
decode('wide_defaults', [b''], [('dint32', i64), ('duint32', u64), ('dfloat', f64), ('dsfixed32', i64)])
decode('message', [sub(120, num(1, 5)) + sub(120, sub(2, b'x')), sub(121, b'') + sub(121, num(1, 1))], [('ins', text), ('in', text)])
decode('message_sanitized', [sub(120, num(1, 5) + num(77, 1)) + sub(120, sub(2, b'x') + num(1, 6))], [('in', text)], sanitize=True)
decode('message_cut', [sub(120, num(1, 5)[:-1])], [('in', text)])
decode('message_cut_sanitized', [sub(120, num(1, 5)[:-1])], [('in', text)], sanitize=True)
decode('message_cut_merged', [sub(120, num(1, 5)[:-1]) + sub(120, num(1, 5))], [('in', text)], sanitize=True)
decode('enum', [num(122, 3) + num(123, 77) + num(123, 1) + sub(124, b'\x01\x05')], [('e', i32), ('es', i32), ('pes', i32)])
decode('enum_sanitized', [num(122, 3) + num(122, 50) + num(123, 77) + num(123, 1) + sub(124, b'\x01\x05\x03')],
       [('e', i32), ('es', i32), ('pes', i32)], sanitize=True)  # fmt: skip
decode('enum_int64', [num(122, 3)], [('e', i64)])
group = tag(126, 3) + num(1, 5) + tag(126, 4)
decode('group', [group, b''], [('grp', text)])
decode('groups', [(tag(127, 3) + num(1, 5) + tag(127, 4)) * 2 + group], [('rgrp', text), ('grp', text)])
decode('group_sanitized', [tag(126, 3) + num(7, 1) + num(1, 5) + num(1, 6) + tag(126, 4)], [('grp', text)], sanitize=True)
decode('group_skipped', [group + num(122, 1)], [('e', i32)])
decode('group_unknown', [tag(900, 3) + tag(901, 3) + tag(901, 4) + sub(3, b'ab') + tag(900, 4) + num(122, 1)], [('e', i32)])
decode('group_open', [tag(126, 3) + num(1, 5)], [('grp', text)])
decode('group_other_end', [tag(126, 3) + num(1, 5) + tag(127, 4)], [('grp', text)])
decode('group_end_alone', [tag(126, 4)], [('grp', text)])
decode('group_type_name', [b''], [('Grp', text)])
decode('extensions', [num(200, 4) + sub(201, b'e')], [('t.ext', i32), ('t.M.ext', text)])
decode('extension_short', [num(200, 4)], [('ext', i32)])
decode('twice', [num(122, 3)], [('e', i32), ('e', i32)])
decode('no_fields', [b'', b''], [])
decode('no_messages', np.zeros([0]), [('e', i32)], at_run=True)
decode('no_rows', np.zeros([2, 0]), [('e', i32)])
decode('scalar', num(122, 1), [('e', i32), ('es', i32)], at_run=True)
decode('rank_3', [[[num(122, 1), num(123, 1) * 2]]], [('e', i32), ('es', i32)], at_run=True)
decode('order', [num(123, 1) + num(122, 3) + num(123, 3) + num(5, 2)], [('es', i32), ('e', i32), ('i325', i32)])
decode('unknown', [num(999, 1) + f4(998, b'abcd') + f8(997, b'abcdefgh') + sub(996, b'') + num(122, 1)], [('e', i32)])
decode('wrong_wire', [f4(122, b'abcd') + num(122, 1) + f8(122, b'abcdefgh'), sub(122, b'\x03')], [('e', i32)])
decode('wrong_wire_text', [num(9, 4), f4(9, b'abcd')], [('sng9', text)])
decode('empty_packed', [sub(123, b'')], [('es', i32)])
decode('empty_packed_last', [num(123, 1) + sub(123, b'')], [('es', i32)])
decode('packed_after_one', [num(122, 1) + sub(122, b'\x03')], [('e', i32)])
decode('one_after_packed', [sub(122, b'\x03') + num(122, 1)], [('e', i32)])
for name, broken in dict(zero=b'\0', field_0=b'\x02', wire_6=tag(122, 6), wire_7=tag(5, 7), long_tag=b'\x80' * 10 + b'\x01',
                         big_tag=varint(2**35 | 8) + b'\1', long_number=tag(122, 0) + b'\x80' * 10 + b'\x01', negative_size=tag(9, 2) + varint(-1),
                         cut_tag=b'\x80', overlong=tag(122, 0) + b'\x81\x80\x80\x00').items():  # fmt: skip
    decode('broken_' + name, [broken], [('e', i32), ('sng9', text)])
    decode('broken_sanitized_' + name, [broken], [('e', i32), ('sng9', text)], sanitize=True)
decode('needs', [b''], [('a', i32)], 't.Needs')
decode('needs_sanitized', [b''], [('a', i32)], 't.Needs', sanitize=True)
decode('needs_inside', [num(1, 1) + sub(2, b'')], [('a', i32)], 't.Needs', sanitize=True)
decode('needs_merged', [num(1, 1) + sub(2, b'') + sub(2, num(1, 3))], [('n', text)], 't.Needs', sanitize=True)
decode('needs_text', ['a: 1 n { }'], [('a', i32)], 't.Needs', message_format='text')

P = 'three.deep.P'
p_fields = [('a', i32), ('s', text), ('r', i64), ('e', i32), ('o', i32), ('f', f32), ('b', text)]
zeros = num(1, 0) + sub(2, b'') + num(4, 0) + num(5, 0) + f4(11, b'\0\0\0\0') + sub(14, b'')
decode('proto3', [zeros, sub(3, b'\x01\x02') + num(4, 55)], p_fields, P)
decode('proto3_sanitized', [zeros, sub(3, b'\x01\x02') + num(4, 55), f4(11, b'\0\0\0\x80')], p_fields, P, sanitize=True)
decode('proto3_utf8', [sub(2, b'\xff')], p_fields, P)
decode('proto3_utf8_sanitized', [sub(2, b'\xff')], p_fields, P, sanitize=True)
decode('proto3_bytes_sanitized', [sub(14, b'\xff')], p_fields, P, sanitize=True)
maps = sub(6, sub(1, b'k') + num(2, 3)) + sub(6, num(2, 4)) + sub(6, b'') + sub(6, sub(1, b'k') + num(2, 5))
decode('map', [maps], [('m', text)], P)
decode('map_sanitized', [maps], [('m', text)], P, sanitize=True)
ones = num(7, 3) + sub(8, b'z') + sub(12, num(1, 2)) + sub(12, sub(2, b'q'))
oneof_fields = [('x', i32), ('y', text), ('z', text)]
decode('oneof', [ones, ones + num(7, 4)], oneof_fields, P)
decode('oneof_sanitized', [ones, ones + num(7, 4), sub(12, num(1, 2)) + num(7, 1) + sub(12, sub(2, b'q')), num(7, 0)], oneof_fields, P,
       sanitize=True)  # fmt: skip
decode('nested_sanitized', [sub(9, sub(9, num(1, 0) + num(3, 4) + sub(3, b'\5') + num(13, 1) + sub(13, b'\2')))], [('p', text)], P, sanitize=True)
texts = {
    'all': 'in { x: 1 kids { } kids < s: "q" > } e: B es: [A, 1] grp { a: 1 } [t.ext]: 12 [t.M.ext]: "h" # c\n fat2: inf',
    'grp': 'Grp { a: 1 }', 'grp_colon': 'grp: { a: 1 }', 'joined': 'sng9: "a" \'b\' "\\n\\x41\\101"', 'signs': 'i325: - 4 es: -2',
    'unknown': 'zzz: 1', 'range': 'i325: 4000000000', 'twice': 'i325: 1 i325: 2', 'enum': 'e: Q', 'enum_number': 'e: 77',
    'negative': 'u3211: -1', 'open': 'in { x: 1', 'close': 'in { x: 1 } }', 'no_colon': 'e A', 'hex': 'i325: 0x1F rint32: 017',
    'quotes': 'sng9: abc', 'separators': 'i325: 1; e: A, es: B', 'empty': '', 'empty_list': 'es: []', 'list_once': 'i325: [1]',
    'float_suffix': 'fat2: 1.5f due1: .5', 'bool_words': 'bol8: t rbool: [true, True, 1, 0, f, False]', 'bool_bad': 'bol8: TRUE',
    'number': '12', 'nul': 'i325: 1\0', 'message_list': 'ins: [{x: 1}, {}] ins {x: 2}', 'min': 'i325: -2147483648 i643: -9223372036854775808',
}  # fmt: skip
for name, t in texts.items():
    decode('text_' + name, [t], [('i325', i32), ('e', i32), ('es', i32), ('in', text), ('ins', text), ('grp', text), ('sng9', text), ('t.ext', i32),
                                 ('t.M.ext', text), ('fat2', f32), ('bol8', tf.bool), ('rbool', tf.bool), ('i643', i64)],
           message_format='text')  # fmt: skip
p_texts = {'zeros': 'a: 0 e: 0 o: 0', 'open_enum': 'e: 7 re: [Z, 9]', 'map': 'm { key: "b" value: 1 } m { key: "a" } m { }',
           'oneof': 'x: 1', 'oneof_two': 'x: 1 y: "a"'}  # fmt: skip
for name, t in p_texts.items():
    decode('text_proto3_' + name, [t], [('a', i32), ('e', i32), ('o', i32), ('re', i32), ('m', text), ('x', i32)], P, message_format='text')

broken_set = files()
del broken_set.file[0]
for name, source in dict(local=b'local://', none=b'', missing=b'/no/such/file', not_a_set=b'bytes://xxx', empty=b'bytes://',
                         import_missing=b'bytes://' + broken_set.SerializeToString()).items():  # fmt: skip
    decode('source_' + name, [b''], [('e', i32)], source=source)
    add('EncodeProto', 'source_' + name, at_run=False, sizes=(i32, [[1]]), values=[(i32, [[1]])], field_names=['e'],
        message_type='t.M', descriptor_source=source)  # fmt: skip
decode('no_message', [b''], [('e', i32)], 't.No')
decode('no_field', [b''], [('zzz', i32)])
decode('format', [b''], [('e', i32)], message_format='xml')
add('DecodeProtoV2', 'more_names', at_run=False, bytes=(text, [b'']), message_type='t.M', field_names=['e', 'es'], output_types=[i32],
    descriptor_source=SOURCE)  # fmt: skip


def encode(name, sizes, fields, message='t.M', names=None, at_run=False):
    add('EncodeProto', name, 'exact', at_run=at_run, sizes=(i32, sizes), values=[(t, v) for _, t, v in fields],
        field_names=names or [n for n, _, _ in fields], message_type=message, descriptor_source=SOURCE)  # fmt: skip


encode('order', [[1, 2, 1]], [('es', i32, [[3]]), ('rint32', i32, [[-1, 7]]), ('e', i32, [[1]])], at_run=True)
encode('batch', [[[1, 0], [2, 1]]], [('es', i32, [[[3, 0], [4, 5]]]), ('sng9', text, [[['a'], ['b']]])], at_run=True)
encode('group', [[2]], [('rgrp', text, [['ab', num(1, 5)]])])
encode('message', [[1]], [('in', text, [[num(1, 5)]])])
encode('proto3', [[2, 2, 1]], [('r', i64, [[1, -1]]), ('u', i32, [[1, 2]]), ('a', i32, [[0]])], P)
encode('twice', [[1, 1]], [('e', i32, [[3]]), ('e', i32, [[1]])])
encode('enum_negative', [[1]], [('e', i32, [[-9]])])
encode('singular_many', [[2]], [('e', i32, [[3, 1]])])
encode('negative_size', [[-2]], [('es', i32, [[3, 1]])])
encode('negative_size_packed', [[-2]], [('pes', i32, [[3, 1]])])
encode('narrowed', [[1, 1, 1, 1]], [('i325', i64, [[2**33 + 5]]), ('u3211', u64, [[2**40 + 7]]), ('fat2', f64, [[1e300]]), ('s3214', i64, [[-(2**31) - 1]])])
encode('no_messages', np.zeros([0, 1]), [('e', i32, np.zeros([0, 3]))], at_run=True)
encode('no_values', [[0]], [('e', i32, np.zeros([1, 0]))])
encode('vector', [1], [('e', i32, [4])], at_run=True)
encode('sizes_scalar', 1, [('e', i32, [[4]])])
encode('more_than_values', [[3]], [('e', i32, [[4]])])
encode('other_batch', [[1, 1]], [('e', i32, [[4]]), ('sng9', text, [['a'], ['b']])], at_run=True)
encode('sizes_batch', [[1], [1]], [('e', i32, [[4]])], at_run=True)
encode('sizes_width', [[1, 1]], [('e', i32, [[4]])], at_run=True)
encode('extension', [[1]], [('t.ext', i32, [[1]])])
encode('type', [[1]], [('e', i64, [[1]])])
encode('no_field', [[1]], [('zzz', i32, [[1]])])
encode('more_names', [[1, 1]], [('e', i32, [[1]])], names=['e', 'es'])
encode('no_message', [[1]], [('e', i32, [[1]])], 't.No')

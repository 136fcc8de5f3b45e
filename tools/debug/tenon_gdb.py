# SPDX-License-Identifier: Apache-2.0
"""Printers for gdb: Status, Result, Tensor, TensorShape, SlimVector, Span, Owned.

In gdb or ~/.gdbinit:   source PATH/tools/debug/tenon_gdb.py
"""
import gdb
import gdb.printing

MOST_ELEMENTS = 8  # shown of one tensor
C_TYPES = {'kFloat': 'float', 'kDouble': 'double', 'kInt32': 'int', 'kUint8': 'unsigned char', 'kInt16': 'short',
           'kInt8': 'signed char', 'kInt64': 'long', 'kBool': 'bool', 'kUint16': 'unsigned short',
           'kUint32': 'unsigned int', 'kUint64': 'unsigned long'}


def enumerator(value):
    """'kFloat' of tenon::v0::DataType::kFloat."""
    return str(value).rpartition('::')[2]


def sizes_of(dims):
    """The sizes of a DimVector; None for an unknown rank."""
    rep = dims['rep_']
    if rep['unknown_rank']:
        return None
    rank, inline = int(rep['rank']), rep['dims'].type.range()[1] + 1
    items = rep['dims'] if rank <= inline else rep['heap']
    return [int(items[i]) for i in range(rank)]


def shape_text(dims):
    sizes = sizes_of(dims)
    return '<unknown>' if sizes is None else '[' + ','.join('?' if n < 0 else str(n) for n in sizes) + ']'


class StatusPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        rep = self.value['rep_']
        if not rep:
            return 'OK'
        message = rep.dereference()['message'].format_string(raw=False).strip('"')
        return f"{enumerator(rep.dereference()['code'])}: {message}"


class ResultPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return self.value['status_'] if self.value['status_']['rep_'] else 'OK'

    def children(self):
        if not self.value['status_']['rep_']:
            yield 'value', self.value['value_']


class ShapePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return shape_text(self.value['dims_'])


class TensorPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        dims = self.value['shape_']['dims_']
        dtype = gdb.Value(int(dims['rep_']['dtype'])).cast(gdb.lookup_type(self.value.type.strip_typedefs().tag.rpartition('::')[0] + '::DataType'))
        name = enumerator(dtype)
        text = f'Tensor {name} {shape_text(dims)}'
        buffer = self.value['buffer_']
        if not buffer:
            return text + ' without a buffer'
        count = 1
        for size in sizes_of(dims):
            count *= size
        if name not in C_TYPES or count == 0:
            return text
        items = buffer.dereference()['data_'].cast(gdb.lookup_type(C_TYPES[name]).pointer())
        shown = [str((items + i).dereference()) for i in range(min(count, MOST_ELEMENTS))]
        return f"{text} {{{', '.join(shown)}{', ...' if count > MOST_ELEMENTS else ''}}}"


class ListPrinter:
    """SlimVector and Span."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return f"{int(self.value['size_'])} items"

    def children(self):
        for i in range(int(self.value['size_'])):
            yield f'[{i}]', (self.value['data_'] + i).dereference()

    def display_hint(self):
        return 'array'


class OwnedPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return self.value['object_'] if self.value['object_'] else 'null'

    def children(self):
        if self.value['object_']:
            yield 'object', self.value['object_'].dereference()


def make_printers():
    printers = gdb.printing.RegexpCollectionPrettyPrinter('tenon')
    for name, printer in [('Status', StatusPrinter), ('Result<.*>', ResultPrinter), ('TensorShape', ShapePrinter),
                          ('PartialTensorShape', ShapePrinter), ('Tensor', TensorPrinter), ('SlimVector<.*>', ListPrinter),
                          ('Span<.*>', ListPrinter), ('Owned<.*>', OwnedPrinter)]:
        printers.add_printer(name, f'^tenon::v[0-9a-z_]+::{name}$', printer)
    return printers


gdb.printing.register_pretty_printer(gdb.current_objfile(), make_printers(), replace=True)

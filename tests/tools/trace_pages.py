#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes trace pages of any size, as runtime/trace/page_runs.hpp writes them.

    tests/tools/trace_pages.py EVENTS FILE   a page with so many executions: a model in layers, on eight threads
"""
import json
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'tools'))
sys.dont_write_bytecode = True
import make_trace_page  # noqa: E402

DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'


def number(value):
    text = ''
    while value > 31:
        text += DIGITS[value & 31 | 32]
        value >>= 5
    return text + DIGITS[value]


def signed(value):
    return number(-2 * value - 1 if value < 0 else 2 * value)


class Pages:
    """The runs of one page. An event: (name, op, device, shape, bytes, thread, start, end, wait, producers)."""

    def __init__(self, title='test'):
        self.title, self.rows, self.lines = title, {}, []

    def add(self, events, start=0, total=None, session=1, error='', folded=(), threads=None, dropped=0):
        new, out, flows, flow_count, end = [], [], [], 0, 0
        for to, (name, op, device, shape, size, thread, begin, stop, wait, producers) in enumerate(events):
            row = self.rows.setdefault((name, op, device, shape, size), len(self.rows))
            if row == len(self.rows) - 1 and len(new) + self.known == row:
                new.append([name, op, device, shape, size, 0, 0])
            out.append(number(row) + number(2 * thread + (wait > 0)) + (number(wait) if wait > 0 else '') + signed(stop - end) + number(stop - begin))
            end = stop
            flow_count += len(producers)
            flows.append(number(len(producers)) + ''.join(number(2 * (2 * (to - p) if to >= p else 2 * (p - to) - 1)) for p in producers))
        self.known += len(new)
        used = sorted({e[5] for e in events} | {1})
        self.lines.append(json.dumps({
            'title': self.title, 'session': session, 'start': start, 'total': total or max((e[7] for e in events), default=1), 'error': error,
            'thread': 1, 'threads': {str(t): (threads or {}).get(t, f'thread {t}') for t in used}, 'rows': new, 'count': len(events),
            'events': ''.join(out), 'flow_count': flow_count, 'flows': ''.join(flows), 'folded': list(folded), 'dropped': dropped, 'dropped_time': 0}).replace('<', '\\u003c'))
        return self

    known = 0

    def text(self):
        return make_trace_page.page() + ''.join(line + '\n' for line in self.lines) + '</script>\n'

    def write(self, path):
        pathlib.Path(path).write_text(self.text(), encoding='utf-8')
        return path


OPS = ['MatMul', 'BiasAdd', 'Relu', 'Conv2D', 'AddV2', 'Mul', 'Softmax', 'Reshape', 'Transpose', 'Mean']


def model_run(random_of, nodes, threads, speed=1.0):
    """Executions of one run of a layered model: chains that wait for each other, on several threads."""
    free, ends, ready, events = [0] * threads, [], [], []
    for k in range(nodes):
        producers = sorted({k - 1 - random_of.randrange(min(k, 12)) for _ in range(1 + (k % 3 == 0))} if k else set())
        ready = max((ends[p] for p in producers), default=0)
        thread = min(range(threads), key=lambda t: max(free[t], ready))
        begin = max(free[thread], ready) + random_of.randrange(100, 700)
        op = OPS[k * 7 % len(OPS)]
        waits = k % 97 == 96
        took = int(random_of.lognormvariate(8 + (op in ('MatMul', 'Conv2D')) * 1.5, 0.5) * speed)
        end = begin + took
        layer = k // 20
        name = f'model/block{layer // 8}/layer{layer % 8}/{op}_{k % 20}'
        if waits:
            begin, thread_used, wait = max(0, begin - 30000), thread, took + min(begin, 30000)
            events.append((f'{name}/recv', '_Recv', 'CPU:0', 'float[32,128]', 16384, thread + 1, begin, end, end - begin, producers[:1]))
        else:
            events.append((name, op, 'CPU:0' if thread % 4 else 'GPU:0', f'float[32,{64 << k % 5}]', 128 * (64 << k % 5), thread + 1, begin, end, 0, producers))
            free[thread] = end
        ends.append(end)
    order = sorted(range(nodes), key=lambda i: (events[i][7], i))
    place = {old: new for new, old in enumerate(order)}
    return [events[i][:9] + ([place[p] for p in events[i][9]],) for i in order]


def large(count, nodes=2000, title='large', speed=1.0, threads=8):
    random_of, pages, start = random.Random(1), Pages(title), 0
    patterns = [model_run(random_of, nodes, threads, speed) for _ in range(4)]
    while count > 0:
        events = patterns[len(pages.lines) % 4]
        if count < len(events):
            events = [e[:9] + ([p for p in e[9] if p < count],) for e in events[:count]]
        total = max(e[7] for e in events) + 5000
        pages.add(events, start, total, threads={t: f'worker/{t}' for t in range(1, threads + 1)})
        start += total + 20000
        count -= len(events)
    return pages


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    large(int(sys.argv[1])).write(sys.argv[2])

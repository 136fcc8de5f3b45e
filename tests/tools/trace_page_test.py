#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The trace page in a headless Chromium: tables of a known trace, choosing, searching, keys, comparing, 100,000 events.

    tests/tools/trace_page_test.py                    skips where there is no Chromium
    tests/tools/trace_page_test.py --shots FOLDER     writes a picture of each view, too
    tests/tools/trace_page_test.py --time EVENTS      prints how long a page with so many events takes to open
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'tests/tools'))
import chromium  # noqa: E402
import trace_pages  # noqa: E402

shots = None  # a folder for pictures


def known():
    """Three runs: a MatMul of 10, 30 and 20 us, a bias of 1, 2 and 6 us, a receive that waits, a call with an inner node."""
    pages = trace_pages.Pages('known <trace>')
    us = 1000
    for run, (matmul, bias) in enumerate([(10, 1), (30, 2), (20, 6)]):
        t = 5 * us
        events = [
            ('net/dense/MatMul', 'MatMul', 'CPU:0', 'float[2,3]', 24, 1, t, t + matmul * us, 0, []),
            ('net/dense/BiasAdd', 'BiasAdd', 'CPU:0', 'float[2,3]', 24, 1, t + matmul * us, t + (matmul + bias) * us, 0, [0]),
            ('net/get', '_Recv', 'CPU:0', 'float[7]', 28, 2, 1 * us, 60 * us, 59 * us, []),
            ('net/call/inner', 'Neg', 'CPU:0', 'float[7]', 28, 1, 70 * us, 74 * us, 0, []),
            ('net/call', 'PartitionedCall', 'CPU:0', 'float[7]', 28, 1, 62 * us, 80 * us, 0, [1, 2]),
        ]
        pages.add(events, start=run * 200 * us, total=90 * us, error='CANCELLED: late' if run == 2 else '',
                  folded=[['net/call/inner', 'Neg', 'CPU:0', 5, 500, 50, 200, 140, 0]] if run == 0 else [],
                  threads={1: 'main (1)', 2: 'worker <2>'})
    return pages


def chrome_trace(factor):
    """The MatMul of known() as a Chrome trace, so much slower, and another node."""
    events = [{'ph': 'M', 'pid': 1, 'tid': 1, 'name': 'thread_name', 'args': {'name': 'x'}}]
    for run, took in enumerate([10, 30, 20]):
        events.append({'ph': 'X', 'pid': 1, 'tid': 1, 'name': 'run', 'ts': run * 200, 'dur': 90, 'args': {'nodes': 2}})
        for name, op, dur in (('net/dense/MatMul', 'MatMul', took * factor), ('net/new', 'Tanh', 4)):
            events.append({'ph': 'X', 'pid': 1, 'tid': 1, 'name': op, 'ts': run * 200 + 5, 'dur': dur,
                           'args': {'node': name, 'device': 'CPU:0', 'bytes': 24}})
    return json.dumps({'traceEvents': events})


class TracePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix='tenon_page_')
        cls.chromium = chromium.Chromium()

    @classmethod
    def tearDownClass(cls):
        cls.chromium.__exit__()
        cls.folder.cleanup()

    def setUp(self):
        self.chromium.errors.clear()
        self.chromium.requests.clear()

    def tearDown(self):
        self.assertEqual(self.chromium.errors, [])

    def open(self, pages):
        path = pathlib.Path(self.folder.name, 'page.html')
        pages.write(path)
        self.chromium.open(path)
        self.assertEqual([url for url in self.chromium.requests if not url.endswith('/page.html')], [])

    def js(self, expression):
        return self.chromium.run(expression)

    def rows(self, tab, *columns):
        self.js(f'tenon.app.showTab({json.dumps(tab)})')
        return self.js(f'tenon.app.shown.map(r => {json.dumps(columns)}.map(c => r[c]))')

    def shot(self, name):
        if shots:
            self.chromium.screenshot(pathlib.Path(shots, name + '.png'))

    def test_the_generated_headers_are_up_to_date(self):
        self.assertEqual(subprocess.run([ROOT / 'tools/make_trace_page.py', '--check'], check=False).returncode, 0)

    def test_nodes_have_count_median_p99_and_maximum_over_all_runs(self):
        self.open(known())
        self.assertEqual(self.js('document.title'), 'known <trace>')
        self.assertIn('3 runs, 15 executions', self.js("document.getElementById('sum').textContent"))
        rows = {r[0]: r[1:] for r in self.rows('nodes', 'name', 'count', 'median', 'p99', 'max', 'total', 'bytes', 'shape', 'device')}
        self.assertEqual(rows['net/dense/MatMul'], [3, 20000, 30000, 30000, 60000, 24, 'float[2,3]', 'CPU:0'])
        self.assertEqual(rows['net/dense/BiasAdd'][:4], [3, 2000, 6000, 6000])
        # Sums count, but have no median.
        self.assertEqual(rows['net/call/inner'][:5], [8, 4000, 4000, 4000, 12500])
        self.shot('nodes')
        # The text that people read.
        self.assertIn('20.0 \u00b5s', self.js("document.querySelector('#list tr[data-k]').textContent"))

    def test_empty_columns_leave_their_room_to_names(self):
        self.open(known())
        shown = 'tenon.app.columns.map(c => c[0]).filter(c => c === "wait" || c === "temp" || c === "device")'
        self.assertEqual(self.js(shown), ['wait', 'device'])
        self.chromium.press('/', *'bias', 'Enter')
        self.assertEqual(self.js(shown), ['device'])

    def test_an_even_count_has_the_mean_of_the_middle_two(self):
        self.assertIsNone(self.open(known()))
        self.assertEqual(self.js('summary(Float64Array.of(4, 1, 3, 2)).median'), 2.5)
        self.assertEqual(self.js('summary(Float64Array.from({length: 200}, (_, i) => i + 1)).p99'), 198)

    def test_reads_the_line_that_page_runs_test_cpp_expects(self):
        cpp = (ROOT / 'tests/runtime/trace/page_runs_test.cpp').read_text(encoding='utf-8')
        self.assertIn('ACoBKBFFKFACKI', cpp.replace('"\n', '').replace('"', '').replace(' ', ''))
        pages = trace_pages.Pages()
        pages.lines.append(json.dumps({
            'title': 't', 'session': 1, 'start': 7, 'total': 100, 'error': '', 'thread': 1, 'threads': {'1': 'a', '2': 'b'}, 'count': 3,
            'rows': [['a', 'Add', '/job:localhost/replica:0/task:0/device:CPU:0', 'float[2,3]', 4, 0, 0], ['b', 'Add', 'CPU:0', '', 4, 0, 0]],
            'events': 'ACoBKBFFKFACKI', 'flow_count': 1, 'flows': 'ABEA', 'folded': [], 'dropped': 0, 'dropped_time': 0,
            'allocations': 'GICA'}))
        self.open(pages)
        self.assertEqual(self.js('[tenon.model.start, tenon.model.dur, tenon.model.wait, tenon.model.thread, tenon.model.kind].map(c => Array.from(c))'),
                         [[17, 27, 29], [10, 5, 8], [0, 5, 0], [1, 2, 1], [0, 1, 0]])
        self.assertEqual(self.js('[tenon.model.flowAt, tenon.model.flowFrom].map(c => Array.from(c))'), [[0, 0, 1, 1], [0]])
        self.assertEqual(self.js('tenon.model.allocations'), {'at': [10, 11], 'bytes': [8, 0]})
        self.assertEqual(self.js('tenon.model.nodes.map(n => n.device)'), ['CPU:0', 'CPU:0'])

    def test_a_run_alone(self):
        self.open(known())
        self.js('tenon.app.pickRun(1)')
        rows = {r[0]: r[1:] for r in self.rows('nodes', 'name', 'count', 'median')}
        self.assertEqual(rows['net/dense/MatMul'], [1, 30000])
        self.assertEqual(self.js("document.getElementById('run').value"), '2')
        self.chromium.press(']')
        self.assertEqual(self.js('tenon.app.range.run'), 2)
        self.assertIn('CANCELLED: late', self.js("document.getElementById('sum').textContent"))

    def test_own_time_leaves_out_what_runs_within(self):
        self.open(known())
        rows = {r[0]: r[1:] for r in self.rows('nodes', 'name', 'self', 'total')}
        self.assertEqual(rows['net/call'], [3 * 14000, 3 * 18000])
        ops = {r[0]: r[1:] for r in self.rows('ops', 'name', 'nodes', 'count', 'self')}
        self.assertEqual(ops['MatMul'], [1, 3, 60000])
        self.shot('ops')

    def test_scopes_sum_up_and_take_medians_of_runs(self):
        self.open(known())
        rows = {r[0]: r[1:] for r in self.rows('scopes', 'name', 'nodes', 'count', 'total', 'median', 'runs')}
        self.assertEqual(rows['net/dense'], [2, 6, 69000, 26000, 3])
        self.assertEqual(rows['net'][:2], [5, 15])
        self.shot('scopes')

    def test_waiting_is_apart_from_work(self):
        self.open(known())
        self.assertEqual(self.rows('waiting', 'name', 'count', 'wait', 'longest', 'total'), [['net/get', 3, 177000, 59000, 0]])
        self.assertEqual(self.js('tenon.app.timeline.rows.filter(r => r.waiting).map(r => r.items.length)'), [3])
        self.assertIn('177 \u00b5s waiting', self.js("document.getElementById('sum').textContent"))
        self.shot('waiting')

    def test_the_critical_path_ends_the_run(self):
        self.open(known())
        self.js('tenon.app.pickRun(0)')
        self.assertEqual(self.rows('path', 'name', 'time', 'wait', 'gap'), [['net/get', 0, 59000, 1000], ['net/call', 18000, 0, 2000]])
        self.js('tenon.app.pickRun(1)')
        self.assertEqual([r[0] for r in self.rows('path', 'name')], ['net/get', 'net/call'])
        self.shot('path')

    def test_the_path_and_the_graph_lead_into_calls(self):
        def node(name, begin, end, producers):
            return (name, 'Neg', 'CPU:0', 'float[2]', 8, 1, begin, end, 0, producers)
        # A function of two nodes, and a loop of two iterations, whose nodes read nothing of the iteration before.
        events = [node('f/a', 10, 20, []), node('f/b', 20, 34, [0]), node('call', 5, 40, []), node('w/a', 55, 60, []), node('w/b', 60, 70, [3]),
                  node('w/a', 75, 80, []), node('w/b', 80, 90, [5]), node('loop', 50, 95, [2]), node('short', 96, 96, []), node('last', 95, 99, [7])]
        self.open(trace_pages.Pages().add(events, total=100))
        self.assertEqual(self.rows('path', 'name', 'time', 'gap'),
                         [['f/a', 10, 10], ['f/b', 14, 0], ['w/a', 5, 21], ['w/b', 10, 0], ['w/a', 5, 5], ['w/b', 10, 0], ['last', 4, 5]])
        self.assertIn('Nodes within a call stand for it', self.js("document.getElementById('note').textContent"))
        level = 'tenon.app.graph.list.map(id => tenon.model.nodes[id].name)'
        self.assertEqual(self.js(level), ['call', 'loop', 'last'])
        at = "(g => { const i = g.place[tenon.model.nodes.findIndex(n => n.name === 'call')]; return g.enter(g.px(i), g.py(i)); })(tenon.app.graph)"
        self.assertTrue(self.js(at))
        self.assertEqual(self.js(level), ['f/a', 'f/b'])
        self.assertEqual(self.js('tenon.app.graph.edges'), 1)
        self.shot('within')
        self.js('tenon.app.select(3, true)')
        self.assertEqual(self.js(level), ['w/a', 'w/b'])
        self.assertTrue(self.js('tenon.app.graph.enter(20, 5)'))
        self.assertEqual(self.js(level), ['call', 'loop', 'last'])
        self.assertFalse(self.js('tenon.app.graph.enter(20, 5)'))

    def test_a_lone_call_shows_its_inside(self):
        pages = trace_pages.Pages()
        def node(name, begin, end, producers):
            return (name, 'Neg', 'CPU:0', 'float[2]', 8, 1, begin, end, 0, producers)
        pages.add([node('f/a', 10, 20, []), node('f/b', 20, 34, [0]), node('f/c', 34, 36, [1]), node('inner', 8, 38, []), node('call', 5, 40, [])], total=50)
        self.open(pages)
        self.assertEqual(self.js('tenon.app.graph.list.map(id => tenon.model.nodes[id].name)'), ['f/a', 'f/b', 'f/c'])
        self.assertEqual(self.js('Array.from(tenon.app.memory.curves[0].bytes)'), [8, 16, 16, 16, 16, 0])

    def test_memory_lives_until_the_last_reader_ends(self):
        self.open(known())
        curve = self.js('(c => [Array.from(c.at).slice(0, 6), Array.from(c.bytes).slice(0, 6)])(tenon.app.memory.curves[0])')
        self.assertEqual(curve, [[15000, 16000, 60000, 74000, 80000, 90000], [24, 48, 52, 80, 108, 0]])

    def test_search_dims_filters_and_selects(self):
        self.open(known())
        self.chromium.press('/', *'bias', 'Enter')
        self.assertEqual(self.js('tenon.model.nodes[tenon.app.node].name'), 'net/dense/BiasAdd')
        self.assertEqual(self.js("document.getElementById('hits').textContent"), '1 node')
        self.assertEqual(self.js('tenon.app.shown.length'), 1)
        self.assertIn('net/dense/BiasAdd', self.js("document.getElementById('detail').textContent"))
        self.shot('search')
        first = self.js('tenon.app.selected')
        self.chromium.press('Enter')
        self.assertEqual(self.js('tenon.app.selected'), first + 5)  # in the next run
        self.chromium.press('Escape')
        self.assertIsNone(self.js('tenon.app.hit'))
        self.js("tenon.app.search('[')")  # not an expression: text
        self.assertEqual(self.js("document.getElementById('hits').textContent"), '0 nodes')

    def test_a_click_on_an_op_or_a_scope_searches_for_it(self):
        self.open(known())
        self.js("tenon.app.showTab('ops')")
        self.js("[...document.querySelectorAll('#list td')].find(t => t.textContent === 'MatMul').click()")
        self.assertEqual(self.js("[document.getElementById('search').value, tenon.app.shown.map(r => r.op)]"), ['^MatMul$', ['MatMul']])
        self.chromium.press('1')
        self.assertEqual(self.js('tenon.app.shown.map(r => r.name)'), ['net/dense/MatMul'])
        self.chromium.press('Escape', '3')
        self.js("[...document.querySelectorAll('#list td')].find(t => t.textContent === 'dense').click()")
        self.assertEqual(self.js('tenon.app.shown.map(r => r.name)'), ['(all)', 'net', 'net/dense'])
        self.assertEqual(self.js("document.getElementById('hits').textContent"), '2 nodes')

    def test_a_table_sorts_by_its_columns(self):
        self.open(known())
        self.js("document.querySelector('th[data-by=max]').click()")
        most = self.js('tenon.app.shown.map(r => r.max)')
        self.assertEqual(most, sorted(most, reverse=True))
        self.js("document.querySelector('th[data-by=name]').click()")
        names = self.js('tenon.app.shown.map(r => r.name)')
        self.assertEqual(names, sorted(names))

    def test_outputs_within_a_node_end_with_it(self):
        inner = [(f'f/{k}', 'Neg', 'CPU:0', 'float[2]', 8, 1, 10 * k, 10 * k + 5, 0, []) for k in range(1, 4)]
        pages = trace_pages.Pages().add(inner + [('call', 'PartitionedCall', 'CPU:0', 'float[2]', 8, 1, 5, 50, 0, []),
                                                 ('last', 'Neg', 'CPU:0', 'float[2]', 8, 1, 60, 70, 0, [3])], total=80)
        self.open(pages)
        self.assertEqual(self.js('Array.from(tenon.app.memory.curves[0].bytes)'), [8, 16, 24, 32, 16, 0])

    def test_keys_zoom_and_move(self):
        self.open(known())
        span = 'tenon.app.timeline.end - tenon.app.timeline.begin'
        before = self.js(span)
        self.chromium.press('w', 'w')
        self.assertLess(self.js(span), before * 0.6)
        begin = self.js('tenon.app.timeline.begin')
        self.chromium.press('d')
        self.assertGreater(self.js('tenon.app.timeline.begin'), begin)
        self.chromium.press('ArrowLeft', 's', '0')
        self.assertEqual(self.js(span), before)
        self.chromium.press('?')
        self.assertTrue(self.js("document.getElementById('help').open"))
        self.shot('keys')
        self.chromium.press('Escape', 'g', '6')
        self.assertFalse(self.js("document.getElementById('help').open"))
        self.assertTrue(self.js("document.body.classList.contains('wide')"))
        self.assertEqual(self.js('tenon.app.tab'), 'flame')

    def test_a_click_selects_in_all_views(self):
        self.open(known())
        self.js('tenon.app.pickRun(0)')
        x, y = self.js("(t => { const b = t.canvas.getBoundingClientRect(); "
                       "return [b.left + t.x(10000), b.top + RULER + t.rowOf(0) * LANE + 6]; })(tenon.app.timeline)")
        self.chromium.click(x, y)
        self.assertEqual(self.js('tenon.app.selected'), 0)
        self.assertEqual(self.js("document.querySelector('#list tr.sel td').textContent"), 'net/dense/MatMul')
        x, y = self.js("(g => { const b = g.canvas.getBoundingClientRect(), i = g.place[1]; "
                       "return [b.left + g.px(i), b.top + g.py(i)]; })(tenon.app.graph)")
        self.chromium.click(x, y)
        self.assertEqual(self.js('tenon.model.nodes[tenon.app.node].name'), 'net/dense/BiasAdd')
        self.shot('selected')
        self.js("document.querySelector('#detail a').click()")  # its producer
        self.assertEqual(self.js('tenon.app.selected'), 0)
        self.chromium.press('Escape')
        self.assertEqual(self.js('tenon.app.node'), -1)

    def test_the_flame_view_adds_up(self):
        self.open(known())
        self.js("tenon.app.showTab('flame')")
        self.chromium.frame()
        value = self.js('tenon.app.flame.root.value')
        self.assertEqual(value, 60000 + 9000 + 3 * 18000)
        self.assertEqual(self.js("tenon.app.flame.root.below.get('net').below.get('dense').value"), 69000)
        self.assertEqual(self.js("tenon.app.flame.root.below.get('net').below.get('call').value"), 54000)
        self.shot('flame')

    def test_compares_with_a_chrome_trace_and_with_a_page(self):
        self.open(known())
        other = json.dumps(chrome_trace(1.5))
        self.js(f"tenon.app.open(new File([{other}], 'other.json'))")
        self.assertEqual(self.js('tenon.app.tab'), 'compare')
        rows = {r[0]: r[1:] for r in self.rows('compare', 'name', 'countA', 'countB', 'medianA', 'medianB', 'ratio', 'only')}
        self.assertEqual(rows['net/dense/MatMul'], [3, 3, 20000, 30000, 1.5, ''])
        self.assertEqual(rows['net/new'], [0, 3, 0, 4000, None, 'other'])
        self.assertEqual(rows['net/get'][-1], 'this')
        self.shot('compare')
        self.js("document.getElementById('how').click()")
        rows = {r[0]: r[1:] for r in self.js("tenon.app.shown.map(r => [r.op, r.ratio])")}
        self.assertEqual(rows['MatMul'], [1.5])
        page = json.dumps(known().text())
        self.js(f"tenon.app.open(new File([{page}], 'other.html'))")
        self.assertEqual({r[0] for r in self.js('tenon.app.shown.filter(r => r.medianA).map(r => [r.ratio])')}, {1})
        self.js("tenon.app.open(new File(['no trace'], 'other.txt'))")
        self.assertIn("Cannot read 'other.txt'", self.js("document.getElementById('note').textContent"))

    def test_pages_without_runs_and_with_runs_left_out(self):
        self.open(trace_pages.Pages())
        self.assertEqual(self.js('document.title'), 'no runs')
        for tab in range(1, 8):
            self.chromium.press(str(tab))
        self.chromium.frame()
        pages = known()
        pages.lines.append('{"left":12}')
        self.open(pages)
        self.assertIn('12 later runs left out', self.js("document.getElementById('sum').textContent"))

    def test_runs_at_the_same_time(self):
        pages = trace_pages.Pages()
        event = ('a', 'Add', 'CPU:0', 'float[2]', 8, 1, 0, 100, 0, [])
        pages.add([event], start=0, total=1000, session=1)
        pages.add([event[:5] + (2,) + event[6:]], start=50, total=100, session=2)
        self.open(pages)
        self.assertEqual(self.js('tenon.model.runLanes.length'), 2)
        self.assertEqual(self.js('tenon.app.memory.most'), 16)

    def test_a_narrow_window_shows_all_parts(self):
        self.open(known())
        size = {'deviceScaleFactor': 1, 'mobile': False}
        self.addCleanup(self.chromium.call, 'Emulation.setDeviceMetricsOverride', width=1400, height=900, **size)
        for width, height in ((1400, 900), (760, 620), (420, 720)):
            self.chromium.call('Emulation.setDeviceMetricsOverride', width=width, height=height, **size)
            self.chromium.press('?')
            self.chromium.frame()
            for part in ('title', 'sum', 'before', 'run', 'after', 'search', 'compare', 'keys', 'timeline', 'memory', 'graph', 'list', 'detail', 'help'):
                with self.subTest(width=width, part=part):
                    left, right, top, bottom, wanted = self.js(
                        f"(e => {{ const b = e.getBoundingClientRect(); return [b.left, b.right, b.top, b.bottom, "
                        f"e.tagName === 'DIALOG' ? e.scrollWidth - e.clientWidth : 0]; }})(document.getElementById('{part}'))")
                    self.assertTrue(0 <= left < right <= width and 0 <= top < bottom <= height, (left, right, top, bottom))
                    self.assertEqual(wanted, 0)
            self.chromium.press('Escape')
            self.shot(f'width_{width}')

    def test_100_000_events_open(self):
        self.open(trace_pages.large(100_000))
        self.assertEqual(self.js('tenon.model.n'), 100_000)
        for tab in ('ops', 'scopes', 'waiting', 'path', 'flame', 'nodes'):
            self.js(f"tenon.app.showTab('{tab}')")
            self.chromium.frame()
        self.assertLess(self.js("document.querySelectorAll('#list tr').length"), 100)  # of 2,000
        self.shot('large')
        self.chromium.dark()
        self.js('tenon.app.select(5000, "closer")')
        self.shot('large_dark')
        self.chromium.dark(False)


def time(events):
    pages = trace_pages.large(events)
    with tempfile.TemporaryDirectory() as folder:
        path = pages.write(pathlib.Path(folder, 'page.html'))
        for _ in range(3):
            with chromium.Chromium() as browser:
                browser.call('Performance.enable', timeDomain='threadTicks')
                browser.open(path)
                times = browser.run('tenon.times')
                used = {m['name']: m['value'] for m in browser.call('Performance.getMetrics')['metrics']}
                times["processor time of the page's thread"] = 1000 * used['TaskDuration']
                print(f'{events} events, {pathlib.Path(path).stat().st_size / 1e6:.1f} MB: ' +
                      ', '.join(f'{name} {ms:.0f} ms' for name, ms in times.items()))


if __name__ == '__main__':
    if chromium.find() is None:
        print('trace_page_test: skipped, there is no chromium')
        sys.exit(0)
    if '--time' in sys.argv:
        sys.exit(time(int(sys.argv[sys.argv.index('--time') + 1])))
    if '--shots' in sys.argv:
        at = sys.argv.index('--shots')
        shots = sys.argv[at + 1]
        pathlib.Path(shots).mkdir(parents=True, exist_ok=True)
        del sys.argv[at:at + 2]
    unittest.main()

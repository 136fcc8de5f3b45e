#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command `tenon`: every subcommand, wrong input, JSON, exit codes. TENON_COMMAND names the binary. NumPy is not
needed: arrays are written and read here."""
import ast
import json
import math
import os
import pathlib
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COMMAND = os.environ.get('TENON_COMMAND', str(ROOT / 'build/command/bin/tenon'))
GOLDEN = ROOT / 'tests/golden'
SUBCOMMANDS = ('info', 'run', 'bench', 'trace', 'convert', 'check', 'ops', 'diff', 'doctor')

# y = 2 * x + [1, 10], and z = x * x; `two` is computed from constants.
GRAPH = '''
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: -1 } dim { size: 2 } } } } }
node { name: "one" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } }
node { name: "two" op: "AddV2" input: "one" input: "one" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "bias" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: 1 float_val: 10 } } } }
node { name: "double" op: "Mul" input: "x" input: "two" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "y" op: "AddV2" input: "double" input: "bias" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "z" op: "Square" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
versions { producer: 1395 }
'''
# Upper case of a batch of texts.
TEXTS = '''
node { name: "words" op: "Placeholder" attr { key: "dtype" value { type: DT_STRING } }
  attr { key: "shape" value { shape { dim { size: -1 } } } } }
node { name: "upper" op: "StringUpper" input: "words" }
versions { producer: 1395 }
'''
# Channel means of a picture of 2 by 2.
IMAGES = '''
node { name: "image" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: -1 } dim { size: 2 } dim { size: 2 } dim { size: 3 } } } } }
node { name: "axes" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
  attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: 1 int_val: 2 } } } }
node { name: "mean" op: "Mean" input: "image" input: "axes" attr { key: "T" value { type: DT_FLOAT } }
  attr { key: "Tidx" value { type: DT_INT32 } } }
versions { producer: 1395 }
'''


def npy(descr, shape, data):
    """The bytes of an .npy file."""
    head = repr({'descr': descr, 'fortran_order': False, 'shape': tuple(shape)})
    head += ' ' * (-(10 + len(head) + 1) % 64) + '\n'
    return b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + data


def floats(shape, *values):
    return npy('<f4', shape, struct.pack(f'<{len(values)}f', *values))


def read_npy(data):
    """Shape and values of an .npy file of floats or byte strings."""
    size = struct.unpack('<H', data[8:10])[0]
    head = ast.literal_eval(data[10:10 + size].decode())
    body = data[10 + size:]
    if head['descr'].startswith('|S'):
        width = int(head['descr'][2:])
        return head['shape'], [body[i:i + width].rstrip(b'\0') for i in range(0, len(body), width)]
    assert head['descr'] == '<f4', head
    return head['shape'], list(struct.unpack(f'<{len(body) // 4}f', body))


def png(width, height, pixels):
    """A PNG file of 8-bit RGB."""
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    rows = b''.join(b'\0' + bytes(pixels[y * width * 3:(y + 1) * width * 3]) for y in range(height))
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)) +
            chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.graph = self.write('graph.pbtxt', GRAPH)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def tenon(self, *arguments, code=0, stdin=b'', env=None):
        """Standard output of a call; its exit code is checked."""
        done = subprocess.run([COMMAND, *(word if isinstance(word, bytes) else str(word) for word in arguments)], input=stdin, capture_output=True, cwd=self.folder,
                              timeout=120, env={**os.environ, **(env or {})})
        self.assertEqual(done.returncode, code, f'{arguments}\n{done.stdout!r}\n{done.stderr.decode()}')
        self.errors = done.stderr.decode()
        if code in (1, 2):
            self.assertTrue(self.errors.startswith('tenon'), self.errors)
        return done.stdout

    def text(self, *arguments, **options):
        return self.tenon(*arguments, **options).decode()

    def json(self, *arguments, **options):
        def refuse(word):
            raise ValueError(f'{word} is not JSON')
        return json.loads(self.tenon(*arguments, '--json', **options), parse_constant=refuse)

    def values(self, *arguments, **options):
        """Outputs of `run` by name."""
        outputs = self.json('run', *arguments, **options)['outputs']
        return {output['name']: output['values'] for output in outputs}


class Frame(Case):
    def test_version_and_help(self):
        self.assertRegex(self.text('--version'), r'^tenon \d+\.\d+\.\d+\n$')
        page = self.text('--help')
        for name in SUBCOMMANDS:
            self.assertIn(f'\n  {name} ', page)
            own = self.text(name, '--help')
            self.assertIn(f'usage: tenon {name}', own)
            self.assertIn('examples:\n  ', own)
            self.assertEqual(self.text('help', name), own)

    def test_wrong_command_lines(self):
        self.tenon(code=2)
        self.assertIn('a command is wanted', self.errors)
        self.tenon('inof', code=2)
        self.assertIn("there is no command 'inof'; did you mean 'info'?\n", self.errors)
        self.tenon('zzzzzzzz', code=2)
        self.assertIn('; the commands are info, run, ', self.errors)
        self.tenon('--verison', code=2)
        self.assertIn("did you mean '--version'?", self.errors)
        self.tenon('--json', 'info', self.graph, code=2)
        self.assertIn('write tenon COMMAND --json', self.errors)
        for words in (('help', 'info', 'run'), ('man', 'run'), ('doctor', 'now'), ('bench', self.graph, '--batch', ''), ('bench', self.graph, '--batch', '1,'),
                      ('run', self.graph, '--image-range', 'nan,1'), ('run', self.graph, '-t', '99999999999'), ('run', self.graph, '-tmany'),
                      ('info', self.graph, '-j1')):
            self.tenon(*words, code=2)
        self.tenon('info', '--node-list', self.graph, code=2)
        self.assertIn("unknown option '--node-list'", self.errors)
        self.tenon('info', code=2)
        self.assertIn('usage: tenon info', self.errors)
        self.tenon('info', 'a', 'b', code=2)
        self.tenon('bench', self.graph, '--runs', 'many', code=2)
        self.assertIn("'many'", self.errors)
        self.tenon('bench', self.graph, '--runs', code=2)
        self.tenon('bench', self.graph, '--batch', '1,x', code=2)
        self.tenon('info', self.graph, '--json=1', code=2)
        self.tenon('info', self.graph, '--color', 'blue', code=2)
        self.tenon('run', self.graph, '--image-size', '7', code=2)
        self.tenon('completion', 'fish', code=2)

    def test_colors_only_when_asked(self):
        self.assertNotIn('\x1b', self.text('info', self.graph))
        self.assertIn('\x1b', self.text('info', '--color', 'always', self.graph))
        self.assertNotIn('\x1b', self.text('info', '--color', 'always', '--json', self.graph))

    def test_a_full_disk_is_an_error(self):
        if not os.path.exists('/dev/full'):
            self.skipTest('no /dev/full')
        with open('/dev/full', 'wb') as full:
            done = subprocess.run([COMMAND, 'info', self.graph], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b'cannot write', done.stderr)

    def test_a_full_disk_of_outputs_is_an_error(self):
        if not os.path.exists('/dev/full'):
            self.skipTest('no /dev/full')
        for words, name in ((('run', self.graph, '1,2'), 'full.json'), (('run', self.graph, '1,2'), 'full.npz'), (('trace', self.graph), 'full.html'),
                            (('trace', self.graph), 'full.json')):
            (self.folder / name).unlink(missing_ok=True)
            (self.folder / name).symlink_to('/dev/full')
            self.tenon(*words, '-o', name, code=1)
            self.assertIn('RESOURCE_EXHAUSTED', self.errors)
        for to in ('text', 'json', 'binary'):
            self.tenon('convert', self.graph, '/dev/full', '--to', to, code=1)

    def test_a_reader_that_leaves_ends_the_command(self):
        done = subprocess.run(['bash', '-c', f'"{COMMAND}" ops | head -1; echo "${{PIPESTATUS[0]}}"'], capture_output=True, timeout=60)
        self.assertEqual(done.stdout.split(b'\n')[1:2], [b'141'])  # SIGPIPE, without a message
        self.assertEqual(done.stderr, b'')

    def test_letters_take_their_value_behind_them(self):
        self.assertEqual(self.values(self.graph, '-ix=1,2', '-t1'), {'y': [[3, 14]], 'z': [[1, 4]]})

    def test_names_that_are_not_utf_8_are_refused(self):
        graph = self.write('odd.pbtxt', GRAPH.replace('"z"', r'"z\377\303"'))
        self.tenon('info', '--nodes', graph, '--json', code=1)
        self.assertIn("odd.pbtxt:11:14: the text of 'name' is not UTF-8", self.errors)

    def test_a_terminal_gets_colors_and_a_bar(self):
        import pty
        def output(*words, env=None):
            primary, secondary = pty.openpty()
            process = subprocess.Popen([COMMAND, *words], stdout=secondary, stderr=secondary, env={**os.environ, 'TERM': 'xterm', **(env or {})})
            os.close(secondary)
            text = b''
            while True:
                try:
                    read = os.read(primary, 1 << 16)
                except OSError:  # the other end is closed
                    break
                if not read:
                    break
                text += read
            os.close(primary)
            self.assertEqual(process.wait(), 0, text)
            return text
        environment = {key: value for key, value in os.environ.items() if key != 'NO_COLOR'}
        if 'NO_COLOR' in os.environ:
            self.skipTest('NO_COLOR is set')
        self.assertIn(b'\x1b[1m', output('info', self.graph, env=environment))
        self.assertNotIn(b'\x1b', output('info', self.graph, env={'NO_COLOR': '1'}))
        self.assertNotIn(b'\x1b', output('info', self.graph, env={'TERM': 'dumb'}))
        self.assertRegex(output('bench', self.graph, '--seconds', '0.3'), rb'\rrunning \[#+\.+\]')
        self.text('bench', self.graph, '--runs', 5)
        self.assertEqual(self.errors, '')

    def test_pages_in_the_repository_are_up_to_date(self):
        for words, name in ((('completion', 'bash'), 'tenon.bash'), (('completion', 'zsh'), '_tenon'), (('man',), 'tenon.1')):
            self.assertEqual((ROOT / 'tools/tenon/pages' / name).read_text(), self.text(*words),
                             f'tenon {" ".join(words)} > tools/tenon/pages/{name}')

    def test_the_man_page_names_pages_that_exist(self):
        pages = re.findall(r'docs/[\w/\\-]+\.md', self.text('man'))
        self.assertTrue(pages)
        for page in pages:
            self.assertTrue((ROOT / page.replace('\\', '')).exists(), page)

    def test_bash_completion(self):
        self.write('completion', self.tenon('completion', 'bash'))
        def complete(*words):
            script = (f'source ./completion; COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _tenon; '
                      'echo "${COMPREPLY[@]}"')
            path = {'PATH': f'{pathlib.Path(COMMAND).parent}:{os.environ["PATH"]}'}
            done = subprocess.run(['bash', '-c', script], capture_output=True, cwd=self.folder, env={**os.environ, **path})
            return done.stdout.decode().split()
        self.assertEqual(complete('tenon', 'in'), ['info'])
        self.assertEqual(complete('tenon', 'help', 'be'), ['bench'])
        self.assertEqual(complete('tenon', 'bench', '--ba'), ['--batch'])
        self.assertEqual(complete('tenon', 'convert', '--to', 'te'), ['text'])
        self.assertEqual(complete('tenon', 'info', 'graph'), ['graph.pbtxt'])

    def test_startup_time_is_reported(self):
        times = []
        for _ in range(20):
            start = time.perf_counter()
            subprocess.run([COMMAND, '--version'], stdout=subprocess.DEVNULL, check=True)
            times.append(1000 * (time.perf_counter() - start))
        print(f'tenon --version: {statistics.median(times):.2f} ms (median of 20, with the start of a process)', file=sys.stderr)


class Info(Case):
    def test_graph(self):
        text = self.text('info', self.graph)
        for part in ('a text GraphDef', '7 nodes', 'signature default', 'x:0', '[?,2]', 'AddV2', 'Tenon has all ops'):
            self.assertIn(part, text)
        info = self.json('info', self.graph)
        self.assertEqual((info['nodes'], info['producer'], info['missing_ops']), (7, 1395, []))
        signature = info['signatures'][0]
        self.assertEqual([(end['key'], end['dtype'], end['shape']) for end in signature['inputs']], [('x', 'float', [-1, 2])])
        self.assertEqual([(end['key'], end['shape']) for end in signature['outputs']], [('y', [-1, 2]), ('z', [-1, 2])])
        self.assertEqual({op['op']: op['nodes'] for op in info['ops']},
                         {'AddV2': 2, 'Const': 2, 'Mul': 1, 'Placeholder': 1, 'Square': 1})

    def test_nodes(self):
        self.assertRegex(self.text('info', '--nodes', self.graph), r'double +Mul +\(x, two\) +float \[\?,2\]')
        self.assertIn('shape', self.text('info', '--node', 'x:0', self.graph))
        self.assertEqual(self.json('info', '--node', 'y', self.graph)['inputs'], ['double', 'bias'])
        self.tenon('info', '--node', 'duoble', self.graph, code=1)
        self.assertIn("did you mean 'double'", self.errors)
        self.assertEqual(len(self.json('info', '--nodes', self.graph)['node_list']), 7)

    def test_functions(self):
        text = self.text('info', '--functions', GOLDEN / 'models/nested_functions/graph.pb')
        self.assertIn('\nfunctions\n', text)
        self.assertTrue(self.json('info', '--functions', GOLDEN / 'models/nested_functions/graph.pb')['function_signatures'])

    def test_missing_ops(self):
        graph = self.write('missing.pbtxt', GRAPH.replace('"Square"', '"Sqare"'))
        self.assertIn('lacks 1 op: Sqare', self.text('info', graph))
        self.assertEqual(self.json('info', graph)['missing_ops'], ['Sqare'])

    def test_arrays(self):
        array = self.write('x.npy', floats((2, 2), 1, 2, 3, 4))
        self.assertIn('[2,2]', self.text('info', array))
        self.assertEqual(self.json('info', array)['arrays'], [{'name': '', 'dtype': 'float', 'shape': '[2,2]', 'bytes': 16}])

    def test_checkpoint_and_records(self):
        tensors = self.json('info', next((GOLDEN / 'files/checkpoints/single').glob('*.index')))['tensors']
        self.assertTrue(all(tensor['name'] and tensor['shape'].startswith('[') for tensor in tensors))
        self.assertTrue(tensors)
        self.assertGreater(self.json('info', GOLDEN / 'files/records/examples.tfrecord')['records'], 0)

    def test_wrong_files(self):
        self.tenon('info', 'nothing.pb', code=1)
        self.assertIn('No such file', self.errors)
        self.tenon('info', self.write('empty.pb', b''), code=1)
        self.tenon('info', self.folder, code=1)
        self.assertIn('folder', self.errors)
        self.tenon('info', self.write('noise.pb', bytes(range(256))), code=1)
        self.tenon('info', self.write('words.txt', 'These are words.'), code=1)
        self.tenon('info', self.write('cut.npy', floats((2,), 1, 2)[:-3]), code=1)
        self.assertIn('cut short', self.errors)
        graph = (GOLDEN / 'models/mlp_digits/graph.pb').read_bytes()
        for size in range(1, len(graph), len(graph) // 20):
            cut = self.write('cut.pb', graph[:size])
            done = subprocess.run([COMMAND, 'info', cut], capture_output=True)
            self.assertIn(done.returncode, (0, 1), f'{size} bytes')


class Run(Case):
    def test_numbers(self):
        self.assertEqual(self.values(self.graph, '[[1,2],[3,4]]'), {'y': [[3, 14], [7, 18]], 'z': [[1, 4], [9, 16]]})
        self.assertEqual(self.values(self.graph, '-i', 'x=1,2'), {'y': [[3, 14]], 'z': [[1, 4]]})
        self.assertEqual(self.values(self.graph, '-i', 'x:0=1,2,3,4')['z'], [[1, 4], [9, 16]])
        self.assertEqual(self.values(self.graph, 'zeros')['y'], [[1, 10]])
        self.assertEqual(self.values(self.graph, 'ones:[2,2]')['y'], [[3, 12], [3, 12]])

    def test_files(self):
        array = self.write('x.npy', floats((1, 2), 1.5, -2))
        expected = {'y': [[4, 6]], 'z': [[2.25, 4]]}
        self.assertEqual(self.values(self.graph, array), expected)
        self.assertEqual(self.values(self.graph, '-', stdin=floats((1, 2), 1.5, -2)), expected)
        self.assertEqual(self.values(self.graph, array, array)['z'], [[2.25, 4], [2.25, 4]])
        doubles = self.write('doubles.npy', npy('<f8', (2,), struct.pack('<2d', 1.5, -2)))
        self.assertEqual(self.values(self.graph, doubles), expected)
        self.assertIn('double [2] becomes float [1,2]', self.errors)
        self.assertEqual(self.values(self.graph, '@' + self.write('lines.txt', '1.5\n-2\n')), expected)

    def test_standard_input_is_any_file_and_is_read_once(self):
        with zipfile.ZipFile(self.folder / 'two.npz', 'w') as archive:
            archive.writestr('x.npy', floats((1, 2), 1, 2))
            archive.writestr('y.npy', floats((1, 2), 3, 14))
        both = (self.folder / 'two.npz').read_bytes()
        self.assertEqual(self.values(self.graph, '-', stdin=both)['z'], [[1, 4]])  # by the input's name
        self.assertEqual(self.values(self.graph, '-:y', stdin=both)['z'], [[9, 196]])
        self.tenon('run', self.graph, '-:w', stdin=both, code=1)
        self.assertIn("no array 'w'", self.errors)
        self.tenon('run', self.graph, '-:w', stdin=floats((1, 2), 1, 2), code=1)
        self.assertIn('standard input is not an .npz file', self.errors)
        self.assertEqual([row['batch'] for row in self.json('bench', self.graph, '-', '--batch', '1,3', '--runs', 2, stdin=floats((1, 2), 1, 2))['measured']], [1, 3])
        self.assertTrue(self.json('diff', '--run', self.graph, self.graph, '-i', 'x=-', stdin=floats((1, 2), 1, 2))['equal'])
        self.tenon('run', self.graph, '-', code=1)
        self.assertIn('standard input is empty', self.errors)
        self.tenon('run', '-', '1,2', code=1)
        self.assertIn("'-' is a stream", self.errors)
        self.tenon('run', self.graph, '.', code=1)
        self.assertIn("'.' is a folder", self.errors)

    def test_all_missing_inputs_are_named(self):
        self.tenon('run', self.graph, '--fetch', 'y', '-i', 'two=2', code=1)
        self.assertIn("input 'x' (float [?,2]) has no value; say --input x=FILE", self.errors)
        graph = self.write('pair.pbtxt', GRAPH.replace('name: "one" op: "Const"', 'name: "one" op: "Placeholder"').replace(
            'attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1 } } }', ''))
        self.tenon('run', graph, code=1)
        self.assertIn("inputs 'x' (float [?,2]), 'one' (float <unknown>) have no values; say --input x=FILE --input one=FILE", self.errors)

    def test_outputs(self):
        self.tenon('run', self.graph, '1,2', '-o', 'y=y.npy', '-o', 'all.npz', '-o', 'all.json')
        self.assertEqual(read_npy((self.folder / 'y.npy').read_bytes()), ((1, 2), [3, 14]))
        self.assertEqual(self.values(self.graph, 'all.npz:z')['z'], [[1, 16]])
        self.assertEqual(json.loads((self.folder / 'all.json').read_text())['outputs'][0]['values'], [[3, 14]])
        self.assertEqual(read_npy(self.tenon('run', self.graph, '1,2', '--fetch', 'double', '-o', '-')), ((1, 2), [2, 4]))
        self.tenon('run', self.graph, '1,2', '-o', 'y.npy', code=1)
        self.assertIn('one file for 2 outputs', self.errors)
        self.tenon('run', self.graph, '1,2', '-o', 'w=w.npy', code=1)
        self.assertIn("did you mean 'y', 'z'?", self.errors)
        self.tenon('run', self.graph, '1,2', '-o', 'something=w.npy', code=1)
        self.assertIn("there are 'y', 'z'", self.errors)
        self.tenon('run', self.graph, '1,2', '--fetch', 'y', '-o', 'y.xyz', code=1)

    def test_summary(self):
        text = self.text('run', self.graph, '1,2')
        self.assertRegex(text, r'y  float \[1,2\]\n  min 3  max 14  mean 8.5\n  \[3 14\]')

    def test_any_tensor_may_be_fed_and_fetched(self):
        self.assertEqual(self.values(self.graph, '-i', 'double=[[5,6]]', '--fetch', 'y:0'), {'y': [[6, 16]]})
        self.tenon('run', self.graph, '1,2', '--fetch', 'something', code=1)
        self.assertIn("an output 'something'; there are 'y', 'z'", self.errors)

    def test_probabilities(self):
        model = GOLDEN / 'models/cnn_digits'
        labels = self.write('labels.txt', '\n'.join(f'digit {i}' for i in range(10)))
        text = self.text('run', model / 'graph.pb', 'random', '--labels', labels)
        self.assertRegex(text, r'%  class \d  digit \d\n')

    def test_texts(self):
        graph = self.write('texts.pbtxt', TEXTS)
        self.assertEqual(self.values(graph, 'text:some words'), {'upper': ['SOME WORDS']})
        self.assertEqual(self.values(graph, 'text:a', 'text:b'), {'upper': ['A', 'B']})
        self.assertEqual(self.values(graph, 'text:a=b'), {'upper': ['A=B']})
        self.assertEqual(self.values(graph, '@' + self.write('lines', 'one\r\ntwo\n')), {'upper': ['ONE', 'TWO']})
        self.assertEqual(self.values(graph, '-', stdin=b'three\n'), {'upper': ['THREE']})
        self.assertEqual(self.values(graph, '-i', b'words=text:\xff'), {'upper': [{'b64': '/w=='}]})
        self.tenon('run', graph, 'text:one', '-o', 'upper.npy')
        self.assertEqual(read_npy((self.folder / 'upper.npy').read_bytes()), ((1,), [b'ONE']))
        self.tenon('run', self.graph, 'text:one', code=1)

    def test_images(self):
        if self.json('doctor')['binary']['PNG and JPEG'] != 'yes':
            self.skipTest('built without libpng')
        graph = self.write('images.pbtxt', IMAGES)
        image = self.write('image.png', png(2, 2, [255, 0, 51] * 4))
        def near(values, expected):
            self.assertTrue(all(math.isclose(a, b, abs_tol=1e-5) for a, b in zip(values, expected, strict=True)), values)
        near(self.values(graph, image)['mean'][0], [1, 0, 0.2])
        near(self.values(graph, image, '--image-range', '-1,1')['mean'][0], [1, -1, -0.6])
        large = self.write('large.png', png(4, 6, [255, 0, 51] * 24))
        near(self.values(graph, large)['mean'][0], [1, 0, 0.2])
        self.assertEqual(len(self.values(graph, image, large)['mean']), 2)
        pixels = b'\x80\0\0\x33\x66\x99\xff\xff\xff,\0\0\0\0\1\0\1\0\0\2\2\x44\1\0;'
        gif = self.write('one.gif', b'GIF89a\1\0\1\0' + pixels)  # one pixel of the first colour
        near(self.values(graph, gif)['mean'][0], [0.2, 0.4, 0.6])
        self.assertIn('2 rows and 2 columns', self.text('info', image))
        self.tenon('run', graph, self.write('bad.png', png(2, 2, [1, 2, 3] * 4)[:40]), code=1)
        self.assertIn('bad.png', self.errors)

    def test_wrong_input(self):
        for words, part in ((('1,2,3',), 'shape'), (('abc',), 'neither a file nor numbers'), (('missing.npy',), 'No such file'),
                            ((), '--input x=FILE'), (('-i', 'q=1'), "no input 'q'"), (('[[1,2],[3]]',), 'numbers'),
                            (('text:a',), 'not string'), (('random:[x]',), 'not a shape')):
            self.tenon('run', self.graph, *words, code=1)
            self.assertIn(part, self.errors)
        self.tenon('run', self.graph, '1,2', '-s', 'defalt', code=1)
        self.assertIn("did you mean 'default'", self.errors)
        self.tenon('run', self.graph, '1,2', '--fetch', 'yy', code=1)
        strings = self.write('strings.npy', npy('|S1', (2,), b'ab'))
        self.tenon('run', self.graph, strings, code=1)
        self.tenon('run', GOLDEN / 'saved_models/module_counter', '-s', 'bump', '-i', 'after=1', code=1)
        self.assertIn("signature 'bump' has no input 'after'", self.errors)

    def test_recorded_images(self):
        model = GOLDEN / 'models/cnn_digits'
        info = self.json('info', model / 'graph.pb')['signatures'][0]
        data = (model / 'images.npy').read_bytes()
        size = struct.unpack('<H', data[8:10])[0]
        shape = ast.literal_eval(data[10:10 + size].decode())['shape']
        pixels = data[10 + size:]
        array = self.write('x.npy', npy('<f4', shape, struct.pack(f'<{len(pixels)}f', *(p / 255 for p in pixels))))
        outputs = self.values(model / 'graph.pb', array, '--fetch', info['outputs'][-1]['key'])
        labels = [int(line.split()[1]) for line in (model / 'labels.txt').read_text().splitlines()]
        found = [max(range(10), key=row.__getitem__) for row in next(iter(outputs.values()))]
        self.assertEqual(found, labels[:len(found)])


class BenchAndTrace(Case):
    def test_bench(self):
        result = self.json('bench', self.graph, '--runs', 20, '--warmup', 2, '--batch', '1,3', '--ops')
        self.assertEqual([(row['batch'], row['runs']) for row in result['measured']], [(1, 20), (3, 20)])
        for row in result['measured']:
            latency = row['latency_ns']
            order = [latency[key] for key in ('min', 'p50', 'p90', 'p95', 'p99', 'max')]
            self.assertEqual(order, sorted(order))
            self.assertAlmostEqual(row['items_per_second'], row['batch'] * 1e9 / latency['mean'], delta=1)
        self.assertEqual({op['op'] for op in result['ops']} & {'Mul', 'AddV2', 'Square'}, {'Mul', 'AddV2', 'Square'})
        text = self.text('bench', self.graph, '--seconds', '0.05', '-i', 'x=ones:[4,2]')
        self.assertRegex(text, r'p50 +p90')
        self.assertIn('float [4,2]', text)
        self.assertIn('process at most', text)

    def test_choices_are_measured_written_and_read(self):
        graph = self.write('conv.pbtxt', '''
            node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
                   attr { key: "shape" value { shape { dim { size: 1 } dim { size: 16 } dim { size: 16 } dim { size: 32 } } } } }
            node { name: "w" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor {
                   dtype: DT_FLOAT float_val: 0.5 tensor_shape { dim { size: 3 } dim { size: 3 } dim { size: 32 } dim { size: 32 } } } } } }
            node { name: "conv" op: "Conv2D" input: "x" input: "w" attr { key: "T" value { type: DT_FLOAT } }
                   attr { key: "padding" value { s: "SAME" } }
                   attr { key: "strides" value { list { i: 1 i: 1 i: 1 i: 1 } } } }
            node { name: "y" op: "Relu" input: "conv" attr { key: "T" value { type: DT_FLOAT } } }''')
        tune = ('bench', graph, '--optimize', 'fast', '--seconds', '0.02', '--tune', 'choices.txt')
        choices = self.json(*tune)['choices']
        self.assertEqual(set(choices), {'conv'})
        self.assertEqual((self.folder / 'choices.txt').read_text(), f'{choices["conv"]} conv\n')
        self.assertRegex(self.text(*tune), r'conv +[0-9.]+ .s +[0-9.]+ .s +(direct|winograd)')
        for command in ('run', 'bench', 'trace'):
            self.text(command, graph, 'x=ones', '--optimize', 'fast', '--choices', 'choices.txt')
        self.write('bad.txt', 'direct conv\nfft conv\n')
        self.tenon('run', graph, 'x=ones', '--optimize', 'fast', '--choices', 'bad.txt', code=1)
        self.assertIn("bad.txt: Choices, line 2: expected 'direct', 'winograd' or 'size'", self.errors)
        self.tenon('run', graph, 'x=ones', '--optimize', 'fast', '--choices', 'none.txt', code=1)
        self.assertIn('none.txt', self.errors)
        for words in (('--choices', 'choices.txt'), ('--optimize', 'exact', '--choices', 'choices.txt')):
            self.tenon('run', graph, 'x=ones', *words, code=2)
            self.assertIn('--choices needs --optimize fast', self.errors)
        self.tenon('bench', graph, '--tune', 'choices.txt', code=2)
        self.assertIn('--tune needs --optimize fast', self.errors)
        self.assertEqual(self.json('bench', self.graph, '--optimize', 'fast', '--tune', 'empty.txt')['choices'], {})
        self.assertEqual((self.folder / 'empty.txt').read_text(), '')

    def test_calls_leave_their_time_to_the_nodes_of_the_function(self):
        model = GOLDEN / 'keras_models/cnn_skip'
        signature = next(s for s in self.json('info', model)['signatures'] if s['name'] == 'serving_default')
        words = [f'-i{end["key"]}=ones:{[abs(dim) for dim in end["shape"]]}'.replace(' ', '') for end in signature['inputs']]
        self.tenon('trace', model, '-o', 'run.json', *words)
        executed = {event['name'] for event in json.loads((self.folder / 'run.json').read_text())['traceEvents']}
        ops = {op['op']: op for op in self.json('bench', model, '--runs', 5, '--ops', *words)['ops']}
        called = {'PartitionedCall', 'StatefulPartitionedCall'} & executed
        self.assertTrue(called)
        self.assertLess(called | {'Conv2D'}, set(ops))
        self.assertLessEqual(set(ops), executed)
        self.assertTrue(all(op['ns'] >= 0 and op['count'] >= 1 for op in ops.values()), ops)

    def test_an_unknown_shape_is_asked_for(self):
        graph = self.write('unknown.pbtxt', GRAPH.replace('dim { size: -1 } dim { size: 2 }', 'unknown_rank: true'))
        self.tenon('bench', graph, '--runs', 1, code=1)
        self.assertIn('x=random:[1,128]', self.errors)
        ranked = self.write('ranked.pbtxt', GRAPH.replace('dim { size: 2 } } } } }\nnode { name: "one"', 'dim { size: -1 } } } } }\nnode { name: "one"'))
        self.tenon('bench', ranked, '--runs', 1, code=1)
        self.assertIn('x=random:[1,128]', self.errors)
        self.json('bench', graph, '--runs', 1, 'x=random:3x2')

    def test_trace(self):
        result = self.json('trace', self.graph, '-o', 'run.html', '-o', 'run.json')
        self.assertGreater(result['executions'], 2)
        self.assertIn('<script', (self.folder / 'run.html').read_text())
        events = json.loads((self.folder / 'run.json').read_text())['traceEvents']
        self.assertTrue({'Mul', 'AddV2', 'Square'} <= {event['name'] for event in events})
        self.text('trace', self.graph)
        self.assertTrue((self.folder / 'trace.html').exists())
        self.tenon('trace', self.graph, '-o', 'run.txt', code=2)


class Convert(Case):
    def test_text_and_binary(self):
        self.tenon('convert', self.graph, 'graph.pb')
        self.assertEqual(self.json('info', 'graph.pb')['kind'], 'a binary GraphDef')
        self.assertIn('equal', self.text('diff', self.graph, 'graph.pb'))
        self.tenon('convert', 'graph.pb', 'again.pbtxt')
        self.assertIn('equal', self.text('diff', self.graph, 'again.pbtxt'))
        self.tenon('convert', 'graph.pb', 'text', '--to', 'text')
        self.assertEqual((self.folder / 'text').read_bytes(), (self.folder / 'again.pbtxt').read_bytes())
        self.tenon('convert', 'graph.pb', 'graph.xyz', code=2)
        self.tenon('convert', 'graph.pb', 'weights.npz', code=1)

    def test_prune(self):
        self.assertEqual(self.json('convert', self.graph, 'z.pb', '--prune', '--fetch', 'z')['wrote'], '2 nodes of 7')
        self.assertEqual(self.values('z.pb', '1,2'), {'z': [[1, 4]]})
        self.tenon('convert', self.graph, 'w.pb', '--prune', '--fetch', 'w', code=1)

    def test_fold(self):
        self.tenon('convert', self.graph, 'folded.pb', '--fold')
        ops = {op['op']: op['nodes'] for op in self.json('info', 'folded.pb')['ops']}
        self.assertEqual(ops, {'AddV2': 1, 'Const': 2, 'Mul': 1, 'Placeholder': 1, 'Square': 1})
        self.assertTrue(self.json('diff', '--run', self.graph, 'folded.pb', '-i', 'x=1,2')['equal'])

    def test_folded_models_compute_what_they_did(self):
        for name in ('cnn_digits', 'transformer_einsum', 'keyword_spotting', 'quant_mobile', 'image_preprocess', 'beam_search'):
            model = GOLDEN / 'models' / name / 'graph.pb'
            self.tenon('convert', model, 'folded.pb', '--fold')
            ends = self.json('info', model)['signatures'][0]['inputs']
            if all(end['dtype'] != 'string' and end['shape'] for end in ends):
                words = [f'{end["key"]}=ones:{[abs(dim) for dim in end["shape"]]}'.replace(' ', '') for end in ends]
                self.assertTrue(self.json('diff', '--run', model, 'folded.pb', *(f'--input={word}' for word in words))['equal'], name)

    def test_an_optimized_graph_has_the_same_outputs(self):
        for name in ('autoencoder', 'dcgan_generator', 'mobilenet_v2', 'cnn_digits'):
            model = GOLDEN / 'models' / name / 'graph.pb'
            if model.exists():
                self.tenon('convert', model, 'exact.pb', '--optimize', 'exact')
                self.assertTrue(all(one['near'] and one['largest_difference'] == 0 for one in self.json('diff', '--run', model, 'exact.pb')['compared']), name)

    def test_checkpoints(self):
        index = next((GOLDEN / 'files/checkpoints/single').glob('*.index'))
        self.tenon('convert', index, 'weights.npz')
        arrays = {row['name']: row['shape'] for row in self.json('info', 'weights.npz')['arrays']}
        tensors = {row['name']: row['shape'] for row in self.json('info', index)['tensors']}
        self.assertEqual(arrays, tensors)
        self.tenon('convert', 'weights.npz', 'again', '--to', 'checkpoint')
        self.tenon('convert', 'again', 'again.npz', '--to', 'npz')
        self.assertTrue(self.json('diff', 'weights.npz', 'again.npz')['equal'])
        self.tenon('convert', index, 'graph.pb', code=1)
        self.assertGreater(self.json('convert', 'weights.npz', 'again', '--to', 'checkpoint')['bytes'], 0)
        self.tenon('convert', self.write('one.npy', floats((2,), 1, 2)), 'one.npz')
        self.assertEqual(self.json('info', 'one.npz')['arrays'], [{'name': 'one', 'dtype': 'float', 'shape': '[2]', 'bytes': 8}])

    def test_standard_output(self):
        for to, name in (('text', 'a.pbtxt'), ('json', 'a.json'), ('binary', 'a.pb')):
            self.tenon('convert', self.graph, name)
            self.assertEqual(self.tenon('convert', self.graph, '-', '--to', to), (self.folder / name).read_bytes())
        self.tenon('convert', self.graph, '-', code=2)
        self.tenon('convert', self.graph, '-', '--to', 'saved_model', code=2)

    def test_a_meta_graph_runs_with_its_checkpoint(self):
        meta = GOLDEN / 'files/checkpoints/tf1_adam/model-1.meta'
        self.tenon('convert', meta.with_suffix(''), 'all.npz')
        self.tenon('run', meta, '--fetch', 'w/Read/ReadVariableOp', '-o', 'w.npy')
        self.write('negative.pbtxt', 'node { name: "w" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } } '
                   'node { name: "n" op: "Neg" input: "w" attr { key: "T" value { type: DT_FLOAT } } }')
        self.assertEqual(self.values('negative.pbtxt', 'all.npz:w'), self.values('negative.pbtxt', 'w.npy'))
        read = self.values('negative.pbtxt', 'w.npy')
        for words in (('frozen.pb', '--freeze'), ('frozen/', '--freeze'), ('saved/',)):
            self.tenon('convert', meta, *words, '--fetch', 'w/Read/ReadVariableOp')
            self.tenon('run', words[0], '-o', 'frozen.npy')
            self.assertEqual(self.values('negative.pbtxt', 'frozen.npy'), read)
        self.assertEqual(self.json('info', 'saved')['variables'], 6)
        self.tenon('convert', 'frozen.pb', 'again.pb', '--freeze')  # without variables
        self.tenon('convert', meta, 'graph.pb')
        for words in (('again.pb', '--freeze'), ('again/',)):
            self.tenon('convert', 'graph.pb', *words, code=1)
            self.assertIn("with the variable 'w'", self.errors)
        alone = self.write('alone.meta', meta.read_bytes())
        self.tenon('run', alone, '--fetch', 'w/Read/ReadVariableOp', code=1)
        self.assertIn('; initialise before: --target init\n', self.errors)
        self.tenon('convert', alone, 'frozen.pb', '--freeze', code=1)
        self.assertIn('has no checkpoint', self.errors)
        self.json('run', alone, '--fetch', 'w/Read/ReadVariableOp', '--target', 'init')


class Check(Case):
    def test_models_are_complete(self):
        models = sorted((GOLDEN / 'models').glob('*/graph.pb'))
        self.assertGreater(len(models), 30)
        for model in models:
            self.assertTrue(self.json('check', model)['ok'], model)
        text = self.text('check', models[0])
        self.assertIn('Tenon has all ops and kernels', text)

    def test_missing_op(self):
        graph = self.write('missing.pbtxt', GRAPH.replace('"Square"', '"Sqare"').replace('"Mul"', '"Mull"'))
        text = self.text('check', graph, code=3)
        self.assertRegex(text, r"missing op  Sqare  1 node, first 'z'; did you mean 'Square'")
        found = self.json('check', graph, code=3)
        self.assertEqual([op['op'] for op in found['missing_ops']], ['Mull', 'Sqare'])
        self.assertEqual(found['missing_ops'][1]['hint'], "did you mean 'Square'?")
        self.assertFalse(found['ok'] or found['shapes_inferred'])

    def test_missing_kernel(self):
        graph = self.write('kernel.pbtxt', '''
            node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_BOOL } } }
            node { name: "y" op: "Identity" input: "x" attr { key: "T" value { type: DT_BOOL } }
                   attr { key: "_kernel" value { s: "none" } } }''')
        found = self.json('check', graph, code=3)
        self.assertEqual([(kernel['op'], kernel['first_node']) for kernel in found['missing_kernels']], [('Identity', 'y')])
        self.assertIn("no kernel for op 'Identity'", self.text('check', graph, code=3))

    def test_fault(self):
        graph = self.write('fault.pbtxt', GRAPH.replace('input: "x" input: "two"', 'input: "x" input: "nothing"'))
        self.assertIn('nothing', self.json('check', graph, code=3)['fault'])
        shapes = self.write('shapes.pbtxt', GRAPH.replace('tensor_shape { dim { size: 2 } } float_val: 1 float_val: 10',
                                                          'tensor_shape { dim { size: 3 } } float_val: 1'))
        self.assertIn('Dimensions must be equal', self.json('check', shapes, code=3)['fault'])
        self.tenon('check', 'nothing.pb', code=1)


class Ops(Case):
    def test_page(self):
        page = self.text('ops', 'MatMul')
        for part in ('MatMul(a: T, b: T) -> (product: T)', 'transpose_a: bool = false', 'CPU', 'float'):
            self.assertIn(part, page)
        op = self.json('ops', 'MatMul')['ops'][0]
        self.assertIn('float', op['kernels'][0]['types']['T'])
        self.tenon('ops', 'Matmul', code=1)
        self.assertIn("did you mean 'MatMul'", self.errors)

    def test_lists(self):
        names = self.text('ops', '--names').splitlines()
        self.assertGreater(len(names), 700)
        self.assertEqual(names, sorted(names))
        self.assertEqual(len(self.json('ops')['ops']), len(names))
        self.assertIn('MaxPool(', self.text('ops', '--search', 'pool'))
        self.tenon('ops', '--search', 'nothing like it', code=1)


class Diff(Case):
    def test_graphs(self):
        other = self.write('other.pbtxt', GRAPH.replace('"Square"', '"Neg"').replace('float_val: 10', 'float_val: 11') +
                           'node { name: "more" op: "NoOp" }')
        text = self.text('diff', self.graph, other, code=3)
        for part in ('z  op: Square becomes Neg', 'bias  attr value', 'more  only in the second: NoOp', '3 differences'):
            self.assertIn(part, text)
        found = self.json('diff', self.graph, other, code=3)
        self.assertEqual([item['where'] for item in found['differences']], ['bias', 'z', 'more'])
        self.assertTrue(self.json('diff', self.graph, self.graph)['equal'])

    def test_runs(self):
        other = self.write('other.pbtxt', GRAPH.replace('float_val: 10', 'float_val: 10.001'))
        self.assertIn('differs  y', self.text('diff', '--run', self.graph, other, code=3))
        self.assertIn('near  y', self.text('diff', '--run', '--rtol', '1e-2', self.graph, other))

    def test_arrays(self):
        a = self.write('a.npy', floats((3,), 1, 2, math.nan))
        b = self.write('b.npy', floats((3,), 1, 2.5, math.nan))
        found = self.json('diff', a, b, code=3)['compared'][0]
        self.assertEqual((found['differ'], found['values'], found['largest_difference']), (1, 3, 0.5))
        self.tenon('diff', a, b, '--atol', '0.5')
        self.assertEqual(self.text('diff', a, self.write('c.npy', floats((2,), 1, 2)), code=3),
                         'differs  (array)  float [3] becomes float [2]\n')
        self.tenon('diff', a, self.graph, code=1)
        def complexes(*values):
            return npy('<c8', (len(values),), b''.join(struct.pack('<2f', value.real, value.imag) for value in values))
        c, d = self.write('c.npy', complexes(1 + 2j, complex(math.nan, 0))), self.write('d.npy', complexes(1 + 2.5j, complex(math.nan, 1)))
        self.assertIn('1 of 2 values differ, first number 0: (1,2) becomes (1,2.5)  largest difference 0.5', self.text('diff', c, d, code=3))
        self.tenon('diff', c, d, '--atol', '0.5')
        infinite = self.write('infinite.npy', floats((3,), 1, math.inf, math.nan))
        self.tenon('diff', infinite, infinite)
        self.tenon('diff', infinite, a, code=3)
        self.tenon('diff', a, infinite, '--rtol', 'inf', code=3)


class Doctor(Case):
    def test_doctor(self):
        found = self.json('doctor', env={'TENON_ISA': 'unit'})
        self.assertEqual(set(found) - {'environment'}, {'processor', 'memory', 'GPU', 'versions', 'binary'})
        self.assertTrue(found['processor']['kernels use'].startswith('unit'))
        self.assertEqual(found['environment']['TENON_ISA'], 'unit')
        self.assertEqual(found['binary']['registrations'], 'OK')
        self.assertGreater(found['binary']['kernels'], found['binary']['ops'])
        self.assertGreaterEqual(found['processor']['CPUs'], found['processor']['CPUs of this process'])
        self.assertGreater(found['memory']['size'], found['memory']['available'])
        self.assertIn(found['versions']['tenon'], self.text('--version'))
        self.assertIn('instruction sets', self.text('doctor'))


class SavedModels(Case):
    """A graph becomes a SavedModel and comes back; and the recorded ones, where they are."""
    def test_there_and_back(self):
        self.tenon('convert', self.graph, 'folder', '--to', 'saved_model')
        info = self.json('info', 'folder')
        self.assertEqual((info['kind'], info['tags'], info['nodes']), ('a SavedModel', ['serve'], 7))
        signature = info['signatures'][0]
        self.assertEqual((signature['name'], signature['method']), ('serving_default', 'tensorflow/serving/predict'))
        self.assertEqual([(end['key'], end['tensor'], end['shape']) for end in signature['outputs']],
                         [('y', 'y:0', [-1, 2]), ('z', 'z:0', [-1, 2])])
        self.assertEqual(self.values('folder', '1,2'), {'y': [[3, 14]], 'z': [[1, 4]]})
        self.assertEqual(self.values('folder/saved_model.pb', '1,2', '--fetch', 'z'), {'z': [[1, 4]]})
        self.assertTrue(self.json('check', 'folder')['ok'])
        self.assertTrue(self.json('diff', self.graph, 'folder')['equal'])
        self.json('bench', 'folder', '--runs', 2)
        self.tenon('run', 'folder', '1,2', '--tags', 'train', code=1)
        self.assertIn('{ serve }', self.errors)
        self.tenon('run', 'folder', '1,2', '--tags', '', code=1)
        self.assertIn('matching supplied tags: { }.', self.errors)
        self.tenon('convert', 'folder', 'folder/saved_model.pbtxt')
        (self.folder / 'folder/saved_model.pb').unlink()
        self.assertEqual(self.values('folder', '1,2')['z'], [[1, 4]])
        self.tenon('convert', 'folder', 'message.json')
        self.assertEqual(json.loads((self.folder / 'message.json').read_text())['savedModelSchemaVersion'], '1')
        self.assertEqual(self.json('info', 'message.json')['signatures'][0]['name'], 'serving_default')
        self.tenon('run', 'message.json', '1,2', code=1)
        self.assertIn("'message.json' is the message of a SavedModel, without its variables", self.errors)
        self.tenon('convert', 'message.json', 'folder/saved_model.pb')
        self.assertEqual(self.values('folder', '1,2')['z'], [[1, 4]])
        self.write('message.json', '{"metaGraphs": [5]}')
        self.tenon('info', 'message.json', code=1)
        self.assertIn('message.json:1:17: ', self.errors)

    def test_recorded_models(self):
        folders = sorted(path.parent for path in GOLDEN.glob('saved_models/*/saved_model.pb'))
        if not folders:
            self.skipTest('there are no recorded SavedModels')
        for folder in folders:
            info = self.json('info', folder)
            self.assertTrue(info['signatures'], folder)
            default = [signature for signature in info['signatures'] if signature['name'] == 'serving_default']
            if default and all(end['dtype'] != 'string' and end['shape'] and all(dim >= 0 for dim in end['shape'][1:])
                               for end in default[0]['inputs']):
                with self.subTest(folder=folder.name):
                    self.json('bench', folder, '--runs', 1, '--warmup', 0)


if __name__ == '__main__':
    unittest.main()

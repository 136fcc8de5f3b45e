#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every header under include/tenon: floors, folders, cycles, includes, macros, first lines, process-wide state, test.

The floors, low to high, are those of the map in CONTRIBUTING.md. A header may include its own floor (without a cycle) and any
floor below it, always as <tenon/floor/file.hpp>.

Every header has a mirror test, which includes it: tests/floor/file_test.cpp for floor/file.hpp, tests/top/file_test.cpp
for a header at the top, tests/cuda/file_test.cu for a .cuh on any floor. TESTED_TOGETHER names those which another
test covers, and why.
"""
import argparse
import pathlib
import re
import sys

FLOORS = ['base', 'types', 'memory', 'tensor', 'wire', 'op', 'device', 'engine', 'kernel', 'io', 'ops', 'graph', 'gradients',
          'optimize', 'runtime', 'remote', 'compat', '']  # '' is the top: tenon.hpp, session.hpp, ...
MOST_HEADERS = 40  # in a folder, its sub-folders not counted
UNLIMITED = 'compat/include'  # its folders and their headers are TensorFlow's, written from tools/tensorflow_headers.txt
MOST_LINES = 500  # in a header
NOT_BELOW = [('graph', 'ops')]  # (includer, included) that the order would let pass: who edits graphs compiles no kernel

# Standard headers that are slow to read, up to the device floor, and the only headers that may have them there.
SLOW_FLOORS = FLOORS[:FLOORS.index('device') + 1]
SLOW = {'iostream', 'sstream', 'functional', 'any', 'regex', 'ranges', 'chrono', 'thread', 'condition_variable',
        'complex', 'filesystem', 'mutex', 'memory'}
SLOW_ALLOWED = {  # where the system has no POSIX threads
    'base/clock.hpp': {'chrono'},
    'base/mutex.hpp': {'chrono', 'condition_variable', 'mutex'},
    'base/thread.hpp': {'thread'},
    'types/complex.hpp': {'complex'},
}

# Third parties: each is included by one header (CUDA's runtime also by the allocator above it, Eigen by two).
THIRD_PARTIES = [
    # Eigen's Tensor module is slow to read: its views of tensors are apart from the matrix products.
    (re.compile(r'unsupported/Eigen/'), {'engine/linalg/eigen_tensor.hpp'}),
    (re.compile(r'Eigen/'), {'engine/linalg/eigen.hpp', 'engine/linalg/eigen_tensor.hpp'}),
    (re.compile(r'xsimd/'), {'engine/simd/batch.hpp'}),
    (re.compile(r'cublas'), {'engine/gemm/cublas.cuh', 'engine/gemm/cublas_lt.cuh'}),
    (re.compile(r'(cuda|curand|cudnn|cub/|thrust/)'), {'device/cuda.cuh', 'device/cuda_allocator.cuh', 'device/cuda_recorder.cuh'}),
    (re.compile(r're2/'), {'ops/string/regex.hpp'}),
    (re.compile(r'png\.h$'), {'engine/image/png.hpp'}),
    (re.compile(r'jpeglib\.h$'), {'engine/image/jpeg.hpp'}),
    (re.compile(r'(google/protobuf|absl|grpc|tensorflow)'), set()),
]

# GNU-only constructs, so that another compiler can follow (all of them have __builtin_bit_cast).
GNU = re.compile(r'__attribute__|__builtin_(?!bit_cast)\w+|__PRETTY_FUNCTION__|__GNUC__|__asm__|__extension__|__int128')
GNU_ALLOWED = ('base/config.hpp', 'engine/')

# Headers without a test of their own -> the file under tests/ that covers them.
TESTED_TOGETHER = {
    # The two ways to a product; gemm.cuh chooses, and its test compares both with the same numbers.
    'engine/gemm/cublas.cuh': 'cuda/gemm_test.cu',
    'engine/gemm/tiled.cuh': 'cuda/gemm_test.cu',
    'engine/gemm/cublas_lt.cuh': 'cuda/fused_gemm_test.cu',
    # How images lie in memory shows in a convolution.
    'engine/conv/images.cuh': 'cuda/conv_test.cu',
    # One test of both sides: the declarations, and what defines them.
    'runtime/eager/async_impl.hpp': 'runtime/api/eager_async_test.cpp',
    'runtime/eager/context_impl.hpp': 'runtime/api/eager_test.cpp',
    'runtime/session/session_from_graph.hpp': 'top/runtime_test.cpp',
    'runtime/api/saved_model.hpp': 'runtime/saved_model/load_test.cpp',
    # One test of the ways to functions and variables of SavedModels.
    'runtime/saved_model/model_impl.hpp': 'runtime/saved_model/functions_test.cpp',
    'runtime/saved_model/object_paths.hpp': 'runtime/saved_model/functions_test.cpp',
    'runtime/saved_model/variables.hpp': 'runtime/saved_model/functions_test.cpp',
    # Carriers of datasets are tested with a dataset.
    **{f'kernel/dataset/{header}.hpp': 'kernel/dataset/dataset_test.cpp' for header in (
        'captured_function', 'dataset_variant', 'detached_context', 'iterator_resource', 'iterator_state')},
    # Datasets have TensorFlow's recorded answers, tests/golden/ops/data.pb, and one test of saved positions.
    **{f'ops/data/{header}.hpp': 'ops/data/iterator_handle_test.cpp' for header in (
        'batch', 'cache', 'combine', 'compress', 'csv', 'dataset_kernel', 'experimental', 'filter', 'generator', 'group',
        'interleave', 'iterator', 'map', 'map_and_batch', 'matching_files', 'multi_device', 'optional', 'options', 'padded_batch',
        'parse_examples', 'rebatch', 'repeat', 'rows', 'scan', 'seed_generator', 'select', 'shuffle', 'single_element', 'sleep',
        'source', 'sparse_rows', 'statistics', 'window')},
    'ops/data/snapshot_files.hpp': 'ops/data/snapshot_test.cpp',
    # TensorFlow's names: tested by sources that are written with them, and by groups of headers.
    **{f'compat/tensorflow/{header}.hpp': 'compat/tensorflow/sources_test.cpp' for header in (
        'aligned_inputs', 'argument_lists', 'base/eigen', 'base/logging', 'base/macros', 'base/names', 'base/profiler', 'base/refcount',
        'base/register_types', 'base/sync', 'base/tensor_types', 'base/types', 'cancellation', 'common_shape_fns', 'device_base',
        'gpu', 'gpu_device', 'kernel_def_builder', 'lookup_interface', 'op', 'op_kernel', 'op_kernel_construction', 'op_kernel_context',
        'resource_mgr', 'shape_inference', 'threadpool')},
    **{f'compat/tensorflow/{header}.hpp': 'compat/tensorflow/values_test.cpp' for header in (
        'base/containers', 'base/status', 'base/strings', 'bcast', 'env', 'random', 'tensor', 'tensor_format', 'tensor_shape')},
    **{f'compat/tensorflow/{header}.hpp': 'compat/tensorflow/base/absl_test.cpp' for header in (
        'base/absl_extras', 'base/absl_notes', 'base/absl_strings', 'base/absl_sync', 'base/absl_time')},
    **{f'compat/tensorflow/{header}.hpp': 'compat/tensorflow/proto/messages_test.cpp' for header in (
        'node_def', 'proto/attr_value', 'proto/device', 'proto/example', 'proto/graph', 'proto/message', 'proto/node_def',
        'proto/op_def', 'proto/repeated', 'proto/tensor', 'proto/tensor_shape', 'proto/text')},
    **{f'compat/tensorflow/{header}.hpp': 'compat/tensorflow/kernels/resources_test.cpp' for header in (
        'dma', 'resource_ops', 'stream_executor', 'tensor_buffer')},
    **{f'compat/tensorflow/lib/{header}.hpp': 'compat/tensorflow/lib/streams_test.cpp' for header in (
        'gtl', 'records', 'scanner', 'snappy', 'zlib')},
    **{f'compat/tensorflow/{header}.hpp': 'compat/tensorflow/kernels/movers_test.cpp' for header in (
        'base/absl_random', 'graph/full_type', 'kernels/image_resizer')},
    'compat/tensorflow/util/sparse_group.hpp': 'compat/tensorflow/util/util_test.cpp',
    **{f'compat/tensorflow/graph/{header}.hpp': 'compat/tensorflow/graph/graph_test.cpp' for header in (
        'function', 'node_def_builder', 'op_registry')},
    **{f'compat/tensorflow/{header}.hpp': 'compat/tensorflow/graph/functions_test.cpp' for header in (
        'graph/equal_graph_def', 'graph/function_library', 'graph/graph_def_builder', 'graph/stack_trace', 'testing/function_testlib',
        'testing/graph_testlib')},
    **{f'compat/tensorflow/{header}.hpp': 'compat/tensorflow/reader_test.cpp' for header in (
        'function_runtime', 'op_segment', 'util/reffed_status_callback')},
    'compat/tensorflow/proto/config.hpp': 'compat/tensorflow/graph/session_test.cpp',
    **{f'compat/tensorflow/data/{header}.hpp': 'compat/tensorflow/data/dataset_test.cpp' for header in ('dataset_base', 'graph_builder')},
    **{f'compat/tensorflow/lib/{header}.hpp': 'compat/tensorflow/lib/lib_test.cpp' for header in (
        'containers', 'io', 'platform', 'random_distributions', 'strong_hash')},
    'compat/tensorflow/base/human_readable.hpp': 'compat/tensorflow/lib/lib_test.cpp',
    **{f'compat/tensorflow/{header}.hpp': 'compat/tensorflow/util/util_test.cpp' for header in (
        'base/device_names', 'util/batch_util', 'util/feature_util', 'util/ops_util', 'util/sparse_tensor', 'util/tensor_slice')},
    **{f'compat/tensorflow/{header}.hpp': 'compat/tensorflow/kernels/kernels_test.cpp' for header in (
        'allocator', 'kernel_params', 'kernels/functors', 'kernels/lookup', 'kernels/numeric_op', 'variant')},
    **{f'compat/tensorflow/testing/{header}.hpp': 'compat/tensorflow/testing/testing_test.cpp' for header in (
        'benchmark', 'matchers', 'op_kernel_test_base', 'ops_testutil', 'shape_inference_testutil', 'tensor_testutil', 'test')},
    'compat/tensorflow/base/pointer_table.hpp': 'compat/tensorflow/allocator_registry_test.cpp',
    'compat/tensorflow/base/type_index.hpp': 'compat/tensorflow/variant_op_registry_test.cpp',
    'compat/tensorflow/proto/tensor_description.hpp': 'compat/tensorflow/proto/messages_test.cpp',
    'compat/tensorflow/registered_ops.hpp': 'compat/tensorflow/device_mgr_test.cpp',
    'compat/tensorflow/testing/tensor_matcher.hpp': 'compat/tensorflow/testing/testing_test.cpp',
    'compat/tensorflow/kernels/registered_kernels.hpp': 'compat/tensorflow/testing/testing_test.cpp',
    # Front doors that only include.
    'eager.hpp': 'runtime/api/eager_async_test.cpp',
    **{header: 'top/deprecated_headers_test.cpp' for header in (
        'cnn_ops.hpp', 'eager_async.hpp', 'engines.hpp', 'env_allocator.hpp', 'extras.hpp', 'full_runtime.hpp', 'fwd.hpp',
        'graph_passes.hpp', 'lean_runtime.hpp', 'mlp_ops.hpp', 'register.hpp', 'session.hpp')},
    'tenon.cuh': 'cuda/kernels.cu',  # only includes: that kernels can be written with it alone is the test
}

# Headers that their tests do not include, but use through another one.
TESTED_THROUGH = {
    # The definitions of what session.hpp declares.
    'runtime/session/callable_impl.hpp': 'runtime/api/session.hpp',
    'runtime/session/partial_run.hpp': 'runtime/api/session.hpp',
    'runtime/session/prepared_signature.hpp': 'runtime/api/session.hpp',
    'runtime/session/run_with_options.hpp': 'runtime/api/session.hpp',
    'runtime/session/extend_reset.hpp': 'runtime/api/session.hpp',
    'runtime/session/session_impl.hpp': 'runtime/api/session.hpp',
    'runtime/session/extensions.hpp': 'runtime/api/session.hpp',
}

# Entries of the table of extensions (base/extensions.hpp) -> the header that fills each.
FILLERS = {
    'function_library': 'op/graph_def/proto_io.hpp',
    'function_import': 'graph/function_import.hpp',
    'read_fed_handle': 'kernel/session_tensors.hpp',
    'read_graph_text': 'io/text_graph.hpp',
    'read_graph_json': 'io/json_graph.hpp',
    'describe_file': 'io/recognize.hpp',
    'dataflow': 'runtime/executor/dataflow.hpp',
    'control_flow': 'runtime/control_flow/parallel_executor.hpp',
    'functions': 'runtime/function/session_functions.hpp',
    'rendezvous': 'runtime/executor/local_rendezvous.hpp',
    'session_extras': 'runtime/session/run_with_options.hpp',
    'session_watch': 'runtime/trace/sink.hpp',
    'keep_source': 'runtime/session/extend_reset.hpp',
    'several_devices': 'runtime/multi_device/session_devices.hpp',
    'optimizer': 'runtime/program/optimized_program.hpp',
    'recorded_plans': 'runtime/planned/recorded_run.hpp',
    'fold_integers': 'graph/shapes.hpp',
    'plans': 'runtime/planned/plan_cache.hpp',
    'loops': 'runtime/planned/planned_loop.hpp',
    'environment_trace_sink': 'runtime/trace/file_sink.hpp',
}
# Headers that change what sessions do that work without them -> the only header that may include each.
DOORS = {
    'graph/shapes.hpp': 'runtime.hpp',
    'runtime/planned/plan_cache.hpp': 'runtime.hpp',
    'runtime/planned/planned_loop.hpp': 'runtime.hpp',
    'runtime/trace/file_sink.hpp': 'runtime.hpp',
    'memory/env_allocator.hpp': 'env_allocator.hpp',
}
# Variables at namespace scope that change while a process runs, by header: registries, settings with a public call, caches.
PROCESS_STATE = {
    'base/extensions.hpp': {'extensions'},  # the table
    'base/fork.hpp': {'fork_count'},
    'base/log.hpp': {'log_sink'},  # SetLogSink()
    'base/stack.hpp': {'stack_bounds'},  # the thread's
    'memory/caching_allocator.hpp': {'this_thread_mark'},
    'memory/cpu_allocator.hpp': {'cpu_block_cache', 'host_allocator'},  # the thread's; CpuAllocator()
    'memory/default_allocator.hpp': {'choose_default_allocator', 'default_allocator'},  # the allocator registry
    'op/graph_def/unknown_attr.hpp': {'next_line_of_unknown_attr'},  # limits lines of the log
    'device/copy_tensor.hpp': {'device_copies'},  # registry
    'device/device.hpp': {'device_factories'},  # registry
    'device/cuda_device.cuh': {'cuda_device_factory'},  # item of a registry
    'device/simulated_device.hpp': {'host_to_simulated', 'simulated_to_host', 'simulated_to_peer'},
    'kernel/row.hpp': {'registration_batches'},  # registry of ops and kernels
    'kernel/simulated_kernels.hpp': {'simulated_device_factory'},
    'graph/gradient_maker.hpp': {'gradient_maker'},  # SetGradientMaker()
    'gradients/registry.hpp': {'gradient_batches'},  # registry of gradient functions
    'ops/flow/print.hpp': {'print_sink'},  # SetPrintSink()
    'ops/flow/py_func.hpp': {'py_functions'},  # RegisterPyFunction()
}
# Calls that a constant of a header may make before main.
CALLS_BEFORE_MAIN = re.compile(r'(tenon::detail::)?(FillExtension\(|LinkDeviceFactory\(|LinkDeviceCopy\(|BatchOf<[^;]*>::Link\(\)'
                               r'|RegisterAllocatorBeforeMain\(\)|RegisterGradients<\w+>\(\)|AddGradientMaker\()')
VARIABLE = re.compile(r'^(?:inline|static|extern|constinit|thread_local)\b([^(=;{]*?)\b(\w+)\s*(?:\{|=|;|$)')
CONSTANT = re.compile(r'^(?:inline|static) const (?:bool|int|auto) (\w+)\s*=\s*([^;]*);', re.M)
FILL = re.compile(r'FillExtension\(\s*&(?:tenon::detail::)?extensions\.(\w+)')
EXTENSION_PAGE = 'docs/reference/extension-points.md'

# All macros that users see, at most MOST_MACROS; others are TENON_DETAIL_... . compat/ has TensorFlow's own.
PUBLIC_MACROS = {'TENON_REGISTER', 'TENON_PLUGIN', 'TENON_HD', 'TENON_RETURN_IF_ERROR', 'TENON_ASSIGN_OR_RETURN',
                 'TENON_CHECK', 'TENON_LOG', 'TENON_VERSION'}
MOST_MACROS = 8

DEFINE = re.compile(r'^\s*#\s*define\s+(\w+)')
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def strip_comments(text):
    """Comments and string literals blanked, lines kept; include lines stay as they are."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|(?<!include )"(?:\\.|[^"\\\n])*"', re.S)
    return pattern.sub(lambda m: re.sub(r'[^\n]', ' ', m.group(0)), text)


def variable_of(line):
    """The name of the variable at namespace scope that the line defines and that can change; None: there is none."""
    while (stripped := re.sub(r'<[^<>]*>', '', line)) != line:
        line = stripped
    match = VARIABLE.match(line)
    if not match or match.group(2) == 'operator' or re.search(r'\b(const|constexpr|namespace|class|struct|union|enum|using|template)\b', match.group(1)):
        return None
    return match.group(2)


def folder_of(header):
    return header.rpartition('/')[0]


def floor_of(header):
    return folder_of(header).split('/')[0]


class Checker:
    def __init__(self, root):
        self.root = root
        self.errors = []
        self.own = {}  # header -> Tenon headers it includes
        self.filled = set()  # entries of the table of extensions

    def error(self, header, line, text):
        self.errors.append(f'include/tenon/{header}:{line}: {text}')

    def read(self, path):
        header = path.relative_to(self.root).as_posix()
        floor = floor_of(header)
        self.own[header] = []
        if floor not in FLOORS:
            self.error(header, 1, f"'{floor}' is no floor; there are {', '.join(FLOORS[:-1])}")
            return
        text = path.read_text()
        lines = text.splitlines()
        if not lines or lines[0] != '// SPDX-License-Identifier: Apache-2.0':
            self.error(header, 1, "the first line must be '// SPDX-License-Identifier: Apache-2.0'")
        if len(lines) < 2 or lines[1] != '#pragma once':
            self.error(header, 2, "the second line must be '#pragma once'")
        if (count := len(text.splitlines())) > MOST_LINES:
            self.error(header, count, f'a header has at most {MOST_LINES} lines')
        for number, line in enumerate(strip_comments(text).splitlines(), 1):
            if match := INCLUDE.match(line):
                self.include(header, floor, number, *match.groups())
            elif match := DEFINE.match(line):
                self.macro(header, floor, number, match.group(1))
            if (match := GNU.search(line)) and not header.startswith(GNU_ALLOWED):
                self.error(header, number, f"'{match.group(0)}' belongs in base/config.hpp or engine/")
            elif name := variable_of(line):
                if name not in PROCESS_STATE.get(header, ()):
                    self.error(header, number, f"'{name}' is process-wide state: make it an entry of base/extensions.hpp, "
                                               'an option of the session, or a registry in PROCESS_STATE')
        self.before_main(header, strip_comments(text))

    def before_main(self, header, text):
        """A constant that calls something before main fills an extension or adds to a registry."""
        for match in CONSTANT.finditer(text):
            number = text.count('\n', 0, match.start()) + 1
            if '(' in match.group(2) and not CALLS_BEFORE_MAIN.match(match.group(2)):
                self.error(header, number, f"'{match.group(1)}' runs before main: fill an entry of base/extensions.hpp, "
                                           'or add to a registry')
        for match in FILL.finditer(text):
            number = text.count('\n', 0, match.start()) + 1
            if FILLERS.get(match.group(1)) != header:
                self.error(header, number, f"fills '{match.group(1)}', which FILLERS gives to "
                                           f'{FILLERS.get(match.group(1), "no header")}')
            self.filled.add(match.group(1))

    def extensions(self):
        """Each entry of the table is filled by its header and named in the page; doors alone include what changes sessions."""
        for header in sorted(self.own):
            for other in self.own[header]:
                if DOORS.get(other, header) != header:
                    self.error(header, 1, f'<tenon/{other}> changes what sessions do: only <tenon/{DOORS[other]}> includes it')
        table = self.root / 'base/extensions.hpp'
        if not table.is_file():
            return
        page = self.root.parent.parent / EXTENSION_PAGE
        text = page.read_text() if page.is_file() else ''
        for name in re.findall(r'std::atomic<[^;]*> (\w+)\{nullptr\};', table.read_text()):
            if name not in self.filled:
                self.error('base/extensions.hpp', 1, f"no header fills the entry '{name}'")
            if f'`{name}`' not in text:
                self.error('base/extensions.hpp', 1, f"{EXTENSION_PAGE} does not name the entry '{name}'")

    def include(self, header, floor, number, quote, name):
        if quote == '"':
            self.error(header, number, f'"{name}": write <tenon/...>, not a relative include')
        elif name.startswith('tenon/'):
            name = name[len('tenon/'):]
            self.own[header].append(name)
            other = floor_of(name)
            if not (self.root / name).is_file():
                self.error(header, number, f'<tenon/{name}> does not exist')
            elif FLOORS.index(other) > FLOORS.index(floor) or (floor, other) in NOT_BELOW:
                self.error(header, number, f"<tenon/{name}>: the floor '{floor}' may not see '{other or 'top'}'")
        else:
            if floor in SLOW_FLOORS and name in SLOW - SLOW_ALLOWED.get(header, set()):
                self.error(header, number, f'<{name}> is slow to read and not for the floors up to device')
            for pattern, allowed in THIRD_PARTIES:
                if pattern.match(name) and header not in allowed and floor != 'compat':
                    self.error(header, number, f"<{name}> belongs in {' or '.join(sorted(allowed)) or 'no header'} alone")

    def macro(self, header, floor, number, name):
        if floor != 'compat' and not name.startswith('TENON_DETAIL_') and name not in PUBLIC_MACROS:
            self.error(header, number, f"'{name}' is not one of the public macros; call it TENON_DETAIL_...")

    def macros(self):
        if len(PUBLIC_MACROS) > MOST_MACROS:
            self.errors.append(f'tools/check_layers.py: {len(PUBLIC_MACROS)} public macros; at most {MOST_MACROS}')

    def cycles(self):
        done, path = set(), []

        def visit(header):
            if header in path:
                self.error(header, 1, 'include cycle: ' + ' -> '.join(path[path.index(header):] + [header]))
            elif header not in done:
                path.append(header)
                for other in self.own.get(header, []):
                    visit(other)
                done.add(path.pop())

        for header in sorted(self.own):
            visit(header)

    def folders(self):
        """The folders of a floor include each other without a cycle; none has too many headers."""
        includes = {}  # folder -> other folder of its floor -> (header, included header), the first pair
        for header in sorted(self.own):
            others = includes.setdefault(folder_of(header), {})
            for other in self.own[header]:
                if folder_of(other) != folder_of(header) and floor_of(other) == floor_of(header):
                    others.setdefault(folder_of(other), (header, other))
        done, path = set(), []

        def visit(folder):
            if folder in path:
                cycle = path[path.index(folder):] + [folder]
                steps = [includes[a][b] for a, b in zip(cycle, cycle[1:])]
                self.error(steps[0][0], 1, 'folder cycle: ' + ', '.join(f'{a} includes {b}' for a, b in steps))
            elif folder not in done:
                path.append(folder)
                for other in includes.get(folder, {}):
                    visit(other)
                done.add(path.pop())

        for folder in includes:
            visit(folder)
            count = sum(folder_of(header) == folder for header in self.own)
            if count > MOST_HEADERS and not folder.startswith(UNLIMITED):
                self.errors.append(f'include/tenon/{folder}: {count} headers; a folder has at most {MOST_HEADERS}')

    def reach(self):
        """Every .hpp is reached from a top header or one of tools/public_headers.txt: users see no other."""
        listed = self.root.parent.parent / 'tools/public_headers.txt'
        public = set(listed.read_text().split('\n')) if listed.is_file() else set()
        seen, todo = set(), [h for h in self.own if '/' not in h or h in public]
        while todo:
            header = todo.pop()
            if header not in seen:
                seen.add(header)
                todo += self.own.get(header, [])
        for header in sorted(set(self.own) - seen):
            if header.endswith('.hpp') and not header.startswith(('compat/', 'remote/')):
                self.error(header, 1, 'no top header (tenon.hpp, ops.hpp, ...) leads here')

    def tests(self):
        """Every .hpp and .cuh has the test that its path says, or that TESTED_TOGETHER names."""
        tests = self.root.parent.parent / 'tests'
        for header in sorted(self.own):
            floor, _, name = header.rpartition('/')
            stem, _, suffix = name.rpartition('.')
            own = {'hpp': f'{floor or "top"}/{stem}_test.cpp', 'cuh': f'cuda/{stem}_test.cu'}.get(suffix)
            if own is None:  # compat/ has TensorFlow's own names, .h
                continue
            test = TESTED_TOGETHER.get(header, own)
            path = tests / test
            if test != own and (tests / own).is_file():
                self.error(header, 1, f'tests/{own} exists: take the header out of TESTED_TOGETHER')
            if not path.is_file():
                self.error(header, 1, f'has no mirror test tests/{test}')
            elif test == own and f'#include <tenon/{TESTED_THROUGH.get(header, header)}>' not in path.read_text():
                self.error(header, 1, f'its mirror test tests/{test} does not include it')
        for header in sorted(set(TESTED_TOGETHER) - set(self.own)):
            self.errors.append(f'tools/check_layers.py: TESTED_TOGETHER names <tenon/{header}>, which does not exist')


def check(root):
    """The Checker of root/include/tenon, which has found what it finds."""
    checker = Checker(root / 'include/tenon')
    for path in sorted(checker.root.rglob('*')):
        if path.is_file():
            checker.read(path)
    checker.macros()
    checker.cycles()
    checker.folders()
    checker.reach()
    checker.extensions()
    checker.tests()
    return checker


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--root', type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    checker = check(parser.parse_args().root)
    print('\n'.join(checker.errors) or f'{len(checker.own)} headers: floors, includes, first lines and mirror tests are right')
    return 1 if checker.errors else 0


if __name__ == '__main__':
    sys.exit(main())

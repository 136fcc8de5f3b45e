#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/reference/api/ from the comments of the public headers; --check fails when a page is not up to date.

PAGES says which declarations of which headers a page has. A comment belongs to the declaration below it and to its
overloads there. Of a class its public part is shown; destructors, functions that copy, move or assign, overrides and
defaulted constructors without a comment, and members below a comment `-- for ...` are left out. Fails, too, when another
public function has no comment.

Checks, too, that docs/reference/options.md and environment.md have every option and variable of the headers.

In a comment, a sentence `Code: cause.` is an error of the function, a sentence that starts with immutable, thread-safe,
externally synchronised or one thread its thread safety, and a line indented by three spaces or more is code.
"""
import argparse
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = 'docs/reference/api'
DOORS = {}  # front door -> the headers that it includes

# Page -> title, what it is about, and its declarations by header.
PAGES = {
    'session': ('Session and Callable', 'Loading graphs and running them.', [
        ('runtime/api/session.hpp', ['Session', 'Callable', 'CallableOptions', 'NamedTensor', 'TensorDevice', 'Endpoint',
                                     'SessionDevice', 'PlanReport', 'RunCallback']),
        ('async.hpp', ['RunFuture', 'RunAwait', 'RunResult'])]),
    'saved_model': ('SavedModel', 'SavedModels: loading, signatures, saving, freezing.', [
        ('runtime/api/saved_model.hpp', ['SavedModel', 'ModelSignature', 'SavedModelOptions', 'SignatureTensor',
                                         'SavedModelContent', 'SavedModelAsset']),
        ('runtime/saved_model/freeze.hpp', ['Freeze', 'FrozenGraph', 'FreezeOptions', 'FrozenTables']),
        ('graph/prune.hpp', ['Prune', 'Strip', 'StripOptions'])]),
    'session_options': ('SessionOptions and RunOptions', 'How a session, and how one run, executes its graph. '
                        '[Options](../options.md) lists defaults and units.', [
        ('runtime/api/session_options.hpp', ['SessionOptions', 'RunOptions', 'ExecutorKind', 'InterOpPool', 'AsyncLimits',
                                             'TraceLevel', 'GraphPass']),
        ('graph/import_limits.hpp', ['ImportLimits'])]),
    'optimizer': ('The optimizer', 'Rewriting of graphs before they run.', [
        ('optimize/core/options.hpp', ['OptimizerOptions', 'OptimizerLevel', 'OptimizationSink']),
        ('optimize/core/report.hpp', ['OptimizationReport', 'PassReport', 'RuleReport'])]),
    'traces': ('Traces, metadata and counters', 'Times, memory and counts of runs.', [
        ('runtime/api/session.hpp', ['RunTrace', 'NodeTiming', 'NodeTotal']),
        ('runtime/session/run_metadata.hpp', ['RunMetadata', 'StepStats', 'DeviceStepStats', 'NodeExecStats']),
        ('runtime/session/counters.hpp', ['SessionCounters', 'AllocatorCounters', 'CountersText']),
        ('runtime/trace/sink.hpp', ['TraceSink', 'TracedRun']),
        ('runtime/trace/trace_file.hpp', ['TraceFile']),
        ('runtime/trace/slow_runs.hpp', ['SlowRunLog', 'CriticalPath', 'DescribeSlowRun']),
        ('runtime/trace/export.hpp', ['TimelineHtml', 'WriteTimelineHtml', 'ChromeTraceJson', 'WriteChromeTrace']),
        ('runtime/trace/allocation_log.hpp', ['AllocationLog', 'AllocationRecord'])]),
    'dataset': ('Dataset', 'Input of training programs. [How-to](../../how-to/training.md).', [
        ('runtime/input/dataset.hpp', ['Dataset']),
        ('runtime/input/dataset_iterator.hpp', ['DatasetIterator'])]),
    'cluster': ('Several machines', 'TensorFlow\'s messages of clusters and settings, and steps of several tasks.', [
        ('op/graph_def/config.hpp', ['ConfigProto', 'RunOptionsProto', 'ClusterDef', 'JobDef', 'ServerDef']),
        ('runtime/session/options_from_proto.hpp', ['SessionOptionsFromProto', 'RunOptionsFromProto']),
        ('runtime/multi_device/step_of_peers.hpp', ['StepOfPeers']),
        ('device/remote_device.hpp', ['RemoteDevice']),
        ('runtime/executor/local_rendezvous.hpp', ['LocalRendezvous', 'RendezvousLimits'])]),
    'tensor': ('Tensor', 'A data type, a shape and a shared buffer.', [
        ('tensor/tensor.hpp', ['Tensor', 'MakeTensor']),
        ('tensor/foreign_memory.hpp', ['FromMemory', 'FromValues', 'ViewOfBytes', 'Misaligned']),
        ('tensor/string_tensor.hpp', ['tstring'])]),
    'shapes': ('TensorShape and PartialTensorShape', 'Sizes of tensors, known or partly known.', [
        ('tensor/shape.hpp', ['TensorShape']), ('tensor/partial_shape.hpp', ['PartialTensorShape'])]),
    'status': ('Status and Result', 'Errors as values.', [
        ('base/status.hpp', ['Status', 'Code', 'Result', 'OkStatus', 'TENON_RETURN_IF_ERROR', 'TENON_ASSIGN_OR_RETURN'])]),
    'gradients': ('Gradients and training', 'Gradients of graphs, and training steps. '
                  '[How-to](../../how-to/gradients.md).', [
        ('gradients/add_gradients.hpp', ['AddGradients', 'GradientOptions', 'GradientNames']),
        ('gradients/add_jvp.hpp', ['AddJvp']),
        ('gradients/registry.hpp', ['RegisterGradients', 'RegisterGradient', 'GradientRow', 'GradientFunction']),
        ('gradients/gradient_builder.hpp', ['GradientBuilder', 'TensorGradient']),
        ('gradients/graph_editor.hpp', ['Symbol']),
        ('gradients/training/add_training.hpp', ['AddTraining', 'TrainingNames']),
        ('gradients/training/optimizers.hpp', ['Sgd', 'Momentum', 'Adagrad', 'RmsProp', 'Adam', 'Adadelta', 'Ftrl']),
        ('gradients/training/decoupled.hpp', ['WeightDecay', 'AdamW', 'Lion', 'Lamb']),
        ('gradients/training/chain.hpp', ['Chain']),
        ('gradients/training/clipping.hpp', ['ClipByValue', 'ClipByNorm', 'ClipByGlobalNorm']),
        ('gradients/training/averages.hpp', ['MovingAverage', 'AverageStart']),
        ('gradients/training/loss_scale.hpp', ['LossScale', 'DynamicLossScale']),
        ('gradients/training/stop_at_nan.hpp', ['StopAtNaN']),
        ('gradients/training/learning_rate.hpp', ['LearningRate']),
        ('gradients/training/schedules.hpp', ['ExponentialDecay', 'InverseTimeDecay', 'PolynomialDecay',
                                              'PiecewiseConstant', 'CosineDecay', 'CosineDecayRestarts']),
        ('gradients/training/add_loss.hpp', ['AddLoss', 'AddMetric', 'LossOptions', 'LossReduction', 'AddTensor',
                                             'AddTensors']),
        ('gradients/training/losses.hpp', ['MeanSquaredError', 'MeanAbsoluteError', 'Huber', 'LogCosh', 'Hinge',
                                           'SquaredHinge', 'CategoricalHinge', 'KLDivergence', 'Poisson',
                                           'CosineSimilarity', 'BinaryCrossentropy', 'CategoricalCrossentropy',
                                           'SparseCategoricalCrossentropy']),
        ('gradients/training/metrics.hpp', ['Accuracy', 'BinaryAccuracy', 'CategoricalAccuracy',
                                            'SparseCategoricalAccuracy', 'TopKCategoricalAccuracy',
                                            'SparseTopKCategoricalAccuracy', 'AddRunningMean', 'RunningMeanNames']),
        ('gradients/training/initializers.hpp', ['AddVariable', 'NewVariable', 'Zeros', 'Ones', 'Constant', 'Values',
                                                 'RandomUniform', 'RandomNormal', 'TruncatedNormal', 'VarianceScaling',
                                                 'FanMode', 'FanDistribution', 'Orthogonal', 'Identity']),
        ('gradients/training/update_builder.hpp', ['UpdateBuilder']),
        ('gradients/training/step_builder.hpp', ['StepBuilder'])]),
    'graph_builder': ('GraphBuilder', 'Graphs made in C++.', [('graph/builder.hpp', ['GraphBuilder', 'Output'])]),
    'graph_def': ('GraphDef and NodeDef', 'Graphs as plain data, and their files.', [
        ('op/graph_def/graph_def.hpp', ['GraphDef']),
        ('op/graph_def/node_def.hpp', ['NodeDef', 'GetNodeAttr', 'HasNodeAttr', 'AddNodeAttr', 'SummarizeNodeDef']),
        ('op/attr/attr_types.hpp', ['AttrValue', 'AttrMap', 'NameAttrList']),
        ('op/graph_def/function_def.hpp', ['FunctionDef', 'FunctionDefLibrary']),
        ('io/read_graph.hpp', ['ReadGraphFile']), ('io/graph_file.hpp', ['WriteGraphFile']),
        ('io/text_graph.hpp', ['ReadTextGraphFile', 'WriteTextGraphFile']),
        ('io/json_graph.hpp', ['ReadJsonGraphFile', 'WriteJsonGraphFile']),
        ('io/file_kind.hpp', ['FileKind', 'Describe']), ('io/recognize.hpp', ['RecognizeFile', 'DescribePath']),
        ('op/graph_def/graph_json.hpp', ['ParseJsonGraphDef', 'ParseJson', 'ToJson']),
        ('op/graph_def/graph_text.hpp', ['ParseTextGraphDef', 'ParseText', 'ToText', 'ParseTextOpList',
                                         'OpListToText'])]),
    'meta_graph': ('SavedModelDef and MetaGraphDef', 'SavedModels, MetaGraphs and object graphs as plain data.', [
        ('op/graph_def/meta_graph.hpp', ['SavedModelDef', 'MetaGraphDef', 'SignatureDef', 'TensorInfo', 'SaverDef',
                                         'AssetFileDef', 'CollectionDef', 'AnyMessage']),
        ('op/graph_def/meta_graph_proto.hpp', ['ParseSavedModelDef', 'ParseMetaGraphDef', 'ParseTextSavedModelDef',
                                               'ParseTextMetaGraphDef', 'SerializeSavedModelDef']),
        ('op/graph_def/object_graph.hpp', ['TrackableObjectGraph', 'SavedObjectGraph', 'SavedObject']),
        ('op/graph_def/object_graph_proto.hpp', ['ParseTrackableObjectGraph', 'ParseSavedObjectGraph',
                                                 'SerializeTrackableObjectGraph'])]),
    'devices': ('Device and Cpu', 'Where kernels run.', [
        ('device/device.hpp', ['Device', 'DeviceFactory']), ('device/cpu.hpp', ['Cpu', 'ForEach', 'ParallelFor']),
        ('device/device_factory.hpp', ['MakeDevices', 'DeviceTypes', 'CpuDeviceParts']),
        ('device/device_mgr.hpp', ['DeviceMgr'])]),
    'allocators': ('Allocators', 'Where tensors get memory.', [
        ('memory/allocator.hpp', ['Allocator', 'AllocatorAttributes', 'AllocationAttributes']),
        ('memory/stats.hpp', ['AllocatorStats']), ('memory/default_allocator.hpp', ['DefaultAllocator']),
        ('memory/bfc_allocator.hpp', ['BFCAllocator', 'BFCAllocatorOptions']), ('memory/limited_allocator.hpp', ['LimitedAllocator']),
        ('memory/tracking_allocator.hpp', ['TrackingAllocator'])]),
    'registry': ('Registry', 'Ops and kernels that sessions know.', [
        ('kernel/register.hpp', ['TENON_REGISTER', 'Register', 'OpList']),
        ('kernel/registry/registry.hpp', ['Registry']),
        ('kernel/registry/kernel_constraints.hpp', ['KernelMatch'])]),
    'parameters': ('Parameters of kernels', 'The types that `kernel::operator()` of an op struct may take.', [
        ('tensor/view.hpp', ['In', 'Out']), ('kernel/params.hpp', ['HostIn', 'HostIndices', 'Forward', 'Late',
         'InList', 'OutList', 'Context', 'Done'])]),
    'kernel_context': ('OpKernelContext', 'The raw form of a kernel, with TensorFlow\'s names.', [
        ('kernel/context.hpp', ['OpKernelContext']), ('kernel/construction.hpp', ['OpKernelConstruction']),
        ('kernel/op_kernel.hpp', ['OpKernel', 'AsyncOpKernel'])]),
    'cancellation': ('CancellationManager', 'Stopping runs.', [('kernel/cancellation.hpp', ['CancellationManager'])]),
    'resources': ('ResourceMgr', 'State that lives from run to run.', [
        ('kernel/resource_mgr.hpp', ['ResourceMgr', 'Resource'])]),
    'thread_pool': ('ThreadPool', 'Threads of sessions and kernels.', [
        ('device/cpu.hpp', ['ThreadPoolInterface']), ('device/thread_pool.hpp', ['ThreadPool']), ('device/executor_pool.hpp', ['ExecutorPool'])]),
    'checkpoints': ('Checkpoints', 'Reading and writing TensorFlow\'s two formats.', [
        ('io/checkpoint.hpp', ['CheckpointReader']), ('io/bundle_reader.hpp', ['BundleReader']),
        ('io/bundle_writer.hpp', ['BundleWriter', 'MergeBundles']),
        ('io/slice_checkpoint.hpp', ['SliceCheckpointReader', 'SliceCheckpointWriter']),
        ('runtime/session/saved_variables.hpp', ['SaveVariables', 'RestoreVariables', 'SaveVariablesOptions',
                                                 'RestoreVariablesOptions', 'ListVariables', 'SessionVariable',
                                                 'RunSaver', 'RunRestorer']),
        ('io/object_checkpoint.hpp', ['ObjectCheckpoint', 'ObjectTensor', 'EscapeObjectName', 'UnescapeObjectName']),
        ('io/object_checkpoint_writer.hpp', ['WriteObjectCheckpoint', 'ObjectValue', 'ObjectCheckpointOptions']),
        ('io/checkpoint_state.hpp', ['CheckpointState', 'ReadCheckpointState', 'WriteCheckpointState',
                                     'LatestCheckpoint']),
        ('io/checkpoint_manager.hpp', ['CheckpointManager', 'CheckpointManagerOptions', 'RemoveCheckpoint']),
        ('io/meta_graph_file.hpp', ['ImportMetaGraph', 'ImportMetaGraphOptions', 'ReadMetaGraphFile',
                                    'WriteMetaGraphFile']),
        ('op/op_def/meta_graph_edit.hpp', ['CollectionNames', 'ReadCollection', 'MakeCollection', 'MakeNodeCollection',
                                           'ClearDevices', 'AddImportScope', 'MakeMetaGraph', 'MakeMetaGraphOptions']),
        ('op/graph_def/variable_def.hpp', ['VariableDef', 'SaveSliceInfoDef'])]),
    'records': ('Records', 'TFRecord files, lists of shards, and Examples.', [
        ('io/record_reader.hpp', ['RecordReaderOptions', 'RecordReader']),
        ('io/record_writer.hpp', ['RecordWriterOptions', 'RecordWriter']), ('io/record_files.hpp', ['ShardedFiles', 'ShardName']),
        ('io/example.hpp', ['Example', 'SequenceExample', 'MakeFeature']),
        ('io/example_io.hpp', ['ParseExample', 'ParseSequenceExample', 'SerializeExample', 'SerializeSequenceExample',
                               'FeatureToTensor', 'FeatureFromTensor', 'FeatureListToTensor', 'FeatureListFromTensor'])]),
    'files': ('Arrays and files', 'NumPy, DLPack, and mapped files.', [
        ('io/npy.hpp', ['ReadNpy', 'WriteNpy', 'ParseNpy']), ('io/npz.hpp', ['ReadNpz', 'WriteNpz']),
        ('io/dlpack.hpp', ['FromDLPack', 'ToDLPack', 'ToDLPackVersioned'])]),
    'eager': ('Eager calls', 'Ops that run on tensors at once, without a graph.', [
        ('runtime/api/eager_calls.hpp', ['Calls']), ('runtime/api/eager.hpp', ['Context', 'Argument', 'Call']),
        ('runtime/api/eager_async.hpp', ['Async', 'Handle'])]),
    'plugin': ('Plug-ins', 'Ops from shared libraries.', [
        ('plugin.hpp', ['TENON_PLUGIN']), ('io/load_library.hpp', ['LoadLibrary', 'LoadedLibrary'])]),
}

CODES = ('Cancelled|Unknown|InvalidArgument|DeadlineExceeded|NotFound|AlreadyExists|PermissionDenied|ResourceExhausted|'
         'FailedPrecondition|Aborted|OutOfRange|Unimplemented|Internal|Unavailable|DataLoss|Unauthenticated')
ERROR = re.compile(rf'(?:{CODES})(?:(?:, | or )(?:{CODES}))*: ')
SAFETY = re.compile(r'(?:immutable|thread-safe|externally synchronised|one thread)\b', re.I)
WORDS = re.compile(r'(`[^`]*`)|(?<![\w/])((?:[A-Za-z_]\w*::)+~?\w+(?:\(\))?|(?:\w+\.)?[A-Za-z]\w*\(\)|\w+\.\w+\(\w+\)|<tenon/[\w/.]+>|TENON_\w+|'
                   r'[a-z]\w*_\w+|\w+<[\w:, ]+>|k[A-Z]\w+|-?1\b(?=\))|(?:[a-z0-9_]+/)+\w+\.(?:hpp|cuh|md))')


def after_bracket(text, at):
    """The position behind the bracket that closes the one at `at`; angle brackets count where `at` is one."""
    pairs = {'<': 1, '>': -1} if text[at] == '<' else {'(': 1, ')': -1, '{': 1, '}': -1}
    depth = 0
    for i in range(at, len(text)):
        depth += pairs.get(text[i], 0)
        if depth == 0:
            return i + 1
    return len(text)


def without_template(text):
    """The declaration without `template <...>` and `requires ...` before it."""
    while match := re.match(r'(template )<|requires\b', text):
        if match.group(1):
            text = text[after_bracket(text, match.end() - 1):].lstrip()
            continue
        text = text[match.end():].lstrip()
        if re.match(r'requires ?\(', text):
            text = text[after_bracket(text, text.index('(')):].lstrip()
            text = text[after_bracket(text, 0):].lstrip()
        elif text.startswith('('):
            text = text[after_bracket(text, 0):].lstrip()
        else:
            text = text[text.index('\n') if '\n' in text else len(text):].lstrip()
    return text


class Item:
    """A declaration of a class or a header: its text, its comment, and whether it is a type."""
    def __init__(self, declaration, comment, joined, kind):
        self.declaration, self.comment, self.joined, self.kind = declaration, comment, joined, kind
        self.body = None

    def name(self):
        text = without_template(self.declaration)
        if match := re.match(r'#define (\w+)|(?:class|struct|union|enum(?: class)?)\s+(?:\[\[\w+\]\] )?(\w+)', text):
            return match.group(1) or match.group(2)
        if match := re.match(r'using (\w+)\s*=', text):
            return match.group(1)
        if match := re.search(r'(operator\s*(?:\(\)|\[\]|[^\s\w(]+|[\w: ]+)|~?\w+)\s*\(', text):
            return match.group(1)
        match = re.search(r'(\w+)\s*(?:\[[^\]]*\])?\s*(?:=.*|\{.*)?;$', text, re.S)
        return match.group(1) if match else ''


class Scanner:
    """Splits the text of a header, or of a class, into declarations with their comments."""
    def __init__(self, text, path):
        self.text, self.path, self.at = text, path, 0

    def fail(self, message):
        line = self.text.count('\n', 0, self.at) + 1
        raise SystemExit(f'{self.path}: line {line} of a part: {message}')

    def skip(self, end):
        """The text up to and with the bracket that closes the one at `self.at`."""
        start, depth = self.at, 0
        while self.at < len(self.text):
            c = self.text[self.at]
            if self.text.startswith('//', self.at):
                self.at = self.text.index('\n', self.at)
                continue
            if c in '"\'' and not (c == "'" and self.text[self.at - 1].isalnum()):
                self.at += 1
                while self.text[self.at] != c:
                    self.at += 2 if self.text[self.at] == '\\' else 1
            elif c in '([{':
                depth += 1
            elif c in ')]}':
                depth -= 1
                if depth == 0:
                    self.at += 1
                    return self.text[start:self.at]
            self.at += 1
        self.fail(f"no '{end}'")

    def line_end(self):
        end = self.text.find('\n', self.at)
        return len(self.text) if end < 0 else end

    def items(self):
        """All declarations; ('access', word) for public and private, ('section', title) for a comment `-- title`."""
        comment, joined, found = [], False, []
        while self.at < len(self.text):
            line = self.text[self.at:self.line_end()]
            bare = line.strip()
            if not bare:
                comment, joined = [], False
                self.at = self.line_end() + 1
            elif match := re.match(r'// -- (.*)', bare):  # the title of a section
                found.append(('section', match.group(1)))
                comment, joined = [], False
                self.at = self.line_end() + 1
            elif bare.startswith('//'):
                comment.append(re.sub(r'^\s*// ?', '', line))
                joined = False
                self.at = self.line_end() + 1
            elif re.fullmatch(r'(public|private|protected):', bare):
                found.append(('access', bare[:-1]))
                comment, joined = [], False
                self.at = self.line_end() + 1
            elif re.match(r'#el(se|if)', bare):  # only the first branch is shown
                self.at = self.text.index('#endif', self.at)
            elif bare.startswith('#'):
                start = self.at
                while self.text[self.at:self.line_end()].endswith('\\'):
                    self.at = self.line_end() + 1
                self.at = self.line_end() + 1
                if bare.startswith('#define '):
                    head = re.match(r'#define \w+(\([^)]*\))?', self.text[start:].lstrip()).group(0)
                    found.append(Item(head, comment, joined, 'macro'))
                    comment, joined = [], True
            elif bare.startswith('namespace detail {'):
                self.at += line.index('{')
                self.skip('}')
                self.at = self.line_end() + 1
                comment, joined = [], False
            elif re.match(r'TENON_[A-Z_]+$|\}|namespace (\w+ )?\{', bare):
                self.at = self.line_end() + 1
                comment, joined = [], False
            elif re.match(r'friend |static_assert|extern ', bare):
                self.declaration()
                comment, joined = [], False
            else:
                item = self.declaration()
                item.comment, item.joined = comment + item.comment, joined and not comment
                found.append(item)
                comment, joined = [], True
        return found

    def declaration(self):
        start, head_end, body = self.at, None, None
        kind = 'data'
        rest = without_template(self.text[self.at:].lstrip())
        self.at += len(self.text) - self.at - len(rest)
        head_start = self.at
        while True:
            if self.at >= len(self.text):
                self.fail('a declaration without an end')
            c = self.text[self.at]
            if self.text.startswith('//', self.at):
                self.at = self.line_end()
            elif c == '"':
                self.skip_string()
            elif c == '(':
                self.skip(')')
                if kind == 'data' and head_end is None:
                    kind = 'function'
            elif c == '[':
                self.skip(']')
            elif c == ':' and kind == 'function' and self.text[self.at - 1] == ' ' and head_end is None:
                head_end = self.at
                self.at += 1
            elif c == '=' and self.text[self.at - 1] == ' ' and self.text[self.at + 1] in ' \n' and head_end is None:
                head_end = None
                self.at += 1
                if kind == 'data' or not re.match(r'\s*(default|delete|0);', self.text[self.at:]):
                    while self.text[self.at] != ';':
                        if self.text[self.at] in '([{':
                            self.skip(')')
                        elif self.text[self.at] == '"':
                            self.skip_string()
                        else:
                            self.at = self.line_end() if self.text.startswith('//', self.at) else self.at + 1
            elif c == '{':
                is_type = re.match(r'(class|struct|union|enum)\b', self.text[head_start:self.at])
                if kind == 'data' and not is_type:
                    self.skip('}')  # T x{...};
                    continue
                if head_end is not None and self.text[self.at - 1] != ' ':
                    self.skip('}')  # the initialiser of a member
                    continue
                if head_end is None:
                    head_end = self.at
                if is_type:
                    kind = 'type'
                body = self.skip('}')
                if kind == 'type' and self.text[self.at:self.at + 1] == ';':
                    self.at += 1
                break
            elif c == ';':
                self.at += 1
                break
            else:
                self.at += 1
        end = self.at if head_end is None else head_end
        head = self.text[start:end]
        comment = re.findall(r'// ?(.*)', head)
        head = textwrap.dedent(re.sub(r'\s*//.*', '', head)).strip()
        if kind == 'type' and re.match(r'enum\b', head):
            kind = 'enum'
        item = Item(head, comment, False, kind)
        item.body = body
        if kind != 'data' and body is not None and (match := re.match(r'\{ +// ?(.*)', body)):
            comment = comment + [match.group(1)]
        rest = self.text[self.at:self.line_end()].strip().lstrip(';').strip()
        if rest.startswith('//'):
            comment = comment + [re.sub(r'^// ?', '', rest)]
            self.at = min(self.line_end() + 1, len(self.text))
            while match := re.match(r'( {6,})// ?(.*)\n?', self.text[self.at:]):  # the comment goes on
                comment.append(match.group(2))
                self.at += match.end()
        elif not rest:
            self.at = min(self.line_end() + 1, len(self.text))
        item.comment = comment
        return item

    def skip_string(self):
        self.at += 1
        while self.text[self.at] != '"':
            self.at += 2 if self.text[self.at] == '\\' else 1
        self.at += 1


def is_shown(item, class_name):
    """False for members that every class has: copying, moving, destroying."""
    d = item.declaration
    if not item.comment and re.search(r'\b(override|final);?$|= default;$', d):
        return False
    if '= delete' in d or re.search(rf'~{class_name}\(', d) or 'operator=' in d:
        return False
    if re.search(rf'^(?:constexpr )?{class_name}\((?:const )?{class_name}(?:<\w+>)?&&?(?: \w+)?\)', re.sub(r'^template <.*?>\n?', '', d)):
        return False
    return bool(item.name()) and not (item.declaration.startswith('using ') and not item.comment)


def members_of(item, path):
    """The public members of a class in groups that share one comment."""
    inner = textwrap.dedent(item.body[1:-1].strip('\n'))
    if item.kind == 'enum':
        return []
    access = 'private' if re.search(r'\bclass \w', item.declaration) else 'public'
    internal = False
    groups = []
    for found in Scanner(inner + '\n', path).items():
        if isinstance(found, tuple):
            if found[0] == 'section':
                internal = found[1].startswith('for ')  # -- for executors
            else:
                access = found[1]
            groups.append(None)
        elif access == 'public' and not internal and is_shown(found, item.name()):
            if found.joined and groups and groups[-1] and found.kind == 'function' and not found.comment and (
                    found.name().removesuffix('WithStatus') in [other.name() for other in groups[-1]]):
                groups[-1].append(found)
            else:
                groups.append([found])
    return [group for group in groups if group]


def in_words(text):
    """The text as Markdown: names as code, no markup by accident."""
    def one(match):
        if match.group(1):
            return match.group(1)
        return f'`{match.group(2)}`'
    pieces, at = [], 0
    for match in WORDS.finditer(text):
        pieces += [escape(text[at:match.start()]), one(match)]
        at = match.end()
    return ''.join(pieces + [escape(text[at:])])


def escape(text):
    return re.sub(r'([*_\[\]|])', r'\\\1', text.replace('&', '&amp;').replace('<', '&lt;'))


def sentences(text):
    return re.split(rf'(?<=[.?!])\s+(?=[A-Z"`<\'(]|(?:thread-safe|immutable|externally|one thread)\b)', text.strip())


def markdown_of(comment):
    """A comment as Markdown: a paragraph, its errors, its thread safety, its code."""
    out, words, errors, safety, code = [], [], [], [], []
    paragraph = []

    def flush():
        if not paragraph:
            return
        parts = [part for sentence in sentences(' '.join(paragraph)) for part in re.split(rf'; (?={ERROR.pattern})', sentence)]
        for sentence in parts:
            if ERROR.match(sentence):
                name, cause = sentence.split(': ', 1)
                errors.append(f'- `{name}`: {in_words(cause)}'.rstrip('.') + '.')
            elif SAFETY.match(sentence):
                word = SAFETY.match(sentence).group(0)
                safety.append(f'**{word[0].upper()}{word[1:]}**' + in_words(sentence[len(word):]))
            else:
                words.append(in_words(sentence))
        paragraph.clear()

    for line in comment:
        if line.startswith('  ') and line.strip():
            code.append(line)
        elif not line.strip():
            flush()
            if code:
                code.append('')
        else:
            paragraph.append(line.strip())
    flush()
    if words:
        text = ' '.join(words)
        text = text if text.startswith('`') else text[0].upper() + text[1:]
        out.append(text if text.endswith(('.', ':', '?', '!')) else text + '.')
    if errors:
        out.append('Errors:\n\n' + '\n'.join(errors))
    if safety:
        out.append(' '.join(safety))
    if code:
        out.append('```cpp\n' + textwrap.dedent('\n'.join(code)).strip() + '\n```')
    return '\n\n'.join(out)


def cell(comment):
    return in_words(' '.join(line.strip() for line in comment)).strip()


def fields_table(groups):
    rows = ['| member | meaning |', '|---|---|']
    for (field,) in groups:
        declaration = ' '.join(field.declaration.split())
        rows.append(f'| `{declaration}` | {cell(field.comment)} |'.replace('`|', '`\\|'))
    return '\n'.join(rows)


def enum_table(item):
    rows = ['| value | meaning |', '|---|---|']
    body = item.body[1:-1]
    for line in re.split(r'\n', body):
        if match := re.match(r'\s*(\w+)(?: = [^,/]*)?(?:,|\s*(?://|$))\s*(?://\s*(.*))?', line):
            rows.append(f'| `{match.group(1)}` | {in_words(match.group(2) or "")} |')
            continue
        if match := re.match(r'\s*//\s*(.*)', line):
            rows[-1] = rows[-1].rstrip(' |') + ' ' + in_words(match.group(1)) + ' |'
    if '\n' not in body:
        rows = rows[:2] + [f'| `{word.strip().split(" ")[0]}` |  |' for word in body.split(',') if word.strip()]
    return '\n'.join(rows)


def included_by(header, seen):
    """Adds the header and all headers that it includes to `seen`."""
    if header in seen or not (ROOT / 'include/tenon' / header).is_file():
        return seen
    seen.add(header)
    for name in re.findall(r'^#include <tenon/(\S+)>', (ROOT / 'include/tenon' / header).read_text(), re.M):
        included_by(name, seen)
    return seen


def door_to(header):
    """What to include for a declaration."""
    if not DOORS:
        DOORS.update({door: included_by(door, set()) for door in ['tenon.hpp', 'eager.hpp', 'devices.hpp', 'plugin.hpp']})
    for door, headers in DOORS.items():
        if header in headers:
            return f'`#include <tenon/{door}>`' + ('' if header == door else f' (declared in `<tenon/{header}>`)')
    return f'`#include <tenon/{header}>`'


def page_of(title, about, sources, problems):
    out = ['<!-- Written by tools/make_api_doc.py from the comments of the headers. -->', f'# {title}', about]
    for header, names in sources:
        path = ROOT / 'include/tenon' / header
        text = path.read_text()
        declared = {}
        for item in Scanner(text, header).items():
            if not isinstance(item, tuple):
                declared.setdefault(item.name(), []).append(item)
        for name in names:
            items = [item for item in declared.get(name, []) if item.kind == 'macro' or item.body
                     or not re.match(r'(class|struct|enum)\b', without_template(item.declaration))]
            if not items:
                problems.append(f'{header}: no declaration of {name}')
                continue
            first = items[0]
            out.append(f'## {name}')
            out.append(door_to(header))
            comment = next((item.comment for item in items if item.comment), [])
            top = re.findall(r'^// ?(.*)', text[:text.index('#include')], re.M)[1:]  # the comment of the header
            if first.kind == 'macro' and any(name in line for line in top):
                comment = top
            if not comment:
                problems.append(f'{header}: {name} has no comment')
            if first.kind in ('type', 'enum') and first.body:
                if first.declaration.startswith('template'):
                    out.append(f'```cpp\n{first.declaration};\n```')
                out.append(markdown_of(comment))
                if first.kind == 'enum':
                    out.append(enum_table(first))
                    continue
                groups = members_of(first, header)
                fields = [group for group in groups if group[0].kind == 'data' and '(' not in group[0].declaration.split('=')[0]]
                if fields:
                    out.append(fields_table(fields))
                seen = set()
                titles = [', '.join(dict.fromkeys(item.name() for item in group)) for group in groups]
                for _, group in sorted(enumerate(groups), key=lambda pair: titles.index(titles[pair[0]])):
                    if group in fields:
                        continue
                    title = ', '.join(dict.fromkeys(item.name() for item in group))
                    comment = [line for item in group for line in item.comment]
                    if not comment:
                        problems.append(f'{header}: {name}::{title} has no comment')
                    heading = f'{name}::{title}'
                    if heading not in seen:
                        out.append(f'### `{heading}`')
                    seen.add(heading)
                    out.append('```cpp\n' + '\n'.join(statement(item) for item in group) + '\n```')
                    if comment:
                        out.append(markdown_of(comment))
            else:
                out.append('```cpp\n' + '\n'.join(statement(item) for item in items) + '\n```')
                out.append(markdown_of(comment))
                for item in items:
                    if item.comment and item.comment is not comment:
                        out.append(markdown_of(item.comment))
    return '\n\n'.join(part for part in out if part) + '\n'


def check_options(problems):
    """docs/reference/options.md has all fields of the options with their defaults, and environment.md all variables."""
    page = (ROOT / 'docs/reference/options.md').read_text()
    for header, name in [('runtime/api/session_options.hpp', 'SessionOptions'), ('runtime/api/session_options.hpp', 'RunOptions'),
                         ('runtime/api/session.hpp', 'CallableOptions')]:
        items = Scanner((ROOT / 'include/tenon' / header).read_text(), header).items()
        struct = next(item for item in items if not isinstance(item, tuple) and item.name() == name and item.body)
        section = page[page.index(f'## {name}\n'):].split('\n## ')[0]
        said = dict(re.findall(r'^\| `(\w+)` \| `(.*?)` \|', section, re.M))
        fields = dict(re.search(r'(\w+)\s*=\s*(.*);$', ' '.join(group[0].declaration.split())).groups()
                      for group in members_of(struct, header))
        problems += [f'docs/reference/options.md: {name}::{field} has the default `{said.get(field)}`, in the header {default}'
                     for field, default in fields.items() if said.get(field) != default]
        problems += [f'docs/reference/options.md: {name} has no field {field}' for field in said if field not in fields]
    page = (ROOT / 'docs/reference/environment.md').read_text()
    for path in sorted((ROOT / 'include').rglob('*.hpp')):
        for variable in re.findall(r'(?:getenv|GetEnv\w+)\("(\w+)"', path.read_text()):
            if f'`{variable}`' not in page:
                problems.append(f'docs/reference/environment.md: no {variable}, which {path.name} reads')


def statement(item):
    if item.kind == 'macro':
        return item.declaration
    text = re.sub(r'\b(?:TENON_DETAIL_ALWAYS_INLINE|TENON_DETAIL_COLD|TENON_DETAIL_NOINLINE|TENON_HD|inline) ', '', item.declaration)
    text = re.sub(r'\s+$', '', text)
    if item.kind in ('type', 'enum'):
        text += ' { ... }'
    return text if text.endswith(';') else text + ';'


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--check', action='store_true', help='write nothing; fail when a page would change')
    check = parser.parse_args().check
    problems, pages = [], {}
    for name, (title, about, sources) in PAGES.items():
        pages[f'{OUT}/{name}.md'] = page_of(title, about, sources, problems)
    rows = [f'| [{title}]({name}.md) | {about.split(". ")[0].rstrip(".")} | '
            + ', '.join(f'`{n}`' for _, names in sources for n in names) + ' |' for name, (title, about, sources) in PAGES.items()]
    pages[f'{OUT}/index.md'] = '\n'.join([
        '<!-- Written by tools/make_api_doc.py from the comments of the headers. -->', '', '# API', '',
        'Pages made from the comments of the public headers. Thread safety is one of four words:', '',
        '- immutable: nothing changes after construction; any thread may read.',
        '- thread-safe: any thread may call any function at any time.',
        '- externally synchronised: calls that change the object must not overlap other calls; const calls may overlap.',
        '- one thread: one thread at a time may use the object.', '',
        'All names are in the namespace `tenon`. Functions that can fail return [Status or Result](status.md); nothing throws.', '',
        '| page | about | names |', '|---|---|---|', *rows]) + '\n'
    check_options(problems)
    for name, text in pages.items():
        path = ROOT / name
        if check:
            if not path.is_file() or path.read_text() != text:
                problems.append(f'{name} is not up to date: tools/make_api_doc.py')
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    problems += [f'{path.relative_to(ROOT)}: no such page' for path in (ROOT / OUT).glob('*.md')
                 if path.relative_to(ROOT).as_posix() not in pages]
    print('\n'.join(problems) or f'{len(pages)} pages of the API')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())

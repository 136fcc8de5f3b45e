// SPDX-License-Identifier: Apache-2.0
#pragma once
// ProgramBuilder makes a Program of a graph: orders what a signature needs, evaluates what never changes, numbers the
// values, copies those that are wanted in the other memory, and adds up who waits for whom.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/has_item.hpp>
#include <tenon/base/hash.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/device/cpu_device.hpp>
#include <tenon/device/device.hpp>
#include <tenon/engine/core/packed_weights.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/output_check.hpp>
#include <tenon/kernel/run_kernel.hpp>
#include <tenon/graph/algorithms.hpp>
#include <tenon/graph/control_flow.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/runtime/program/kernel_cache.hpp>
#include <tenon/runtime/program/liveness.hpp>
#include <tenon/runtime/extensions.hpp>
#include <tenon/runtime/program/program.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// Builds a Program. one thread.
class ProgramBuilder {
 public:
  ProgramBuilder(const Graph& graph, KernelCache* kernels, Device* device, Device* host, const ProgramOptions& options,
                 FunctionRuntime* functions = nullptr)
      : graph_(graph), kernels_(kernels), options_(options), program_(MakeOwned<Program>()) {
    program_->device = device;
    program_->host = host;
    program_->functions = functions;
    program_->graph = &graph;
    program_->plan_after_runs = options.plan_after_runs;
    program_->records = options.record_steps && device != host && device->can_record();
    program_->graph_def_version = graph.versions().producer;
  }

  // Endpoints were checked by the caller; `targets` are node ids.
  Result<Owned<Program>> Build(Span<const InEdge> feeds, Span<const InEdge> fetches, Span<const int> targets) {
    feeds_.assign(feeds.begin(), feeds.end());
    fed_ = MakeOwned<FedOutputs>(graph_.num_nodes(), feeds);
    first_output_.reserve(ToSize(graph_.num_nodes()));
    int outputs = 0;
    for (const Node& node : graph_.nodes()) {
      if (StopsAt(options_.cancellation, node.id)) break;
      first_output_.push_back(outputs);
      outputs += node.num_outputs();
      has_loops_ = has_loops_ || NeedsFrames(node.node_class);
    }
    if (IsCancelled()) return PreparingCancelled();
    locations_.resize(ToSize(outputs));
    constant_nodes_.resize(ToSize(graph_.num_nodes()));
    TENON_RETURN_IF_ERROR(OrderNodes(fetches, targets));
    AddFeeds();
    TENON_RETURN_IF_ERROR(AddNodes(fetches, targets));
    TENON_RETURN_IF_ERROR(CloseLoops());
    TENON_RETURN_IF_ERROR(AddFetches(fetches));
    Finish();
    return std::move(program_);
  }

 private:
  struct Location {
    int value = -1;
    bool constant = false;
    bool on_host = true;
    int producer = -1;  // program node, -1: feed or constant
    int other_side = -1;  // its copy in the other memory, -1: not copied yet
    int other_producer = -1;
  };

  // The nodes that must run, each after its inputs.
  Status OrderNodes(Span<const InEdge> fetches, Span<const int> targets) {
    SlimVector<int> roots(targets.begin(), targets.end());
    for (const InEdge& fetch : fetches)
      if (!IsFed(fetch)) roots.push_back(fetch.node);
    const SlimVector<char> wanted = NodesToRun(graph_, roots, feeds_, options_.cancellation);
    if (IsCancelled()) return PreparingCancelled();
    TENON_RETURN_IF_ERROR(FindLoops(wanted));
    TENON_ASSIGN_OR_RETURN(order_, OrderToRun(graph_, wanted, feeds_, options_.cancellation));
    return IsCancelled() ? PreparingCancelled() : OkStatus();
  }
  // Fills in the program's frames when some node needs them.
  Status FindLoops(Span<const char> wanted) {
    const auto needs_frames = [&](const Node& node) {
      return wanted[ToSize(node.id)] != 0 && NeedsFrames(node.node_class);
    };
    if (!options_.dead_values && !(has_loops_ && AnyItem(graph_.nodes(), needs_frames))) return OkStatus();
    const ControlFlow* const control_flow = extensions.control_flow.load(std::memory_order_acquire);
    if (control_flow == nullptr) return NoControlFlow();
    TENON_ASSIGN_OR_RETURN(loops_, control_flow->find_frames(graph_, wanted, feeds_, options_.cancellation));
    for (const ControlFlowFrames::Frame& frame : loops_.frames)
      program_->frames.push_back({frame.parent,
                                  static_cast<int>(std::min<std::int64_t>(frame.parallel_iterations, 1 << 20)),
                                  frame.num_enters, Hash64(frame.name)});
    return OkStatus();
  }
  bool IsFed(const InEdge& edge) const { return fed_->Has(edge); }

  int NewValue(int frame = 0) {
    program_->readers.push_back(0);
    program_->escapes.push_back(0);
    if (program_->has_control_flow()) program_->value_frames.push_back(frame);
    return program_->num_values++;
  }
  Location& LocationOf(const InEdge& edge) {
    return locations_[ToSize(first_output_[ToSize(edge.node)] + edge.output)];
  }

  void AddFeeds() {
    for (std::size_t i = 0; i < feeds_.size() && !StopsAt(options_.cancellation, static_cast<int>(i)); ++i) {
      const InEdge& feed = feeds_[i];
      const Node& node = graph_.node(feed.node);
      const int value = NewValue();
      Location& place = LocationOf({feed.node, feed.output});
      const bool on_device = !options_.feeds_on_device.empty() && options_.feeds_on_device[i] != 0;
      if (place.value < 0) place = Location{value, false, !on_device};  // the first of two feeds of one output counts
      PartialTensorShape shape;
      if (node.node_class == NodeClass::kPlaceholder) shape = node.output_shape(feed.output);
      program_->feeds.push_back(
          {StrCat(node.name(), ":", feed.output), value, BaseType(node.output_type(feed.output)), shape});
    }
  }

  // Emits every node; those whose value is known are evaluated now, and what then nobody needs is left out.
  Status AddNodes(Span<const InEdge> fetches, Span<const int> targets) {
    node_of_.assign(ToSize(graph_.num_nodes()), -1);
    entries_.assign(ToSize(graph_.num_nodes()), nullptr);
    SlimVector<char> keep(ToSize(graph_.num_nodes()), 0);
    SlimVector<char> idle(ToSize(graph_.num_nodes()), 0);  // NoOps that wait for nothing
    const auto node_of = [this](int id) -> const Node& { return graph_.node(id); };
    const SlimVector<char> assigned_only = AssignedOnly(order_, graph_.num_nodes(), node_of);
    for (const int id : order_) {
      if (IsCancelled()) return PreparingCancelled();
      const Node& node = graph_.node(id);
      // Even a constant that waits for something has no value before: whoever reads it waits, too.
      const bool waits =
          AnyItem(node.control_inputs, [&](int control) { return !IsConstant(control) && idle[ToSize(control)] == 0; });
      if (node.node_class == NodeClass::kNoOp) {
        idle[ToSize(id)] = !waits;
        continue;
      }
      TENON_ASSIGN_OR_RETURN(entries_[ToSize(id)], kernels_->Get(id));
      if (!waits) Fold(node, *entries_[ToSize(id)], assigned_only[ToSize(id)] != 0);
    }
    for (const int id : targets) keep[ToSize(id)] = 1;
    for (const InEdge& fetch : fetches)
      if (!IsFed(fetch)) keep[ToSize(fetch.node)] = 1;
    // Readers come after what they read, but for the back edges of loops: these lead to nodes that were passed.
    SlimVector<char> passed(ToSize(graph_.num_nodes()), 0);
    SlimVector<int> stack;
    for (std::size_t i = order_.size(); i-- > 0;) {
      passed[ToSize(order_[i])] = 1;
      if (keep[ToSize(order_[i])] != 0) stack.push_back(order_[i]);
      const auto want = [&](int id) {
        if (std::exchange(keep[ToSize(id)], char{1}) == 0 && passed[ToSize(id)] != 0) stack.push_back(id);
      };
      while (!stack.empty()) {
        const Node& node = graph_.node(stack.back());
        stack.pop_back();
        if (IsConstant(node.id)) continue;
        for (const InEdge& edge : node.inputs)
          if (!IsFed(edge)) want(edge.node);
        for (const int control : node.control_inputs) want(control);
      }
    }
    for (const int id : order_) {
      if (keep[ToSize(id)] == 0 || IsConstant(id)) continue;
      if (IsCancelled()) return PreparingCancelled();
      const Node& node = graph_.node(id);
      if (!IsOtherName(node)) TENON_RETURN_IF_ERROR(Emit(node));
    }
    return OkStatus();
  }
  bool IsCancelled() const { return options_.cancellation != nullptr && options_.cancellation->IsCancelled(); }
  // Whether the node's output is its input and nothing else is to be done; then it has the input's place.
  bool IsOtherName(const Node& node) {
    if (node.node_class != NodeClass::kIdentity || program_->has_control_flow() || node.num_inputs() != 1) return false;
    const InEdge& from = node.input(0);
    // An Identity without a kernel for the device would bring its input to the host.
    const Location& given = LocationOf(from);
    const bool leaves_device = entries_[ToSize(node.id)]->on_host && given.value >= 0 && !given.on_host;
    if (!options_.drop_identities && !leaves_device) return false;
    if (IsRefType(graph_.node(from.node).output_type(from.output)) || IsConstant(from.node) || IsFed({node.id, 0}))
      return false;
    for (const int control : node.control_inputs)
      if (node_of_[ToSize(control)] >= 0) return false;
    LocationOf({node.id, 0}) = given;
    node_of_[ToSize(node.id)] = given.producer;
    return true;
  }
  bool IsConstant(int id) const { return !constant_nodes_[ToSize(id)].empty(); }

  // Gives the node's outputs their values if they are the same in every run; `assigned_only`: if it is a Const.
  void Fold(const Node& node, const KernelCache::Entry& entry, bool assigned_only) {
    constexpr std::size_t kMaxFoldedBytes = 10 << 20;  // as TensorFlow's constant folding
    if (!MayFold(node)) return;
    if (const Tensor* value = entry.kernel->const_tensor(); value != nullptr) {
      constant_nodes_[ToSize(node.id)] = {*value};
      return;
    }
    if (!options_.constant_folding || node.num_inputs() == 0 || node.op->flags.is_stateful ||
        entry.kernel->AsAsync() != nullptr || TouchesState(node) || assigned_only)
      return;
    SlimVector<Tensor> inputs;
    for (const InEdge& edge : node.inputs) {
      if (IsFed(edge)) return;
      if (!IsConstant(edge.node)) return;
      inputs.push_back(constant_nodes_[ToSize(edge.node)][ToSize(edge.output)]);
    }
    if (fed_->HasNode(node.id)) return;
    OpKernel* const kernel = kernels_->HostKernel(node.id, entry);
    if (kernel == nullptr || kernel->AsAsync() != nullptr) return;
    SlimVector<Tensor*> pointers;
    for (Tensor& t : inputs) pointers.push_back(&t);
    const SlimVector<std::uint8_t> flags(ToSize(std::max(node.num_inputs(), node.num_outputs())), 0);
    SlimVector<Tensor> outputs(ToSize(node.num_outputs()), Tensor(DataType::kInvalid));
    ShapeMemo memo;
    StepConstants constants;
    constants.device_name = program_->host->name();
    StepEnvironment env;
    env.device = program_->host->kernel_device();
    env.constants = &constants;
    env.step_allocator = env.result_allocator = env.host_allocator = program_->host->allocator();
    env.graph_def_version = program_->graph_def_version;
    const OpKernelContext::NodeFrame frame{kernel,       pointers.data(), flags.data(), outputs.data(),
                                           flags.data(), &memo,           &env};
    OpKernelContext context;
    context.Enter(&frame);
    RunKernel(kernel, &context);
    if (!context.status().ok()) return;  // the error appears, with its node, when the node runs
    std::size_t bytes = 0;
    for (int i = 0; i < node.num_outputs(); ++i) {
      if (outputs[ToSize(i)].dtype() != node.output_type(i)) return;
      bytes += outputs[ToSize(i)].TotalBytes();
    }
    if (bytes > kMaxFoldedBytes) return;
    if (MayBreakPromise(*kernel) && !CheckOutputShapes(frame).ok()) return;
    constant_nodes_[ToSize(node.id)] = std::move(outputs);
  }
  // A handle always names the same object, but what the object holds changes; so does what a reference refers to.
  static bool TouchesState(const Node& node) {
    const auto holds_state = [](DataType type) { return type == DataType::kResource || IsRefType(type); };
    return AnyItem(node.input_types, holds_state) || AnyItem(node.output_types, holds_state);
  }
  // A node that control flow may skip, or repeat, has no value of its own.
  bool MayFold(const Node& node) const {
    return !program_->has_control_flow() ||
           (!IsControlFlow(node.node_class) && node.node_class != NodeClass::kLoopCond &&
            node.node_class != NodeClass::kControlTrigger && loops_.frame_of[ToSize(node.id)] == 0);
  }

  // Where an endpoint's value lies; constants get a value when first asked for.
  Location& Locate(int node, int output) {
    Location& place = LocationOf({node, output});
    if (place.value < 0) {
      place.value = NewValue();
      place.constant = true;
      program_->constants.emplace_back(place.value, constant_nodes_[ToSize(node)][ToSize(output)]);
    }
    return place;
  }

  Status Emit(const Node& node) {
    ProgramNode item;
    item.node = &node;
    waits_.clear();
    values_.clear();
    const std::size_t first_open = open_inputs_.size();
    bool references_on_host = false;  // some input refers to a variable there
    const KernelCache::Entry* const entry = entries_[ToSize(node.id)];
    if (entry == nullptr) {  // NoOp
      item.kind = ProgramNode::Kind::kNothing;
    } else {
      item.kernel = entry->kernel.get();
      item.async = entry->kernel->AsAsync();
      if (item.async != nullptr) program_->has_async = true;
      item.on_host = entry->on_host;
      item.sizes_outputs = MayBreakPromise(*item.kernel);
      item.uses_memo = item.sizes_outputs || HasSizedOutputs(*item.kernel);
      for (int i = 0; i < node.num_inputs(); ++i) {
        const InEdge& from = node.input(i);
        bool wants_host = entry->on_host || item.kernel->input_memory_type(i) == MemoryType::kHost;
        const bool refers = IsRefType(graph_.node(from.node).output_type(from.output));
        // A variable is never copied; a kernel that takes its value gets it when it starts.
        const bool stays = IsRefType(item.kernel->input_type(i)) || (refers && !IsFed(from));
        if (stays && !IsOpen(from)) {
          wants_host = Locate(from.node, from.output).on_host;
          references_on_host = references_on_host || wants_host;
        }
        if (refers && !IsRefType(item.kernel->input_type(i))) item.reads_references = true;
        if (IsOpen(from)) {
          open_inputs_.push_back({-1, i, from, wants_host, stays});
          values_.push_back(-1);
          continue;
        }
        TENON_RETURN_IF_ERROR(Use(from, wants_host, &values_, &waits_));
        OfferWeights(*entry, i, from);
      }
    }
    for (const int control : node.control_inputs)
      if (node_of_[ToSize(control)] >= 0) waits_.push_back(node_of_[ToSize(control)]);
    const bool loops = program_->has_control_flow();
    const int number = AddNode(item, values_, waits_, loops ? loops_.RunsIn(node) : 0);
    for (const int control : node.control_inputs)
      if (loops && node_of_[ToSize(control)] >= 0)
        program_->control_edges.emplace_back(node_of_[ToSize(control)], number);
    for (std::size_t i = first_open; i < open_inputs_.size(); ++i) open_inputs_[i].node = number;
    node_of_[ToSize(node.id)] = number;
    ProgramNode& added = program_->nodes[ToSize(number)];
    added.first_output = program_->num_values;
    added.num_outputs = node.num_outputs();
    for (int i = 0; i < node.num_outputs(); ++i) {
      const bool host = item.on_host || item.kernel->output_memory_type(i) == MemoryType::kHost ||
                        (references_on_host && IsRefType(node.output_type(i)));
      const int value = NewValue(loops ? loops_.OutputsIn(node) : 0);
      if (IsRefType(node.output_type(i))) program_->has_references = true;
      if (!IsFed({node.id, i})) LocationOf({node.id, i}) = Location{value, false, host, number};
    }
    return OkStatus();
  }

  // Tells a kernel of an input that is the same in every run.
  void OfferWeights(const KernelCache::Entry& entry, int input, const InEdge& from) const {
    const PackedInput& packed = entry.kernel->packed_input();
    if (packed.input == input && entry.on_host && IsConstant(from.node) && !IsFed(from))
      packed.weights->Offer(constant_nodes_[ToSize(from.node)][ToSize(from.output)], program_->host->allocator(),
                            packed.budget);
  }

  // An input that a later node gives: the back edge of a loop.
  struct OpenInput {
    int node, input;
    InEdge edge;
    bool wants_host, stays;
  };
  bool IsOpen(const InEdge& edge) { return LocationOf(edge).value < 0 && !IsConstant(edge.node); }
  Status CloseLoops() {
    for (const OpenInput& open : open_inputs_) {
      SlimVector<int> values, waits;
      const bool wants_host = open.stays ? LocationOf(open.edge).on_host : open.wants_host;
      TENON_RETURN_IF_ERROR(Use(open.edge, wants_host, &values, &waits));
      ProgramNode& node = program_->nodes[ToSize(open.node)];
      program_->inputs[ToSize(node.first_input + open.input)] = values[0];
      ++program_->readers[ToSize(values[0])];
    }
    return OkStatus();
  }

  // Adds a use of an endpoint, in the memory it is wanted in.
  Status Use(const InEdge& edge, bool wants_host, SlimVector<int>* values, SlimVector<int>* waits) {
    Location& place = Locate(edge.node, edge.output);
    if (place.on_host == wants_host || program_->device->uses_host_memory()) {
      values->push_back(place.value);
      if (place.producer >= 0) waits->push_back(place.producer);
      return OkStatus();
    }
    if (place.other_side < 0) TENON_RETURN_IF_ERROR(Copy(edge, wants_host, &place));
    values->push_back(place.other_side);
    if (place.other_producer >= 0) waits->push_back(place.other_producer);
    return OkStatus();
  }
  // Constants are copied to the device now, everything else by a node of its own.
  Status Copy(const InEdge& edge, bool to_host, Location* place) {
    if (place->constant) {
      Tensor on_device;
      TENON_RETURN_IF_ERROR(kernels_->CopyToDevice(*entries_[ToSize(edge.node)], edge.output,
                                                   constant_nodes_[ToSize(edge.node)][ToSize(edge.output)],
                                                   &on_device));
      place->other_side = NewValue();
      program_->constants.emplace_back(place->other_side, std::move(on_device));
      return OkStatus();
    }
    ProgramNode item;
    item.kind = to_host ? ProgramNode::Kind::kToHost : ProgramNode::Kind::kToDevice;
    item.node = &graph_.node(edge.node);
    item.on_host = to_host;
    const Span<const int> waits(&place->producer, place->producer >= 0 ? 1 : 0);
    place->other_producer = AddNodeOfOneValue(item, place->value, waits);
    place->other_side = NewValue(FrameOfValue(place->value));
    return OkStatus();
  }

  int FrameOfValue(int value) const { return program_->has_control_flow() ? program_->value_frames[ToSize(value)] : 0; }

  int AddNode(ProgramNode item, Span<const int> values, Span<const int> waits, int frame) {
    const int number = static_cast<int>(program_->nodes.size());
    item.first_input = static_cast<int>(program_->inputs.size());
    item.num_inputs = static_cast<int>(values.size());
    item.pending = static_cast<int>(waits.size());
    for (const int value : values) {
      program_->inputs.push_back(value);
      if (value >= 0) ++program_->readers[ToSize(value)];
    }
    if (program_->has_control_flow()) program_->node_frames.push_back(frame);
    for (const int wait : waits) edges_.emplace_back(wait, number);
    program_->nodes.push_back(item);
    return number;
  }

  // Adds a node that reads a value and gives the next one, in the value's frame.
  int AddNodeOfOneValue(const ProgramNode& item, int value, Span<const int> waits) {
    const int number = AddNode(item, Span<const int>(&value, 1), waits, FrameOfValue(value));
    program_->nodes[ToSize(number)].first_output = program_->num_values;
    program_->nodes[ToSize(number)].num_outputs = 1;
    return number;
  }

  Status AddFetches(Span<const InEdge> fetches) {
    for (std::size_t i = 0; i < fetches.size(); ++i) {
      const InEdge& fetch = fetches[i];
      SlimVector<int> values, waits;
      const bool on_device = !options_.fetches_on_device.empty() && options_.fetches_on_device[i] != 0;
      TENON_RETURN_IF_ERROR(Use(fetch, !on_device, &values, &waits));
      if (FrameOfValue(values[0]) != 0) values[0] = FetchFromLoop(graph_.node(fetch.node), values[0], waits);
      ++program_->readers[ToSize(values[0])];
      program_->escapes[ToSize(values[0])] = 1;
      program_->fetches.push_back({StrCat(graph_.node(fetch.node).name(), ":", fetch.output), values[0], false});
    }
    return OkStatus();
  }

  // As TensorFlow's _Retval: it runs where the value lives, and may do so once.
  int FetchFromLoop(const Node& producer, int value, Span<const int> waits) {
    ProgramNode item;
    item.kind = ProgramNode::Kind::kFetch;
    item.node = &producer;
    AddNodeOfOneValue(item, value, waits);
    return NewValue();
  }

  void Finish() {
    Program& p = *program_;
    SlimVector<int> begin(p.nodes.size() + 1, 0);
    for (const auto& [producer, consumer] : edges_) ++begin[ToSize(producer) + 1];
    for (std::size_t n = 0; n < p.nodes.size(); ++n) begin[n + 1] += begin[n];
    p.consumers.resize(edges_.size());
    SlimVector<int> next(begin);
    for (const auto& [producer, consumer] : edges_) p.consumers[ToSize(next[ToSize(producer)]++)] = consumer;
    SlimVector<int> level(p.nodes.size(), 0), level_size;
    for (std::size_t n = 0; n < p.nodes.size(); ++n) {
      ProgramNode& node = p.nodes[n];
      node.first_consumer = begin[n];
      node.num_consumers = begin[n + 1] - begin[n];
      node.ends_later = options_.ends_with_device && node.kind == ProgramNode::Kind::kToHost && node.num_consumers == 0;
      for (int c = begin[n]; c < begin[n + 1]; ++c) {
        int& below = level[ToSize(p.consumers[ToSize(c)])];
        below = std::max(below, level[n] + 1);
      }
      if (node.pending == 0) p.roots.push_back(static_cast<int>(n));
      if (node.kind == ProgramNode::Kind::kNothing) continue;
      p.sequence.push_back(static_cast<int>(n));
      if (ToSize(level[n]) >= level_size.size()) level_size.resize(ToSize(level[n]) + 1, 0);
      p.width = std::max(p.width, ++level_size[ToSize(level[n])]);
    }
    FindLastUses(&p);
  }

  const Graph& graph_;
  KernelCache* kernels_;
  ProgramOptions options_;
  Owned<Program> program_;
  SlimVector<InEdge> feeds_;
  Owned<FedOutputs> fed_;
  bool has_loops_ = false;  // the graph does, wanted or not
  ControlFlowFrames loops_;  // when the program has control flow
  SlimVector<OpenInput> open_inputs_;
  SlimVector<int> values_, waits_;  // the added node's: values that it reads, program nodes that it waits for
  SlimVector<int> order_;
  SlimVector<const KernelCache::Entry*> entries_;  // per graph node; null: it has no kernel
  SlimVector<int> node_of_;  // program node per graph node
  SlimVector<int> first_output_;  // per graph node: of its outputs' locations
  SlimVector<Location> locations_;
  SlimVector<SlimVector<Tensor>> constant_nodes_;  // per graph node: the values of its outputs, where they are known
  SlimVector<std::pair<int, int>> edges_;
};

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// RunPlanner: decides what a PlannedRun executes: which nodes are planned, where in the arena each value lies, which
// output overwrites which input, and the arguments of all calls.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/has_item.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/kernel/adapted_kernel.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/row.hpp>
#include <tenon/runtime/executor/run_node.hpp>
#include <tenon/runtime/planned/arena_layout.hpp>
#include <tenon/runtime/planned/loop_list.hpp>
#include <tenon/runtime/planned/planned_run.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/executor/step.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

// Memory for the arguments and results of a plan, for those who call it with the same places again and again. Null:
// none; a result that no planned node makes, or that somebody may keep, does not lie there either. An argument without
// a place is bound once for many runs; one that `moves` is put into the step for each run, which may take it away.
struct GivenPlaces {
  Span<void* const> feeds, fetches;
  Span<const std::uint8_t> moves;  // per argument
  Span<LoopList* const> lists;  // per argument: the list that the caller holds instead; null: none
  SlimVector<std::uint8_t>* kept = nullptr;  // per argument: set to 1 where somebody may keep what has a place
};

// Decides what PlannedRun executes.
class RunPlanner {
 public:
  // `places` may be null.
  RunPlanner(const Program& program, const Step& ran, Span<const std::uint8_t> varies, const GivenPlaces* places,
             PlannedRun* run)
      : program_(program), ran_(ran), varies_(varies), places_(places), run_(*run) {}

  bool Plan() {
    FindKnown();
    ChooseNodes();
    if (run_.report_.planned_nodes == 0 && places_ == nullptr) return false;
    TakeGivenPlaces();
    FindSpans();
    if (keeps_given_) return false;
    MakeBlocks();
    return AllocateArena() && Bind();
  }

 private:
  static constexpr std::size_t kMostCopiedBytes = 1024;  // most bytes of a copied item

  // kFeed: bound when a run begins. kGiven: at a place of the caller's. kFresh: allocated in each run. kOffered: the
  // node allocates it in each run, in the arena as a rule.
  enum class Place : std::uint8_t { kOther, kFeed, kGiven, kArena, kFresh, kOffered };
  const ProgramNode& node(int number) const { return program_.nodes[ToSize(number)]; }
  int input(const ProgramNode& n, int i) const { return program_.inputs[ToSize(n.first_input + i)]; }
  bool HasMemo(int number) const { return ran_.frame(number).memo != nullptr && memo(number).valid; }
  const ShapeMemo& memo(int number) const { return *ran_.frame(number).memo; }

  void FindKnown() {
    constant_.assign(ToSize(program_.num_values), 0);
    for (const auto& [value, tensor] : program_.constants) constant_[ToSize(value)] = 1;
    place_.assign(ToSize(program_.num_values), Place::kOther);
    for (const Program::Feed& feed : program_.feeds) place_[ToSize(feed.value)] = Place::kFeed;
    given_.assign(ToSize(program_.num_values), nullptr);
    planned_.assign(program_.nodes.size(), 0);
    shape_.assign(ToSize(program_.num_values), -1);
  }

  // A kernel can be planned when its outputs have sizes that follow from the shapes and constants before it.
  bool IsPlannable(int number) const {
    const ProgramNode& n = node(number);
    if (n.kind != ProgramNode::Kind::kKernel || n.reads_references || n.num_outputs == 0) return false;
    const AdaptedCore* const core = n.kernel->adapted();
    if (core == nullptr || (core->takes_spans() && MayKeepInputs(n)) || !HasMemo(number)) return false;
    if (core->sized_outputs().size() != ToSize(n.num_outputs)) return false;
    for (int i = 0; i < n.num_outputs; ++i)
      if (!IsPlainData(n.kernel->output_type(i))) return false;
    for (int i = 0; i < n.num_inputs; ++i) {
      const int value = input(n, i);
      if (varies_[ToSize(value)] != 0) return false;
      if (i < 64 && (memo(number).value_inputs >> i & 1) != 0 && constant_[ToSize(value)] == 0) return false;
    }
    return !(n.kernel->op().flags.is_stateful && TakesTensors(*core));
  }
  static bool IsPlainData(DataType type) {
    return SizeOf(type) != 0 && type != DataType::kString && type != DataType::kResource && type != DataType::kVariant;
  }
  static bool TakesTensors(const AdaptedCore& core) {
    for (int a = 0; a < core.argument_count(); ++a)
      if (core.row().params[a].kind == ParamKind::kTensorIn) return true;
    return false;
  }
  // The list of the caller's that the node changes; null: none.
  LoopList* ListOf(int number) const {
    const ProgramNode& n = node(number);
    if (places_ == nullptr || n.kind != ProgramNode::Kind::kKernel || n.num_inputs == 0) return nullptr;
    const AdaptedCore* const core = n.kernel->adapted();
    if (core == nullptr || core->row().list_step == nullptr || ToSize(input(n, 0)) >= program_.feeds.size())
      return nullptr;
    return places_->lists[ToSize(input(n, 0))];  // feeds are numbered first
  }
  void ChooseNodes() {
    for (const int number : program_.sequence) {
      if (const LoopList* const list = ListOf(number); list != nullptr) {
        ++run_.report_.planned_nodes;
        planned_[ToSize(number)] = 1;
        if (!list->step->pushes) PlaceItem(PoppedItem(node(number)), list->dtype, list->shape);
        continue;
      }
      if (!IsPlannable(number)) {
        ++run_.report_.other_nodes;
        OfferPlaces(number);
        continue;
      }
      ++run_.report_.planned_nodes;
      planned_[ToSize(number)] = 1;
      const ProgramNode& n = node(number);
      for (int i = 0; i < n.num_inputs; ++i) SetShape(input(n, i), memo(number).inputs[ToSize(i)]);
      for (int i = 0; i < n.num_outputs; ++i) {
        SetShape(n.first_output + i, memo(number).outputs[ToSize(i)]);
        place_[ToSize(n.first_output + i)] = Place::kArena;
      }
    }
  }

  // Outputs that the node allocates itself get places, too: it does so for these shapes as a rule.
  void OfferPlaces(int number) {
    const ProgramNode& n = node(number);
    const ShapeMemo* const memo = ran_.frame(number).memo;
    if (memo == nullptr || !n.sizes_outputs || program_.device != program_.host || MayKeepInputs(n)) return;
    const auto is_other = [](DataType type) { return !IsPlainData(type); };
    if (AnyItem(n.kernel->output_types(), is_other) || AnyItem(n.kernel->input_types(), is_other)) return;
    for (int i = 0; i < n.num_outputs && i < 8; ++i) {
      TensorShape shape;
      if ((memo->fresh >> i & 1) == 0 || !memo->promised[ToSize(i)].AsTensorShape(&shape)) continue;
      SetShape(n.first_output + i, shape);
      place_[ToSize(n.first_output + i)] = Place::kOffered;
    }
  }

  static int PoppedItem(const ProgramNode& n) { return n.first_output + 1; }
  // A small item is copied from the list to a place, so that its readers find it at one address.
  void PlaceItem(int value, DataType type, const TensorShape& shape) {
    if (!IsPlainData(type) || BytesWanted(type, shape) > kMostCopiedBytes) return;
    SetShape(value, shape);
    place_[ToSize(value)] = Place::kArena;
  }

  void TakeGivenPlaces() {
    run_.at_place_.assign(program_.fetches.size(), 0);
    if (places_ == nullptr) return;
    for (std::size_t i = 0; i < program_.feeds.size(); ++i) {
      const int value = program_.feeds[i].value;
      if (places_->moves[i] != 0) place_[ToSize(value)] = Place::kOther;
      if (places_->feeds[i] == nullptr) continue;
      place_[ToSize(value)] = Place::kGiven;
      given_[ToSize(value)] = places_->feeds[i];
      SetShape(value, run_.feed_shapes_[i]);
    }
    for (std::size_t i = 0; i < program_.fetches.size(); ++i) {
      const int value = program_.fetches[i].value;
      if (places_->fetches[i] == nullptr || place_[ToSize(value)] != Place::kArena) continue;
      place_[ToSize(value)] = Place::kGiven;
      given_[ToSize(value)] = places_->fetches[i];
      run_.at_place_[i] = 1;
    }
  }

  // Graphs repeat their shapes: one that is among the last few is not stored again, so that a large graph reads less.
  void SetShape(int value, const TensorShape& shape) {
    if (shape_[ToSize(value)] >= 0 && ShapeOf(value) == shape) return;
    constexpr std::size_t kLookedAt = 4;
    const std::size_t count = run_.shapes_.size();
    std::size_t at = count;
    while (at > 0 && at + kLookedAt > count && !(run_.shapes_[at - 1] == shape)) --at;
    const bool known = at > 0 && at + kLookedAt > count;
    if (!known) run_.shapes_.push_back(shape);
    shape_[ToSize(value)] = static_cast<int>(known ? at - 1 : count);
  }
  const TensorShape& ShapeOf(int value) const { return run_.shapes_[ToSize(shape_[ToSize(value)])]; }

  // May a node keep a tensor that it reads for longer than its outputs live?
  static bool MayKeepInputs(const ProgramNode& n) {
    if (n.kind != ProgramNode::Kind::kKernel || n.kernel->adapted() == nullptr) return true;
    if (n.kernel->op().flags.is_stateful) return true;
    for (const AttrSpec& attr : n.kernel->op().attrs)
      if (attr.kind == AttrKind::kFunc) return true;
    return false;
  }
  // Every output is memory that the kernel allocates, and never an input's.
  static bool OnlyAllocates(const ProgramNode& n) {
    const AdaptedCore* const core = n.kind == ProgramNode::Kind::kKernel ? n.kernel->adapted() : nullptr;
    if (core == nullptr) return false;
    if (n.kernel->op().name == "_FusedProducer") return true;  // its steps write into a tensor of their own
    if (core->row().takes_context) return false;
    for (int a = 0; a < core->argument_count(); ++a)
      if (IsOutputKind(core->row().params[a].kind) && core->row().params[a].kind != ParamKind::kLate) return false;
    return true;
  }
  // Whether a value that a list keeps stays in its place, and the list gets a copy: the copy takes less time than
  // memory of its own for the value in each run.
  bool MayCopy(int value) const {
    const Place place = place_[ToSize(value)];
    return (place == Place::kArena || place == Place::kGiven) &&
           BytesWanted(TypeOf(value), ShapeOf(value)) <= kMostCopiedBytes;
  }
  // How long each value is needed, and which ones somebody may keep. A node that is not planned may give a part of an
  // input's memory to its outputs.
  void FindSpans() {
    first_.assign(ToSize(program_.num_values), 0);
    last_.assign(ToSize(program_.num_values), 0);
    SlimVector<std::uint8_t> kept(program_.escapes);
    for (std::size_t v = 0; v < place_.size(); ++v)
      if (place_[v] == Place::kGiven) kept[v] = 0;  // the caller gives the place, and takes the value from there
    for (std::size_t s = 0; s < program_.sequence.size(); ++s) {
      const ProgramNode& n = node(program_.sequence[s]);
      for (int i = 0; i < n.num_outputs; ++i)
        first_[ToSize(n.first_output + i)] = last_[ToSize(n.first_output + i)] = static_cast<int>(s);
    }
    for (std::size_t s = program_.sequence.size(); s-- > 0;) {
      const int number = program_.sequence[s];
      const ProgramNode& n = node(number);
      int last = static_cast<int>(s);
      std::uint8_t keeps = 0;
      if (planned_[ToSize(number)] == 0) {
        keeps = MayKeepInputs(n) ? 1 : 0;
        for (int i = 0; i < n.num_outputs && !OnlyAllocates(n); ++i) {
          last = std::max(last, last_[ToSize(n.first_output + i)]);
          keeps |= kept[ToSize(n.first_output + i)];
        }
      } else if (const LoopList* const list = ListOf(number); list != nullptr && list->step->pushes) {
        keeps = MayCopy(input(n, 1)) ? 0 : 1;
      }
      for (int i = 0; i < n.num_inputs; ++i) {
        last_[ToSize(input(n, i))] = std::max(last_[ToSize(input(n, i))], last);
        kept[ToSize(input(n, i))] |= keeps;
      }
    }
    for (std::size_t v = 0; v < place_.size(); ++v) {
      if (kept[v] == 0) continue;
      if (place_[v] == Place::kArena) place_[v] = Place::kFresh;
      if (place_[v] == Place::kOffered) place_[v] = Place::kOther;
      if (place_[v] != Place::kGiven) continue;
      if (v < program_.feeds.size()) {  // feeds are numbered first
        keeps_given_ = true;
        (*places_->kept)[v] = 1;
      }
      place_[v] = Place::kFresh;
    }
    for (std::size_t i = 0; i < run_.at_place_.size(); ++i)
      if (place_[ToSize(program_.fetches[i].value)] != Place::kGiven) run_.at_place_[i] = 0;
    FindOffered(kept);
  }
  // Memory of a PlaceAllocator must come back before the run ends, so that no value which is kept may take it over.
  void FindOffered(const SlimVector<std::uint8_t>& kept) {
    in_place_.assign(place_.size(), 0);
    for (const int number : program_.sequence) {
      const ProgramNode& n = node(number);
      std::uint8_t keeps = 0, shares = 0;
      for (int i = 0; i < n.num_inputs && planned_[ToSize(number)] == 0; ++i) shares |= in_place_[ToSize(input(n, i))];
      for (int v = n.first_output; v < n.first_output + n.num_outputs; ++v) keeps |= kept[ToSize(v)];
      for (int v = n.first_output; v < n.first_output + n.num_outputs; ++v) {
        if (keeps != 0 && place_[ToSize(v)] == Place::kOffered) place_[ToSize(v)] = Place::kOther;
        in_place_[ToSize(v)] = place_[ToSize(v)] == Place::kOffered ? 1 : shares;
      }
    }
  }

  // One block per value, or per chain of values of which each may overwrite the one before.
  void MakeBlocks() {
    block_.assign(ToSize(program_.num_values), -1);
    for (std::size_t s = 0; s < program_.sequence.size(); ++s) {
      const int number = program_.sequence[s];
      const ProgramNode& n = node(number);
      if (planned_[ToSize(number)] == 0) {
        for (int value = n.first_output; value < n.first_output + n.num_outputs; ++value)
          if (place_[ToSize(value)] == Place::kOffered) MakeBlock(value, sizeof(Buffer));
        continue;
      }
      if (const LoopList* const list = ListOf(number); list != nullptr) {
        if (!list->step->pushes && place_[ToSize(PoppedItem(n))] == Place::kArena) MakeBlock(PoppedItem(n), 0);
        continue;
      }
      for (const AdaptedCore::OutputPlan& out : n.kernel->adapted()->sized_outputs()) {
        const int value = n.first_output + out.tensor;
        if (place_[ToSize(value)] != Place::kArena) continue;
        const int block = Overwritten(n, out, BytesOf(value), static_cast<int>(s));
        if (block < 0) {
          MakeBlock(value, 0);
          continue;
        }
        run_.report_.value_bytes += BytesOf(value);
        blocks_[ToSize(block)].last = std::max(blocks_[ToSize(block)].last, last_[ToSize(value)]);
        block_[ToSize(value)] = block;
      }
    }
  }
  // `header`: bytes in front of the value.
  void MakeBlock(int value, std::size_t header) {
    const std::size_t bytes = BytesOf(value);
    run_.report_.value_bytes += bytes;
    block_[ToSize(value)] = static_cast<int>(blocks_.size());
    blocks_.push_back({header + bytes, first_[ToSize(value)], last_[ToSize(value)]});
  }
  std::size_t BytesOf(int value) const { return BytesWanted(TypeOf(value), ShapeOf(value)); }
  // Where a value begins in its block: behind the header of a buffer, where one is in the block.
  char* AddressOf(int value) const {
    const PlanBlock& block = blocks_[ToSize(block_[ToSize(value)])];
    return run_.places_.arena() + block.offset + (block.bytes - BytesOf(value));
  }
  // The block of an input that this output may overwrite, or -1.
  int Overwritten(const ProgramNode& n, const AdaptedCore::OutputPlan& out, std::size_t bytes, int position) {
    for (int i = 0; i < n.num_inputs && (out.forward_mask >> i) != 0; ++i) {
      if ((out.forward_mask >> i & 1) == 0 || program_.last_use[ToSize(n.first_input + i)] == 0) continue;
      const int value = input(n, i);
      const int block = block_[ToSize(value)];
      if (block < 0 || last_[ToSize(value)] != position || blocks_[ToSize(block)].last != position) continue;
      if (BytesOf(value) != bytes || n.kernel->input_type(i) != n.kernel->output_type(out.tensor)) continue;
      blocks_[ToSize(block)].last = position + 1;  // taken: no other output of the node gets it
      return block;
    }
    return -1;
  }

  bool AllocateArena() {
    const Span<PlanBlock> blocks(blocks_.data(), blocks_.size());
    run_.report_.lower_bound_bytes = MostLiveBytes(blocks);
    run_.report_.arena_bytes = PackBlocks(blocks);
    run_.places_.SetArena(
        Buffer::Allocate(program_.device->allocator(), std::max<std::size_t>(1, run_.report_.arena_bytes)));
    return run_.places_.arena() != nullptr;
  }

  // Makes the arguments of all calls.
  bool Bind() {
    Step& step = run_.step_;
    run_.stays_.assign(ToSize(program_.num_values), 0);
    for (int v = 0; v < program_.num_values; ++v) {
      if (!StaysInPlace(v)) continue;
      run_.stays_[ToSize(v)] = 1;
      void* const data = place_[ToSize(v)] == Place::kGiven ? given_[ToSize(v)] : AddressOf(v);
      step.value(v) = Tensor::FromMemory(TypeOf(v), ShapeOf(v), data);
    }
    run_.last_use_ = program_.last_use;
    std::size_t views = 0;
    for (std::size_t n = 0; n < program_.nodes.size(); ++n) {
      const ProgramNode& item = program_.nodes[n];
      step.mutable_frame(static_cast<int>(n)).last_use = run_.last_use_.data() + item.first_input;
      for (int i = 0; i < item.num_inputs; ++i)
        if (IsKept(input(item, i))) run_.last_use_[ToSize(item.first_input + i)] = 0;
      if (planned_[n] != 0) views += ToSize(item.num_inputs + item.num_outputs);
    }
    run_.views_.reserve(views);
    run_.call_frames_.reserve(ToSize(run_.report_.planned_nodes));
    run_.watched_.reserve(ToSize(run_.report_.planned_nodes));
    run_.list_nodes_.reserve(ToSize(run_.report_.planned_nodes));
    for (const int number : program_.sequence) run_.nodes_.push_back(MakeEntry(number));
    return true;
  }
  bool StaysInPlace(int value) const {
    return place_[ToSize(value)] == Place::kArena || place_[ToSize(value)] == Place::kGiven;
  }
  // Nor do feeds go that are bound once for many runs.
  bool IsKept(int value) const {
    return StaysInPlace(value) || (places_ != nullptr && place_[ToSize(value)] == Place::kFeed);
  }
  DataType TypeOf(int value) const {
    if (ToSize(value) < program_.feeds.size()) return program_.feeds[ToSize(value)].dtype;  // feeds are numbered first
    const ProgramNode& n = node(program_.sequence[ToSize(first_[ToSize(value)])]);
    return n.kernel->output_type(value - n.first_output);
  }
  PlannedRun::Entry MakeEntry(int number) {
    const ProgramNode& n = node(number);
    PlannedRun::Entry entry;
    entry.number = number;
    entry.frame = &run_.step_.frame(number);
    entry.first_release = static_cast<int>(run_.releases_.size());
    for (int i = 0; i < n.num_releases; ++i) {
      const int value = program_.releases[ToSize(n.first_release + i)];
      if (!IsKept(value)) run_.releases_.push_back(value);
    }
    entry.num_releases = static_cast<int>(run_.releases_.size()) - entry.first_release;
    if (planned_[ToSize(number)] == 0) {
      entry.first_place = static_cast<int>(run_.place_list_.size());
      for (int v = n.first_output; v < n.first_output + n.num_outputs; ++v)
        if (place_[ToSize(v)] == Place::kOffered)
          run_.place_list_.push_back({AddressOf(v) - sizeof(Buffer), sizeof(Buffer) + BytesOf(v)});
      entry.num_places = static_cast<int>(run_.place_list_.size()) - entry.first_place;
      return entry;
    }
    if (LoopList* const list = ListOf(number); list != nullptr) return MakeListEntry(n, list, entry);
    const AdaptedCore& core = *n.kernel->adapted();
    entry.call = core.row().call;
    entry.kernel = core.object();
    if (core.row().takes_context || core.takes_spans()) {
      run_.watched_.push_back({&run_, &n, entry.frame});
      entry.call = &PlannedRun::Watched::Call;
      entry.kernel = &run_.watched_.back();
    }
    entry.first_rebind = static_cast<int>(run_.rebinds_.size());
    const auto first_view = run_.views_.size();
    for (int i = 0; i < n.num_inputs; ++i) {
      const int value = input(n, i);
      if (place_[ToSize(value)] == Place::kFeed)
        run_.feed_views_.push_back({value, static_cast<int>(run_.views_.size())});
      const bool moves = place_[ToSize(value)] != Place::kFeed && !StaysInPlace(value);
      AddView(value, -1, -1, constant_[ToSize(value)] == 0 && moves);
    }
    for (int i = 0; i < n.num_outputs; ++i)
      AddView(n.first_output + i, i, ForwardFrom(n, i), place_[ToSize(n.first_output + i)] == Place::kFresh);
    entry.num_rebinds = static_cast<int>(run_.rebinds_.size()) - entry.first_rebind;
    run_.context_.Enter(entry.frame);
    run_.call_frames_.push_back(core.Frame(&run_.context_, run_.views_.data() + first_view, nullptr));
    entry.call_frame = &run_.call_frames_.back();
    return entry;
  }
  PlannedRun::Entry MakeListEntry(const ProgramNode& n, LoopList* list, PlannedRun::Entry entry) {
    Tensor& item = run_.step_.value(list->step->pushes ? input(n, 1) : PoppedItem(n));
    const bool copies = StaysInPlace(list->step->pushes ? input(n, 1) : PoppedItem(n));
    run_.list_nodes_.push_back({list, &item, copies ? entry.frame->env->step_allocator : nullptr});
    run_.call_frames_.push_back(KernelCall{});
    entry.call = &ListNode::Call;
    entry.kernel = &run_.list_nodes_.back();
    entry.call_frame = &run_.call_frames_.back();
    entry.is_list = true;
    return entry;
  }
  void AddView(int value, int output, int forward_from, bool changes) {
    Tensor& slot = run_.step_.value(value);
    const TensorShape& shape = ShapeOf(value);
    if (changes) run_.rebinds_.push_back({value, static_cast<int>(run_.views_.size()), output, forward_from, &shape});
    run_.views_.push_back(
        {changes || place_[ToSize(value)] == Place::kFeed ? nullptr : slot.raw_data(), shape.num_elements(), &shape});
  }
  // An input outside of the arena, read here for the last time, that output `out` may overwrite; -1: none.
  int ForwardFrom(const ProgramNode& n, int out) const {
    for (const AdaptedCore::OutputPlan& plan : n.kernel->adapted()->sized_outputs()) {
      if (plan.tensor != out) continue;
      for (int i = 0; i < n.num_inputs && (plan.forward_mask >> i) != 0; ++i)
        if ((plan.forward_mask >> i & 1) != 0 && run_.last_use_[ToSize(n.first_input + i)] != 0 &&
            in_place_[ToSize(input(n, i))] == 0 && n.kernel->input_type(i) == n.kernel->output_type(out) &&
            ShapeOf(input(n, i)) == ShapeOf(n.first_output + out))
          return i;
    }
    return -1;
  }

  const Program& program_;
  const Step& ran_;
  const Span<const std::uint8_t> varies_;
  const GivenPlaces* const places_;
  PlannedRun& run_;
  bool keeps_given_ = false;  // somebody may keep a feed that lies at a given place
  SlimVector<std::uint8_t> constant_;  // per value
  SlimVector<Place> place_;  // per value
  SlimVector<void*> given_;  // per value: its place, if that is given
  SlimVector<std::uint8_t> planned_;  // per node
  SlimVector<std::uint8_t> in_place_;  // per value: it may lie in the place of an offered one
  SlimVector<int> shape_;  // per value: where its shape is among the run's, or -1
  SlimVector<int> first_, last_;  // per value: positions in the sequence
  SlimVector<int> block_;  // per value
  SlimVector<PlanBlock> blocks_;
};

// The plan for the feeds' shapes with which `ran` has just run; uses the caches of `lender`, which outlives it.
// `varies` marks values whose shape is known to change from run to run. Null when there is no node to plan, no memory,
// or somebody may keep an argument that lies at a given place; `places` may be null.
inline Owned<PlannedRun> MakePlannedRun(const Program& program, const Step& ran, Step* lender,
                                        Span<const TensorShape> feeds, Span<const std::uint8_t> varies,
                                        const GivenPlaces* places = nullptr) {
  Owned<PlannedRun> run = MakeOwned<PlannedRun>(program, lender, feeds);
  if (!RunPlanner(program, ran, varies, places, run.get()).Plan()) return {};
  return run;
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// LoopPlan: a loop made of two functions, for one set of shapes that stay the same from iteration to iteration. Each
// variable of plain data has two fixed places; the body reads from one and writes to the other, alternately. So both
// functions are planned twice, with all their arguments made, and an iteration allocates, counts and moves nothing. A
// loop that counts has no condition, and a number in the places of its first variable.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/function_runtime.hpp>
#include <tenon/runtime/executor/run_node.hpp>
#include <tenon/runtime/planned/arena_layout.hpp>
#include <tenon/runtime/extensions.hpp>
#include <tenon/runtime/planned/planned_run.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/planned/planner.hpp>
#include <tenon/runtime/executor/step.hpp>
#include <tenon/tensor/buffer.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// One thread runs it at a time, the owner of the cache of the body's step.
class LoopPlan final : public PlannedLoop {
 public:
  LoopPlan(const Step* cond, Step* body)
      : cond_(cond == nullptr ? nullptr : &cond->program()), body_(body), fetches_(body->program().fetches) {}
  ~LoopPlan() override {
    if (memory_ != nullptr) memory_->Unref();
  }
  LoopPlan(const LoopPlan&) = delete;
  LoopPlan& operator=(const LoopPlan&) = delete;

  bool Fits(const Program* cond, Span<const Tensor> variables) const override {
    if (cond != cond_) return false;
    for (std::size_t i = 0; i < variables.size(); ++i)
      if (variables[i].dtype() != body_->program().feeds[i].dtype || !(variables[i].shape() == shapes_[i]) ||
          (variables_[i].kind == Kind::kList && !lists_[i].Fits(variables[i])))
        return false;
    return true;
  }

  Status Run(Span<Tensor> variables, ReadCondition holds, ForRange* range, bool* finished) override {
    Begin(variables);
    int phase = 0;
    Status status;
#if defined(__cpp_exceptions)
    PlannedRun* running = nullptr;
    try {
      status = Iterate(variables, holds, range, &phase, finished, &running);
    } catch (...) {
      status = running->StatusOfThrown();
    }
#else
    PlannedRun* running = nullptr;
    status = Iterate(variables, holds, range, &phase, finished, &running);
#endif
    if (status.ok() && *finished) status = TakeVariables(phase, variables);
    End();
    return status;
  }

 private:
  // kMoved: a tensor that goes from run to run, wherever it lies: it does not hold plain data, or it may be kept.
  // kList: a list that the plan holds. kCounter: the number of a loop that counts, if it cannot be kept.
  enum class Kind : std::uint8_t { kInvariant, kComputed, kCopied, kMoved, kList, kCounter };
  struct Variable {
    Kind kind = Kind::kInvariant;
    std::size_t bytes = 0;
    char* places[2] = {nullptr, nullptr};  // where it is computed or copied to
    bool HasPlaces() const { return kind == Kind::kComputed || kind == Kind::kCopied || kind == Kind::kCounter; }
  };
  // A next value without its own node in the body: it is, or was, the value of another variable, or a constant.
  struct Copy {
    const void* from[2];  // for an iteration that reads places[0], or [1]
    int to;  // variable
  };

  Status Iterate(Span<Tensor> variables, ReadCondition holds, ForRange* range, int* phase, bool* finished,
                 PlannedRun** running) {
    NodeMeter meter(nullptr, nullptr);
    const CancellationManager* const cancellation = CancellationOf(*body_);
    const bool has_moved = !moved_.empty();
    for (;;) {
      if (IsCancelled(cancellation)) [[unlikely]]
        return LoopCancelled();
      PlannedRun* const cond = conds_[*phase].get();
      PlannedRun* const body = bodies_[*phase].get();
      bool go_on = false;
      if (range != nullptr) {
        *running = body;
        TENON_RETURN_IF_ERROR(CountNext(*range, *phase, &go_on));
      } else {
        *running = cond;
        if (has_moved) GiveToCond(cond->step());
        TENON_RETURN_IF_ERROR(cond->RunNodes(&meter));
        if (has_moved) TakeFromCond(cond->step());
        TENON_RETURN_IF_ERROR(holds(cond->step()->value(cond_->fetches[0].value), &go_on));
      }
      if (!go_on) {
        *finished = true;
        return OkStatus();
      }
      *running = body;
      if (has_moved) GiveToBody(body->step());
      TENON_RETURN_IF_ERROR(body->RunNodes(&meter));
      if (range != nullptr) range->Step();
      if (body->surprise() >= 0 || !FetchStrays(body->step(), 1 - *phase)) [[unlikely]]
        return TakeResults(body->step(), variables);
      if (has_moved && !TakeFromBody(body->step())) [[unlikely]]
        return TakeResults(body->step(), variables);
      for (const Copy& copy : copies_) {
        const Variable& to = variables_[ToSize(copy.to)];
        std::memcpy(to.places[1 - *phase], copy.from[*phase], to.bytes);
      }
      *phase = 1 - *phase;
      if (cond != nullptr && cond->surprise() >= 0) [[unlikely]]
        return TakeVariables(*phase, variables);
    }
  }
  // Whether the range has another number, which the body then finds where it reads the first variable.
  Status CountNext(const ForRange& range, int phase, bool* go_on) {
    *go_on = range.More();
    if (!*go_on) return OkStatus();
    const auto number = static_cast<std::int32_t>(range.next);
    if (const Variable& counter = variables_[0]; counter.kind == Kind::kCounter) [[likely]] {
      std::memcpy(counter.places[phase], &number, sizeof number);
      return OkStatus();
    }
    TENON_ASSIGN_OR_RETURN(values_[0], Tensor::Make(DataType::kInt32, TensorShape{}, range.allocator));
    values_[0].scalar<std::int32_t>()() = number;
    return OkStatus();
  }

  TENON_DETAIL_NOINLINE void GiveToCond(Step* step) {
    for (const int i : moved_)
      if (const int value = cond_->feeds[ToSize(i)].value; cond_->readers[ToSize(value)] != 0)
        step->value(value) = values_[ToSize(i)];
  }
  TENON_DETAIL_NOINLINE void TakeFromCond(Step* step) {
    for (const int i : moved_) step->value(cond_->feeds[ToSize(i)].value) = EmptySlot();
  }
  TENON_DETAIL_NOINLINE void GiveToBody(Step* step) {
    for (const int i : moved_) step->value(body_->program().feeds[ToSize(i)].value) = std::move(values_[ToSize(i)]);
  }
  // False when a value has another shape than planned.
  TENON_DETAIL_NOINLINE bool TakeFromBody(Step* step) {
    for (const int i : moved_)
      if (!(step->value(fetches_[ToSize(i)].value).shape() == shapes_[ToSize(i)])) [[unlikely]]
        return false;
    for (const int i : moved_) values_[ToSize(i)] = step->value(fetches_[ToSize(i)].value);
    for (const int value : let_go_) step->value(value) = EmptySlot();
    return true;
  }
  // Values that the plan could not put in their places. False when one has another shape than planned.
  bool FetchStrays(Step* step, int phase) {
    for (const int i : strays_)
      if (!(step->value(fetches_[ToSize(i)].value).shape() == shapes_[ToSize(i)])) [[unlikely]]
        return false;
    for (const int i : strays_)
      if (const Variable& to = variables_[ToSize(i)]; to.bytes != 0)
        std::memcpy(to.places[phase], step->value(fetches_[ToSize(i)].value).raw_data(), to.bytes);
    return true;
  }

  TENON_DETAIL_NOINLINE void Begin(Span<Tensor> variables) {
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const Variable& variable = variables_[i];
      if (variable.kind == Kind::kInvariant) {
        ForEachRun(
            [&](PlannedRun& run, const Program& program) { run.step()->value(program.feeds[i].value) = variables[i]; });
      } else if (variable.kind == Kind::kMoved) {
        values_[i] = std::move(variables[i]);
      } else if (variable.kind == Kind::kList) {
        lists_[i].Open(std::move(variables[i]));
      } else if (variable.bytes != 0) {
        std::memcpy(variable.places[0], variables[i].raw_data(), variable.bytes);
      }
    }
    ForEachRun([&](PlannedRun& run, const Program&) {
      run.step()->StandInFor(*body_);
      run.BindFeeds();
    });
  }
  TENON_DETAIL_NOINLINE void End() {
    for (std::size_t i = 0; i < variables_.size(); ++i)
      if (!variables_[i].HasPlaces())
        ForEachRun(
            [&](PlannedRun& run, const Program& program) { run.step()->value(program.feeds[i].value) = EmptySlot(); });
    for (const int i : moved_) values_[ToSize(i)] = EmptySlot();
    for (LoopList& list : lists_) list.variant = EmptySlot();
    ForEachRun([&](PlannedRun& run, const Program&) { run.step()->set_services(nullptr); });
  }
  template <class Visit>
  void ForEachRun(const Visit& visit) {
    for (const Owned<PlannedRun>& run : conds_)
      if (run != nullptr) visit(*run, *cond_);
    for (const Owned<PlannedRun>& run : bodies_) visit(*run, body_->program());
  }

  // Copies the variables out of their places into new memory, because the plan may run again.
  TENON_DETAIL_NOINLINE Status TakeVariables(int phase, Span<Tensor> variables) {
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const Variable& from = variables_[i];
      if (from.kind == Kind::kMoved) variables[i] = std::move(values_[i]);
      if (from.kind == Kind::kList) variables[i] = lists_[i].Close();
      if (!from.HasPlaces() || from.kind == Kind::kCounter) continue;
      TENON_ASSIGN_OR_RETURN(variables[i], Tensor::Make(variables[i].dtype(), shapes_[i], Results()));
      if (from.bytes != 0) std::memcpy(variables[i].raw_data(), from.places[phase], from.bytes);
    }
    return OkStatus();
  }
  // Takes the variables from wherever they are, after an iteration that did not go as planned.
  TENON_DETAIL_COLD Status TakeResults(Step* step, Span<Tensor> variables) {
    SlimVector<Tensor> results;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      if (variables_[i].kind == Kind::kList) {
        results.push_back(lists_[i].Close());
        continue;
      }
      const Tensor& value = step->value(fetches_[i].value);
      if (!variables_[i].HasPlaces() || value.TotalBytes() == 0) {
        results.push_back(value);
        continue;
      }
      TENON_ASSIGN_OR_RETURN(Tensor own, Tensor::Make(value.dtype(), value.shape(), Results()));
      std::memcpy(own.raw_data(), value.raw_data(), value.TotalBytes());
      results.push_back(std::move(own));
    }
    for (std::size_t i = 0; i < variables_.size(); ++i) variables[i] = std::move(results[i]);
    return OkStatus();
  }
  Allocator* Results() const { return body_->environment(true).result_allocator; }

  friend class LoopPlanner;

  const Program* cond_;  // null: the loop counts
  Step* const body_;
  const SlimVector<Program::Fetch>& fetches_;  // fetches of the body
  SlimVector<TensorShape> shapes_;  // per variable
  SlimVector<Variable> variables_;
  SlimVector<Copy> copies_;
  SlimVector<int> strays_;  // variables whose next values lie elsewhere: no planned node makes them, or they are kept
  SlimVector<int> moved_;  // variables of kind kMoved
  SlimVector<LoopList> lists_;  // per variable; those of kind kList are used
  SlimVector<Tensor> values_;  // values of the moved variables, between two runs
  SlimVector<int> let_go_;  // values of the body that hold moved variables after a run
  Buffer* memory_ = nullptr;  // holds the places
  Owned<PlannedRun> conds_[2], bodies_[2];  // reading places[0], and [1]
};

TENON_DETAIL_SETUP_CODE_BEGIN

// Makes a LoopPlan.
class LoopPlanner {
 public:
  LoopPlanner(const Step* cond, const Tensor* condition, Step* body, Span<const Tensor> variables, LoopPlan* plan)
      : cond_(cond), condition_(condition), body_(*body), given_(variables), plan_(*plan) {}

  bool Make() {
    for (const Tensor& variable : given_) {
      plan_.shapes_.push_back(variable.shape());
      plan_.values_.push_back(EmptySlot());
    }
    plan_.lists_.resize(given_.size());
    for (std::size_t i = 0; i < given_.size(); ++i)
      moves_.push_back(IsPlain(given_[i].dtype()) || FindList(i, &plan_.lists_[i]) ? 0 : 1);
    while (true) {
      FindKinds();
      if (!MakePlaces()) return false;
      if (PlanRuns()) return CheckPlaces();
      if (!MoveKept()) return false;
      plan_.memory_->Unref();
      plan_.memory_ = nullptr;
    }
  }

 private:
  using Kind = LoopPlan::Kind;
  const Program& body() const { return body_.program(); }

  // Feeds are numbered first: the value of feed i is value i.
  bool IsFeed(int value) const { return ToSize(value) < body().feeds.size(); }
  static bool IsPlain(DataType type) {
    return SizeOf(type) != 0 && type != DataType::kString && type != DataType::kResource && type != DataType::kVariant;
  }
  int NextValue(std::size_t variable) const { return body().fetches[variable].value; }
  bool IsList(std::size_t variable) const { return plan_.lists_[variable].step != nullptr; }
  // Whether a node changes the list and nothing else reads it; *list then says how.
  bool FindList(std::size_t variable, LoopList* list) const {
    const int next = NextValue(variable);
    if (body().readers[variable] != 1 || IsFeed(next) || body().readers[ToSize(next)] != 1) return false;
    if (cond_ != nullptr && cond_->program().readers[variable] != 0) return false;
    for (const ProgramNode& node : body().nodes) {
      if (next != node.first_output || node.num_inputs == 0 || node.num_outputs == 0) continue;
      const AdaptedCore* const core = node.kernel != nullptr ? node.kernel->adapted() : nullptr;
      if (core == nullptr || core->row().list_step == nullptr) return false;
      if (ToSize(body().inputs[ToSize(node.first_input)]) != variable) return false;
      LoopList found;
      found.step = core->row().list_step;
      found.dtype = found.step->pushes ? node.kernel->input_type(1) : node.kernel->output_type(1);
      if (!found.step->item_shape(given_[variable], &found.shape) || !found.Fits(given_[variable])) return false;
      *list = std::move(found);
      return true;
    }
    return false;
  }
  bool IsCounter(std::size_t variable) const { return cond_ == nullptr && variable == 0; }
  bool IsInvariant(std::size_t variable) const {
    return ToSize(NextValue(variable)) == variable && !IsCounter(variable);
  }
  // A variable that shares a value with one that moves moves, too: it must not be a view of a place.
  void SpreadMoves() {
    for (bool again = true; again;) {
      again = false;
      const auto move = [&](std::size_t i) {
        if (!IsInvariant(i)) again = std::exchange(moves_[i], std::uint8_t{1}) == 0 || again;
      };
      for (std::size_t i = 0; i < given_.size(); ++i) {
        const int value = NextValue(i);
        if (IsInvariant(i)) continue;
        if (IsFeed(value)) {
          if (moves_[i] != 0) move(ToSize(value));
          if (moves_[ToSize(value)] != 0 || IsInvariant(ToSize(value))) move(i);
        }
        if (moves_[i] == 0) continue;
        for (std::size_t k = 0; k < given_.size(); ++k)
          if (NextValue(k) == value && IsConstant(value) == nullptr) move(k);
      }
    }
    for (std::size_t i = 0; i < given_.size(); ++i)
      if (IsInvariant(i)) moves_[i] = 0;
  }
  void FindKinds() {
    SpreadMoves();
    plan_.variables_.clear();
    plan_.moved_.clear();
    plan_.let_go_.clear();
    sources_.clear();
    SlimVector<int> maker(ToSize(body().num_values), -1);  // the first variable that takes the value
    for (std::size_t i = 0; i < given_.size(); ++i) {
      const int value = NextValue(i);
      LoopPlan::Variable& variable = plan_.variables_.emplace_back();
      if (IsInvariant(i)) continue;
      if (moves_[i] != 0) {
        variable.kind = Kind::kMoved;
        plan_.moved_.push_back(static_cast<int>(i));
        plan_.let_go_.push_back(body().feeds[i].value);
        if (!IsFeed(value) && IsConstant(value) == nullptr) plan_.let_go_.push_back(value);
        continue;
      }
      if (IsList(i)) {
        variable.kind = Kind::kList;
        continue;
      }
      variable.bytes = given_[i].TotalBytes();
      if (IsCounter(i)) {
        variable.kind = Kind::kCounter;
        continue;
      }
      if (IsFeed(value) || IsConstant(value) != nullptr || maker[ToSize(value)] >= 0) {
        variable.kind = Kind::kCopied;
        sources_.push_back({static_cast<int>(i), value, maker[ToSize(value)]});
      } else {
        variable.kind = Kind::kComputed;
        maker[ToSize(value)] = static_cast<int>(i);
      }
    }
  }
  // Makes kMoved of the variables with places that may be kept. False: there is none.
  bool MoveKept() {
    bool any = false;
    for (std::size_t i = 0; i < given_.size(); ++i)
      any = (kept_[i] != 0 && std::exchange(moves_[i], std::uint8_t{1}) == 0) || any;
    return any;
  }
  const Tensor* IsConstant(int value) const {
    for (const auto& [number, tensor] : body().constants)
      if (number == value) return &tensor;
    return nullptr;
  }

  bool MakePlaces() {
    std::size_t bytes = kPlanAlignment;  // for the condition's result; each place adds its own
    for (const LoopPlan::Variable& variable : plan_.variables_)
      if (variable.HasPlaces()) bytes += 2 * PlaceBytes(variable);
    plan_.memory_ = Buffer::Allocate(body().device->allocator(), bytes);
    if (plan_.memory_ == nullptr) return false;
    char* next = static_cast<char*>(plan_.memory_->data()) + kPlanAlignment;
    for (LoopPlan::Variable& variable : plan_.variables_) {
      if (!variable.HasPlaces()) continue;
      for (char*& place : variable.places) {
        place = next;
        next += PlaceBytes(variable);
      }
    }
    return true;
  }
  static std::size_t PlaceBytes(const LoopPlan::Variable& variable) {
    return AlignedForPlan(variable.bytes + (variable.bytes == 0 ? 1 : 0));
  }

  bool PlanRuns() {
    kept_.assign(given_.size(), 0);
    for (std::size_t phase = 0; phase < 2; ++phase) {
      SlimVector<void*> feeds, next, cond_result(1, nullptr);
      for (const LoopPlan::Variable& variable : plan_.variables_) {
        feeds.push_back(variable.places[phase]);
        next.push_back(variable.kind == Kind::kComputed ? variable.places[1 - phase] : nullptr);
      }
      if (cond_ != nullptr) {
        if (condition_->TotalBytes() <= kPlanAlignment) cond_result[0] = plan_.memory_->data();
        if (!PlanRun(*cond_, feeds, cond_result, &plan_.conds_[phase])) return false;
      }
      if (!PlanRun(body_, feeds, next, &plan_.bodies_[phase])) return false;
    }
    return true;
  }
  bool PlanRun(const Step& ran, Span<void* const> feeds, Span<void* const> fetches, Owned<PlannedRun>* run) {
    const SlimVector<std::uint8_t> varies(ToSize(ran.program().num_values), 0);
    SlimVector<LoopList*> lists;
    for (std::size_t i = 0; i < given_.size(); ++i) lists.push_back(IsList(i) ? &plan_.lists_[i] : nullptr);
    const bool is_body = &ran == &body_;
    if (!is_body) lists.assign(given_.size(), nullptr);
    const GivenPlaces places{feeds, fetches, moves_, lists, &kept_};
    *run = MakePlannedRun(ran.program(), ran, &body_, plan_.shapes_, varies, &places);
    return *run != nullptr;
  }
  // Every next value arrives where it must; where it does not by itself, it is copied.
  bool CheckPlaces() {
    for (std::size_t i = 0; i < plan_.variables_.size(); ++i) {
      const LoopPlan::Variable& variable = plan_.variables_[i];
      const int number = static_cast<int>(i);
      if (variable.kind == Kind::kComputed && !plan_.bodies_[0]->LiesAtItsPlace(number))
        plan_.strays_.push_back(number);  // both plans are made in the same way
    }
    for (const Source& source : sources_) {
      LoopPlan::Copy copy{{nullptr, nullptr}, source.variable};
      for (std::size_t phase = 0; phase < 2; ++phase) {
        const Tensor* const constant = IsConstant(source.value);
        if (constant != nullptr)
          copy.from[phase] = constant->raw_data();
        else if (!IsFeed(source.value))
          copy.from[phase] = plan_.variables_[ToSize(source.made_for)].places[1 - phase];
        else
          copy.from[phase] = plan_.variables_[ToSize(source.value)].places[phase];
      }
      if (plan_.variables_[ToSize(source.variable)].bytes != 0) plan_.copies_.push_back(copy);
    }
    return true;
  }

  // The next value of a variable that no node makes for it.
  struct Source {
    int variable;
    int value;  // in the body's program
    int made_for;  // the variable that a node makes it for; -1: a feed or a constant
  };
  const Step* const cond_;  // null: the loop counts
  const Tensor* const condition_;
  Step& body_;
  const Span<const Tensor> given_;
  LoopPlan& plan_;
  SlimVector<Source> sources_;
  SlimVector<std::uint8_t> moves_, kept_;  // per variable
};

inline Owned<PlannedLoop> MakeLoopPlan(const Step* cond, const Tensor* condition, Step* body,
                                       Span<const Tensor> variables) {
  Owned<LoopPlan> plan = MakeOwned<LoopPlan>(cond, body);
  if (!LoopPlanner(cond, condition, body, variables, plan.get()).Make()) return {};
  return plan;
}
inline const bool fills_loops = FillExtension(&extensions.loops, &MakeLoopPlan);

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

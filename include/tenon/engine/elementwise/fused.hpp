// SPDX-License-Identifier: Apache-2.0
#pragma once
// FusedElementwise: several element-wise steps in one pass over memory. A program of the inner loops that otherwise run
// alone (kUnaryLoop, kBinaryLoops) is run tile by tile. Values between two steps never leave the first-level cache or,
// in a chain of ops that were compiled together (vector_chain.hpp), the registers. Nothing is compiled for a program,
// so the optimizer may make one from any chain of nodes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/elementwise/elementwise.hpp>
#include <tenon/engine/elementwise/vector_chain.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Inputs and the results of steps are values with numbers, in the order in which they were added; the last step's
// result is the program's. Steps may change the type of the elements, which must be plain (no strings).
//
//   FusedElementwise program;  // relu(x * scale + bias): [rows, columns] [] [columns]
//   const int x = program.AddInput(FusedElementwise::Repeat::kNone, sizeof(float));
//   const int scale = program.AddInput(FusedElementwise::Repeat::kAll, sizeof(float));
//   const int bias = program.AddInput(FusedElementwise::Repeat::kRows, sizeof(float));
//   const int scaled = program.AddBinary(kBinaryLoops<Mul, float>, nullptr, x, scale);
//   const int moved = program.AddBinary(kBinaryLoops<Add, float>, nullptr, scaled, bias);
//   program.AddUnary(kUnaryLoop<Relu, float>, nullptr, moved);
//   TENON_RETURN_IF_ERROR(program.Finish());
//   TENON_RETURN_IF_ERROR(program.Run(device, {inputs, 3}, out, rows, columns));
//
// Built by one thread; immutable after Finish, when Run is thread-safe.
class FusedElementwise {
 public:
  // How an input lies: [rows, columns], [columns] for every row, or one element for all.
  enum class Repeat : std::uint8_t { kNone, kRows, kAll };

  static constexpr int kMostValues = 64;  // inputs and steps together

  // The number of the new value. Mistakes are remembered, and returned by Finish. Loops and attrs must outlive the
  // program.
  int AddInput(Repeat repeat, int bytes) {
    if (!steps_.empty()) Fail(errors::InvalidArgument("FusedElementwise: inputs must be added before steps"));
    if (bytes <= 0 || bytes > kMostBytes)
      Fail(errors::InvalidArgument("FusedElementwise: elements have 1 to ", kMostBytes, " bytes, got ", bytes));
    ++inputs_;
    return AddValue({repeat, bytes});
  }
  int AddUnary(const UnaryLoop& loop, const void* attrs, int x) {
    CheckOperand(x, loop.in_bytes);
    return AddStep({&loop, nullptr, attrs, x, -1}, loop.out_bytes, loop.cost_ns);
  }
  int AddBinary(const BinaryLoops& loops, const void* attrs, int a, int b) {
    CheckOperand(a, loops.in_bytes);
    CheckOperand(b, loops.in_bytes);
    return AddStep({nullptr, &loops, attrs, a, b}, loops.out_bytes, loops.cost_ns);
  }

  // Chooses the tile, and the memory of every result. InvalidArgument when something that was added cannot be run. With
  // `chains` (GetLaneChains), a program whose steps are all among its ops, each of the result before and an input,
  // hands results over in registers; the elements are the same.
  Status Finish(const LaneChains* chains = nullptr) {
    if (error_.ok() && steps_.empty()) Fail(errors::InvalidArgument("FusedElementwise: a program needs a step"));
    if (error_.ok() && values_.back().repeat == Repeat::kAll)
      Fail(errors::InvalidArgument("FusedElementwise: the result depends on single elements only"));
    TENON_RETURN_IF_ERROR(error_);
    AssignSlots();
    for (Step& step : steps_)
      if (step.binary != nullptr) step.loop = WorkOf(step).LoopFor(StepOf(step.a), StepOf(step.b));
    chains_ = chains != nullptr && FindChain(*chains) ? chains : nullptr;
    // All that a tile touches is to fit: results, repeated rows, and the parts of the inputs and of the output.
    Index bytes = slots_ * WidestBytes() + values_.back().bytes;
    for (int v = 0; v < inputs_; ++v)
      if (values_[ToSize(v)].repeat == Repeat::kNone) bytes += values_[ToSize(v)].bytes;
    tile_ = std::max(kTileStep, kCacheBytes / bytes / kTileStep * kTileStep);
    finished_ = true;
    return OkStatus();
  }

  // inputs: as many as were added, in their order  ->  out: [rows, columns]. `out` may be an input that is not repeated
  // and whose elements have the same size. Splits the tiles over the device's threads.
  Status Run(Cpu& device, Span<const void* const> inputs, void* out, Index rows, Index columns) const {
    if (!finished_) return errors::FailedPrecondition("FusedElementwise: Run before Finish");
    if (inputs.size() != ToSize(inputs_))
      return errors::InvalidArgument("FusedElementwise: the program has ", inputs_, " inputs, got ", inputs.size());
    if (rows <= 0 || columns <= 0) return OkStatus();
    const Work work(*this, inputs.data(), static_cast<char*>(out), rows, columns);
    ParallelFor(device, work.units(), cost_ns_ * static_cast<double>(work.unit_elements()),
                [&work](Index begin, Index end) { work.Units(begin, end); });
    return OkStatus();
  }

  // Run for rows [row, row + rows) on this thread. The program is finished, and has as many inputs.
  void RunRows(Span<const void* const> inputs, void* out, Index row, Index rows, Index columns) const {
    const void* moved[kMostValues];
    for (int v = 0; v < inputs_; ++v) {
      const Value& value = values_[ToSize(v)];
      const Index skipped = value.repeat == Repeat::kNone ? row * columns * value.bytes : 0;
      moved[v] = static_cast<const char*>(inputs[ToSize(v)]) + skipped;
    }
    const Work work(*this, moved, static_cast<char*>(out) + row * columns * values_.back().bytes, rows, columns);
    work.Units(0, work.units());
  }

  // Elements of a tile; 0 before Finish.
  Index tile() const { return tile_; }
  // Whether results are handed over in registers.
  bool is_chain() const { return chains_ != nullptr; }

 private:
  static constexpr int kMostBytes = 16;  // largest size of one element
  static constexpr Index kTileStep = 16;  // elements: whole cache lines of float
  static constexpr Index kCacheBytes = 24576;  // most of the smallest first-level cache, 32 KB
  static constexpr Index kMemoryBytes =
      kMostValues * kTileStep * kMostBytes > kCacheBytes ? kMostValues* kTileStep* kMostBytes : kCacheBytes;

  struct Value {
    Repeat repeat;
    int bytes;  // size of one element
    int slot = -1;  // where the tile lies: -1 for inputs that are read in place and for the program's result
    int last = -1;  // the step that reads it last
  };
  struct Step {
    const UnaryLoop* unary;
    const BinaryLoops* binary;
    const void* attrs;
    int a, b;  // b: -1 for a unary step
    BinaryLoops::Loop loop = nullptr;  // loop of a binary step; null where an operand must be spread out for each tile
    int code = -1;  // in a chain (LaneChainStep)
  };

  static detail::BinaryWork WorkOf(const Step& step) { return {*step.binary, step.attrs, nullptr, nullptr, nullptr}; }
  // From one element of a value to the next.
  Index StepOf(int v) const { return values_[ToSize(v)].repeat == Repeat::kAll ? 0 : 1; }
  Index WidestBytes() const {
    int most = 1;
    for (const Value& value : values_) most = std::max(most, value.bytes);
    return most;
  }
  void Fail(Status error) {
    if (error_.ok()) error_ = std::move(error);
  }
  void CheckOperand(int v, int bytes) {
    if (v < 0 || ToSize(v) >= values_.size())
      return Fail(errors::InvalidArgument("FusedElementwise: there is no value ", v, " yet"));
    if (values_[ToSize(v)].bytes != bytes)
      Fail(errors::InvalidArgument("FusedElementwise: value ", v, " has elements of ", values_[ToSize(v)].bytes,
                                   " bytes, the step reads elements of ", bytes));
  }
  int AddValue(const Value& value) {
    if (values_.size() == ToSize(kMostValues)) {
      Fail(errors::InvalidArgument("FusedElementwise: more than ", kMostValues, " inputs and steps"));
      return -1;
    }
    values_.push_back(value);
    finished_ = false;
    return static_cast<int>(values_.size()) - 1;
  }
  int AddStep(const Step& step, int out_bytes, float cost_ns) {
    if (!error_.ok()) return -1;
    const bool one = values_[ToSize(step.a)].repeat == Repeat::kAll &&
                     (step.b < 0 || values_[ToSize(step.b)].repeat == Repeat::kAll);
    const int number = AddValue({one ? Repeat::kAll : Repeat::kNone, out_bytes});
    if (number < 0) return number;
    steps_.push_back(step);
    cost_ns_ += 0.5 * static_cast<double>(cost_ns);  // most of what it moves stays in the first cache
    return number;
  }

  // A result takes the slot of a value that no later step reads. That may be the step's own operand, if its elements
  // have the same size.
  void AssignSlots() {
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      values_[ToSize(steps_[s].a)].last = static_cast<int>(s);
      if (steps_[s].b >= 0) values_[ToSize(steps_[s].b)].last = static_cast<int>(s);
    }
    bool taken[kMostValues] = {};
    slots_ = 0;
    for (int v = 0; v < inputs_; ++v) {
      if (values_[ToSize(v)].repeat != Repeat::kRows) continue;
      taken[slots_] = true;  // for good: filled once, read for every tile
      values_[ToSize(v)].slot = slots_++;
    }
    for (std::size_t s = 0; s + 1 < steps_.size(); ++s) {
      Value& result = values_[ToSize(inputs_) + s];
      GiveBack(steps_[s], static_cast<int>(s), result, true, taken);
      result.slot = static_cast<int>(std::find(taken, taken + kMostValues, false) - taken);
      taken[result.slot] = true;
      slots_ = std::max(slots_, result.slot + 1);
      GiveBack(steps_[s], static_cast<int>(s), result, false, taken);
      if (result.last < 0) taken[result.slot] = false;
    }
  }
  // Frees the slots of the operands that step number `s` reads last: those that the result may overwrite, or the other
  // ones.
  void GiveBack(const Step& step, int s, const Value& result, bool in_place, bool* taken) const {
    for (const int v : {step.a, step.b}) {
      if (v < inputs_) continue;
      const Value& operand = values_[ToSize(v)];
      if (operand.last == s && (operand.bytes == result.bytes && operand.repeat == result.repeat) == in_place)
        taken[operand.slot] = false;
    }
  }

  // Whether every step is one of the chains' ops that takes the result before it and, if it is binary, an input. The
  // first step takes an input that is not a single element instead of a result. Finds the codes of the steps.
  bool FindChain(const LaneChains& chains) {
    if (chains.run == nullptr) return false;
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      Step& step = steps_[s];
      const int before = inputs_ + static_cast<int>(s) - 1;
      const auto carries = [&](int v) {
        return s > 0 ? v == before : v >= 0 && v < inputs_ && values_[ToSize(v)].repeat != Repeat::kAll;
      };
      step.code = step.unary != nullptr ? chains.CodeOf(step.unary) : chains.CodeOf(step.binary);
      if (step.code < 0) return false;
      if (!carries(step.a)) {
        if (!carries(step.b)) return false;
        ++step.code;
      }
      if (step.b >= 0 && OtherOperand(step) >= inputs_) return false;
    }
    return true;
  }
  // Returns the operand that is not handed over in registers; -1 for a unary step.
  static int OtherOperand(const Step& step) { return step.code % 2 == 0 ? step.b : step.a; }

  // One run; shared by all threads that work on it. A unit is a piece of one row or, of short rows, several.
  class Work {
   public:
    Work(const FusedElementwise& program, const void* const* inputs, char* out, Index rows, Index columns)
        : program_(program), inputs_(inputs), out_(out), rows_(rows), columns_(columns) {
      bool has_rows = false;
      for (const Value& value : program.values_) has_rows |= value.repeat == Repeat::kRows;
      if (!has_rows) {
        columns_ = rows * columns;
        rows_ = 1;
      }
      pieces_ = (columns_ + program.tile_ - 1) / program.tile_;
      const Index width = (columns_ + pieces_ - 1) / pieces_;  // as equal as whole cache lines allow
      width_ = pieces_ == 1 ? columns_ : (width + kTileStep - 1) / kTileStep * kTileStep;
      pieces_ = (columns_ + width_ - 1) / width_;
      rows_at_once_ = std::min(rows_, program.tile_ / width_);
      if (pieces_ > 1) rows_at_once_ = 1;
    }

    Index units() const { return (rows_ + rows_at_once_ - 1) / rows_at_once_ * pieces_; }
    Index unit_elements() const { return rows_at_once_ * width_; }

    void Units(Index begin, Index end) const {
      alignas(64) char memory[kMemoryBytes];
      const Index slot_bytes = program_.tile_ * program_.WidestBytes();
      if (rows_at_once_ > 1) SpreadRows(memory, slot_bytes);
      alignas(64) char repeated[kMostValues * kLaneChainRepeat];
      if (program_.is_chain()) SpreadElements(repeated);
      for (Index unit = begin; unit < end; ++unit) {
        const Index row = unit / pieces_ * rows_at_once_, column = unit % pieces_ * width_;
        const Index n =
            pieces_ > 1 ? std::min(width_, columns_ - column) : std::min(rows_at_once_, rows_ - row) * columns_;
        const Index first = row * columns_ + column;
        if (program_.is_chain() && n >= program_.chains_->least)
          Chain(memory, repeated, slot_bytes, first, column, n);
        else
          Tile(memory, slot_bytes, first, column, n);
      }
    }

   private:
    void SpreadRows(char* memory, Index slot_bytes) const {
      for (int v = 0; v < program_.inputs_; ++v) {
        const Value& value = program_.values_[ToSize(v)];
        if (value.repeat != Repeat::kRows) continue;
        const std::size_t row_bytes = static_cast<std::size_t>(columns_ * value.bytes);
        char* const to = memory + value.slot * slot_bytes;
        const std::size_t all = row_bytes * static_cast<std::size_t>(rows_at_once_);
        std::memcpy(to, inputs_[v], row_bytes);
        for (std::size_t done = row_bytes; done < all; done *= 2)  // repeats the content
          std::memcpy(to + done, to, done < all - done ? done : all - done);
      }
    }
    // Inputs of one element, as often as a chain reads them.
    void SpreadElements(char* repeated) const {
      for (int v = 0; v < program_.inputs_; ++v) {
        const Value& value = program_.values_[ToSize(v)];
        if (value.repeat != Repeat::kAll) continue;
        for (Index byte = 0; byte + value.bytes <= kLaneChainRepeat; byte += value.bytes)
          std::memcpy(repeated + v * kLaneChainRepeat + byte, inputs_[v], static_cast<std::size_t>(value.bytes));
      }
    }
    // Computes a tile, as Tile does, by a chain.
    void Chain(const char* memory, const char* repeated, Index slot_bytes, Index first, Index column, Index n) const {
      LaneChainStep steps[kMostValues];
      LaneChainStep* next = steps;
      for (const Step& step : program_.steps_) {
        *next = {step.code, nullptr, 1};
        const int other = OtherOperand(step);
        if (other >= 0 && program_.StepOf(other) == 0) {
          next->step = 0;
          next->operand = repeated + other * kLaneChainRepeat;
        } else if (other >= 0) {
          next->operand = InputTile(other, memory, slot_bytes, first, column);
        }
        ++next;
      }
      const Step& begin = program_.steps_.front();
      const int x = begin.code % 2 == 0 ? begin.a : begin.b;
      program_.chains_->run(steps, static_cast<int>(next - steps), InputTile(x, memory, slot_bytes, first, column),
                            out_ + first * program_.values_.back().bytes, n);
    }
    const char* InputTile(int v, const char* memory, Index slot_bytes, Index first, Index column) const {
      const Value& value = program_.values_[ToSize(v)];
      const char* const data = static_cast<const char*>(inputs_[v]);
      if (value.repeat == Repeat::kNone) return data + first * value.bytes;
      if (value.repeat == Repeat::kAll) return data;
      return rows_at_once_ > 1 ? memory + value.slot * slot_bytes : data + column * value.bytes;
    }
    // n elements of the output from element `first` on; in the first row, they begin at `column`.
    void Tile(char* memory, Index slot_bytes, Index first, Index column, Index n) const {
      const char* at[kMostValues];
      for (int v = 0; v < program_.inputs_; ++v) at[v] = InputTile(v, memory, slot_bytes, first, column);
      const Value* result = program_.values_.data() + program_.inputs_;
      const char** next = at + program_.inputs_;
      for (const Step& step : program_.steps_) {
        char* const to = result->slot < 0 ? out_ + first * result->bytes : memory + result->slot * slot_bytes;
        const Index m = result->repeat == Repeat::kAll ? 1 : n;
        if (step.loop != nullptr) {
          step.loop(step.attrs, at[step.a], at[step.b], to, m);
        } else if (step.unary != nullptr) {
          step.unary->v(step.attrs, at[step.a], to, m);
        } else {
          WorkOf(step).Run(at[step.a], program_.StepOf(step.a), at[step.b], program_.StepOf(step.b), to, m);
        }
        *next++ = to;
        ++result;
      }
    }

    const FusedElementwise& program_;
    const void* const* inputs_;
    char* out_;
    Index rows_, columns_;
    Index pieces_ = 1, width_ = 0, rows_at_once_ = 1;
  };

  InlinedVector<Value, 16> values_;  // inputs, then one for each step
  InlinedVector<Step, 8> steps_;
  int inputs_ = 0;
  int slots_ = 0;
  Index tile_ = 0;
  const LaneChains* chains_ = nullptr;  // null: tiles
  double cost_ns_ = 0;  // time for one element
  bool finished_ = false;
  Status error_;
};

TENON_DETAIL_NAMESPACE_END

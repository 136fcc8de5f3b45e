// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random graphs for the tests of what runs graphs: a program of nodes with branches, loops, calls and variables, which
// is written as a graph (RandomGraphWriter) and can be run op by op (eager_interpreter.hpp). Every value is a scalar, a
// [3] or a [2,3] of float, int32, int64 or bool; integers stay below 97 in size.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/runtime/api/session.hpp>

namespace random_graphs {

using namespace tenon;

// kResource: a variable's handle. kInvalid: a value that only the next item reads.
struct Type {
  DataType dtype = DataType::kFloat;
  int rank = 0;
  friend bool operator==(const Type&, const Type&) = default;
};
inline TensorShape ShapeOf(int rank) {
  return rank == 0 ? TensorShape() : rank == 1 ? TensorShape({3}) : TensorShape({2, 3});
}

// Output `out` of node `node` of the same block; node < 0: parameter -1 - node.
struct Value {
  int node = 0;
  int out = 0;
};

struct Block;
struct Item {
  // kOp: one node. The functional ones call a function a block. kCond: Switch and Merge, kLoop: a frame; both give one
  // value more than their blocks: the Merge's index, the number of iterations.
  enum class Kind : std::uint8_t { kOp, kIf, kCase, kWhile, kFor, kCall, kCond, kLoop };
  Kind kind = Kind::kOp;
  std::string op;
  std::vector<std::pair<std::string, AttrValue>> attrs;
  std::vector<Value> inputs;
  int list_begin = 0, list_size = 0;  // the inputs that are one argument
  std::vector<int> controls;
  std::vector<Type> outputs;
  std::vector<Block> blocks;
  int trips = 0;  // of a loop
  int carried = 0;  // inputs that a kLoop changes; the others are constant in it
  std::int64_t parallel = 10;
  int place = 0;
};
struct Block {
  std::vector<Type> params;
  std::vector<Item> items;
  std::vector<Value> results;

  Type TypeOf(Value v) const {
    const auto out = static_cast<std::size_t>(v.out);
    return v.node < 0 ? params[static_cast<std::size_t>(-1 - v.node)]
                      : items[static_cast<std::size_t>(v.node)].outputs[out];
  }
};

inline AttrValue TypesAttr(const std::vector<Type>& types) {
  AttrValue value;
  value.mutable_list();
  for (const Type& type : types) value.mutable_list()->type.push_back(type.dtype);
  return value;
}

// Makes programs. Those with state order all uses of a variable by control edges.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed) : random_(seed) {}

  Block Make() {
    Block block;
    const int params = 1 + Pick(3);
    for (int i = 0; i < params; ++i) block.params.push_back(SomeType());
    Fill(&block, 4 + Pick(20), 0);
    std::vector<std::vector<char>> read(block.items.size());
    for (std::size_t n = 0; n < read.size(); ++n) read[n].assign(block.items[n].outputs.size(), 0);
    for (const Item& item : block.items)
      for (const Value& v : item.inputs)
        if (v.node >= 0) read[At(v.node)][At(v.out)] = 1;
    for (std::size_t n = 0; n < read.size(); ++n)
      for (std::size_t i = 0; i < read[n].size(); ++i)
        if (IsPlain(block.items[n].outputs[i]) && (read[n][i] == 0 || Pick(6) == 0))
          block.results.push_back({static_cast<int>(n), static_cast<int>(i)});
    return block;
  }
  Tensor SomeTensor(Type type) {
    Tensor tensor(type.dtype, ShapeOf(type.rank));
    for (std::int64_t at = 0; at < tensor.NumElements(); ++at) {
      switch (type.dtype) {
        case DataType::kFloat: tensor.flat<float>()[at] = static_cast<float>(Pick(64) - 32) / 8; break;
        case DataType::kInt32: tensor.flat<std::int32_t>()[at] = Pick(20) - 6; break;
        case DataType::kInt64: tensor.flat<std::int64_t>()[at] = Pick(20) - 6; break;
        default: tensor.flat<bool>()[at] = Pick(2) == 0; break;
      }
    }
    return tensor;
  }
  // Whether some call got a variable.
  bool has_stateful_calls() const { return stateful_; }
  int Pick(int sides) { return static_cast<int>(random_() % static_cast<std::uint64_t>(sides)); }

 private:
  static constexpr int kMaxDepth = 3;

  static std::size_t At(int i) { return static_cast<std::size_t>(i); }
  static bool IsPlain(Type type) { return type.dtype != DataType::kResource && type.dtype != DataType::kInvalid; }
  static bool IsNode(const Item& item) { return item.kind != Item::Kind::kCond && item.kind != Item::Kind::kLoop; }
  DataType SomeNumber() {
    constexpr DataType kNumbers[] = {DataType::kFloat, DataType::kFloat, DataType::kInt32, DataType::kInt64};
    return kNumbers[Pick(4)];
  }
  Type SomeType() { return {Pick(6) == 0 ? DataType::kBool : SomeNumber(), Pick(3)}; }

  // -- one item
  int Push(Block* block, Item item) {
    item.place = Pick(64);
    block->items.push_back(std::move(item));
    return static_cast<int>(block->items.size()) - 1;
  }
  int Op(Block* block, std::string_view op, std::vector<Value> inputs, std::vector<Type> outputs,
         std::vector<std::pair<std::string, AttrValue>> attrs) {
    Item item;
    item.op = std::string(op);
    item.inputs = std::move(inputs);
    item.outputs = std::move(outputs);
    item.attrs = std::move(attrs);
    if (!block->items.empty() && Pick(8) == 0) {
      const int before = Pick(static_cast<int>(block->items.size()));
      if (IsNode(block->items[At(before)])) item.controls.push_back(before);
    }
    return Push(block, std::move(item));
  }
  Value Const(Block* block, const Tensor& value) {
    const int rank = value.shape().dims();
    return {Op(block, "Const", {}, {{value.dtype(), rank}},
               {{"dtype", AttrValue(value.dtype())}, {"value", AttrValue(value)}}),
            0};
  }
  Value Int(Block* block, std::int32_t value) { return Const(block, Tensor::Scalar(value)); }
  Value Ints(Block* block, std::initializer_list<std::int32_t> values) {
    Tensor tensor(DataType::kInt32, TensorShape({static_cast<std::int64_t>(values.size())}));
    std::int64_t i = 0;
    for (const std::int32_t v : values) tensor.flat<std::int32_t>()[i++] = v;
    const Value v = Const(block, tensor);
    block->items[At(v.node)].outputs[0].dtype = DataType::kInvalid;  // nobody else's: it has another length
    return v;
  }
  // A value of the type, rank -1: any; made where there is none.
  Value Some(Block* block, DataType dtype, int rank = -1) {
    std::vector<Value> all;
    const auto consider = [&](Value v) {
      const Type type = block->TypeOf(v);
      if (type.dtype == dtype && (rank < 0 || type.rank == rank)) all.push_back(v);
    };
    for (int p = 0; p < static_cast<int>(block->params.size()); ++p) consider({-1 - p, 0});
    for (int n = 0; n < static_cast<int>(block->items.size()); ++n)
      for (int i = 0; i < static_cast<int>(block->items[At(n)].outputs.size()); ++i)
        if (block->items[At(n)].op != "Const" || Pick(3) == 0) consider({n, i});
    if (all.empty() || Pick(10) == 0) return Const(block, SomeTensor({dtype, rank < 0 ? Pick(3) : rank}));
    return all[At(Pick(2) == 0 ? static_cast<int>(all.size()) - 1 - Pick(1 + static_cast<int>(all.size()) / 2)
                               : Pick(static_cast<int>(all.size())))];
  }
  Value Some(Block* block, Type type) { return Some(block, type.dtype, type.rank); }
  std::pair<std::string, AttrValue> T(DataType dtype) { return {"T", AttrValue(dtype)}; }

  void Arithmetic(Block* block) {
    constexpr std::string_view kOps[] = {"AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference"};
    const DataType dtype = SomeNumber();
    const Value a = Some(block, dtype), b = Some(block, dtype);
    const int rank = std::max(block->TypeOf(a).rank, block->TypeOf(b).rank);
    if (dtype == DataType::kFloat) {
      Op(block, kOps[Pick(6)], {a, b}, {{dtype, rank}}, {T(dtype)});
      return;
    }
    Bounded(block, kOps[Pick(6)], {a, b}, {dtype, rank});
  }
  // An op on integers whose result is hidden from others but for its remainder.
  void Bounded(Block* block, std::string_view op, std::vector<Value> inputs, Type type) {
    const Value modulus = Const(
        block, type.dtype == DataType::kInt32 ? Tensor::Scalar(std::int32_t{97}) : Tensor::Scalar(std::int64_t{97}));
    const int n = Op(block, op, std::move(inputs), {{DataType::kInvalid, type.rank}}, {T(type.dtype)});
    Op(block, "FloorMod", {{n, 0}, modulus}, {type}, {T(type.dtype)});
  }
  void Unary(Block* block) {
    switch (Pick(5)) {
      case 0: {
        const Value x = Some(block, DataType::kFloat);
        constexpr std::string_view kOps[] = {"Neg", "Abs", "Tanh", "Sign", "Square", "Relu"};
        Op(block, kOps[Pick(6)], {x}, {block->TypeOf(x)}, {T(DataType::kFloat)});
        break;
      }
      case 1: {
        const DataType dtype = Pick(2) == 0 ? DataType::kInt32 : DataType::kInt64;
        const Value x = Some(block, dtype);
        constexpr std::string_view kOps[] = {"Neg", "Abs", "Sign"};
        Op(block, kOps[Pick(3)], {x}, {block->TypeOf(x)}, {T(dtype)});
        break;
      }
      case 2: {
        const Value x = Some(block, DataType::kBool);
        Op(block, "LogicalNot", {x}, {block->TypeOf(x)}, {});
        break;
      }
      case 3: {
        const Value x = Some(block, SomeType());
        const Type type = block->TypeOf(x);
        constexpr std::string_view kOps[] = {"Identity", "ZerosLike", "OnesLike", "Snapshot"};
        Op(block, kOps[Pick(4)], {x}, {type}, {T(type.dtype)});
        break;
      }
      default: {
        constexpr DataType kFrom[] = {DataType::kBool, DataType::kInt32, DataType::kInt32, DataType::kInt64};
        constexpr DataType kTo[] = {DataType::kInt32, DataType::kInt64, DataType::kFloat, DataType::kFloat};
        const int way = Pick(4);
        const Value x = Some(block, kFrom[way]);
        Op(block, "Cast", {x}, {{kTo[way], block->TypeOf(x).rank}},
           {{"SrcT", AttrValue(kFrom[way])}, {"DstT", AttrValue(kTo[way])}});
      }
    }
  }
  void Decide(Block* block) {
    if (Pick(3) == 0) {
      const Value a = Some(block, DataType::kBool), b = Some(block, DataType::kBool);
      Op(block, Pick(2) == 0 ? "LogicalAnd" : "LogicalOr", {a, b},
         {{DataType::kBool, std::max(block->TypeOf(a).rank, block->TypeOf(b).rank)}}, {});
    } else if (Pick(2) == 0) {
      const DataType dtype = SomeNumber();
      const Value a = Some(block, dtype), b = Some(block, dtype);
      constexpr std::string_view kOps[] = {"Less", "GreaterEqual", "Equal", "NotEqual"};
      Op(block, kOps[Pick(4)], {a, b}, {{DataType::kBool, std::max(block->TypeOf(a).rank, block->TypeOf(b).rank)}},
         {T(dtype)});
    } else {
      const Type type = SomeType();
      const Value c = Some(block, DataType::kBool);
      const Value a = Some(block, type), b = Some(block, type);
      Op(block, "SelectV2", {c, a, b}, {{type.dtype, std::max(block->TypeOf(c).rank, type.rank)}}, {T(type.dtype)});
    }
  }
  void Move(Block* block) {
    const DataType dtype = SomeNumber();
    const std::pair<std::string, AttrValue> index{"Tidx", AttrValue(DataType::kInt32)};
    switch (Pick(7)) {
      case 0: {
        const Value a = Some(block, dtype, 1), b = Some(block, dtype, 1);
        Item item;
        item.op = "Pack";
        item.inputs = {a, b};
        item.list_size = 2;
        item.outputs = {{dtype, 2}};
        item.attrs = {{"N", AttrValue(std::int64_t{2})}, T(dtype), {"axis", AttrValue(std::int64_t{0})}};
        Push(block, std::move(item));
        break;
      }
      case 1: {
        const Value x = Some(block, dtype, 2);
        Op(block, "Unpack", {x}, {{dtype, 1}, {dtype, 1}},
           {{"num", AttrValue(std::int64_t{2})}, T(dtype), {"axis", AttrValue(std::int64_t{0})}});
        break;
      }
      case 2: {
        const Value x = Some(block, dtype, 1 + Pick(2));
        const Value axis = Ints(block, {0});
        constexpr std::string_view kOps[] = {"Max", "Min"};
        Op(block, kOps[Pick(2)], {x, axis}, {{dtype, block->TypeOf(x).rank - 1}},
           {{"keep_dims", AttrValue(false)}, T(dtype), index});
        break;
      }
      case 3: {
        const Value x = Some(block, dtype, 1 + Pick(2));
        const Value axis = Ints(block, {0});
        Op(block, "ReverseV2", {x, axis}, {block->TypeOf(x)}, {T(dtype), index});
        break;
      }
      case 4: {
        const Value a = Some(block, dtype, 1), b = Some(block, dtype, 1);
        const Value axis = Int(block, 0), begin = Ints(block, {1 + Pick(2)}), size = Ints(block, {3});
        Item item;
        item.op = "ConcatV2";
        item.inputs = {a, b, axis};
        item.list_size = 2;
        item.outputs = {{DataType::kInvalid, 1}};
        item.attrs = {{"N", AttrValue(std::int64_t{2})}, T(dtype), index};
        const int n = Push(block, std::move(item));
        Op(block, "Slice", {{n, 0}, begin, size}, {{dtype, 1}}, {T(dtype), {"Index", AttrValue(DataType::kInt32)}});
        break;
      }
      case 5: {
        const Value x = Some(block, dtype, 2);
        const Value row = Int(block, Pick(2)), axis = Int(block, 0);
        Op(block, "GatherV2", {x, row, axis}, {{dtype, 1}},
           {{"batch_dims", AttrValue(std::int64_t{0})},
            {"Tparams", AttrValue(dtype)},
            {"Tindices", AttrValue(DataType::kInt32)},
            {"Taxis", AttrValue(DataType::kInt32)}});
        break;
      }
      default: {
        const Value x = Some(block, SomeType());
        const Type type = block->TypeOf(x);
        Op(block, Pick(2) == 0 ? "Size" : "Rank", {x}, {{DataType::kInt32, 0}}, {T(type.dtype)});
      }
    }
  }
  void Barrier(Block* block) {
    Item item;
    item.op = "NoOp";
    for (int i = 0; i < 3; ++i) {
      const int n = Pick(static_cast<int>(block->items.size()));
      if (IsNode(block->items[At(n)])) item.controls.push_back(n);
    }
    const int barrier = Push(block, std::move(item));
    Unary(block);
    block->items.back().controls.push_back(barrier);
  }

  // -- variables: `tail` is the last use of the one that a block has
  struct State {
    Value handle;
    Type type;
    int tail = -1;
    int place = 0;
  };
  void UseState(Block* block, State* state) {
    const std::pair<std::string, AttrValue> dtype{"dtype", AttrValue(state->type.dtype)};
    int n;
    switch (Pick(4)) {
      case 0: n = Op(block, "AssignVariableOp", {state->handle, Some(block, state->type)}, {}, {dtype}); break;
      case 1:
        if (state->type.dtype == DataType::kFloat) {
          n = Op(block, Pick(2) == 0 ? "AssignAddVariableOp" : "AssignSubVariableOp",
                 {state->handle, Some(block, state->type)}, {}, {dtype});
          break;
        }
        [[fallthrough]];
      default: n = Op(block, "ReadVariableOp", {state->handle}, {state->type}, {dtype});
    }
    Order(block, state, n);
  }
  void Order(Block* block, State* state, int n) {
    Item& item = block->items[At(n)];
    if (state->tail >= 0) item.controls.push_back(state->tail);
    item.place = state->place;
    state->tail = n;
  }
  State NewState(Block* block) {
    State state;
    state.type = {SomeNumber(), Pick(3)};
    const int handle = Op(block, "VarHandleOp", {}, {{DataType::kResource, 0}},
                          {{"dtype", AttrValue(state.type.dtype)},
                           {"shape", AttrValue(PartialTensorShape(ShapeOf(state.type.rank)))},
                           {"shared_name", AttrValue(StrCat("variable", next_variable_++))}});
    state.handle = {handle, 0};
    state.place = block->items[At(handle)].place;
    block->items[At(handle)].controls.clear();
    const int n = Op(block, "AssignVariableOp", {state.handle, Some(block, state.type)}, {},
                     {{"dtype", AttrValue(state.type.dtype)}});
    Order(block, &state, n);
    return state;
  }

  // -- items with blocks
  std::vector<Value> Captures(Block* block, int most) {
    std::vector<Value> values;
    const int count = 1 + Pick(most);
    for (int i = 0; i < count; ++i) values.push_back(Some(block, SomeType()));
    return values;
  }
  std::vector<Type> TypesOf(const Block& block, const std::vector<Value>& values) {
    std::vector<Type> types;
    for (const Value& v : values) types.push_back(block.TypeOf(v));
    return types;
  }
  // `inner`: the variable is the last parameter.
  Block Body(std::vector<Type> params, const std::vector<Type>& results, int depth, const State* outer) {
    Block block;
    block.params = std::move(params);
    State inner;
    if (outer != nullptr) {
      inner.handle = {-static_cast<int>(block.params.size()), 0};
      inner.type = outer->type;
    }
    Fill(&block, 1 + Pick(5), depth, outer == nullptr ? nullptr : &inner);
    for (const Type& type : results) block.results.push_back(Some(&block, type));
    return block;
  }
  void Branch(Block* block, int depth, State* state) {
    const bool on_frames = state == nullptr && Pick(2) == 0;
    const int branches = on_frames || Pick(3) != 0 ? 2 : 3;
    Item item;
    item.kind = on_frames ? Item::Kind::kCond : branches == 2 ? Item::Kind::kIf : Item::Kind::kCase;
    const Value choice = branches == 2 ? Some(block, DataType::kBool, 0) : Some(block, DataType::kInt32, 0);
    std::vector<Value> captures = Captures(block, 3);
    if (state != nullptr) captures.push_back(state->handle);
    const std::vector<Type> params = TypesOf(*block, captures);
    const int results = 1 + Pick(2);
    for (int i = 0; i < results; ++i) item.outputs.push_back(SomeType());
    for (int i = 0; i < branches; ++i) item.blocks.push_back(Body(params, item.outputs, depth + 1, state));
    item.inputs.push_back(choice);
    item.inputs.insert(item.inputs.end(), captures.begin(), captures.end());
    item.list_begin = 1;
    item.list_size = static_cast<int>(captures.size());
    if (on_frames) {
      item.outputs.push_back({DataType::kInt32, 0});
    } else {
      item.op = StrCat(state == nullptr ? "Stateless" : "", branches == 2 ? "If" : "Case");
      if (branches == 2) item.attrs.emplace_back("Tcond", AttrValue(DataType::kBool));
      item.attrs.emplace_back("Tin", TypesAttr(params));
      item.attrs.emplace_back("Tout", TypesAttr(item.outputs));
      if (Pick(2) == 0) item.attrs.emplace_back("_lower_using_switch_merge", AttrValue(true));
    }
    Finish(block, std::move(item), state);
  }
  void Loop(Block* block, int depth, State* state) {
    const int way = Pick(3);
    Item item;
    item.kind = state != nullptr ? Item::Kind::kWhile
                : way == 0       ? Item::Kind::kLoop
                : way == 1       ? Item::Kind::kWhile
                                 : Item::Kind::kFor;
    item.trips = Pick(5);
    item.parallel = Pick(3) == 0 ? 1 : Pick(2) == 0 ? 2 : 10;
    item.inputs = Captures(block, 3);
    item.carried = static_cast<int>(item.inputs.size());
    const std::vector<Type> carried = TypesOf(*block, item.inputs);
    if (item.kind == Item::Kind::kLoop && Pick(2) == 0) {
      const std::vector<Value> constant = Captures(block, 2);
      item.inputs.insert(item.inputs.end(), constant.begin(), constant.end());
    }
    if (state != nullptr) item.inputs.push_back(state->handle);
    std::vector<Type> params = TypesOf(*block, item.inputs);
    item.outputs = item.kind == Item::Kind::kWhile ? params : carried;
    params.insert(params.begin(), {DataType::kInt32, 0});
    item.blocks.push_back(Body(params, carried, depth + 1, state));
    item.list_size = static_cast<int>(item.inputs.size());
    if (item.kind == Item::Kind::kLoop) {
      item.outputs.push_back({DataType::kInt32, 0});
    } else if (item.kind == Item::Kind::kFor) {
      const Value start = Int(block, 0), limit = Int(block, item.trips), delta = Int(block, 1);
      item.inputs.insert(item.inputs.begin(), {start, limit, delta});
      item.list_begin = 3;
      item.op = "For";
      item.attrs.emplace_back("T", TypesAttr(item.outputs));
      if (Pick(2) == 0) item.attrs.emplace_back("_lower_using_switch_merge", AttrValue(true));
    } else {
      // The counter is the first variable.
      item.inputs.insert(item.inputs.begin(), Int(block, 0));
      item.outputs.insert(item.outputs.begin(), {DataType::kInt32, 0});
      ++item.list_size;
      item.op = state == nullptr ? "StatelessWhile" : "While";
      if (state != nullptr) item.blocks[0].results.push_back({-static_cast<int>(params.size()), 0});
      item.attrs = {{"T", TypesAttr(item.outputs)}, {"parallel_iterations", AttrValue(item.parallel)}};
      if (Pick(2) == 0) item.attrs.emplace_back("_lower_using_switch_merge", AttrValue(true));
    }
    Finish(block, std::move(item), state);
  }
  void Call(Block* block, int depth, State* state) {
    Item item;
    item.kind = Item::Kind::kCall;
    item.inputs = Captures(block, 3);
    if (state != nullptr) item.inputs.push_back(state->handle);
    item.list_size = static_cast<int>(item.inputs.size());
    const std::vector<Type> params = TypesOf(*block, item.inputs);
    for (int i = Pick(2); i >= 0; --i) item.outputs.push_back(SomeType());
    item.blocks.push_back(Body(params, item.outputs, depth + 1, state));
    item.op = state == nullptr ? "PartitionedCall" : "StatefulPartitionedCall";
    item.attrs = {{"Tin", TypesAttr(params)}, {"Tout", TypesAttr(item.outputs)}};
    // One that stays a call runs whole on its device, wherever the variable is.
    if (state != nullptr || Pick(2) == 0) item.attrs.emplace_back("_lower_as_multi_device_function", AttrValue(true));
    stateful_ = stateful_ || state != nullptr;
    Finish(block, std::move(item), state);
  }
  void Finish(Block* block, Item item, State* state) {
    const int n = Push(block, std::move(item));
    if (state != nullptr) Order(block, state, n);
  }

  void Fill(Block* block, int count, int depth, State* given = nullptr) {
    State own[2];
    int states = 0;
    for (int i = 0; i < count; ++i) {
      const int what = Pick(20);
      State* const state = given != nullptr ? given : states > 0 ? &own[Pick(states)] : nullptr;
      if (what < 6) {
        Arithmetic(block);
      } else if (what < 9) {
        Unary(block);
      } else if (what < 11) {
        Decide(block);
      } else if (what < 14) {
        Move(block);
      } else if (what < 15) {
        if (!block->items.empty()) Barrier(block);
      } else if (what < 17) {
        if (state != nullptr) UseState(block, state);
        if (depth == 0 && states < 2 && Pick(3) == 0) own[states++] = NewState(block);
      } else if (depth < kMaxDepth) {
        State* const used = Pick(2) == 0 ? state : nullptr;
        if (what == 17) Branch(block, depth, used);
        if (what == 18) Loop(block, depth, used);
        if (what == 19) Call(block, depth, used);
      }
    }
    if (given != nullptr) UseState(block, given);
  }

  std::mt19937_64 random_;
  int next_variable_ = 0;
  bool stateful_ = false;
};

// Writes programs as graphs: parameters are placeholders "p0", "p1", ..., results names. Nodes get the devices in turn,
// those of functions none; no devices: nobody gets one.
class RandomGraphWriter {
 public:
  explicit RandomGraphWriter(SlimVector<std::string> devices = {}) : devices_(std::move(devices)) {}

  // Also gives items that call functions the attrs that name them.
  GraphDef Write(Block* program, std::vector<std::string>* results) {
    GraphDef graph;
    graph.versions.producer = 1500;
    std::vector<std::string> params;
    for (std::size_t i = 0; i < program->params.size(); ++i) {
      params.push_back(StrCat("p", i));
      NodeDef node;
      node.name = params.back();
      node.op = "Placeholder";
      node.attr.Set("dtype", AttrValue(program->params[i].dtype));
      node.attr.Set("shape", AttrValue(PartialTensorShape(ShapeOf(program->params[i].rank))));
      graph.node.push_back(std::move(node));
    }
    library_ = &graph.library;
    functions_ = 0;
    *results = WriteBlock(program, {&graph.node, false, "", ""}, params);
    return graph;
  }

 private:
  using Names = std::vector<std::string>;
  // Where nodes go. `pivot`: what nodes without inputs wait for, so that they are in the branch or the loop.
  struct Scope {
    SlimVector<NodeDef>* nodes;
    bool in_function;
    std::string prefix, pivot;
  };

  static std::size_t At(int i) { return static_cast<std::size_t>(i); }
  static std::string Name(const Scope& scope, const std::string& node, std::string_view op, int out) {
    if (!scope.in_function) return out == 0 ? node : StrCat(node, ":", out);
    const OpView* view = Registry::Global().FindOp(op);
    if (view == nullptr) return StrCat(node, ":unregistered:", out);  // the graph's importer names the op
    const bool one = view->outputs.size() == 1;
    return StrCat(node, ":", view->outputs[one ? 0 : At(out)].name(), ":", one ? out : 0);
  }
  using Attrs = std::initializer_list<std::pair<std::string, AttrValue>>;
  NodeDef& AddNode(const Scope& scope, const std::string& name, std::string_view op, const Names& inputs,
                   const Attrs& attrs, int place) {
    NodeDef& node = scope.nodes->emplace_back();
    node.name = StrCat(scope.prefix, name);
    node.op = std::string(op);
    for (const std::string& input : inputs) node.input.push_back(input);
    for (const auto& [key, value] : attrs) node.attr.Set(key, value);
    if (!devices_.empty() && !scope.in_function)
      node.device = StrCat("/device:", devices_[At(place) % devices_.size()]);
    return node;
  }
  std::string Add(const Scope& scope, const std::string& name, std::string_view op, const Names& inputs,
                  const Attrs& attrs, int place) {
    const std::string node = AddNode(scope, name, op, inputs, attrs, place).name;
    return Name(scope, node, op, 0);
  }

  Names WriteBlock(Block* block, const Scope& scope, const Names& params) {
    std::vector<Names> made;
    const auto name_of = [&](Value v) { return v.node < 0 ? params[At(-1 - v.node)] : made[At(v.node)][At(v.out)]; };
    for (std::size_t n = 0; n < block->items.size(); ++n) {
      Item& item = block->items[n];
      Names inputs;
      for (const Value& v : item.inputs) inputs.push_back(name_of(v));
      const std::string name = StrCat("n", n);
      if (item.kind == Item::Kind::kCond) {
        made.push_back(WriteCond(&item, scope, name, inputs));
      } else if (item.kind == Item::Kind::kLoop) {
        made.push_back(WriteLoop(&item, scope, name, inputs));
      } else {
        WriteFunctions(&item);
        for (const int c : item.controls) inputs.push_back(StrCat("^", scope.prefix, "n", c));
        // Without a control edge what a call's function makes out of nothing would be in no branch or loop once
        // inlined.
        const bool waits = item.inputs.empty() || item.kind == Item::Kind::kCall;
        if (waits && !scope.pivot.empty()) inputs.push_back(StrCat("^", scope.pivot));
        NodeDef& node = AddNode(scope, name, item.op, inputs, {}, item.place);
        for (const auto& [key, value] : item.attrs) node.attr.Set(key, value);
        Names& outputs = made.emplace_back();
        for (int i = 0; i < static_cast<int>(item.outputs.size()); ++i)
          outputs.push_back(Name(scope, StrCat(scope.prefix, name), item.op, i));
      }
    }
    Names results;
    for (const Value& v : block->results) results.push_back(name_of(v));
    return results;
  }

  Names WriteCond(Item* item, const Scope& scope, const std::string& name, const Names& inputs) {
    const Scope at{scope.nodes, scope.in_function, StrCat(scope.prefix, name, "/"), scope.pivot};
    const auto named = [&](std::string_view local) { return StrCat(at.prefix, local); };
    int place = item->place;
    const std::pair<std::string, AttrValue> boolean{"T", AttrValue(DataType::kBool)};
    Add(at, "pred", "Switch", {inputs[0], inputs[0]}, {boolean}, ++place);
    Names no, yes;
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      const std::string node = StrCat("switch", i);
      Add(at, node, "Switch", {inputs[i], inputs[0]}, {{"T", AttrValue(item->blocks[0].params[i - 1].dtype)}}, ++place);
      no.push_back(Name(at, named(node), "Switch", 0));
      yes.push_back(Name(at, named(node), "Switch", 1));
    }
    Add(at, "no", "Identity", {Name(at, named("pred"), "Switch", 0)}, {boolean}, ++place);
    Add(at, "yes", "Identity", {Name(at, named("pred"), "Switch", 1)}, {boolean}, ++place);
    const Names then = WriteBlock(&item->blocks[0], {at.nodes, at.in_function, named("then/"), named("yes")}, yes);
    const Names other = WriteBlock(&item->blocks[1], {at.nodes, at.in_function, named("else/"), named("no")}, no);
    Names outputs;
    for (std::size_t i = 0; i < then.size(); ++i)
      outputs.push_back(Add(at, StrCat("merge", i), "Merge", {other[i], then[i]},
                            {{"T", AttrValue(item->outputs[i].dtype)}, {"N", AttrValue(std::int64_t{2})}}, ++place));
    outputs.push_back(Name(at, named("merge0"), "Merge", 1));
    return outputs;
  }

  Names WriteLoop(Item* item, const Scope& scope, const std::string& name, const Names& inputs) {
    const Scope at{scope.nodes, scope.in_function, StrCat(scope.prefix, name, "/"), scope.pivot};
    const auto named = [&](std::string_view local) { return StrCat(at.prefix, local); };
    int place = item->place;
    Block& body = item->blocks[0];
    const auto constant = [&](const Scope& in, const std::string& node, std::int32_t value, const std::string& pivot) {
      return Add(in, node, "Const", pivot.empty() ? Names{} : Names{StrCat("^", pivot)},
                 {{"dtype", AttrValue(DataType::kInt32)}, {"value", AttrValue(Tensor::Scalar(value))}}, ++place);
    };
    const auto enter = [&](std::size_t i, const std::string& input, bool is_constant) {
      return Add(at, StrCat("enter", i), "Enter", {input},
                 {{"T", AttrValue(i >= body.params.size() ? DataType::kInt32 : body.params[i].dtype)},
                  {"frame_name", AttrValue(at.prefix)},
                  {"is_constant", AttrValue(is_constant)},
                  {"parallel_iterations", AttrValue(item->parallel)}},
                 ++place);
    };
    const std::size_t variables = 1 + At(item->carried);  // the counter first
    Names from = inputs;
    from.insert(from.begin(), constant(at, "zero", 0, at.pivot));
    const std::string limit = enter(from.size(), constant(at, "limit", item->trips, at.pivot), true);
    Names params, merges;
    std::vector<std::size_t> back;  // the node of each Merge, whose second input comes later
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::string entered = enter(i, from[i], i >= variables);
      params.push_back(entered);
      if (i >= variables) continue;
      back.push_back(at.nodes->size());
      merges.push_back(Add(at, StrCat("merge", i), "Merge", {entered},
                           {{"T", AttrValue(body.params[i].dtype)}, {"N", AttrValue(std::int64_t{2})}}, ++place));
    }
    const std::pair<std::string, AttrValue> integer{"T", AttrValue(DataType::kInt32)};
    const std::string less = Add(at, "less", "Less", {merges[0], limit}, {integer}, ++place);
    const std::string cond = Add(at, "cond", "LoopCond", {less}, {}, ++place);
    Names outputs;
    for (std::size_t i = 0; i < variables; ++i) {
      const std::pair<std::string, AttrValue> type{"T", AttrValue(body.params[i].dtype)};
      const std::string node = StrCat("switch", i);
      Add(at, node, "Switch", {merges[i], cond}, {type}, ++place);
      params[i] = Name(at, named(node), "Switch", 1);
      outputs.push_back(Add(at, StrCat("exit", i), "Exit", {Name(at, named(node), "Switch", 0)}, {type}, ++place));
    }
    std::rotate(outputs.begin(), outputs.begin() + 1, outputs.end());  // the counter comes last
    Add(at, "pivot", "Identity", {params[0]}, {integer}, ++place);
    const Scope inside{at.nodes, at.in_function, named("body/"), named("pivot")};
    Names next = WriteBlock(&body, inside, params);
    const std::string one = constant(at, "one", 1, named("pivot"));
    next.insert(next.begin(), Add(at, "add", "AddV2", {params[0], one}, {integer}, ++place));
    // What follows from constants of the loop alone is made without end: it has to wait for its turn.
    for (std::size_t i = 1; i < variables; ++i)
      next[i] = Add(at, StrCat("turn", i), "Identity", {next[i], StrCat("^", named("pivot"))},
                    {{"T", AttrValue(body.params[i].dtype)}}, ++place);
    for (std::size_t i = 0; i < variables; ++i) {
      std::string last =
          Add(at, StrCat("next", i), "NextIteration", {next[i]}, {{"T", AttrValue(body.params[i].dtype)}}, ++place);
      (*at.nodes)[back[i]].input.push_back(std::move(last));
    }
    return outputs;
  }

  // -- functions
  static void SetAttr(Item* item, const std::string& key, AttrValue value) {
    for (auto& [name, old] : item->attrs)
      if (name == key) return void(old = std::move(value));
    item->attrs.emplace_back(key, std::move(value));
  }
  static NameAttrList Calling(const std::string& function) {
    NameAttrList call;
    call.name = function;
    return call;
  }
  void WriteFunctions(Item* item) {
    switch (item->kind) {
      case Item::Kind::kIf:
        SetAttr(item, "then_branch", AttrValue(Calling(AddFunction(&item->blocks[0], false))));
        SetAttr(item, "else_branch", AttrValue(Calling(AddFunction(&item->blocks[1], false))));
        break;
      case Item::Kind::kCase: {
        AttrValue branches;
        branches.mutable_list();
        for (Block& block : item->blocks) branches.mutable_list()->func.push_back(Calling(AddFunction(&block, false)));
        SetAttr(item, "branches", std::move(branches));
        break;
      }
      case Item::Kind::kWhile:
        SetAttr(item, "cond", AttrValue(Calling(AddCondition(item->blocks[0], item->trips))));
        SetAttr(item, "body", AttrValue(Calling(AddFunction(&item->blocks[0], true))));
        break;
      case Item::Kind::kFor: SetAttr(item, "body", AttrValue(Calling(AddFunction(&item->blocks[0], false)))); break;
      case Item::Kind::kCall: SetAttr(item, "f", AttrValue(Calling(AddFunction(&item->blocks[0], false)))); break;
      default: break;
    }
  }
  static OpDef::ArgDef Arg(std::string name, DataType type) {
    OpDef::ArgDef arg;
    arg.name = std::move(name);
    arg.type = type;
    return arg;
  }
  FunctionDef NewFunction(const std::vector<Type>& params, Names* names) {
    FunctionDef function;
    function.signature.name = StrCat("f", functions_++);
    for (std::size_t i = 0; i < params.size(); ++i) {
      names->push_back(StrCat("p", i));
      function.signature.input_arg.push_back(Arg(names->back(), params[i].dtype));
      if (params[i].dtype == DataType::kResource) function.signature.is_stateful = true;
    }
    return function;
  }
  // `counts`: it also gives its first parameter plus one, as the first result.
  std::string AddFunction(Block* block, bool counts) {
    Names params;
    FunctionDef function = NewFunction(block->params, &params);
    const Scope scope{&function.node_def, true, "", ""};
    Names results = WriteBlock(block, scope, params);
    std::vector<DataType> types;
    for (const Value& v : block->results) types.push_back(block->TypeOf(v).dtype);
    if (counts) {
      const std::string one = Add(scope, "one", "Const", {},
                                  {{"dtype", AttrValue(DataType::kInt32)}, {"value", AttrValue(Tensor::Scalar(1))}}, 0);
      results.insert(results.begin(),
                     Add(scope, "more", "AddV2", {"p0", one}, {{"T", AttrValue(DataType::kInt32)}}, 0));
      types.insert(types.begin(), DataType::kInt32);
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::string name = StrCat("r", i);
      function.signature.output_arg.push_back(Arg(name, types[i]));
      function.ret.push_back({name, results[i]});
    }
    for (std::size_t n = block->items.size(); n-- > 0;) {
      if (!UsesVariable(*block, block->items[n])) continue;
      function.signature.control_output.push_back("used");  // whoever waits for the call waits for this
      function.control_ret.push_back({"used", StrCat("n", n)});
      break;
    }
    std::string name = function.signature.name;
    library_->function.push_back(std::move(function));
    return name;
  }
  static bool UsesVariable(const Block& block, const Item& item) {
    for (const Value& v : item.inputs)
      if (block.TypeOf(v).dtype == DataType::kResource) return true;
    return false;
  }
  std::string AddCondition(const Block& body, int trips) {
    Names params;
    FunctionDef function = NewFunction(body.params, &params);
    const Scope scope{&function.node_def, true, "", ""};
    const std::string limit =
        Add(scope, "limit", "Const", {},
            {{"dtype", AttrValue(DataType::kInt32)}, {"value", AttrValue(Tensor::Scalar(trips))}}, 0);
    function.signature.output_arg.push_back(Arg("r0", DataType::kBool));
    function.ret.push_back({"r0", Add(scope, "less", "Less", {"p0", limit}, {{"T", AttrValue(DataType::kInt32)}}, 0)});
    std::string name = function.signature.name;
    library_->function.push_back(std::move(function));
    return name;
  }

  SlimVector<std::string> devices_;
  FunctionDefLibrary* library_ = nullptr;
  int functions_ = 0;
};

}  // namespace random_graphs

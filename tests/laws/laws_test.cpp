// SPDX-License-Identifier: Apache-2.0
// Laws that hold for every op of a kind, run over whatever is registered: an op that is added later is held to them
// without a line here. The kind is known by the shape function; expected values come from other calls of the op.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/op/op_def/to_op_def.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/kernel/registry/registry.hpp>

#include <doctest/doctest.h>

#include "ops/support.hpp"

using namespace tenon;
using namespace tenon::testing;

namespace {

// The registered ops with this shape function and `inputs` single tensors, of which the first is of a type attr; they
// need no attr but types and keep no state.
std::vector<const OpView*> OpsOfKind(ShapeFn shape_fn, std::size_t inputs) {
  std::vector<const OpView*> found;
  for (const OpView* op : Registry::Global().ops().ops()) {
    bool fits =
        op->shape_fn == shape_fn && op->inputs.size() == inputs && op->outputs.size() == 1 && !op->flags.is_stateful;
    // One needs a loop around it, the other takes vectors of few lengths.
    fits = fits && op->name != "Exit" && op->name != "DataFormatVecPermute";
    for (const ArgSpec& input : op->inputs) fits = fits && op->NumberAttr(input) == nullptr && !input.is_ref;
    fits = fits && op->TypeAttr(op->inputs[0]) != nullptr;
    for (const OpDef::AttrDef& attr : ToOpDef(*op).attr)
      fits = fits && (attr.type == "type" || attr.default_value.has_value());
    fits = fits && op->deprecated_since == 0;  // new graphs do not have it
    if (fits) found.push_back(op);
  }
  return found;
}

// The op's output; none where TensorFlow has no such op for the type (any other error fails the test).
std::vector<Tensor> Try(const OpView& op, const std::vector<Tensor>& inputs, const AttrArgs& attrs = {}) {
  Result<std::vector<Tensor>> outputs = CallOp(op.name, attrs, inputs, 1);
  if (outputs.ok()) return *std::move(outputs);
  const std::string_view text = outputs.status().message();
  const bool no_such_op =
      text.find("no kernel for op") != std::string_view::npos ||
      text.find("is not in the list of allowed values") != std::string_view::npos ||
      text.find("NodeDef missing attr") != std::string_view::npos;  // an output type that no input gives
  CHECK_MESSAGE(no_such_op, op.name, ": ", outputs.status().ToString());
  return {};
}
Tensor One(std::string_view op, const AttrArgs& attrs, const std::vector<Tensor>& inputs) {
  return RunAll(op, attrs, inputs, 1)[0];
}

// Equal, floats up to `units` roundings.
bool Near(const Tensor& a, const Tensor& b, double units) {
  if (a.dtype() != DataType::kFloat || b.dtype() != DataType::kFloat || !(a.shape() == b.shape()))
    return SameTensor(a, b);
  for (Index i = 0; i < a.NumElements(); ++i) {
    const double x = static_cast<double>(a.data<float>()[i]), y = static_cast<double>(b.data<float>()[i]);
    if (x != y && !(x != x && y != y) && !(std::abs(x - y) <= units * 0x1p-24 * std::abs(x))) return false;
  }
  return true;
}

// Numbers that every function is defined for, as floats between 0 and 1.
template <class T>
Tensor Some(const TensorShape& shape, std::uint64_t seed) {
  return std::is_same_v<T, float> ? Random<T>(shape, seed, 0.1, 0.9) : Random<T>(shape, seed, 1, 9);
}

// y(own, own) where both are one buffer that only this op reads, so that it may write over what it still has to read.
Tensor OfOneBuffer(const OpView& op, const Tensor& x) {
  GraphBuilder b;
  const Output fed = b.Placeholder("x", x.dtype());
  const Output own = b.Add("Mul", "own", {fed, b.Const("one", One("OnesLike", {}, {x}))});
  b.Add(op.name, "y", std::vector<Output>(op.inputs.size(), own));
  const Result<Session> session = Session::FromGraph(b);
  REQUIRE_MESSAGE(session.ok(), session.status().message());
  const Result<std::vector<Tensor>> y = session->Run({{"x:0", x}}, {"y:0"});
  REQUIRE_MESSAGE(y.ok(), y.status().message());
  return (*y)[0];
}

#define TENON_TEST_LAW(name) TEST_CASE_TEMPLATE(name, T, float, std::int32_t)

}  // namespace

TEST_SUITE("Functions of each element") {
  TENON_TEST_LAW("keep the shape; what one element becomes does not depend on the others, nor on whose the buffer is") {
    int tested = 0;
    for (const OpView* op : OpsOfKind(&shape_inference::UnchangedShape, 1)) {
      CAPTURE(op->name);
      const Tensor x = Some<T>({3, 23}, 1);
      const std::vector<Tensor> y = Try(*op, {x});
      if (y.empty()) continue;
      ++tested;
      REQUIRE(y[0].shape() == x.shape());
      for (const Index rows : {1, 2}) CHECK(Near(Try(*op, {x.Slice(rows, 3).DeepCopy()})[0], y[0].Slice(rows, 3), 4));
      for (const TensorShape& shape : {TensorShape{}, {0}, {4, 0, 2}, {1, 2, 1, 2, 1, 2, 1, 2}})
        CHECK(Try(*op, {Some<T>(shape, 2)})[0].shape() == shape);
      CHECK(SameTensor(OfOneBuffer(*op, x), y[0]));
    }
    CHECK(tested >= (std::is_same_v<T, float> ? 40 : 8));
  }
}

TEST_SUITE("Functions of pairs") {
  TENON_TEST_LAW("repeating an operand is what broadcasting does; both may be one buffer; some commute") {
    int tested = 0, commute = 0;
    for (const OpView* op : OpsOfKind(&shape_inference::BroadcastBinaryOpShapeFn, 2)) {
      CAPTURE(op->name);
      const Tensor x = Some<T>({4, 3}, 1), row = Some<T>({3}, 2), column = Some<T>({4, 1}, 3);
      const std::vector<Tensor> y = Try(*op, {x, row});
      if (y.empty()) continue;
      ++tested;
      const Tensor rows = One("Tile", {}, {One("Reshape", {}, {row, Ints({1, 3})}), Ints({4, 1})});
      const Tensor columns = One("Tile", {}, {column, Ints({1, 3})});
      CHECK(Near(Try(*op, {x, rows})[0], y[0], 4));
      CHECK(Near(Try(*op, {row, x})[0], Try(*op, {rows, x})[0], 4));
      CHECK(Near(Try(*op, {column, row})[0], Try(*op, {columns, rows})[0], 4));
      CHECK(Try(*op, {Tensor(x.dtype(), {0, 3}), row})[0].shape() == TensorShape({0, 3}));
      CHECK(CallOp(op->name, {}, {x, Some<T>({2}, 1)}, 1).status().code() == Code::kInvalidArgument);
      CHECK(SameTensor(OfOneBuffer(*op, x), Try(*op, {x, x})[0]));
      if (!op->flags.is_commutative) continue;
      ++commute;
      CHECK(SameTensor(Try(*op, {row, x})[0], y[0]));
    }
    CHECK(tested >= 15);
    CHECK(commute >= 3);
  }
}

TEST_SUITE("Reductions") {
  TENON_TEST_LAW("of all is that of the parts, and dimensions may go one after the other") {
    int tested = 0;
    for (const OpView* op : OpsOfKind(&shape_inference::ReductionShape, 2)) {
      CAPTURE(op->name);
      if (!std::is_same_v<T, float> && (op->name == "Mean" || op->name == "EuclideanNorm"))
        continue;  // they are cut off
      const Tensor a = Some<T>({4, 3, 2}, 1), b = Some<T>({4, 3, 2}, 2);
      const auto of = [&](const Tensor& x, const Tensor& axes) { return One(op->name, {}, {x, axes}); };
      if (Try(*op, {a, Ints({0})}).empty()) continue;
      ++tested;
      const Tensor whole = One("ConcatV2", {}, {a, b, Int(0)});
      const Tensor parts = One("Pack", {}, {of(a, Ints({0})), of(b, Ints({0}))});
      CHECK(Near(of(parts, Ints({0})), of(whole, Ints({0})), 16));
      CHECK(Near(of(of(a, Ints({2})), Ints({0})), of(a, Ints({0, -1})), 16));
      CHECK(Near(of(a, Ints({1})), of(One("Transpose", {}, {a, Ints({1, 0, 2})}), Ints({0})), 16));
      CHECK(Near(of(a, Ints({})), a, 2));
      const Tensor kept = One(op->name, {{"keep_dims", true}}, {a, Ints({1})});
      REQUIRE(kept.shape() == TensorShape({4, 1, 2}));
      CHECK(SameTensor(One("Squeeze", {}, {kept}), of(a, Ints({1}))));
      CHECK(of(Tensor(a.dtype(), {0, 5}), Ints({1})).shape() == TensorShape({0}));
    }
    CHECK(tested >= 4);
  }
}

TEST_SUITE("Moves") {
  struct Step {
    std::string_view op;
    AttrArgs attrs;
    std::vector<Tensor> more;  // inputs behind the tensor
  };

  TENON_TEST_LAW("there and back is where it was, bit by bit") {
    const std::vector<std::pair<Step, Step>> trips = {
        {{"ReverseV2", {}, {Ints({0, 2})}}, {"ReverseV2", {}, {Ints({2, 0})}}},
        {{"Roll", {}, {Ints({5, -1}), Ints({0, 1})}}, {"Roll", {}, {Ints({-5, 1}), Ints({0, 1})}}},
        {{"Transpose", {}, {Ints({2, 0, 3, 1})}}, {"Transpose", {}, {Ints({1, 3, 0, 2})}}},
        {{"ExpandDims", {}, {Int(-2)}}, {"Squeeze", {{"squeeze_dims", std::vector<std::int64_t>{3}}}, {}}},
        {{"Reshape", {}, {Ints({4, -1})}}, {"Reshape", {}, {Ints({2, 4, 6, 4})}}},
        {{"SpaceToDepth", {{"block_size", 2}}, {}}, {"DepthToSpace", {{"block_size", 2}}, {}}},
        {{"SpaceToBatch", {{"block_size", 2}}, {Make<std::int32_t>({2, 2}, {1})}},
         {"BatchToSpace", {{"block_size", 2}}, {Make<std::int32_t>({2, 2}, {1})}}},
        {{"Pad", {}, {Make<std::int32_t>({4, 2}, {2, 1})}}, {"Slice", {}, {Ints({2, 2, 2, 2}), Ints({2, 4, 6, 4})}}},
        {{"MirrorPad", {{"mode", "SYMMETRIC"}}, {Make<std::int32_t>({4, 2}, {1, 2})}},
         {"StridedSlice", {}, {Ints({1, 1, 1, 1}), Ints({3, 5, 7, 5}), Ints({1, 1, 1, 1})}}},
        {{"Tile", {}, {Ints({1, 2, 1, 3})}}, {"Slice", {}, {Ints({0, 4, 0, 4}), Ints({2, 4, 6, 4})}}},
        {{"Bitcast", {{"type", DataType::kUint8}}, {}}, {"Bitcast", {{"type", dtype_of_v<T>}}, {}}},
        {{"GatherV2", {}, {Ints({3, 1, 0, 2}), Int(1)}}, {"GatherV2", {}, {Ints({2, 1, 3, 0}), Int(1)}}},
    };
    const auto take = [](const Step& step, Tensor x) {
      std::vector<Tensor> inputs{std::move(x)};
      inputs.insert(inputs.end(), step.more.begin(), step.more.end());
      return One(step.op, step.attrs, inputs);
    };
    for (const auto& [there, back] : trips) {
      CAPTURE(there.op);
      const Tensor x = AnyBits(dtype_of_v<T>, {2, 4, 6, 4});
      CHECK(SameTensor(take(back, take(there, x)), x));
    }
  }
}

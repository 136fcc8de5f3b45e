// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/output_check.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/kernel/context_access.hpp>
#include <tenon/kernel/variable.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/runtime/api/session.hpp>

#include "any_node.hpp"

namespace output_check_test {
using namespace tenon;

namespace {
constexpr auto kSame = Op("OcSame").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
constexpr OpView kSameOp = kSame.view();
constexpr auto kFilled =
    Op("OcFilled").Input("dims: int32").Output("y: float").SetShapeFn(shape_inference::RandomShape);
constexpr OpView kFilledOp = kFilled.view();
int shape_function_runs = 0;
Status CountedShape(InferenceContext* c) {
  ++shape_function_runs;
  return shape_inference::UnchangedShape(c);
}
constexpr auto kCounted = Op("OcCounted").Input("x: float").Output("y: float").SetShapeFn(CountedShape);
constexpr OpView kCountedOp = kCounted.view();

// What a kernel does to its output; the first element of its input says it.
enum Deed { kGood, kNothing, kInt, kLonger, kCopy, kDeeds };
void Do(Deed deed, const Tensor& x, OpKernelContext* ctx) {
  switch (deed) {
    case kNothing: (void)ctx->release_output(0); break;
    case kInt: ctx->set_output(0, Tensor::Zeros<std::int32_t>({2})); break;
    case kLonger: ctx->set_output(0, Tensor::Zeros<float>({3})); break;
    case kCopy: ctx->set_output(0, x.DeepCopy()); break;
    default: ctx->set_output(0, x);
  }
}
struct RawKernel : OpKernel {
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Do(static_cast<Deed>(x.data<float>()[0]), x, ctx);
  }
};
struct OcRaw {
  static constexpr auto signature =
      Op("OcRaw").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : RawKernel {
    using RawKernel::RawKernel;
  };
};
// The framework sizes the output; the kernel sets another.
struct OcContext {
  static constexpr auto signature =
      Op("OcContext").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
  struct kernel {
    Status operator()(Context<Device> context, In<float> x, Out<float> y) const {
      for (Index i = 0; i < x.size(); ++i) y[i] = x[i];
      const auto deed = static_cast<Deed>(x[0]);
      if (deed != kGood) Do(deed, context.op().input(0), &context.op());
      return OkStatus();
    }
  };
};
struct OcLate {
  static constexpr auto signature =
      Op("OcLate").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
  struct kernel {
    Status operator()(Device&, In<float> x, Late<float>& y) const {
      const auto deed = static_cast<Deed>(x[0]);
      if (deed == kNothing) return OkStatus();
      TENON_ASSIGN_OR_RETURN(Out<float> out, y.Allocate({deed == kLonger ? x.size() + 1 : x.size()}));
      for (Index i = 0; i < x.size(); ++i) out[i] = x[i];
      return OkStatus();
    }
  };
};
// A reference output that gets a plain tensor, and a plain one that gets a reference.
struct OcRefs {
  static constexpr auto signature = Op("OcRefs")
                                        .Output("r: Ref(float)")
                                        .Output("y: float")
                                        .Attr("deed: int")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : OpKernel {
    explicit kernel(OpKernelConstruction* c) : OpKernel(c) { c->SetStatus(c->GetAttr("deed", &deed)); }
    void Compute(OpKernelContext* ctx) override {
      Ref<LegacyVar> variable = Ref<LegacyVar>::Adopt(new LegacyVar(DataType::kFloat));
      variable->tensor = Tensor::Scalar(1.0f);
      Tensor* out = nullptr;
      if (deed == 0) ctx->set_output(0, Tensor::Scalar(1.0f));
      if (deed == 1) ctx->SetStatus(ctx->allocate_output(0, {}, &out));
      if (deed != 0) ctx->set_output_ref(0, variable);
      if (deed == 2) return ctx->set_output_ref(1, variable);
      if (deed == 3) return ctx->set_output(1, RefTo(variable));
      ctx->set_output(1, Tensor::Scalar(1.0f));
    }
    std::int64_t deed = 0;
  };
};
TENON_REGISTER(OcRaw, OcContext, OcLate, OcRefs);

// x -> op -> sum = op + op.
struct Runs {
  Runs(std::string op, SessionOptions options) : name(std::move(op)) {
    GraphBuilder b;
    const Output call = b.Add(name, "call", {b.Placeholder("x", DataType::kFloat)});
    b.Add("AddV2", "sum", {call, call});
    auto made = Session::FromGraph(b, options);
    REQUIRE_MESSAGE(made.ok(), made.status().message());
    session = *std::move(made);
  }
  Result<std::vector<Tensor>> Run(Deed deed, float second = 5) const {
    return session.Run({{"x", MakeTensor<float>({2}, {static_cast<float>(deed), second})}}, {"sum"});
  }
  void CheckGood(Deed deed = kGood, float second = 5) const {
    const auto out = Run(deed, second);
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].flat<float>()[1] == 2 * second);
  }
  void CheckBad(Deed deed, std::string_view text) const {
    const Status status = Run(deed).status();
    CHECK(status.code() == Code::kInternal);
    CHECK_MESSAGE(status.message() == StrCat(text, " [node 'call', CPU:0]"), status.message());
  }
  std::string name;
  Session session;
};
}  // namespace

TEST_SUITE("CheckOutputShapes") {
  TEST_CASE("compares with what the shape function says of the inputs") {
    kernel_test::AnyNode<> node(kSameOp, {}, {Tensor::Zeros<float>({2, 3})}, {DataType::kFloat});
    ShapeMemo memo;
    node.frame.memo = &memo;
    node.outputs[0] = Tensor::Zeros<float>({2, 3});
    CHECK(detail::CheckOutputShapes(node.frame).ok());
    node.outputs[0] = Tensor::Zeros<float>({3, 2});
    for (int round = 0; round < 2; ++round)
      CHECK(
          detail::CheckOutputShapes(node.frame).ToString() ==
          "INTERNAL: Output 0 of node 'here', op 'OcSame', has shape [3,2], but the op's shape function says [2,3] for "
          "its inputs");
    node.inputs[0] = Tensor::Zeros<float>({3, 2});
    CHECK(detail::CheckOutputShapes(node.frame).ok());
  }
  TEST_CASE("reads values, but not of an input that the output has overwritten") {
    kernel_test::AnyNode<> node(kFilledOp, {}, {MakeTensor<std::int32_t>({2}, {4, 5})}, {DataType::kFloat});
    ShapeMemo memo;
    node.frame.memo = &memo;
    node.outputs[0] = Tensor::Zeros<float>({4, 5});
    CHECK(detail::CheckOutputShapes(node.frame).ok());
    node.outputs[0] = Tensor::Zeros<float>({4, 6});
    CHECK(detail::CheckOutputShapes(node.frame).code() == Code::kInternal);
    node.inputs[0] = MakeTensor<std::int32_t>({2}, {4, 6});  // another value of the same shape
    CHECK(detail::CheckOutputShapes(node.frame).ok());
    node.inputs[0] = MakeTensor<std::int32_t>({2}, {-4, 5});  // the shape function refuses this, the kernel did not
    CHECK(detail::CheckOutputShapes(node.frame).ok());
  }
  TEST_CASE("runs the shape function once for the same inputs") {
    kernel_test::AnyNode<> node(kCountedOp, {}, {Tensor::Zeros<float>({2})}, {DataType::kFloat});
    ShapeMemo memo;
    node.frame.memo = &memo;
    node.outputs[0] = Tensor::Zeros<float>({2});
    shape_function_runs = 0;
    for (int round = 0; round < 3; ++round) CHECK(detail::CheckOutputShapes(node.frame).ok());
    CHECK(shape_function_runs == 1);
    node.inputs[0] = node.outputs[0] = Tensor::Zeros<float>({4});
    CHECK(detail::CheckOutputShapes(node.frame).ok());
    CHECK(shape_function_runs == 2);
  }
}

TEST_SUITE("outputs in a session") {
  TEST_CASE("are checked in every run, in every engine") {
    for (const std::string op : {"OcRaw", "OcContext", "OcLate"})
      for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
        CAPTURE(op);
        CAPTURE(static_cast<int>(executor));
        const Runs runs(op, {.inter_op_threads = 2, .executor = executor, .plan_after_runs = 2});
        const std::string missing =
            StrCat("Missing 0-th output from {{node call}}: the kernel of op '", op, "' returned without setting it");
        const std::string type = StrCat(
            "Output 0 of type int32 does not match declared output type float for node {{node call}}, op '", op, "'");
        const std::string shape = StrCat("Output 0 of node 'call', op '", op,
                                         "', has shape [3], but the op's shape function says [2] for its inputs");
        for (int round = 0; round < 3; ++round) {  // with a plan, and after one was dropped
          for (int good = 0; good < 4; ++good) runs.CheckGood(kGood, static_cast<float>(good));
          for (int bad = 0; bad < 3; ++bad) {
            runs.CheckBad(kLonger, shape);
            runs.CheckBad(kNothing, missing);
            if (op != "OcLate") runs.CheckBad(kInt, type);
          }
          for (int good = 0; good < 4; ++good) {
            runs.CheckGood(kGood, static_cast<float>(good));
            runs.CheckBad(std::vector{kNothing, kLonger, kNothing, kLonger}[static_cast<std::size_t>(good)],
                          good % 2 == 0 ? missing : shape);
          }
        }
      }
  }
  TEST_CASE("that a kernel sets in the place of planned ones count") {
    const Runs runs("OcContext", {.executor = ExecutorKind::kSequential, .plan_after_runs = 2});
    for (int round = 0; round < 8; ++round) {
      runs.CheckGood(kCopy, static_cast<float>(round));
      runs.CheckGood(kGood, static_cast<float>(round) + 100);
    }
  }
  TEST_CASE("that are references get variables, the others do not") {
    constexpr std::string_view kTexts[] = {
        "Output 0 of type float does not match declared output type float_ref for node {{node call}}, op 'OcRefs'",
        "allocate_output with ref type. index=0 type: float_ref kernel=call of op 'OcRefs'; set_output_ref gives it a "
        "variable",
        "set_output_ref: output 1 of node 'call', op 'OcRefs', is a float, not a float_ref",
        "Output 1 of type float_ref does not match declared output type float for node {{node call}}, op 'OcRefs'"};
    for (int deed = 0; deed < 5; ++deed)
      for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
        GraphBuilder b;
        const std::vector<GraphBuilder::Attr> attrs = {{"deed", deed}};
        b.AddNode("OcRefs", "call", {}, attrs);
        const auto session = Session::FromGraph(b, {.inter_op_threads = 2, .executor = executor});
        for (int round = 0; round < 2; ++round) {
          const Status status = session->Run({}, {"call:1"}).status();
          if (deed == 4) {
            CHECK_MESSAGE(status.ok(), status.message());
            continue;
          }
          CHECK(status.code() == Code::kInternal);
          CHECK(status.message() == StrCat(kTexts[deed], " [node 'call', CPU:0]"));
        }
      }
  }
  TEST_CASE("of nodes that could be folded are checked, too") {
    for (const Deed deed : {kNothing, kInt, kLonger}) {
      GraphBuilder b;
      const Output constant = b.Const("c", MakeTensor<float>({2}, {static_cast<float>(deed), 1}));
      b.Add("Identity", "out", {b.Add("OcRaw", "call", {constant})});
      const auto session = Session::FromGraph(b);
      for (int round = 0; round < 2; ++round) {
        const Status status = session->Run({}, {"out"}).status();
        CHECK(status.code() == Code::kInternal);
        CHECK_MESSAGE(status.message().find("[node 'call', CPU:0]") != std::string_view::npos, status.message());
      }
    }
  }
}
}  // namespace output_check_test

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Descriptions of control-flow, call and transfer ops, spelt as in TensorFlow, beside those of test_ops.hpp.

#include <string>
#include <string_view>

#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/graph/graph.hpp>

#include "graph/test_ops.hpp"

namespace tenon::testing {

namespace flow_ops {

namespace si = shape_inference;

#define TENON_TEST_OP(name, ...)                                                                 \
  inline constexpr auto k##name##Signature = Op(#name) __VA_ARGS__.SetShapeFn(si::UnknownShape); \
  inline constexpr OpView k##name = k##name##Signature.view()

TENON_TEST_OP(Switch,
              .Input("data: T").Input("pred: bool").Output("output_false: T").Output("output_true: T").Attr("T: type"));
TENON_TEST_OP(_SwitchN, .Input("data: T")
                            .Input("output_index: int32")
                            .Output("outputs: num_outs * T")
                            .Attr("num_outs: int >= 1")
                            .Attr("T: type"));
TENON_TEST_OP(Enter, .Input("data: T")
                         .Output("output: T")
                         .Attr("T: type")
                         .Attr("frame_name: string")
                         .Attr("is_constant: bool = false")
                         .Attr("parallel_iterations: int = 10"));
TENON_TEST_OP(Exit, .Input("data: T").Output("output: T").Attr("T: type"));
TENON_TEST_OP(LoopCond, .Input("input: bool").Output("output: bool"));
TENON_TEST_OP(ControlTrigger, );
TENON_TEST_OP(Less, .Input("x: T").Input("y: T").Output("z: bool").Attr("T: {float, int32, int64}"));
TENON_TEST_OP(Equal, .Input("x: T").Input("y: T").Output("z: bool").Attr("T: {float, int32, int64}"));
TENON_TEST_OP(NotEqual, .Input("x: T").Input("y: T").Output("z: bool").Attr("T: {float, int32, int64}"));
TENON_TEST_OP(LogicalOr, .Input("x: bool").Input("y: bool").Output("z: bool"));
TENON_TEST_OP(Sub, .Input("x: T").Input("y: T").Output("z: T").Attr("T: {float, int32, int64}"));
TENON_TEST_OP(FloorMod, .Input("x: T").Input("y: T").Output("z: T").Attr("T: {float, int32, int64}"));
TENON_TEST_OP(Assert, .Input("condition: bool").Input("data: T").Attr("T: list(type) >= 1").SetIsStateful());
TENON_TEST_OP(PartitionedCall, .Input("args: Tin")
                                   .Output("output: Tout")
                                   .Attr("Tin: list(type) >= 0")
                                   .Attr("Tout: list(type) >= 0")
                                   .Attr("f: func"));
TENON_TEST_OP(StatefulPartitionedCall, .Input("args: Tin")
                                           .Output("output: Tout")
                                           .Attr("Tin: list(type) >= 0")
                                           .Attr("Tout: list(type) >= 0")
                                           .Attr("f: func")
                                           .SetIsStateful());
TENON_TEST_OP(If, .Input("cond: Tcond")
                      .Input("input: Tin")
                      .Output("output: Tout")
                      .Attr("Tcond: type")
                      .Attr("Tin: list(type) >= 0")
                      .Attr("Tout: list(type) >= 0")
                      .Attr("then_branch: func")
                      .Attr("else_branch: func")
                      .SetIsStateful());
TENON_TEST_OP(StatelessCase, .Input("branch_index: int32")
                                 .Input("input: Tin")
                                 .Output("output: Tout")
                                 .Attr("Tin: list(type) >= 0")
                                 .Attr("Tout: list(type) >= 0")
                                 .Attr("branches: list(func) >= 1"));
TENON_TEST_OP(While, .Input("input: T")
                         .Output("output: T")
                         .Attr("T: list(type) >= 0")
                         .Attr("cond: func")
                         .Attr("body: func")
                         .Attr("parallel_iterations: int = 10")
                         .SetIsStateful());
TENON_TEST_OP(For, .Input("start: int32")
                       .Input("limit: int32")
                       .Input("delta: int32")
                       .Input("input: T")
                       .Output("output: T")
                       .Attr("T: list(type) >= 0")
                       .Attr("body: func"));
TENON_TEST_OP(_Retval, .Input("input: T").Attr("T: type").Attr("index: int >= 0").SetIsStateful());
TENON_TEST_OP(_Send, .Input("tensor: T")
                         .Attr("T: type")
                         .Attr("tensor_name: string")
                         .Attr("send_device: string")
                         .Attr("send_device_incarnation: int")
                         .Attr("recv_device: string")
                         .Attr("client_terminated: bool = false")
                         .SetIsStateful());
TENON_TEST_OP(_HostSend, .Input("tensor: T")
                             .Attr("T: type")
                             .Attr("tensor_name: string")
                             .Attr("send_device: string")
                             .Attr("send_device_incarnation: int")
                             .Attr("recv_device: string")
                             .Attr("client_terminated: bool = false")
                             .SetIsStateful());
TENON_TEST_OP(_Recv, .Output("tensor: tensor_type")
                         .Attr("tensor_type: type")
                         .Attr("tensor_name: string")
                         .Attr("send_device: string")
                         .Attr("send_device_incarnation: int")
                         .Attr("recv_device: string")
                         .Attr("client_terminated: bool = false")
                         .SetIsStateful());
TENON_TEST_OP(_HostRecv, .Output("tensor: tensor_type")
                             .Attr("tensor_type: type")
                             .Attr("tensor_name: string")
                             .Attr("send_device: string")
                             .Attr("send_device_incarnation: int")
                             .Attr("recv_device: string")
                             .Attr("client_terminated: bool = false")
                             .SetIsStateful());

#undef TENON_TEST_OP

}  // namespace flow_ops

inline const OpRegistry& FlowOps() {
  static const OpRegistry* registry = [] {
    auto* made = new OpRegistry();
    for (const OpView* op : TestOps().ops()) (void)made->Register(*op);
    for (const OpView* op : {&flow_ops::kSwitch,
                             &flow_ops::k_SwitchN,
                             &flow_ops::kEnter,
                             &flow_ops::kExit,
                             &flow_ops::kLoopCond,
                             &flow_ops::kControlTrigger,
                             &flow_ops::kLess,
                             &flow_ops::kEqual,
                             &flow_ops::kNotEqual,
                             &flow_ops::kLogicalOr,
                             &flow_ops::kSub,
                             &flow_ops::kFloorMod,
                             &flow_ops::kAssert,
                             &flow_ops::kPartitionedCall,
                             &flow_ops::kStatefulPartitionedCall,
                             &flow_ops::kIf,
                             &flow_ops::kStatelessCase,
                             &flow_ops::kWhile,
                             &flow_ops::kFor,
                             &flow_ops::k_Retval,
                             &flow_ops::k_Send,
                             &flow_ops::k_HostSend,
                             &flow_ops::k_Recv,
                             &flow_ops::k_HostRecv})
      (void)made->Register(*op);
    return made;
  }();
  return *registry;
}

// "op(input, input:1, ^control)" of a node, "" when there is none.
inline std::string Text(const GraphDef& graph, std::string_view name) {
  for (const NodeDef& node : graph.node) {
    if (node.name != name) continue;
    std::string text = node.op + "(";
    for (const std::string& input : node.input) text += (&input == node.input.begin() ? "" : ", ") + input;
    return text + ")";
  }
  return "";
}
inline std::string Text(const Graph& graph, std::string_view name) { return Text(graph.ToGraphDef(), name); }

}  // namespace tenon::testing

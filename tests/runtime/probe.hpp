// SPDX-License-Identifier: Apache-2.0
#pragma once
// Probes: nodes that hand their input on, and that one time do something to the run they are in: fail, cancel it, close
// its session, or wait until somebody gives the run up. Included by one test file.

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include <tenon/base/notification.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/runtime/api/session.hpp>

namespace runtime_test {

using namespace tenon;

enum class Injection { kNone, kError, kCancel, kClose, kBlock };

// What the probes of the run in progress are to do.
struct Probes {
  std::atomic<int> count{0};  // runs of probes so far
  int strike_at = -1;  // the number of the one that does it
  Injection injection = Injection::kNone;
  CancellationManager* cancellation = nullptr;
  Session* session = nullptr;

  void Reset(Injection what, int at) {
    count = 0;
    strike_at = at;
    injection = what;
  }
  static Probes& Global() {
    static Probes probes;
    return probes;
  }
  Status Strike(OpKernelContext* ctx) {
    if (count.fetch_add(1) != strike_at) return OkStatus();
    switch (injection) {
      case Injection::kNone: break;
      case Injection::kError: return errors::DataLoss("injected");
      case Injection::kCancel: cancellation->StartCancel(); break;
      case Injection::kClose: return session->Close();
      case Injection::kBlock: return WaitForCancel(ctx->cancellation_manager());
    }
    return OkStatus();
  }
  static Status WaitForCancel(CancellationManager* run) {
    Notification cancelled;
    const auto token = run->NewToken();
    if (run->Register(token, [&] { cancelled.Notify(); })) {
      cancelled.WaitForNotification();
      (void)run->Deregister(token);
    }
    return errors::Cancelled("the probe was cancelled");
  }
};

class ProbeKernel : public OpKernel {
 public:
  explicit ProbeKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* ctx) override {
    ctx->SetStatus(Probes::Global().Strike(ctx));
    ctx->set_output(0, ctx->input(0));
  }
};
struct TestProbe {
  static constexpr auto signature = Op("TestProbe")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: type")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : ProbeKernel {
    using ProbeKernel::ProbeKernel;
  };
};
TENON_REGISTER(Types<float, std::int32_t, bool>, TestProbe);

// The graph with a probe behind every node that has one plain output: its readers read the probe. Back edges and what
// decides about control flow stay as they are.
inline GraphDef WithProbes(GraphDef graph) {
  static const std::set<std::string_view> ops = {"Placeholder",
                                                 "Const",
                                                 "Identity",
                                                 "AddV2",
                                                 "Mul",
                                                 "Sub",
                                                 "Less",
                                                 "Merge",
                                                 "Enter",
                                                 "Exit",
                                                 "PartitionedCall",
                                                 "StatelessIf",
                                                 "StatelessWhile",
                                                 "QueueDequeueV2",
                                                 "ReadVariableOp"};
  std::set<std::string> probed;
  const std::size_t count = graph.node.size();
  for (std::size_t n = 0; n < count; ++n) {
    const NodeDef& node = graph.node[n];
    if (!ops.contains(std::string_view(node.op))) continue;
    const auto type_of = [&]() -> DataType {
      if (node.op == "Less") return DataType::kBool;
      for (const char* name : {"T", "dtype"})
        if (const AttrValue* type = node.attr.Find(name); type != nullptr && type->kind() == AttrValue::Kind::kType)
          return type->type();
      return DataType::kFloat;
    };
    NodeDef probe;
    probe.name = node.name + "/probe";
    probe.op = "TestProbe";
    probe.input.push_back(node.name);
    probe.attr.Insert("T", AttrValue(type_of()));
    probed.insert(node.name);
    graph.node.push_back(std::move(probe));
  }
  for (NodeDef& node : graph.node) {
    if (node.op == "TestProbe") continue;
    for (std::string& input : node.input) {
      const std::string name = input.ends_with(":0") ? input.substr(0, input.size() - 2) : input;
      if (probed.contains(name)) input = name + "/probe";
    }
  }
  return graph;
}

}  // namespace runtime_test

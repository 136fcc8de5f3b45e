// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/transfers.hpp>

#include "graph/placing.hpp"

namespace transfers_test {
using namespace tenon;

namespace {

Transfer Make(std::string name) {
  return {std::move(name), "/device:CPU:0", "/device:GPU:0", 7, DataType::kFloat, "a", "b"};
}

Status Check(std::initializer_list<NodeDef> nodes) {
  TransferCheck check;
  const GraphDef def = testing::MakeGraph(nodes);
  check.Add(def);
  return check.Finish();
}

}  // namespace

TEST_SUITE("transfers") {
  TEST_CASE("nodes have what TensorFlow's have") {
    const NodeDef send = MakeSend("s", true, Make("edge_3_a"), "a:1"), recv = MakeRecv("r", false, Make("edge_3_a"));
    CHECK(send.op == "_HostSend");
    CHECK(send.device == "/device:CPU:0");
    CHECK(send.input == SlimVector<std::string>{"a:1"});
    CHECK(send.attr.Find("T")->type() == DataType::kFloat);
    CHECK(recv.op == "_Recv");
    CHECK(recv.device == "/device:GPU:0");
    CHECK(recv.attr.Find("tensor_type")->type() == DataType::kFloat);
    CHECK(recv.attr.Find("tensor_name")->s() == "edge_3_a");
    CHECK(recv.attr.Find("send_device_incarnation")->i() == 7);
    CHECK_FALSE(recv.attr.Find("client_terminated")->b());
    CHECK(recv.attr.Find("_src")->s() == "a");
    CHECK(recv.attr.Find("_dst")->s() == "b");
  }

  TEST_CASE("each needs its counterpart, once") {
    const NodeDef send = MakeSend("s", false, Make("x"), "a"), recv = MakeRecv("r", false, Make("x"));
    CHECK(Check({send, recv}).ok());
    const Status alone = Check({send});
    CHECK(errors::IsInvalidArgument(alone));
    CHECK(alone.message().find("_Send {{node s}} has no _Recv with its key '/device:CPU:0;7;/device:GPU:0;x'") !=
          std::string_view::npos);
    CHECK(errors::IsInvalidArgument(Check({recv, MakeSend("s", false, Make("y"), "a")})));
    CHECK(errors::IsInvalidArgument(Check({send, recv, MakeRecv("r2", true, Make("x"))})));
    NodeDef client = recv;
    client.attr.Set("client_terminated", AttrValue(true));
    CHECK(Check({client}).ok());
    NodeDef bare = send;
    bare.attr.erase("recv_device");
    CHECK(errors::IsNotFound(Check({bare, recv})));
  }
}
}  // namespace transfers_test

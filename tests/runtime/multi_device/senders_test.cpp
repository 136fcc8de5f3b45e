// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/multi_device/senders.hpp>

#include <string>

#include <doctest/doctest.h>

#include "runtime/split_graph.hpp"

namespace senders_test {
using namespace tenon;
using tenon::detail::PartitionNode;
using tenon::detail::Senders;

namespace {

Node NodeOf(NodeDef def) {
  Node node;
  node.node_class = NodeClassOf(def.op);
  node.def = std::move(def);
  return node;
}
NodeDef Send(const std::string& edge, const std::string& from, const std::string& to) {
  return runtime_test::MakeSend("send", DataType::kFloat, edge, from, to);
}
NodeDef Recv(const std::string& edge, const std::string& from, const std::string& to) {
  return runtime_test::MakeRecv("recv", DataType::kFloat, edge, from, to);
}
std::string Text(PartitionNode at) { return StrCat(at.part, ".", at.node); }

}  // namespace

TEST_SUITE("Senders") {
  TEST_CASE("a sender is found by its name and both devices, the first of two") {
    Senders senders;
    senders.Add(NodeOf(Send("x", "a", "b")), {0, 5});
    senders.Add(NodeOf(Send("x", "b", "a")), {1, 7});
    senders.Add(NodeOf(Send("y", "a", "b")), {0, 9});
    senders.Add(NodeOf(Send("y", "a", "b")), {2, 1});
    CHECK(Text(senders.Find(Recv("x", "a", "b"))) == "0.5");
    CHECK(Text(senders.Find(Recv("x", "b", "a"))) == "1.7");
    CHECK(Text(senders.Find(Recv("y", "a", "b"))) == "0.9");
    CHECK(senders.Find(Recv("z", "a", "b")).part < 0);
    CHECK(senders.Find(Recv("y", "b", "a")).part < 0);
  }

  TEST_CASE("another incarnation, a missing attr and other nodes have no sender") {
    Senders senders;
    NodeDef send = Send("x", "a", "b");
    send.attr.Set("send_device_incarnation", AttrValue(std::int64_t{2}));
    senders.Add(NodeOf(send), {0, 1});
    CHECK(senders.Find(Recv("x", "a", "b")).part < 0);
    NodeDef incomplete = Send("y", "a", "b");
    incomplete.attr.erase("recv_device");
    senders.Add(NodeOf(incomplete), {0, 2});
    CHECK(senders.Find(incomplete).part < 0);
    senders.Add(NodeOf(Recv("z", "a", "b")), {0, 3});
    CHECK(senders.Find(Recv("z", "a", "b")).part < 0);
  }
}
}  // namespace senders_test

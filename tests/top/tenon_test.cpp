// SPDX-License-Identifier: Apache-2.0
#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <vector>

// All that a small program needs, from one include: nothing else of Tenon is included here.
namespace top_test {

struct TopTestScale {
  static constexpr auto signature = tenon::Op("TopTestScale")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("factor: float = 2.0")
                                        .Attr("T: {float, double, complex64}")
                                        .SetShapeFn(tenon::shape_inference::UnchangedShape);
  struct Attrs {
    float factor;
  };
  template <class Device, class T>
  struct kernel : Attrs {
    tenon::Status operator()(Device&, tenon::In<T> x, tenon::Out<T> y) const {
      for (tenon::Index i = 0; i < x.size(); ++i) y[i] = x[i] * static_cast<T>(this->factor);
      return tenon::OkStatus();
    }
  };
};

// One name of every floor.
static_assert(std::is_same_v<tenon::type_of_t<tenon::DataType::kComplex64>, tenon::complex64>);
static_assert(sizeof(tenon::Array<int, 3>) == 3 * sizeof(int));
static_assert(sizeof(tenon::TrackingAllocator) > 0 && sizeof(tenon::ThreadPool) > 0);
static_assert(sizeof(tenon::FlatMap<int, int>) > 0 && sizeof(tenon::Function<void()>) > 0);
static_assert(sizeof(tenon::GraphDef) > 0 && sizeof(tenon::Graph) > 0 && sizeof(tenon::Registry) > 0);
static_assert(sizeof(tenon::detail::SessionImpl) > 0);

}  // namespace top_test

TENON_REGISTER(top_test::TopTestScale);

TEST_CASE("one include is enough to define an op, build a graph and run it") {
  tenon::TrackingAllocator memory(tenon::CpuAllocator());
  {
    tenon::GraphBuilder b;
    const auto x = b.Placeholder("x", tenon::DataType::kFloat);
    b.Add("TopTestScale", "y", {b.Add("TopTestScale", "once", {x})}, {{"factor", -1.0f}});
    const auto session = tenon::Session::FromGraph(b, {.allocator = &memory});
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto outputs = session->Run({{"x:0", tenon::MakeTensor<float>({2}, {3, 4})}}, {"y:0"});
    REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
    CHECK((*outputs)[0].vec<float>()(0) == -6);
    CHECK((*outputs)[0].vec<float>()(1) == -8);
    CHECK(memory.num_allocations() > 0);
  }
  CHECK(memory.blocks_in_use() == 0);
}

TEST_CASE("a file that has everything reads and writes tensors, graphs and traces") {
  const std::string missing = "no/such/folder/file";
  CHECK(tenon::ReadNpy(missing).status().code() == tenon::Code::kNotFound);
  CHECK(tenon::ReadGraphFile(missing).status().code() == tenon::Code::kNotFound);
  tenon::RunTrace trace;
  trace.nodes.push_back({"TopTestScale", "op", "CPU:0", 1, 2, 4, 0});
  CHECK(tenon::TimelineHtml(trace, "title").find("TopTestScale") != std::string::npos);
  const tenon::OpDef exported = tenon::ToOpDef(*tenon::Registry::Global().FindOp("TopTestScale"));
  CHECK(exported.attr.size() == 2);
  CHECK(exported.input_arg[0].type_attr == "T");
}

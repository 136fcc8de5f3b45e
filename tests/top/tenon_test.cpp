// SPDX-License-Identifier: Apache-2.0
#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

// All that a program names, from one include; the runtime is in another file.
namespace top_test {

struct TopTestScale {
  static constexpr auto signature = tenon::Op("TopTestScale")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("factor: float = 2.0")
                                        .Attr("T: {float, double}")
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

static_assert(sizeof(tenon::GraphDef) > 0 && sizeof(tenon::Callable) > 0 && sizeof(tenon::AttrValue) > 0);

}  // namespace top_test

TENON_REGISTER(top_test::TopTestScale);

TEST_CASE("one include is enough to define an op, build a graph and run it") {
  tenon::GraphBuilder b;
  const auto x = b.Placeholder("x", tenon::DataType::kFloat);
  b.Add("TopTestScale", "y", {b.Add("TopTestScale", "once", {x})}, {{"factor", -1.0f}});
  const auto session = tenon::Session::FromGraph(b);
  REQUIRE_MESSAGE(session.ok(), session.status().message());
  const auto outputs = session->Run({{"x:0", tenon::MakeTensor<float>({2}, {3, 4})}}, {"y:0"});
  REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
  CHECK((*outputs)[0].vec<float>()(0) == -6);
  CHECK((*outputs)[0].vec<float>()(1) == -8);
}

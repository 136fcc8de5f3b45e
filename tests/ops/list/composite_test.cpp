// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/list/composite.hpp>

#include <string>
#include <utility>
#include <vector>

#include "ops/support.hpp"

namespace list_composite_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("CompositeTensorVariant") {
  const Tensor x = Make<float>({2}, {1, 2}), n = Int(7);
  AttrArgs Attrs(SlimVector<DataType> types, const char* metadata = "") {
    return {{"metadata", metadata}, {"Tcomponents", std::move(types)}};
  }
  Tensor Composed() {
    CompositeTensorVariant value;
    value.components.push_back(x);
    value.components.push_back(n);
    Tensor handle(DataType::kVariant, TensorShape());
    handle.data<Variant>()[0] = Variant(std::move(value));
    return handle;
  }

  TEST_CASE("components come back") {
    GraphBuilder b;
    SlimVector<GraphBuilder::Input> in;
    in.push_back(SlimVector<Output>{b.Const("x", x), b.Const("n", n)});
    const GraphBuilder::Attr attrs[] = {{"metadata", "\x08\x01"},
                                        {"Tcomponents", SlimVector<DataType>{DataType::kFloat, DataType::kInt32}}};
    const Output made = b.AddNode("CompositeTensorVariantFromComponents", "made", in, attrs);
    b.Add("CompositeTensorVariantToComponents", "parts", {made}, {attrs[0], attrs[1]});
    const Result<Session> session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const Result<std::vector<Tensor>> parts = session->Run({}, {"parts:0", "parts:1"});
    REQUIRE_MESSAGE(parts.ok(), parts.status().message());
    CHECK(SameTensor((*parts)[0], x));
    CHECK(SameTensor((*parts)[1], n));
  }
  TEST_CASE("a value keeps its metadata when it is encoded") {
    CompositeTensorVariant value, read;
    value.metadata = "m";
    value.components.push_back(x);
    VariantTensorData data;
    value.Encode(&data);
    CHECK(read.Decode(std::move(data)));
    CHECK(read.metadata == "m");
    CHECK(SameTensor(read.components[0], x));
  }
  TEST_CASE("refuses other numbers and types of components, other values, and texts that are not messages") {
    const auto error = [](SlimVector<DataType> types, const Tensor& value, const char* metadata = "") {
      const Result<std::vector<Tensor>> parts =
          CallOp("CompositeTensorVariantToComponents", Attrs(std::move(types), metadata), {value}, 1);
      return std::string(parts.status().message());
    };
    Tensor other(DataType::kVariant, TensorShape());
    CHECK(error({DataType::kFloat}, Composed()).find("has 2 tensor components; expected 1") != std::string::npos);
    CHECK(error({DataType::kFloat, DataType::kInt64}, Composed()).find("component 1 had dtype int32") !=
          std::string::npos);
    CHECK(error({DataType::kFloat}, other).find("not a valid CompositeTensorVariant") != std::string::npos);
    CHECK(error({DataType::kFloat}, Composed(), "\x07zz").find("Error parsing metadata") != std::string::npos);
  }
}
}  // namespace list_composite_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/tensor_fields.hpp>

#include <doctest/doctest.h>

#include <string>

#include <tenon/wire/tensor_writer.hpp>
#include "base/sized_thread.hpp"
#include "memory/needed.hpp"
#include "wire/tensor_pieces.hpp"

namespace tensor_fields_test {
using namespace tenon;
using namespace tenon::testing;
using namespace std::string_literals;

TEST_SUITE("elements that are messages") {
  TEST_CASE("handles are decoded and not repeated") {
    const std::string handle =
        Bytes(1, "/cpu:0") + Bytes(2, "box") + Bytes(3, "v") + Number(4, 77) + Bytes(5, "Var") + Bytes(6, Number(1, 1));
    const Tensor t = Read(Proto(DataType::kResource, {2}, Bytes(14, handle)));
    CHECK(t.data<ResourceHandle>()[0].device == "/cpu:0");
    CHECK(t.data<ResourceHandle>()[0].container == "box");
    CHECK(t.data<ResourceHandle>()[0].name == "v");
    CHECK(t.data<ResourceHandle>()[0].hash_code == 77);
    CHECK(t.data<ResourceHandle>()[0].maybe_type_name == "Var");
    CHECK(t.data<ResourceHandle>()[1] == ResourceHandle());
    const std::string content = std::string(1, static_cast<char>(handle.size())) + "\x00"s + handle;
    CHECK(Read(Proto(DataType::kResource, {2}, Bytes(4, content))).data<ResourceHandle>()[0].name == "v");
    CHECK(ReadError(Proto(DataType::kResource, {2}, Bytes(14, "\x0a\x09"))).code() == Code::kDataLoss);
  }
  TEST_CASE("handles with the dtypes and shapes of their values") {
    const std::string handle =
        Bytes(3, "v") + Bytes(6, Number(1, 1) + Bytes(2, Shape({2}))) + Bytes(6, Number(1, 3) + Bytes(2, Number(3, 1)));
    const Tensor t = Read(Proto(DataType::kResource, {}, Bytes(14, handle)));
    const ResourceHandle& read = t.data<ResourceHandle>()[0];
    REQUIRE(read.dtypes_and_shapes.size() == 2);
    CHECK(read.dtypes_and_shapes[0] == DtypeAndPartialShape{DataType::kFloat, {2}});
    CHECK(read.dtypes_and_shapes[1] == DtypeAndPartialShape{DataType::kInt32, PartialTensorShape()});
    std::string proto;
    TensorToProto(t, &proto, TensorProtoForm::kTyped);
    CHECK(proto == Proto(DataType::kResource, {}, Bytes(14, handle)));
    const std::string scalar = Bytes(3, "v") + Bytes(6, Number(1, 1));  // no shape: that of a scalar
    CHECK(Read(Proto(DataType::kResource, {}, Bytes(14, scalar))).data<ResourceHandle>()[0].dtypes_and_shapes[0] ==
          DtypeAndPartialShape{DataType::kFloat, TensorShape()});
    CHECK(Has(ReadError(Proto(DataType::kResource, {}, Bytes(14, Bytes(6, Bytes(2, Shape({-7})))))),
              "dimensions with values below -1"));
  }
  TEST_CASE("variants stay serialised, are not repeated, and an empty one is empty") {
    const std::string number = Bytes(1, "int") + Bytes(2, "\5\0\0\0"s);
    const std::string inner = Proto(DataType::kFloat, {}, Bytes(5, Raw<float>({1.5f})));
    const std::string holder = Bytes(1, "tensorflow::Tensor") + Bytes(3, inner);
    Tensor t = Read(Proto(DataType::kVariant, {4}, Bytes(15, number) + Bytes(15, "") + Bytes(15, holder)));
    Variant* const v = t.data<Variant>();
    CHECK(v[0].is_serialized());
    CHECK(v[0].TypeName() == "int");
    CHECK(**GetVariantValue<int>(&v[0]) == 5);
    CHECK(v[1].is_empty());
    CHECK((*GetVariantValue<Tensor>(&v[2]))->scalar<float>()() == 1.5f);
    CHECK(v[3].is_empty());
    const std::string content = Varints({number.size(), 0, holder.size()}) + number + holder;
    t = Read(Proto(DataType::kVariant, {3}, Bytes(4, content)));
    CHECK(t.data<Variant>()[0].get<VariantTensorData>()->metadata.size() == 4);
    CHECK(t.data<Variant>()[1].is_empty());
    CHECK(t.data<Variant>()[2].get<VariantTensorData>()->tensors[0].scalar<float>()() == 1.5f);
  }
  TEST_CASE("a variant of a type that nobody knows is kept and written as it came") {
    const std::string unknown =
        Bytes(1, "who?") + Bytes(2, "knows") + Bytes(3, Proto(DataType::kInt32, {}, Bytes(7, "\3")));
    const std::string proto = Proto(DataType::kVariant, {1}, Bytes(15, unknown));
    std::string again;
    TensorToProto(Read(proto), &again, TensorProtoForm::kTyped);
    CHECK(again == proto);
  }
  TEST_CASE("variants that are nested too deep, in either form, or none") {
    const auto nested = [](int depth, bool content) {
      std::string variant = Bytes(1, "leaf") + Bytes(2, "x");
      for (int i = 1; i < depth; ++i) {
        const std::string values = content ? Bytes(4, Varints({variant.size()}) + variant) : Bytes(15, variant);
        variant = Bytes(1, "tensorflow::Tensor") + Bytes(3, Proto(DataType::kVariant, {}, values));
      }
      return Proto(DataType::kVariant, {}, Bytes(15, variant));
    };
    for (const bool content : {false, true}) {
      const Tensor t = Read(nested(wire::kMaxVariantDepth, content));
      CHECK(t.data<Variant>()[0].get<VariantTensorData>()->tensors.size() == 1);
      const Status s = ReadError(nested(wire::kMaxVariantDepth + 1, content));
      CHECK(s.code() == Code::kInvalidArgument);
      CHECK(Has(s, "variants are nested more than 48 deep"));
      CHECK_FALSE(ReadError(nested(2000, content)).ok());
      sized_thread::OnShortStack([&nested, content] {
        CHECK(ReadError(nested(1, content)).ok());
        const Status short_of_stack = ReadError(nested(3, content));
        CHECK(short_of_stack.code() == Code::kResourceExhausted);
        CHECK(Has(short_of_stack, "KiB of stack left"));
      });
    }
    CHECK(ReadError(Proto(DataType::kVariant, {}, Bytes(15, "\x0a\x09"))).code() == Code::kDataLoss);
    CHECK(ReadError(Proto(DataType::kVariant, {1}, Bytes(4, "\x02\x0a\x09"))).code() == Code::kDataLoss);
    CHECK(ReadError(Proto(DataType::kVariant, {Index{1} << 60}, "")).code() == Code::kResourceExhausted);
    const std::string bomb = Proto(DataType::kFloat, {Index{1} << 28}, Bytes(5, Raw<float>({1})));
    const std::string holder = Bytes(15, Bytes(1, "tensorflow::Tensor") + Bytes(3, bomb));
    CHECK(TensorFromProto(wire::AsBytes(Proto(DataType::kVariant, {2}, holder + holder)), nullptr, 1 << 20)
              .status()
              .code() == Code::kResourceExhausted);
  }
}
}  // namespace tensor_fields_test

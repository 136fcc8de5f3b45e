// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/tensor_proto.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include "memory/needed.hpp"
#include "wire/tensor_pieces.hpp"

namespace tensor_proto_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

template <class T>
void RoundTrips(const Tensor& tensor) {
  for (const auto form : {TensorProtoForm::kAuto, TensorProtoForm::kContent, TensorProtoForm::kTyped}) {
    std::string proto;
    TensorToProto(tensor, &proto, form);
    const Tensor back = Read(proto);
    CHECK(back.dtype() == tensor.dtype());
    CHECK(back.shape() == tensor.shape());
    const In<T> a = tensor.flat<T>(), b = back.flat<T>();
    for (Index i = 0; i < a.size(); ++i) CHECK(std::memcmp(&a[i], &b[i], sizeof(T)) == 0);
  }
}

}  // namespace

TEST_SUITE("TensorProto") {
  TEST_CASE("every plain type is the same after it was written in each form") {
    RoundTrips<float>(MakeTensor<float>({2, 2}, {1, -0.0f, 3e38f, 1e-45f}));
    RoundTrips<double>(MakeTensor<double>({2}, {1e300, -5}));
    RoundTrips<std::int8_t>(MakeTensor<std::int8_t>({3}, {-128, 0, 127}));
    RoundTrips<std::uint8_t>(MakeTensor<std::uint8_t>({3}, {0, 128, 255}));
    RoundTrips<std::int16_t>(MakeTensor<std::int16_t>({2}, {-32768, 32767}));
    RoundTrips<std::uint16_t>(MakeTensor<std::uint16_t>({2}, {0, 65535}));
    RoundTrips<std::int32_t>(MakeTensor<std::int32_t>({2}, {-2147483647, 2147483647}));
    RoundTrips<std::uint32_t>(MakeTensor<std::uint32_t>({2}, {0, 4294967295u}));
    RoundTrips<std::int64_t>(MakeTensor<std::int64_t>({2}, {-(Index{1} << 62), Index{1} << 62}));
    RoundTrips<std::uint64_t>(MakeTensor<std::uint64_t>({2}, {1, ~std::uint64_t{0}}));
    RoundTrips<bool>(MakeTensor<bool>({3}, {true, false, true}));
    RoundTrips<half>(MakeTensor<half>({2}, {half(1.0f), half(-2.0f)}));
    RoundTrips<bfloat16>(MakeTensor<bfloat16>({2}, {bfloat16(1.0f), bfloat16(-2.0f)}));
    RoundTrips<float8_e5m2>(MakeTensor<float8_e5m2>({2}, {float8_e5m2(1.0f), float8_e5m2(-2.0f)}));
    RoundTrips<int4>(MakeTensor<int4>({2}, {int4(-8), int4(7)}));
    RoundTrips<qint8>(MakeTensor<qint8>({2}, {qint8(-8), qint8(7)}));
    RoundTrips<quint16>(MakeTensor<quint16>({2}, {quint16(65535), quint16(7)}));
    RoundTrips<qint32>(MakeTensor<qint32>({2}, {qint32(-8), qint32(7)}));
    RoundTrips<complex64>(MakeTensor<complex64>({2}, {{1, 2}, {3, -4}}));
    RoundTrips<complex128>(MakeTensor<complex128>({1}, {{1, 2}}));
  }
  TEST_CASE("strings and handles are the same after it too") {
    Tensor strings(DataType::kString, {3});
    strings.flat<tstring>()[0] = "a";
    strings.flat<tstring>()[2] = std::string(1000, 'z');
    Tensor handles(DataType::kResource, {2});
    Needed(handles.data<ResourceHandle>())[1].name = "v";
    for (const auto form : {TensorProtoForm::kAuto, TensorProtoForm::kContent, TensorProtoForm::kTyped}) {
      std::string proto;
      TensorToProto(strings, &proto, form);
      const Tensor back = Read(proto);
      for (Index i = 0; i < 3; ++i) CHECK(back.flat<tstring>()[i] == strings.flat<tstring>()[i]);
      proto.clear();
      TensorToProto(handles, &proto, form);
      CHECK(Read(proto).data<ResourceHandle>()[1].name == "v");
    }
  }
  TEST_CASE("variants are the same after it, decoded or not") {
    Tensor t(DataType::kVariant, {4});
    Needed(t.data<Variant>())[0] = 7;
    t.data<Variant>()[2] = MakeTensor<tstring>({2}, {"a", "b"});
    t.data<Variant>()[3] = Tensor::Scalar(Variant(Tensor::Scalar(Variant(true))));
    std::string first;
    for (const auto form : {TensorProtoForm::kAuto, TensorProtoForm::kContent, TensorProtoForm::kTyped}) {
      std::string proto, again;
      TensorToProto(t, &proto, form);
      Tensor back = Read(proto);
      TensorToProto(back, &again, form);
      CHECK(proto == again);
      CHECK(**GetVariantValue<int>(&back.data<Variant>()[0]) == 7);
      CHECK(back.data<Variant>()[1].is_empty());
      CHECK((*GetVariantValue<Tensor>(&back.data<Variant>()[2]))->flat<tstring>()[1] == "b");
      Tensor* const middle = *GetVariantValue<Tensor>(&back.data<Variant>()[3]);
      Tensor* const inner = *GetVariantValue<Tensor>(middle->data<Variant>());
      CHECK(**GetVariantValue<bool>(inner->data<Variant>()));
    }
  }
}
}  // namespace tensor_proto_test

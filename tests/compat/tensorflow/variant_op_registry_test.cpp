// SPDX-License-Identifier: Apache-2.0
// Functions of variants by their type: found, called, and shared with Tenon's registry.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include <tenon/compat/tensorflow/base/type_index.hpp>
#include <tenon/compat/tensorflow/variant_op_registry.hpp>

namespace compat_variant_op_registry_test {
using namespace tensorflow;

struct Purse {
  int coins = 0;
  std::string TypeName() const { return "compat_variant_op_registry_test::Purse"; }
  void Encode(VariantTensorData* data) const { data->set_metadata(coins); }
  bool Decode(const VariantTensorData& data) { return data.get_metadata(&coins); }
};
Status Empty(OpKernelContext*, const Purse& in, Purse* out) {
  if (in.coins < 0) return errors::InvalidArgument("debts cannot be emptied");
  out->coins = 0;
  return Status();
}
Status Pool(OpKernelContext*, const Purse& a, const Purse& b, Purse* out) {
  out->coins = a.coins + b.coins;
  return Status();
}
Status Carry(const Purse& from, Purse* to, const UnaryVariantOpRegistry::AsyncTensorDeviceCopyFn& copy) {
  Tensor there;
  TF_RETURN_IF_ERROR(copy(Tensor(static_cast<float>(from.coins)), &there));
  to->coins = static_cast<int>(there.scalar<float>()());
  return Status();
}
REGISTER_UNARY_VARIANT_DECODE_FUNCTION(Purse, "compat_variant_op_registry_test::Purse");
REGISTER_UNARY_VARIANT_UNARY_OP_FUNCTION(ZEROS_LIKE_VARIANT_UNARY_OP, DEVICE_CPU, Purse, Empty);
REGISTER_UNARY_VARIANT_BINARY_OP_FUNCTION(ADD_VARIANT_BINARY_OP, DEVICE_CPU, Purse, Pool);
INTERNAL_REGISTER_UNARY_VARIANT_DEVICE_COPY_FUNCTION(Purse, VariantDeviceCopyDirection::HOST_TO_DEVICE, Carry);

struct Stranger {};

TEST_SUITE("variant_op_registry") {
  TEST_CASE("functions are found by type, op and device") {
    UnaryVariantOpRegistry* const all = UnaryVariantOpRegistry::Global();
    const TypeIndex purse = TypeIndex::Make<Purse>(), stranger = TypeIndex::Make<Stranger>();
    CHECK_FALSE(purse == stranger);
    const Variant variant = Purse{3};
    CHECK(variant.TypeId() == purse);

    auto* const empty = all->GetUnaryOpFn(ZEROS_LIKE_VARIANT_UNARY_OP, DEVICE_CPU, purse);
    REQUIRE(empty != nullptr);
    Variant out;
    REQUIRE((*empty)(nullptr, variant, &out).ok());
    CHECK(out.get<Purse>()->coins == 0);
    CHECK((*empty)(nullptr, Variant(Purse{-1}), &out).message() == "debts cannot be emptied");
    CHECK(errors::IsInternal((*empty)(nullptr, Variant(2.5f), &out)));
    CHECK(all->GetUnaryOpFn(ZEROS_LIKE_VARIANT_UNARY_OP, DEVICE_GPU, purse) == nullptr);
    CHECK(all->GetUnaryOpFn(CONJ_VARIANT_UNARY_OP, DEVICE_CPU, purse) == nullptr);
    CHECK(all->GetUnaryOpFn(ZEROS_LIKE_VARIANT_UNARY_OP, DEVICE_CPU, stranger) == nullptr);

    auto* const pool = all->GetBinaryOpFn(ADD_VARIANT_BINARY_OP, DEVICE_CPU, purse);
    REQUIRE(pool != nullptr);
    REQUIRE((*pool)(nullptr, variant, Variant(Purse{4}), &out).ok());
    CHECK(out.get<Purse>()->coins == 7);
    CHECK(errors::IsInternal((*pool)(nullptr, variant, Variant(1), &out)));
    CHECK(all->GetBinaryOpFn(ADD_VARIANT_BINARY_OP, DEVICE_GPU, purse) == nullptr);

    auto* const carry = all->GetDeviceCopyFn(HOST_TO_DEVICE, purse);
    REQUIRE(carry != nullptr);
    const auto copy = [](const Tensor& from, Tensor* to) { return *to = from, Status(); };
    REQUIRE((*carry)(variant, &out, copy).ok());
    CHECK(out.get<Purse>()->coins == 3);
    CHECK(all->GetDeviceCopyFn(DEVICE_TO_HOST, purse) == nullptr);
  }
  TEST_CASE("serialised values are decoded by name") {
    UnaryVariantOpRegistry* const all = UnaryVariantOpRegistry::Global();
    CHECK(all->GetDecodeFn("compat_variant_op_registry_test::Unknown") == nullptr);
    auto* const decode = all->GetDecodeFn("compat_variant_op_registry_test::Purse");
    REQUIRE(decode != nullptr);
    VariantTensorData data;
    Variant(Purse{12}).Encode(&data);
    Variant serialised = data;
    REQUIRE((*decode)(&serialised));
    CHECK(serialised.get<Purse>()->coins == 12);
    CHECK_FALSE((*decode)(&serialised));  // it is decoded already
    VariantTensorData wrong;
    wrong.set_type_name("compat_variant_op_registry_test::Purse");
    Variant undecodable = wrong;
    CHECK_FALSE((*decode)(&undecodable));

    auto* const number = all->GetDecodeFn("int");  // registered with Tenon alone
    REQUIRE(number != nullptr);
    Variant(5).Encode(&data);
    serialised = data;
    REQUIRE((*number)(&serialised));
    CHECK(*serialised.get<int>() == 5);
  }
  TEST_CASE("ops of variants call the functions of either registry") {
    Variant out;
    CHECK(UnaryOpVariant<Eigen::ThreadPoolDevice>(nullptr, ZEROS_LIKE_VARIANT_UNARY_OP, Purse{9}, &out).ok());
    CHECK(out.get<Purse>()->coins == 0);
    CHECK(BinaryOpVariants<Eigen::ThreadPoolDevice>(nullptr, ADD_VARIANT_BINARY_OP, Purse{1}, Purse{2}, &out).ok());
    CHECK(out.get<Purse>()->coins == 3);
    CHECK(errors::IsInternal(
        BinaryOpVariants<Eigen::ThreadPoolDevice>(nullptr, ADD_VARIANT_BINARY_OP, Purse{1}, 2.5f, &out)));
    CHECK(errors::IsInternal(UnaryOpVariant<Eigen::GpuDevice>(nullptr, ZEROS_LIKE_VARIANT_UNARY_OP, Purse{9}, &out)));
    tenon::Variant by_tenon;
    REQUIRE(tenon::VariantRegistry::Global()
                .Binary(tenon::VariantBinaryOp::kAdd, "CPU", nullptr, Variant(Purse{5}), Variant(Purse{6}), &by_tenon)
                .ok());
    CHECK(by_tenon.get<Purse>()->coins == 11);
  }
  TEST_CASE("a registry of one's own keeps its first functions") {
    UnaryVariantOpRegistry registry;
    CHECK(registry.GetDecodeFn("int") == nullptr);
    registry.RegisterDecodeFn("name", [](Variant* v) { return *v = 1, true; });
    registry.RegisterDecodeFn("name", [](Variant*) { return false; });  // logged
    Variant variant;
    REQUIRE((*registry.GetDecodeFn("name"))(&variant));
    CHECK(*variant.get<int>() == 1);
    const TypeIndex stranger = TypeIndex::Make<Stranger>();
    registry.RegisterUnaryOpFn(CONJ_VARIANT_UNARY_OP, DEVICE_CPU, stranger,
                               [](OpKernelContext*, const Variant& in, Variant* out) { return *out = in, Status(); });
    CHECK(registry.GetUnaryOpFn(CONJ_VARIANT_UNARY_OP, DEVICE_CPU, stranger) != nullptr);
    CHECK(UnaryVariantOpRegistry::Global()->GetUnaryOpFn(CONJ_VARIANT_UNARY_OP, DEVICE_CPU, stranger) == nullptr);
    registry.RegisterBinaryOpFn(ADD_VARIANT_BINARY_OP, DEVICE_CPU, stranger, {});
    CHECK(registry.GetBinaryOpFn(ADD_VARIANT_BINARY_OP, DEVICE_CPU, stranger) != nullptr);
    registry.RegisterDeviceCopyFn(DEVICE_TO_DEVICE, stranger, {});
    CHECK(registry.GetDeviceCopyFn(DEVICE_TO_DEVICE, stranger) != nullptr);
    CHECK(std::string(VariantUnaryOpToString(CONJ_VARIANT_UNARY_OP)) == "CONJ");
    CHECK(std::string(VariantBinaryOpToString(ADD_VARIANT_BINARY_OP)) == "ADD");
  }
}
}  // namespace compat_variant_op_registry_test

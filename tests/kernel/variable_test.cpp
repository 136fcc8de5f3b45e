// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/variable.hpp>

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "kernel/one_node.hpp"

namespace variable_test {
using namespace tenon;
using kernel_test::OneNode;

namespace {

template <class V = Var>
Ref<V> NewVar(const Tensor& value) {
  Ref<V> var = Ref<V>::Adopt(new V(value.dtype()));
  var->tensor = value.DeepCopy();
  var->is_initialized = true;
  return var;
}
Tensor Three() { return MakeTensor<float>({3}, {1, 2, 3}); }

}  // namespace

TEST_SUITE("variables") {
  TEST_CASE("what was read does not change when the variable is written") {
    OneNode node({Three()}, {DataType::kFloat}, DataType::kFloat);
    const Ref<Var> var = NewVar(Three());
    const void* alone = var->tensor.raw_data();
    REQUIRE(var->MakeWritable(node.context).ok());
    CHECK(var->tensor.raw_data() == alone);
    const Tensor read = var->tensor;
    REQUIRE(var->MakeWritable(node.context).ok());
    var->tensor.data<float>()[1] = 9;
    CHECK(read.data<float>()[1] == 2);
    CHECK(var->tensor.data<float>()[2] == 3);
  }
  TEST_CASE("describes itself") {
    CHECK(NewVar(Three())->DebugString() == "float/[3]");
    CHECK(NewVar(Three())->MemoryUsed() == 12);
    CHECK_FALSE(Ref<Var>::Adopt(new Var(DataType::kFloat))->tensor.IsInitialized());
  }
  TEST_CASE("a reference keeps its variable and shows its value of the moment") {
    Ref<LegacyVar> var = NewVar<LegacyVar>(Three());
    LegacyVar* const inside = var.get();
    const Tensor reference = RefTo(std::move(var));
    CHECK(reference.dtype() == MakeRefType(DataType::kFloat));
    CHECK(ReferredBy(reference) == inside);
    CHECK(ReferredBy(Three()) == nullptr);
    Tensor value;
    REQUIRE(ReadReference(reference, "v", &value).ok());
    CHECK(value.raw_data() == inside->tensor.raw_data());
    inside->tensor = Tensor(DataType::kFloat, TensorShape(), nullptr);
    CHECK(ReadReference(reference, "v", &value).ToString() ==
          "FAILED_PRECONDITION: Attempting to use uninitialized value v");
    CHECK(value.NumElements() == 3);
  }
}

TEST_SUITE("LockedVar") {
  TEST_CASE("by a handle") {
    OneNode node({HandleTensor(MakeResourceHandle<Var>("CPU:0", "", "v"))}, {DataType::kResource}, DataType::kFloat);
    {
      LockedVar var;
      CHECK(var.Open(node.context, 0, node.inputs[0], DataType::kFloat).code() == Code::kNotFound);
    }
    const Ref<Var> made = NewVar(Three());
    made->is_initialized = false;
    REQUIRE(node.resources.Create("", "v", made).ok());
    CHECK(LockedVar().Open(node.context, 0, node.inputs[0], DataType::kFloat).ToString() ==
          "FAILED_PRECONDITION: Attempting to use uninitialized value v");
    made->is_initialized = true;
    CHECK(LockedVar().Open(node.context, 0, node.inputs[0], DataType::kInt32).ToString() ==
          "INVALID_ARGUMENT: Trying to use variable v with wrong dtype. Expected float got int32");
    const Tensor read = made->tensor;
    LockedVar var;
    REQUIRE(var.Open(node.context, 0, node.inputs[0], DataType::kFloat).ok());
    CHECK_FALSE(var.is_reference());
    REQUIRE(var.MakeWritable(node.context).ok());
    var.tensor().data<float>()[0] = 5;
    CHECK(read.data<float>()[0] == 1);
    CHECK(&var.var() == made.get());
  }
  TEST_CASE("by a reference, whose elements change in place unless they are texts") {
    const auto writes_in_place = [](const Tensor& value) {
      OneNode node({RefTo(NewVar<LegacyVar>(value))}, {MakeRefType(value.dtype())}, value.dtype());
      const Tensor read = ReferredBy(node.inputs[0])->tensor;
      LockedVar var;
      REQUIRE(var.Open(node.context, 0, node.inputs[0], value.dtype()).ok());
      CHECK(var.is_reference());
      REQUIRE(var.MakeWritable(node.context).ok());
      return var.tensor().raw_data() == read.raw_data();
    };
    CHECK(writes_in_place(Three()));
    CHECK_FALSE(writes_in_place(Tensor::Scalar(std::string_view("text"))));
  }
  TEST_CASE("refuses a value in the place of a reference, and a variable without a value") {
    OneNode node({RefTo(Ref<LegacyVar>::Adopt(new LegacyVar(DataType::kFloat))), Three()},
                 {MakeRefType(DataType::kFloat), MakeRefType(DataType::kFloat)}, DataType::kFloat);
    CHECK(LockedVar().Open(node.context, 0, node.inputs[0], DataType::kFloat).ToString() ==
          "FAILED_PRECONDITION: Attempting to use uninitialized value first");
    CHECK(LockedVar().Open(node.context, 1, node.inputs[1], DataType::kFloat).ToString() ==
          "INVALID_ARGUMENT: Input 1 of node here was passed float incompatible with expected float_ref.");
  }
}
}  // namespace variable_test

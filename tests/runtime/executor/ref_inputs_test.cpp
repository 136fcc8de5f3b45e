// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/executor/ref_inputs.hpp>

#include <utility>

#include <doctest/doctest.h>

#include "kernel/one_node.hpp"

namespace ref_reads_test {
using namespace tenon;
using kernel_test::OneNode;
using tenon::detail::DetachFromVariables;
using tenon::detail::RefReads;

namespace {

constexpr DataType kFloatRef = MakeRefType(DataType::kFloat);

Ref<LegacyVar> NewVar(float value) {
  Ref<LegacyVar> var = Ref<LegacyVar>::Adopt(new LegacyVar(DataType::kFloat));
  var->tensor = Tensor::Scalar(value);
  return var;
}

}  // namespace

TEST_SUITE("RefReads") {
  TEST_CASE("only what the kernel takes as a value is read") {
    OneNode node({RefTo(NewVar(1)), RefTo(NewVar(2)), Tensor::Scalar(3.0f)},
                 {DataType::kFloat, kFloatRef, DataType::kFloat}, DataType::kFloat);
    RefReads reads;
    REQUIRE(reads.Read(node.frame).ok());
    const OpKernelContext::NodeFrame& frame = reads.frame();
    CHECK(frame.kernel == node.frame.kernel);
    CHECK(frame.outputs == node.frame.outputs);
    CHECK(frame.inputs[0]->dtype() == DataType::kFloat);
    CHECK(*frame.inputs[0]->data<float>() == 1);
    CHECK(frame.last_use[0] == 0);  // the variable's own buffer, which the kernel must not take over
    CHECK(frame.inputs[1] == &node.inputs[1]);
    CHECK(frame.inputs[2] == &node.inputs[2]);
    CHECK(frame.last_use[2] == 1);
    // The same node again: the values of this moment.
    ReferredBy(node.inputs[0])->tensor = Tensor::Scalar(5.0f);
    REQUIRE(reads.Read(node.frame).ok());
    CHECK(*reads.frame().inputs[0]->data<float>() == 5);
  }
  TEST_CASE("names the input whose variable has no value") {
    OneNode node({Tensor::Scalar(3.0f), RefTo(Ref<LegacyVar>::Adopt(new LegacyVar(DataType::kFloat)))},
                 {DataType::kFloat, DataType::kFloat}, DataType::kFloat);
    RefReads reads;
    CHECK(reads.Read(node.frame).ToString() == "FAILED_PRECONDITION: Attempting to use uninitialized value second");
  }
}

TEST_CASE("DetachFromVariables: a fetched value is nobody else's") {
  const Tensor reference = RefTo(NewVar(1));
  Tensor fetched = reference;
  REQUIRE(DetachFromVariables("v", &fetched).ok());
  CHECK(fetched.dtype() == DataType::kFloat);
  *ReferredBy(reference)->tensor.data<float>() = 2;
  CHECK(*fetched.data<float>() == 1);

  Tensor shared = ReferredBy(reference)->tensor;
  REQUIRE(DetachFromVariables("v", &shared).ok());
  CHECK(shared.raw_data() != ReferredBy(reference)->tensor.raw_data());
  Tensor own = Tensor::Scalar(4.0f);
  const void* buffer = own.raw_data();
  REQUIRE(DetachFromVariables("v", &own).ok());
  CHECK(own.raw_data() == buffer);  // not copied

  Tensor none = RefTo(Ref<LegacyVar>::Adopt(new LegacyVar(DataType::kFloat)));
  CHECK(DetachFromVariables("v", &none).ToString() == "FAILED_PRECONDITION: Attempting to use uninitialized value v");
}
}  // namespace ref_reads_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/variable/handle_reference.hpp>

#include <tenon/memory/cpu_allocator.hpp>

#include "kernel/any_node.hpp"
#include "ops/outputs.hpp"

namespace state_handle_reference_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::LookupEither;

namespace {

constexpr auto kSignature = Op("ShrLookup").Output("y: float");
constexpr OpView kOp = kSignature.view();

struct Thing final : Resource {
  static constexpr std::string_view kTypeName = "test::Thing";
  std::string DebugString() const override { return "a thing"; }
};
struct Other final : Resource {
  static constexpr std::string_view kTypeName = "test::Other";
  std::string DebugString() const override { return "another"; }
};
Tensor Reference(std::string_view container, std::string_view name) {
  Tensor made;
  REQUIRE(ops::detail::MakeHandleReference(container, name, &made).ok());
  return made;
}
// The error of looking up a Thing by this input, where box/thing is one and box/other is not.
std::string LookedUp(Tensor input) {
  kernel_test::AnyNode<> node(kOp, {}, {std::move(input)}, {});
  REQUIRE(node.resources.Create<Thing>("box", "thing", Ref<Thing>::Adopt(new Thing())).ok());
  REQUIRE(node.resources.Create<Other>("box", "other", Ref<Other>::Adopt(new Other())).ok());
  Ref<Thing> found;
  const Status status = LookupEither<Thing>(node.context, 0, &found);
  CHECK(status.ok() == (found.get() != nullptr));
  return status.ToString();
}
struct ManyHandles {
  static constexpr auto signature = Op("ShrMany")
                                        .Input("a: string")
                                        .Input("b: string")
                                        .Output("x: int32")
                                        .Output("y: bool")
                                        .SetShapeFn(ops::detail::TwoElementInputsScalarOutputs);
};
struct MakesOne {
  static constexpr auto signature = Op("ShrMakes").Output("x: string").SetShapeFn(ops::detail::TwoElementOutput);
};

}  // namespace

TEST_SUITE("handles by reference") {
  TEST_CASE("a reference holds container and name") {
    const Tensor reference = Reference("box", "thing");
    CHECK(reference.dtype() == MakeRefType(DataType::kString));
    Tensor names;
    REQUIRE(ReadReference(reference, "node", &names).ok());
    REQUIRE(names.shape() == TensorShape({2}));
    CHECK(names.data<tstring>()[0].view() == "box");
    CHECK(names.data<tstring>()[1].view() == "thing");
  }
  TEST_CASE("an output is a handle or a reference, as its type wants it") {
    ContainerInfo info;
    info.container = "box";
    info.name = "thing";
    for (const DataType type : {DataType::kResource, MakeRefType(DataType::kString)}) {
      kernel_test::AnyNode<> node(kOp, {}, {}, {type});
      Tensor made(DataType::kInvalid);
      REQUIRE(ops::detail::MakeHandleFor<Thing>(node.context, 0, info, &made).ok());
      CHECK(made.dtype() == type);
      CHECK(LookedUp(made) == "OK");
    }
  }
  TEST_CASE("without memory a handle stays as it was") {
    struct NoBuffers final : AllocationObserver {
      bool MayAllocate(std::size_t, std::size_t) override { return false; }
      void Allocated(void*, std::size_t, std::size_t) override {}
      void Deallocated(void*, std::size_t, std::size_t) override {}
      void MissingMemory(std::string_view) override {}
    } observer;
    ContainerInfo info;
    info.container = "box";
    info.name = "thing";
    for (const DataType type : {DataType::kResource, MakeRefType(DataType::kString)}) {
      kernel_test::AnyNode<> node(kOp, {}, {}, {type});
      Tensor made(DataType::kInvalid);
      CpuAllocator()->SetObserver(&observer);
      const Status status = ops::detail::MakeHandleFor<Thing>(node.context, 0, info, &made);
      CpuAllocator()->SetObserver(nullptr);
      CHECK(status.code() == Code::kResourceExhausted);
      CHECK(made.dtype() == DataType::kInvalid);
    }
  }
  TEST_CASE("what is not there, or is another thing") {
    CHECK(LookedUp(Reference("box", "thing")) == "OK");
    CHECK(LookedUp(Reference("box", "nothing")).find("NOT_FOUND: ") == 0);
    CHECK(LookedUp(Reference("box", "nothing")).find("box/nothing") != std::string::npos);
    CHECK(LookedUp(Reference("other box", "thing")).find("NOT_FOUND: ") == 0);
    CHECK(LookedUp(Reference("box", "other")).find("NOT_FOUND: ") == 0);  // no Thing has that name
  }
  TEST_CASE("tensors that are no reference, or refer to something else") {
    CHECK(LookedUp(Tensor::Scalar(1.0f)) ==
          "INVALID_ARGUMENT: Input 0 of node here was passed float incompatible with expected string_ref.");
    auto floats = Ref<LegacyVar>::Adopt(new LegacyVar(DataType::kFloat));
    floats->tensor = Make<float>({2}, {1, 2});
    CHECK(LookedUp(RefTo(std::move(floats))) ==
          "INVALID_ARGUMENT: Input 0 of node here was passed float_ref incompatible with expected string_ref.");
    auto three = Ref<LegacyVar>::Adopt(new LegacyVar(DataType::kString));
    three->tensor = Tensor(DataType::kString, {3});
    CHECK(LookedUp(RefTo(std::move(three))) ==
          "INVALID_ARGUMENT: Resource handle must have two elements, but had shape: [3]");
    CHECK(LookedUp(RefTo(Ref<LegacyVar>::Adopt(new LegacyVar(DataType::kString)))) ==
          "FAILED_PRECONDITION: Attempting to use uninitialized value here");
  }
  TEST_CASE("their shapes") {
    CHECK(ShapesOf<MakesOne>({}) == "[2]");
    CHECK(ShapesOf<ManyHandles>({{2}, StaticShape()}) == "[] []");
    CHECK(ShapesOf<ManyHandles>({{2}, {3}}) == "INVALID_ARGUMENT: Dimension must be 2 but is 3");
    CHECK(ShapesOf<ManyHandles>({{}, {2}}) == "INVALID_ARGUMENT: Shape must be rank 1 but is rank 0");
  }
}
}  // namespace state_handle_reference_test

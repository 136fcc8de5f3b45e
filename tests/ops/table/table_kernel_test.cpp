// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/table/table_kernel.hpp>

#include "kernel/any_node.hpp"
#include "ops/support.hpp"

namespace state_table_kernel_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::kHashTableTypes;
using ops::detail::kMutableTableTypes;
using ops::detail::kTensorTableTypes;
using ops::detail::LookupTable;
using ops::detail::TableKernel;

namespace {

constexpr auto kSignature = Op("StkTable")
                                .Output("table: resource")
                                .Attr("container: string = ''")
                                .Attr("shared_name: string = ''")
                                .Attr("use_node_name_sharing: bool = false")
                                .Attr("key_dtype: type")
                                .Attr("value_dtype: type")
                                .Attr("value_shape: shape = {}");
constexpr OpView kOp = kSignature.view();

AttrArgs Attrs(DataType key, DataType value, const char* name = "") {
  return {{"key_dtype", key},
          {"value_dtype", value},
          {"container", std::string()},
          {"shared_name", std::string(name)},
          {"use_node_name_sharing", false}};
}
template <bool kOnce, bool kAnonymous>
struct Kernel final : TableKernel {
  explicit Kernel(OpKernelConstruction* c) : TableKernel(c, kMutableTableTypes, kOnce, kAnonymous) {}
};
// A node with such a kernel, and what its run gives.
template <bool kAnonymous>
struct Node : kernel_test::AnyNode<Kernel<false, kAnonymous>> {
  explicit Node(const AttrArgs& attrs, DataType output = DataType::kResource)
      : kernel_test::AnyNode<Kernel<false, kAnonymous>>(kOp, attrs, {}, {output}) {}
  std::string Compute() {
    this->context.Enter(&this->frame);
    this->kernel->Compute(&this->context);
    return this->context.TakeStatus().ToString();
  }
};

}  // namespace

TEST_SUITE("kernels that make tables") {
  TEST_CASE("which types a table of each kind holds") {
    CHECK(kHashTableTypes.Has(DataType::kString, DataType::kString));
    CHECK(kHashTableTypes.Has(DataType::kInt32, DataType::kString));
    CHECK(!kHashTableTypes.Has(DataType::kInt32, DataType::kInt64));
    CHECK(!kHashTableTypes.Has(DataType::kFloat, DataType::kInt64));
    CHECK(!kMutableTableTypes.Has(DataType::kString, DataType::kString));
    CHECK(kMutableTableTypes.Has(DataType::kInt64, DataType::kVariant));
    CHECK(!kTensorTableTypes.Has(DataType::kInt64, DataType::kVariant));
    CHECK(kTensorTableTypes.Has(DataType::kString, DataType::kBool));
    CHECK(!kTensorTableTypes.Has(DataType::kInvalid, DataType::kInvalid));
  }
  TEST_CASE("run after run gives the same handle of the same table") {
    Node<false> node(Attrs(DataType::kInt64, DataType::kFloat, "t"));
    REQUIRE(node.Compute() == "OK");
    const Tensor first = node.outputs[0];
    REQUIRE(node.Compute() == "OK");
    CHECK(node.outputs[0].SharesBufferWith(first));
    Ref<LookupTable> table;
    REQUIRE(LookupResource<LookupTable>(node.context, first, &table).ok());
    CHECK(table->name() == "t");
    CHECK(!table->once());
  }
  TEST_CASE("an anonymous one is in no container and new each time") {
    Node<true> node(Attrs(DataType::kInt64, DataType::kFloat));
    REQUIRE(node.Compute() == "OK");
    const Tensor first = node.outputs[0];
    REQUIRE(node.Compute() == "OK");
    const ResourceHandle &one = *first.data<ResourceHandle>(), &other = *node.outputs[0].data<ResourceHandle>();
    REQUIRE(one.IsRefCounting());
    CHECK(one.object.get() != other.object.get());
    CHECK(node.resources.DebugString() == "");
  }
  TEST_CASE("a table of other types under the name is refused, and left alone") {
    Node<false> node(Attrs(DataType::kInt64, DataType::kFloat, "t"));
    const auto table = Ref<ops::detail::IndexedTable>::Adopt(
        new ops::detail::IndexedTable("t", DataType::kString, DataType::kFloat, {}, false));
    REQUIRE(node.resources.template Create<LookupTable>("localhost", "t", table).ok());
    CHECK(node.Compute() ==
          "INVALID_ARGUMENT: Conflicting key/value dtypes int64->float with string-float for table t");
    CHECK(table->Size() == 0);
  }
  TEST_CASE("attrs that make no table are said when the kernel is made") {
    const auto made = [](AttrArgs attrs, const PartialTensorShape& shape) {
      attrs.push_back({"value_shape", shape});
      Node<false> node(attrs);
      return node.construction->status().ToString();
    };
    const AttrArgs good = Attrs(DataType::kInt64, DataType::kFloat);
    CHECK(made(good, PartialTensorShape({2})) == "OK");
    CHECK(made(good, PartialTensorShape({2, 3})) ==
          "INVALID_ARGUMENT: Default value must be a vector, got shape [2,3]");
    CHECK(made(good, PartialTensorShape()) ==
          StrCat("INVALID_ARGUMENT: Default value must be a vector, got shape ", PartialTensorShape()));
    CHECK(made(Attrs(DataType::kInt32, DataType::kInt64), PartialTensorShape({2})) ==
          "INVALID_ARGUMENT: no kernel for op 'StkTable' on CPU with key type int32 and value type int64");
    CHECK(made(Attrs(DataType::kInt64, DataType::kFloat, "_t"), PartialTensorShape({2})) ==
          "INVALID_ARGUMENT: shared_name cannot start with '_':_t");
  }
  TEST_CASE("a reference instead of a handle where the output's type is one") {
    Node<false> node(Attrs(DataType::kInt64, DataType::kFloat, "t"), MakeRefType(DataType::kString));
    REQUIRE(node.Compute() == "OK");
    Tensor names;
    REQUIRE(ReadReference(node.outputs[0], "here", &names).ok());
    CHECK(names.data<tstring>()[1].view() == "t");
  }
}
}  // namespace state_table_kernel_test

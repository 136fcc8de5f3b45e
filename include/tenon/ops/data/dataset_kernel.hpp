// SPDX-License-Identifier: Apache-2.0
#pragma once
// DatasetKernel: the shared kernel of the ops that make a dataset. An op gives it one function, which reads its
// arguments through a DatasetMaker.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/dataset/captured_function.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/dataset/dataset_variant.hpp>
#include <tenon/kernel/op_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// The number of elements of b rounds of a; unknown when int64 does not hold it.
inline std::int64_t ProductOrUnknown(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (a < 0) return a;
  const std::int64_t product = b < 0 ? -1 : MultiplyWithoutOverflow(a, b);
  return product < 0 ? kUnknownCardinality : product;
}

// The arguments of a node that makes a dataset, by name. one thread. Errors are InvalidArgument.
class DatasetMaker {
 public:
  explicit DatasetMaker(OpKernelContext* context) : context_(context) {}

  OpKernelContext& context() const { return *context_; }
  template <class T>
  Status Attr(std::string_view name, T* value) const {
    return GetNodeAttr(context_->op_kernel().def(), name, value);
  }
  bool HasAttr(std::string_view name) const { return context_->op_kernel().def().attr.Find(name) != nullptr; }
  bool IsOp(std::string_view name) const { return context_->op_kernel().type_string() == name; }
  // The attrs output_types and output_shapes.
  Status Spec(ElementSpec* spec, std::string_view types = "output_types") const {
    TENON_RETURN_IF_ERROR(Attr(types, &spec->types));
    return Attr("output_shapes", &spec->shapes);
  }
  Status Dataset(int i, Ref<const DatasetBase>* dataset) const {
    return GetDatasetFromVariantTensor(context_->input(i), dataset);
  }
  Status Input(std::string_view name, const Tensor** tensor) const { return context_->input(name, tensor); }
  template <class T>
  Status Scalar(std::string_view name, T* value) const {
    const Tensor* tensor = nullptr;
    TENON_RETURN_IF_ERROR(Input(name, &tensor));
    if (tensor->dims() != 0) return errors::InvalidArgument(name, " must be a scalar");
    *value = *tensor->data<T>();
    return OkStatus();
  }
  Status Text(std::string_view name, std::string* value) const {
    tstring text;
    TENON_RETURN_IF_ERROR(Scalar(name, &text));
    *value = std::string(text);
    return OkStatus();
  }
  // All tensors of a list argument.
  Status List(std::string_view name, DatasetElement* tensors) const {
    int start = 0, stop = 0;
    TENON_RETURN_IF_ERROR(context_->op_kernel().InputRange(name, &start, &stop));
    for (int i = start; i < stop; ++i) tensors->push_back(context_->input(i));
    return OkStatus();
  }
  // The function of an attr, with the arguments that it captured.
  Status Function(std::string_view attr, std::string_view arguments, CapturedFunction* function) const {
    TENON_RETURN_IF_ERROR(Attr(attr, &function->call));
    return List(arguments, &function->captured);
  }

 private:
  OpKernelContext* const context_;
};

// A new dataset for output 0.
using MakeDataset = Status (*)(const DatasetMaker& maker, Ref<const DatasetBase>* dataset);

class DatasetKernel : public OpKernel {
 public:
  DatasetKernel(OpKernelConstruction* c, MakeDataset make) : OpKernel(c), make_(make) {
    // A node that names a function that the graph lacks is refused before it runs.
    for (const AttrSpec& attr : c->op().attrs) {
      NameAttrList call;
      if (attr.kind != AttrKind::kFunc || attr.is_list || c->function_library() == nullptr) continue;
      c->SetStatus(c->GetAttr(attr.name(), &call));
      if (c->status().ok()) c->SetStatus(c->function_library()->Find(call).status());
    }
  }
  void Compute(OpKernelContext* context) override { context->SetStatus(Make(context)); }

 private:
  Status Make(OpKernelContext* context) const {
    Ref<const DatasetBase> dataset;
    Tensor handle;
    TENON_RETURN_IF_ERROR(make_(DatasetMaker(context), &dataset));
    TENON_RETURN_IF_ERROR(StoreDatasetInVariantTensor(std::move(dataset), &handle));
    context->set_output(0, std::move(handle));
    return OkStatus();
  }
  const MakeDataset make_;
};

// The kernel of an op whose datasets `kMake` makes.
template <MakeDataset kMake>
struct DatasetKernelOf : DatasetKernel {
  explicit DatasetKernelOf(OpKernelConstruction* c) : DatasetKernel(c, kMake) {}
};

// The base of the struct of an op whose datasets `kMake` makes. The struct adds the signature.
template <MakeDataset kMake>
struct DatasetOp {
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : DatasetKernelOf<kMake> {
    using DatasetKernelOf<kMake>::DatasetKernelOf;
  };
};
// The base of the struct of an op without a dataset as output. K is its kernel.
template <class K>
struct CpuOp {
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : K {
    explicit kernel(OpKernelConstruction* c) : K(c) {}
  };
};
// The signature of an op under another name.
template <class S>
constexpr S Renamed(S signature, std::string_view name) {
  signature.name = name;
  return signature;
}

// Output 0 is a scalar; inputs number `first` to `last` are scalars.
template <int kFirst, int kLast = kFirst>
constexpr Status ScalarsShape(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = kFirst; i <= kLast; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  return shape_inference::ScalarShape(c);
}

inline Ref<const DatasetBase> Own(const DatasetBase* dataset) { return Ref<const DatasetBase>::Adopt(dataset); }

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END

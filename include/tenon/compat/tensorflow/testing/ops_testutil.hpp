// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpsTestBase: a test of one kernel: its node, its inputs, one run, its outputs. Needs GoogleTest.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tenon/base/notification.hpp>
#include <tenon/compat/tensorflow/graph/node_def_builder.hpp>
#include <tenon/compat/tensorflow/kernel_params.hpp>
#include <tenon/compat/tensorflow/testing/tensor_testutil.hpp>

namespace tensorflow {
namespace test {

// The attributes of outputs of a kernel.
inline void SetOutputAttrs(OpKernelContext::Params*, std::vector<AllocatorAttributes>*) {}

}  // namespace test

// one thread.
class OpsTestBase : public ::testing::Test {
 public:
  OpsTestBase() : device_(DeviceFactory::NewDevice("CPU", {}, "/job:a/replica:0/task:0")) {
    allocator_ = cpu_allocator();
    step_container_ = std::make_unique<ScopedStepContainer>(&resources_, 0);
  }
  ~OpsTestBase() override {
    context_.reset();
    kernel_.reset();
  }
  OpsTestBase(const OpsTestBase&) = delete;
  OpsTestBase& operator=(const OpsTestBase&) = delete;

  void SetDevice(const DeviceType& type, std::unique_ptr<Device> device) {
    device_type_ = type;
    device_ = std::move(device);
  }
  void set_node_def(const NodeDef& node) { node_def_ = node; }
  NodeDef* node_def() { return &node_def_; }
  // Makes the kernel of the node. Errors: as when a session is made.
  Status InitOp() { return InitOpWithGraphVersion(TF_GRAPH_DEF_VERSION); }
  Status InitOpWithGraphVersion(int version) {
    Status status;
    context_.reset();
    kernel_ = CreateOpKernel(device_type_, device_.get(), allocator(), node_def_, version, &status);
    if (kernel_ == nullptr) return status.ok() ? errors::Internal("no kernel") : status;
    const DataTypeVector types = kernel_->input_types();
    input_types_.assign(types.begin(), types.end());
    return status;
  }

  // Adds the next input, whose elements are call(0), call(1), ...
  template <class T>
  void AddInput(const TensorShape& shape, std::function<T(int)> call) {
    Tensor* const tensor = AddInput(DataTypeToEnum<T>::v(), shape);
    for (int64_t i = 0; i < tensor->NumElements(); ++i) tensor->base<T>()[i] = call(static_cast<int>(i));
  }
  template <class T>
  void AddInputFromArray(const TensorShape& shape, gtl::ArraySlice<T> values) {
    Tensor* const tensor = AddInput(DataTypeToEnum<T>::v(), shape);
    test::FillValues<T>(tensor, values);
  }
  template <class T>
  void AddInputFromArray(const TensorShape& shape, std::initializer_list<T> values) {
    AddInputFromArray<T>(shape, gtl::ArraySlice<T>(values));
  }
  template <class T, class From>
  void AddInputFromList(const TensorShape& shape, std::initializer_list<From> values) {
    Tensor* const tensor = AddInput(DataTypeToEnum<T>::v(), shape);
    test::FillValues<T, From>(tensor, values);
  }
  // Takes over the caller's reference to the resource.
  template <class T>
  void AddResourceInput(const std::string& container, const std::string& name, T* resource) {
    const std::string in = container.empty() ? resources_.default_container() : container;
    TF_CHECK_OK(resources_.Create<T>(in, name, resource));
    AddResourceInputInternal(in, name, TypeIndex::Make<T>());
  }

  // Runs the kernel. Errors: the kernel's.
  Status RunOpKernel() {
    if (kernel_ == nullptr) return errors::FailedPrecondition("RunOpKernel: InitOp() comes first");
    context_.reset();
    params_ = std::make_unique<OpKernelContext::Params>();
    params_->op_kernel = kernel_.get();
    params_->device = device_.get();
    params_->resource_manager = &resources_;
    params_->step_container = step_container_.get();
    if (static_cast<int>(inputs_.size()) > kernel_->num_inputs())
      return errors::InvalidArgument("RunOpKernel: ", inputs_.size(), " inputs; the kernel has ",
                                     kernel_->num_inputs());
    params_->inputs = gtl::ArraySlice<TensorValue>(inputs_.data(), inputs_.size());
    context_ = std::make_unique<OpKernelContext>(params_.get());
    tenon::RunKernel(kernel_.get(), context_.get());
    params_->TakeReferences();
    return context_->status();
  }
  const Tensor& GetInput(int i) const { return *inputs_[static_cast<std::size_t>(i)].tensor; }
  TensorValue mutable_input(int i) { return inputs_[static_cast<std::size_t>(i)]; }
  // The referred tensor, for a reference.
  Tensor* GetOutput(int i) {
    Tensor* const output = context_->mutable_output(i);
    tenon::LegacyVar* const variable = tenon::ReferredBy(*output);
    return variable == nullptr ? output : AsTensorFlow(&variable->tensor);
  }
  Allocator* allocator() { return allocator_; }
  OpKernel* op_kernel() { return kernel_.get(); }
  const DataTypeVector& output_types() const {
    types_ = kernel_->output_types();
    return types_;
  }

 protected:
  Tensor* AddInput(DataType type, const TensorShape& shape) {
    const std::size_t i = inputs_.size();
    TENON_CHECK(i < input_types_.size(), "AddInput: the kernel has ", input_types_.size(), " inputs only");
    const bool is_ref = IsRefType(input_types_[i]);
    TENON_CHECK(type == BaseType(input_types_[i]), "AddInput: ", DataTypeString(type), " for input ", i, " of type ",
                DataTypeString(input_types_[i]));
    tensors_.push_back(std::make_unique<Tensor>(type, shape));
    inputs_.push_back(is_ref ? TensorValue(&lock_for_refs_, tensors_.back().get())
                             : TensorValue(tensors_.back().get()));
    return tensors_.back().get();
  }
  void AddResourceInputInternal(const std::string& container, const std::string& name, const TypeIndex& type) {
    ResourceHandle handle;
    handle.set_device(device_->name());
    handle.set_container(container);
    handle.set_name(name);
    handle.set_hash_code(type.hash_code());
    handle.set_maybe_type_name(type.name());
    tensors_.push_back(std::make_unique<Tensor>(DT_RESOURCE, TensorShape()));
    tensors_.back()->scalar<ResourceHandle>()() = handle;
    inputs_.push_back(TensorValue(tensors_.back().get()));
  }

  ResourceMgr resources_;
  std::unique_ptr<Device> device_;
  Allocator* allocator_ = nullptr;
  std::unique_ptr<OpKernel> kernel_;
  std::unique_ptr<ScopedStepContainer> step_container_;
  NodeDef node_def_;
  DataTypeVector input_types_;
  mutable DataTypeVector types_;
  DeviceType device_type_{DEVICE_CPU};
  mutex lock_for_refs_;
  gtl::InlinedVector<TensorValue, 4> inputs_;
  std::vector<std::unique_ptr<Tensor>> tensors_;
  std::unique_ptr<OpKernelContext::Params> params_;
  std::unique_ptr<OpKernelContext> context_;
};

}  // namespace tensorflow

// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpKernelContext: Tenon's, with TensorFlow's types and Eigen's devices.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <tenon/kernel/context.hpp>
#include <tenon/kernel/context_access.hpp>
#include <tenon/kernel/step_services.hpp>
#include <tenon/compat/tensorflow/argument_lists.hpp>
#include <tenon/compat/tensorflow/cancellation.hpp>
#include <tenon/compat/tensorflow/device_base.hpp>
#include <tenon/compat/tensorflow/op_kernel_construction.hpp>
#include <tenon/compat/tensorflow/tensor.hpp>

namespace tensorflow {

class OpKernel;
struct OpKernelContextParams;
class RendezvousInterface;
class ScopedStepContainer;
using FrameAndIter = tenon::FrameAndIter;
inline constexpr uint64_t kIllegalFrameId = ~uint64_t{0};
inline constexpr int64_t kIllegalIterId = -1;

class OpKernelContext : public tenon::OpKernelContext {
 public:
  using Base = tenon::OpKernelContext;
  // For tests (kernel_params.hpp): the context of one call of a kernel.
  using Params = OpKernelContextParams;
  OpKernelContext() = default;
  explicit OpKernelContext(OpKernelContextParams* params);
  OpKernelContext(OpKernelContextParams* params, int num_outputs);

  // -- inputs
  const Tensor& input(int i) const { return AsTensorFlow(Base::input(i)); }
  Status input(StringPiece name, const Tensor** tensor) const {
    const tenon::Tensor* found = nullptr;
    TF_RETURN_IF_ERROR(Base::input(name, &found));
    *tensor = AsTensorFlow(found);
    return Status();
  }
  StatusOr<const Tensor*> get_input(int i) const {
    const tenon::Tensor* found = nullptr;
    TF_RETURN_IF_ERROR(Base::get_input(i, &found));
    return AsTensorFlow(found);
  }
  StatusOr<int> get_input_index(StringPiece name) const {
    int i = 0;
    TF_RETURN_IF_ERROR(Base::get_input_index(name, &i));
    return i;
  }
  StatusOr<int> get_output_index(StringPiece name) const {
    int i = 0;
    TF_RETURN_IF_ERROR(Base::get_output_index(name, &i));
    return i;
  }
  Status input_list(StringPiece name, OpInputList* list) { return List(name, false, list); }
  Status mutable_input_list(StringPiece name, OpMutableInputList* list) { return List(name, false, list); }
  Status output_list(StringPiece name, OpOutputList* list) { return List(name, true, list); }
  DataType input_dtype(int i) const { return FromTenon(Base::input_dtype(i)); }
  Status input_dtype(StringPiece name, DataType* type) const {
    tenon::DataType found{};
    TF_RETURN_IF_ERROR(Base::input_dtype(name, &found));
    *type = FromTenon(found);
    return Status();
  }
  MemoryType input_memory_type(int i) const { return static_cast<MemoryType>(Base::input_memory_type(i)); }
  MemoryType output_memory_type(int i) const { return static_cast<MemoryType>(Base::output_memory_type(i)); }
  Status MatchSignature(const DataTypeSlice inputs, const DataTypeSlice outputs) const {
    const std::vector<tenon::DataType> in = ToTenonTypes(inputs), out = ToTenonTypes(outputs);
    return Base::MatchSignature(in, out);
  }
  bool ValidateInputsAreSameShape(const void*) {
    const Status same = Base::ValidateInputsAreSameShape();
    SetStatus(same);
    return same.ok();
  }
  Status ValidateInputsAreSameShape() const { return Base::ValidateInputsAreSameShape(); }

  // -- references
  mutex* input_ref_mutex(int i) { return static_cast<mutex*>(Base::input_ref_mutex(i)); }
  Status input_ref_mutex(StringPiece name, mutex** out) {
    tenon::Mutex* found = nullptr;
    TF_RETURN_IF_ERROR(Base::input_ref_mutex(name, &found));
    *out = static_cast<mutex*>(found);
    return Status();
  }
  Tensor mutable_input(int i, bool lock_held) { return Base::mutable_input(i, lock_held); }
  Status mutable_input(StringPiece name, Tensor* tensor, bool lock_held) {
    return Base::mutable_input(name, tensor, lock_held);
  }

  // -- outputs
  DataType expected_output_dtype(int i) const { return FromTenon(Base::expected_output_dtype(i)); }
  Tensor* mutable_output(int i) { return AsTensorFlow(Base::mutable_output(i)); }
  Status mutable_output(StringPiece name, Tensor** tensor) {
    return Found(tensor, [&](tenon::Tensor** out) { return Base::mutable_output(name, out); });
  }
  void set_output(int i, Tensor tensor) { Base::set_output(i, std::move(tensor)); }
  Status set_output(StringPiece name, Tensor tensor) { return Base::set_output(name, std::move(tensor)); }
  Status allocate_output(int i, const tenon::TensorShape& shape, Tensor** tensor) {
    return Found(tensor, [&](tenon::Tensor** out) { return Base::allocate_output(i, shape, out); });
  }
  Status allocate_output(StringPiece name, const tenon::TensorShape& shape, Tensor** tensor) {
    return Found(tensor, [&](tenon::Tensor** out) { return Base::allocate_output(name, shape, out); });
  }
  Status allocate_output(int i, const tenon::TensorShape& shape, Tensor** tensor, AllocatorAttributes attributes) {
    return Found(tensor, [&](tenon::Tensor** out) { return Base::allocate_output(i, shape, out, attributes); });
  }
  Status allocate_output(StringPiece name, const tenon::TensorShape& shape, Tensor** tensor,
                         AllocatorAttributes attributes) {
    return Found(tensor, [&](tenon::Tensor** out) { return Base::allocate_output(name, shape, out, attributes); });
  }
  Status forward_input_or_allocate_output(gtl::ArraySlice<int> candidates, int i, const tenon::TensorShape& shape,
                                          Tensor** tensor, int* forwarded = nullptr) {
    return Found(tensor, [&](tenon::Tensor** out) {
      return Base::forward_input_or_allocate_output(candidates, i, shape, out, forwarded);
    });
  }
  Status forward_input_or_allocate_output(gtl::ArraySlice<StringPiece> candidates, StringPiece name,
                                          const tenon::TensorShape& shape, Tensor** tensor) {
    return Found(tensor, [&](tenon::Tensor** out) {
      return Base::forward_input_or_allocate_output(candidates, name, shape, out);
    });
  }
  bool forward_input_to_output_with_shape(int input, int i, const tenon::TensorShape& shape, Tensor** tensor) {
    tenon::Tensor* out = nullptr;
    if (!Base::forward_input_to_output_with_shape(input, i, shape, &out)) return false;
    *tensor = AsTensorFlow(out);
    return true;
  }
  Status forward_input_to_output_with_shape(StringPiece input, StringPiece name, const tenon::TensorShape& shape,
                                            Tensor** tensor) {
    return Found(
        tensor, [&](tenon::Tensor** out) { return Base::forward_input_to_output_with_shape(input, name, shape, out); });
  }
  std::unique_ptr<Tensor> forward_input(int input, int i, DataType type, const tenon::TensorShape& shape,
                                        MemoryType memory, const AllocatorAttributes& attributes) {
    const auto taken =
        Base::forward_input(input, i, ToTenon(type), shape, static_cast<tenon::MemoryType>(memory), attributes);
    return taken ? std::make_unique<Tensor>(*taken) : nullptr;
  }
  Status forward_input_or_allocate_temp(gtl::ArraySlice<int> candidates, DataType type, const tenon::TensorShape& shape,
                                        AllocatorAttributes attributes, Tensor* out) {
    for (const int i : candidates)
      if (Base::forward_input_or_allocate_temp({i}, ToTenon(type), shape, out, attributes).ok()) return Status();
    return allocate_temp(type, shape, out, attributes);
  }
  Status forward_input_or_allocate_temp(gtl::ArraySlice<int> candidates, DataType type, const tenon::TensorShape& shape,
                                        Tensor* out) {
    return forward_input_or_allocate_temp(candidates, type, shape, AllocatorAttributes(), out);
  }
  Status allocate_temp(DataType type, const tenon::TensorShape& shape, Tensor* out,
                       AllocatorAttributes attributes = {}) {
    return Base::allocate_temp(ToTenon(type), shape, out, attributes);
  }
  // Memory that the kernel keeps, as kernels before TensorFlow 2.6 ask for it.
  Status allocate_persistent(DataType type, const tenon::TensorShape& shape, PersistentTensor* out, Tensor** tensor,
                             AllocatorAttributes attributes = {}) {
    Tensor made;
    TF_RETURN_IF_ERROR(allocate_temp(type, shape, &made, attributes));
    *out = PersistentTensor(std::move(made));
    if (tensor != nullptr) *tensor = out->AccessTensor(this);
    return Status();
  }
  Status allocate_temp(DataType type, const tenon::TensorShape& shape, Tensor* out, AllocatorAttributes attributes,
                       const AllocationAttributes&) {
    return allocate_temp(type, shape, out, attributes);
  }
  Tensor* release_output(int i) { return new Tensor(Base::release_output(i)); }

  Allocator* get_allocator(AllocatorAttributes attributes) const {
    return AllocatorView::Of(Base::get_allocator(attributes));
  }

  // -- where and when
  const OpKernel& op_kernel() const;
  DeviceBase* device() const {
    thread_local DeviceBase device;
    device.Reset(*this);
    return &device;
  }
  // Eigen's device of that type: ThreadPoolDevice, DefaultDevice or GpuDevice.
  template <class EigenDevice>
  const EigenDevice& eigen_device() const {
    constexpr bool kIsCpu = std::is_same_v<EigenDevice, Eigen::ThreadPoolDevice>;
    static_assert(
        !kIsCpu || TENON_COMPAT_EIGEN_THREADS,
        "tenon: this file includes Eigen's tensors before TensorFlow's headers. Define EIGEN_USE_THREADS first.");
    static_assert(
        kIsCpu || std::is_same_v<EigenDevice, Eigen::DefaultDevice> || std::is_same_v<EigenDevice, Eigen::GpuDevice>,
        "tenon: there is no such device of Eigen");
    if constexpr (std::is_same_v<EigenDevice, Eigen::DefaultDevice>) {
      static const Eigen::DefaultDevice device{};
      return device;
    } else if constexpr (std::is_same_v<EigenDevice, Eigen::GpuDevice>) {
      return eigen_gpu_device();
    } else {
#if TENON_COMPAT_EIGEN_THREADS
      return eigen_cpu_device();
#endif
    }
  }
#if TENON_COMPAT_EIGEN_THREADS
  const Eigen::ThreadPoolDevice& eigen_cpu_device() const { return *device()->eigen_cpu_device(); }
#endif
  const Eigen::GpuDevice& eigen_gpu_device() const;  // gpu_device.hpp
  Env* env() const { return internal::DefaultEnv(); }
  FunctionLibraryRuntime* function_library() const {
    return static_cast<FunctionLibraryRuntime*>(Base::function_library());
  }
  ResourceMgr* resource_manager() const;
  ScopedStepContainer* step_container() const;  // resource_mgr.hpp
  RendezvousInterface* rendezvous() const;      // util/rendezvous.hpp
  CancellationManager* cancellation_manager() const {
    return static_cast<CancellationManager*>(Base::cancellation_manager());
  }
  std::function<void(std::function<void()>)>* runner() const {
    thread_local std::function<void(std::function<void()>)> run;
    run = [pool = device()->tensorflow_cpu_worker_threads()->workers->pool()](std::function<void()> call) {
      thread::ThreadPool(pool).Schedule(std::move(call));
    };
    return &run;
  }
  std::string session_handle() const { return std::string(Base::session_handle()); }
  std::string executor_type() const { return std::string(Base::executor_type()); }
  std::function<void()> inc_num_deferred_ops_function() {
    return [this] { Base::inc_num_deferred_ops_function()(); };
  }
  std::function<void()> dec_num_deferred_ops_function() {
    return [this] { Base::dec_num_deferred_ops_function()(); };
  }
  std::optional<int64_t> deadline() const {
    return deadline_us() == 0 ? std::nullopt : std::optional<int64_t>(deadline_us());
  }
  std::optional<int> stack_trace() const { return std::nullopt; }
  DeviceContext* op_device_context() const { return nullptr; }
  template <class T>
  T* op_device_context() const {
    static_assert(std::is_base_of_v<DeviceContext, T>, "T is not a subclass of DeviceContext");
    return nullptr;
  }
  // Services that Tenon does not have.
  void* session_state() const { return nullptr; }
  void* tensor_store() const { return nullptr; }
  template <class References>
  void retrieve_accessed_tensors(References* references) const {  // Tenon's buffers count their users
    references->clear();
  }
  void* coordination_service_agent() const { return nullptr; }
  int64_t start_time_usecs() const { return 0; }
  bool is_eager() const { return false; }
  uint64_t trace_id() const { return 0; }

 private:
  template <class Find>
  static Status Found(Tensor** tensor, const Find& find) {
    tenon::Tensor* out = nullptr;
    TF_RETURN_IF_ERROR(find(&out));
    *tensor = AsTensorFlow(out);
    return Status();
  }
  template <class Arguments>
  Status List(StringPiece name, bool is_output, Arguments* list) {
    int start = 0, stop = 0;
    TF_RETURN_IF_ERROR(is_output ? Base::op_kernel().OutputRange(name, &start, &stop)
                                 : Base::op_kernel().InputRange(name, &start, &stop));
    *list = Arguments(this, start, stop);
    return Status();
  }
};
static_assert(sizeof(OpKernelContext) == sizeof(tenon::OpKernelContext));

}  // namespace tensorflow

// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorArray: the resource behind the TensorArray ops - tensors by number, written once each, of one run.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/ops/array/scatter.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// thread-safe. Written tensors are shared, never changed: sums of a gradient array get a buffer of their own.
class TensorArray final : public Resource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::TensorArray";
  static constexpr Index kMaxSize = Index{1} << 26;  // elements; more are refused before memory is taken

  struct Options {
    std::string name;
    DataType dtype = DataType::kInvalid;
    PartialTensorShape element_shape;
    bool dynamic_size = false, clear_after_read = true, identical_element_shapes = false;
    bool is_grad = false;  // several writes to one element add up
  };

  TensorArray(Options options, Index size) : options_(std::move(options)), elements_(static_cast<std::size_t>(size)) {}
  std::string DebugString() const override { return StrCat("TensorArray[", elements_.size(), "]"); }

  DataType dtype() const { return options_.dtype; }
  const std::string& name() const { return options_.name; }

  Status Size(Index* size) {
    const tenon::MutexLock lock(mutex_);
    TENON_RETURN_IF_ERROR(CheckOpen());
    *size = static_cast<Index>(elements_.size());
    return OkStatus();
  }
  bool is_dynamic() const {
    const tenon::MutexLock lock(mutex_);
    return options_.dynamic_size;
  }
  // Merges the shape that an op gives into the element shape of the array.
  Status MergeElementShape(const PartialTensorShape& shape) {
    const tenon::MutexLock lock(mutex_);
    TENON_RETURN_IF_ERROR(CheckOpen());
    PartialTensorShape merged;
    TENON_RETURN_IF_ERROR(options_.element_shape.MergeWith(shape, &merged));
    options_.element_shape = merged;
    return OkStatus();
  }
  PartialTensorShape element_shape() const {
    const tenon::MutexLock lock(mutex_);
    return options_.element_shape;
  }

  Status Write(Index index, const Tensor& value) {
    const tenon::MutexLock lock(mutex_);
    TENON_RETURN_IF_ERROR(CheckOpen());
    if (index < 0 || (!options_.dynamic_size && index >= size()))
      return Refuse("Tried to write to index ", index, " but array is not resizeable and size is: ", size());
    if (index >= kMaxSize)
      return errors::ResourceExhausted("TensorArray ", name(), ": index ", index, " is beyond the limit of ", kMaxSize,
                                       " elements");
    if (value.dtype() != dtype())
      return Refuse("Could not write to TensorArray index ", index, " because the value dtype is ", value.dtype(),
                    " but TensorArray dtype is ", dtype(), ".");
    if (!options_.element_shape.IsCompatibleWith(value.shape()))
      return Refuse("Could not write to TensorArray index ", index, " because the value shape is ", value.shape(),
                    " which is incompatible with the TensorArray's inferred element shape: ", options_.element_shape,
                    " (consider setting infer_shape=False).");
    if (index >= size()) elements_.resize(static_cast<std::size_t>(index) + 1);
    Element& element = elements_[static_cast<std::size_t>(index)];
    if (element.read)
      return Refuse("Could not write to TensorArray index ", index, " because it has already been read.");
    if (!options_.is_grad && element.written)
      return Refuse("Could not write to TensorArray index ", index, " because it has already been written to.");
    if (options_.identical_element_shapes && !options_.element_shape.IsFullyDefined())
      options_.element_shape = value.shape();
    if (element.written) return Aggregate(index, &element, value);
    element.value = value;
    element.shape = value.shape();
    element.written = true;
    return OkStatus();
  }

  Status Read(Index index, Tensor* value) {
    const tenon::MutexLock lock(mutex_);
    TENON_RETURN_IF_ERROR(CheckOpen());
    if (index < 0 || index >= size()) return Refuse("Tried to read from index ", index, " but array size is: ", size());
    Element& element = elements_[static_cast<std::size_t>(index)];
    if (element.cleared)
      return Refuse("Could not read index ", index,
                    " twice because it was cleared after a previous read (perhaps try setting clear_after_read = "
                    "false?).");
    if (!element.written) {
      if (!options_.element_shape.AsTensorShape(&element.shape))
        return Refuse("Could not read from TensorArray index ", index,
                      ".  Furthermore, the element shape is not fully defined: ", options_.element_shape,
                      ".  It is possible you are working with a resizeable TensorArray and stop_gradients is not "
                      "allowing the gradients to be written.  If you set the full element_shape property on the "
                      "forward TensorArray, the proper all-zeros tensor will be returned instead of incurring this "
                      "error.");
      element.written = true;
    }
    if (!element.has_value()) {
      TENON_ASSIGN_OR_RETURN(element.value, Tensor::Make(dtype(), element.shape));
      ZeroRun(MoverOf(dtype()), element.value.raw_data(), element.value.NumElements());
    }
    *value = element.value;
    if (options_.clear_after_read) {
      element.value = Tensor(DataType::kInvalid);
      element.cleared = true;
    }
    element.read = true;
    return OkStatus();
  }

  // A gradient array of the same size. Elements that were written here read as zeros there until they are written.
  // `prepended`: dimensions that elements of the gradient have before their own.
  Status MakeGradient(std::string name, Ref<TensorArray>* gradient, const TensorShape& prepended = {}) {
    const tenon::MutexLock lock(mutex_);
    TENON_RETURN_IF_ERROR(CheckOpen());
    if (options_.is_grad && aggregated_)
      return errors::InvalidArgument(
          "Unable to create a gradients TensorArray for ", options_.name,
          ".  Perhaps you used the multiple_writes_aggregate flag on a previous write?  Gradient calculation is "
          "impossible when multiple writes are performed to the same index.");
    options_.dynamic_size = false;
    Options options = options_;
    options.name = std::move(name);
    options.clear_after_read = true;
    options.is_grad = true;
    if (prepended.dims() > 0)
      TENON_RETURN_IF_ERROR(PartialTensorShape(prepended).Concatenate(options_.element_shape, &options.element_shape));
    auto made = Ref<TensorArray>::Adopt(new TensorArray(std::move(options), size()));
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      if (!elements_[i].written) continue;
      made->elements_[i].shape = prepended;
      TENON_RETURN_IF_ERROR(made->elements_[i].shape.AppendShapeWithStatus(elements_[i].shape));
      made->elements_[i].written = true;
    }
    *gradient = std::move(made);
    return OkStatus();
  }

  void Close() {
    SlimVector<Element> dropped;
    const tenon::MutexLock lock(mutex_);
    std::swap(dropped, elements_);
    closed_ = true;
  }

 private:
  struct Element {
    Tensor value{DataType::kInvalid};  // invalid type: no value, or none yet
    TensorShape shape;
    bool written = false, read = false, cleared = false;
    bool has_value() const { return value.dtype() != DataType::kInvalid; }
  };

  Index size() const { return static_cast<Index>(elements_.size()); }
  Status CheckOpen() const {
    if (closed_) return errors::InvalidArgument("TensorArray ", options_.name, " has already been closed.");
    return OkStatus();
  }
  template <class... Args>
  Status Refuse(const Args&... args) const {
    return errors::InvalidArgument("TensorArray ", options_.name, ": ", args...);
  }
  Status Aggregate(Index index, Element* element, const Tensor& value) {
    if (!(element->shape == value.shape()))
      return Refuse("Could not aggregate to TensorArray index ", index, " because the existing shape is ",
                    element->shape, " but the new input shape is ", value.shape(), ".");
    aggregated_ = true;
    if (!element->has_value()) {
      element->value = value;
      return OkStatus();
    }
    const CombineFn add = CombineFor<AddTo, ScatterNumbers>(dtype());
    if (add == nullptr)
      return Refuse("Could not aggregate to TensorArray index ", index, " because ", dtype(), " cannot be added.");
    Tensor sum = element->value.DeepCopy();
    if (!sum.IsInitialized())
      return errors::ResourceExhausted("OOM when allocating tensor with shape", sum.shape(), " and type ", dtype());
    add(value.raw_data(), sum.raw_data(), sum.NumElements());
    element->value = std::move(sum);
    return OkStatus();
  }

  mutable Mutex mutex_;
  Options options_;
  SlimVector<Element> elements_;
  bool closed_ = false, aggregated_ = false;
};

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END

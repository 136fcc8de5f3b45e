// SPDX-License-Identifier: Apache-2.0
#pragma once
// GradientAccumulator: the resource behind the accumulator ops - a sum or mean of gradients, dense or of rows, that is
// handed out once there are enough of them. Gradients of steps that are over are dropped.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/ops/queue/waited_resource.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// to[i] += from[i], and data[i] /= by; for half, float and double.
struct AccumulatorMath {
  void (*add)(const void* from, void* to, Index n);
  void (*divide)(void* data, Index n, std::int64_t by);
};
template <class T>
inline constexpr AccumulatorMath kAccumulatorMath = {[](const void* from, void* to, Index n) {
                                                       for (Index i = 0; i < n; ++i)
                                                         static_cast<T*>(to)[i] =
                                                             static_cast<T*>(to)[i] + static_cast<const T*>(from)[i];
                                                     },
                                                     [](void* data, Index n, std::int64_t by) {
                                                       const T divisor = static_cast<T>(static_cast<float>(by));
                                                       for (Index i = 0; i < n; ++i)
                                                         static_cast<T*>(data)[i] = static_cast<T*>(data)[i] / divisor;
                                                     }};
inline const AccumulatorMath& AccumulatorMathOf(DataType dtype) {
  return dtype == DataType::kHalf     ? kAccumulatorMath<half>
         : dtype == DataType::kDouble ? kAccumulatorMath<double>
                                      : kAccumulatorMath<float>;
}

// thread-safe.
class GradientAccumulator : public WaitedResource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::ConditionalAccumulatorBase";

  GradientAccumulator(std::string name, DataType dtype, PartialTensorShape shape, bool mean)
      : name_(std::move(name)), dtype_(dtype), shape_(std::move(shape)), mean_(mean) {}
  std::string DebugString() const override { return "A conditional accumulator"; }
  const std::string& name() const { return name_; }
  DataType dtype() const { return dtype_; }
  const PartialTensorShape& shape() const { return shape_; }
  virtual bool sparse() const = 0;

  std::int32_t NumAccumulated() const {
    const tenon::MutexLock lock(mutex);
    return counter_;
  }
  void SetGlobalStep(std::int64_t step) {
    const tenon::MutexLock lock(mutex);
    if (step < global_step_)
      TENON_LOG(kWarning, "Attempt to set current_global_step_ to smaller value: current_global_step_ = ", global_step_,
                " >= ", step, " = new_global_step.");
    global_step_ = step;
  }

  // Waits for `required` gradients; its outputs are their mean or sum.
  struct Take final : Attempt {
    Take(OpKernelContext* c, Done d, Ref<GradientAccumulator> a, std::int32_t r)
        : Attempt(c, std::move(d)), accumulator(std::move(a)), required(r) {
      line = 1;
    }
    bool Try(Status* status) override {
      if (accumulator->counter_ < required) return false;
      *status = accumulator->Yield(&outputs);
      if (!status->ok()) return true;
      ++accumulator->global_step_;
      accumulator->counter_ = 0;
      return true;
    }
    Status Deliver() override {
      for (std::size_t i = 0; i < outputs.size(); ++i) context->set_output(static_cast<int>(i), std::move(outputs[i]));
      return OkStatus();
    }
    Status Cancelled() const override { return errors::Cancelled("TakeGrad operation was cancelled"); }
    Ref<GradientAccumulator> accumulator;
    std::int32_t required;
    SlimVector<Tensor> outputs;
  };

 protected:
  // Runs under the lock. Makes the op's outputs from at least one gradient; the gradients are not needed afterwards.
  virtual Status Yield(SlimVector<Tensor>* outputs) = 0;
  // add() -> Status runs unless the gradient is stale.
  template <class F>
  Status Apply(std::int64_t local_step, const F& add) {
    Status status;
    Change([&] {
      if (local_step < global_step_) return;
      status = add();
      if (status.ok()) ++counter_;
    });
    return status;
  }

  const std::string name_;
  const DataType dtype_;
  const PartialTensorShape shape_;  // shape of a whole gradient, as far as it is known
  const bool mean_;
  std::int32_t counter_ = 0;  // gradients since the last take
  std::int64_t global_step_ = 0;
};

class DenseAccumulator final : public GradientAccumulator {
 public:
  using GradientAccumulator::GradientAccumulator;
  bool sparse() const override { return false; }

  Status Add(std::int64_t local_step, const Tensor& gradient) {
    return Apply(local_step, [&] { return AddLocked(gradient); });
  }

 private:
  Status AddLocked(const Tensor& gradient) {
    if (counter_ > 0 && !(sum_.shape() == gradient.shape()))
      return errors::InvalidArgument("Shape mismatch: expected ", sum_.shape(), ", got ", gradient.shape());
    if (!shape_.IsCompatibleWith(gradient.shape()))
      return errors::InvalidArgument("Shape mismatch: expected ", shape_, ", got ", gradient.shape());
    if (counter_ == 0) {
      TENON_ASSIGN_OR_RETURN(sum_, Tensor::Make(dtype_, gradient.shape()));
      CopyRun(MoverOf(dtype_), gradient.raw_data(), sum_.raw_data(), gradient.NumElements());
    } else {
      AccumulatorMathOf(dtype_).add(gradient.raw_data(), sum_.raw_data(), gradient.NumElements());
    }
    return OkStatus();
  }
  Status Yield(SlimVector<Tensor>* outputs) override {
    if (mean_) AccumulatorMathOf(dtype_).divide(sum_.raw_data(), sum_.NumElements(), counter_);
    outputs->push_back(std::move(sum_));
    sum_ = Tensor(dtype_);
    return OkStatus();
  }

  Tensor sum_;
};

// Rows by their indices, which come and stay in increasing order. The mean of a row is over the gradients that had it.
class SparseAccumulator final : public GradientAccumulator {
 public:
  using GradientAccumulator::GradientAccumulator;
  bool sparse() const override { return true; }

  // indices: [n], values: [n, ...], whole_shape: a vector, or null where it is not known
  Status Add(std::int64_t local_step, const Tensor& indices, const Tensor& values, const Tensor* whole_shape) {
    return Apply(local_step, [&] {
      TENON_RETURN_IF_ERROR(Check(indices, values, whole_shape));
      return AddLocked(indices.data<std::int64_t>(), values);
    });
  }

 private:
  static std::size_t At(Index i) { return static_cast<std::size_t>(i); }

  Status Check(const Tensor& indices, const Tensor& values, const Tensor* whole_shape) const {
    if (indices.dims() != 1)
      return errors::InvalidArgument("Input indices should be vector but received shape: ", indices.shape());
    if (values.dims() == 0) return errors::InvalidArgument("Values cannot be 0-dimensional.");
    if (values.dim_size(0) != indices.NumElements())
      return errors::InvalidArgument("Expected ", indices.NumElements(), " non-empty input values, got ",
                                     values.dim_size(0));
    const int rank = shape_.unknown_rank() ? -1 : shape_.dims();
    if (whole_shape != nullptr) {
      if (rank > whole_shape->NumElements())
        return errors::InvalidArgument("Shape mismatch: expected shape rank at least ", rank, ", got ",
                                       whole_shape->NumElements());
      for (int d = 0; d < rank; ++d) {
        const std::int64_t got = whole_shape->data<std::int64_t>()[d];
        if (shape_.dim_size(d) >= 0 && shape_.dim_size(d) != got)
          return errors::InvalidArgument("Shape mismatch: expected shape dim ", d, " to be ", shape_.dim_size(d),
                                         ", got ", got);
      }
    }
    if (rank > 0 && shape_.dim_size(0) >= 0) {
      for (Index i = 0; i < indices.NumElements(); ++i)
        if (indices.data<std::int64_t>()[i] >= shape_.dim_size(0))
          return errors::InvalidArgument("Shape mismatch: index of slice ", i, " exceeded limits of shape; index is ",
                                         indices.data<std::int64_t>()[i], " exceeded ", shape_.dim_size(0));
    }
    return CheckRows(values, rank);
  }
  Status CheckRows(const Tensor& values, int rank) const {
    if (counter_ > 0 && rows_.dims() != values.dims())
      return errors::InvalidArgument("Shape mismatch: expected values rank ", rows_.dims(), ", got ", values.dims());
    if (counter_ == 0 && rank > values.dims())
      return errors::InvalidArgument("Shape mismatch: expected values rank at least ", rank, ", got ", values.dims());
    const int known = counter_ > 0 ? rows_.dims() : rank;
    for (int d = 1; d < known; ++d) {
      const Index wanted = counter_ > 0 ? rows_.dim_size(d) : shape_.dim_size(d);
      if (wanted >= 0 && wanted != values.dim_size(d))
        return errors::InvalidArgument("Shape mismatch: expected values dim ", d, " to be ", wanted, ", got ",
                                       values.dim_size(d));
    }
    return OkStatus();
  }

  // One row of the sum: its row in the old sum and in the new gradient, or -1 when there is none.
  struct Source {
    Index old, added;
  };
  Status AddLocked(const std::int64_t* indices, const Tensor& values) {
    const Index old_rows = counter_ == 0 ? 0 : static_cast<Index>(indices_.size()), new_rows = values.dim_size(0);
    SlimVector<Source> sources;
    for (Index i = 0, j = 0; i < old_rows || j < new_rows;) {
      const bool take_old = i < old_rows && (j == new_rows || indices_[At(i)] <= indices[j]);
      const bool take_new = j < new_rows && (i == old_rows || indices[j] <= indices_[At(i)]);
      sources.push_back({take_old ? i++ : -1, take_new ? j++ : -1});
    }
    TensorShape shape = values.shape();
    TENON_RETURN_IF_ERROR(shape.SetDimWithStatus(0, static_cast<Index>(sources.size())));
    TENON_ASSIGN_OR_RETURN(Tensor rows, Tensor::Make(dtype_, shape));
    const Index width = new_rows > 0   ? values.NumElements() / new_rows
                        : old_rows > 0 ? rows_.NumElements() / old_rows
                                       : 0;
    const ElementMover mover = MoverOf(dtype_);
    SlimVector<std::int64_t> sum_indices, counts;
    for (Index r = 0; r < shape.dim_size(0); ++r) {
      const Source& from = sources[At(r)];
      void* const to = mover.At(rows.raw_data(), r * width);
      CopyRun(mover,
              from.old >= 0 ? mover.At(std::as_const(rows_).raw_data(), from.old * width)
                            : mover.At(values.raw_data(), from.added * width),
              to, width);
      if (from.old >= 0 && from.added >= 0)
        AccumulatorMathOf(dtype_).add(mover.At(values.raw_data(), from.added * width), to, width);
      sum_indices.push_back(from.old >= 0 ? indices_[At(from.old)] : indices[from.added]);
      counts.push_back((from.old >= 0 ? counts_[At(from.old)] : 0) + (from.added >= 0 ? 1 : 0));
    }
    rows_ = std::move(rows);
    indices_ = std::move(sum_indices);
    counts_ = std::move(counts);
    return OkStatus();
  }
  // indices: [n], values: [n, ...], shape: the accumulator's first dimension and the dimensions of a row
  Status Yield(SlimVector<Tensor>* outputs) override {
    const Index n = static_cast<Index>(indices_.size()), width = n == 0 ? 0 : rows_.NumElements() / n;
    TENON_ASSIGN_OR_RETURN(Tensor indices, Tensor::Make(DataType::kInt64, TensorShape({n})));
    TENON_ASSIGN_OR_RETURN(Tensor shape, Tensor::Make(DataType::kInt64, TensorShape({rows_.dims()})));
    for (Index i = 0; i < n; ++i) {
      indices.data<std::int64_t>()[i] = indices_[At(i)];
      if (mean_)
        AccumulatorMathOf(dtype_).divide(MoverOf(dtype_).At(rows_.raw_data(), i * width), width, counts_[At(i)]);
    }
    for (int d = 0; d < rows_.dims(); ++d) shape.data<std::int64_t>()[d] = rows_.dim_size(d);
    shape.data<std::int64_t>()[0] = !shape_.unknown_rank() && shape_.dims() > 0 ? shape_.dim_size(0) : -1;
    outputs->push_back(std::move(indices));
    outputs->push_back(std::move(rows_));
    outputs->push_back(std::move(shape));
    rows_ = Tensor(dtype_);
    indices_.clear();
    counts_.clear();
    return OkStatus();
  }

  SlimVector<std::int64_t> indices_, counts_;  // per row: its number, the count of gradients that had it
  Tensor rows_;
};

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// CallFrame: the arguments and results of one call of a function whose body is run as a graph with _Arg and _Retval
// nodes. The kernels of these nodes reach it through the run's services.

#include <cstddef>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// The frame as _Arg and _Retval see it.
class CallFrame {
 public:
  virtual ~CallFrame() = default;
  virtual std::size_t num_args() const = 0;
  virtual std::size_t num_retvals() const = 0;
  // Lives until the frame gets other arguments.
  virtual Status GetArg(int i, const Tensor** arg) const = 0;
  virtual Status SetRetval(int i, const Tensor& value) = 0;
  // Whether the argument may be moved out, since it is not needed again.
  virtual bool CanConsumeArg(int) const { return false; }
  virtual Status ConsumeArg(int i, Tensor* arg) {
    const Tensor* value = nullptr;
    TENON_RETURN_IF_ERROR(GetArg(i, &value));
    *arg = *value;
    return OkStatus();
  }
};

// The frame of a call with values. externally synchronised, but for SetRetval of different numbers.
class FunctionCallFrame final : public CallFrame {
 public:
  FunctionCallFrame(Span<const DataType> arg_types, Span<const DataType> retval_types)
      : arg_types_(arg_types.begin(), arg_types.end()), retval_types_(retval_types.begin(), retval_types.end()) {
    for (std::size_t i = 0; i < retval_types_.size(); ++i) retvals_.push_back(Nothing());
  }

  // InvalidArgument for another number of arguments, or other types.
  Status SetArgs(Span<const Tensor> args) {
    if (args.size() != arg_types_.size())
      return errors::InvalidArgument("Expects ", arg_types_.size(), " arguments, but ", args.size(), " is provided");
    for (std::size_t i = 0; i < args.size(); ++i)
      if (args[i].dtype() != arg_types_[i])
        return errors::InvalidArgument("Expects arg[", i, "] to be ", arg_types_[i], " but ", args[i].dtype(),
                                       " is provided");
    args_.assign(args.begin(), args.end());
    return OkStatus();
  }

  std::size_t num_args() const override { return arg_types_.size(); }
  std::size_t num_retvals() const override { return retval_types_.size(); }
  Status GetArg(int i, const Tensor** arg) const override {
    if (i < 0 || static_cast<std::size_t>(i) >= args_.size())
      return errors::InvalidArgument("GetArg ", i, " is not within [0, ", args_.size(), ")");
    *arg = &args_[static_cast<std::size_t>(i)];
    return OkStatus();
  }
  // InvalidArgument for a number or a type that the function does not have, Internal when it was set before.
  Status SetRetval(int i, const Tensor& value) override {
    if (i < 0 || static_cast<std::size_t>(i) >= retvals_.size())
      return errors::InvalidArgument("SetRetval ", i, " is not within [0, ", retvals_.size(), ")");
    const auto at = static_cast<std::size_t>(i);
    if (value.dtype() != retval_types_[at])
      return errors::InvalidArgument("Expects ret[", i, "] to be ", retval_types_[at], ", but ", value.dtype(),
                                     " is provided.");
    if (retvals_[at].dtype() != DataType::kInvalid) return errors::Internal("Retval[", i, "] has already been set.");
    retvals_[at] = value;
    return OkStatus();
  }

  // Internal when a result was not set. Copies share their buffers with the frame.
  Status GetRetvals(SlimVector<Tensor>* retvals) const {
    for (std::size_t i = 0; i < retvals_.size(); ++i)
      if (retvals_[i].dtype() == DataType::kInvalid) return errors::Internal("Retval[", i, "] does not have value");
    *retvals = retvals_;
    return OkStatus();
  }
  // Moves the results out of the frame. Internal when one was not set; with `allow_dead`, it is a default tensor.
  Status ConsumeRetvals(SlimVector<Tensor>* retvals, bool allow_dead = false) {
    for (std::size_t i = 0; i < retvals_.size(); ++i) {
      if (retvals_[i].dtype() != DataType::kInvalid) continue;
      if (!allow_dead) return errors::Internal("Retval[", i, "] does not have value");
      retvals_[i] = Tensor();
    }
    retvals->clear();
    for (Tensor& value : retvals_) retvals->push_back(std::exchange(value, Nothing()));
    return OkStatus();
  }

 private:
  static Tensor Nothing() { return Tensor(DataType::kInvalid); }

  SlimVector<DataType> arg_types_, retval_types_;
  SlimVector<Tensor> args_, retvals_;
};

TENON_DETAIL_NAMESPACE_END

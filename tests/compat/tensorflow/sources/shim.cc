// SPDX-License-Identifier: Apache-2.0
// An op for TensorFlow and TensorFlow Lite: the first values of each row of a ragged tensor, joined to words.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/lite/kernels/shim/op_kernel.h"
#include "tensorflow/lite/kernels/shim/shape.h"
#include "tensorflow/lite/kernels/shim/status_macros.h"
#include "tensorflow/lite/kernels/shim/tf_op_shim.h"

namespace compat_shim {

template <tflite::shim::Runtime Rt, typename T, typename Tsplits>
class FirstOfRowsOp : public tflite::shim::OpKernelShim<FirstOfRowsOp, Rt, T, Tsplits> {
 public:
  using typename tflite::shim::OpKernelShim<FirstOfRowsOp, Rt, T, Tsplits>::InitContext;
  using typename tflite::shim::OpKernelShim<FirstOfRowsOp, Rt, T, Tsplits>::InvokeContext;
  using typename tflite::shim::OpKernelShim<FirstOfRowsOp, Rt, T, Tsplits>::ShapeInferenceContext;
  static constexpr char kOpName[] = "CompatFirstOfRows";
  static constexpr char kDoc[] = "The first values of each row, with a word for each row.";
  static std::vector<std::string> Attrs() {
    return {"most: int", "word: string = 'w'", "scale: float = 1.0", "upper: bool = false", "T: {int32, float}",
            "Tsplits: {int32, int64}"};
  }
  static std::vector<std::string> Inputs() { return {"values: T", "row_splits: Tsplits", "extra: int32"}; }
  static std::vector<std::string> Outputs() { return {"first: T", "splits: Tsplits", "words: string", "table: T"}; }

  absl::Status Init(InitContext* context) {
    SH_RETURN_IF_ERROR(context->GetAttr("most", &most_));
    SH_RETURN_IF_ERROR(context->GetAttr("scale", &scale_));
    absl::string_view word;
    SH_RETURN_IF_ERROR(context->GetAttr("word", &word));
    bool upper = false;
    SH_RETURN_IF_ERROR(context->GetAttr("upper", &upper));
    word_ = upper ? "W" : std::string(word);
    if (context->GetAttr("most", &upper).ok() || context->GetAttr("missing", &upper).ok())
      return absl::InternalError("an attr of another type, or a missing one, was read");
    if (most_ < 0) return absl::InvalidArgumentError(absl::StrCat("most must not be negative: ", most_));
    return absl::OkStatus();
  }
  absl::Status Invoke(InvokeContext* context) {
    SH_ASSIGN_OR_RETURN(const auto values, context->GetInput(0));
    SH_ASSIGN_OR_RETURN(const auto splits, context->GetInput(1));
    SH_ASSIGN_OR_RETURN(const auto extra, context->GetInput(2));
    if (context->GetInput(context->NumInputs()).ok() || context->NumOutputs() != 4)
      return absl::InternalError("wrong numbers of inputs or outputs");
    const int more = extra->template AsScalar<int32_t>();
    const absl::Span<T> all = values->template Data<T>();
    const auto at = splits->template As<Tsplits, 1>();
    std::vector<T> first;
    std::vector<Tsplits> ends = {0};
    std::vector<std::string> words;
    for (int row = 0; row + 1 < at.Dim(0); ++row) {
      for (auto i = at(row); i < at(row + 1) && i < at(row) + most_ + more; ++i)
        first.push_back(static_cast<T>(static_cast<float>(all[static_cast<std::size_t>(i)]) * scale_));
      ends.push_back(static_cast<Tsplits>(first.size()));
      words.push_back(absl::StrCat(word_, row));
    }
    SH_RETURN_IF_ERROR(this->template FillOutputTensor<T, T>(first, 0, context));
    SH_RETURN_IF_ERROR(this->template FillOutputTensor<Tsplits, Tsplits>(ends, 1, context));
    SH_RETURN_WITH_CONTEXT_IF_ERROR(
        (this->template FillOutputTensor<std::string, tensorflow::tstring>(words, 2, context)), "of output ", 2);
    if (context->GetOutput(3, tflite::shim::Shape()).ok()) return absl::InternalError("an output of unknown rank");
    SH_ASSIGN_OR_RETURN(const auto table, context->GetOutput(3, tflite::shim::Shape({2, 3})));
    auto cells = table->template As<T, 2>();
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < cells.Dim(-1); ++j) cells(i, j) = static_cast<T>(10 * i + j);
    return absl::OkStatus();
  }
  static absl::Status ShapeInference(ShapeInferenceContext* c) {
    using tflite::shim::Shape;
    SH_ASSIGN_OR_RETURN(const Shape& values, c->GetInputShape(0));
    SH_ASSIGN_OR_RETURN(const Shape splits, c->GetInputShape(1));
    const Shape line({Shape::kUnknownDim});
    if (!values.Compatible(line)) return absl::InvalidArgumentError("Shape must be rank 1: " + values.ToString());
    int64_t most = 0;
    SH_RETURN_IF_ERROR(c->GetAttr("most", &most));
    SH_RETURN_IF_ERROR(c->SetOutputShape(0, most == 0 ? Shape() : line));
    SH_RETURN_IF_ERROR(c->SetOutputShape(1, splits));
    SH_RETURN_IF_ERROR(c->SetOutputShape(
        2, splits.Rank() == 1 ? Shape({Shape::AddDims(splits.Dim(0), splits.FullyDefined() ? -1 : 0)}) : line));
    return c->SetOutputShape(3, Shape(std::vector<int>{2, 3}));
  }

 private:
  int64_t most_ = 0;
  float scale_ = 1;
  std::string word_;
};

template <typename T, typename Tsplits>
class FirstOfRowsKernel : public tflite::shim::TfOpKernel<FirstOfRowsOp, T, Tsplits> {
 public:
  using tflite::shim::TfOpKernel<FirstOfRowsOp, T, Tsplits>::TfOpKernel;
};
using FirstOfRowsInstance = FirstOfRowsKernel<float, int64_t>;
REGISTER_TF_OP_SHIM(FirstOfRowsInstance);
REGISTER_KERNEL_BUILDER(Name(FirstOfRowsInstance::OpName())
                            .Device(tensorflow::DEVICE_CPU)
                            .TypeConstraint<float>("T")
                            .TypeConstraint<int64_t>("Tsplits"),
                        FirstOfRowsInstance);
using FirstOfRowsOfInt = FirstOfRowsKernel<int32_t, int32_t>;
REGISTER_KERNEL_BUILDER(Name(FirstOfRowsInstance::OpName())
                            .Device(tensorflow::DEVICE_CPU)
                            .TypeConstraint<int32_t>("T")
                            .TypeConstraint<int32_t>("Tsplits"),
                        FirstOfRowsOfInt);

}  // namespace compat_shim

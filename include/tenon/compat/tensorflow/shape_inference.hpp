// SPDX-License-Identifier: Apache-2.0
#pragma once
// shape_inference::InferenceContext: Tenon's, with TensorFlow's vectors and types.

#include <deque>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/inference_context_extended.hpp>
#include <tenon/compat/tensorflow/node_def.hpp>
#include <tenon/compat/tensorflow/tensor.hpp>

namespace tensorflow {
namespace shape_inference {

using tenon::DimensionHandle;
using tenon::DimensionOrConstant;
using tenon::ShapeHandle;

struct ShapeAndType {
  ShapeAndType() = default;
  ShapeAndType(ShapeHandle s, DataType t) : shape(s), dtype(t) {}
  ShapeAndType(const tenon::ShapeAndType& held) : shape(held.shape), dtype(FromTenon(held.dtype)) {}
  operator tenon::ShapeAndType() const { return {shape, ToTenon(dtype)}; }
  ShapeHandle shape;
  DataType dtype = DT_INVALID;
};

class InferenceContext : public tenon::InferenceContext {
 public:
  using Base = tenon::InferenceContext;
  static constexpr int64_t kUnknownDim = -1;
  static constexpr int32 kUnknownRank = -1;
  using Base::Base;
  using Base::input;
  using Base::MakeShape;
  using Base::MakeShapeFromShapeTensor;
  using Base::output;
  using Base::set_output;

  const Tensor* input_tensor(int i) { return AsTensorFlow(Base::input_tensor(i)); }
  std::vector<ShapeHandle> input_tensors_as_shapes() const {
    const tenon::SlimVector<ShapeHandle> shapes = Base::input_tensors_as_shapes();
    return {shapes.begin(), shapes.end()};
  }
  ShapeHandle MakeShape(const std::vector<DimensionHandle>& sizes) { return Base::MakeShape(Slim(sizes)); }
  ShapeHandle MakeShape(const std::vector<DimensionOrConstant>& sizes) {
    tenon::SlimVector<DimensionHandle> out;
    for (const DimensionOrConstant& size : sizes) out.push_back(MakeDim(size));
    return Base::MakeShape(out);
  }
  ShapeHandle MakeShape(std::initializer_list<DimensionOrConstant> sizes) { return Base::MakeShape(sizes); }
  Status set_output(StringPiece name, const std::vector<ShapeHandle>& shapes) {
    return Base::set_output(name, Slim(shapes));
  }
  template <class T>
  Status GetAttr(StringPiece name, T* value) const {
    const auto get = [this](StringPiece of, auto* to) { return this->Base::GetAttr(of, to); };
    return AttrAs<T>::Read(get, name, value);
  }
  const tenon::AttrValue* GetAttr(StringPiece name) const { return Base::GetAttr(name); }

  // The vectors that these return stay until this thread has asked sixteen times more.
  const std::vector<ShapeAndType>* input_handle_shapes_and_types(int i) {
    return Kept(Base::input_handle_shapes_and_types(i));
  }
  const std::vector<ShapeAndType>* output_handle_shapes_and_types(int i) {
    return Kept(Base::output_handle_shapes_and_types(i));
  }
  void set_input_handle_shapes_and_types(int i, const std::vector<ShapeAndType>& held) {
    Base::set_input_handle_shapes_and_types(i, Held(held));
  }
  void set_output_handle_shapes_and_types(int i, const std::vector<ShapeAndType>& held) {
    Base::set_output_handle_shapes_and_types(i, Held(held));
  }
  bool MergeInputHandleShapesAndTypes(int i, const std::vector<ShapeAndType>& held) {
    return Base::MergeInputHandleShapesAndTypes(i, Held(held));
  }
  bool MergeOutputHandleShapesAndTypes(int i, const std::vector<ShapeAndType>& held) {
    return Base::MergeOutputHandleShapesAndTypes(i, Held(held));
  }
  bool RelaxInputHandleShapesAndMergeTypes(int i, const std::vector<ShapeAndType>& held) {
    return Base::RelaxInputHandleShapesAndMergeTypes(i, Held(held));
  }
  bool RelaxOutputHandleShapesAndMergeTypes(int i, const std::vector<ShapeAndType>& held) {
    return Base::RelaxOutputHandleShapesAndMergeTypes(i, Held(held));
  }
  // `run` is any callable.
  Status Run(const std::function<Status(InferenceContext*)>& run) {
    TF_RETURN_IF_ERROR(construction_status());
    ForgetMerges();
    const Status status = run(this);
    return status.ok() ? status : AttachContext(status);
  }

 private:
  template <class T>
  static tenon::SlimVector<T> Slim(const std::vector<T>& items) {
    tenon::SlimVector<T> out;
    for (const T& item : items) out.push_back(item);
    return out;
  }
  static tenon::SlimVector<tenon::ShapeAndType> Held(const std::vector<ShapeAndType>& items) {
    tenon::SlimVector<tenon::ShapeAndType> out;
    for (const ShapeAndType& item : items) out.push_back(item);
    return out;
  }
  static const std::vector<ShapeAndType>* Kept(const tenon::SlimVector<tenon::ShapeAndType>* held) {
    constexpr std::size_t kMost = 16;
    if (held == nullptr) return nullptr;
    thread_local std::deque<std::vector<ShapeAndType>> kept;
    if (kept.size() == kMost) kept.pop_front();
    kept.emplace_back(held->begin(), held->end());
    return &kept.back();
  }
};
static_assert(sizeof(InferenceContext) == sizeof(tenon::InferenceContext));

}  // namespace shape_inference

typedef std::function<Status(shape_inference::InferenceContext*)> OpShapeInferenceFn;

}  // namespace tensorflow

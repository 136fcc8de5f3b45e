// SPDX-License-Identifier: Apache-2.0
#pragma once
// shape_inference::InferenceContext: Tenon's, with TensorFlow's vectors and types.

#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/base/mutex.hpp>
#include <tenon/op/op_def/owned_op.hpp>
#include <tenon/op/op_def/to_op_def.hpp>
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
  // For tests. The op and the node stay for the life of the process.
  template <int = 0>
  InferenceContext(int graph_def_version, const AttrSlice& attrs, const OpDef& op,
                   const std::vector<PartialTensorShape>& inputs, const std::vector<const Tensor*>& values = {},
                   const std::vector<PartialTensorShape>& = {},
                   const std::vector<std::unique_ptr<std::vector<std::pair<TensorShape, DataType>>>>& = {})
      : InferenceContext(graph_def_version, KeepSubject(attrs, op), inputs, values) {}
  template <int = 0>
  InferenceContext(int graph_def_version, const AttrSlice& attrs, const OpDef& op,
                   const std::vector<ShapeHandle>& inputs, const std::vector<const Tensor*>& values = {},
                   const std::vector<ShapeHandle>& = {},
                   const std::vector<std::unique_ptr<std::vector<ShapeAndType>>>& = {})
      : InferenceContext(graph_def_version, KeepSubject(attrs, op), std::vector<PartialTensorShape>(inputs.size()),
                         values) {
    for (std::size_t i = 0; i < inputs.size(); ++i) this->SetInput(static_cast<int>(i), inputs[i]);
  }
  // Keeps the facts of both. Those in which they differ become unknown.
  void Relax(DimensionHandle older, DimensionHandle newer, DimensionHandle* out) {
    *out = tenon::Relax(this, older, newer);
  }
  void Relax(ShapeHandle older, ShapeHandle newer, ShapeHandle* out) { *out = tenon::Relax(this, older, newer); }
  using Base::input;
  using Base::MakeShape;
  using Base::MakeShapeFromShapeTensor;
  using Base::output;

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
  // Not Base's two: a list in braces would fit both vectors.
  void set_output(int i, ShapeHandle shape) { Base::set_output(i, shape); }
  Status set_output(StringPiece name, const std::vector<ShapeHandle>& shapes) {
    return Base::set_output(name, Slim(shapes));
  }
  template <class T>
  Status GetAttr(StringPiece name, T* value) const {
    const auto get = [this](StringPiece of, auto* to) { return this->Base::GetAttr(of, to); };
    if constexpr (std::is_same_v<T, AttrValue>) {
      const AttrValue* const found = GetAttr(name);
      if (found == nullptr) return errors::InvalidArgument("Could not find attribute ", name, " in the op registry");
      *value = *found;
      return Status();
    } else {
      return AttrAs<T>::Read(get, name, value);
    }
  }
  // The value that this returns, and the node of attrs(), stay until this thread has asked sixteen times more.
  template <int = 0>
  const AttrValue* GetAttr(StringPiece name) const {
    const tenon::AttrValue* const found = Base::GetAttr(name);
    return found == nullptr ? nullptr : Keep(FromTenon(*found));
  }
  AttrSlice attrs() const { return node() == nullptr ? AttrSlice() : AttrSlice(KeptMessage(*node())); }
  DataTypeVector ret_types() const {
    DataTypeVector types;
    if (const OpDef op = FromTenon(tenon::ToOpDef(this->op())); node() != nullptr)
      static_cast<void>(OutputTypesForNode(KeptMessage(*node()), op, &types));
    return types;
  }
  using Base::MakeShapeFromShapeProto;
  using Base::ShapeHandleToProto;
  Status MakeShapeFromShapeProto(const TensorShapeProto& proto, ShapeHandle* out) {
    const std::string bytes = proto.SerializeAsString();
    return Base::MakeShapeFromShapeProto(tenon::wire::AsBytes(bytes), out);
  }
  void ShapeHandleToProto(ShapeHandle shape, TensorShapeProto* proto) const {
    std::string bytes;
    if (Base::ShapeHandleToProto(shape, &bytes).ok()) proto->ParseFromString(bytes);
  }

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
  struct Subject {
    tenon::NodeDef node;
    tenon::OwnedOp op;
  };
  template <int = 0>
  static const Subject* KeepSubject(const AttrSlice& attrs, const OpDef& op) {
    static tenon::Mutex mutex;
    static std::vector<std::unique_ptr<Subject>>* const kept = new std::vector<std::unique_ptr<Subject>>();
    NodeDef node;
    if (attrs.node_def() != nullptr) {
      node = *attrs.node_def();
    } else {
      node.set_op(op.name());
      for (const auto& [name, value] : attrs) (*node.mutable_attr())[name] = value;
    }
    tenon::OpDef def = ToTenon(op);
    if (def.name.empty()) def.name = "Unnamed";
    for (auto& output : def.output_arg)  // an op of TensorFlow may call an output like an input
      for (const auto& input : def.input_arg)
        if (output.name == input.name) output.name += "_output";
    auto made = tenon::OwnedOp::FromOpDef(def, nullptr);
    if (!made.ok()) {  // for its name alone
      def.name = "Unnamed";
      made = tenon::OwnedOp::FromOpDef(def, nullptr);
    }
    if (!made.ok()) {  // an op without arguments: construction_status() says that they are missing
      tenon::OpDef none;
      none.name = def.name;
      made = tenon::OwnedOp::FromOpDef(none, nullptr);
    }
    const tenon::MutexLock lock(mutex);
    kept->push_back(std::unique_ptr<Subject>(new Subject{ToTenon(node), *std::move(made)}));
    return kept->back().get();
  }
  InferenceContext(int graph_def_version, const Subject* subject, const std::vector<PartialTensorShape>& inputs,
                   const std::vector<const Tensor*>& values)
      : Base(graph_def_version, &subject->node, &subject->op.view(),
             std::vector<tenon::PartialTensorShape>(inputs.begin(), inputs.end()),
             std::vector<const tenon::Tensor*>(values.begin(), values.end())) {}
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
  template <class T>
  static const T* Keep(T value) {
    constexpr std::size_t kMost = 16;
    thread_local std::deque<T> kept;
    if (kept.size() == kMost) kept.pop_front();
    return &kept.emplace_back(std::move(value));
  }
  static const std::vector<ShapeAndType>* Kept(const tenon::SlimVector<tenon::ShapeAndType>* held) {
    return held == nullptr ? nullptr : Keep(std::vector<ShapeAndType>(held->begin(), held->end()));
  }
};
static_assert(sizeof(InferenceContext) == sizeof(tenon::InferenceContext));

}  // namespace shape_inference

typedef std::function<Status(shape_inference::InferenceContext*)> OpShapeInferenceFn;

}  // namespace tensorflow

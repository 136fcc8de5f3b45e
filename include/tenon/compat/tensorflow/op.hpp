// SPDX-License-Identifier: Apache-2.0
#pragma once
// REGISTER_OP with every call of TensorFlow's builder and any callable as shape function.

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/compat/register.hpp>
#include <tenon/compat/tensorflow/shape_inference.hpp>

TENON_DETAIL_SETUP_CODE_BEGIN

namespace tensorflow {
namespace register_op {

// Shape functions by op: those of Tenon are pointers to functions, TensorFlow's may hold anything. thread-safe.
class ShapeFunctions {
 public:
  static ShapeFunctions& Global() {
    static ShapeFunctions* const all = new ShapeFunctions();  // never destroyed
    return *all;
  }
  void Set(const std::string& op, OpShapeInferenceFn call) {
    const tenon::MutexLock lock(mutex_);
    rows_.push_back(new Row{op, std::move(call)});
  }
  // Calls the function of the context's op.
  static Status Call(tenon::InferenceContext* c) {
    return Global().Find(c->op().name)(static_cast<shape_inference::InferenceContext*>(c));
  }

 private:
  struct Row {
    std::string op;
    OpShapeInferenceFn call;
  };
  // The last one that was set.
  const OpShapeInferenceFn& Find(StringPiece op) {
    const tenon::MutexLock lock(mutex_);
    std::size_t i = rows_.size() - 1;
    while (rows_[i]->op != op) --i;
    return rows_[i]->call;
  }
  tenon::Mutex mutex_;
  tenon::SlimVector<Row*> rows_;  // never destroyed
};

class OpDefBuilderWrapper {
 public:
  explicit OpDefBuilderWrapper(const char* name) : builder_(name) {}
  explicit OpDefBuilderWrapper(const std::string& name) : builder_(name) {}
  OpDefBuilderWrapper& Attr(std::string spec) { return builder_.Attr(std::move(spec)), *this; }
  OpDefBuilderWrapper& Input(std::string spec) { return builder_.Input(std::move(spec)), *this; }
  OpDefBuilderWrapper& Output(std::string spec) { return builder_.Output(std::move(spec)), *this; }
  OpDefBuilderWrapper& ControlOutput(std::string name) { return builder_.ControlOutput(std::move(name)), *this; }
  OpDefBuilderWrapper& Doc(std::string text) { return builder_.Doc(std::move(text)), *this; }
  OpDefBuilderWrapper& Deprecated(int version, std::string why) {
    return builder_.Deprecated(version, std::move(why)), *this;
  }
  OpDefBuilderWrapper& SetIsStateful() { return builder_.SetIsStateful(), *this; }
  OpDefBuilderWrapper& SetIsCommutative() { return builder_.SetIsCommutative(), *this; }
  OpDefBuilderWrapper& SetIsAggregate() { return builder_.SetIsAggregate(), *this; }
  OpDefBuilderWrapper& SetAllowsUninitializedInput() { return builder_.SetAllowsUninitializedInput(), *this; }
  OpDefBuilderWrapper& SetIsDistributedCommunication() { return builder_.SetIsDistributedCommunication(), *this; }
  // TensorFlow: no constant folding. A stateful op is not folded.
  OpDefBuilderWrapper& SetDoNotOptimize() { return SetIsStateful(); }
  OpDefBuilderWrapper& SetShapeFn(OpShapeInferenceFn call) {
    ShapeFunctions::Global().Set(builder_.name(), std::move(call));
    return builder_.SetShapeFn(&ShapeFunctions::Call), *this;
  }
  // Full types are TensorFlow's compiler's: they change no answer.
  template <class F>
  OpDefBuilderWrapper& SetTypeConstructor(F&&) {
    return *this;
  }
  template <class F>
  OpDefBuilderWrapper& SetForwardTypeFn(F&&) {
    return *this;
  }
  template <class F>
  OpDefBuilderWrapper& SetReverseTypeFn(int, F&&) {
    return *this;
  }
  const tenon::register_op::OpBuilder& builder() const { return builder_; }

 private:
  tenon::register_op::OpBuilder builder_;
};
struct OpRegistration {
  OpRegistration(const OpDefBuilderWrapper& wrapper) { tenon::register_op::OpRegistration(wrapper.builder()); }
};

}  // namespace register_op
}  // namespace tensorflow
TENON_DETAIL_SETUP_CODE_END

#undef REGISTER_OP
#define REGISTER_OP(NAME)                                                                             \
  [[maybe_unused]] static const ::tensorflow::register_op::OpRegistration TENON_DETAIL_REGISTER_NAME( \
      tenon_tensorflow_op_, __COUNTER__) = ::tensorflow::register_op::OpDefBuilderWrapper(NAME)
#define REGISTER_SYSTEM_OP(NAME) REGISTER_OP(NAME)
#define REGISTER_OP_IMPL(COUNTER, NAME, IS_SYSTEM) REGISTER_OP(NAME)
#define SHOULD_REGISTER_OP(NAME) true
#define SHOULD_REGISTER_OP_KERNEL(NAME) true

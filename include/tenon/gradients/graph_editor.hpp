// SPDX-License-Identifier: Apache-2.0
#pragma once
// GraphEditor: adds nodes to a Graph by op name, with attrs, types, shapes and names found from the inputs. Symbol: an
// output of a node of that graph, with operators for arithmetic.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/graph/constant_values.hpp>
#include <tenon/graph/function_index.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/shape_refiner.hpp>
#include <tenon/graph/validate.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

class GraphEditor;

// One output of a node of a graph that is edited. A false one stands for "no tensor". externally synchronised.
struct Symbol {
  GraphEditor* editor = nullptr;
  int node = -1;
  int index = 0;

  // Whether it stands for a tensor.
  explicit operator bool() const { return node >= 0; }
  Symbol operator[](int i) const { return {editor, node, i}; }  // output i of the node
  // The tensor as an edge of the graph.
  InEdge edge() const { return {node, index}; }
  friend bool operator==(const Symbol& a, const Symbol& b) { return a.node == b.node && a.index == b.index; }

  // The type of the tensor.
  DataType dtype() const;
  PartialTensorShape shape() const;  // unknown rank where nothing is known
};

// Adds nodes to a graph. It keeps the first mistake; everything after it does nothing. one thread.
class GraphEditor {
 public:
  // Value of one argument of an op: a tensor, or the tensors of a list.
  class Input {
   public:
    Input(Symbol one) : one_(one) {}
    Input(std::initializer_list<Symbol> list) : list_(list), is_list_(true) {}
    Input(SlimVector<Symbol> list) : list_(std::move(list)), is_list_(true) {}

   private:
    friend class GraphEditor;
    std::size_t size() const { return is_list_ ? list_.size() : 1; }
    const Symbol* begin() const { return is_list_ ? list_.data() : &one_; }
    const Symbol* end() const { return begin() + size(); }
    Symbol one_;
    SlimVector<Symbol> list_;
    bool is_list_ = false;
  };
  using Attr = std::pair<std::string_view, AttrValue>;

  // All outlive the editor. `refiner` has inferred the graph's shapes.
  GraphEditor(Graph* graph, ShapeRefiner* refiner, OpInfoCache* ops)
      : graph_(graph), refiner_(refiner), ops_(ops), constants_(graph) {}
  GraphEditor(const GraphEditor&) = delete;
  GraphEditor& operator=(const GraphEditor&) = delete;

  // Adds a node and returns its output 0. `inputs` has one entry per argument; where the op has a single list, all its
  // tensors may also stand side by side. Attrs of types and list lengths follow from the inputs.
  Symbol Add(std::string_view op, std::initializer_list<Input> inputs, std::initializer_list<Attr> attrs = {}) {
    return AddNode(op, {inputs.begin(), inputs.size()}, {attrs.begin(), attrs.size()});
  }
  Symbol AddNode(std::string_view op, Span<const Input> inputs, Span<const Attr> attrs = {}) {
    if (!status_.ok()) return {};
    int id = -1;
    status_.Update(Make(op, inputs, attrs, &id));
    return status_.ok() ? Symbol{this, id, 0} : Symbol();
  }
  Symbol Const(Tensor value) {
    const DataType type = value.dtype();
    return Add("Const", {}, {{"dtype", type}, {"value", std::move(value)}});
  }
  // A scalar of a numeric type.
  Symbol Scalar(DataType type, double value) {
    Tensor tensor = ScalarOf(type, value);
    if (tensor.dtype() != type || tensor.dims() != 0) {
      Fail(errors::InvalidArgument("GraphEditor::Scalar: no number of type ", type));
      return {};
    }
    return Const(std::move(tensor));
  }
  Symbol Int(std::int32_t value) { return Const(Tensor::Scalar(value)); }
  Symbol Ints(Span<const std::int32_t> values) {
    return Const(Tensor::From<std::int32_t>(std::span<const std::int32_t>(values.data(), values.size()),
                                            TensorShape({static_cast<Index>(values.size())})));
  }
  Symbol Ints(std::initializer_list<std::int32_t> values) {
    return Ints(Span<const std::int32_t>(values.begin(), values.size()));
  }

  DataType dtype(Symbol s) const {
    return s ? BaseType(graph_->node(s.node).output_type(s.index)) : DataType::kInvalid;
  }
  PartialTensorShape shape(Symbol s) const {
    return s ? graph_->node(s.node).output_shape(s.index) : PartialTensorShape();
  }
  // Value that depends on constants alone. False: it is not known before a run.
  bool Value(Symbol s, Tensor* value) {
    bool known = false;
    return s && constants_.Find(s.edge(), value, &known).ok() && known;
  }

  const Status& status() const { return status_; }  // the first mistake, or OK
  void Fail(const Status& status) { status_.Update(status); }

  // New nodes are "scope/Op", made unique.
  void set_scope(std::string scope) { scope_ = std::move(scope); }
  const std::string& scope() const { return scope_; }

  Graph& graph() { return *graph_; }
  const Graph& graph() const { return *graph_; }
  ShapeRefiner& refiner() { return *refiner_; }
  OpInfoCache& ops() { return *ops_; }
  // Functions that nodes of the graph call; new ones are added here. By default the graph's own library.
  FunctionDefLibrary& library() { return library_ != nullptr ? *library_ : graph_->mutable_library(); }
  // For the body of a function that `outer`'s graph calls.
  void set_outer(GraphEditor* outer) {
    library_ = &outer->library();
    depth_ = outer->depth_ + 1;
    adds_functions_ = outer->adds_functions_;
  }
  // False: new functions would be lost.
  bool adds_functions() const { return adds_functions_; }
  void set_adds_functions(bool value) { adds_functions_ = value; }
  int depth() const { return depth_; }  // calls around the graph
  // A name that no function has.
  std::string UniqueFunctionName(std::string_view prefix) {
    const FunctionIndex functions(library());
    for (std::size_t n = library().function.size();; ++n)
      if (std::string name = StrCat(prefix, "_", n); functions.Find(name) == nullptr) return name;
  }
  // Notes that a node other than a new one was changed.
  void NoteEdited(int node) { edited_.push_back(node); }
  Span<const int> edited() const { return edited_; }
  Symbol At(InEdge edge) { return {this, edge.node, edge.output}; }
  Symbol At(int node, int output = 0) { return {this, node, output}; }
  // "scope/name", "scope/name_1", ...: a name that no node has. The search goes on where that for the text ended.
  std::string UniqueName(std::string_view name) {
    std::string& text = name_;
    text.assign(scope_);
    if (!scope_.empty()) text.push_back('/');
    text.append(name);
    if (graph_->Find(text) == nullptr) return text;
    const NameOf name_of{&repeated_};
    int at = repeated_index_.Insert(text, static_cast<int>(repeated_.size()), name_of);
    if (at < 0) {
      at = static_cast<int>(repeated_.size());
      repeated_.push_back({text, 1});
    }
    text.push_back('_');
    const std::size_t size = text.size();
    for (int& n = repeated_[ToSize(at)].second;; ++n) {
      text.resize(size);
      StrAppend(&text, n);
      if (graph_->Find(text) == nullptr) return text;
    }
  }

  // The number as a scalar; an empty tensor for a type that is not a number.
  static Tensor ScalarOf(DataType type, double value) {
    const auto f = static_cast<float>(value);
    switch (type) {
      case DataType::kHalf: return Tensor::Scalar(half(f));
      case DataType::kBfloat16: return Tensor::Scalar(bfloat16(f));
      case DataType::kFloat: return Tensor::Scalar(f);
      case DataType::kDouble: return Tensor::Scalar(value);
      case DataType::kComplex64: return Tensor::Scalar(std::complex<float>(f, 0));
      case DataType::kComplex128: return Tensor::Scalar(std::complex<double>(value, 0));
      case DataType::kInt8: return Tensor::Scalar(static_cast<std::int8_t>(value));
      case DataType::kInt16: return Tensor::Scalar(static_cast<std::int16_t>(value));
      case DataType::kInt32: return Tensor::Scalar(static_cast<std::int32_t>(value));
      case DataType::kInt64: return Tensor::Scalar(static_cast<std::int64_t>(value));
      case DataType::kUint8: return Tensor::Scalar(static_cast<std::uint8_t>(value));
      case DataType::kUint16: return Tensor::Scalar(static_cast<std::uint16_t>(value));
      case DataType::kUint32: return Tensor::Scalar(static_cast<std::uint32_t>(value));
      case DataType::kUint64: return Tensor::Scalar(static_cast<std::uint64_t>(value));
      case DataType::kBool: return Tensor::Scalar(value != 0);
      default: return Tensor::Zeros<float>(TensorShape({0}));
    }
  }

 private:
  Status Make(std::string_view op, Span<const Input> inputs, Span<const Attr> attrs, int* id) {
    const OpInfo* const info = ops_->Find(op);
    if (info == nullptr) {
      const OpView* none = nullptr;
      return ops_->registry().LookUp(op, &none);
    }
    NodeDef def;
    def.op = std::string(op);
    def.name = UniqueName(op);
    def.attr.reserve(info->op().attrs.size());
    for (const Attr& attr : attrs) def.attr.Set(std::string(attr.first), attr.second);
    InlinedVector<InEdge, 4> edges;
    TENON_RETURN_IF_ERROR(Distribute(info->op(), inputs, &def, &edges));
    info->AddDefaults(&def);
    OpInfo::Types in, out;
    TENON_RETURN_IF_ERROR(info->Resolve(def, static_cast<std::int64_t>(edges.size()), &in, &out));
    TENON_ASSIGN_OR_RETURN(
        *id, graph_->AddNode(std::move(def), &info->op(), info->node_class(),
                             Span<const DataType>(in.data(), in.size()), Span<const DataType>(out.data(), out.size())));
    for (std::size_t i = 0; i < edges.size(); ++i)
      TENON_RETURN_IF_ERROR(graph_->AddEdge(edges[i].node, edges[i].output, *id, static_cast<int>(i)));
    return refiner_->AddNode(*id);
  }

  DataType TypeOf(InEdge edge) const { return BaseType(graph_->node(edge.node).output_type(edge.output)); }
  // Tensors in the order of the op's inputs, and the attrs that they decide.
  Status Distribute(const OpView& op, Span<const Input> inputs, NodeDef* def, InlinedVector<InEdge, 4>* edges) const {
    std::size_t total = 0;
    for (const Input& input : inputs) total += input.size();
    for (const Input& input : inputs)
      for (const Symbol& s : input) {
        if (!s) return errors::InvalidArgument("Node '", def->name, "' (", op.name, "): an input has no tensor");
        edges->push_back(s.edge());
      }
    const bool by_argument = inputs.size() == op.inputs.size();
    std::size_t at = 0;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const ArgSpec& arg = op.inputs[i];
      const std::size_t singles = op.inputs.size() - 1;
      const std::size_t count = by_argument      ? inputs[i].size()
                                : !arg.is_list() ? 1
                                                 : total - (total < singles ? total : singles);
      if (at + count > total)
        return errors::InvalidArgument("Node '", def->name, "': ", op.name, " takes ", op.inputs.size(),
                                       " arguments, but ", inputs.size(), " are given.");
      if (const AttrSpec* number = op.NumberAttr(arg))
        AddNodeAttr(number->name(), static_cast<std::int64_t>(count), def);
      if (const AttrSpec* type = op.TypeAttr(arg); type != nullptr && arg.is_type_list) {
        SlimVector<DataType> types;
        for (std::size_t k = at; k < at + count; ++k) types.push_back(TypeOf((*edges)[k]));
        AddNodeAttr(type->name(), AttrValue(types), def);
      } else if (type != nullptr && count > 0) {
        AddNodeAttr(type->name(), TypeOf((*edges)[at]), def);
      }
      at += count;
    }
    return OkStatus();
  }

  Graph* graph_;
  ShapeRefiner* refiner_;
  OpInfoCache* ops_;
  ConstantValues constants_;
  FunctionDefLibrary* library_ = nullptr;
  int depth_ = 0;
  bool adds_functions_ = true;
  struct NameOf {
    const SlimVector<std::pair<std::string, int>>* names;
    std::string_view operator()(int i) const { return (*names)[ToSize(i)].first; }
  };
  SlimVector<std::pair<std::string, int>> repeated_;  // names that nodes have, and the next number to try
  detail::NameIndex repeated_index_;
  SlimVector<int> edited_;
  std::string scope_;
  std::string name_;  // that UniqueName tries
  Status status_;
};

inline DataType Symbol::dtype() const { return editor == nullptr ? DataType::kInvalid : editor->dtype(*this); }
inline PartialTensorShape Symbol::shape() const {
  return editor == nullptr ? PartialTensorShape() : editor->shape(*this);
}

namespace detail {
// Adds the node to the graph of its operands.
inline Symbol Apply(std::string_view op, Symbol a, Symbol b) {
  GraphEditor* const editor = a.editor != nullptr ? a.editor : b.editor;
  return editor == nullptr ? Symbol() : editor->Add(op, {a, b});
}
inline Symbol Apply(std::string_view op, Symbol a) { return a.editor == nullptr ? Symbol() : a.editor->Add(op, {a}); }
inline Symbol NumberLike(Symbol a, double value) {
  return a.editor == nullptr ? Symbol() : a.editor->Scalar(a.dtype(), value);
}
}  // namespace detail

// Element by element, with broadcasting, in the type of the symbol.
inline Symbol operator+(Symbol a, Symbol b) { return detail::Apply("AddV2", a, b); }
inline Symbol operator-(Symbol a, Symbol b) { return detail::Apply("Sub", a, b); }
inline Symbol operator*(Symbol a, Symbol b) { return detail::Apply("Mul", a, b); }
inline Symbol operator/(Symbol a, Symbol b) { return detail::Apply("RealDiv", a, b); }
inline Symbol operator-(Symbol a) { return detail::Apply("Neg", a); }
inline Symbol operator+(Symbol a, double b) { return a + detail::NumberLike(a, b); }
inline Symbol operator-(Symbol a, double b) { return a - detail::NumberLike(a, b); }
inline Symbol operator*(Symbol a, double b) { return a * detail::NumberLike(a, b); }
inline Symbol operator/(Symbol a, double b) { return a / detail::NumberLike(a, b); }
inline Symbol operator+(double a, Symbol b) { return detail::NumberLike(b, a) + b; }
inline Symbol operator-(double a, Symbol b) { return detail::NumberLike(b, a) - b; }
inline Symbol operator*(double a, Symbol b) { return detail::NumberLike(b, a) * b; }
inline Symbol operator/(double a, Symbol b) { return detail::NumberLike(b, a) / b; }

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// InferenceContext: what a shape function sees and answers, with TensorFlow's members and messages. The same function
// runs at run time and in constant expressions (a network's shapes can be checked by static_assert); a mistake found
// there stops the compiler at a call whose name says what is wrong.
//
//   Status MatrixShape(InferenceContext* c) {
//     ShapeHandle in;
//     TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &in));
//     c->set_output(0, c->Matrix(c->Dim(in, 1), c->Dim(in, 0)));
//     return OkStatus();
//   }

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr_value.hpp>
#include <tenon/op/node_def.hpp>
#include <tenon/op/signature.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

// One size: known, or unknown but with an identity. Belongs to the context that made it. Value type, one word.
class DimensionHandle {
 public:
  constexpr DimensionHandle() = default;

  constexpr bool IsSet() const { return rep_ != kUnset; }
  constexpr bool Handle() const { return IsSet(); }
  // Known to be equal: the same number, or the same unknown.
  constexpr bool SameHandle(DimensionHandle other) const { return rep_ == other.rep_; }

 private:
  friend class InferenceContext;
  static constexpr std::int64_t kUnset = std::numeric_limits<std::int64_t>::min();
  constexpr explicit DimensionHandle(std::int64_t rep) : rep_(rep) {}

  std::int64_t rep_ = kUnset;  // >= 0: the size; -2 - n: unknown number n
};

// One shape of a context. Value type, a number.
class ShapeHandle {
 public:
  constexpr ShapeHandle() = default;

  constexpr bool IsSet() const { return id_ != 0; }
  constexpr bool Handle() const { return IsSet(); }
  constexpr bool SameHandle(ShapeHandle other) const { return id_ == other.id_; }

 private:
  friend class InferenceContext;
  constexpr explicit ShapeHandle(std::uint32_t id) : id_(id) {}

  std::uint32_t id_ = 0;  // position + 1
};

// A handle or a number, -1 for unknown: c->Matrix(c->Dim(a, 0), 3).
struct DimensionOrConstant {
  constexpr DimensionOrConstant(DimensionHandle handle) : dim(handle) {}
  template <class Int>
    requires std::is_integral_v<Int>
  constexpr DimensionOrConstant(Int value) : val(static_cast<std::int64_t>(value)) {}

  DimensionHandle dim;
  std::int64_t val = -1;
};

// What a resource or variant holds.
struct ShapeAndType {
  ShapeHandle shape;
  DataType dtype = DataType::kInvalid;
};

// A shape in a constant expression, at most 8 dimensions; -1 is an unknown size.
struct StaticShape {
  static constexpr int kMaxRank = 8;

  int rank = -1;  // -1: unknown
  std::int64_t dims[kMaxRank] = {};

  constexpr StaticShape() = default;
  constexpr StaticShape(std::initializer_list<std::int64_t> sizes) : rank(static_cast<int>(sizes.size())) {
    int i = 0;
    for (const std::int64_t size : sizes) dims[i++] = size;
  }
  friend constexpr bool operator==(const StaticShape&, const StaticShape&) = default;
};

// An input in a constant expression: its shape, and the value of a small integer tensor if that is known.
struct StaticInput {
  StaticShape shape;
  int value_count = -1;  // -1: not known
  std::int64_t values[StaticShape::kMaxRank] = {};

  constexpr StaticInput(std::initializer_list<std::int64_t> sizes) : shape(sizes) {}
  constexpr StaticInput(const StaticShape& s) : shape(s) {}
  static constexpr StaticInput Vector(std::initializer_list<std::int64_t> list) {
    StaticInput input({static_cast<std::int64_t>(list.size())});
    input.value_count = 0;
    for (const std::int64_t v : list) input.values[input.value_count++] = v;
    return input;
  }
  static constexpr StaticInput Scalar(std::int64_t v) {
    StaticInput input(std::initializer_list<std::int64_t>{});
    input.values[0] = v;
    input.value_count = 1;
    return input;
  }
};

// An attr in a constant expression: {"transpose_a", true}, {"strides", {1, 2, 2, 1}}, {"padding", "SAME"}.
struct StaticAttr {
  static constexpr std::size_t kMaxList = 16;

  std::string_view name;
  AttrKind kind = AttrKind::kInt;
  bool is_list = false;
  std::int64_t number = 0;  // kInt; kBool as 0 or 1
  float real = 0;
  DataType type = DataType::kInvalid;
  std::string_view text;
  std::size_t list_size = 0;
  std::int64_t numbers[kMaxList] = {};
  DataType types[kMaxList] = {};

  template <class Int>
    requires std::is_integral_v<Int>
  constexpr StaticAttr(std::string_view n, Int v)
      : name(n),
        kind(std::is_same_v<Int, bool> ? AttrKind::kBool : AttrKind::kInt),
        number(static_cast<std::int64_t>(v)) {}
  constexpr StaticAttr(std::string_view n, float v) : name(n), kind(AttrKind::kFloat), real(v) {}
  constexpr StaticAttr(std::string_view n, double v) : StaticAttr(n, static_cast<float>(v)) {}
  constexpr StaticAttr(std::string_view n, DataType v) : name(n), kind(AttrKind::kType), type(v) {}
  constexpr StaticAttr(std::string_view n, const char* v) : name(n), kind(AttrKind::kString), text(v) {}
  constexpr StaticAttr(std::string_view n, std::string_view v) : name(n), kind(AttrKind::kString), text(v) {}
  constexpr StaticAttr(std::string_view n, std::initializer_list<std::int64_t> v) : name(n), is_list(true) {
    for (const std::int64_t x : v) numbers[list_size++] = x;
  }
  constexpr StaticAttr(std::string_view n, std::initializer_list<DataType> v)
      : name(n), kind(AttrKind::kType), is_list(true) {
    for (const DataType x : v) types[list_size++] = x;
  }

  // False when the value has another type.
  template <class T>
  constexpr bool Get(T* out) const {
    if constexpr (std::is_same_v<T, bool>) {
      return Take(kind == AttrKind::kBool && !is_list, number != 0, out);
    } else if constexpr (std::is_integral_v<T>) {
      return Take(kind == AttrKind::kInt && !is_list, static_cast<T>(number), out);
    } else if constexpr (std::is_same_v<T, float>) {
      return Take(kind == AttrKind::kFloat, real, out);
    } else if constexpr (std::is_same_v<T, DataType>) {
      return Take(kind == AttrKind::kType && !is_list, type, out);
    } else if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, std::string>) {
      return Take(kind == AttrKind::kString, T(text), out);
    } else if constexpr (std::is_same_v<T, std::span<const DataType>>) {
      return Take(kind == AttrKind::kType && is_list, T(types, list_size), out);
    } else if constexpr (std::is_same_v<T, std::span<const std::int64_t>>) {
      return Take(kind == AttrKind::kInt && is_list, T(numbers, list_size), out);
    } else if constexpr (GrowableListOf<T, DataType>) {
      return Take(kind == AttrKind::kType && is_list, T(types, types + list_size), out);
    } else if constexpr (GrowableListOf<T, std::int64_t> || GrowableListOf<T, std::int32_t>) {
      if (kind != AttrKind::kInt || !is_list) return false;
      out->clear();
      for (std::size_t i = 0; i < list_size; ++i) out->push_back(static_cast<typename T::value_type>(numbers[i]));
      return true;
    } else {
      return false;
    }
  }

 private:
  template <class T>
  static constexpr bool Take(bool fits, const T& value, T* out) {
    if (fits) *out = value;
    return fits;
  }
};

namespace detail {

// A decimal number of at most 15 digits and a power of ten up to 22, which a double represents exactly, or an infinity
// or NaN. False for other numbers.
constexpr bool ReadSimpleFloat(std::string_view text, float* out) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (SameIgnoringCase(text, "nan")) return *out = std::numeric_limits<float>::quiet_NaN(), true;
  if (SameIgnoringCase(text, "inf") || SameIgnoringCase(text, "infinity")) {
    *out = negative ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
    return true;
  }
  TextCursor in(text);
  double value = 0;
  int digits = 0, point = 0;
  for (bool behind_point = false; IsDigit(in.peek()) || (in.peek() == '.' && !behind_point); ++in.at) {
    if (in.peek() == '.') {
      behind_point = true;
      continue;
    }
    value = value * 10 + (in.peek() - '0');
    digits += value > 0 ? 1 : 0;
    point -= behind_point ? 1 : 0;
  }
  std::int64_t exponent = 0;
  if (in.Eat("e") || in.Eat("E")) {
    if (!ReadDecimal(in.rest(), &exponent)) return false;
  } else if (!in.done()) {
    return false;
  }
  exponent += point;
  if (digits > 15 || exponent < -22 || exponent > 22) return false;
  double scale = 1;
  for (std::int64_t i = 0; i < (exponent < 0 ? -exponent : exponent); ++i) scale *= 10;
  value = exponent < 0 ? value / scale : value * scale;
  *out = static_cast<float>(negative ? -value : value);
  return true;
}

// An attr's default from the text of its spec, where that needs no allocation of texts. False for other types.
template <class T>
constexpr bool ReadAttrDefault(const AttrSpec& spec, T* out) {
  DefaultReader values(spec);
  SpecValue v;
  if constexpr (std::is_same_v<T, bool>) {
    if (spec.kind != AttrKind::kBool || spec.is_list || !values.Next(&v)) return false;
    *out = v.i != 0;
  } else if constexpr (std::is_integral_v<T>) {
    if (spec.kind != AttrKind::kInt || spec.is_list || !values.Next(&v)) return false;
    *out = static_cast<T>(v.i);
  } else if constexpr (std::is_same_v<T, float>) {
    if (spec.kind != AttrKind::kFloat || spec.is_list || !values.Next(&v)) return false;
    return ReadSimpleFloat(v.text, out);
  } else if constexpr (std::is_same_v<T, DataType>) {
    if (!spec.is_type() || !values.Next(&v)) return false;
    *out = v.type;
  } else if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, std::string>) {
    if (spec.kind != AttrKind::kString || spec.is_list || !values.Next(&v) || v.text.find('\\') != v.text.npos)
      return false;
    *out = T(v.text);
  } else if constexpr (GrowableListOf<T, std::int64_t> || GrowableListOf<T, std::int32_t>) {
    if (spec.kind != AttrKind::kInt || !spec.is_list) return false;
    for (out->clear(); values.Next(&v);) out->push_back(static_cast<typename T::value_type>(v.i));
  } else if constexpr (GrowableListOf<T, DataType>) {
    if (!spec.is_type_list()) return false;
    for (out->clear(); values.Next(&v);) out->push_back(v.type);
  } else {
    return false;
  }
  return true;
}

// The errors of shape functions. Not constexpr: in a constant expression the compiler names the function that was
// reached.
TENON_COLD inline Status shape_has_the_wrong_rank(std::string_view what, std::int64_t want, std::int64_t got) {
  return errors::InvalidArgument("Shape must be ", what, "rank ", want, " but is rank ", got);
}
TENON_COLD inline Status rank_is_too_large() { return errors::InvalidArgument("Rank cannot exceed kint32max"); }
TENON_COLD inline Status dimension_has_the_wrong_size(std::int64_t want, std::int64_t got) {
  return errors::InvalidArgument("Dimension must be ", want, " but is ", got);
}
TENON_COLD inline Status dimensions_must_be_equal(std::int64_t a, std::int64_t b) {
  return errors::InvalidArgument("Dimensions must be equal, but are ", a, " and ", b);
}
TENON_COLD inline Status shapes_must_have_equal_rank(std::int64_t a, std::int64_t b) {
  return errors::InvalidArgument("Shapes must be equal rank, but are ", a, " and ", b);
}
TENON_COLD inline Status subshape_is_out_of_bounds(std::string_view which, std::int64_t at, std::int64_t rank) {
  return errors::InvalidArgument("Subshape ", which, " out of bounds: ", at, ", for shape with rank ", rank);
}
TENON_COLD inline Status subshape_ends_before_it_starts(std::int64_t start, std::int64_t end, std::int64_t start_in,
                                                        std::int64_t end_in, std::int64_t rank, std::int64_t stride) {
  const std::string from = StrCat(start, " and ", end, " (computed from start ", start_in, " and end ", end_in,
                                  " over shape with rank ", rank);
  if (stride > 0) return errors::InvalidArgument("Subshape must have computed start <= end, but is ", from, ")");
  return errors::InvalidArgument("Subshape must have computed start >= end since stride is negative, but is ", from,
                                 " and stride", stride, ")");
}
TENON_COLD inline Status dimension_index_is_out_of_range(std::int64_t index, std::int64_t rank) {
  return errors::InvalidArgument("Out of range dim_index ", index, " for shape with ", rank, " dimensions");
}
TENON_COLD inline Status divisor_must_be_positive(std::int64_t k) {
  return errors::InvalidArgument("Divisor must be positive but is ", k);
}
TENON_COLD inline Status dimension_must_be_divisible(std::int64_t k, std::int64_t size) {
  return errors::InvalidArgument("Dimension size must be evenly divisible by ", k, " but is ", size);
}
TENON_COLD inline Status dimension_overflows_in_a_sum(std::int64_t a, std::int64_t b) {
  return errors::InvalidArgument("Dimension size overflow from adding ", a, " and ", b);
}
TENON_COLD inline Status dimension_becomes_negative(std::int64_t a, std::int64_t b) {
  return errors::InvalidArgument("Negative dimension size caused by subtracting ", b, " from ", a);
}
TENON_COLD inline Status dimension_overflows_in_a_product(std::int64_t a, std::int64_t b) {
  return errors::InvalidArgument("Negative dimension size caused by overflow when multiplying ", a, " and ", b);
}
TENON_COLD inline Status too_many_dimensions(std::int64_t n, std::int64_t max) {
  return errors::Internal("Cannot create a tensor with ", n, " dimensions, as these would be more than maximum of ",
                          max);
}
TENON_COLD inline Status shape_value_is_invalid(std::int64_t v) {
  return errors::InvalidArgument("Invalid value in tensor used for shape: ", v);
}
TENON_COLD inline Status scalar_shape_must_be_minus_one(std::int64_t v) {
  return errors::InvalidArgument(
      "Input tensor must be rank 1, or if its rank 0 it must have value -1 (representing an unknown shape).  ",
      "Saw value: ", v);
}
TENON_COLD inline Status size_must_not_be_negative(int input, std::int64_t v) {
  return errors::InvalidArgument("Dimension size, given by scalar input ", input, ", must be non-negative but is ", v);
}
TENON_COLD inline Status index_is_out_of_range(std::int64_t v, std::int64_t rank) {
  return errors::InvalidArgument("Dimension size, given by scalar input ", v, " must be in range [-", rank, ", ", rank,
                                 ")");
}
TENON_COLD inline Status wrong_number_of_inputs(std::size_t got, std::size_t want) {
  return errors::InvalidArgument("Wrong number of inputs passed: ", got, " while ", want, " expected based on NodeDef");
}
TENON_COLD inline Status unknown_argument_name(std::string_view which, std::string_view name) {
  return errors::InvalidArgument("Unknown ", which, " name: ", name);
}
TENON_COLD inline Status wrong_number_of_shapes(std::size_t want) {
  return errors::InvalidArgument("Must have exactly ", want, " shapes.");
}
TENON_COLD inline Status attr_is_missing_or_has_another_type(std::string_view name, std::string_view op) {
  return errors::NotFound("No attr named '", name, "' in NodeDef: ", op);
}

}  // namespace detail

// One node's inputs while its output shapes are found. Keeps its memory when it is used again. externally synchronised.
class InferenceContext {
 public:
  static constexpr std::int64_t kUnknownDim = -1;
  static constexpr std::int32_t kUnknownRank = -1;
  static constexpr int kGraphDefVersion = 2474;  // of graphs described in C++

  constexpr InferenceContext() = default;

  // `tensors` and `as_shapes` may be shorter than `inputs`, and hold null for what is not known: the values of constant
  // inputs, and what is known of the shapes that inputs stand for. node, op, names and tensors outlive the use of the
  // context.
  InferenceContext(int graph_def_version, const NodeDef* node, const OpView* op,
                   std::span<const PartialTensorShape> inputs, std::span<const Tensor* const> tensors = {},
                   std::span<const PartialTensorShape* const> as_shapes = {}) {
    Reset(graph_def_version, node, op);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      AddInput(inputs[i], i < tensors.size() ? tensors[i] : nullptr);
      if (i < as_shapes.size() && as_shapes[i] != nullptr)
        set_input_tensor_as_shape(static_cast<int>(i), *as_shapes[i]);
    }
    CheckInputCount();
  }
  // For constant expressions (works at run time too). Attrs that are not given have their defaults.
  constexpr InferenceContext(const OpView& op, std::initializer_list<StaticInput> inputs,
                             std::initializer_list<StaticAttr> attrs = {}) {
    own_view_ = op;
    op_ = &own_view_;
    graph_def_version_ = kGraphDefVersion;
    static_attrs_ = attrs;
    for (const StaticInput& input : inputs) {
      SlimVector<DimensionHandle> sizes;
      for (int d = 0; d < input.shape.rank; ++d) sizes.push_back(MakeDim(input.shape.dims[d]));
      inputs_.push_back(
          {input.shape.rank < 0 ? UnknownShape() : MakeShape(sizes), nullptr, {}, {}, false, false, false});
      inputs_.back().has_values = input.value_count >= 0;
      for (int i = 0; i < input.value_count; ++i) inputs_.back().values.push_back(input.values[i]);
    }
    FindOutputs();
    CheckInputCount();
  }
  InferenceContext(const InferenceContext&) = delete;
  InferenceContext& operator=(const InferenceContext&) = delete;

  // Begins with another node, or with the same one again: no inputs, no shapes. Then AddInput for each.
  void Reset(int graph_def_version, const NodeDef* node, const OpView* op) {
    graph_def_version_ = graph_def_version;
    node_ = node;
    op_ = op;
    static_attrs_.clear();
    status_ = OkStatus();
    ClearShapes();
    inputs_.clear();
    FindOutputs();
  }
  void AddInput(const TensorShape& shape, const Tensor* value = nullptr) {
    AddInputHandle(MakeShape(shape.dim_sizes()), value);
  }
  void AddInput(const PartialTensorShape& shape, const Tensor* value = nullptr) {
    AddInputHandle(shape.unknown_rank() ? UnknownShape() : MakeShape(shape.dim_sizes()), value);
  }
  void set_input_tensor(int i, const Tensor* value) { in(i).tensor = value; }
  void set_input_tensor_as_shape(int i, const PartialTensorShape& shape) {
    in(i).as_shape = shape.unknown_rank() ? UnknownShape() : MakeShape(shape.dim_sizes());
  }
  // Another input count than the op's, or an attr that says how many outputs there are is missing.
  constexpr const Status& construction_status() const { return status_; }

  // --- inputs and outputs
  constexpr int num_inputs() const { return static_cast<int>(inputs_.size()); }
  constexpr int num_outputs() const { return static_cast<int>(outputs_.size()); }
  constexpr ShapeHandle input(int i) const { return in(i).shape; }
  constexpr void set_input(int i, ShapeHandle shape) { in(i).shape = shape; }
  constexpr ShapeHandle output(int i) const { return outputs_[static_cast<std::size_t>(i)]; }
  constexpr void set_output(int i, ShapeHandle shape) { outputs_[static_cast<std::size_t>(i)] = shape; }
  // All shapes of a named argument.
  template <GrowableListOf<ShapeHandle> List>
  constexpr Status input(std::string_view name, List* shapes) const {
    std::size_t begin = 0, end = 0;
    if (!FindRange(op_->inputs, name, &begin, &end)) return detail::unknown_argument_name("input", name);
    shapes->clear();
    for (std::size_t i = begin; i < end && i < inputs_.size(); ++i) shapes->push_back(inputs_[i].shape);
    return OkStatus();
  }
  template <GrowableListOf<ShapeHandle> List>
  constexpr Status output(std::string_view name, List* shapes) const {
    std::size_t begin = 0, end = 0;
    if (!FindRange(op_->outputs, name, &begin, &end)) return detail::unknown_argument_name("output", name);
    shapes->assign(outputs_.begin() + static_cast<std::ptrdiff_t>(begin),
                   outputs_.begin() + static_cast<std::ptrdiff_t>(end));
    return OkStatus();
  }
  constexpr Status set_output(std::string_view name, const SlimVector<ShapeHandle>& shapes) {
    std::size_t begin = 0, end = 0;
    if (!FindRange(op_->outputs, name, &begin, &end)) return detail::unknown_argument_name("output", name);
    if (shapes.size() != end - begin) return detail::wrong_number_of_shapes(end - begin);
    for (std::size_t i = begin; i < end; ++i) outputs_[i] = shapes[i - begin];
    return OkStatus();
  }
  // Null when the value is not known; says that it would have been welcome.
  constexpr const Tensor* input_tensor(int i) {
    in(i).requested_tensor = true;
    return in(i).tensor;
  }
  constexpr bool requested_input_tensor(int i) const { return in(i).requested_tensor; }
  constexpr bool requested_input_tensor_as_partial_shape(int i) const { return in(i).requested_as_shape; }
  constexpr bool requested_as_shape(int i) const { return in(i).requested_as_shape; }
  constexpr ShapeHandle input_tensor_as_shape(int i) const { return in(i).as_shape; }
  SlimVector<ShapeHandle> input_tensors_as_shapes() const {
    SlimVector<ShapeHandle> all;
    for (const Input& i : inputs_) all.push_back(i.as_shape);
    return all;
  }
  constexpr int graph_def_version() const { return graph_def_version_; }
  constexpr const OpView& op() const { return *op_; }
  const NodeDef* node() const { return node_; }

  // What the resource behind an input or output holds; null when nothing is known.
  constexpr const SlimVector<ShapeAndType>* input_handle_shapes_and_types(int i) const {
    return FindHandle(input_handles_, i);
  }
  constexpr const SlimVector<ShapeAndType>* output_handle_shapes_and_types(int i) const {
    return FindHandle(output_handles_, i);
  }
  constexpr void set_input_handle_shapes_and_types(int i, const SlimVector<ShapeAndType>& held) {
    SetHandle(&input_handles_, i, held);
  }
  constexpr void set_output_handle_shapes_and_types(int i, const SlimVector<ShapeAndType>& held) {
    SetHandle(&output_handles_, i, held);
  }

  // Value of an attr of the node, else its default; T as for AttrValue::Get.
  template <class T>
  constexpr Status GetAttr(std::string_view name, T* value) const {
    for (const StaticAttr& attr : static_attrs_)
      if (attr.name == name)
        return attr.Get(value) ? OkStatus() : detail::attr_is_missing_or_has_another_type(name, op_->name);
    if (node_ != nullptr && node_->attr.Find(name) != nullptr) return GetNodeAttr(*node_, name, value);
    if (const int i = op_->AttrIndex(name); i >= 0) {  // numbers, not pointers: UBSan's null tests are not constant
      const AttrSpec& spec = op_->attrs[static_cast<std::size_t>(i)];
      if (spec.has_default && detail::ReadAttrDefault(spec, value)) return OkStatus();
    }
    if (node_ != nullptr) return GetNodeAttr(*node_, name, value);
    return detail::attr_is_missing_or_has_another_type(name, op_->name);
  }

  // Whether the node has the attr, or its op a default for it.
  constexpr bool HasAttr(std::string_view name) const {
    for (const StaticAttr& attr : static_attrs_)
      if (attr.name == name) return true;
    if (node_ != nullptr && node_->attr.Find(name) != nullptr) return true;
    const int i = op_->AttrIndex(name);
    return i >= 0 && op_->attrs[static_cast<std::size_t>(i)].has_default;
  }
  // A shape attr as a handle.
  constexpr Status GetShapeAttr(std::string_view name, ShapeHandle* out) {
    for (const StaticAttr& attr : static_attrs_)
      if (attr.name == name && attr.is_list && attr.kind == AttrKind::kInt)
        return Done(out, MakeShape(std::span<const std::int64_t>(attr.numbers, attr.list_size)));
    return ReadShapeAttr(name, out);
  }

  // --- questions about shapes and dimensions
  constexpr std::int32_t Rank(ShapeHandle s) const { return s.IsSet() ? shape(s).rank : kUnknownRank; }
  constexpr bool RankKnown(ShapeHandle s) const { return Rank(s) != kUnknownRank; }
  static constexpr std::int64_t Value(DimensionOrConstant d) {
    if (!d.dim.IsSet()) return d.val;
    return d.dim.rep_ >= 0 ? d.dim.rep_ : kUnknownDim;
  }
  static constexpr bool ValueKnown(DimensionOrConstant d) { return Value(d) != kUnknownDim; }
  // Counts from the end when i is negative. A new unknown when the rank is unknown.
  constexpr DimensionHandle Dim(ShapeHandle s, std::int64_t i) {
    return RankKnown(s) ? DimKnownRank(s, i) : UnknownDim();
  }
  constexpr DimensionHandle DimKnownRank(ShapeHandle s, std::int64_t i) const {
    const ShapeRecord& record = shape(s);
    return dims_[record.begin + static_cast<std::size_t>(i < 0 ? record.rank + i : i)];
  }
  constexpr bool FullyDefined(ShapeHandle s) const {
    if (!RankKnown(s)) return false;
    for (std::int32_t i = 0; i < Rank(s); ++i)
      if (!ValueKnown(DimKnownRank(s, i))) return false;
    return true;
  }
  // 0 as soon as one size is 0, unknown when a size or the rank is unknown.
  constexpr DimensionHandle NumElements(ShapeHandle s) {
    if (!RankKnown(s)) return UnknownDim();
    bool unknown = false;
    std::uint64_t size = 1;
    for (std::int32_t i = 0; i < Rank(s); ++i) {
      const std::int64_t v = Value(DimKnownRank(s, i));
      if (v == 0) return MakeDim(0);
      if (v == kUnknownDim)
        unknown = true;
      else
        size *= static_cast<std::uint64_t>(v);
    }
    return unknown || static_cast<std::int64_t>(size) < 0 ? UnknownDim() : MakeDim(static_cast<std::int64_t>(size));
  }
  std::string DebugString(ShapeHandle s) const {
    if (!RankKnown(s)) return "?";
    std::string text = "[";
    for (std::int32_t i = 0; i < Rank(s); ++i) StrAppend(&text, i == 0 ? "" : ",", DebugString(DimKnownRank(s, i)));
    return text + "]";
  }
  std::string DebugString(DimensionHandle d) const { return ValueKnown(d) ? StrCat(Value(d)) : "?"; }
  std::string DebugString(const ShapeAndType& held) const { return StrCat(DebugString(held.shape), ":", held.dtype); }
  std::string DebugString(std::span<const ShapeAndType> held) const {
    return StrCat(
        "[", StrJoin(held, ",", [this](std::string* out, const ShapeAndType& h) { out->append(DebugString(h)); }), "]");
  }

  // --- requirements: *out is the input with what is known afterwards
  constexpr Status WithRank(ShapeHandle s, std::int64_t rank, ShapeHandle* out) {
    constexpr std::int64_t kMax = 1 << 25;  // TensorFlow's is 2^31 - 1, and each dimension takes memory
    if (rank > kMax) return Failed(out, detail::rank_is_too_large());
    if (!RankKnown(s)) return Done(out, UnknownShapeOfRank(rank));
    if (Rank(s) == rank) return Done(out, s);
    return Failed(out, detail::shape_has_the_wrong_rank("", rank, Rank(s)));
  }
  constexpr Status WithRankAtLeast(ShapeHandle s, std::int64_t rank, ShapeHandle* out) {
    if (rank > std::numeric_limits<std::int32_t>::max()) return Failed(out, detail::rank_is_too_large());
    if (!RankKnown(s) || Rank(s) >= rank) return Done(out, s);
    return Failed(out, detail::shape_has_the_wrong_rank("at least ", rank, Rank(s)));
  }
  constexpr Status WithRankAtMost(ShapeHandle s, std::int64_t rank, ShapeHandle* out) {
    if (rank > std::numeric_limits<std::int32_t>::max()) return Failed(out, detail::rank_is_too_large());
    if (!RankKnown(s) || Rank(s) <= rank) return Done(out, s);
    return Failed(out, detail::shape_has_the_wrong_rank("at most ", rank, Rank(s)));
  }
  constexpr Status WithValue(DimensionHandle d, std::int64_t value, DimensionHandle* out) {
    if (!ValueKnown(d)) return Done(out, MakeDim(value));
    if (Value(d) == value) return Done(out, d);
    return Failed(out, detail::dimension_has_the_wrong_size(value, Value(d)));
  }
  constexpr Status Merge(DimensionHandle a, DimensionHandle b, DimensionHandle* out) {
    if (a.SameHandle(b) || !ValueKnown(b)) return Done(out, a);
    if (!ValueKnown(a)) return Done(out, b);
    return Failed(out, detail::dimensions_must_be_equal(Value(a), Value(b)));
  }
  constexpr Status Merge(ShapeHandle a, ShapeHandle b, ShapeHandle* out) {
    if (a.SameHandle(b) || !RankKnown(b)) return Done(out, a);
    if (!RankKnown(a)) return Done(out, b);
    const std::int32_t rank = Rank(a);
    if (rank != Rank(b)) return Failed(out, detail::shapes_must_have_equal_rank(rank, Rank(b)));
    bool a_knows_all = true, b_knows_all = true;
    for (std::int32_t i = 0; i < rank; ++i) {
      const DimensionHandle x = DimKnownRank(a, i), y = DimKnownRank(b, i);
      if (x.SameHandle(y)) continue;
      if (ValueKnown(x) && ValueKnown(y)) return Failed(out, shapes_differ_in_a_dimension(i, a, b));
      if (ValueKnown(y)) a_knows_all = false;
      if (ValueKnown(x)) b_knows_all = false;
    }
    if (a_knows_all || b_knows_all) return Done(out, a_knows_all ? a : b);
    SlimVector<DimensionHandle> dims;
    dims.reserve(static_cast<std::size_t>(rank));
    for (std::int32_t i = 0; i < rank; ++i)
      dims.push_back(ValueKnown(DimKnownRank(a, i)) || !ValueKnown(DimKnownRank(b, i)) ? DimKnownRank(a, i)
                                                                                       : DimKnownRank(b, i));
    return Done(out, MakeShape(dims));
  }
  // Merges s's first dimensions with all of prefix's.
  constexpr Status MergePrefix(ShapeHandle s, ShapeHandle prefix, ShapeHandle* s_out, ShapeHandle* prefix_out) {
    *s_out = s;
    *prefix_out = prefix;
    if (!RankKnown(s) || !RankKnown(prefix)) return OkStatus();
    *s_out = *prefix_out = ShapeHandle();
    const std::int32_t rank = Rank(prefix);
    TENON_RETURN_IF_ERROR(WithRankAtLeast(s, rank, &s));
    SlimVector<DimensionHandle> dims(static_cast<std::size_t>(rank));
    for (std::int32_t i = 0; i < rank; ++i)
      TENON_RETURN_IF_ERROR(Merge(DimKnownRank(s, i), DimKnownRank(prefix, i), &dims[static_cast<std::size_t>(i)]));
    *prefix_out = MakeShape(dims);
    for (std::int32_t i = rank; i < Rank(s); ++i) dims.push_back(DimKnownRank(s, i));
    *s_out = MakeShape(dims);
    return OkStatus();
  }

  // --- shapes from shapes
  constexpr Status Subshape(ShapeHandle s, std::int64_t start, ShapeHandle* out) {
    return Subshape(s, start, std::numeric_limits<std::int64_t>::max(), 1, out);
  }
  constexpr Status Subshape(ShapeHandle s, std::int64_t start, std::int64_t end, ShapeHandle* out) {
    return Subshape(s, start, end, 1, out);
  }
  // Dimensions start, start + stride, ... before end; negative positions count from the end.
  constexpr Status Subshape(ShapeHandle s, std::int64_t start, std::int64_t end, std::int64_t stride,
                            ShapeHandle* out) {
    const std::int64_t start_in = start, end_in = end, rank = Rank(s);
    if (start == 0 && stride == 1 && (end == std::numeric_limits<std::int64_t>::max() || (rank >= 0 && end >= rank)))
      return Done(out, s);
    if (rank == kUnknownRank) return Done(out, UnknownShape());
    if (start > rank) start = rank;
    if (end > rank) end = rank;
    if (stride < 0 && start == rank) --start;
    if (start < 0 && (start += rank) < 0)
      return Failed(out, detail::subshape_is_out_of_bounds("start", start_in, rank));
    if (end < 0 && (end += rank) < 0) return Failed(out, detail::subshape_is_out_of_bounds("end", end_in, rank));
    if (stride > 0 ? start > end : start < end)
      return Failed(out, detail::subshape_ends_before_it_starts(start, end, start_in, end_in, rank, stride));
    SlimVector<DimensionHandle> dims;
    for (std::int64_t i = start; stride > 0 ? i < end : i > end; i += stride) dims.push_back(DimKnownRank(s, i));
    return Done(out, MakeShape(dims));
  }
  constexpr Status Concatenate(ShapeHandle a, ShapeHandle b, ShapeHandle* out) {
    if (!RankKnown(a) || !RankKnown(b)) return Done(out, UnknownShape());
    SlimVector<DimensionHandle> dims;
    dims.reserve(static_cast<std::size_t>(Rank(a)) + static_cast<std::size_t>(Rank(b)));
    for (std::int32_t i = 0; i < Rank(a); ++i) dims.push_back(DimKnownRank(a, i));
    for (std::int32_t i = 0; i < Rank(b); ++i) dims.push_back(DimKnownRank(b, i));
    return Done(out, MakeShape(dims));
  }
  constexpr Status ReplaceDim(ShapeHandle s, std::int64_t index, DimensionHandle dim, ShapeHandle* out) {
    if (!RankKnown(s)) return Done(out, UnknownShape());
    const std::int64_t i = index < 0 ? index + Rank(s) : index;
    if (i < 0 || i >= Rank(s)) return Failed(out, detail::dimension_index_is_out_of_range(index, Rank(s)));
    SlimVector<DimensionHandle> dims;
    dims.reserve(static_cast<std::size_t>(Rank(s)));
    for (std::int32_t d = 0; d < Rank(s); ++d) dims.push_back(d == i ? dim : DimKnownRank(s, d));
    return Done(out, MakeShape(dims));
  }

  // --- new shapes
  constexpr ShapeHandle MakeShape(const SlimVector<DimensionHandle>& dims) {
    const auto begin = static_cast<std::uint32_t>(dims_.size());
    dims_.append(dims.begin(), dims.end());
    return NewShape(static_cast<std::int32_t>(dims.size()), begin);
  }
  constexpr ShapeHandle MakeShape(std::initializer_list<DimensionOrConstant> dims) {
    const auto begin = static_cast<std::uint32_t>(dims_.size());
    for (const DimensionOrConstant& d : dims) dims_.push_back(MakeDim(d));
    return NewShape(static_cast<std::int32_t>(dims.size()), begin);
  }
  // -1 is a new unknown.
  constexpr ShapeHandle MakeShape(std::span<const std::int64_t> sizes) {
    const auto begin = static_cast<std::uint32_t>(dims_.size());
    for (const std::int64_t size : sizes) dims_.push_back(MakeDim(size));
    return NewShape(static_cast<std::int32_t>(sizes.size()), begin);
  }
  constexpr ShapeHandle UnknownShape() { return NewShape(kUnknownRank, 0); }
  constexpr ShapeHandle UnknownShapeOfRank(std::int64_t rank) {
    const auto begin = static_cast<std::uint32_t>(dims_.size());
    for (std::int64_t i = 0; i < rank; ++i) dims_.push_back(UnknownDim());
    return NewShape(static_cast<std::int32_t>(rank), begin);
  }
  constexpr ShapeHandle Scalar() { return NewShape(0, 0); }
  constexpr ShapeHandle Vector(DimensionOrConstant d) { return MakeShape({d}); }
  constexpr ShapeHandle Matrix(DimensionOrConstant rows, DimensionOrConstant columns) {
    return MakeShape({rows, columns});
  }
  constexpr DimensionHandle MakeDim(DimensionOrConstant d) {
    if (d.dim.IsSet()) return d.dim;
    return d.val < 0 ? UnknownDim() : DimensionHandle(d.val);
  }
  constexpr DimensionHandle UnknownDim() { return DimensionHandle(-2 - unknown_dims_++); }

  // --- arithmetic: unknown where an operand is, apart from the neutral and absorbing numbers
  constexpr Status Divide(DimensionHandle d, DimensionOrConstant divisor, bool evenly, DimensionHandle* out) {
    const std::int64_t k = Value(divisor);
    if (k == 1) return Done(out, d);
    if (!ValueKnown(d) || (divisor.dim.IsSet() && k == kUnknownDim)) return Done(out, UnknownDim());
    if (k <= 0) return Failed(out, detail::divisor_must_be_positive(k));
    if (evenly && Value(d) % k != 0) return Failed(out, detail::dimension_must_be_divisible(k, Value(d)));
    return Done(out, MakeDim(Value(d) / k));
  }
  constexpr Status Add(DimensionHandle first, DimensionOrConstant second, DimensionHandle* out) {
    const std::int64_t a = Value(first), b = Value(second);
    if (a == 0) return Done(out, MakeDim(second));
    if (b == 0) return Done(out, first);
    if (a == kUnknownDim || b == kUnknownDim) return Done(out, UnknownDim());
    if (b > std::numeric_limits<std::int64_t>::max() - a)
      return Failed(out, detail::dimension_overflows_in_a_sum(a, b));
    return Done(out, MakeDim(a + b));
  }
  constexpr Status Subtract(DimensionHandle first, DimensionOrConstant second, DimensionHandle* out) {
    const std::int64_t a = Value(first), b = Value(second);
    if (b == 0) return Done(out, first);
    if (a == kUnknownDim || b == kUnknownDim) return Done(out, UnknownDim());
    if (a < b) return Failed(out, detail::dimension_becomes_negative(a, b));
    return Done(out, MakeDim(a - b));
  }
  constexpr Status Multiply(DimensionHandle first, DimensionOrConstant second, DimensionHandle* out) {
    const std::int64_t a = Value(first), b = Value(second);
    if (a == 0) return Done(out, first);
    if (b == 0) return Done(out, MakeDim(second));
    if (a == 1) return Done(out, MakeDim(second));
    if (b == 1) return Done(out, first);
    if (a == kUnknownDim || b == kUnknownDim) return Done(out, UnknownDim());
    const std::int64_t product = MultiplyWithoutOverflow(a, b);
    if (product < 0) return Failed(out, detail::dimension_overflows_in_a_product(a, b));
    return Done(out, MakeDim(product));
  }
  constexpr Status Min(DimensionHandle first, DimensionOrConstant second, DimensionHandle* out) {
    const std::int64_t a = Value(first), b = Value(second);
    if (a == 0) return Done(out, first);
    if (b == 0) return Done(out, MakeDim(second));
    if (a == kUnknownDim || b == kUnknownDim) return Done(out, UnknownDim());
    return Done(out, a <= b ? first : MakeDim(second));
  }
  constexpr Status Max(DimensionHandle first, DimensionOrConstant second, DimensionHandle* out) {
    const std::int64_t a = Value(first), b = Value(second);
    if (a == kUnknownDim || b == kUnknownDim) return Done(out, UnknownDim());
    return Done(out, a >= b ? first : MakeDim(second));
  }

  // --- shapes and sizes from values
  // The shape whose sizes are the values of input i, a vector; -1 is an unknown size.
  constexpr Status MakeShapeFromShapeTensor(int i, ShapeHandle* out) {
    ShapeHandle vector;
    TENON_RETURN_IF_ERROR(WithRank(input(i), 1, &vector));
    return ShapeOfInput(i, vector, out);
  }
  // The same; a scalar stands for an unknown shape.
  constexpr Status MakeShapeFromShapeTensorTreatScalarAsUnknownShape(int i, ShapeHandle* out) {
    ShapeHandle s;
    TENON_RETURN_IF_ERROR(WithRankAtMost(input(i), 1, &s));
    return ShapeOfInput(i, s, out);
  }
  // `tensor` may be null; then only its shape counts.
  Status MakeShapeFromTensor(const Tensor* tensor, ShapeHandle tensor_shape, ShapeHandle* out) {
    TENON_RETURN_IF_ERROR(WithRank(tensor_shape, 1, &tensor_shape));
    return tensor == nullptr ? UnknownShapeOfLength(tensor_shape, out) : ShapeFromTensor(*tensor, out);
  }
  Status MakeShapeFromPartialTensorShape(const PartialTensorShape& shape, ShapeHandle* out) {
    return Done(out, shape.unknown_rank() ? UnknownShape() : MakeShape(shape.dim_sizes()));
  }
  Status MakeShapeFromTensorShape(const TensorShape& shape, ShapeHandle* out) {
    return Done(out, MakeShape(shape.dim_sizes()));
  }

  static Status GetScalarFromTensor(const Tensor* tensor, std::int64_t* value) {
    if (tensor->dims() != 0) return errors::InvalidArgument("Input must be scalar but has rank ", tensor->dims());
    if (tensor->dtype() == DataType::kInt32)
      *value = *tensor->data<std::int32_t>();
    else if (tensor->dtype() == DataType::kInt64)
      *value = *tensor->data<std::int64_t>();
    else if (tensor->dtype() == DataType::kInt16)
      *value = *tensor->data<std::int16_t>();
    else
      return errors::InvalidArgument("Scalar input must be int32 or int64.");
    return OkStatus();
  }
  static Status GetScalarFromTensor(const Tensor* tensor, std::int64_t index, std::int64_t* value) {
    if (tensor->dims() != 1) return errors::InvalidArgument("Input must be 1D but has rank ", tensor->dims());
    const std::int64_t n = tensor->NumElements();
    if (index < 0 || index >= n) return errors::InvalidArgument("Invalid index ", index, " for Tensor of size ", n);
    if (tensor->dtype() == DataType::kInt32)
      *value = tensor->data<std::int32_t>()[index];
    else if (tensor->dtype() == DataType::kInt64)
      *value = tensor->data<std::int64_t>()[index];
    else
      return errors::InvalidArgument("Tensor input must be int32 or int64.");
    return OkStatus();
  }
  // The values of an integer input, in constant expressions too. *known is false, and nothing else is written, when
  // there are none.
  constexpr Status ReadInput(int i, SlimVector<std::int64_t>* values, bool* known) {
    Input& input = in(i);
    input.requested_tensor = true;
    *known = input.has_values || input.tensor != nullptr;
    if (input.has_values) *values = input.values;
    return input.tensor == nullptr ? OkStatus() : ReadTensor(*input.tensor, values);
  }
  constexpr Status ReadScalarInput(int i, std::int64_t* value, bool* known) {
    Input& input = in(i);
    input.requested_tensor = true;
    *known = input.has_values || input.tensor != nullptr;
    if (input.has_values) *value = input.values.front();
    return input.tensor == nullptr ? OkStatus() : GetScalarFromTensor(input.tensor, value);
  }
  // The size that the scalar input i says.
  constexpr Status MakeDimForScalarInput(int i, DimensionHandle* out) {
    std::int64_t value = 0;
    bool known = false;
    TENON_RETURN_IF_ERROR(ReadScalarInput(i, &value, &known));
    if (!known) return Done(out, UnknownDim());
    if (value < 0) return Failed(out, detail::size_must_not_be_negative(i, value));
    return Done(out, MakeDim(value));
  }
  // The position that it says; -1 is the last of `rank` (unknown rank: -1).
  constexpr Status MakeDimForScalarInputWithNegativeIndexing(int i, int rank, DimensionHandle* out) {
    std::int64_t value = 0;
    bool known = false;
    TENON_RETURN_IF_ERROR(ReadScalarInput(i, &value, &known));
    if (!known || (value < 0 && rank < 0)) return Done(out, UnknownDim());
    if (rank >= 0 && (value < -rank || value >= rank)) return Failed(out, detail::index_is_out_of_range(value, rank));
    return Done(out, MakeDim(value < 0 ? value + rank : value));
  }

  // --- results
  Status ToPartialTensorShape(ShapeHandle s, PartialTensorShape* out) const {
    if (!RankKnown(s)) {
      *out = PartialTensorShape();
      return OkStatus();
    }
    std::int64_t sizes[kMaxTensorRank] = {};
    TENON_RETURN_IF_ERROR(Sizes(s, sizes));
    return PartialTensorShape::Build({sizes, static_cast<std::size_t>(Rank(s))}, out);
  }
  // Internal unless the shape is fully known.
  Status ToTensorShape(ShapeHandle s, TensorShape* out) const {
    if (!FullyDefined(s)) return errors::Internal("the shape ", DebugString(s), " is not fully known");
    std::int64_t sizes[kMaxTensorRank] = {};
    TENON_RETURN_IF_ERROR(Sizes(s, sizes));
    return TensorShape::Build({sizes, static_cast<std::size_t>(Rank(s))}, out);
  }
  constexpr StaticShape ToStaticShape(ShapeHandle s) const {
    StaticShape out;
    if (!RankKnown(s)) return out;
    out.rank = Rank(s);
    for (int i = 0; i < out.rank; ++i) out.dims[i] = Value(DimKnownRank(s, i));
    return out;
  }
  // The error with the node and what was known of its inputs behind it, as TensorFlow words it.
  TENON_COLD Status AttachContext(const Status& status) const {
    std::string shapes, tensors, as_shapes;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Input& input = inputs_[i];
      StrAppend(&shapes, i == 0 ? "" : ", ", DebugString(input.shape));
      if (input.requested_as_shape && (RankKnown(input.as_shape) || input.tensor != nullptr))
        StrAppend(&as_shapes, as_shapes.empty() ? "" : ",", "input[", i, "] = ", AsShapeText(input));
      else if (input.requested_tensor && input.tensor != nullptr)
        StrAppend(&tensors, tensors.empty() ? "" : ", ", "input[", i, "] = <", input.tensor->SummarizeValue(256), ">");
    }
    return status.WithAppended(
        StrCat(" for '", node_ != nullptr ? SummarizeNodeDef(*node_) : std::string(op_ != nullptr ? op_->name : ""),
               "' with input shapes: ", shapes, tensors.empty() ? "" : " and with computed input tensors: ", tensors,
               as_shapes.empty() ? "" : " and with input tensors computed as partial shapes: ", as_shapes, "."));
  }

 private:
  struct ShapeRecord {
    std::int32_t rank;
    std::uint32_t begin;  // of its sizes in dims_
  };
  struct Input {
    ShapeHandle shape;
    const Tensor* tensor = nullptr;
    ShapeHandle as_shape;  // the shape that the values stand for; unset when not known
    SlimVector<std::int64_t> values;  // in constant expressions
    bool has_values = false;
    bool requested_tensor = false;
    bool requested_as_shape = false;
  };
  struct HandleData {
    int index;
    SlimVector<ShapeAndType> held;
  };

  constexpr Input& in(int i) { return inputs_[static_cast<std::size_t>(i)]; }
  constexpr const Input& in(int i) const { return inputs_[static_cast<std::size_t>(i)]; }
  constexpr const ShapeRecord& shape(ShapeHandle s) const { return shapes_[s.id_ - 1]; }
  constexpr ShapeHandle NewShape(std::int32_t rank, std::uint32_t begin) {
    shapes_.push_back({rank, begin});
    return ShapeHandle(static_cast<std::uint32_t>(shapes_.size()));
  }
  static constexpr Status Done(ShapeHandle* out, ShapeHandle value) {
    *out = value;
    return OkStatus();
  }
  static constexpr Status Done(DimensionHandle* out, DimensionHandle value) {
    *out = value;
    return OkStatus();
  }
  static constexpr Status Failed(ShapeHandle* out, Status status) {
    *out = ShapeHandle();
    return status;
  }
  static constexpr Status Failed(DimensionHandle* out, Status status) {
    *out = DimensionHandle();
    return status;
  }
  TENON_COLD Status shapes_differ_in_a_dimension(std::int32_t i, ShapeHandle a, ShapeHandle b) const {
    return errors::InvalidArgument("Dimension ", i, " in both shapes must be equal, but are ",
                                   Value(DimKnownRank(a, i)), " and ", Value(DimKnownRank(b, i)), ". Shapes are ",
                                   DebugString(a), " and ", DebugString(b), ".");
  }
  // "[2,?]": the values of a shape input, however they came.
  std::string AsShapeText(const Input& input) const {
    SlimVector<std::int64_t> values;
    if (RankKnown(input.as_shape)) return DebugString(input.as_shape);
    if (!ReadTensor(*input.tensor, &values).ok()) return "?";
    return StrCat(
        "[",
        StrJoin(values, ",", [](std::string* out, std::int64_t v) { v < 0 ? StrAppend(out, "?") : StrAppend(out, v); }),
        "]");
  }
  Status ReadShapeAttr(std::string_view name, ShapeHandle* out) {
    PartialTensorShape shape;
    TENON_RETURN_IF_ERROR(GetAttr(name, &shape));
    return MakeShapeFromPartialTensorShape(shape, out);
  }
  void AddInputHandle(ShapeHandle shape, const Tensor* value) {
    Input input;
    input.shape = shape;
    input.tensor = value;
    inputs_.push_back(std::move(input));
  }
  constexpr void ClearShapes() {
    shapes_.clear();
    dims_.clear();
    outputs_.clear();
    input_handles_.clear();
    output_handles_.clear();
    unknown_dims_ = 0;
  }

  constexpr std::int64_t Count(const ArgSpec& arg) const {
    if (!arg.is_list()) return 1;
    SlimVector<DataType> defaults;
    return op_->ArgCount(arg, [&](const AttrSpec& attr, ArgAttrValue* value) {
      if (attr.kind == AttrKind::kInt) return GetAttr(attr.name(), &value->number).ok();
      if (!GetAttr(attr.name(), &defaults).ok()) return false;
      value->types = defaults;
      return true;
    });
  }
  constexpr void FindOutputs() {
    if (op_ == nullptr) return;
    std::size_t n = 0;
    for (const ArgSpec& arg : op_->outputs) {
      const std::int64_t count = Count(arg);
      if (count < 0) {
        status_ = detail::attr_is_missing_or_has_another_type(
            arg.is_type_list ? arg.type_list_attr() : arg.number_attr(), op_->name);
        return;
      }
      n += static_cast<std::size_t>(count);
    }
    outputs_.resize(n);
  }
  constexpr void CheckInputCount() {
    if (op_ == nullptr || !status_.ok()) return;
    std::size_t want = 0;
    for (const ArgSpec& arg : op_->inputs) want += static_cast<std::size_t>(Count(arg));
    if (want != inputs_.size()) status_ = detail::wrong_number_of_inputs(inputs_.size(), want);
  }
  constexpr bool FindRange(std::span<const ArgSpec> args, std::string_view name, std::size_t* begin,
                           std::size_t* end) const {
    *end = 0;
    for (const ArgSpec& arg : args) {
      *begin = *end;
      *end += static_cast<std::size_t>(Count(arg));
      if (arg.name() == name) return true;
    }
    return false;
  }
  static constexpr const SlimVector<ShapeAndType>* FindHandle(const SlimVector<HandleData>& all, int i) {
    for (const HandleData& data : all)
      if (data.index == i) return &data.held;
    return nullptr;
  }
  static constexpr void SetHandle(SlimVector<HandleData>* all, int i, const SlimVector<ShapeAndType>& held) {
    for (HandleData& data : *all)
      if (data.index == i) {
        data.held = held;
        return;
      }
    all->push_back({i, held});
  }

  // vector: the input's shape, of rank 1 or 0 (only where a scalar means an unknown shape) or unknown.
  constexpr Status ShapeOfInput(int i, ShapeHandle vector, ShapeHandle* out) {
    Input& input = in(i);
    input.requested_as_shape = true;
    if (RankKnown(input.as_shape)) return Done(out, input.as_shape);
    if (input.tensor != nullptr) return ShapeFromTensor(*input.tensor, out);
    if (input.has_values && Rank(vector) == 1) return ShapeFromValues(input.values, out);
    if (Rank(vector) == 0) return Done(out, UnknownShape());
    return UnknownShapeOfLength(vector, out);
  }
  constexpr Status UnknownShapeOfLength(ShapeHandle vector, ShapeHandle* out) {
    constexpr std::int64_t kMax = 1 << 25;
    const std::int64_t n = Value(Dim(vector, 0));
    if (n == kUnknownDim) return Done(out, UnknownShape());
    if (n >= kMax) return Failed(out, detail::too_many_dimensions(n, kMax));
    return Done(out, UnknownShapeOfRank(n));
  }
  constexpr Status ShapeFromValues(std::span<const std::int64_t> values, ShapeHandle* out) {
    for (const std::int64_t v : values)
      if (v < -1) return Failed(out, detail::shape_value_is_invalid(v));
    return Done(out, MakeShape(values));
  }
  static Status ReadTensor(const Tensor& t, SlimVector<std::int64_t>* values) {
    values->clear();
    const auto n = static_cast<std::size_t>(t.NumElements());
    if (t.dtype() == DataType::kInt32)
      values->assign(t.data<std::int32_t>(), t.data<std::int32_t>() + n);
    else if (t.dtype() == DataType::kInt64)
      values->assign(t.data<std::int64_t>(), t.data<std::int64_t>() + n);
    else if (t.dtype() == DataType::kInt16)
      values->assign(t.data<std::int16_t>(), t.data<std::int16_t>() + n);
    else
      return errors::InvalidArgument("Input tensor must be int32 or int64, but was ", t.dtype());
    return OkStatus();
  }
  Status ShapeFromTensor(const Tensor& t, ShapeHandle* out) {
    if (t.dims() > 1)
      return Failed(out, errors::InvalidArgument("Input tensor must be rank 1, but was rank ", t.dims()));
    if (t.dtype() != DataType::kInt32 && t.dtype() != DataType::kInt64)
      return Failed(out, errors::InvalidArgument("Input tensor must be int32 or int64, but was ", t.dtype()));
    SlimVector<std::int64_t> values;
    TENON_RETURN_IF_ERROR(ReadTensor(t, &values));
    if (t.dims() == 1) return ShapeFromValues(values, out);
    if (values.front() != -1) return Failed(out, detail::scalar_shape_must_be_minus_one(values.front()));
    return Done(out, UnknownShape());
  }
  Status Sizes(ShapeHandle s, std::int64_t* sizes) const {
    if (Rank(s) > kMaxTensorRank)
      return errors::InvalidArgument("Shape has too many dimensions: ", Rank(s), ", at most ", kMaxTensorRank);
    for (std::int32_t i = 0; i < Rank(s); ++i) sizes[i] = Value(DimKnownRank(s, i));
    return OkStatus();
  }

  int graph_def_version_ = 0;
  const NodeDef* node_ = nullptr;
  const OpView* op_ = nullptr;
  OpView own_view_;
  Status status_;
  std::int64_t unknown_dims_ = 0;
  SlimVector<ShapeRecord> shapes_;
  SlimVector<DimensionHandle> dims_;
  SlimVector<Input> inputs_;
  SlimVector<ShapeHandle> outputs_;
  SlimVector<HandleData> input_handles_, output_handles_;
  SlimVector<StaticAttr> static_attrs_;
};

// Calls a shape function. An error says which node it was for and what was known of its inputs.
constexpr Status RunShapeFn(InferenceContext* context, ShapeFn fn) {
  TENON_RETURN_IF_ERROR(Status(context->construction_status()));
  Status status = fn(context);
  return status.ok() ? status : context->AttachContext(status);
}

// The shape of one output of an op struct, in a constant expression:
//   static_assert(InferShape<MatMul>({{32, 784}, {784, 10}}) == StaticShape{32, 10});
template <class Op>
constexpr StaticShape InferShape(std::initializer_list<StaticInput> inputs,
                                 std::initializer_list<StaticAttr> attrs = {}, int output = 0) {
  InferenceContext context(Op::signature.view(), inputs, attrs);
  if (!RunShapeFn(&context, Op::signature.shape_fn).ok()) return StaticShape();
  return context.ToStaticShape(context.output(output));
}

// TensorFlow's names for the same things.
namespace shape_inference {
using tenon::DimensionHandle;
using tenon::DimensionOrConstant;
using tenon::InferenceContext;
using tenon::ShapeAndType;
using tenon::ShapeHandle;
}  // namespace shape_inference

TENON_SETUP_CODE_END
TENON_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// INFER_OK and INFER_ERROR: tests of shape functions by texts: "[?,3];[]" in, "[d0_0,d0_1]" out. Needs GoogleTest.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/graph/node_def_builder.hpp>
#include <tenon/compat/tensorflow/testing/test.hpp>

namespace tensorflow {

struct ShapeInferenceTestOp {
  typedef std::pair<std::string, DataType> ShapeAndType;
  explicit ShapeInferenceTestOp(StringPiece op) : name(std::string(op)) {}
  std::string name;
  NodeDef node_def;
  std::vector<const Tensor*> input_tensors;
  std::vector<std::vector<ShapeAndType>*> input_resource_handle_shapes_and_types;
  int graph_def_version = TF_GRAPH_DEF_VERSION;
};

namespace shape_inference {

class ShapeInferenceTestutil {
 public:
  // OK: the op's shape function gives shapes of that form. Unknown: it does not, or it fails; the message says how.
  // Each output is "?", "[...]" of "?", sizes and "d1_0" (a dimension of an input; "d0_0|d1_0": either), or "inN" (the
  // shape of an input). "e": an error is expected.
  static Status InferShapes(ShapeInferenceTestOp op, const std::string& ins, const std::string& expected) {
    const OpRegistrationData* data = nullptr;
    TF_RETURN_IF_ERROR(OpRegistry::Global()->LookUp(op.name, &data));
    std::vector<PartialTensorShape> shapes;
    for (const std::string& in : SplitShapes(ins)) {
      PartialTensorShape shape;
      TF_RETURN_IF_ERROR(ParseShape(in, &shape));
      shapes.push_back(shape);
    }
    if (op.node_def.name().empty()) op.node_def.set_name("dummy");
    if (op.node_def.op().empty()) op.node_def.set_op(op.name);
    NodeDef node = op.node_def;
    AddDefaultsToNodeDef(data->op_def, &node);
    std::vector<const Tensor*> values(op.input_tensors);
    values.resize(shapes.size(), nullptr);
    InferenceContext c(op.graph_def_version, AttrSlice(node), data->op_def, shapes, values);
    TF_RETURN_IF_ERROR(c.construction_status());
    for (std::size_t i = 0; i < op.input_resource_handle_shapes_and_types.size(); ++i) {
      if (op.input_resource_handle_shapes_and_types[i] == nullptr) continue;
      std::vector<shape_inference::ShapeAndType> held;
      for (const auto& [text, type] : *op.input_resource_handle_shapes_and_types[i]) {
        PartialTensorShape shape;
        TF_RETURN_IF_ERROR(ParseShape(text, &shape));
        ShapeHandle handle;
        TF_RETURN_IF_ERROR(c.MakeShapeFromPartialTensorShape(shape, &handle));
        held.emplace_back(handle, type);
      }
      c.set_input_handle_shapes_and_types(static_cast<int>(i), held);
    }
    if (data->shape_inference_fn == nullptr) return errors::InvalidArgument("op ", op.name, " has no shape function");
    TF_RETURN_IF_ERROR(c.Run(data->shape_inference_fn));
    if (expected == "e") return errors::Unknown("Shape inference should have returned error");
    const std::vector<std::string> outs = SplitShapes(expected);
    if (static_cast<int>(outs.size()) != c.num_outputs())
      return errors::Unknown("The expected output string lists the wrong number of outputs. It lists ", outs.size(),
                             " but should list ", c.num_outputs());
    for (int i = 0; i < c.num_outputs(); ++i) {
      const std::string mistake = Compare(&c, i, outs[static_cast<std::size_t>(i)]);
      if (!mistake.empty()) return errors::Unknown(mistake, ". Output shape was ", c.DebugString(c.output(i)));
    }
    return Status();
  }

 private:
  // At each ';'; an empty text has no shapes.
  static std::vector<std::string> SplitShapes(const std::string& text) {
    return text.empty() ? std::vector<std::string>() : str_util::Split(text, ';');
  }
  static Status ParseShape(const std::string& text, PartialTensorShape* shape) {
    if (text == "?") return *shape = PartialTensorShape(), Status();
    if (text.size() < 2 || text.front() != '[' || text.back() != ']')
      return errors::InvalidArgument("a shape is \"?\" or \"[...]\", got ", text);
    std::vector<int64_t> sizes;
    for (const std::string& part : str_util::Split(StringPiece(text).substr(1, text.size() - 2), ',')) {
      int64_t size = -1;
      if (part != "?" && !strings::safe_strto64(part, &size))
        return errors::InvalidArgument("a size is \"?\" or a number, got ", part);
      sizes.push_back(size);
    }
    return PartialTensorShape::BuildPartialTensorShape(sizes, shape);
  }
  // Why output o is not the expected one; empty: it is.
  static std::string Compare(InferenceContext* c, int o, const std::string& expected) {
    const ShapeHandle shape = c->output(o);
    const std::string output = strings::StrCat("Output ", o);
    int same = -1;
    for (int i = c->num_inputs(); i-- > 0;)
      if (c->RankKnown(shape) && shape.SameHandle(c->input(i))) same = i;
    if (expected.starts_with("in")) {
      for (const std::string& choice : str_util::Split(expected, '|')) {
        int32 i = -1;
        if (!strings::safe_strto32(StringPiece(choice).substr(2), &i) || i < 0 || i >= c->num_inputs())
          return output + ": '" + choice + "' names no input";
        if (shape.SameHandle(c->input(i))) return {};
      }
      if (same < 0) return output + " should have matched an input shape by handle, one of (" + expected + ")";
      return strings::StrCat(output, " matched input ", same, " and should have matched one of (", expected, ")");
    }
    if (same >= 0)
      return strings::StrCat(output, " matched input ", same, " but was expected to not match an input shape");
    if (expected == "?") return c->RankKnown(shape) ? output + " expected to be unknown" : std::string();
    if (expected.size() < 2 || expected.front() != '[' || expected.back() != ']')
      return output + ": '" + expected + "' is no shape";
    const auto parts = expected == "[]" ? std::vector<std::string>()
                                        : str_util::Split(StringPiece(expected).substr(1, expected.size() - 2), ',');
    const std::string rank = c->RankKnown(shape) ? strings::StrCat(c->Rank(shape)) : "?";
    if (rank != strings::StrCat(parts.size()))
      return strings::StrCat(output, " expected rank ", parts.size(), " but was ", rank);
    for (int d = 0; d < c->Rank(shape); ++d) {
      StringPiece part = parts[static_cast<std::size_t>(d)];
      str_util::RemoveWhitespaceContext(&part);
      const std::string mistake = CompareDim(c, c->Dim(shape, d), std::string(part));
      if (!mistake.empty()) return strings::StrCat("Output dim ", o, ",", d, mistake);
    }
    return {};
  }
  static std::string CompareDim(InferenceContext* c, DimensionHandle dim, const std::string& expected) {
    std::string found;
    for (int i = c->num_inputs(); i-- > 0;)
      for (int k = c->RankKnown(c->input(i)) ? c->Rank(c->input(i)) : 0; k-- > 0;)
        if (dim.SameHandle(c->Dim(c->input(i), k))) found = strings::StrCat("d", i, "_", k);
    const bool is_own = found.empty() || c->ValueKnown(dim);  // equal sizes are one dimension here
    const std::string size = c->ValueKnown(dim) ? strings::StrCat(c->Value(dim)) : "?";
    if (expected == "?") {
      if (!is_own) return " expected to be an unknown dim but matched input " + found;
      return c->ValueKnown(dim) ? " expected to be unknown but was " + size : std::string();
    }
    if (expected.starts_with("d")) {
      for (const std::string& choice : str_util::Split(expected, '|')) {
        const auto numbers = str_util::Split(StringPiece(choice).substr(1), '_');
        int32 i = -1, k = -1;
        if (numbers.size() != 2 || !strings::safe_strto32(numbers[0], &i) || !strings::safe_strto32(numbers[1], &k) ||
            i < 0 || i >= c->num_inputs())
          return ": '" + choice + "' names no dimension of an input";
        if (c->RankKnown(c->input(i)) && k < c->Rank(c->input(i)) && dim.SameHandle(c->Dim(c->input(i), k))) return {};
      }
      if (found.empty()) return " expected to match one of (" + expected + ") but matches no input";
      return " matched input " + found + ", but should have matched one of (" + expected + ")";
    }
    int64_t wanted = 0;
    if (!strings::safe_strto64(expected, &wanted))
      return ": the expected dimension value '" + expected + "' failed to parse as int64";
    if (!is_own) return " expected to be " + expected + " but matched input " + found;
    return size == strings::StrCat(wanted) ? std::string() : " expected to be " + expected + " but was " + size;
  }
};

inline std::string InferredError(ShapeInferenceTestOp op, const std::string& in, const std::string& out) {
  const Status status = ShapeInferenceTestutil::InferShapes(std::move(op), in, out);
  return status.ok() ? std::string() : std::string(status.message());
}

}  // namespace shape_inference
}  // namespace tensorflow

#define INFER_OK(OP, IN, OUT) EXPECT_EQ("", ::tensorflow::shape_inference::InferredError(OP, IN, OUT))
#define INFER_ERROR(TEXT, OP, IN)                                                              \
  do {                                                                                         \
    const std::string tenon_error = ::tensorflow::shape_inference::InferredError(OP, IN, "e"); \
    EXPECT_TRUE(!tenon_error.empty() && tenon_error.find(TEXT) != std::string::npos)           \
        << "expected an error with \"" << TEXT << "\", got \"" << tenon_error << "\"";         \
  } while (false)

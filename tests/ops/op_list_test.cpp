// SPDX-License-Identifier: Apache-2.0
// Every op under a TensorFlow name is TensorFlow's op, field by field, and has a kernel.
#include <tenon/ops.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/op/op_def/to_op_def.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/kernel/registry/registry.hpp>

#include <doctest/doctest.h>

namespace op_list_test {
using namespace tenon;

namespace {

const SlimVector<OpDef>& TensorFlowOps() {
  static const SlimVector<OpDef> ops = [] {
    std::string bytes;
    if (std::FILE* file = std::fopen(TENON_TEST_DATA "/op_list.pb", "rb")) {
      char buffer[1 << 16];
      for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) bytes.append(buffer, n);
      std::fclose(file);
    }
    Result<SlimVector<OpDef>> parsed = ParseOpList(std::as_bytes(std::span<const char>(bytes)));
    return parsed.ok() ? *std::move(parsed) : SlimVector<OpDef>();
  }();
  return ops;
}
const OpDef* FindTensorFlowOp(std::string_view name) {
  for (const OpDef& op : TensorFlowOps())
    if (op.name == name) return &op;
  return nullptr;
}

// Made by the optimizer alone; TensorFlow has no such ops.
bool IsOwn(std::string_view name) {
  constexpr std::string_view kNames[] = {"_DequantizeUint8", "_FusedAttention", "_FusedElementwise",
                                         "_FusedProducer",   "_Int8Conv2D",     "_Int8DepthwiseConv2D",
                                         "_Int8MatMul",      "_LayerNorm",      "_QuantizeUint8"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// Finds the first field in which an op differs from TensorFlow's; after that it compares nothing more.
class Comparison {
 public:
  static std::string FirstDifference(const OpDef& got, const OpDef& want) {
    Comparison c;
    c.Arguments("input_arg", got.input_arg, want.input_arg);
    c.Arguments("output_arg", got.output_arg, want.output_arg);
    c.Field("control_output", StrJoin(got.control_output, ","), StrJoin(want.control_output, ","));
    c.Attrs(got.attr, want.attr);
    c.Field("deprecation", Text(got.deprecation), Text(want.deprecation));
    c.Field("is_commutative", got.is_commutative, want.is_commutative);
    c.Field("is_aggregate", got.is_aggregate, want.is_aggregate);
    c.Field("is_stateful", got.is_stateful, want.is_stateful);
    c.Field("allows_uninitialized_input", got.allows_uninitialized_input, want.allows_uninitialized_input);
    c.Field("is_distributed_communication", got.is_distributed_communication, want.is_distributed_communication);
    return c.found_;
  }

 private:
  static std::string Text(const std::optional<OpDeprecation>& deprecation) {
    return deprecation ? StrCat("version ", deprecation->version, ": ", deprecation->explanation) : "none";
  }
  static std::string Text(const AttrValue& value) { return value.has_value() ? SummarizeAttrValue(value) : "none"; }
  static std::string Text(const std::optional<AttrValue>& value) { return value ? Text(*value) : "none"; }

  template <class T>
  void Field(std::string_view path, const T& got, const T& want) {
    if (found_.empty() && !(got == want)) found_ = StrCat(path, " is '", got, "', TensorFlow's is '", want, "'");
  }
  void Arguments(std::string_view list, const SlimVector<OpDef::ArgDef>& got, const SlimVector<OpDef::ArgDef>& want) {
    Field(StrCat("the number of ", list), got.size(), want.size());
    for (std::size_t i = 0; i < got.size() && found_.empty(); ++i) {
      const std::string path = StrCat(list, "[", i, "].");
      Field(path + "name", got[i].name, want[i].name);
      Field(path + "type", Name(got[i].type), Name(want[i].type));
      Field(path + "type_attr", got[i].type_attr, want[i].type_attr);
      Field(path + "number_attr", got[i].number_attr, want[i].number_attr);
      Field(path + "type_list_attr", got[i].type_list_attr, want[i].type_list_attr);
      Field(path + "is_ref", got[i].is_ref, want[i].is_ref);
    }
  }
  void Attrs(const SlimVector<OpDef::AttrDef>& got, const SlimVector<OpDef::AttrDef>& want) {
    const auto name = [](std::string* out, const OpDef::AttrDef& attr) { out->append(attr.name); };
    Field("the list of attrs", StrJoin(got, ", ", name), StrJoin(want, ", ", name));
    for (std::size_t i = 0; i < got.size() && found_.empty(); ++i) {
      const std::string path = StrCat("attr '", got[i].name, "': ");
      Field(path + "type", got[i].type, want[i].type);
      Field(path + "default_value", Text(got[i].default_value), Text(want[i].default_value));
      Field(path + "has_minimum", got[i].has_minimum, want[i].has_minimum);
      Field(path + "minimum", got[i].minimum, want[i].minimum);
      Field(path + "allowed_values", Text(got[i].allowed_values), Text(want[i].allowed_values));
      // Texts abbreviate: long lists, equal numbers.
      if (found_.empty() &&
          !(got[i].default_value == want[i].default_value && got[i].allowed_values == want[i].allowed_values))
        found_ = path + "the values differ where their texts do not";
    }
  }

  std::string found_;
};

template <class... Op>
std::vector<const OpView*> Views(OpList<Op...>) {
  return {&detail::kOpView<Op>...};
}

// "Add CPU" for every row that was registered.
std::set<std::string> KernelRows() {
  std::set<std::string> rows;
  for (const RegistrationBatch* batch = detail::registration_batches.load(); batch != nullptr; batch = batch->next)
    for (std::size_t t = 0; t < batch->table_count; ++t)
      for (std::size_t i = 0; i < batch->table_sizes[t]; ++i)
        if (const KernelRow& row = batch->tables[t][i]; row.op != nullptr)
          rows.insert(StrCat(row.op->view->name, " ", row.device));
  return rows;
}

}  // namespace

TEST_SUITE("All ops") {
  TEST_CASE("have TensorFlow's arguments, attrs, types, defaults, limits and flags") {
    REQUIRE_MESSAGE(!TensorFlowOps().empty(), "no " TENON_TEST_DATA "/op_list.pb");
    int compared = 0;
    for (const OpView* op : Registry::Global().ops().ops()) {
      const OpDef* want = FindTensorFlowOp(op->name);
      if (want == nullptr) continue;  // of a test
      ++compared;
      const std::string difference = Comparison::FirstDifference(ToOpDef(*op), *want);
      CHECK_MESSAGE(difference == "", op->name, ": ", difference);
    }
    int wanted = 0;
    for (const OpView* op : Views(ops::All())) wanted += IsOwn(op->name) ? 0 : 1;
    CHECK(compared >= wanted);
  }

  TEST_CASE("are ops of TensorFlow, each once, and registered for these tests") {
    std::set<std::string_view> names;
    for (const OpView* op : Views(ops::All())) {
      CAPTURE(op->name);
      CHECK((FindTensorFlowOp(op->name) != nullptr) != IsOwn(op->name));
      CHECK(names.insert(op->name).second);
      CHECK(Registry::Global().FindOp(op->name) != nullptr);
    }
    CHECK(Registry::Global().status().ToString() == "OK");
  }

  TEST_CASE("have a kernel for the CPU") {
    const std::set<std::string> rows = KernelRows();
    for (const OpView* op : Views(ops::All()))
      CHECK_MESSAGE(rows.count(StrCat(op->name, " CPU")) == 1, op->name, " has none");
  }

  TEST_CASE("a difference is named with both values") {
    const OpDef* matmul = FindTensorFlowOp("MatMul");
    REQUIRE(matmul != nullptr);
    OpDef other = *matmul;
    CHECK(Comparison::FirstDifference(other, *matmul) == "");
    other.is_stateful = true;
    CHECK(Comparison::FirstDifference(other, *matmul) == "is_stateful is '1', TensorFlow's is '0'");
    other.attr[1].default_value = AttrValue(true);
    CHECK(Comparison::FirstDifference(other, *matmul) ==
          "attr 'transpose_b': default_value is 'true', TensorFlow's is 'false'");
    std::swap(other.attr[0], other.attr[1]);
    CHECK(
        Comparison::FirstDifference(other, *matmul) ==
        "the list of attrs is 'transpose_b, transpose_a, T, grad_a, grad_b', TensorFlow's is 'transpose_a, transpose_b, T, grad_a, grad_b'");
    other.input_arg[1].name = "c";
    CHECK(Comparison::FirstDifference(other, *matmul) == "input_arg[1].name is 'c', TensorFlow's is 'b'");
  }
}
}  // namespace op_list_test

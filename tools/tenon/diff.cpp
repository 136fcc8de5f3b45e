// SPDX-License-Identifier: Apache-2.0
// tenon diff: two graphs node by node, or values within a tolerance.

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <unordered_map>

#include <tenon/eager.hpp>

#include "arrays.hpp"
#include "output.hpp"
#include "prepare.hpp"

namespace command {

namespace {

using tenon::NodeDef;
using tenon::Tensor;

struct Difference {
  std::string where, what;
};

// Differences of two lists of nodes, in the order of `a` and then of `b`.
void DiffNodes(const tenon::SlimVector<NodeDef>& a, const tenon::SlimVector<NodeDef>& b, std::string_view prefix,
               std::vector<Difference>* differences) {
  std::unordered_map<std::string_view, const NodeDef*> of_a, of_b;
  for (const NodeDef& node : a) of_a.emplace(node.name, &node);
  for (const NodeDef& node : b) of_b.emplace(node.name, &node);
  for (const NodeDef& node : a) {
    const std::string where = StrCat(prefix, node.name);
    const auto found = of_b.find(node.name);
    if (found == of_b.end()) {
      differences->push_back({where, StrCat("only in the first: ", node.op)});
      continue;
    }
    const NodeDef& other = *found->second;
    std::string what;
    const auto add = [&what](std::string_view name, std::string_view x, std::string_view y) {
      StrAppend(&what, what.empty() ? "" : "; ", name, ": ", x, " becomes ", y);
    };
    if (node.op != other.op) add("op", node.op, other.op);
    if (!(node.input == other.input))
      add("inputs", StrCat("(", tenon::StrJoin(node.input, ", "), ")"),
          StrCat("(", tenon::StrJoin(other.input, ", "), ")"));
    if (node.device != other.device)
      add("device", node.device.empty() ? "none" : node.device, other.device.empty() ? "none" : other.device);
    for (const auto& [name, value] : node.attr) {
      const tenon::AttrValue* const theirs = other.attr.Find(name);
      if (theirs == nullptr) {
        add(StrCat("attr ", name), SummarizeAttrValue(value), "nothing");
      } else if (!(value == *theirs)) {
        const std::string x = SummarizeAttrValue(value), y = SummarizeAttrValue(*theirs);
        add(StrCat("attr ", name), x, x == y ? "other values" : y);
      }
    }
    for (const auto& [name, value] : other.attr)
      if (node.attr.Find(name) == nullptr) add(StrCat("attr ", name), "nothing", SummarizeAttrValue(value));
    if (!what.empty()) differences->push_back({where, what});
  }
  for (const NodeDef& node : b)
    if (!of_a.contains(node.name))
      differences->push_back({StrCat(prefix, node.name), StrCat("only in the second: ", node.op)});
}

std::vector<Difference> DiffGraphs(const tenon::GraphDef& a, const tenon::GraphDef& b) {
  std::vector<Difference> differences;
  DiffNodes(a.node, b.node, "", &differences);
  std::unordered_map<std::string_view, const tenon::FunctionDef*> of_a, of_b;
  for (const auto& function : a.library.function) of_a.emplace(function.signature.name, &function);
  for (const auto& function : b.library.function) of_b.emplace(function.signature.name, &function);
  for (const tenon::FunctionDef& function : a.library.function) {
    const std::string name = StrCat("function ", function.signature.name);
    const auto found = of_b.find(function.signature.name);
    if (found == of_b.end()) {
      differences.push_back({name, "only in the first"});
      continue;
    }
    const std::size_t before = differences.size();
    DiffNodes(function.node_def, found->second->node_def, StrCat(name, ": "), &differences);
    if (differences.size() == before && !(function == *found->second))
      differences.push_back({name, "arguments, results or attrs differ"});
  }
  for (const tenon::FunctionDef& function : b.library.function)
    if (!of_a.contains(function.signature.name))
      differences.push_back({StrCat("function ", function.signature.name), "only in the second"});
  if (!(a.versions == b.versions))
    differences.push_back(
        {"versions", StrCat("producer ", a.versions.producer, " becomes ", b.versions.producer, ", min_consumer ",
                            a.versions.min_consumer, " becomes ", b.versions.min_consumer)});
  return differences;
}

// Compares values: |x - y| <= atol + rtol * |y|, as numpy.allclose does. NaN equals NaN; an infinity, its like.
struct Tolerance {
  double rtol, atol;
};
struct Compared {
  std::string key, what;  // `what` is empty where all values are near enough
  double largest = 0, largest_relative = 0;
  std::int64_t values = 0, differ = 0;
};

std::string ValueText(double value) { return StrCat(value); }
std::string ValueText(const std::complex<double>& value) { return StrCat("(", value.real(), ",", value.imag(), ")"); }

// Counts values of two tensors of so many numbers, real or complex, that are too far apart.
template <class T>
void CompareValues(const T* p, const T* q, const Tolerance& tolerance, Compared* compared) {
  std::int64_t first = -1;
  for (std::int64_t i = 0; i < compared->values; ++i) {
    const double apart = std::abs(p[i] - q[i]), size = std::abs(q[i]);
    if (p[i] == q[i] || (std::isnan(std::abs(p[i])) && std::isnan(size))) continue;
    if (!(apart <= compared->largest)) compared->largest = apart;
    const double relative = apart / std::max(size, std::numeric_limits<double>::min());
    if (!(relative <= compared->largest_relative)) compared->largest_relative = relative;
    if (std::isfinite(size) && apart <= tolerance.atol + tolerance.rtol * size) continue;
    ++compared->differ;
    if (first < 0) first = i;
  }
  if (compared->differ > 0)
    compared->what = StrCat(compared->differ, " of ", compared->values, " values differ, first number ", first, ": ",
                            ValueText(p[first]), " becomes ", ValueText(q[first]));
}

// Values as double, or as complex numbers of them. Unimplemented: other types.
Result<Tensor> Widened(const Tensor& tensor) {
  if (!tenon::kComplexTypes.contains(tensor.dtype())) return ToDouble(tensor);
  TENON_ASSIGN_OR_RETURN(std::vector<Tensor> made,
                         tenon::eager::Call("Cast", {tensor}, {{"DstT", tenon::DataType::kComplex128}}));
  return std::move(made[0]);
}

Compared CompareTensors(const std::string& key, const Tensor& x, const Tensor& y, const Tolerance& tolerance) {
  Compared compared;
  compared.key = key;
  compared.values = x.NumElements();
  if (x.dtype() != y.dtype() || !x.IsSameSize(y)) {
    compared.what = StrCat(x.dtype(), " ", x.shape(), " becomes ", y.dtype(), " ", y.shape());
    return compared;
  }
  const Result<Tensor> a = Widened(x), b = Widened(y);
  if (!a.ok() || !b.ok()) {
    if (!tenon::SameTensor(x, y)) compared.what = "values differ";
  } else if (a->dtype() == tenon::DataType::kComplex128) {
    CompareValues(static_cast<const std::complex<double>*>(a->raw_data()),
                  static_cast<const std::complex<double>*>(b->raw_data()), tolerance, &compared);
  } else {
    CompareValues(a->data<double>(), b->data<double>(), tolerance, &compared);
  }
  return compared;
}

std::vector<Compared> CompareAll(const std::vector<NamedOutput>& a, const std::vector<NamedOutput>& b,
                                 const Tolerance& tolerance) {
  std::vector<Compared> all;
  const auto find = [](const std::vector<NamedOutput>& list, const std::string& key) {
    return std::find_if(list.begin(), list.end(), [&](const NamedOutput& output) { return output.key == key; });
  };
  for (const NamedOutput& output : a) {
    const auto other = find(b, output.key);
    if (other != b.end())
      all.push_back(CompareTensors(output.key, output.tensor, other->tensor, tolerance));
    else
      all.push_back({output.key, "only in the first"});
  }
  for (const NamedOutput& output : b)
    if (find(a, output.key) == a.end()) all.push_back({output.key, "only in the second"});
  return all;
}

int Report(const Args& args, const std::vector<Compared>& all) {
  bool equal = true;
  Json json;
  json.Begin('{').Key("compared").Begin('[');
  std::string text;
  for (const Compared& one : all) {
    equal = equal && one.what.empty();
    json.Begin('{').Member("name", one.key).Member("near", one.what.empty()).Member("what", one.what);
    json.Member("values", one.values).Member("differ", one.differ).Member("largest_difference", one.largest);
    json.Member("largest_relative_difference", one.largest_relative).End();
    StrAppend(&text, Styled(one.what.empty() ? Style::kGood : Style::kBad, one.what.empty() ? "near  " : "differs  "),
              one.key.empty() ? "(array)" : one.key, one.what.empty() ? "" : "  ", one.what);
    // Other types and shapes, and outputs of one side only, have no difference in numbers.
    if (one.what.empty() || one.differ > 0)
      StrAppend(&text, "  largest difference ", Short(one.largest), ", relative ", Short(one.largest_relative));
    text += '\n';
  }
  json.End().Member("equal", equal).End();
  Print(args.json() ? json.text() : text);
  return equal ? kFine : kFound;
}

Result<std::vector<NamedOutput>> OutputsOfFile(const std::string& path) {
  TENON_ASSIGN_OR_RETURN(auto arrays, ReadArrays(path));
  std::vector<NamedOutput> outputs;
  for (auto& [name, tensor] : arrays) outputs.push_back({name, std::move(tensor)});
  return outputs;
}

}  // namespace

Result<int> RunDiff(const Args& args) {
  const std::string &first = args.arguments()[0], &second = args.arguments()[1];
  Tolerance tolerance{};
  TENON_ASSIGN_OR_RETURN(tolerance.rtol, args.GetDouble("--rtol", 1e-5));
  TENON_ASSIGN_OR_RETURN(tolerance.atol, args.GetDouble("--atol", 1e-8));
  TENON_ASSIGN_OR_RETURN(const FileKind kind, KindOf(first));
  TENON_ASSIGN_OR_RETURN(const FileKind other_kind, KindOf(second));
  if (IsArrays(kind) || IsArrays(other_kind)) {
    if (!IsArrays(kind) || !IsArrays(other_kind))
      return tenon::errors::InvalidArgument("'", first, "' is ", Name(kind), " and '", second, "' is ",
                                            Name(other_kind), "; two models or two NumPy files are wanted");
    TENON_ASSIGN_OR_RETURN(const auto a, OutputsOfFile(first));
    TENON_ASSIGN_OR_RETURN(const auto b, OutputsOfFile(second));
    return Report(args, CompareAll(a, b, tolerance));
  }
  if (args.Has("--run")) {
    TENON_ASSIGN_OR_RETURN(const Prepared a, Prepare(args, first, true));
    TENON_ASSIGN_OR_RETURN(const Prepared b, Prepare(args, second, true));
    TENON_ASSIGN_OR_RETURN(const auto outputs_a, RunOnce(a));
    TENON_ASSIGN_OR_RETURN(const auto outputs_b, RunOnce(b));
    return Report(args, CompareAll(outputs_a, outputs_b, tolerance));
  }
  const OpenOptions options = OpenOptionsOf(args);
  TENON_ASSIGN_OR_RETURN(const Model a, Model::Open(first, options));
  TENON_ASSIGN_OR_RETURN(const Model b, Model::Open(second, options));
  const std::vector<Difference> differences = DiffGraphs(a.graph(), b.graph());
  if (args.json()) {
    Json json;
    json.Begin('{').Member("equal", differences.empty()).Key("differences").Begin('[');
    for (const Difference& difference : differences)
      json.Begin('{').Member("where", difference.where).Member("what", difference.what).End();
    Print(json.End().End().text());
  } else {
    std::string text;
    for (const Difference& difference : differences)
      StrAppend(&text, Styled(Style::kBold, difference.where), "  ", difference.what, "\n");
    StrAppend(&text,
              differences.empty()
                  ? "the graphs are equal"
                  : StrCat(differences.size(), differences.size() == 1 ? " difference" : " differences"),
              "\n");
    Print(text);
  }
  return differences.empty() ? kFine : kFound;
}

}  // namespace command

// SPDX-License-Identifier: Apache-2.0
#pragma once
// GraphBuilder: a GraphDef written in C++. Type attrs and list lengths follow from the inputs; the first mistake is
// kept and everything after it does nothing, so a program checks once, at the end.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/op/graph_def/versions.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/validate.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// One output of a node of one GraphBuilder. y[1] is output 1 of the node that y belongs to.
struct Output {
  int node = -1;  // -1: made after a mistake
  int index = 0;

  constexpr Output operator[](int i) const { return {node, i}; }  // output i of the node
  friend constexpr bool operator==(Output, Output) = default;
};

// Makes a GraphDef node by node. It keeps the first mistake; everything after it does nothing, so that a program checks
// status() once, at the end. Without memory status() is ResourceExhausted. Only constructors, of Input too, and
// functions that return a string or a copy of the graph throw std::bad_alloc. externally synchronised.
//
//   GraphBuilder b;
//   Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1, 784}));
//   Output y = b.Add("MatMul", "y", {x, b.Const("w", w)}, {{"transpose_b", true}});
//   Output all = b.Add("ConcatV2", "all", {{x, y}, b.Const("axis", Tensor::Scalar(1))});
//   TENON_RETURN_IF_ERROR(b.status());
//   Use(b.graph_def());
class GraphBuilder {
 public:
  // Value of one argument of the op: a tensor, or the tensors of a list.
  class Input {
   public:
    Input(Output one) : tensors_{one} {}
    Input(std::initializer_list<Output> list) : tensors_(list), is_list_(true) {}
    Input(SlimVector<Output> list) : tensors_(std::move(list)), is_list_(true) {}

   private:
    friend class GraphBuilder;
    SlimVector<Output> tensors_;
    bool is_list_ = false;
  };
  using Attr = std::pair<std::string_view, AttrValue>;

  // `registry` outlives the builder. By default it knows the ops that TENON_REGISTER put into this process.
  explicit GraphBuilder(const OpRegistry& registry = Registry::Global().ops())
      : ops_(MakeOwned<OpInfoCache>(registry)) {
    def_.versions.producer = kGraphDefVersion;
  }

  // Adds a node and returns its output 0. An empty name becomes the op's, made unique. `inputs` has one entry per
  // argument; where the op has a single list, all its tensors may also stand side by side: {x, y, z}.
  Output Add(std::string_view op, std::string_view name, std::initializer_list<Input> inputs = {},
             std::initializer_list<Attr> attrs = {}) {
    return AddNode(op, name, {inputs.begin(), inputs.size()}, {attrs.begin(), attrs.size()});
  }
  // Adds a node under the op's name, made unique.
  Output Add(std::string_view op, std::initializer_list<Input> inputs, std::initializer_list<Attr> attrs = {}) {
    return Add(op, "", inputs, attrs);
  }
  // Adds a node from containers of Output or Input, and of pairs of a name and an AttrValue.
  template <class Inputs, class Attrs = Span<const Attr>>
  Output Add(std::string_view op, std::string_view name, const Inputs& inputs, const Attrs& attrs = {}) {
    return Make([&] {
      const SlimVector<Input> all(inputs.begin(), inputs.end());
      const SlimVector<Attr> named(attrs.begin(), attrs.end());
      return AddNode(op, name, all, named);
    });
  }
  // As Add. All forms of Add keep these mistakes in status(): NotFound: an unknown op. InvalidArgument: a bad or
  // repeated name, inputs or attrs that do not fit the op, or an output of another builder.
  Output AddNode(std::string_view op, std::string_view name, Span<const Input> inputs, Span<const Attr> attrs = {}) {
    return status_.ok() ? Make([&] { return AddChecked(op, name, inputs, attrs); }) : Output();
  }

  // Adds a Const node. It shares the tensor's buffer. ResourceExhausted in status(): a tensor without memory.
  Output Const(std::string_view name, Tensor value) {
    if (!value.IsInitialized()) [[unlikely]]
      status_.Update(errors::ResourceExhausted("GraphBuilder: the value of constant '", name, "' has no memory; type ",
                                               value.dtype(), ", shape ", value.shape()));
    const DataType dtype = value.dtype();
    return Make([&] { return Add("Const", name, {}, {{"dtype", dtype}, {"value", std::move(value)}}); });
  }
  // Adds a tensor that every run must feed. Its shape is unknown unless given.
  Output Placeholder(std::string_view name, DataType dtype, PartialTensorShape shape = {}) {
    return Make([&] { return Add("Placeholder", name, {}, {{"dtype", dtype}, {"shape", std::move(shape)}}); });
  }

  // Makes `node` run after `before`.
  void AddControlInput(Output node, Output before) {
    (void)Make([&] {
      if (status_.ok() && Check(node) && Check(before))
        def_.node[ToSize(node.node)].input.push_back(StrCat("^", def_.node[ToSize(before.node)].name));
      return node;
    });
  }
  // Requests a device for a node: "/device:GPU:0".
  void SetDevice(Output node, std::string_view device) {
    (void)Make([&] {
      if (status_.ok() && Check(node)) def_.node[ToSize(node.node)].device = std::string(device);
      return node;
    });
  }

  // Returns the first mistake, or OK.
  const Status& status() const { return status_; }
  // Returns the name of the tensor in sessions: "y", "y:1". Empty after a mistake.
  std::string Name(Output output) const {
    if (output.node < 0 || ToSize(output.node) >= def_.node.size()) return "";
    const std::string& node = def_.node[ToSize(output.node)].name;
    return output.index == 0 ? node : StrCat(node, ":", output.index);
  }
  // Returns the type of an output; kInvalid if there is no such output.
  DataType dtype(Output output) const {
    const bool valid = output.node >= 0 && ToSize(output.node) < types_.size() && output.index >= 0 &&
                       ToSize(output.index) < types_[ToSize(output.node)].size();
    return valid ? types_[ToSize(output.node)][ToSize(output.index)] : DataType::kInvalid;
  }
  // Returns all nodes so far; complete when status() is OK.
  const GraphDef& graph_def() const& { return def_; }
  GraphDef graph_def() && { return std::move(def_); }
  const OpRegistry& registry() const { return ops_->registry(); }  // the ops that the builder knows

 private:
  using Types = OpInfo::Types;

  struct NameOf {
    const GraphDef* def;
    std::string_view operator()(int i) const { return def->node[ToSize(i)].name; }
  };

  // make(), an output. What it throws becomes the status.
  template <class MakeOutput>
  Output Make(MakeOutput&& make) {
    Output made;
    status_.Update(detail::CatchAll("GraphBuilder", [&]() -> Status {
      made = make();
      return OkStatus();
    }));
    return made;
  }
  Output AddChecked(std::string_view op, std::string_view name, Span<const Input> inputs, Span<const Attr> attrs) {
    NodeDef node;
    node.op = std::string(op);
    node.name = name.empty() ? UniqueName(op) : std::string(name);
    for (const Attr& attr : attrs) node.attr.Set(std::string(attr.first), attr.second);
    Types types;
    status_ = Complete(inputs, &node, &types);
    if (!status_.ok()) return {};
    const int id = static_cast<int>(def_.node.size());
    def_.node.push_back(std::move(node));
    types_.push_back(std::move(types));
    names_.Insert(def_.node.back().name, id, NameOf{&def_});
    return {id, 0};
  }

  bool Check(Output output) {
    if (output.node >= 0 && ToSize(output.node) < def_.node.size()) return true;
    status_ = errors::InvalidArgument("GraphBuilder: node number ", output.node, " does not exist; this graph has ",
                                      def_.node.size(), " nodes.");
    return false;
  }

  // "AddV2", "AddV2_1", ...: the first that is free. No name gets free again, so the search goes on where it ended.
  std::string UniqueName(std::string_view op) {
    std::size_t at = 0;
    while (at < numbers_.size() && numbers_[at].first != op) ++at;
    if (at == numbers_.size()) numbers_.emplace_back(std::string(op), 0);
    for (int& n = numbers_[at].second;; ++n) {
      std::string name = n == 0 ? std::string(op) : StrCat(op, "_", n);
      if (names_.Find(name, NameOf{&def_}) < 0) return name;
    }
  }

  Status Complete(Span<const Input> inputs, NodeDef* node, Types* outputs) {
    const OpInfo* info = ops_->Find(node->op);
    if (info == nullptr) {
      const OpView* none = nullptr;
      return ops_->registry().LookUp(node->op, &none);
    }
    if (!IsValidNodeName(node->name)) {
      return errors::InvalidArgument("Node '", node->name, "': Node name contains invalid characters");
    }
    if (names_.Find(node->name, NameOf{&def_}) >= 0)
      return errors::InvalidArgument("Node '", node->name, "' is not unique");

    for (const auto& [attr, value] : node->attr)
      if (!StartsWith(attr, "_") && info->op().FindAttr(attr) == nullptr) return NoSuchAttr(info->op(), *node, attr);

    SlimVector<SlimVector<Output>> args;
    TENON_RETURN_IF_ERROR(Distribute(info->op(), *node, inputs, &args));
    Types given;
    for (const SlimVector<Output>& arg : args) {
      for (const Output& tensor : arg) {
        if (dtype(tensor) == DataType::kInvalid) {
          return errors::InvalidArgument("Node '", node->name, "': input ", given.size(), " is output ", tensor.index,
                                         " of node '", Name(tensor[0]), "', which does not exist.");
        }
        given.push_back(dtype(tensor));
        node->input.push_back(Name(tensor));
      }
    }
    InferAttrs(info->op(), args, node);
    info->AddDefaults(node);
    Types expected;
    TENON_RETURN_IF_ERROR(info->Resolve(*node, &expected, outputs));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (TypesCompatible(expected[i], given[i])) continue;
      const TensorName from = ParseTensorName(node->input[i]);
      return errors::InvalidArgument("Input ", i, " of node ", node->name, " was passed ", given[i], " from ",
                                     from.node, ":", from.output, " incompatible with expected ", expected[i], ".");
    }
    return OkStatus();
  }

  TENON_DETAIL_COLD static Status NoSuchAttr(const OpView& op, const NodeDef& node, std::string_view attr) {
    SlimVector<std::string_view> names;
    for (const AttrSpec& spec : op.attrs) names.push_back(spec.name());
    return errors::InvalidArgument("Node '", node.name, "': ", op.name, " has no attr '", attr, "'",
                                   detail::SuggestNames(attr, names), "; its attrs are {", StrJoin(names, ", "), "}");
  }
  // Which tensors go to which argument.
  Status Distribute(const OpView& op, const NodeDef& node, Span<const Input> inputs,
                    SlimVector<SlimVector<Output>>* args) const {
    if (inputs.size() == op.inputs.size()) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].is_list_ && !op.inputs[i].is_list()) {
          return errors::InvalidArgument("Node '", node.name, "': argument '", op.inputs[i].name(), "' of ", op.name,
                                         " is one tensor, but a list of ", inputs[i].tensors_.size(), " is given.");
        }
        args->push_back(inputs[i].tensors_);
      }
      return OkStatus();
    }
    SlimVector<Output> all;
    for (const Input& input : inputs) all.append(input.tensors_.begin(), input.tensors_.end());
    std::size_t lists = 0;
    for (const ArgSpec& arg : op.inputs) lists += arg.is_list() ? 1 : 0;
    const std::size_t single = op.inputs.size() - lists;
    if (lists != 1 || all.size() < single) {
      return errors::InvalidArgument(
          "Node '", node.name, "': ", op.name, " takes ", op.inputs.size(), " arguments (",
          StrJoin(op.inputs, ", ", [](std::string* out, const ArgSpec& arg) { out->append(arg.text); }), "), but ",
          inputs.size(), " are given", lists > 1 ? "; write each list in braces." : ".");
    }
    std::size_t at = 0;
    for (const ArgSpec& arg : op.inputs) {
      const std::size_t n = arg.is_list() ? all.size() - single : 1;
      args->emplace_back(all.begin() + static_cast<std::ptrdiff_t>(at),
                         all.begin() + static_cast<std::ptrdiff_t>(at + n));
      at += n;
    }
    return OkStatus();
  }

  // Attrs that the inputs decide and that were not given.
  void InferAttrs(const OpView& op, const SlimVector<SlimVector<Output>>& args, NodeDef* node) const {
    for (std::size_t i = 0; i < args.size(); ++i) {
      const ArgSpec& arg = op.inputs[i];
      if (const AttrSpec* number = op.NumberAttr(arg)) {
        AddNodeAttr(number->name(), static_cast<std::int64_t>(args[i].size()), node);
      }
      const AttrSpec* type = op.TypeAttr(arg);
      if (type == nullptr) continue;
      if (arg.is_type_list) {
        SlimVector<DataType> types;
        for (const Output& tensor : args[i]) types.push_back(BaseType(dtype(tensor)));
        AddNodeAttr(type->name(), AttrValue(types), node);
      } else if (!args[i].empty()) {
        AddNodeAttr(type->name(), BaseType(dtype(args[i].front())), node);
      }
    }
  }

  Owned<OpInfoCache> ops_;
  GraphDef def_;
  SlimVector<Types> types_;  // per node: types of its outputs
  detail::NameIndex names_;  // name -> position in def_.node
  SlimVector<std::pair<std::string, int>> numbers_;  // op -> number of the last name made for it
  Status status_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

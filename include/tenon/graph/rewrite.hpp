// SPDX-License-Identifier: Apache-2.0
#pragma once
// GraphRewrite: a graph being rewritten, as nodes that name their inputs. Passes that replace whole nodes by subgraphs
// work on it; what reads a replaced node is redirected once, at the end.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/node_def_edit.hpp>
#include <tenon/graph/graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// "y" for output 0 of y, "y:2" for its output 2.
inline std::string TensorNameOf(std::string_view node, int output) {
  return output == 0 ? std::string(node) : StrCat(node, ":", output);
}

// Nodes have numbers 0 .. size() - 1 that never change. externally synchronised.
//
//   GraphRewrite rewrite(graph.ToGraphDef());
//   rewrite.Replace(call, {"exit", "exit:1"}, {"done"});
//   GraphDef def = std::move(rewrite).Finish();
class GraphRewrite {
 public:
  explicit GraphRewrite(GraphDef def) : def_(std::move(def)), live_(def_.node.size(), 1) {
    names_.Reserve(def_.node.size());
    for (int i = 0; i < size(); ++i) names_.Insert(node(i).name, i, NameOf{this});
  }

  int size() const { return static_cast<int>(def_.node.size()); }
  const NodeDef& node(int i) const { return def_.node[ToSize(i)]; }
  NodeDef* mutable_node(int i) { return &def_.node[ToSize(i)]; }
  // False for a node that was replaced by others.
  bool is_live(int i) const { return live_[ToSize(i)] != 0; }
  // The living node of that name, or -1.
  int Find(std::string_view name) const {
    const int i = names_.Find(name, NameOf{this});
    return i >= 0 && is_live(i) ? i : -1;
  }

  // `name` itself, or "name/_7" when that was ever a node's.
  std::string UniqueName(std::string_view name) {
    return names_.Find(name, NameOf{this}) < 0 ? std::string(name) : NewName(name);
  }
  // "prefix/_7": a name that no node ever had.
  std::string NewName(std::string_view prefix) {
    std::string name;
    do {
      name = StrCat(prefix, "/_", name_counter_++);
    } while (names_.Find(name, NameOf{this}) >= 0);
    return name;
  }

  // The name must be new: from UniqueName or NewName.
  int Add(NodeDef node) {
    const int i = size();
    def_.node.push_back(std::move(node));
    live_.push_back(1);
    names_.Insert(this->node(i).name, i, NameOf{this});
    return i;
  }

  // Removes node i. Readers of its output k read data[k] instead; nodes that waited for it wait for all in `control`.
  void Replace(int i, SlimVector<std::string> data, SlimVector<std::string> control) {
    live_[ToSize(i)] = 0;
    Redirect(i, std::move(data), std::move(control));
  }
  // Replaces node i, but `kept`, which has its name, takes its place for callers that run or fetch it by name.
  void ReplaceKeepingName(int i, NodeDef kept, SlimVector<std::string> data, SlimVector<std::string> control) {
    Redirect(i, std::move(data), std::move(control));
    def_.node[ToSize(i)] = std::move(kept);
  }

  // The tensor that a data input stands for by now.
  std::string Resolve(std::string_view input) const {
    std::string text(input);
    for (;;) {
      const TensorName name = ParseTensorName(text);
      const int at = redirect_index_.Find(name.node, RedirectName{this});
      if (at < 0) return text;
      const SlimVector<std::string>& data = redirects_[ToSize(at)].data;
      if (name.output < 0 || ToSize(name.output) >= data.size()) return text;
      text = std::string(data[ToSize(name.output)]);
    }
  }

  // The rewritten graph: inputs redirected, replaced nodes gone, and colocation with them too.
  GraphDef Finish() && {
    SlimVector<NodeDef> nodes;
    nodes.reserve(def_.node.size());
    for (int i = 0; i < size(); ++i) {
      if (!is_live(i)) continue;
      RedirectInputs(mutable_node(i));
      DropUnknownColocation(mutable_node(i));
    }
    for (int i = 0; i < size(); ++i)
      if (is_live(i)) nodes.push_back(std::move(def_.node[ToSize(i)]));
    def_.node = std::move(nodes);
    return std::move(def_);
  }

 private:
  struct Redirection {
    std::string name;
    SlimVector<std::string> data, control;
  };
  struct NameOf {
    const GraphRewrite* self;
    std::string_view operator()(int i) const { return self->node(i).name; }
  };
  struct RedirectName {
    const GraphRewrite* self;
    std::string_view operator()(int i) const { return self->redirects_[ToSize(i)].name; }
  };

  void Redirect(int i, SlimVector<std::string> data, SlimVector<std::string> control) {
    const int at = static_cast<int>(redirects_.size());
    redirects_.push_back({node(i).name, std::move(data), std::move(control)});
    redirect_index_.Insert(redirects_.back().name, at, RedirectName{this});
  }

  void RedirectInputs(NodeDef* node) const {
    SlimVector<std::string> inputs, control;
    for (const std::string& input : node->input) {
      if (StartsWith(input, "^"))
        AddControl(std::string_view(input).substr(1), &control);
      else
        inputs.push_back(Resolve(input));
    }
    for (const std::string& name : control) inputs.push_back(StrCat("^", name));
    node->input = std::move(inputs);
  }
  // Adds the nodes that `name` stands for as a control input.
  void AddControl(std::string_view name, SlimVector<std::string>* control) const {
    SlimVector<std::string> todo{std::string(name)};
    while (!todo.empty()) {
      const std::string next = std::move(todo.back());
      todo.pop_back();
      const int at = redirect_index_.Find(next, RedirectName{this});
      if (at >= 0) {
        const SlimVector<std::string>& instead = redirects_[ToSize(at)].control;
        todo.append(instead.begin(), instead.end());
        continue;
      }
      control->push_back(next);
    }
  }
  void DropUnknownColocation(NodeDef* node) const {
    const AttrValue* groups = node->attr.Find(kColocationAttr);
    if (groups == nullptr) return;
    SlimVector<std::string> kept;
    for (const std::string& entry : groups->list().s)
      if (!StartsWith(entry, kColocationPrefix) || Find(std::string_view(entry).substr(kColocationPrefix.size())) >= 0)
        kept.push_back(entry);
    if (kept.size() == groups->list().s.size()) return;
    node->attr.erase(kColocationAttr);
    if (!kept.empty()) node->attr.Insert(std::string(kColocationAttr), AttrValue(kept));
  }

  GraphDef def_;
  SlimVector<char> live_;  // per node
  detail::NameIndex names_;
  SlimVector<Redirection> redirects_;
  detail::NameIndex redirect_index_;
  int name_counter_ = 0;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

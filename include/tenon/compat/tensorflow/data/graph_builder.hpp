// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names by which datasets describe themselves to TensorFlow's optimizer and performance model: accepted, not used.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/node_def.hpp>

namespace tensorflow {

class Node;

namespace data {

class DatasetBase;
class SerializationContext;

namespace model {
// A node of the performance model.
class Node {
 public:
  struct Args {
    int64_t id = 0;
    std::string name;
    std::shared_ptr<Node> output;
  };
};
struct Parameter {};
struct SharedState {
  template <class... T>
  explicit SharedState(T&&...) {}
  double value = 0;
};
template <class... T>
std::shared_ptr<Parameter> MakeParameter(T&&...) {
  return std::make_shared<Parameter>();
}
#define TENON_COMPAT_MODEL_NODE(NAME)  \
  template <class... T>                \
  std::shared_ptr<Node> NAME(T&&...) { \
    return std::make_shared<Node>();   \
  }
TENON_COMPAT_MODEL_NODE(MakeSourceNode)
TENON_COMPAT_MODEL_NODE(MakeKnownRatioNode)
TENON_COMPAT_MODEL_NODE(MakeAsyncKnownRatioNode)
TENON_COMPAT_MODEL_NODE(MakeUnknownRatioNode)
TENON_COMPAT_MODEL_NODE(MakeAsyncUnknownRatioNode)
TENON_COMPAT_MODEL_NODE(MakeInterleaveManyNode)
TENON_COMPAT_MODEL_NODE(MakeAsyncInterleaveManyNode)
TENON_COMPAT_MODEL_NODE(MakeUnknownNode)
#undef TENON_COMPAT_MODEL_NODE
inline constexpr int64_t kAutotune = -1;
}  // namespace model

// Nodes of a dataset's graph; none are made.
class DatasetGraphDefBuilder {
 public:
  template <class... T>
  Status AddDataset(T&&...) {
    return Status();
  }
  template <class... T>
  Status AddInputDataset(T&&...) {
    return Status();
  }
  template <class... T>
  Status AddScalar(T&&...) {
    return Status();
  }
  template <class... T>
  Status AddVector(T&&...) {
    return Status();
  }
  template <class... T>
  Status AddTensor(T&&...) {
    return Status();
  }
  template <class... T>
  Status AddFunction(T&&...) {
    return Status();
  }
  Status AddDataset(const DatasetBase*, const std::vector<Node*>&, Node**) { return Status(); }
  Status AddDataset(const DatasetBase*, const std::vector<Node*>&,
                    const std::vector<std::pair<StringPiece, AttrValue>>&, Node**) {
    return Status();
  }
  Status AddDataset(const DatasetBase*, const std::vector<std::pair<std::size_t, Node*>>&,
                    const std::vector<std::pair<std::size_t, gtl::ArraySlice<Node*>>>&,
                    const std::vector<std::pair<StringPiece, AttrValue>>&, Node**) {
    return Status();
  }
  template <class T>
  void BuildAttrValue(const T& value, AttrValue* attr) {
    SetAttrValue(value, attr);
  }
};

}  // namespace data
namespace model = data::model;
}  // namespace tensorflow

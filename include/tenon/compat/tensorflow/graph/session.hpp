// SPDX-License-Identifier: Apache-2.0
#pragma once
// Session and NewSession of TensorFlow's C++ API, over tenon::Session; SetDefaultDevice. One source file of the program
// includes <tenon/runtime.hpp>, or it links tenon::runtime.

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <tenon/op/graph_def/config_proto.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/runtime/session/options_from_proto.hpp>
#include <tenon/runtime/session/run_metadata.hpp>
#include <tenon/compat/tensorflow/kernel_params.hpp>
#include <tenon/compat/tensorflow/node_def.hpp>
#include <tenon/compat/tensorflow/proto/config.hpp>

namespace tensorflow {

// Sets the device of nodes that have none.
namespace graph {
inline void SetDefaultDevice(const std::string& device, GraphDef* graph_def) {
  for (int i = 0; i < graph_def->node_size(); ++i)
    if (graph_def->node(i).device().empty()) graph_def->mutable_node(i)->set_device(device);
}
}  // namespace graph

// A graph and its runs. Create, then Run. Runs are thread-safe.
class Session {
 public:
  virtual ~Session() = default;
  // AlreadyExists: there is a graph; Extend adds to it. Errors of the import as for tenon::Session::FromGraphDef.
  virtual Status Create(const GraphDef& graph) = 0;
  virtual Status Create(GraphDef&& graph) { return Create(static_cast<const GraphDef&>(graph)); }
  virtual Status Extend(const GraphDef& graph) = 0;
  virtual Status Extend(GraphDef&& graph) { return Extend(static_cast<const GraphDef&>(graph)); }
  virtual Status Run(const std::vector<std::pair<std::string, Tensor>>& inputs,
                     const std::vector<std::string>& output_names, const std::vector<std::string>& target_names,
                     std::vector<Tensor>* outputs) = 0;
  virtual Status Run(const RunOptions& options, const std::vector<std::pair<std::string, Tensor>>& inputs,
                     const std::vector<std::string>& output_names, const std::vector<std::string>& target_names,
                     std::vector<Tensor>* outputs, RunMetadata* metadata) = 0;
  // Later calls are Cancelled.
  virtual Status Close() = 0;
  virtual bool IsLocal() { return true; }
};

namespace internal {

class LocalSession final : public Session {
 public:
  explicit LocalSession(tenon::SessionOptions options) : options_(std::move(options)) {}

  Status Create(const GraphDef& graph) override {
    mutex_lock lock(mu_);
    if (is_closed_) return Closed();
    if (has_graph_) return errors::AlreadyExists("A Graph has already been created for this session.");
    TF_ASSIGN_OR_RETURN(session_, Load(graph));
    has_graph_ = true;
    return Status();
  }
  Status Extend(const GraphDef& graph) override {
    mutex_lock lock(mu_);
    if (is_closed_) return Closed();
    if (has_graph_) return session_.Extend(StructOf<tenon::GraphDef>(graph));
    TF_ASSIGN_OR_RETURN(session_, Load(graph));
    has_graph_ = true;
    return Status();
  }
  Status Run(const std::vector<std::pair<std::string, Tensor>>& inputs, const std::vector<std::string>& output_names,
             const std::vector<std::string>& target_names, std::vector<Tensor>* outputs) override {
    return Run(RunOptions(), inputs, output_names, target_names, outputs, nullptr);
  }
  Status Run(const RunOptions& options, const std::vector<std::pair<std::string, Tensor>>& inputs,
             const std::vector<std::string>& output_names, const std::vector<std::string>& target_names,
             std::vector<Tensor>* outputs, RunMetadata* metadata) override {
    tenon::Session session;
    {
      mutex_lock lock(mu_);
      if (is_closed_) return Closed();
      if (!has_graph_) return errors::InvalidArgument("Session was not created with a graph before Run()!");
      session = session_;
    }
    std::vector<tenon::NamedTensor> feeds;
    feeds.reserve(inputs.size());
    for (const auto& [name, tensor] : inputs) feeds.push_back({name, tensor});
    const tenon::RunOptions settings = tenon::RunOptionsFromProto(StructOf<tenon::RunOptionsProto>(options));
    tenon::RunMetadata details;
    TF_ASSIGN_OR_RETURN(std::vector<tenon::Tensor> values, session.Run(feeds, output_names, target_names, settings,
                                                                       metadata == nullptr ? nullptr : &details));
    if (outputs != nullptr)
      outputs->assign(std::make_move_iterator(values.begin()), std::make_move_iterator(values.end()));
    if (metadata != nullptr)
      for (const tenon::GraphDef& part : details.partition_graphs)
        *metadata->add_partition_graphs() = MessageOf<GraphDef>(part);
    return Status();
  }
  Status Close() override {
    mutex_lock lock(mu_);
    is_closed_ = true;
    session_ = tenon::Session();
    return Status();
  }

 private:
  tenon::Result<tenon::Session> Load(const GraphDef& graph) const {
    const std::string bytes = graph.SerializeAsString();
    return tenon::Session::FromGraphDef(tenon::wire::AsBytes(bytes), options_);
  }
  static Status Closed() { return errors::Cancelled("Session has been closed."); }

  const tenon::SessionOptions options_;
  mutex mu_;
  tenon::Session session_;
  bool has_graph_ = false, is_closed_ = false;
};

}  // namespace internal

// *session is the caller's. Targets other than "" and "local" are NotFound. InvalidArgument: of options.config, as for
// tenon::SessionOptionsFromProto.
inline Status NewSession(const SessionOptions& options, Session** session) {
  *session = nullptr;
  if (!options.target.empty() && options.target != "local")
    return errors::NotFound("No session factory registered for the given session options: {target: \"", options.target,
                            "\"} Registered factories are {DIRECT_SESSION}.");
  TF_ASSIGN_OR_RETURN(tenon::SessionOptions own,
                      tenon::SessionOptionsFromProto(StructOf<tenon::ConfigProto>(options.config)));
  *session = new internal::LocalSession(std::move(own));
  return Status();
}
// Null where the other form has an error.
inline Session* NewSession(const SessionOptions& options) {
  Session* session = nullptr;
  static_cast<void>(NewSession(options, &session));
  return session;
}

}  // namespace tensorflow

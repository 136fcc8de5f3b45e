// SPDX-License-Identifier: Apache-2.0
#include "gradient_cases.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/training.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/wire/tensor_proto.hpp>

#include "compare.hpp"
#include "gradient_file.hpp"

namespace golden {

namespace {

using tenon::GradientBuilder;
using tenon::Result;
using tenon::Status;
using tenon::StrCat;
using tenon::Symbol;
using tenon::Tensor;

// The overrides that gradients/README.md asks for.
inline constexpr tenon::GradientRow kOverrides[] = {
    {"GoldenDouble", [](GradientBuilder& g) { g.set(0, g.dy() * 2.0); }},
    {"GoldenClip",
     [](GradientBuilder& g) {
       g.set(0, g.Add("ClipByValue", {g.dy(), g.Scalar(g.dy().dtype(), -0.5), g.Scalar(g.dy().dtype(), 0.5)}));
     }},
    {"GoldenReverse", [](GradientBuilder& g) { g.set(0, -g.dy()); }},
    {"GoldenStraight", [](GradientBuilder& g) { g.set(0, g.dy()); }},
    {"GoldenNone", nullptr},
    {"GoldenPair",
     [](GradientBuilder& g) {
       g.set(0, g.dy() * 2.0);
       g.set(1, g.dy() * 3.0);
     }},
    {"GoldenInputs", [](GradientBuilder& g) { g.set(0, g.dy() * g.x() * g.y()); }},
};
[[maybe_unused]] const bool registers_overrides = tenon::RegisterGradients<kOverrides>();

// What the case asks of tf.gradients; the answer is one entry per x, or per second_x.
Result<tenon::SlimVector<tenon::GradientNames>> Derive(const GradientCase& c, tenon::GraphDef* graph, bool dense) {
  tenon::GradientOptions options;
  options.grad_ys.assign(c.grad_y.begin(), c.grad_y.end());
  options.stop_gradients.assign(c.stop_gradient.begin(), c.stop_gradient.end());
  options.zero_if_unconnected = c.unconnected_gradients == "zero";
  options.dense = dense || !c.second_x.empty();
  if (c.second_x.empty()) return tenon::AddGradients(graph, c.y, c.x, options);
  TENON_ASSIGN_OR_RETURN(const auto first, tenon::AddGradients(graph, c.y, c.x, options));
  std::vector<std::string> g;
  tenon::GradientOptions second;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (c.second_grad_y[i].empty() || !first[i].connected()) continue;
    g.push_back(first[i].tensor);
    second.grad_ys.push_back(c.second_grad_y[i]);
  }
  second.dense = dense;
  second.zero_if_unconnected = options.zero_if_unconnected;
  return tenon::AddGradients(graph, g, c.second_x, second);
}

Outcome RunStep(const tenon::Session& session, const GradientCase& c, const Step& step,
                const tenon::SlimVector<tenon::GradientNames>& names, bool free) {
  std::vector<tenon::NamedTensor> feeds;
  for (const NamedBytes& feed : step.feed) {
    auto tensor = tenon::TensorFromProto(Bytes(feed.bytes), nullptr);
    if (!tensor.ok()) return Failed(StrCat("feed '", feed.name, "': ", tensor.status().message()));
    feeds.push_back({feed.name, *tensor});
  }
  const std::vector<std::string>& xs = c.second_x.empty() ? c.x : c.second_x;
  std::vector<std::string> fetches;
  std::vector<const NamedBytes*> wanted;
  for (const NamedBytes& fetch : step.fetch) {
    std::string text = fetch.name;
    std::string_view part;
    for (const std::string_view end : {":indices", ":values", ":dense_shape"})
      if (text.ends_with(end)) {
        part = end;
        text.resize(text.size() - end.size());
      }
    const auto at = static_cast<std::size_t>(std::find(xs.begin(), xs.end(), text) - xs.begin());
    if (at == xs.size()) return Failed(StrCat("the step fetches '", fetch.name, "', which is not an x"));
    if (!part.empty()) continue;  // compared by their dense sum
    std::string name = names[at].tensor;
    if (name.find(':') == std::string::npos) name += ":0";
    fetches.push_back(name);
    wanted.push_back(&fetch);
  }
  if (step.code != 0 && fetches.empty())
    for (const tenon::GradientNames& name : names)
      if (name.connected())
        fetches.push_back(name.tensor.find(':') == std::string::npos ? name.tensor + ":0" : name.tensor);
  if (fetches.empty() && step.target.empty()) return {Outcome::kPassed, ""};  // no x is connected
  const auto got = session.Run(feeds, fetches, step.target);
  const int code = static_cast<int>(got.status().code());
  if (code != step.code && free && step.code != 0) return {Outcome::kPassed, ""};
  if (code != step.code)
    return Failed(
        StrCat("code ", code, " (", got.status().message(), "), TensorFlow's is ", step.code, " (", step.message, ")"));
  if (code != 0) return {Outcome::kPassed, ""};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    auto want = tenon::TensorFromProto(Bytes(wanted[i]->bytes), nullptr);
    if (!want.ok()) return Failed(StrCat("wanted '", wanted[i]->name, "': ", want.status().message()));
    if (std::string d = Difference((*got)[i], *want, "close", c.rtol, c.atol); !d.empty())
      return Failed(StrCat(wanted[i]->name, ": ", d));
  }
  return {Outcome::kPassed, ""};
}

Outcome RunCase(const GradientCase& c) {
  Result<tenon::GraphDef> graph = tenon::ParseGraphDef(Bytes(c.graph));
  if (!graph.ok()) return Failed(graph.status().ToString());
  const bool loops = std::any_of(graph->node.begin(), graph->node.end(),
                                 [](const tenon::NodeDef& node) { return node.op == "Enter"; });
  const bool free = c.note.find("implementation that") != std::string::npos;  // TensorFlow alone refuses
  Result<tenon::SlimVector<tenon::GradientNames>> names = Derive(c, &*graph, false);
  const int code = static_cast<int>(names.status().code());
  if (c.code != 0) {
    if (code == c.code || free) return {Outcome::kPassed, ""};
    return Failed(
        StrCat("code ", code, " (", names.status().message(), "), TensorFlow's is ", c.code, " (", c.message, ")"));
  }
  if (!names.ok()) return Failed(names.status().ToString());
  for (std::size_t i = 0; i < names->size(); ++i) {
    const tenon::GradientNames& name = (*names)[i];
    // A While that is derived twice has zeros in TensorFlow for what it does not depend on: the values are compared.
    if (!c.second_x.empty() && i < c.unconnected.size() && c.unconnected[i] == 0 && !name.connected() &&
        c.unconnected_gradients != "zero") {
      GradientCase with_zeros = c;
      with_zeros.unconnected_gradients = "zero";
      return RunCase(with_zeros);
    }
    if (i < c.unconnected.size() && (c.unconnected[i] != 0) == name.connected() && c.unconnected_gradients != "zero")
      return Failed(StrCat("x ", i, " is ", name.connected() ? "connected" : "not connected", ", in TensorFlow it is ",
                           name.connected() ? "not" : "connected"));
    if (c.second_x.empty() && i < c.indexed_slices.size() && (c.indexed_slices[i] != 0) != name.is_slices() &&
        (name.is_slices() || !loops))  // loops of TensorFlow 1 give dense gradients here
      return Failed(StrCat("x ", i, name.is_slices() ? " has slices" : " is dense", ", TensorFlow's is not"));
  }
  if (std::any_of(names->begin(), names->end(), [](const tenon::GradientNames& n) { return n.is_slices(); })) {
    graph = tenon::ParseGraphDef(Bytes(c.graph));
    names = Derive(c, &*graph, true);
    if (!names.ok()) return Failed(names.status().ToString());
  }
  const auto session = tenon::Session::FromGraphDef(*graph, {.intra_op_threads = 1});
  if (!session.ok()) return Failed(StrCat("session: ", session.status().ToString()));
  for (std::size_t i = 0; i < c.step.size(); ++i)
    if (Outcome o = RunStep(*session, c, c.step[i], *names, free); o.kind != Outcome::kPassed)
      return Failed(StrCat("step ", i, ": ", o.why));
  return {Outcome::kPassed, ""};
}

}  // namespace

Status RunGradientFile(const std::string& path, std::string_view filter, Counts* counts) {
  TENON_ASSIGN_OR_RETURN(const tenon::MappedFile bytes, tenon::MappedFile::Open(path));
  GradientFile file;
  TENON_RETURN_IF_ERROR(tenon::wire::Parse(bytes.bytes(), &file));
  Counts here;
  for (const GradientCase& c : file.cases) {
    if (c.name.find(filter) == std::string::npos) continue;
    const Outcome outcome = RunCase(c);
    here.Add(outcome.kind);
    counts->Add(outcome.kind);
    if (outcome.kind == Outcome::kFailed)
      std::printf("FAILED %s [%s]: %s\n", c.name.c_str(), path.c_str(), outcome.why.c_str());
  }
  std::printf("%-44s %5d passed %5d failed\n", path.c_str(), here.passed, here.failed);
  return tenon::OkStatus();
}

namespace {

double HyperOf(const Training& t, std::string_view key, double otherwise) {
  for (const Hyper& hyper : t.hyper)
    if (hyper.key == key) return hyper.value;
  return otherwise;
}
Result<tenon::TrainingNames> AddStep(const Training& t, tenon::GraphDef* graph) {
  const double rate = HyperOf(t, "learning_rate", 0.001), momentum = HyperOf(t, "momentum", 0);
  const auto add = [&](const auto& optimizer) { return tenon::AddTraining(graph, t.loss, t.variable, optimizer); };
  if (t.optimizer == "SGD") return add(tenon::Sgd{.learning_rate = rate});
  if (t.optimizer == "Momentum" || t.optimizer == "Nesterov")
    return add(tenon::Momentum{.learning_rate = rate, .momentum = momentum, .nesterov = t.optimizer == "Nesterov"});
  if (t.optimizer == "Adagrad")
    return add(tenon::Adagrad{.learning_rate = rate,
                              .initial_accumulator_value = HyperOf(t, "initial_accumulator_value", 0.1)});
  if (t.optimizer == "RMSProp" || t.optimizer == "CenteredRMSProp")
    return add(tenon::RmsProp{.learning_rate = rate,
                              .decay = HyperOf(t, "decay", 0.9),
                              .momentum = momentum,
                              .epsilon = HyperOf(t, "epsilon", 1e-10),
                              .centered = t.optimizer == "CenteredRMSProp"});
  if (t.optimizer == "Adam")
    return add(tenon::Adam{.learning_rate = rate,
                           .beta1 = HyperOf(t, "beta1", 0.9),
                           .beta2 = HyperOf(t, "beta2", 0.999),
                           .epsilon = HyperOf(t, "epsilon", 1e-8)});
  if (t.optimizer == "Adadelta")
    return add(
        tenon::Adadelta{.learning_rate = rate, .rho = HyperOf(t, "rho", 0.95), .epsilon = HyperOf(t, "epsilon", 1e-8)});
  if (t.optimizer == "Ftrl")
    return add(
        tenon::Ftrl{.learning_rate = rate,
                    .learning_rate_power = HyperOf(t, "learning_rate_power", -0.5),
                    .initial_accumulator_value = HyperOf(t, "initial_accumulator_value", 0.1),
                    .l1_regularization_strength = HyperOf(t, "l1_regularization_strength", HyperOf(t, "l1", 0)),
                    .l2_regularization_strength = HyperOf(t, "l2_regularization_strength", HyperOf(t, "l2", 0))});
  return tenon::errors::Unimplemented("no optimizer '", t.optimizer, "'");
}
Outcome RunTraining(const Training& t) {
  Result<tenon::GraphDef> graph = tenon::ParseGraphDef(Bytes(t.graph));
  if (!graph.ok()) return Failed(graph.status().ToString());
  const Result<tenon::TrainingNames> names = AddStep(t, &*graph);
  if (!names.ok()) return Failed(names.status().ToString());
  for (const std::string& variable : t.variable) {  // read after the last step
    const tenon::NodeDef* handle = nullptr;
    for (const tenon::NodeDef& node : graph->node)
      if (node.name == variable) handle = &node;
    if (handle == nullptr) return Failed(StrCat("there is no variable '", variable, "'"));
    tenon::NodeDef read;
    read.name = "golden_read/" + variable;
    read.op = "ReadVariableOp";
    read.input.push_back(variable);
    read.attr.Set("dtype", *handle->attr.Find("dtype"));
    graph->node.push_back(std::move(read));
  }
  const auto session = tenon::Session::FromGraphDef(*graph, {.intra_op_threads = 1});
  if (!session.ok()) return Failed(StrCat("session: ", session.status().ToString()));
  if (Status s = session->Run({}, {}, t.initializer).status(); !s.ok()) return Failed(s.ToString());
  if (Status s = session->Run({}, {}, {names->initialize}).status(); !s.ok()) return Failed(s.ToString());
  const std::vector<std::string> fetch_loss{t.loss}, update{names->step};
  for (std::size_t i = 0; i < t.step.size(); ++i) {
    const Step& step = t.step[i];
    std::vector<tenon::NamedTensor> feeds;
    for (const NamedBytes& feed : step.feed) {
      auto tensor = tenon::TensorFromProto(Bytes(feed.bytes), nullptr);
      if (!tensor.ok()) return Failed(tensor.status().ToString());
      feeds.push_back({feed.name, *tensor});
    }
    const auto loss = session->Run(feeds, fetch_loss, update);
    if (!loss.ok()) return Failed(StrCat("step ", i, ": ", loss.status().ToString()));
    for (const NamedBytes& fetch : step.fetch) {
      const bool is_variable = std::find(t.variable.begin(), t.variable.end(), fetch.name) != t.variable.end();
      Result<std::vector<Tensor>> got = *loss;
      if (is_variable) got = session->Run({}, {"golden_read/" + fetch.name});
      auto want = tenon::TensorFromProto(Bytes(fetch.bytes), nullptr);
      if (!got.ok() || !want.ok()) return Failed(StrCat("step ", i, ": ", got.status().ToString()));
      if (std::string d = Difference((*got)[0], *want, "close", t.rtol, t.atol); !d.empty())
        return Failed(StrCat("step ", i, ": ", fetch.name, ": ", d));
    }
  }
  return {Outcome::kPassed, ""};
}

}  // namespace

Status RunTrainingFile(const std::string& path, std::string_view filter, Counts* counts) {
  TENON_ASSIGN_OR_RETURN(const tenon::MappedFile bytes, tenon::MappedFile::Open(path));
  TrainingFile file;
  TENON_RETURN_IF_ERROR(tenon::wire::Parse(bytes.bytes(), &file));
  for (const Training& training : file.trainings) {
    if (training.name.find(filter) == std::string::npos) continue;
    const Outcome outcome = RunTraining(training);
    counts->Add(outcome.kind);
    if (outcome.kind == Outcome::kFailed)
      std::printf("FAILED %s [%s]: %s\n", training.name.c_str(), path.c_str(), outcome.why.c_str());
  }
  return tenon::OkStatus();
}

}  // namespace golden

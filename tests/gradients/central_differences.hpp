// SPDX-License-Identifier: Apache-2.0
#pragma once
// Compares derived gradients with central differences. Numbers are float, so that builds with few types run them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/gradients/add_gradients.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

namespace tenon::testing {

// Numbers in [low, high], the same for a seed.
inline Tensor RandomTensor(const TensorShape& shape, double low = -1, double high = 1, std::uint32_t seed = 1) {
  Tensor tensor = Tensor::Zeros<float>(shape);
  std::uint32_t state = seed * 2654435761u + 12345u;
  for (Index i = 0; i < tensor.NumElements(); ++i) {
    state = state * 1664525u + 1013904223u;
    tensor.data<float>()[i] = static_cast<float>(low + (high - low) * static_cast<double>(state >> 8) / 16777216.0);
  }
  return tensor;
}

// "" when the gradients of y with respect to the fed tensors are those that central differences give; else what
// differs. y is a tensor of float. `connected`: one per feed; empty: all have a gradient.
inline std::string GradientError(const GraphDef& forward, const std::string& y, const std::vector<NamedTensor>& feeds,
                                 const std::vector<NamedTensor>& others = {}) {
  GraphDef graph = forward;
  std::vector<NamedTensor> all = feeds;
  all.insert(all.end(), others.begin(), others.end());
  const auto value = [&y](const Session& session, const std::vector<NamedTensor>& fed) {
    const std::vector<std::string> fetches{y.find(':') == std::string::npos ? y + ":0" : y};
    return session.Run(fed, fetches, {});
  };
  const auto plain = Session::FromGraphDef(forward, {.intra_op_threads = 1});
  if (!plain.ok()) return plain.status().ToString();
  const auto at = value(*plain, all);
  if (!at.ok()) return at.status().ToString();
  const Tensor weights = RandomTensor((*at)[0].shape(), 0.5, 1.5, 7);
  NodeDef weight;
  weight.name = "weights";
  weight.op = "Const";
  weight.attr.Set("dtype", AttrValue(DataType::kFloat));
  weight.attr.Set("value", AttrValue(weights));
  graph.node.push_back(weight);
  std::vector<std::string> xs, ys{y};
  for (const NamedTensor& feed : feeds) xs.push_back(feed.name);
  GradientOptions options;
  options.grad_ys.push_back("weights");
  options.dense = true;
  const auto names = AddGradients(&graph, ys, xs, options);
  if (!names.ok()) return names.status().ToString();
  std::vector<std::string> fetches;
  for (const GradientNames& name : *names) {
    if (!name.connected()) return "an x is not connected";
    fetches.push_back(name.tensor.find(':') == std::string::npos ? name.tensor + ":0" : name.tensor);
  }
  const auto derived = Session::FromGraphDef(graph, {.intra_op_threads = 1});
  if (!derived.ok()) return derived.status().ToString();
  const auto gradients = derived->Run(all, fetches, {});
  if (!gradients.ok()) return gradients.status().ToString();
  constexpr float kStep = 1e-2f;
  for (std::size_t k = 0; k < feeds.size(); ++k) {
    const Tensor& gradient = (*gradients)[k];
    if (!(gradient.shape() == feeds[k].tensor.shape()))
      return StrCat(feeds[k].name, ": gradient of shape ", gradient.shape());
    for (Index i = 0; i < gradient.NumElements(); ++i) {
      double sides[2] = {0, 0};
      for (int side = 0; side < 2; ++side) {
        std::vector<NamedTensor> fed = all;
        Tensor moved = RandomTensor(feeds[k].tensor.shape());
        std::copy_n(feeds[k].tensor.data<float>(), moved.NumElements(), moved.data<float>());
        moved.data<float>()[i] += side == 0 ? -kStep : kStep;
        fed[k].tensor = moved;
        const auto result = value(*plain, fed);
        if (!result.ok()) return result.status().ToString();
        for (Index j = 0; j < weights.NumElements(); ++j)
          sides[side] +=
              static_cast<double>(weights.data<float>()[j]) * static_cast<double>((*result)[0].data<float>()[j]);
      }
      const double want = (sides[1] - sides[0]) / (2.0 * static_cast<double>(kStep));
      const double got = static_cast<double>(gradient.data<float>()[i]);
      if (!(std::abs(got - want) <= 2e-2 * (1 + std::abs(want))))
        return StrCat(feeds[k].name, "[", i, "]: gradient ", got, ", central difference ", want);
    }
  }
  return "";
}
inline std::string GradientError(const GraphBuilder& b, Output y, const std::vector<NamedTensor>& feeds,
                                 const std::vector<NamedTensor>& others = {}) {
  return b.status().ok() ? GradientError(b.graph_def(), b.Name(y), feeds, others) : b.status().ToString();
}
// One op of placeholders "x0", "x1", ... with these values, which are all derived, and of constants after them.
inline std::string OpGradientError(std::string_view op, const std::vector<Tensor>& values,
                                   std::initializer_list<GraphBuilder::Attr> attrs = {},
                                   const std::vector<Tensor>& constants = {}, int output = 0) {
  GraphBuilder b;
  std::vector<GraphBuilder::Input> inputs;
  std::vector<NamedTensor> feeds;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string name = StrCat("x", i);
    inputs.push_back(b.Placeholder(name, DataType::kFloat, PartialTensorShape(values[i].shape())));
    feeds.push_back({name, values[i]});
  }
  for (std::size_t i = 0; i < constants.size(); ++i) inputs.push_back(b.Const(StrCat("c", i), constants[i]));
  const std::vector<GraphBuilder::Attr> all(attrs);
  const Output y = b.Add(op, "y", inputs, all);
  return GradientError(b, y[output], feeds);
}

}  // namespace tenon::testing

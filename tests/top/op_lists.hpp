// SPDX-License-Identifier: Apache-2.0
#pragma once
// Does a list of ops, and nothing else, run a model?

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/io/graph_file.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/op/attr/attr_types.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/runtime/api/session.hpp>

#include <doctest/doctest.h>

namespace op_lists {

// Runs the frozen classifier at `path`, from the placeholder `input` ([n, ...], fed with `shape`) to "probabilities",
// with the ops of this list for these types as all there is; and with all ops that the program has. Returns the
// probabilities.
template <class List, class Types>
tenon::Tensor CheckRuns(const std::string& path, const std::string& input, const tenon::TensorShape& shape) {
  const tenon::Result<tenon::GraphDef> graph = tenon::ReadGraphFile(path);
  REQUIRE_MESSAGE(graph.ok(), graph.status().ToString());
  tenon::Registry registry;
  const tenon::Status registered = tenon::Register(registry, tenon::Ops<Types, List>{}, tenon::Devices<tenon::Cpu>{});
  REQUIRE_MESSAGE(registered.ok(), registered.ToString());
  tenon::Tensor image(tenon::DataType::kFloat, shape);
  for (tenon::Index i = 0; i < image.NumElements(); ++i) image.data<float>()[i] = static_cast<float>(i % 17) / 16;
  std::vector<tenon::Tensor> results;
  for (const tenon::Registry* ops : {static_cast<const tenon::Registry*>(&registry),
                                     static_cast<const tenon::Registry*>(&tenon::Registry::Global())}) {
    const tenon::Result<tenon::Session> session = tenon::Session::FromGraphDef(*graph, {.registry = ops});
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    const tenon::Result<std::vector<tenon::Tensor>> outputs = session->Run({{input, image}}, {"probabilities"});
    REQUIRE_MESSAGE(outputs.ok(), outputs.status().ToString());
    results.push_back((*outputs)[0]);
  }
  CHECK(tenon::SameTensor(results[0], results[1]));
  REQUIRE(results[0].shape() == tenon::TensorShape({shape.dim_size(0), 10}));
  for (tenon::Index row = 0; row < shape.dim_size(0); ++row) {
    double sum = 0;
    for (tenon::Index i = 0; i < 10; ++i) sum += static_cast<double>(results[0].data<float>()[10 * row + i]);
    CHECK(std::abs(sum - 1) < 1e-6);
  }
  return results[0];
}

}  // namespace op_lists

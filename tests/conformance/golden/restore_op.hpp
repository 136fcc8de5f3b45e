// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tensor of a checkpoint as a graph gets it: through the op RestoreV2.

#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

namespace golden {

inline tenon::Tensor TextRow(std::string_view text) {
  tenon::Tensor row(tenon::DataType::kString, {1});
  row.data<tenon::tstring>()[0].assign(text);
  return row;
}

// Runs a graph with a node RestoreV2 for one tensor. `spec` is a shape_and_slice; "" asks for all of it.
inline tenon::Result<tenon::Tensor> RestoreTensor(std::string_view prefix, std::string_view name, std::string_view spec,
                                                  tenon::DataType dtype) {
  tenon::GraphBuilder graph;
  const tenon::Output path = graph.Const("prefix", tenon::Tensor::Scalar(prefix));
  const tenon::Output names = graph.Const("names", TextRow(name)), specs = graph.Const("specs", TextRow(spec));
  graph.Add("RestoreV2", "RestoreV2", {path, names, specs}, {{"dtypes", tenon::SlimVector<tenon::DataType>{dtype}}});
  TENON_ASSIGN_OR_RETURN(const tenon::Session session, tenon::Session::FromGraph(graph, {.intra_op_threads = 1}));
  TENON_ASSIGN_OR_RETURN(std::vector<tenon::Tensor> values, session.Run({}, {"RestoreV2:0"}));
  return std::move(values[0]);
}

}  // namespace golden

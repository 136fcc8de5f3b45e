// SPDX-License-Identifier: Apache-2.0
#pragma once
// What shape inference says of a golden case's graph, against what TensorFlow's says.

#include <span>
#include <string_view>

#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>

#include "case_file.hpp"
#include "outcome.hpp"

namespace golden {

// The graph with every placeholder of unknown rank.
tenon::GraphDef WithoutShapes(tenon::GraphDef graph);

// Passed when every shape in `want` ("node:1" and a TensorShapeProto) is the shape that importing the graph finds.
// `which` stands in front of what differs.
Outcome CompareShapes(const tenon::GraphDef& graph, const tenon::OpRegistry& ops, std::span<const NamedBytes> want,
                      std::string_view which);

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
#pragma once
// FunctionDef and FunctionDefLibrary: functions of a graph as plain data. In a body an input is "arg", "arg:1",
// "node:out", "node:out:1" or "^node", where `out` is the name of an output argument of the node's op.

#include <cstdint>
#include <string>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/graph_def/op_def.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

struct FunctionDef {
  using StringMap = SlimVector<std::pair<std::string, std::string>>;

  OpDef signature;
  AttrMap attr;
  SlimVector<std::pair<std::uint32_t, AttrMap>> arg_attr;                      // argument number -> attrs; sorted
  SlimVector<std::pair<std::uint32_t, std::uint32_t>> resource_arg_unique_id;  // sorted by argument number
  SlimVector<NodeDef> node_def;
  StringMap ret;          // output argument -> "node:out:0"; sorted by output argument
  StringMap control_ret;  // name in signature.control_output -> node; sorted by that name

  friend bool operator==(const FunctionDef&, const FunctionDef&) = default;
};

// `gradient_func` computes the gradient of the function `function_name`.
struct GradientDef {
  std::string function_name;
  std::string gradient_func;

  friend bool operator==(const GradientDef&, const GradientDef&) = default;
};

struct RegisteredGradient {
  std::string gradient_func;
  std::string registered_op_type;

  friend bool operator==(const RegisteredGradient&, const RegisteredGradient&) = default;
};

struct FunctionDefLibrary {
  SlimVector<FunctionDef> function;
  SlimVector<GradientDef> gradient;
  SlimVector<RegisteredGradient> registered_gradients;

  bool empty() const { return function.empty() && gradient.empty() && registered_gradients.empty(); }
  friend bool operator==(const FunctionDefLibrary&, const FunctionDefLibrary&) = default;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

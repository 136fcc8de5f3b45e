// SPDX-License-Identifier: Apache-2.0
#pragma once
// The settings of a PartitionedCall: config, config_proto and executor_type. They are TensorFlow's alone and change
// nothing here, but what it would refuse is refused.

#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/node_def.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// InvalidArgument for a config that is no message, NotFound for an executor that TensorFlow does not know.
inline Status CheckCallSettings(const NodeDef& call) {
  const auto is_wire_format = [](std::string_view bytes) {
    wire::Reader reader(wire::AsBytes(bytes));
    wire::Tag tag;
    while (reader.ReadTag(&tag))
      if (!reader.Skip(tag)) return false;
    return reader.status("settings").ok();
  };
  constexpr std::string_view kMessages[][2] = {{"config_proto", "ConfigProto"}, {"config", "RewriteOptions"}};
  for (const auto& [name, message] : kMessages) {
    const AttrValue* const bytes = call.attr.Find(name);
    if (bytes != nullptr && !is_wire_format(bytes->s()))
      return errors::InvalidArgument("Unable to parse ", name, " string as tensorflow::", message, " proto.");
  }
  const AttrValue* const executor = call.attr.Find("executor_type");
  if (executor == nullptr || executor->s().empty() || executor->s() == "DEFAULT" ||
      executor->s() == "SINGLE_THREADED_EXECUTOR")
    return OkStatus();
  return errors::NotFound("No executor factory registered for the given executor type: ", executor->s(),
                          " Registered factories are {DEFAULT, , SINGLE_THREADED_EXECUTOR}.");
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

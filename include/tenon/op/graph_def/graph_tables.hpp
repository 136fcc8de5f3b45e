// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tables that texts of graphs need: fields of the messages that the binary form reads with functions.

#include <tenon/wire/schema.hpp>
#include <tenon/wire/text_schema.hpp>
#include <tenon/op/graph_def/proto_io.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {
inline constexpr const wire::Message* kGraphTables[] = {&wire::detail::kTensor, &wire::detail::kShape,
                                                        &wire::Schema<VariantTensorData>::message,
                                                        &wire::kFunctionDefLibrary};
inline constexpr wire::TextTables kGraphTextTables = kGraphTables;
// Tables for a text of type T.
template <class T>
inline constexpr wire::TextTables text_tables = kGraphTextTables;
}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

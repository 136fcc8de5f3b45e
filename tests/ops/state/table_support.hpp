// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a table's contents are, as text; or the error.

#include <string>

#include <tenon/ops/table/table_resource.hpp>

namespace tenon::testing {

inline std::string Found(ops::detail::LookupTable& table, const Tensor& keys, const Tensor& fallback) {
  TensorShape shape = keys.shape();
  for (const Index size : table.value_shape()) shape.AddDim(size);
  Tensor out(table.value_dtype(), shape);
  const Status status = table.Find(keys, fallback, &out);
  return status.ok() ? out.SummarizeValue(100) : status.ToString();
}
inline std::string Exported(ops::detail::LookupTable& table) {
  Tensor keys, values;
  const Status status = table.Export(&keys, &values);
  return status.ok() ? StrCat(keys.SummarizeValue(100), " | ", values.SummarizeValue(100)) : status.ToString();
}

}  // namespace tenon::testing

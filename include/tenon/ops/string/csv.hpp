// SPDX-License-Identifier: Apache-2.0
#pragma once
// DecodeCSV: lines of comma-separated values to one tensor per column.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/string/number.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status DecodeCsvShape(InferenceContext* c) {
  for (int i = 1; i < c->num_inputs(); ++i) {
    ShapeHandle v;
    TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(i), 1, &v));
    if (c->Rank(v) == 1 && c->Value(c->Dim(v, 0)) > 1)
      return errors::InvalidArgument("Shape of a default must be a length-0 or length-1 vector, or a scalar.");
  }
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->input(0));
  return OkStatus();
}

// Cuts one record into fields.
struct CsvReader {
  char delimiter = ',';
  bool quotes = true;
  std::span<const std::int64_t> columns;  // the fields to keep, ascending; empty: all

  bool Keeps(std::size_t kept, std::int64_t field) const { return columns.empty() || columns[kept] == field; }

  // Reads the fields of a record. Returns null when it worked, otherwise the mistake.
  const char* Read(std::string_view record, SlimVector<std::string>* fields) const {
    fields->clear();
    std::int64_t number = 0;  // number of the field
    std::string field;
    for (std::size_t at = 0; at < record.size();) {
      if (record[at] == '\n' || record[at] == '\r') {
        ++at;
        continue;
      }
      field.clear();
      const char* mistake =
          quotes && record[at] == '"' ? ReadQuoted(record, &at, &field) : ReadPlain(record, &at, &field);
      if (mistake != nullptr) return mistake;
      if (Keeps(fields->size(), number++)) {
        fields->push_back(field);
        if (!columns.empty() && fields->size() == columns.size()) return nullptr;
      }
    }
    if (!record.empty() && record.back() == delimiter && Keeps(fields->size(), number))
      fields->push_back(std::string());
    return nullptr;
  }

 private:
  const char* ReadPlain(std::string_view record, std::size_t* at, std::string* field) const {
    for (; *at < record.size() && record[*at] != delimiter; ++*at) {
      const char c = record[*at];
      if ((quotes && c == '"') || c == '\n' || c == '\r') return "Unquoted fields cannot have quotes/CRLFs inside";
      field->push_back(c);
    }
    ++*at;
    return nullptr;
  }
  // From the quote on. It ends with a quote before a delimiter or the end; a quote inside is written twice.
  const char* ReadQuoted(std::string_view record, std::size_t* at, std::string* field) const {
    const std::size_t size = record.size();
    ++*at;
    while (*at + 1 < size && (record[*at] != '"' || record[*at + 1] != delimiter)) {
      if (record[*at] != '"') {
        field->push_back(record[(*at)++]);
        continue;
      }
      if (record[*at + 1] != '"') return "Quote inside a string has to be escaped by another quote";
      field->push_back('"');
      *at += 2;
    }
    if (*at >= size || record[*at] != '"' || (*at + 1 != size && record[*at + 1] != delimiter))
      return "Quoted field has to end with quote followed by delim or end";
    *at += 2;
    return nullptr;
  }
};

}  // namespace detail

struct DecodeCSV {
  static constexpr auto signature = Op("DecodeCSV")
                                        .Input("records: string")
                                        .Input("record_defaults: OUT_TYPE")
                                        .Output("output: OUT_TYPE")
                                        .Attr("OUT_TYPE: list({float,double,int32,int64,string})")
                                        .Attr("field_delim: string = ','")
                                        .Attr("use_quote_delim: bool = true")
                                        .Attr("na_value: string = ''")
                                        .Attr("select_cols: list(int) = []")
                                        .SetShapeFn(detail::DecodeCsvShape);

  struct Attrs {
    std::string_view field_delim;
    bool use_quote_delim;
    std::string_view na_value;
    std::span<const std::int64_t> select_cols;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return Check(*this, static_cast<std::size_t>(c.num_outputs())); }
    Status operator()(Context<Device>& context, const Tensor&, std::span<const Tensor>, std::span<Tensor>) const {
      return Run(context.op(), *this);
    }
  };

 private:
  static Status Check(const Attrs& attrs, std::size_t outputs) {
    const std::span<const std::int64_t> columns = attrs.select_cols;
    if (!columns.empty() && columns.size() != outputs)
      return errors::InvalidArgument("DecodeCSV: select_cols should match output size, got ", columns.size(), " and ",
                                     outputs);
    for (std::size_t i = 1; i < columns.size(); ++i)
      if (columns[i] <= columns[i - 1])
        return errors::InvalidArgument("DecodeCSV: select_cols should be strictly increasing, got ", columns[i - 1],
                                       " before ", columns[i]);
    if (!columns.empty() && columns[0] < 0)
      return errors::InvalidArgument("DecodeCSV: select_cols should be non-negative, got ", columns[0]);
    if (attrs.field_delim.size() != 1)
      return errors::InvalidArgument("DecodeCSV: field_delim should be only 1 char, got '", attrs.field_delim, "'");
    return OkStatus();
  }
  static Status Run(OpKernelContext& context, const Attrs& attrs) {
    const Tensor& records = context.input(0);
    const int columns = context.num_outputs();
    for (int f = 0; f < columns; ++f) {
      const Tensor& given = context.input(f + 1);
      if (given.dims() > 1)
        return errors::InvalidArgument("Each record default should be at most rank 1, field ", f, " has shape ",
                                       given.shape());
      if (given.NumElements() > 1)
        return errors::InvalidArgument("There should only be 1 default per field but field ", f, " has ",
                                       given.NumElements());
      Tensor* out = nullptr;
      TENON_RETURN_IF_ERROR(context.allocate_output(f, records.shape(), &out));
    }
    const detail::CsvReader reader{attrs.field_delim[0], attrs.use_quote_delim, attrs.select_cols};
    SlimVector<std::string> fields;
    for (Index i = 0; i < records.NumElements(); ++i) {
      if (const char* mistake = reader.Read(records.data<tstring>()[i].view(), &fields))
        return errors::InvalidArgument(mistake, ", in record ", i);
      if (fields.size() != static_cast<std::size_t>(columns))
        return errors::InvalidArgument("Expect ", columns, " fields but have ", fields.size(), " in record ", i);
      for (int f = 0; f < columns; ++f)
        TENON_RETURN_IF_ERROR(Store(context, attrs, fields[static_cast<std::size_t>(f)], f, i));
    }
    return OkStatus();
  }
  // Element i of output f := the value of the field, or the default when the field is empty.
  static Status Store(OpKernelContext& context, const Attrs& attrs, const std::string& field, int f, Index i) {
    Tensor* const out = context.mutable_output(f);
    if (field.empty() || field == attrs.na_value) {
      const Tensor& given = context.input(f + 1);
      if (given.NumElements() != 1)
        return errors::InvalidArgument("Field ", f, " is required but missing in record ", i, "!");
      const ElementMover mover = MoverOf(out->dtype());
      CopyRun(mover, given.raw_data(), mover.At(out->raw_data(), i), 1);
      return OkStatus();
    }
    if (out->dtype() == DataType::kString) {
      out->data<tstring>()[i].assign(field);
      return OkStatus();
    }
    if (StringToNumber::Read(field, out, i)) return OkStatus();
    return errors::InvalidArgument("Field ", f, " in record ", i, " is not a valid ", out->dtype(), ": ", field);
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

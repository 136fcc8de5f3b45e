// SPDX-License-Identifier: Apache-2.0
#pragma once
// CSVDataset, CSVDatasetV2: the records of files of comma-separated values.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/files.hpp>
#include <tenon/ops/string/number.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Plain data: how the records of files are cut.
struct CsvFormat {
  FileList files;
  char delimiter = ',';
  bool header = false, quotes = true;
  std::string na_value;
  SlimVector<std::int64_t> selected, excluded;  // numbers of fields, ascending; both empty: all fields
  DatasetElement defaults;
};

// Reads the records of one file.
class CsvFile {
 public:
  CsvFile(const CsvFormat& format, std::size_t i) : format_(format), bytes_(format.files.names[i]) {}
  Status Open() { return bytes_.Open(format_.files.compression); }
  // The fields that are kept, one more than wanted at most. *end: no record is left. InvalidArgument: a mistake in the
  // record; the next call reads the record behind it.
  Status Read(SlimVector<std::string>* fields, bool* end) {
    fields->clear();
    mistake_ = {};
    const std::size_t wanted = format_.defaults.size();
    std::string unused;
    char first;
    *end = !Get(&first);
    if (*end) return bytes_.status();
    Unget(first);
    bool more = true;
    std::size_t kept = 0;
    for (std::int64_t number = 0; more; ++number) {
      const bool keeps = Keeps(number, &kept);
      if (keeps && fields->size() <= wanted) fields->emplace_back();
      unused.clear();
      more = ReadField(keeps && kept <= wanted ? &fields->back() : &unused);
    }
    TENON_RETURN_IF_ERROR(bytes_.status());
    if (!mistake_.empty()) return errors::InvalidArgument(mistake_);
    return OkStatus();
  }
  bool SkipTo(std::int64_t place) { return bytes_.SkipTo(place); }
  std::int64_t place() const { return bytes_.place() - (has_next_ ? 1 : 0); }

 private:
  // Counts the fields that are kept.
  bool Keeps(std::int64_t number, std::size_t* kept) const {
    bool keeps = true;
    if (!format_.selected.empty()) keeps = *kept < format_.selected.size() && format_.selected[*kept] == number;
    for (const std::int64_t one : format_.excluded) keeps = keeps && one != number;
    *kept += keeps ? 1 : 0;
    return keeps;
  }
  bool Get(char* byte) {
    if (!has_next_) return bytes_.Get(byte);
    has_next_ = false;
    *byte = next_;
    return true;
  }
  void Unget(char byte) {
    has_next_ = true;
    next_ = byte;
  }
  void Mistake(std::string_view text) {
    if (mistake_.empty()) mistake_ = text;
  }
  // True where the character ends a record: a line feed, a carriage return or both.
  bool EndsRecord(char byte) {
    if (byte == '\n') return true;
    if (byte != '\r') return false;
    if (char next; Get(&next) && next != '\n') Unget(next);
    return true;
  }
  // Reads a field and the character behind it. False: the record ends.
  bool ReadField(std::string* field) {
    char byte;
    if (!Get(&byte)) return false;
    if (format_.quotes && byte == '"') return ReadQuoted(field);
    do {
      if (byte == format_.delimiter) return true;
      if (EndsRecord(byte)) return false;
      if (format_.quotes && byte == '"') Mistake("Unquoted fields cannot have quotes inside");
      field->push_back(byte);
    } while (Get(&byte));
    return false;
  }
  bool ReadQuoted(std::string* field) {
    for (char byte; Get(&byte);) {
      if (byte != '"') {
        field->push_back(byte);
        continue;
      }
      if (!Get(&byte)) return false;
      if (byte == format_.delimiter) return true;
      if (EndsRecord(byte)) return false;
      if (byte != '"') Mistake("Quote inside a string has to be escaped by another quote");
      field->push_back(byte);
    }
    Mistake("Reached end of file without closing quoted field in record");
    return false;
  }

  const CsvFormat& format_;
  FileBytes bytes_;
  std::string mistake_;  // the first one of the record
  char next_ = 0;
  bool has_next_ = false;  // next_ was given back
};

class CsvData final : public DatasetBase {
 public:
  CsvData(ElementSpec spec, CsvFormat f) : DatasetBase(std::move(spec)), csv(std::move(f)) {}
  std::string_view TypeString() const override { return "CSV"; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const CsvFormat csv;

 private:
  class Iterator final : public IteratorBase {
   public:
    explicit Iterator(const CsvData* dataset) : dataset_(Ref<const CsvData>::Share(dataset)) {}
    Status Initialize(IteratorContext&) { return OkStatus(); }
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      const CsvFormat& format = dataset_->csv;
      SlimVector<std::string> fields;
      for (;; ++file_) {
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        if (reader_ == nullptr) {
          *end = file_ == format.files.names.size();
          if (*end) return OkStatus();
          TENON_RETURN_IF_ERROR(OpenFile());
          bool empty = false;
          if (format.header && (!reader_->Read(&fields, &empty).ok() || empty))
            return errors::InvalidArgument("Can't read header of file");
        }
        bool file_end = false;
        TENON_RETURN_IF_ERROR(reader_->Read(&fields, &file_end));
        if (!file_end) break;
        reader_.reset();
      }
      const Status status = Convert(context, fields, element);
      if (!status.ok()) element->clear();
      return status;
    }
    Status Save(IteratorStateWriter* writer) const override {
      writer->Add(static_cast<std::int64_t>(file_));
      writer->Add(reader_ == nullptr ? -1 : reader_->place());
      return OkStatus();
    }
    Status Restore(IteratorContext&, IteratorStateReader* reader) override {
      std::int64_t file = 0, place = 0;
      TENON_RETURN_IF_ERROR(reader->TakeCount(static_cast<std::int64_t>(dataset_->csv.files.names.size()), &file));
      TENON_RETURN_IF_ERROR(reader->Take(&place));
      file_ = static_cast<std::size_t>(file);
      if (place < 0) return OkStatus();
      if (file_ == dataset_->csv.files.names.size()) return IteratorStateReader::Unfit();
      TENON_RETURN_IF_ERROR(OpenFile());
      return reader_->SkipTo(place) ? OkStatus() : IteratorStateReader::Unfit();
    }

   private:
    Status OpenFile() {
      auto opened = MakeOwned<CsvFile>(dataset_->csv, file_);
      TENON_RETURN_IF_ERROR(opened->Open());
      reader_ = std::move(opened);
      return OkStatus();
    }
    Status Convert(IteratorContext& context, const SlimVector<std::string>& fields, DatasetElement* element) const {
      const CsvFormat& format = dataset_->csv;
      const SlimVector<DataType>& types = dataset_->spec().types;
      if (fields.size() > types.size())
        return errors::InvalidArgument("Expect ", types.size(), " fields but have more in record");
      for (std::size_t i = 0; i < fields.size(); ++i) {
        const std::string& field = fields[i];
        Tensor& tensor = element->emplace_back();
        TENON_RETURN_IF_ERROR(context.Allocate(types[i], TensorShape(), &tensor));
        if (field.empty() || field == format.na_value) {
          if (format.defaults[i].NumElements() != 1)
            return errors::InvalidArgument("Field ", i, " is required but missing in record!");
          if (!tensor.CopyFrom(format.defaults[i], TensorShape()))
            return errors::Internal("A default cannot be copied");
        } else if (types[i] == DataType::kString) {
          tensor.data<tstring>()[0].assign(field);
        } else if (!StringToNumber::Read(field, &tensor, 0)) {
          return errors::InvalidArgument("Field ", i, " in record is not a valid ", types[i], ": ", field);
        }
      }
      if (fields.size() < types.size())
        return errors::InvalidArgument("Expect ", types.size(), " fields but have ", fields.size(), " in record");
      return OkStatus();
    }
    const Ref<const CsvData> dataset_;
    std::size_t file_ = 0;
    Owned<CsvFile> reader_;  // reads file_; null: not open
  };
};

inline Status ReadColumns(const DatasetMaker& m, std::string_view name, SlimVector<std::int64_t>* columns) {
  const Tensor* tensor = nullptr;
  TENON_RETURN_IF_ERROR(m.Input(name, &tensor));
  if (tensor->dims() != 1) return errors::InvalidArgument("`", name, "` must be a vector.");
  for (Index i = 0; i < tensor->NumElements(); ++i) {
    const std::int64_t column = tensor->data<std::int64_t>()[i];
    if (column < 0) return errors::InvalidArgument(name, " should be non-negative indices");
    if (i > 0 && column <= columns->back())
      return errors::InvalidArgument(name, " should be strictly increasing indices");
    columns->push_back(column);
  }
  return OkStatus();
}
inline Status MakeCsv(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  ElementSpec spec;
  CsvFormat format;
  std::string delimiter;
  std::int64_t buffer = 0;
  TENON_RETURN_IF_ERROR(m.Spec(&spec));
  TENON_RETURN_IF_ERROR(ReadFileList(m, &format.files));
  TENON_RETURN_IF_ERROR(ReadCompression(m, &format.files));
  TENON_RETURN_IF_ERROR(m.List("record_defaults", &format.defaults));
  for (std::size_t i = 0; i < format.defaults.size(); ++i) {
    const Tensor& value = format.defaults[i];
    if (value.dims() > 1) return errors::InvalidArgument("Each record default should be at most rank 1");
    if (value.NumElements() > 1)
      return errors::InvalidArgument("There should only be 1 default per field but field ", i, " has ",
                                     value.NumElements());
  }
  TENON_RETURN_IF_ERROR(ReadColumns(m, "select_cols", &format.selected));
  if (!format.selected.empty() && format.selected.size() != spec.types.size())
    return errors::InvalidArgument("select_cols should match output size");
  if (m.IsOp("CSVDatasetV2")) TENON_RETURN_IF_ERROR(ReadColumns(m, "exclude_cols", &format.excluded));
  if (!format.selected.empty() && !format.excluded.empty())
    return errors::InvalidArgument("Either select_cols or exclude_cols should be empty");
  TENON_RETURN_IF_ERROR(m.Scalar("buffer_size", &buffer));
  if (buffer <= 0) return errors::InvalidArgument("buffer_size should be positive");
  TENON_RETURN_IF_ERROR(m.Text("field_delim", &delimiter));
  if (delimiter.size() != 1) return errors::InvalidArgument("field_delim should be only 1 char");
  format.delimiter = delimiter[0];
  TENON_RETURN_IF_ERROR(m.Scalar("header", &format.header));
  TENON_RETURN_IF_ERROR(m.Scalar("use_quote_delim", &format.quotes));
  TENON_RETURN_IF_ERROR(m.Text("na_value", &format.na_value));
  *out = Own(new CsvData(std::move(spec), std::move(format)));
  return OkStatus();
}

// kColumns: how many inputs with columns there are; record_defaults stand behind the first.
template <int kColumns>
constexpr Status CsvShape(InferenceContext* c) {
  ShapeHandle v;
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 1, &v));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(7), 1, &v));
  if (kColumns == 2) TENON_RETURN_IF_ERROR(c->WithRank(c->input(c->num_inputs() - 1), 1, &v));
  for (int i = 8; i < c->num_inputs() - (kColumns - 1); ++i) {
    TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(i), 1, &v));
    if (c->Rank(v) == 1 && c->Value(c->Dim(v, 0)) > 1)
      return errors::InvalidArgument("Shape of a default must be a length-0 or length-1 vector, or a scalar.");
  }
  return ScalarsShape<1, 6>(c);
}

}  // namespace detail

// The records of CSV files, one tensor a field.
struct CSVDataset : detail::DatasetOp<&detail::MakeCsv> {
  static constexpr auto signature = Op("CSVDataset")
                                        .Input("filenames: string")
                                        .Input("compression_type: string")
                                        .Input("buffer_size: int64")
                                        .Input("header: bool")
                                        .Input("field_delim: string")
                                        .Input("use_quote_delim: bool")
                                        .Input("na_value: string")
                                        .Input("select_cols: int64")
                                        .Input("record_defaults: output_types")
                                        .Output("handle: variant")
                                        .Attr("output_types: list({float,double,int32,int64,string}) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::CsvShape<1>);
};

// As CSVDataset, with fields to leave out.
struct CSVDatasetV2 : detail::DatasetOp<&detail::MakeCsv> {
  static constexpr auto signature = Op("CSVDatasetV2")
                                        .Input("filenames: string")
                                        .Input("compression_type: string")
                                        .Input("buffer_size: int64")
                                        .Input("header: bool")
                                        .Input("field_delim: string")
                                        .Input("use_quote_delim: bool")
                                        .Input("na_value: string")
                                        .Input("select_cols: int64")
                                        .Input("record_defaults: output_types")
                                        .Input("exclude_cols: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list({float,double,int32,int64,string}) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::CsvShape<2>);
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

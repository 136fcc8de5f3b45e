// SPDX-License-Identifier: Apache-2.0
#include "record_cases.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/io/example_io.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/record_reader.hpp>
#include <tenon/io/record_writer.hpp>
#include <tenon/wire/tensor_proto.hpp>

#include "case_file.hpp"
#include "compare.hpp"
#include "temp_folder.hpp"

namespace golden {

namespace {

using tenon::Result;
using tenon::Status;
using tenon::StrCat;
using tenon::Tensor;

std::string CompressionOf(std::string_view path) {
  return path.ends_with(".gz") ? "GZIP" : path.ends_with(".zlib") ? "ZLIB" : "";
}

// Reads all records; the status is that of the reader at their end.
Status ReadAll(const std::string& path, const std::string& compression, std::size_t buffer,
               std::vector<std::string>* records) {
  TENON_ASSIGN_OR_RETURN(tenon::RecordReader reader,
                         tenon::RecordReader::Open(path, {.compression = compression, .buffer_bytes = buffer}));
  for (std::string_view record; reader.Next(&record);) records->emplace_back(record);
  return reader.status();
}

Result<std::vector<std::string>> StringsOf(const std::string& proto) {
  TENON_ASSIGN_OR_RETURN(const Tensor tensor, tenon::TensorFromProto(Bytes(proto), nullptr));
  if (tensor.dtype() != tenon::DataType::kString) return tenon::errors::InvalidArgument("the records are not strings");
  std::vector<std::string> strings;
  for (tenon::Index i = 0; i < tensor.NumElements(); ++i) strings.emplace_back(tensor.data<tenon::tstring>()[i].view());
  return strings;
}

// ---------------------------------------------------------------------------------------------------------- sound
// files

// The file has `want`, or any records where that is null; written again they are the same.
Outcome RunSoundFile(const std::string& path, const std::vector<std::string>* want) {
  const std::string compression = CompressionOf(path);
  std::vector<std::string> records;
  for (const std::string& named : {compression, std::string("AUTO")}) {
    for (const std::size_t buffer : {64u, 1u << 18}) {
      records.clear();
      if (const Status s = ReadAll(path, named, buffer, &records); !s.ok()) return Failed(s.ToString());
      if (want != nullptr && records != *want)
        return Failed(StrCat(records.size(), " records, which are not TensorFlow's ", want->size()));
    }
  }
  const TempFolder folder;
  const std::string copy = folder / "copy";
  {
    Result<tenon::RecordWriter> writer = tenon::RecordWriter::Open(copy, {.compression = compression});
    if (!writer.ok()) return Failed(writer.status().ToString());
    for (const std::string& record : records)
      if (const Status s = writer->Write(record); !s.ok()) return Failed(s.ToString());
    if (const Status s = writer->Close(); !s.ok()) return Failed(s.ToString());
  }
  std::vector<std::string> again;
  if (const Status s = ReadAll(copy, compression, 4096, &again); !s.ok()) return Failed(s.ToString());
  if (again != records) return Failed("the records are others after they were written");
  if (!compression.empty()) return {Outcome::kPassed, ""};
  const auto first = tenon::MappedFile::Open(path), second = tenon::MappedFile::Open(copy);
  if (!first.ok() || !second.ok() || tenon::wire::AsText(first->bytes()) != tenon::wire::AsText(second->bytes()))
    return Failed("the file has other bytes after it was written");
  return {Outcome::kPassed, ""};
}

constexpr std::size_t kExamples = 6;  // the first records; the others are no Examples

// Examples are the same after they were written, in as many bytes.
Outcome RunExamples(const std::vector<std::string>& records) {
  for (std::size_t i = 0; i < records.size() && i < kExamples; ++i) {
    const Result<tenon::Example> example = tenon::ParseExample(records[i]);
    if (!example.ok()) return Failed(StrCat("record ", i, ": ", example.status().ToString()));
    const std::string bytes = tenon::SerializeExample(*example);
    const Result<tenon::Example> again = tenon::ParseExample(bytes);
    if (!again.ok() || bytes.size() != records[i].size() || tenon::SerializeExample(*again) != bytes)
      return Failed(StrCat("record ", i, " is another Example after it was written"));
  }
  return {Outcome::kPassed, ""};
}

// "parsed/KEY": a row for each of the first Examples; "parsed/KEY/values": all values of them.
Outcome RunParsed(const std::vector<std::string>& records, std::string_view name, const Tensor& want) {
  std::string_view key = name.substr(std::string_view("parsed/").size());
  const bool is_flat = key.ends_with("/values");
  if (is_flat) key.remove_suffix(std::string_view("/values").size());
  const std::size_t rows = is_flat ? kExamples : static_cast<std::size_t>(want.dim_size(0));
  tenon::Feature all;
  for (std::size_t i = 0; i < rows && i < records.size(); ++i) {
    const Result<tenon::Example> example = tenon::ParseExample(records[i]);
    if (!example.ok()) return Failed(example.status().ToString());
    const tenon::Feature* const feature = example->Find(key);
    if (feature == nullptr || feature->dtype() == tenon::DataType::kInvalid) continue;
    if (feature->dtype() != want.dtype()) return Failed(StrCat("record ", i, " has ", feature->dtype()));
    const auto append = [](const auto& from, auto* to) {
      if (!from) return;
      if (!*to) to->emplace();
      for (const auto& value : from->value) (*to)->value.push_back(value);
    };
    append(feature->bytes_list, &all.bytes_list);
    append(feature->float_list, &all.float_list);
    append(feature->int64_list, &all.int64_list);
  }
  const Result<Tensor> got = tenon::FeatureToTensor(all, want.shape());
  if (!got.ok()) return Failed(got.status().ToString());
  std::string difference = Difference(*got, want, "exact", 0, 0);
  return difference.empty() ? Outcome{Outcome::kPassed, ""} : Failed(static_cast<std::string&&>(difference));
}

// -------------------------------------------------------------------------------------------------------- spoilt files

Outcome RunSpoiltFile(const std::string& path, const Case& c) {
  std::vector<std::string> want;
  int code = 0;
  std::string_view text;
  for (const Step& step : c.step) {
    code = step.code;
    text = step.message;
    for (const NamedBytes& fetch : step.fetch) {
      if (step.code != 0) continue;
      const Result<std::vector<std::string>> record = StringsOf(fetch.bytes);
      if (!record.ok() || record->size() != 1) return {Outcome::kUnsupported, "a step without a record"};
      want.push_back(record->front());
    }
  }
  std::vector<std::string> records;
  const Status status = ReadAll(path, CompressionOf(path), std::size_t{1} << 18, &records);
  if (code == -1) return status.ok() ? Failed("is read, TensorFlow ends its process") : Outcome{Outcome::kPassed, ""};
  if (records != want) return Failed(StrCat(records.size(), " records, TensorFlow reads ", want.size()));
  if (static_cast<int>(status.code()) != code)
    return Failed(StrCat("got ", status.ToString(), ", TensorFlow's code is ", code, ": ", text));
  const std::string_view phrase = text.substr(0, text.find(" [Op:"));  // the rest is of the op that read the file
  if (status.message().find(phrase) == std::string_view::npos)
    return Failed(StrCat("got '", status.message(), "', TensorFlow's message is '", phrase, "'"));
  return {Outcome::kPassed, ""};
}

}  // namespace

Status RunRecordFolder(const std::string& folder, std::string_view filter, Counts* counts) {
  TENON_ASSIGN_OR_RETURN(const tenon::MappedFile expected, tenon::MappedFile::Open(folder + "/expected.pb"));
  const auto add = [&](std::string_view name, const Outcome& outcome) {
    counts->Add(outcome.kind);
    if (outcome.kind == Outcome::kFailed)
      std::printf("FAILED %s [%s]: %s\n", std::string(name).c_str(), folder.c_str(), outcome.why.c_str());
  };
  CaseFile cases;
  TENON_RETURN_IF_ERROR(tenon::wire::Parse(expected.bytes(), &cases));
  for (const Case& c : cases.cases) {
    if (!tenon::StartsWith(c.name, "records/") || c.name.find(filter) == std::string::npos) continue;
    add(c.name, RunSpoiltFile(StrCat(folder, "/", c.name), c));
  }
  if (!cases.cases.empty()) return tenon::OkStatus();

  Step step;
  TENON_RETURN_IF_ERROR(tenon::wire::Parse(expected.bytes(), &step));
  std::vector<std::string> records;
  for (const NamedBytes& fetch : step.fetch) {
    if (fetch.name != "records") continue;
    TENON_ASSIGN_OR_RETURN(records, StringsOf(fetch.bytes));
    add("examples", RunExamples(records));
  }
  for (const NamedBytes& fetch : step.fetch) {
    if (!tenon::StartsWith(fetch.name, "parsed/") || fetch.name.find(filter) == std::string::npos) continue;
    if (fetch.name.ends_with("/indices") || fetch.name.ends_with("/shape") || fetch.name.ends_with("/dense_shape"))
      continue;  // they belong to the op that parses
    TENON_ASSIGN_OR_RETURN(const Tensor want, tenon::TensorFromProto(Bytes(fetch.bytes), nullptr));
    add(fetch.name, RunParsed(records, fetch.name, want));
  }
  TENON_ASSIGN_OR_RETURN(const tenon::SlimVector<std::string> files, tenon::MatchFiles(folder + "/*.tf*"));
  const std::vector<std::string> none;
  for (const std::string& file : files) {
    const std::string_view name = std::string_view(file).substr(file.rfind('/') + 1);
    if (name.find(filter) == std::string_view::npos) continue;
    const bool is_examples = tenon::StartsWith(name, "examples."), is_empty = tenon::StartsWith(name, "empty.");
    add(name, RunSoundFile(file, is_examples ? &records : is_empty ? &none : nullptr));
  }
  return tenon::OkStatus();
}

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/checkpoint.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <unistd.h>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/tensor_util.hpp>

#include <conformance/golden/case_file.hpp>
#include <io/temp_file.hpp>

namespace checkpoint_test {
using namespace tenon;
using namespace std::string_literals;

namespace {

const std::string kFiles = TENON_TEST_DATA "/files/";

std::string Bytes(const std::string& path) {
  const Result<MappedFile> file = MappedFile::Open(path);
  REQUIRE_MESSAGE(file.ok(), file.status().ToString());
  return std::string(wire::AsText(file->bytes()));
}
Tensor Want(const golden::NamedBytes& named) {
  Result<Tensor> tensor = TensorFromProto(wire::AsBytes(named.bytes));
  REQUIRE_MESSAGE(tensor.ok(), tensor.status().ToString());
  return *std::move(tensor);
}
void CheckSame(const std::string& name, const Result<Tensor>& got, const Tensor& want) {
  REQUIRE_MESSAGE(got.ok(), name, ": ", got.status().ToString());
  const Status same = tensor::CheckEqual(*got, want, tensor::Equality::kBits);
  CHECK_MESSAGE(same.ok(), name, ": ", same.ToString());
}
// What RestoreV2 does for one tensor.
Result<Tensor> Restore(CheckpointReader& reader, const std::string& name, const std::string& spec, DataType dtype) {
  DataType stored;
  TensorShape shape;
  TENON_RETURN_IF_ERROR(reader.Describe(name, &stored, &shape));
  if (stored != dtype) return errors::InvalidArgument("expected dtype ", Name(dtype), ", got ", Name(stored));
  if (spec.empty()) return reader.Read(name);
  TENON_ASSIGN_OR_RETURN(const ShapeAndSlice part, ShapeAndSlice::Parse(spec));
  if (part.shape != shape) return errors::InvalidArgument("the whole has the shape ", shape);
  return reader.ReadSlice(name, part.slice);
}
golden::Step Expected(const std::string& path) {
  golden::Step step;
  REQUIRE(wire::Parse(wire::AsBytes(Bytes(path)), &step).ok());
  return step;
}

}  // namespace

TEST_SUITE("CheckpointReader") {
  TEST_CASE("checkpoints that TensorFlow wrote, every tensor bit by bit") {
    int tensors = 0;
    for (const auto& [prefix, expected] : std::initializer_list<std::pair<std::string, std::string>>{
             {"dtypes/model", "dtypes/expected.pb"},
             {"empty/model", "empty/expected.pb"},
             {"empty_table/model", "empty_table/expected.pb"},
             {"many_blocks/model", "many_blocks/expected.pb"},
             {"many_names/model", "many_names/expected.pb"},
             {"object_based/ckpt-2", "object_based/ckpt-2.expected.pb"},
             {"object_based/ckpt-3", "object_based/ckpt-3.expected.pb"},
             {"partitioned/model", "partitioned/expected.pb"},
             {"sharded/model", "sharded/expected.pb"},
             {"single/model", "single/expected.pb"},
             {"tf1_adam/model-1", "tf1_adam/expected.pb"},
             {"v1_partitioned/model", "v1_partitioned/expected.pb"},
             {"v1_saver/model-7", "v1_saver/expected.pb"}}) {
      CAPTURE(prefix);
      Result<CheckpointReader> reader = CheckpointReader::Open(kFiles + "checkpoints/" + prefix);
      REQUIRE_MESSAGE(reader.ok(), reader.status().ToString());
      CHECK(reader->IsBundle() == (prefix.find("v1") == prefix.npos));
      const golden::Step step = Expected(kFiles + "checkpoints/" + expected);
      const Result<SlimVector<std::string>> names = reader->Names();
      REQUIRE(names.ok());
      CHECK(names->size() == step.fetch.size());
      for (const golden::NamedBytes& fetch : step.fetch) {
        CheckSame(fetch.name, reader->Read(fetch.name), Want(fetch));
        ++tensors;
      }
    }
    CHECK(tensors == 483);
  }

  TEST_CASE("slices of tensors that are stored in parts") {
    Result<CheckpointReader> reader = CheckpointReader::Open(kFiles + "checkpoints/partitioned/model");
    REQUIRE(reader.ok());
    for (const golden::NamedBytes& fetch : Expected(kFiles + "checkpoints/partitioned/expected_slices.pb").fetch) {
      const std::size_t space = fetch.name.find(' ');
      const Tensor want = Want(fetch);
      CheckSame(fetch.name, Restore(*reader, fetch.name.substr(0, space), fetch.name.substr(space + 1), want.dtype()),
                want);
    }
  }

  TEST_CASE("damaged files: TensorFlow's codes, and what of them can still be read") {
    golden::CaseFile cases;
    REQUIRE(wire::Parse(wire::AsBytes(Bytes(kFiles + "corrupted/expected.pb")), &cases).ok());
    int files = 0, requests = 0;
    for (const golden::Case& c : cases.cases) {
      CAPTURE(c.name);
      if (c.name == "requests") {
        for (const golden::Step& step : c.step) {
          REQUIRE(step.target.size() == 4);
          const std::string& dtype = step.target[3];
          const std::string shown = step.target[0] + " " + step.target[1] + " " + step.target[2] + " " + dtype;
          Result<CheckpointReader> reader = CheckpointReader::Open(kFiles + "checkpoints/" + step.target[0] + "/model");
          const Result<Tensor> got = reader.ok()
                                         ? Restore(*reader, step.target[1], step.target[2], DataTypeFromName(dtype))
                                         : Result<Tensor>(reader.status());
          CHECK_MESSAGE(static_cast<int>(got.status().code()) == step.code, shown, ": ", got.status().ToString());
          if (step.code == 0) CheckSame(shown, got, Want(step.fetch[0]));
          ++requests;
        }
        continue;
      }
      if (c.name.rfind("checkpoints/", 0) != 0) continue;
      ++files;
      Result<CheckpointReader> reader = CheckpointReader::Open(kFiles + "corrupted/" + c.name + "/model");
      for (std::size_t i = 0; i < c.step.size(); ++i) {
        const golden::Step& step = c.step[i];
        if (step.code < 0) continue;  // TensorFlow ends the process
        if (i == 0) {
          CHECK_MESSAGE(static_cast<int>(reader.status().code()) == step.code, reader.status().ToString());
          continue;
        }
        const std::string& name = step.fetch[0].name;
        if (step.code == 0) {
          REQUIRE(reader.ok());
          CheckSame(name, reader->Read(name), Want(step.fetch[0]));
          continue;
        }
        // The types that the request had are those of the sound checkpoint.
        const DataType dtype = name == "words"         ? DataType::kString
                               : name == "global_step" ? DataType::kInt64
                                                       : DataType::kFloat;
        const Status status = reader.ok() ? Restore(*reader, name, "", dtype).status() : reader.status();
        CHECK_MESSAGE(static_cast<int>(status.code()) == step.code, name, ": ", status.ToString(), "; TensorFlow says ",
                      step.message);
      }
    }
    CHECK(files == 49);
    CHECK(requests == 12);
  }

  TEST_CASE("a prefix that is none") {
    const Status status = CheckpointReader::Open("/nowhere/model").status();
    CHECK(status.code() == Code::kNotFound);
    CHECK(status.message().find("Failed to find any matching files for /nowhere/model") != status.message().npos);
  }
  TEST_CASE("the name of an index in the place of a prefix") {
    const std::string index = std::string(TENON_TEST_DATA) + "/saved_models/module_train/variables/variables.index";
    Result<CheckpointReader> reader = CheckpointReader::Open(index);
    REQUIRE_MESSAGE(reader.ok(), reader.status().ToString());
    DataType dtype = DataType::kInvalid;
    TensorShape shape;
    for (const Status& status : {reader->Describe("w", &dtype, &shape), reader->Read("w").status()}) {
      CHECK(status.code() == Code::kNotFound);
      CHECK(status.message().ends_with("; the prefix of a checkpoint has no '.index': leave it out"));
    }
  }
}
}  // namespace checkpoint_test

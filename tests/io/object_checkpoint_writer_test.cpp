// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/object_checkpoint_writer.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/io/mapped_file.hpp>

#include <temp_folder.hpp>

namespace object_checkpoint_writer_test {
using namespace tenon;

namespace {

std::string Bytes(const std::string& path) {
  const Result<MappedFile> file = MappedFile::Open(path);
  REQUIRE_MESSAGE(file.ok(), file.status().ToString());
  return std::string(wire::AsText(file->bytes()));
}

}  // namespace

TEST_SUITE("WriteObjectCheckpoint") {
  TEST_CASE("the files are TensorFlow's, byte by byte") {
    const std::string prefix = TENON_TEST_DATA "/files/checkpoints/object_based/ckpt-2";
    Result<ObjectCheckpoint> checkpoint = ObjectCheckpoint::Open(prefix);
    REQUIRE(checkpoint.ok());
    std::vector<ObjectValue> values;
    for (const char* path :
         {"again", "net/layers/0", "net/layers/1", "net/table/a", "net/table/b.Sslash", "step", "save_counter"}) {
      if (std::string_view(path) == "net/layers/0")
        values.push_back({path, Tensor(), "", "again"});
      else
        values.push_back({path, *checkpoint->Read(path), (*checkpoint->Find(path))->full_name});
    }
    const TempFolder folder;
    const Status written = WriteObjectCheckpoint(folder / "m", values);
    REQUIRE_MESSAGE(written.ok(), written.ToString());
    CHECK(Bytes(folder / "m.index") == Bytes(prefix + ".index"));
    CHECK(Bytes(folder / "m.data-00000-of-00001") == Bytes(prefix + ".data-00000-of-00001"));
  }

  TEST_CASE("slot variables and the counter of saves") {
    const TempFolder folder;
    std::vector<ObjectValue> values = {{"net/w", Tensor::Scalar(1)},
                                       {"net/w/.OPTIMIZER_SLOT/opt/m.Sx", Tensor::Scalar(2)},
                                       {"opt/rate", Tensor::Scalar(3)}};
    REQUIRE(WriteObjectCheckpoint(folder / "m", values, {.save_counter = 9}).ok());
    Result<ObjectCheckpoint> checkpoint = ObjectCheckpoint::Open(folder / "m");
    REQUIRE_MESSAGE(checkpoint.ok(), checkpoint.status().ToString());
    for (const ObjectValue& value : values)
      CHECK(checkpoint->Read(value.path)->scalar<int>()() == value.tensor.scalar<int>()());
    CHECK(checkpoint->Read("save_counter")->scalar<std::int64_t>()() == 9);
    CHECK((*checkpoint->Find(values[1].path))->slot_name == "m/x");
    CHECK((*checkpoint->Find("opt/rate"))->full_name == "opt/rate");
    REQUIRE(WriteObjectCheckpoint(folder / "m", values, {.save_counter = std::nullopt}).ok());
    CHECK(ObjectCheckpoint::Open(folder / "m")->tensors().size() == 3);
  }

  TEST_CASE("paths that are refused") {
    const TempFolder folder;
    const Tensor one = Tensor::Scalar(1);
    for (const std::vector<ObjectValue>& values :
         std::vector<std::vector<ObjectValue>>{{{"", one}},
                                               {{"a//b", one}},
                                               {{"/a", one}},
                                               {{"a/", one}},
                                               {{"a.b", one}},
                                               {{"a", one}, {"a", one}},
                                               {{"a", one, "", "b"}},
                                               {{"a", one, "", "a"}},
                                               {{"a/b", one}, {"c", one, "", "a"}},
                                               {{"c", one}, {"a", one, "", "c"}, {"a/b", one}},
                                               {{"opt/a", one}, {"w/.OPTIMIZER_SLOT/opt/m", one}},
                                               {{"w", one}, {"w/.OPTIMIZER_SLOT/m", one}},
                                               {{"w", one}, {"w/.OPTIMIZER_SLOT/opt/m.x", one}}}) {
      CAPTURE(values.back().path);
      CHECK(WriteObjectCheckpoint(folder / "m", values).code() == Code::kInvalidArgument);
    }
    SlimVector<std::string> names;
    REQUIRE(detail::ListFolder(folder / "", &names) == 0);
    CHECK(names.empty());
    CHECK(WriteObjectCheckpoint(folder / "m", {}).ok());
  }
}
}  // namespace object_checkpoint_writer_test

// SPDX-License-Identifier: Apache-2.0
// What is written and read back, and what the files' readers refuse, is in save_test.cpp.
#include <tenon/ops/io/restore.hpp>

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ops/io/examples.hpp"
#include "ops/support.hpp"
#include "temp_folder.hpp"

namespace io_restore_test {
using namespace tenon;
using namespace tenon::testing;
using io_examples::Texts;

namespace {

Tensor Text(std::string_view text) { return Tensor::Scalar(text); }
Tensor Rows(float first) { return MakeTensor<float>({2, 2}, {first, first + 1, first + 2, first + 3}); }

// A folder with rows [0, 2) of the [4,2] tensor "w" in part0 and the others in part1, in the first format.
struct Parts {
  Parts() {
    for (int i = 0; i < 2; ++i) {
      SliceCheckpointWriter writer;
      TensorSlice slice;
      slice.Add(2 * i, 2);
      slice.Add(0, TensorSlice::kFull);
      CHECK(writer.Add("w", {4, 2}, slice, Rows(static_cast<float>(4 * i))).ok());
      CHECK(writer.Finish(folder / StrCat("part", i)).ok());
    }
  }
  Result<std::vector<Tensor>> Read(std::string_view pattern, const AttrArgs& attrs, std::string_view name = "w",
                                   std::string_view spec = "") const {
    AttrArgs all = attrs;
    all.push_back({"dt", DataType::kFloat});
    return CallOp("RestoreSlice", all, {Text(folder / pattern), Text(name), Text(spec)}, 1);
  }
  std::string Error(std::string_view pattern, std::string_view name, std::string_view spec) const {
    const std::string text = Read(pattern, {}, name, spec).status().ToString();
    return text.substr(0, text.find(" [node "));
  }
  const TempFolder folder;
};

// The shape that the constant text gives output 0 of RestoreV2, or why none.
std::string Shaped(const Tensor& names, const Tensor& specs) {
  const Tensor prefix = Text("p");
  const OpView view = ops::RestoreV2::signature.view();
  NodeDef node;
  node.op = "RestoreV2";
  node.attr.Set("dtypes", AttrValue(SlimVector<DataType>{DataType::kFloat, DataType::kFloat}));
  const PartialTensorShape inputs[] = {prefix.shape(), names.shape(), specs.shape()};
  const Tensor* const values[] = {&prefix, &names, &specs};
  InferenceContext c(InferenceContext::kGraphDefVersion, &node, &view, inputs, values);
  const Status status = ops::detail::RestoreV2Shape(&c);
  return status.ok() ? StrCat(c.DebugString(c.output(0)), " ", c.DebugString(c.output(1)))
                     : std::string(status.message());
}

}  // namespace

TEST_SUITE("Restore") {
  TEST_CASE("a pattern takes the files that match together, and every slice from where it lies") {
    const Parts parts;
    const Result<std::vector<Tensor>> all = parts.Read("part*", {});
    REQUIRE_MESSAGE(all.ok(), all.status().message());
    CHECK(Numbered<float>((*all)[0]) == std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7});
    const Result<std::vector<Tensor>> across = parts.Read("part?", {}, "w", "4 2 1,2:1,1");
    REQUIRE_MESSAGE(across.ok(), across.status().message());
    CHECK((*across)[0].shape() == TensorShape({2, 1}));
    CHECK(Numbered<float>((*across)[0]) == std::vector<double>{3, 5});
  }
  TEST_CASE("the preferred shard changes nothing, but is looked at") {
    const Parts parts;
    for (const std::int64_t shard : {std::int64_t{-1}, std::int64_t{1}, std::int64_t{99}})
      CHECK(parts.Read("part*", {{"preferred_shard", shard}}).ok());
    const Status status = parts.Read("part*", {{"preferred_shard", std::int64_t{-2}}}).status();
    CHECK_MESSAGE(
        status.ToString().find("INVALID_ARGUMENT: Attribute 'preferred_shard' must be greater or equal to -1, "
                               "got -2") == 0,
        status.ToString());
  }
  TEST_CASE("says what is stored and what was asked for") {
    const Parts parts;
    CHECK(parts.Error("part*", "v", "") ==
          StrCat("NOT_FOUND: Tensor name \"v\" not found in checkpoint files ", parts.folder / "part*"));
    CHECK(parts.Error("part*", "w", "4 3 -:-") ==
          "INVALID_ARGUMENT: Shape in shape_and_slice spec does not match the shape in the save file: [4,3], save file "
          "shape: [4,2]");
    CHECK(parts.Error("none*", "w", "") ==
          StrCat("NOT_FOUND: Unsuccessful TensorSliceReader constructor: Failed to find any matching files for ",
                 parts.folder / "none*"));
    // Rows that no file holds.
    CHECK(parts.Error("part0", "w", "4 2 1,2:-").find("INVALID_ARGUMENT") == 0);
    const Tensor two = Texts({"a", "b"});
    CHECK(ErrorOf<ops::Restore>({{"dt", DataType::kFloat}}, {two, Text("w")}) ==
          "INVALID_ARGUMENT: Input 0 (file_pattern) must be a string scalar; got a tensor of 2 elements");
    CHECK(ErrorOf<ops::Restore>({{"dt", DataType::kFloat}}, {Text("a"), Texts({})}) ==
          "INVALID_ARGUMENT: Restore: tensor_name and shape_and_slice must have an element, got the shape [0]");
    const Tensor path = Text(parts.folder / "part*");
    CHECK(ErrorOf<ops::Restore>({{"dt", DataType::kInt32}}, {path, Text("w")}) ==
          "INVALID_ARGUMENT: Expected to restore a tensor of type int32, got a tensor of type float instead: "
          "tensor_name = w");
  }
  TEST_CASE("a failed call reads nothing into the next; a file written anew is read anew") {
    const Parts parts;
    CHECK_FALSE(parts.Read("part0", {}).ok());
    SliceCheckpointWriter writer;
    CHECK(writer.Add("w", {2, 2}, TensorSlice(2), Rows(9)).ok());
    CHECK(writer.Finish(parts.folder / "part0").ok());
    const Result<std::vector<Tensor>> again = parts.Read("part0", {});
    REQUIRE_MESSAGE(again.ok(), again.status().message());
    CHECK(Numbered<float>((*again)[0]) == std::vector<double>{9, 10, 11, 12});
  }
  TEST_CASE("two threads read the same files") {
    const Parts parts;
    std::vector<double> first, second;
    const auto read = [&parts](std::vector<double>* to) {
      const Result<std::vector<Tensor>> out = parts.Read("part*", {});
      if (out.ok()) *to = Numbered<float>((*out)[0]);
    };
    std::thread other(read, &first);
    read(&second);
    other.join();
    CHECK(first == std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(second == first);
  }
  TEST_CASE("constant texts say shapes; as many as there are outputs") {
    const Tensor names = Texts({"a", "b"});
    CHECK(Shaped(names, Texts({"4 5 0,2:-", ""})) == "[2,5] ?");
    CHECK(Shaped(Texts({"a", "b", "c"}), Texts({"", "", ""})) ==
          "The number of shape_and_slice doesn't match tensor outputs: 3 and 2");
    CHECK(Shaped(names, Texts({"4 5 3,2:-", ""})) ==
          "Extent in dimension 0 out of bounds: shape = [4,5], slice = 3,2:-");
    CHECK(Shaped(names, Texts({"4"})) ==
          "Dimension 0 in both shapes must be equal, but are 2 and 1. Shapes are [2] and [1].");
  }
}
}  // namespace io_restore_test

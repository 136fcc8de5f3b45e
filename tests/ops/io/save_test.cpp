// SPDX-License-Identifier: Apache-2.0
// Codes and texts are TensorFlow 2.21's for the same calls.
#include <tenon/ops/io/restore.hpp>
#include <tenon/ops/io/save.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "ops/support.hpp"
#include "temp_folder.hpp"

namespace save_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

struct Folder {
  Tensor operator/(std::string_view name) const { return Tensor::Scalar(std::string_view(path(name))); }
  std::string path(std::string_view name) const { return folder / name; }
  const TempFolder folder;
};

Tensor Texts(std::initializer_list<std::string_view> values) {
  Tensor tensor(DataType::kString, {static_cast<Index>(values.size())});
  Index i = 0;
  for (const std::string_view value : values) tensor.data<tstring>()[i++].assign(value);
  return tensor;
}
Tensor Text(std::string_view value) { return Tensor::Scalar(value); }
Tensor Matrix() { return MakeTensor<float>({2, 2}, {1, 2, 3, 4}); }
SlimVector<DataType> Types(std::initializer_list<DataType> types) { return SlimVector<DataType>(types); }

// A call without known shapes, so that the kernel is asked.
Status Saved(const Tensor& prefix, const Tensor& names, const Tensor& specs, const std::vector<Tensor>& tensors) {
  std::vector<Tensor> inputs{prefix, names, specs};
  SlimVector<DataType> types;
  for (const Tensor& tensor : tensors) {
    inputs.push_back(tensor);
    types.push_back(tensor.dtype());
  }
  return CallOp("SaveV2", {{"dtypes", types}}, inputs, 0).status();
}
Result<std::vector<Tensor>> Restored(const Tensor& prefix, const Tensor& names, const Tensor& specs,
                                     std::initializer_list<DataType> types) {
  return CallOp("RestoreV2", {{"dtypes", Types(types)}}, {prefix, names, specs}, static_cast<int>(types.size()));
}
Result<std::vector<Tensor>> RestoredOne(const Tensor& pattern, std::string_view name, DataType type) {
  return CallOp("Restore", {{"dt", type}}, {pattern, Text(name)}, 1);
}
// Starts with "CODE: text".
void CheckStatus(const Status& status, std::string_view want) {
  CHECK_MESSAGE(status.ToString().substr(0, want.size()) == want, status.ToString(), " instead of ", want);
}
void CheckSame(const Result<std::vector<Tensor>>& got, const Tensor& want) {
  REQUIRE_MESSAGE(got.ok(), got.status().ToString());
  CHECK_MESSAGE(SameTensor((*got)[0], want), (*got)[0].DebugString(20), " instead of ", want.DebugString(20));
}
constexpr DataType kF = DataType::kFloat;

}  // namespace

TEST_SUITE("SaveV2, RestoreV2") {
  TEST_CASE("every type, whole") {
    const Folder folder;
    for (int type = 1; type < kDataTypeCount; ++type) {
      const auto dtype = static_cast<DataType>(type);
      if (dtype == DataType::kResource || dtype == DataType::kVariant) continue;
      for (const TensorShape& shape :
           {TensorShape({2, 3}), TensorShape({}), TensorShape({0, 4}), TensorShape({1, 1, 1, 1, 1, 1, 1, 2})}) {
        CAPTURE(Name(dtype));
        const Tensor tensor = AnyBits(dtype, shape);
        REQUIRE(Saved(folder / "m", Texts({"x"}), Texts({""}), {tensor}).ok());
        CheckSame(Restored(folder / "m", Texts({"x"}), Texts({""}), {dtype}), tensor);
      }
    }
  }

  TEST_CASE("slices: which types are cut") {
    const Folder folder;
    for (int type = 1; type < kDataTypeCount; ++type) {
      const auto dtype = static_cast<DataType>(type);
      if (dtype == DataType::kResource || dtype == DataType::kVariant) continue;
      CAPTURE(Name(dtype));
      const Tensor tensor = AnyBits(dtype, {3});
      REQUIRE(Saved(folder / "m", Texts({"x"}), Texts({""}), {tensor}).ok());
      const auto got = Restored(folder / "m", Texts({"x"}), Texts({"3 1,2"}), {dtype});
      if (tenon::detail::kSlicedTypes.contains(dtype))
        CheckSame(got, tensor.Slice(1, 3).DeepCopy());
      else
        CheckStatus(got.status(), StrCat("INVALID_ARGUMENT: Dtype ", Name(dtype), " not supported."));
      CheckSame(Restored(folder / "m", Texts({"x"}), Texts({"3 -"}), {dtype}), tensor);
    }
  }

  TEST_CASE("a list of tensors, a variant, comes back") {
    const Folder folder;
    GraphBuilder b;
    const Output list = b.Add("TensorListFromTensor", "list", {b.Const("value", Matrix()), b.Const("shape", Int(-1))});
    const Output prefix = b.Const("prefix", folder / "m"), names = b.Const("names", Texts({"v"})),
                 specs = b.Const("specs", Texts({""}));
    b.Add("SaveV2", "save", {prefix, names, specs, list}, {{"dtypes", Types({DataType::kVariant})}});
    const Output restored =
        b.Add("RestoreV2", "restore", {prefix, names, specs}, {{"dtypes", Types({DataType::kVariant})}});
    b.Add("TensorListStack", "stack", {restored, b.Const("element", Ints({-1}))}, {{"element_dtype", kF}});
    const Result<Session> session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    const std::vector<NamedTensor> no_feeds;
    const std::vector<std::string> none, save{"save"}, stack{"stack:0"};
    REQUIRE(session->Run(no_feeds, none, save).ok());
    CheckSame(session->Run(no_feeds, stack, none), Matrix());
  }

  TEST_CASE("what SaveV2 refuses") {
    const Folder folder;
    const Tensor prefix = folder / "m";
    CheckStatus(Saved(Texts({"a", "b"}), Texts({"z"}), Texts({""}), {Matrix()}),
                "INVALID_ARGUMENT: Input prefix should have a single element, got 2 instead.");
    CheckStatus(Saved(prefix, Texts({"z"}), Texts({"", ""}), {Matrix()}),
                "INVALID_ARGUMENT: tensor_names and shape_and_slices have different number of elements: 1 vs. 2");
    Tensor square(DataType::kString, {1, 1});
    CheckStatus(Saved(prefix, square, Texts({""}), {Matrix()}),
                "INVALID_ARGUMENT: Input tensor_names and shape_and_slices should be an 1-D tensors, got [1,1] and [1] "
                "instead.");
    CheckStatus(Saved(prefix, Texts({"a", "b"}), Texts({"", ""}), {Matrix()}),
                "INVALID_ARGUMENT: Got 2 tensor names but 1 tensors.");
    CheckStatus(Saved(prefix, Texts({"z"}), Texts({"4 2 0,1:-"}), {Matrix()}),
                "INVALID_ARGUMENT: Slice in shape_and_slice specification does not match the shape of the tensor to  "
                "save: 4 2 0,1:-, tensor: [2,2]");
    CheckStatus(Saved(prefix, Texts({"z"}), Texts({"rubbish"}), {Matrix()}),
                "INVALID_ARGUMENT: Need least two elements in shape_and_slice specification: rubbish");
    CheckStatus(Saved(prefix, Texts({"z"}), Texts({"4 2 3,2:-"}), {Matrix()}),
                "INTERNAL: Extent in dimension 0 out of bounds: shape = [4,2], slice = 3,2:-");
    CheckStatus(Saved(prefix, Texts({"z", "z"}), Texts({"", ""}), {Matrix(), Matrix()}),
                "INVALID_ARGUMENT: Adding duplicate key: z");
    CheckStatus(Saved(prefix, Texts({""}), Texts({""}), {Matrix()}), "INVALID_ARGUMENT: ");
    CheckStatus(Saved(Text("/proc/none/x"), Texts({"z"}), Texts({""}), {Matrix()}), "NOT_FOUND: ");
    CHECK(!tenon::detail::FileExists(folder.path("m.index")));
    // A name may stand for the vector that it is the only element of.
    CHECK(Saved(Texts({folder.path("v")}), Texts({"z"}), Texts({""}), {Matrix()}).ok());
    // Slices that overlap are found when they are read.
    REQUIRE(Saved(prefix, Texts({"z", "z"}), Texts({"3 2 0,2:-", "3 2 1,2:-"}), {Matrix(), Matrix()}).ok());
    CheckStatus(Restored(prefix, Texts({"z"}), Texts({""}), {kF}).status(),
                "INTERNAL: Overlapping slices: existing slice = 0,2:-, new slice = 1,2:-");
  }

  TEST_CASE("what RestoreV2 refuses") {
    const Folder folder;
    const Tensor prefix = folder / "m";
    REQUIRE(Saved(prefix, Texts({"z", "a"}), Texts({"", ""}), {Matrix(), Ints({1, 2, 3})}).ok());
    CheckStatus(Restored(folder / "no", Texts({"z"}), Texts({""}), {kF}).status(),
                StrCat("NOT_FOUND: Unsuccessful TensorSliceReader constructor: Failed to find any matching files for ",
                       folder.path("no")));
    CheckStatus(Restored(prefix, Texts({"z", "a"}), Texts({"", ""}), {DataType::kInt32, kF}).status(),
                "INVALID_ARGUMENT: tensor_name = z; expected dtype int32 does not equal original dtype float\n"
                "tensor_name = a; expected dtype float does not equal original dtype int32");
    CheckStatus(Restored(prefix, Texts({"z", "a"}), Texts({"", ""}), {kF}).status(),
                "INVALID_ARGUMENT: Got 2 tensor names, but 1 expected dtypes.");
    CheckStatus(Restored(prefix, Texts({"q"}), Texts({""}), {kF}).status(), "NOT_FOUND: Key q not found in checkpoint");
    CheckStatus(Restored(prefix, Texts({"z"}), Texts({"2 3 0,1:-"}), {kF}).status(),
                "INVALID_ARGUMENT: tensor_name = z; shape in shape_and_slice spec [2,3] does not match the shape "
                "stored in checkpoint: [2,2]");
    for (const std::string_view spec : {"rubbish", "2 x -:-", "2  2 -:-", "-2 2 -:-", "2 2 0,0:-", "2 2 0,1:-,1"})
      CheckStatus(Restored(prefix, Texts({"z"}), Texts({spec}), {kF}).status(), "INVALID_ARGUMENT: ");
    for (const std::string_view spec : {"2 2 0,9:-", "2 2 0,1", "2 2 "})
      CheckStatus(Restored(prefix, Texts({"z"}), Texts({spec}), {kF}).status(), "INTERNAL: ");
    // Both tensors at once, in the order asked for.
    const auto both = Restored(prefix, Texts({"a", "z"}), Texts({"", ""}), {DataType::kInt32, kF});
    CheckSame(both, Ints({1, 2, 3}));
    CHECK(SameTensor((*both)[1], Matrix()));
  }

  TEST_CASE("the shape function: constants say the shapes") {
    GraphBuilder b;
    const Output prefix = b.Placeholder("prefix", DataType::kString, PartialTensorShape(TensorShape()));
    const Output names = b.Const("names", Texts({"w", "v"}));
    b.Add("RestoreV2", "bad", {prefix, names, b.Const("specs", Texts({"4 5 nonsense", ""}))},
          {{"dtypes", Types({kF, kF})}});
    CheckStatus(Session::FromGraph(b).status(),
                "INVALID_ARGUMENT: Expected a pair of numbers or '-' but got 'nonsense'");
    GraphBuilder few;
    const Output p = few.Placeholder("prefix", DataType::kString, PartialTensorShape(TensorShape()));
    few.Add("RestoreV2", "bad", {p, few.Const("names", Texts({"w"})), few.Const("specs", Texts({"", ""}))},
            {{"dtypes", Types({kF, kF})}});
    CHECK(Session::FromGraph(few).status().code() == Code::kInvalidArgument);
  }
}

TEST_SUITE("MergeV2Checkpoints") {
  Status Merged(const Tensor& prefixes, const Tensor& to, bool delete_old_dirs, bool allow_missing_files = false) {
    return CallOp("MergeV2Checkpoints",
                  {{"delete_old_dirs", delete_old_dirs}, {"allow_missing_files", allow_missing_files}}, {prefixes, to},
                  0)
        .status();
  }

  TEST_CASE("tensors and slices of two, and their folders go") {
    for (const bool delete_old_dirs : {false, true}) {
      const Folder folder;
      REQUIRE(Saved(folder / "one/p", Texts({"a", "w"}), Texts({"", "4 2 0,2:-"}), {Matrix(), Matrix()}).ok());
      REQUIRE(Saved(folder / "two/p", Texts({"b", "w"}), Texts({"", "4 2 2,2:-"}), {Ints({1}), Matrix()}).ok());
      REQUIRE(Merged(Texts({folder.path("one/p"), folder.path("two/p")}), folder / "all", delete_old_dirs).ok());
      CHECK(tenon::detail::FileExists(folder.path("one")) == !delete_old_dirs);
      const auto got =
          Restored(folder / "all", Texts({"w", "a", "b"}), Texts({"", "", ""}), {kF, kF, DataType::kInt32});
      CheckSame(got, MakeTensor<float>({4, 2}, {1, 2, 3, 4, 1, 2, 3, 4}));
      CHECK(SameTensor((*got)[1], Matrix()));
      CHECK(SameTensor((*got)[2], Ints({1})));
    }
  }

  TEST_CASE("what is refused") {
    const Folder folder;
    const Tensor to = folder / "m";
    CheckStatus(
        Merged(Texts({folder.path("x")}), to, false),
        StrCat("INVALID_ARGUMENT: allow_missing_files was set to false and ", folder.path("x"), " did not exist"));
    for (const Tensor& none : {Texts({folder.path("x")}), Texts({})})
      CheckStatus(Merged(none, to, false, true),
                  "INVALID_ARGUMENT: At least one prefix checkpoint file must exist, but none existed.");
    CheckStatus(Merged(to, to, false),
                "INVALID_ARGUMENT: Input checkpoint_prefixes should be an 1-D tensor, got [] instead.");
    CheckStatus(Merged(Texts({"a"}), Texts({"a"}), false),
                "INVALID_ARGUMENT: Input destination_prefix should be a scalar tensor, got [1] instead.");
    REQUIRE(Saved(folder / "u1", Texts({"a"}), Texts({""}), {Matrix()}).ok());
    REQUIRE(Saved(folder / "u2", Texts({"a"}), Texts({""}), {Matrix()}).ok());
    CheckStatus(
        Merged(Texts({folder.path("u1"), folder.path("u2")}), to, false),
        StrCat("INVALID_ARGUMENT: Duplicate tensor keyed by a encountered, when merging prefix: ", folder.path("u2")));
    REQUIRE(WriteFile(folder.path("bad.index"), "abc").ok());
    CheckStatus(Merged(Texts({folder.path("bad")}), to, false), "DATA_LOSS: file is too short to be an sstable");
  }
}

TEST_SUITE("Save, SaveSlices, Restore, RestoreSlice") {
  Status SavedSlices(const Tensor& filename, const Tensor& names, const Tensor& specs,
                     const std::vector<Tensor>& tensors) {
    std::vector<Tensor> inputs{filename, names, specs};
    SlimVector<DataType> types;
    for (const Tensor& tensor : tensors) {
      inputs.push_back(tensor);
      types.push_back(tensor.dtype());
    }
    return CallOp("SaveSlices", {{"T", types}}, inputs, 0).status();
  }
  Result<std::vector<Tensor>> Slice(const Tensor& pattern, std::string_view name, std::string_view spec) {
    return CallOp("RestoreSlice", {{"dt", kF}}, {pattern, Text(name), Text(spec)}, 1);
  }

  TEST_CASE("whole tensors") {
    const Folder folder;
    REQUIRE(CallOp("Save", {{"T", Types({kF, DataType::kString, kF, kF})}},
                   {folder / "o", Texts({"x", "t", "s", "e"}), Matrix(), Texts({"a", ""}), Tensor::Scalar(3.f),
                    Tensor(kF, {0, 3})},
                   0)
                .ok());
    CheckSame(RestoredOne(folder / "o", "x", kF), Matrix());
    CheckSame(RestoredOne(folder / "o", "t", DataType::kString), Texts({"a", ""}));
    CheckSame(RestoredOne(folder / "o", "s", kF), Tensor::Scalar(3.f));
    CheckSame(RestoredOne(folder / "o", "e", kF), Tensor(kF, {0, 3}));
    CheckStatus(RestoredOne(folder / "o", "zz", kF).status(),
                StrCat("NOT_FOUND: Tensor name \"zz\" not found in checkpoint files ", folder.path("o")));
    CheckStatus(RestoredOne(folder / "o", "x", DataType::kInt32).status(),
                "INVALID_ARGUMENT: Expected to restore a tensor of type int32, got a tensor of type float instead: "
                "tensor_name = x");
    CheckStatus(RestoredOne(folder / "no*", "x", kF).status(),
                "NOT_FOUND: Unsuccessful TensorSliceReader constructor: Failed to find any matching files for ");
  }

  TEST_CASE("slices, also through RestoreV2") {
    const Folder folder;
    REQUIRE(SavedSlices(folder / "s", Texts({"x", "x", "y"}), Texts({"4 2 0,2:-", "4 2 2,2:-", ""}),
                        {Matrix(), Matrix(), Ints({7})})
                .ok());
    CheckSame(Slice(folder / "s", "x", "4 2 1,2:0,1"), MakeTensor<float>({2, 1}, {3, 1}));
    CheckSame(Slice(folder / "s", "x", ""), MakeTensor<float>({4, 2}, {1, 2, 3, 4, 1, 2, 3, 4}));
    CheckStatus(
        Slice(folder / "s", "x", "5 2 1,2:0,1").status(),
        "INVALID_ARGUMENT: Shape in shape_and_slice spec does not match the shape in the save file: [5,2], save "
        "file shape: [4,2]");
    const auto both = Restored(folder / "s", Texts({"x", "y"}), Texts({"4 2 1,2:0,1", ""}), {kF, DataType::kInt32});
    CheckSame(both, MakeTensor<float>({2, 1}, {3, 1}));
    CHECK(SameTensor((*both)[1], Ints({7})));
    CheckStatus(Restored(folder / "s", Texts({"x"}), Texts({""}), {DataType::kInt32}).status(),
                "INVALID_ARGUMENT: Expected to restore a tensor of type int32, got a tensor of type float instead: "
                "tensor_name = x");
    REQUIRE(SavedSlices(folder / "half", Texts({"x"}), Texts({"4 2 0,2:-"}), {Matrix()}).ok());
    CheckStatus(RestoredOne(folder / "half", "x", kF).status(), "INVALID_ARGUMENT: Error copying slice data");
    // A bundle is no file of this format.
    REQUIRE(Saved(folder / "m", Texts({"x"}), Texts({""}), {Matrix()}).ok());
    CheckStatus(RestoredOne(folder / "m", "x", kF).status(), "NOT_FOUND: ");
  }

  TEST_CASE("what is refused") {
    const Folder folder;
    CheckStatus(CallOp("Save", {{"T", Types({kF, kF})}}, {folder / "o", Texts({"x"}), Matrix(), Matrix()}, 0).status(),
                "INVALID_ARGUMENT: Expected totally 3 inputs as input #1 (which is a string tensor of saved names) "
                "contains 1 names, but received 4 inputs");
    CheckStatus(CallOp("Save", {{"T", Types({kF})}}, {Texts({"a", "b"}), Texts({"x"}), Matrix()}, 0).status(),
                "INVALID_ARGUMENT: Input 0 (filename) must be a string scalar; got a tensor of 2 elements");
    CheckStatus(CallOp("Save", {{"T", Types({DataType::kBfloat16})}},
                       {folder / "o", Texts({"x"}), Tensor(DataType::kBfloat16, {1})}, 0)
                    .status(),
                "UNIMPLEMENTED: Saving data type bfloat16 not yet supported");
    CheckStatus(CallOp("Save", {{"T", Types({DataType::kUint32})}},
                       {folder / "o", Texts({"x"}), Tensor(DataType::kUint32, {1})}, 0)
                    .status(),
                "INVALID_ARGUMENT: Tensor slice serialization not implemented for dtype 22");
    CheckStatus(SavedSlices(folder / "o", Texts({"x"}), Texts({"4 2 0,2:-", "4 2 2,2:-"}), {Matrix()}),
                "INVALID_ARGUMENT: Expected 1 elements for the tensor shapes and slices but got 2");
    CheckStatus(SavedSlices(folder / "o", Texts({"x", "x"}), Texts({"4 2 0,2:-", "5 2 2,2:-"}), {Matrix(), Matrix()}),
                "INTERNAL: Mismatching shapes: existing tensor = [4,2], trying to add name x, shape = [5,2]");
    CHECK(!tenon::detail::FileExists(folder.path("o")));
    REQUIRE(WriteFile(folder.path("rubbish"), std::string(100, 'x')).ok());
    CheckStatus(RestoredOne(folder / "rubbish", "x", kF).status(),
                StrCat("DATA_LOSS: Unable to open table file ", folder.path("rubbish"),
                       ": DATA_LOSS: not an sstable (bad magic number)"));
  }
}
}  // namespace save_test

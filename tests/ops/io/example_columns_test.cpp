// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/io/example_columns.hpp>

#include <atomic>
#include <string>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include "ops/io/examples.hpp"
#include "ops/support.hpp"

namespace io_example_columns_test {
using namespace tenon;
using namespace tenon::testing;
using io_examples::ExampleOf;
using io_examples::Floats;
using io_examples::Texts;
using ops::detail::ColumnKind;
using ops::detail::ExampleParse;

namespace {

// A parse of these examples with the sparse float column "x" and the dense float column "y" of shape [2].
struct Parse : ExampleParse {
  explicit Parse(Tensor examples, Tensor example_names = Texts({}))
      : own_examples(std::move(examples)), own_names(std::move(example_names)) {
    serialized = &own_examples;
    names = &own_names;
    Add(ColumnKind::kSparse, "x", DataType::kFloat);
    Add(ColumnKind::kDense, "y", DataType::kFloat);
    CHECK(ops::detail::SetDenseShape({2}, 0, true, &columns[1]).ok());
  }
  std::string Error() {
    Cpu device;
    return Find(device).ToString();
  }
  Tensor own_examples, own_names;
};

}  // namespace

TEST_SUITE("columns of Examples") {
  TEST_CASE("columns are counted by kind; the values of each example are found") {
    Parse parse(
        Texts({ExampleOf({{"x", Floats({1, 2, 3})}, {"y", Floats({4, 5})}}), ExampleOf({{"y", Floats({6, 7})}})}));
    parse.Add(ColumnKind::kRagged, "z", DataType::kString);
    CHECK(parse.sparse == 1);
    CHECK(parse.dense == 1);
    CHECK(parse.ragged == 1);
    CHECK(parse.Error() == "OK");
    CHECK(parse.found.at(0, 0).count == 3);
    CHECK(parse.found.at(0, 1).count == 0);
    CHECK(parse.found.at(1, 1).count == 2);
    CHECK(parse.found.at(2, 0).view.dtype == DataType::kInvalid);
  }
  TEST_CASE("no examples are no mistake") {
    Parse parse(Texts({}));
    CHECK(parse.Error() == "OK");
    CHECK(parse.found.column(0).empty());
  }
  TEST_CASE("a mistake is told with the example's name and number, of one example with the key alone") {
    const std::string good = ExampleOf({{"y", Floats({4, 5})}}), longer = ExampleOf({{"y", Floats({4, 5, 6})}});
    const std::string none = ExampleOf({});
    CHECK(Parse(Texts({good, longer})).Error() ==
          "INVALID_ARGUMENT: Name: <unknown>, Key: y, Index: 1. Number of float values != expected. Values size: 3 but "
          "output shape: [2]");
    CHECK(
        Parse(Texts({good, longer}), Texts({"one", "two"})).Error() ==
        "INVALID_ARGUMENT: Name: two, Key: y, Index: 1. Number of float values != expected. Values size: 3 but output "
        "shape: [2]");
    CHECK(Parse(Texts({none}), Texts({"one"})).Error() ==
          "INVALID_ARGUMENT: Name: one, Feature: y (data type: float) is required but could not be found.");
    CHECK(Parse(Tensor::Scalar(std::string_view(longer))).Error() ==
          "INVALID_ARGUMENT: Key: y. Number of float values != expected. Values size: 3 but output shape: [2]");
    CHECK(Parse(Tensor::Scalar(std::string_view(none))).Error() ==
          "INVALID_ARGUMENT: Feature: y (data type: float) is required but could not be found.");
    CHECK(Parse(Texts({"rubbish"})).Error() == "INVALID_ARGUMENT: Could not parse example input, value: 'rubbish'");
  }
  TEST_CASE("two columns of one key: no feature is found, as in TensorFlow") {
    Parse parse(Texts({ExampleOf({{"y", Floats({4, 5})}})}));
    parse.Add(ColumnKind::kRagged, "y", DataType::kFloat);
    CHECK(parse.Error() ==
          "INVALID_ARGUMENT: Name: <unknown>, Feature: y (data type: float) is required but could not be found.");
  }
  TEST_CASE("of several mistakes the first example's is told, whichever thread comes to one first") {
    const std::string text(10000, 'x');
    Tensor many(DataType::kString, {300});
    for (Index i = 0; i < 300; ++i) many.data<tstring>()[i].assign(text);
    Parse parse(many);
    ThreadPool pool(4, "parse");
    Cpu device;
    device.pool = &pool;
    std::atomic<int> steps{0};
    const Status status = parse.ForEachExample(device, [&](Index i) {
      ++steps;
      return i >= 77 ? errors::InvalidArgument("example ", i) : OkStatus();
    });
    CHECK(status.ToString() == "INVALID_ARGUMENT: example 77");
    CHECK(steps == 300);
  }
}
}  // namespace io_example_columns_test

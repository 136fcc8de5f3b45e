// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/input/dataset_iterator.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/tenon.hpp>
#include <tenon/io/bundle_writer.hpp>
#include <tenon/io/checkpoint.hpp>
#include <tenon/runtime/input/dataset.hpp>

#include "temp_folder.hpp"

namespace dataset_iterator_test {
using namespace tenon;

namespace {

// 11 rows of a number, a text and two floats.
Dataset Rows() {
  Tensor numbers(DataType::kInt64, {11}), texts(DataType::kString, {11}), pairs(DataType::kFloat, {11, 2});
  for (Index i = 0; i < 11; ++i) {
    numbers.data<std::int64_t>()[i] = i;
    texts.data<tstring>()[i].assign(StrCat("text number ", i, " in a long row of letters"));
    pairs.data<float>()[2 * i] = pairs.data<float>()[2 * i + 1] = static_cast<float>(i) / 3;
  }
  return Dataset::FromTensorSlices({numbers, texts, pairs});
}
Status Turn(Span<const Tensor> element, Span<Tensor> results) {
  results[0] = element[2];
  results[1] = element[1];
  results[2] = element[0];
  return OkStatus();
}
const std::vector<DataType> kTurned{DataType::kFloat, DataType::kString, DataType::kInt64};

// Pipelines with all kinds of state.
std::vector<Dataset> Pipelines() {
  return {Rows(),
          Rows().Shuffle(4, 7).Repeat(3).Batch(2),
          Rows().Shuffle(100).Repeat(2).Map(Turn, kTurned).Batch(3, true).Prefetch(2),
          Rows().Repeat(3).Shuffle(5, 1).Map(Turn, kTurned).Prefetch(3).Take(20).Prefetch(1),
          Rows().Shard(2, 1).Shuffle(3, 9, false).Repeat(2).Skip(1),
          Rows().Prefetch(100).Batch(2).Shuffle(2, 5).Prefetch(1)};
}

// All bits of an element.
std::string BitsOf(const std::vector<Tensor>& element) {
  std::string bits;
  for (const Tensor& tensor : element) {
    StrAppend(&bits, tensor.dtype(), tensor.shape(), ":");
    if (tensor.dtype() != DataType::kString) bits += tensor.tensor_data();
    for (Index i = 0; tensor.dtype() == DataType::kString && i < tensor.NumElements(); ++i)
      bits += tensor.data<tstring>()[i].view();
  }
  return bits;
}
std::vector<std::string> Rest(DatasetIterator& iterator) {
  std::vector<std::string> rest;
  std::vector<Tensor> element;
  for (bool end = false;;) {
    REQUIRE(iterator.Next(&element, &end).ok());
    if (end) return rest;
    rest.push_back(BitsOf(element));
  }
}

void CheckRefused(DatasetIterator& iterator, const Tensor& state, Code code, std::string_view text) {
  const Status status = iterator.Restore(state);
  CHECK(status.code() == code);
  CHECK_MESSAGE(status.message().find(text) != std::string_view::npos, status.ToString());
}

}  // namespace

TEST_SUITE("DatasetIterator") {
  TEST_CASE("a saved position gives the rest bit by bit, from every element on") {
    for (std::size_t p = 0; p < Pipelines().size(); ++p) {
      CAPTURE(p);
      const Dataset first = Pipelines()[p];
      DatasetIterator iterator = *first.MakeIterator();
      std::vector<Tensor> states, element;
      std::vector<std::string> all;
      for (bool end = false; !end;) {
        states.push_back(*iterator.Save());
        REQUIRE(iterator.Next(&element, &end).ok());
        if (!end) all.push_back(BitsOf(element));
      }
      REQUIRE(all.size() >= 6);
      REQUIRE(states.size() == all.size() + 1);
      // Another dataset, as a later process makes it.
      const Dataset second = Pipelines()[p];
      for (std::size_t at = 0; at < states.size(); ++at) {
        CAPTURE(at);
        DatasetIterator resumed = *second.MakeIterator();
        bool end = false;
        if (at % 2 == 1) REQUIRE(resumed.Next(&element, &end).ok());
        REQUIRE(resumed.Restore(states[at]).ok());
        CHECK(Rest(resumed) == std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(at), all.end()));
      }
    }
  }
  TEST_CASE("later iterators of a restored dataset have the orders that they would have had") {
    const Dataset one = Rows().Shuffle(20, 3), two = Rows().Shuffle(20, 3);
    DatasetIterator first = *one.MakeIterator();
    std::vector<Tensor> element;
    bool end = false;
    REQUIRE(first.Next(&element, &end).ok());
    const Tensor state = *first.Save();
    DatasetIterator later = *one.MakeIterator();
    DatasetIterator restored = *two.MakeIterator();
    REQUIRE(restored.Restore(state).ok());
    DatasetIterator next = *two.MakeIterator();
    CHECK(Rest(next) == Rest(later));
  }
  TEST_CASE("a checkpoint holds a position") {
    const TempFolder folder;
    const std::string prefix = folder.path() + "/ckpt";
    DatasetIterator iterator = *Pipelines()[2].MakeIterator();
    std::vector<Tensor> element;
    bool end = false;
    for (int i = 0; i < 3; ++i) REQUIRE(iterator.Next(&element, &end).ok());
    {
      BundleWriter writer(prefix);
      REQUIRE(writer.Open().ok());
      REQUIRE(writer.Add("input", *iterator.Save()).ok());
      REQUIRE(writer.Finish().ok());
    }
    CheckpointReader reader = *CheckpointReader::Open(prefix);
    DatasetIterator resumed = *Pipelines()[2].MakeIterator();
    REQUIRE(resumed.Restore(*reader.Read("input")).ok());
    CHECK(Rest(resumed) == Rest(iterator));
  }
  TEST_CASE("a state that does not fit leaves the iterator where it is") {
    const Dataset dataset = Rows().Shuffle(4, 7).Batch(2);
    DatasetIterator iterator = *dataset.MakeIterator();
    std::vector<Tensor> element;
    bool end = false;
    REQUIRE(iterator.Next(&element, &end).ok());
    const Tensor state = *iterator.Save();
    const std::string text(state.scalar<tstring>()().view());
    CheckRefused(iterator, Tensor::Scalar(1.0f), Code::kInvalidArgument, "float");
    CheckRefused(iterator, Tensor(DataType::kString, {1}), Code::kInvalidArgument, "[1]");
    CheckRefused(iterator, Tensor(), Code::kInvalidArgument, "string scalar");
    CheckRefused(iterator, Tensor::Scalar(std::string_view("")), Code::kInvalidArgument, "not one that");
    CheckRefused(iterator, *Rows().Shuffle(5, 7).Batch(2).MakeIterator()->Save(), Code::kInvalidArgument, "Shuffle(5)");
    CheckRefused(iterator, *Rows().MakeIterator()->Save(), Code::kInvalidArgument, "this one is");
    for (std::size_t size = 16; size < text.size(); ++size)
      CheckRefused(iterator, Tensor::Scalar(std::string_view(text).substr(0, size)), Code::kDataLoss, "the state");
    for (std::size_t at = 16; at < text.size(); at += 3) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ 4);
      CheckRefused(iterator, Tensor::Scalar(std::string_view(damaged)), Code::kDataLoss, "damaged");
    }
    DatasetIterator good = *Rows().Shuffle(4, 7).Batch(2).MakeIterator();
    REQUIRE(good.Restore(state).ok());
    CHECK(Rest(iterator) == Rest(good));
  }
  TEST_CASE("a state with a right checksum and wrong content is refused") {
    // What a program that writes states of its own can do wrong: the numbers end early, go on, or are out of range.
    DatasetIterator iterator = *Rows().Repeat(2).MakeIterator();
    const std::string text(iterator.Save()->scalar<tstring>()().view());
    const auto sealed = [](std::string_view content) {
      std::string out(content);
      const std::uint32_t sum = Crc32c(out);
      out.append(reinterpret_cast<const char*>(&sum), sizeof sum);
      return Tensor::Scalar(std::string_view(out));
    };
    const std::string_view content = std::string_view(text).substr(0, text.size() - 4);
    CHECK(iterator.Restore(sealed(content)).ok());
    for (std::size_t size = 16; size < content.size(); ++size)
      CHECK(!iterator.Restore(sealed(content.substr(0, size))).ok());
    CHECK(!iterator.Restore(sealed(StrCat(content, "12345678"))).ok());
    for (std::size_t at = 16; at < content.size(); ++at)
      for (const int bits : {0x80, 0xff, 0x01}) {
        std::string changed(content);
        changed[at] = static_cast<char>(changed[at] ^ bits);
        (void)iterator.Restore(sealed(changed));  // refused, or another position
        std::vector<Tensor> element;
        bool end = false;
        (void)iterator.Next(&element, &end);
      }
  }
  TEST_CASE("an iterator without a dataset refuses all calls") {
    DatasetIterator iterator;
    std::vector<Tensor> element{Tensor::Scalar(1)};
    bool end = true;
    CHECK(iterator.Next(&element, &end).code() == Code::kFailedPrecondition);
    CHECK(element.empty());
    CHECK(!end);
    CHECK(iterator.Save().status().code() == Code::kFailedPrecondition);
    CHECK(iterator.Restore(Tensor::Scalar(1)).code() == Code::kFailedPrecondition);
  }
  TEST_CASE("elements of variants are not saved") {
    const Dataset variants = Dataset::FromTensorSlices({Tensor(DataType::kVariant, {3})});
    CHECK(variants.MakeIterator()->Save().ok());  // a number only
    DatasetIterator iterator = *variants.Shuffle(2, 1).MakeIterator();
    std::vector<Tensor> element;
    bool end = false;
    REQUIRE(iterator.Next(&element, &end).ok());
    CHECK(iterator.Save().status().code() == Code::kUnimplemented);
  }
  TEST_CASE("a prefetching iterator may go, move and be replaced in the middle") {
    for (int taken = 0; taken < 4; ++taken) {
      DatasetIterator iterator = *Rows().Repeat().Batch(2).Prefetch(4).Prefetch(2).MakeIterator();
      std::vector<Tensor> element;
      bool end = false;
      for (int i = 0; i < taken; ++i) REQUIRE(iterator.Next(&element, &end).ok());
      DatasetIterator moved = std::move(iterator);
      REQUIRE(moved.Next(&element, &end).ok());
      CHECK(element[0].data<std::int64_t>()[0] == 2 * taken);
      moved = *Rows().Prefetch(1).MakeIterator();
      REQUIRE(moved.Next(&element, &end).ok());
      CHECK(element[0].data<std::int64_t>()[0] == 0);
    }
  }
}
}  // namespace dataset_iterator_test

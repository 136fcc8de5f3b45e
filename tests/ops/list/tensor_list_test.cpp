// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/list/tensor_list.hpp>

#include <string>
#include <utility>

#include <doctest/doctest.h>

namespace state_tensor_list_test {
using namespace tenon;

namespace {
// As TensorFlow serialises a list of shape [?,2] and three elements, of which only number 1 is set.
const std::string kMetadata(
    "\x02\x00\x02\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12"
    "\x02\x08\x02",
    31);

TensorList SomeList() {
  TensorList list;
  list.element_dtype = DataType::kFloat;
  const Index dims[] = {-1, 2};
  list.element_shape = PartialTensorShape(dims);
  CHECK(list.Resize(3).ok());
  list.at(1) = MakeTensor<float>({1, 2}, {1, 2});
  return list;
}
}  // namespace

TEST_SUITE("TensorList") {
  TEST_CASE("is written as TensorFlow writes it, and read back") {
    VariantTensorData data;
    CHECK(EncodeVariant(Variant(SomeList()), &data).ok());
    CHECK(data.type_name == "tensorflow::TensorList");
    CHECK(data.metadata == kMetadata);
    REQUIRE(data.tensors.size() == 1);
    TensorList read;
    REQUIRE(read.Decode(data));
    CHECK(read.size() == 3);
    CHECK(!TensorList::IsSet(read.at(0)));
    CHECK(read.at(1).data<float>()[1] == 2);
    CHECK(!TensorList::IsSet(read.at(2)));
    CHECK(read.element_dtype == DataType::kFloat);
    CHECK(read.max_num_elements == -1);
    CHECK(read.element_shape.DebugString() == "[?,2]");
  }
  TEST_CASE("no beginning of it is read, nor one with numbers that do not ascend") {
    for (std::size_t size = 0; size + 13 < kMetadata.size(); ++size) {
      VariantTensorData data;
      data.metadata = kMetadata.substr(0, size);
      data.tensors.push_back(MakeTensor<float>({1, 2}, {1, 2}));
      if (size != 14) CHECK(!TensorList().Decode(data));  // 14 bytes and no shape: an unknown one
    }
    VariantTensorData data;
    data.metadata = std::string("\x02\x02\x00", 3) + kMetadata.substr(3);
    data.tensors.push_back(MakeTensor<float>({1, 2}, {1, 2}));
    CHECK(!TensorList().Decode(data));
    data.metadata = "\xff\xff\xff\xff\x7f" + kMetadata;  // more unset elements than there are bytes
    CHECK(!TensorList().Decode(data));
  }
  TEST_CASE("a copy has its own handles of the same tensors") {
    const TensorList list = SomeList();
    TensorList copy = list;
    CHECK(copy.at(1).SharesBufferWith(list.at(1)));
    copy.at(1) = Tensor(DataType::kInvalid);
    CHECK(TensorList::IsSet(list.at(1)));
  }
  TEST_CASE("a length for which there is no memory is refused") {
    TensorList list;
    CHECK(list.Resize(Index{1} << 40).code() == Code::kResourceExhausted);
    CHECK(list.size() == 0);
  }
}
}  // namespace state_tensor_list_test

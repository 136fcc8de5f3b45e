// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/csr_matrix.hpp>

#include <doctest/doctest.h>

namespace sparse_csr_matrix_test {
using namespace tenon;

namespace {

Tensor Numbers(std::initializer_list<std::int32_t> numbers) {
  Tensor tensor(DataType::kInt32, {static_cast<Index>(numbers.size())});
  std::int32_t* to = tensor.data<std::int32_t>();
  for (const std::int32_t x : numbers) *to++ = x;
  return tensor;
}
// [[0 5] [6 0]]
CSRSparseMatrix Two() {
  CSRSparseMatrix x;
  x.dtype = DataType::kFloat;
  x.validated = true;
  x.shape = Tensor(DataType::kInt64, {2});
  x.shape.data<std::int64_t>()[0] = x.shape.data<std::int64_t>()[1] = 2;
  x.batch_pointers = Numbers({0, 2});
  x.row_pointers = Numbers({0, 1, 2});
  x.columns = Numbers({1, 0});
  x.values = Tensor(DataType::kFloat, {2});
  x.values.data<float>()[0] = 5;
  x.values.data<float>()[1] = 6;
  return x;
}

}  // namespace

TEST_SUITE("CSRSparseMatrix") {
  TEST_CASE("serialised and read again") {
    VariantTensorData data;
    Two().Encode(&data);
    CHECK(data.metadata == std::string("\1\0\0\0\1\0\0\0", 8));
    CHECK(data.tensors.size() == 5);
    CSRSparseMatrix read;
    CHECK(read.Decode(data));
    CHECK(read.validated);
    CHECK(read.HasRows());
    CHECK(read.columns_of(0)[0] == 1);
    data.metadata[4] = 2;
    CHECK_FALSE(read.Decode(data));
    data.metadata[4] = 1;
    data.tensors.pop_back();
    CHECK_FALSE(read.Decode(data));
    CHECK(Two().TypeName() == "tensorflow::CSRSparseMatrix");
    CHECK(Two().DebugString() == "CSRSparseMatrix(dtype=float, shape=2 2, nnz=2)");
  }
  TEST_CASE("finds parts that do not fit") {
    CSRSparseMatrix x = Two();
    CHECK(x.HasForm());
    x.batch_pointers = Numbers({0, 1});
    CHECK_FALSE(x.HasForm());
    x = Two();
    x.row_pointers = Numbers({0, 2});
    CHECK_FALSE(x.HasForm());
    x = Two();
    x.shape.data<std::int64_t>()[0] = -1;
    CHECK_FALSE(x.HasForm());
    x = Two();
    x.row_pointers = Numbers({0, 3, 2});
    CHECK_FALSE(x.HasRows());
    x = Two();
    x.columns = Numbers({1, 2});
    CHECK_FALSE(x.HasRows());
    CHECK_FALSE(CSRSparseMatrix().HasForm());
  }
}
}  // namespace sparse_csr_matrix_test

// SPDX-License-Identifier: Apache-2.0
// Ops that order, count, look up and move: sort, TopK, Unique, sets, histograms, scans, gather and scatter.
#include "sweeps/sweep.hpp"

namespace tenon::bench {
namespace {

constexpr Index kTable = Index{1} << 24;  // elements of a large table

// Random numbers in order.
Tensor Sorted(Index n) {
  Tensor numbers = Numbers({n});
  float* const at = numbers.data<float>();
  std::sort(at, at + n);
  return numbers;
}
void TopK(Call& c, Tensor x, Index k) {
  c.In(std::move(x));
  c.In(One(k));
}
void Unique(Call& c, Tensor x) {
  c.In(std::move(x));
  c.numpy = "np.unique(x, return_inverse=True)[1]";
}

const Sweep kSweeps[] = {
    // ---- order
    {"TopKV2_10", "TopKV2", "elements", 24, [](Index n, Call& c) { TopK(c, Numbers({n}), 10); }},
    {"TopKV2_half", "TopKV2", "elements, k = n / 2", 22, [](Index n, Call& c) { TopK(c, Numbers({n}), n / 2); }},
    {"TopKV2_sort", "TopKV2", "elements, k = n", 22,
     [](Index n, Call& c) {
       TopK(c, Numbers({n}), n);
       c.numpy = "np.argsort(-x, kind='stable')";
     }},
    {"TopKV2_sort_of_sorted", "TopKV2", "elements, k = n", 22,
     [](Index n, Call& c) {
       TopK(c, Sorted(n), n);
       c.numpy = "np.argsort(-x, kind='stable')";
     }},
    {"TopKV2_sort_of_equal", "TopKV2", "elements, k = n", 22,
     [](Index n, Call& c) {
       TopK(c, Filled<float>({n}, 1), n);
       c.numpy = "np.argsort(-x, kind='stable')";
     }},
    {"TopKV2_10_of_sorted", "TopKV2", "elements", 24, [](Index n, Call& c) { TopK(c, Sorted(n), 10); }},
    {"TopKV2_int32_sort", "TopKV2", "elements, k = n", 22, [](Index n, Call& c) { TopK(c, Ints({n}, 1000), n); }},
    {"TopKV2_rows", "TopKV2", "elements, rows of 16, k = 4", 24,
     [](Index n, Call& c) { TopK(c, Numbers({n / 16, 16}), 4); }},
    {"NthElement", "NthElement", "elements, the middle one", 24,
     [](Index n, Call& c) {
       c.In(Numbers({n}));
       c.In(One(n / 2));
       c.numpy = "np.partition(x, x.size // 2)[x.size // 2]";
     }},
    {"NthElement_of_equal", "NthElement", "elements, the middle one", 24,
     [](Index n, Call& c) {
       c.In(Filled<float>({n}, 1));
       c.In(One(n / 2));
       c.numpy = "np.partition(x, x.size // 2)[x.size // 2]";
     }},
    {"InTopKV2", "InTopKV2", "elements, rows of 16", 24,
     [](Index n, Call& c) {
       c.In(Numbers({n / 16, 16}));
       c.In(Ints({n / 16}, 16));
       c.In(One(3));
     }},
    {"LowerBound", "LowerBound", "sorted elements and values", 22,
     [](Index n, Call& c) {
       c.In(Shaped(Sorted(n), {1, n}));
       c.In(Numbers({1, n}, -1, 1, 2));
     }},
    {"UpperBound", "UpperBound", "sorted elements, values in order", 22,
     [](Index n, Call& c) {
       c.In(Shaped(Sorted(n), {1, n}));
       c.In(Shaped(Sorted(n), {1, n}));
     }},
    {"Bucketize", "Bucketize", "elements, 100 boundaries", 24,
     [](Index n, Call& c) {
       std::vector<float> boundaries;
       for (int i = 0; i < 100; ++i) boundaries.push_back(static_cast<float>(i) / 50 - 1);
       c.In(Numbers({n}));
       c.attrs = {{"boundaries", boundaries}};
     }},
    {"IsotonicRegression", "IsotonicRegression", "elements", 22,
     [](Index n, Call& c) { c.In(Numbers({1, n})); }},
    {"IsotonicRegression_of_sorted", "IsotonicRegression", "elements, rising", 22,
     [](Index n, Call& c) {
       c.In(Shaped(Sorted(n), {1, n}));
     }},
    // ---- sets and counts
    {"Unique_different", "Unique", "elements, all different", 24, [](Index n, Call& c) { Unique(c, Permutation(n)); }},
    {"Unique_few", "Unique", "elements of 16 values", 24, [](Index n, Call& c) { Unique(c, Ints({n}, 16)); }},
    {"Unique_half", "Unique", "elements of n / 2 values", 24, [](Index n, Call& c) { Unique(c, Ints({n}, n / 2)); }},
    {"Unique_multiples", "Unique", "elements, multiples of 4096", 18,
     [](Index n, Call& c) { Unique(c, Steps<std::int32_t>(n, 1, 4096)); }},
    {"Unique_int64", "Unique", "elements, all different", 22,
     [](Index n, Call& c) { Unique(c, Permutation<std::int64_t>(n)); }},
    {"Unique_float", "Unique", "elements", 22,
     [](Index n, Call& c) { Unique(c, Numbers({n})); }},
    {"Unique_strings", "Unique", "words", 20, [](Index n, Call& c) { c.In(Words({n})); }},
    {"UniqueV2_rows", "UniqueV2", "elements, rows of 4", 20,
     [](Index n, Call& c) {
       c.In(Ints({n / 4, 4}, 64));
       c.In(Vector<std::int64_t>({0}));
     }},
    {"UniqueWithCounts", "UniqueWithCounts", "elements of n / 2 values", 22,
     [](Index n, Call& c) { c.In(Ints({n}, n / 2)); }},
    {"ListDiff", "ListDiff", "elements of each list", 22,
     [](Index n, Call& c) {
       c.In(Permutation(n));
       c.In(Ints({n}, n, 2));
     }},
    {"DenseToDenseSetOperation", "DenseToDenseSetOperation", "elements of each set", 20,
     [](Index n, Call& c) {
       c.In(Ints({1, n}, n));
       c.In(Ints({1, n}, n, 2));
       c.attrs = {{"set_operation", "intersection"}};
     }},
    {"DenseToDenseSetOperation_rows", "DenseToDenseSetOperation", "elements of each set, rows of 4", 20,
     [](Index n, Call& c) {
       c.In(Ints({n / 4, 4}, 8));
       c.In(Ints({n / 4, 4}, 8, 2));
       c.attrs = {{"set_operation", "union"}};
     }},
    {"SetSize", "SetSize", "elements", 20,
     [](Index n, Call& c) {
       const Sparse sparse = SparseMatrix(n);
       c.In(sparse.indices);
       c.In(Ints({n}, n));
       c.In(sparse.shape);
     }},
    {"Bincount", "Bincount", "elements and bins", 24,
     [](Index n, Call& c) {
       c.In(Ints({n}, n));
       c.In(One(n));
       c.In(Tensor(DataType::kInt32, {0}));
       c.numpy = "np.bincount(x)";
     }},
    {"Bincount_few", "Bincount", "elements, 16 bins", 24,
     [](Index n, Call& c) {
       c.In(Ints({n}, 16));
       c.In(One(16));
       c.In(Tensor(DataType::kInt32, {0}));
       c.numpy = "np.bincount(x)";
     }},
    {"DenseBincount_weights", "DenseBincount", "elements, 1000 bins", 24,
     [](Index n, Call& c) {
       c.In(Ints({n}, 1000));
       c.In(One(1000));
       c.In(Numbers({n}));
       c.relative_error = 1e-2;
     }},
    {"DenseCountSparseOutput", "DenseCountSparseOutput", "elements of n / 2 values", 20,
     [](Index n, Call& c) {
       c.In(Ints({n}, n / 2));
       c.In(Tensor(DataType::kFloat, {0}));
       c.attrs = {{"binary_output", false}};
     }},
    {"HistogramFixedWidth", "HistogramFixedWidth", "elements, 100 bins", 24,
     [](Index n, Call& c) {
       c.In(Numbers({n}));
       c.In(Tensor::From<float>({-1, 1}, {2}));
       c.In(One(100));
     }},
    {"InvertPermutation", "InvertPermutation", "elements", 24, [](Index n, Call& c) { c.In(Permutation(n)); }},
    {"Where", "Where", "elements, half of them true", 24,
     [](Index n, Call& c) {
       Tensor which(DataType::kBool, {n});
       Random random;
       for (bool& x : which.flat<bool>()) x = random.Below(2) != 0;
       c.In(which);
       c.numpy = "np.nonzero(x)[0]";
     }},
    {"Where_2", "Where", "elements of a matrix", 24,
     [](Index n, Call& c) {
       Tensor which(DataType::kBool, {Side(n), Side(n)});
       Random random;
       for (bool& x : which.flat<bool>()) x = random.Below(8) == 0;
       c.In(which);
     }},
    // ---- scans and reductions
    {"Cumsum", "Cumsum", "elements of one row", 24,
     [](Index n, Call& c) {
       c.In(Numbers({n}));
       c.In(One(0));
       c.relative_error = 1e-2;
       c.numpy = "np.cumsum(x)";
     }},
    {"Cumsum_columns", "Cumsum", "elements of a matrix, along columns", 24,
     [](Index n, Call& c) {
       c.In(Numbers({Side(n), Side(n)}));
       c.In(One(0));
       c.relative_error = 1e-2;
       c.numpy = "np.cumsum(x, 0)";
     }},
    {"Cumprod", "Cumprod", "elements of one row", 24,
     [](Index n, Call& c) {
       c.In(Filled<float>({n}, 1.0000001f));
       c.In(One(0));
       c.relative_error = 1e-2;
       c.numpy = "np.cumprod(x)";
     }},
    {"CumulativeLogsumexp", "CumulativeLogsumexp", "elements of one row", 22,
     [](Index n, Call& c) {
       c.In(Numbers({n}));
       c.In(One(0));
       c.relative_error = 1e-2;
     }},
    {"ArgMax", "ArgMax", "elements of one row", 24,
     [](Index n, Call& c) {
       c.In(Numbers({n}));
       c.In(One(0));
       c.numpy = "np.argmax(x)";
     }},
    {"ArgMax_columns", "ArgMax", "elements of a matrix, along columns", 24,
     [](Index n, Call& c) {
       c.In(Numbers({Side(n), Side(n)}));
       c.In(One(0));
       c.numpy = "np.argmax(x, 0)";
     }},
    {"Sum", "Sum", "elements", 24,
     [](Index n, Call& c) {
       c.In(Numbers({n}, 0, 1));
       c.In(Vector({0}));
       c.numpy = "np.sum(x)";
     }},
    {"Sum_columns", "Sum", "elements of a matrix, along columns", 24,
     [](Index n, Call& c) {
       c.In(Numbers({Side(n), Side(n)}, 0, 1));
       c.In(Vector({0}));
       c.numpy = "np.sum(x, 0)";
     }},
    {"Prod_double", "Prod", "elements", 24,
     [](Index n, Call& c) {
       c.In(Numbers<double>({n}, 0.999999, 1.000001));
       c.In(Vector({0}));
     }},
    {"Mean_rows_of_4", "Mean", "elements, rows of 4", 24,
     [](Index n, Call& c) {
       c.In(Numbers({n / 4, 4}));
       c.In(Vector({1}));
     }},
    // ---- gather and scatter
    {"GatherV2_large_table", "GatherV2", "indices into 2^24 elements", 22,
     [](Index n, Call& c) {
       c.In(Numbers({kTable}));
       c.In(Ints({n}, kTable));
       c.In(One(0));
     }},
    {"GatherV2_large_table_int64", "GatherV2", "indices into 2^24 elements", 22,
     [](Index n, Call& c) {
       c.In(Numbers({kTable}));
       c.In(Ints<std::int64_t>({n}, kTable));
       c.In(One(0));
     }},
    {"GatherV2_rows_of_4", "GatherV2", "indices into 2^22 rows of 4", 22,
     [](Index n, Call& c) {
       c.In(Numbers({kTable / 4, 4}));
       c.In(Ints({n}, kTable / 4));
       c.In(One(0));
     }},
    {"GatherV2_rows_of_64", "GatherV2", "indices into 2^18 rows of 64", 18,
     [](Index n, Call& c) {
       c.In(Numbers({kTable / 64, 64}));
       c.In(Ints({n}, kTable / 64));
       c.In(One(0));
     }},
    {"GatherV2_columns", "GatherV2", "indices into each of 16 rows of n", 20,
     [](Index n, Call& c) {
       c.In(Numbers({16, n}));
       c.In(Ints({n}, n));
       c.In(One(1));
     }},
    {"GatherV2_strings", "GatherV2", "indices into n words", 20,
     [](Index n, Call& c) {
       c.In(Words({n}));
       c.In(Ints({n}, n));
       c.In(One(0));
     }},
    {"GatherNd", "GatherNd", "pairs of indices into 4096 x 4096", 20,
     [](Index n, Call& c) {
       c.In(Numbers({4096, 4096}));
       c.In(Ints({n, 2}, 4096));
     }},
    {"ScatterNd", "ScatterNd", "updates into n elements", 22,
     [](Index n, Call& c) {
       c.In(Ints({n, 1}, n));
       c.In(Numbers({n}));
       c.In(Vector({n}));
     }},
    {"TensorScatterUpdate", "TensorScatterUpdate", "updates of n elements", 22,
     [](Index n, Call& c) {
       c.In(Numbers({n}));
       c.In(Shaped(Permutation(n), {n, 1}));
       c.In(Numbers({n}, -1, 1, 2));
     }},
    {"TensorScatterAdd", "TensorScatterAdd", "updates of n elements", 22,
     [](Index n, Call& c) {
       c.In(Numbers({n}));
       c.In(Ints({n, 1}, n));
       c.In(Numbers({n}, -1, 1, 2));
     }},
    {"TensorScatterAdd_rows", "TensorScatterAdd", "updates of n rows of 16", 20,
     [](Index n, Call& c) {
       c.In(Numbers({n, 16}));
       c.In(Ints({n, 1}, n));
       c.In(Numbers({n, 16}, -1, 1, 2));
     }},
    {"TensorScatterMax", "TensorScatterMax", "updates of n elements", 22,
     [](Index n, Call& c) {
       c.In(Numbers({n}));
       c.In(Ints({n, 1}, n));
       c.In(Numbers({n}, -1, 1, 2));
     }},
    {"DynamicPartition", "DynamicPartition", "elements, 8 parts", 24,
     [](Index n, Call& c) {
       c.In(Numbers({n}));
       c.In(Ints({n}, 8));
       c.attrs = {{"num_partitions", 8}};
     }},
    {"DynamicStitch", "DynamicStitch", "elements of 2 lists", 22,
     [](Index n, Call& c) {
       const Tensor all = Permutation(n);
       const auto* from = all.data<std::int32_t>();
       c.List({Tensor::From<std::int32_t>(std::span(from, static_cast<std::size_t>(n / 2)), {n / 2}),
               Tensor::From<std::int32_t>(std::span(from + n / 2, static_cast<std::size_t>(n / 2)), {n / 2})});
       c.List({Numbers({n / 2}), Numbers({n / 2}, -1, 1, 2)});
     }},
    {"OneHot", "OneHot", "indices, depth 16", 20,
     [](Index n, Call& c) {
       c.In(Ints({n}, 16));
       c.In(One(16));
       c.In(One(1.0f));
       c.In(One(0.0f));
     }},
    // ---- other moves
    {"Transpose", "Transpose", "elements of a matrix", 24,
     [](Index n, Call& c) {
       c.In(Numbers({Side(n), Side(n)}));
       c.In(Vector({1, 0}));
       c.numpy = "np.ascontiguousarray(x.T)";
     }},
    {"Transpose_4", "Transpose", "elements, 4 axes turned round", 24,
     [](Index n, Call& c) {
       c.In(Numbers({4, Side(n) / 2, Side(n) / 4, 2}));
       c.In(Vector({3, 2, 1, 0}));
     }},
    {"ReverseV2", "ReverseV2", "elements of one row", 24,
     [](Index n, Call& c) {
       c.In(Numbers({n}));
       c.In(Vector({0}));
     }},
    {"ReverseSequence", "ReverseSequence", "elements of a matrix", 24,
     [](Index n, Call& c) {
       c.In(Numbers({Side(n), Side(n)}));
       c.In(Ints({Side(n)}, Side(n)));
       c.attrs = {{"seq_dim", 1}, {"batch_dim", 0}};
     }},
    {"MirrorPad", "MirrorPad", "elements of a matrix", 24,
     [](Index n, Call& c) {
       c.In(Numbers({Side(n), Side(n)}));
       c.In(Tensor::From<std::int32_t>({1, 1, 1, 1}, {2, 2}));
       c.attrs = {{"mode", "REFLECT"}};
     }},
    {"Roll", "Roll", "elements of a matrix", 24,
     [](Index n, Call& c) {
       c.In(Numbers({Side(n), Side(n)}));
       c.In(Vector({1, 3}));
       c.In(Vector({0, 1}));
     }},
    {"Tile", "Tile", "elements of the result", 24,
     [](Index n, Call& c) {
       c.In(Numbers({Side(n) / 2, Side(n) / 2}));
       c.In(Vector({2, 2}));
     }},
    {"BroadcastTo", "BroadcastTo", "elements of the result", 24,
     [](Index n, Call& c) {
       c.In(Numbers({Side(n), 1}));
       c.In(Vector({Side(n), Side(n)}));
     }},
    {"StridedSlice", "StridedSlice", "elements, every second", 24,
     [](Index n, Call& c) {
       c.In(Numbers({n}));
       c.In(Vector({0}));
       c.In(Vector({n}));
       c.In(Vector({2}));
     }},
    {"MatrixDiagV3", "MatrixDiagV3", "elements of the matrix", 24,
     [](Index n, Call& c) {
       c.In(Numbers({Side(n)}));
       for (const Index value : {0, -1, -1}) c.In(One(value));
       c.In(One(0.0f));
     }},
    {"MatrixSetDiagV3", "MatrixSetDiagV3", "elements of the matrix", 24,
     [](Index n, Call& c) {
       c.In(Numbers({Side(n), Side(n)}));
       c.In(Numbers({Side(n)}));
       c.In(One(0));
     }},
    {"MatrixBandPart", "MatrixBandPart", "elements of the matrix", 24,
     [](Index n, Call& c) {
       c.In(Numbers({Side(n), Side(n)}));
       c.In(One<std::int64_t>(1));
       c.In(One<std::int64_t>(-1));
     }},
    {"SpaceToBatchND", "SpaceToBatchND", "pixels of 4 channels", 22,
     [](Index n, Call& c) {
       c.In(Numbers({1, Side(n), Side(n), 4}));
       c.In(Vector({2, 2}));
       c.In(Tensor::From<std::int32_t>({0, 0, 0, 0}, {2, 2}));
       c.shapes = true;
     }},
    {"SpaceToDepth", "SpaceToDepth", "pixels of 4 channels", 22,
     [](Index n, Call& c) {
       c.In(Numbers({1, Side(n), Side(n), 4}));
       c.attrs = {{"block_size", 2}};
     }},
    {"ConcatV2_columns", "ConcatV2", "elements, 2 rows beside each other", 24,
     [](Index n, Call& c) {
       c.List({Numbers({n / 8, 4}), Numbers({n / 8, 4}, -1, 1, 2)});
       c.In(One(1));
     }},
    {"UnravelIndex", "UnravelIndex", "indices", 22,
     [](Index n, Call& c) {
       c.In(Ints({n}, n));
       c.In(Vector({Side(n), Side(n)}));
     }},
};
const SweepList list(kSweeps);

}  // namespace
}  // namespace tenon::bench

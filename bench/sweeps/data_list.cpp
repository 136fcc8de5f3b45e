// SPDX-License-Identifier: Apache-2.0
// Ops over segments, sparse and ragged tensors, and random draws.
#include "sweeps/sweep.hpp"

namespace tenon::bench {
namespace {

// n numbers whose ids of segments are i / length; one huge segment: length = n.
void Segments(Call& c, Index n, Index length) {
  c.In(Numbers({n}, 0, 1));
  c.In(Steps(n, length));
  c.relative_error = 1e-2;  // long sums
}
void Unsorted(Call& c, Tensor data, Tensor ids, Index segments) {
  c.In(std::move(data));
  c.In(std::move(ids));
  c.In(One(segments));
  c.relative_error = 1e-2;
}
// n rows of 8, picked from a table of n rows.
void SparseSegments(Call& c, Index n, Index length) {
  c.In(Numbers({n, 8}, 0, 1));
  c.In(Ints({n}, n));
  c.In(Steps(n, length));
  c.relative_error = 1e-2;
}
// The key and the counter of stateless draws, and the algorithm.
void Key(Call& c) {
  c.In(Tensor::From<std::uint64_t>({7}, {1}));
  c.In(Tensor::From<std::uint64_t>({0, 0}, {2}));
  c.In(One(1));
}
void Draw(Call& c, Index n) {
  c.In(Vector({n}));
  c.compared = 0;
}
void DrawFloats(Call& c, Index n) {
  Draw(c, n);
  c.attrs = {{"dtype", DataType::kFloat}};
}
void Candidates(Call& c, Index n) {
  c.In(Ints<std::int64_t>({1, 1}, n));
  c.attrs = {{"num_true", 1}, {"num_sampled", n}, {"unique", true}, {"range_max", 4 * n}};
  c.compared = 0;
}
// Splits of n values into rows of 4.
Tensor Splits(Index n) { return Steps<std::int64_t>(n / 4 + 1, 1, 4); }

const Sweep kSweeps[] = {
    // ---- segments
    {"SegmentSum_one", "SegmentSum", "elements of one segment", 24, [](Index n, Call& c) { Segments(c, n, n); }},
    {"SegmentSum_4", "SegmentSum", "elements, 4 a segment", 24, [](Index n, Call& c) { Segments(c, n, 4); }},
    {"SegmentSum_each", "SegmentSum", "elements, 1 a segment", 24, [](Index n, Call& c) { Segments(c, n, 1); }},
    {"SegmentSum_rows", "SegmentSum", "rows of 16, 4 a segment", 20,
     [](Index n, Call& c) {
       c.In(Numbers({n, 16}));
       c.In(Steps(n, 4));
     }},
    {"SegmentMean", "SegmentMean", "elements, 4 a segment", 22, [](Index n, Call& c) { Segments(c, n, 4); }},
    {"SegmentMax", "SegmentMax", "elements, 4 a segment", 22, [](Index n, Call& c) { Segments(c, n, 4); }},
    {"SegmentProd", "SegmentProd", "elements, 4 a segment", 22, [](Index n, Call& c) { Segments(c, n, 4); }},
    {"UnsortedSegmentSum_one", "UnsortedSegmentSum", "elements of one segment", 24,
     [](Index n, Call& c) { Unsorted(c, Numbers({n}, 0, 1), Ints({n}, 1), 1); }},
    {"UnsortedSegmentSum_16", "UnsortedSegmentSum", "elements of 16 segments", 24,
     [](Index n, Call& c) { Unsorted(c, Numbers({n}), Ints({n}, 16), 16); }},
    {"UnsortedSegmentSum_many", "UnsortedSegmentSum", "elements of n segments", 22,
     [](Index n, Call& c) { Unsorted(c, Numbers({n}), Ints({n}, n), n); }},
    {"UnsortedSegmentSum_rows", "UnsortedSegmentSum", "rows of 16 of n segments", 20,
     [](Index n, Call& c) { Unsorted(c, Numbers({n, 16}), Ints({n}, n), n); }},
    {"UnsortedSegmentMax", "UnsortedSegmentMax", "elements of n segments", 22,
     [](Index n, Call& c) { Unsorted(c, Numbers({n}), Ints({n}, n), n); }},
    {"UnsortedSegmentProd", "UnsortedSegmentProd", "elements of n segments", 22,
     [](Index n, Call& c) { Unsorted(c, Numbers({n}), Ints({n}, n), n); }},
    {"SparseSegmentSum", "SparseSegmentSum", "rows of 8, 4 a segment", 20,
     [](Index n, Call& c) { SparseSegments(c, n, 4); }},
    {"SparseSegmentSum_one", "SparseSegmentSum", "rows of 8 of one segment", 20,
     [](Index n, Call& c) { SparseSegments(c, n, n); }},
    {"SparseSegmentMean", "SparseSegmentMean", "rows of 8, 4 a segment", 20,
     [](Index n, Call& c) { SparseSegments(c, n, 4); }},
    {"SparseSegmentSqrtN", "SparseSegmentSqrtN", "rows of 8, 4 a segment", 20,
     [](Index n, Call& c) { SparseSegments(c, n, 4); }},
    {"SparseSegmentSumGrad", "SparseSegmentSumGrad", "rows of 8, 4 a segment", 20,
     [](Index n, Call& c) {
       c.In(Numbers({n / 4, 8}));
       c.In(Ints({n}, n));
       c.In(Steps(n, 4));
       c.In(One(n));
     }},
    {"SparseSegmentMeanGrad", "SparseSegmentMeanGrad", "rows of 8, 4 a segment", 20,
     [](Index n, Call& c) {
       c.In(Numbers({n / 4, 8}));
       c.In(Ints({n}, n));
       c.In(Steps(n, 4));
       c.In(One(n));
     }},
    // ---- sparse
    {"SparseToDense", "SparseToDense", "stored elements of 1 in 16", 20,
     [](Index n, Call& c) {
       const Sparse sparse = SparseMatrix(n);
       c.In(sparse.indices);
       c.In(sparse.shape);
       c.In(sparse.values);
       c.In(One(0.0f));
     }},
    {"SparseReorder", "SparseReorder", "stored elements in random order", 20,
     [](Index n, Call& c) { Add(c, Shuffled(SparseMatrix(n))); }},
    {"SparseReorder_of_sorted", "SparseReorder", "stored elements in order", 20,
     [](Index n, Call& c) { Add(c, SparseMatrix(n)); }},
    {"SparseAdd", "SparseAdd", "stored elements of each", 20,
     [](Index n, Call& c) {
       Add(c, SparseMatrix(n));
       Add(c, SparseMatrix(n, 2));
       c.In(One(0.0f));
     }},
    {"SparseConcat", "SparseConcat", "stored elements of each of 2", 20,
     [](Index n, Call& c) {
       const Sparse a = SparseMatrix(n), b = SparseMatrix(n, 2);
       c.List({a.indices, b.indices});
       c.List({a.values, b.values});
       c.List({a.shape, b.shape});
       c.attrs = {{"concat_dim", 1}};
     }},
    {"SparseSlice", "SparseSlice", "stored elements, half of the columns", 20,
     [](Index n, Call& c) {
       Add(c, SparseMatrix(n));
       c.In(Vector<std::int64_t>({0, 4 * Side(n)}));
       c.In(Vector<std::int64_t>({Side(n), 8 * Side(n)}));
     }},
    {"SparseSplit", "SparseSplit", "stored elements, 4 parts", 20,
     [](Index n, Call& c) {
       c.In(One<std::int64_t>(1));
       Add(c, SparseMatrix(n));
       c.attrs = {{"num_split", 4}};
     }},
    {"SparseReshape", "SparseReshape", "stored elements", 20,
     [](Index n, Call& c) {
       const Sparse sparse = SparseMatrix(n);
       c.In(sparse.indices);
       c.In(sparse.shape);
       c.In(Vector<std::int64_t>({4 * Side(n), -1}));
     }},
    {"SparseReduceSum", "SparseReduceSum", "stored elements, along columns", 20,
     [](Index n, Call& c) {
       Add(c, SparseMatrix(n));
       c.In(Vector({0}));
       c.relative_error = 1e-2;
     }},
    {"SparseReduceSum_rows", "SparseReduceSum", "stored elements, along rows", 20,
     [](Index n, Call& c) {
       Add(c, SparseMatrix(n));
       c.In(Vector({1}));
       c.relative_error = 1e-2;
     }},
    {"SparseReduceMax", "SparseReduceMax", "stored elements, along rows", 20,
     [](Index n, Call& c) {
       Add(c, SparseMatrix(n));
       c.In(Vector({1}));
     }},
    {"SparseSoftmax", "SparseSoftmax", "stored elements", 20, [](Index n, Call& c) { Add(c, SparseMatrix(n)); }},
    {"SparseFillEmptyRows", "SparseFillEmptyRows", "stored elements, half of the rows empty", 20,
     [](Index n, Call& c) {
       Sparse sparse = SparseMatrix(n);
       for (Index i = 0; i < n; ++i) sparse.indices.flat<std::int64_t>()[2 * i] *= 2;
       sparse.shape = Vector<std::int64_t>({2 * Side(n), 16 * Side(n)});
       Add(c, sparse);
       c.In(One(0.0f));
     }},
    {"SparseDenseCwiseMul", "SparseDenseCwiseMul", "stored elements", 20,
     [](Index n, Call& c) {
       Add(c, SparseMatrix(n));
       c.In(Numbers({Side(n), 16 * Side(n)}));
     }},
    {"SparseSparseMaximum", "SparseSparseMaximum", "stored elements of each", 20,
     [](Index n, Call& c) {
       Add(c, SparseMatrix(n));
       Add(c, SparseMatrix(n, 2));
     }},
    {"SparseTensorDenseAdd", "SparseTensorDenseAdd", "stored elements of 1 in 16", 20,
     [](Index n, Call& c) {
       Add(c, SparseMatrix(n));
       c.In(Numbers({Side(n), 16 * Side(n)}));
     }},
    {"SparseBincount", "SparseBincount", "stored elements, 1000 bins", 20,
     [](Index n, Call& c) {
       const Sparse sparse = SparseMatrix(n);
       c.In(sparse.indices);
       c.In(Ints({n}, 1000));
       c.In(sparse.shape);
       c.In(One(1000));
       c.In(Tensor(DataType::kFloat, {0}));
     }},
    {"SparseCross_hashed", "SparseCross", "stored elements of each of 2, rows of 2", 18,
     [](Index n, Call& c) {
       Tensor indices(DataType::kInt64, {n, 2});
       for (Index i = 0; i < 2 * n; ++i) indices.flat<std::int64_t>()[i] = i % 2 == 0 ? i / 4 : i / 2 % 2;
       c.List({indices, indices});
       c.List({Ints<std::int64_t>({n}, 1000), Ints<std::int64_t>({n}, 1000, 2)});
       const Tensor shape = Vector<std::int64_t>({n / 2, 2});
       c.List({shape, shape});
       c.List({});
       c.attrs = {{"hashed_output", true},       {"num_buckets", 1000},
                  {"hash_key", 956888297470},    {"out_type", DataType::kInt64},
                  {"internal_type", DataType::kInt64}};
     }},
    // ---- ragged: rows of 4
    {"RaggedTensorToTensor", "RaggedTensorToTensor", "values, rows of 4", 20,
     [](Index n, Call& c) {
       c.In(Vector<std::int64_t>({-1, 5}));
       c.In(Numbers({n}));
       c.In(One(0.0f));
       c.List({Splits(n)});
       c.attrs = {{"row_partition_types", std::vector<std::string>{"ROW_SPLITS"}}};
     }},
    {"RaggedTensorToSparse", "RaggedTensorToSparse", "values, rows of 4", 20,
     [](Index n, Call& c) {
       c.List({Splits(n)});
       c.In(Numbers({n}));
     }},
    {"RaggedGather", "RaggedGather", "values, rows of 4 in random order", 20,
     [](Index n, Call& c) {
       c.List({Splits(n)});
       c.In(Numbers({n}));
       c.In(Permutation<std::int64_t>(n / 4));
       c.attrs = {{"OUTPUT_RAGGED_RANK", 1}};
     }},
    {"RaggedRange", "RaggedRange", "values, rows of 4", 20,
     [](Index n, Call& c) {
       Tensor limits = Steps(n / 4);
       for (std::int32_t& x : limits.flat<std::int32_t>()) x += 4;
       c.In(Steps(n / 4));
       c.In(limits);
       c.In(Filled<std::int32_t>({n / 4}, 1));
     }},
    // ---- random draws: time only
    {"RandomUniform", "RandomUniform", "draws", 24, [](Index n, Call& c) { DrawFloats(c, n); }},
    {"RandomStandardNormal", "RandomStandardNormal", "draws", 24, [](Index n, Call& c) { DrawFloats(c, n); }},
    {"TruncatedNormal", "TruncatedNormal", "draws", 22, [](Index n, Call& c) { DrawFloats(c, n); }},
    {"RandomUniformInt", "RandomUniformInt", "draws", 24,
     [](Index n, Call& c) {
       Draw(c, n);
       c.In(One(0));
       c.In(One(1000));
     }},
    {"RandomGamma", "RandomGamma", "draws", 20,
     [](Index n, Call& c) {
       Draw(c, n);
       c.In(Vector<float>({2}));
     }},
    {"RandomPoissonV2", "RandomPoissonV2", "draws", 20,
     [](Index n, Call& c) {
       Draw(c, n);
       c.In(Vector<float>({4}));
     }},
    {"RandomPoissonV2_large_rate", "RandomPoissonV2", "draws of rate 1000", 20,
     [](Index n, Call& c) {
       Draw(c, n);
       c.In(Vector<float>({1000}));
     }},
    {"Multinomial", "Multinomial", "draws of 1000 classes", 20,
     [](Index n, Call& c) {
       c.In(Numbers({1, 1000}));
       c.In(One(n));
       c.compared = 0;
     }},
    {"Multinomial_classes", "Multinomial", "classes, 16 draws", 20,
     [](Index n, Call& c) {
       c.In(Numbers({1, n}));
       c.In(One(16));
       c.compared = 0;
     }},
    {"RandomShuffle", "RandomShuffle", "elements", 22,
     [](Index n, Call& c) {
       c.In(Numbers({n}));
       c.compared = 0;
     }},
    {"RandomShuffle_rows", "RandomShuffle", "rows of 16", 20,
     [](Index n, Call& c) {
       c.In(Numbers({n, 16}));
       c.compared = 0;
     }},
    {"ParameterizedTruncatedNormal", "ParameterizedTruncatedNormal", "draws", 20,
     [](Index n, Call& c) {
       Draw(c, n);
       for (const float value : {0.0f, 1.0f, -1.0f, 1.0f}) c.In(One(value));
     }},
    {"StatelessRandomUniformV2", "StatelessRandomUniformV2", "draws", 24,
     [](Index n, Call& c) {
       c.In(Vector({n}));
       Key(c);
     }},
    {"StatelessRandomNormalV2", "StatelessRandomNormalV2", "draws", 24,
     [](Index n, Call& c) {
       c.In(Vector({n}));
       Key(c);
     }},
    {"StatelessTruncatedNormalV2", "StatelessTruncatedNormalV2", "draws", 22,
     [](Index n, Call& c) {
       c.In(Vector({n}));
       Key(c);
     }},
    {"StatelessRandomGammaV3", "StatelessRandomGammaV3", "draws", 20,
     [](Index n, Call& c) {
       Draw(c, n);
       Key(c);
       c.In(One(2.0f));
     }},
    {"StatelessRandomBinomial", "StatelessRandomBinomial", "draws of 40 with 0.3", 20,
     [](Index n, Call& c) {
       Draw(c, n);
       c.In(Vector<std::int64_t>({1, 2}));
       c.In(Tensor::Scalar<double>(40));
       c.In(Tensor::Scalar<double>(0.3));
     }},
    {"StatelessRandomPoisson", "StatelessRandomPoisson", "draws of rate 4", 20,
     [](Index n, Call& c) {
       Draw(c, n);
       c.In(Vector<std::int64_t>({1, 2}));
       c.In(One(4.0f));
       c.attrs = {{"dtype", DataType::kFloat}};
     }},
    {"StatelessMultinomial", "StatelessMultinomial", "draws of 1000 classes", 20,
     [](Index n, Call& c) {
       c.In(Numbers({1, 1000}));
       c.In(One(n));
       c.In(Vector<std::int64_t>({1, 2}));
       c.compared = 0;
     }},
    {"RandomIndexShuffle", "RandomIndexShuffle", "indices", 20,
     [](Index n, Call& c) {
       c.In(Steps(n));
       c.In(Vector<std::int32_t>({1, 2, 3}));
       c.In(One(n - 1));
     }},
    {"UniformCandidateSampler", "UniformCandidateSampler", "different candidates of 4 n", 18, [](Index n, Call& c) { Candidates(c, n); }},
    {"LogUniformCandidateSampler", "LogUniformCandidateSampler", "different candidates of 4 n", 16, [](Index n, Call& c) { Candidates(c, n); }},
    {"ComputeAccidentalHits", "ComputeAccidentalHits", "candidates, rows of 2", 20,
     [](Index n, Call& c) {
       c.In(Ints<std::int64_t>({16, 2}, n));
       c.In(Ints<std::int64_t>({n}, n, 2));
       c.attrs = {{"num_true", 2}};
       c.compared = 0;  // the order is free
     }},
    {"SobolSample", "SobolSample", "points of 4 dimensions", 20,
     [](Index n, Call& c) {
       c.In(One(4));
       c.In(One(n));
       c.In(One(0));
     }},
    {"KmeansPlusPlusInitialization", "KmeansPlusPlusInitialization", "points of 4 numbers, 16 drawn", 18,
     [](Index n, Call& c) {
       c.In(Numbers({n, 4}));
       for (const Index value : {16, 1, 2}) c.In(One<std::int64_t>(value));
       c.compared = 0;
     }},
};
const SweepList list(kSweeps);

}  // namespace
}  // namespace tenon::bench

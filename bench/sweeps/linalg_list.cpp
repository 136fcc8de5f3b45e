// SPDX-License-Identifier: Apache-2.0
// Products, decompositions, Fourier transforms, convolutions, pools and other layers.
#include "sweeps/sweep.hpp"

namespace tenon::bench {
namespace {

using List = std::vector<std::int64_t>;

// A picture of n pixels.
Tensor Picture(Index n, Index channels, std::uint32_t seed = 1) {
  return Numbers({1, Side(n), Side(n), channels}, -1, 1, seed);
}
Tensor Complex(const TensorShape& shape) {
  Tensor numbers(DataType::kComplex64, shape);
  const Tensor parts = Numbers({2 * shape.num_elements()});
  std::copy_n(parts.data<float>(), parts.NumElements(), static_cast<float*>(numbers.raw_data()));
  return numbers;
}
// The prime before n, 2^4, 2^6, ..., 2^24.
Index PrimeBefore(Index n) {
  const auto is_prime = [](Index p) {
    for (Index d = 2; d * d <= p; ++d)
      if (p % d == 0) return false;
    return true;
  };
  while (!is_prime(--n)) {
  }
  return n;
}
const std::initializer_list<std::pair<std::string, AttrValue>> kSame3 = {{"strides", List{1, 1, 1, 1}},
                                                                         {"padding", "SAME"}};
const std::initializer_list<std::pair<std::string, AttrValue>> kPool2 = {
    {"ksize", List{1, 2, 2, 1}}, {"strides", List{1, 2, 2, 1}}, {"padding", "VALID"}};

const Sweep kSweeps[] = {
    // ---- products
    {"MatMul", "MatMul", "elements of a matrix", 22,
     [](Index n, Call& c) {
       c.In(Numbers({Side(n), Side(n)}));
       c.In(Numbers({Side(n), Side(n)}, -1, 1, 2));
       c.numpy = "x @ x";
     }},
    {"MatMul_double", "MatMul", "elements of a matrix", 22,
     [](Index n, Call& c) {
       c.In(Numbers<double>({Side(n), Side(n)}));
       c.In(Numbers<double>({Side(n), Side(n)}, -1, 1, 2));
       c.numpy = "x @ x";
     }},
    {"MatMul_int32", "MatMul", "elements of a matrix", 20,
     [](Index n, Call& c) {
       c.In(Ints({Side(n), Side(n)}, 100));
       c.In(Ints({Side(n), Side(n)}, 100, 2));
     }},
    {"MatMul_vector", "MatMul", "elements of the matrix", 24,
     [](Index n, Call& c) {
       c.In(Numbers({Side(n), Side(n)}));
       c.In(Numbers({Side(n), 1}, -1, 1, 2));
     }},
    {"BatchMatMulV2", "BatchMatMulV2", "elements, matrices of side 4", 24,
     [](Index n, Call& c) {
       c.In(Numbers({n / 16, 4, 4}));
       c.In(Numbers({n / 16, 4, 4}, -1, 1, 2));
     }},
    {"Einsum", "Einsum", "elements of a matrix", 22,
     [](Index n, Call& c) {
       c.List({Numbers({Side(n), Side(n)}), Numbers({Side(n), Side(n)}, -1, 1, 2)});
       c.attrs = {{"equation", "ij,kj->ki"}};
     }},
    {"SparseTensorDenseMatMul", "SparseTensorDenseMatMul", "stored elements, 16 columns", 22,
     [](Index n, Call& c) {
       Add(c, SparseMatrix(n));
       c.In(Numbers({16 * Side(n), 16}));
     }},
    {"SparseMatMul", "SparseMatMul", "elements of a matrix", 20,
     [](Index n, Call& c) {
       Tensor a = Numbers({Side(n), Side(n)});
       for (float& x : a.flat<float>()) x = x < 0.8f ? 0 : x;
       c.In(a);
       c.In(Numbers({Side(n), Side(n)}, -1, 1, 2));
       c.attrs = {{"a_is_sparse", true}};
     }},
    {"QuantizedMatMul", "QuantizedMatMul", "elements of a matrix", 20,
     [](Index n, Call& c) {
       for (std::uint64_t seed : {1u, 2u}) {
         Tensor a(DataType::kQuint8, {Side(n), Side(n)});
         Random random(seed);
         for (auto& x : std::span(static_cast<std::uint8_t*>(a.raw_data()), a.TotalBytes()))
           x = static_cast<std::uint8_t>(random.Below(256));
         c.In(a);
       }
       for (const float range : {-1.0f, 1.0f, -1.0f, 1.0f}) c.In(One(range));
     }},
    {"Cross", "Cross", "vectors of 3", 22,
     [](Index n, Call& c) {
       c.In(Numbers({n, 3}));
       c.In(Numbers({n, 3}, -1, 1, 2));
     }},
    {"TridiagonalMatMul", "TridiagonalMatMul", "rows, 4 columns", 20,
     [](Index n, Call& c) {
       for (const std::uint32_t seed : {1u, 2u, 3u}) c.In(Numbers({1, n}, 1, 2, seed));
       c.In(Numbers({n, 4}));
     }},
    // ---- decompositions
    {"Cholesky", "Cholesky", "elements of the matrix", 22,
     [](Index n, Call& c) {
       c.In(Regular(Side(n), true));
       c.numpy = "np.linalg.cholesky(x)";
     }},
    {"CholeskyGrad", "CholeskyGrad", "elements of the matrix", 20,
     [](Index n, Call& c) {
       Tensor l = Regular(Side(n));
       for (Index i = 0; i < Side(n); ++i)
         for (Index k = i + 1; k < Side(n); ++k) l.flat<float>()[i * Side(n) + k] = 0;
       c.In(l);
       c.In(Numbers({Side(n), Side(n)}));
       c.relative_error = 1e-3;
     }},
    {"Lu", "Lu", "elements of the matrix", 22, [](Index n, Call& c) { c.In(Regular(Side(n))); }},
    {"Qr", "Qr", "elements of the matrix", 20,
     [](Index n, Call& c) {
       c.In(Regular(Side(n)));
       c.relative_error = 1e-2;
       c.numpy = "np.linalg.qr(x)[0]";
     }},
    {"Svd", "Svd", "elements of the matrix", 18,
     [](Index n, Call& c) {
       c.In(Numbers({Side(n), Side(n)}));
       c.compared = 1;  // a vector's sign is free
       c.relative_error = 1e-3;
       c.numpy = "np.linalg.svd(x)[1]";
     }},
    {"Svd_values", "Svd", "elements of the matrix", 18,
     [](Index n, Call& c) {
       c.In(Numbers({Side(n), Side(n)}));
       c.attrs = {{"compute_uv", false}};
       c.compared = 1;
       c.relative_error = 1e-3;
       c.numpy = "np.linalg.svd(x, compute_uv=False)";
     }},
    {"SelfAdjointEigV2", "SelfAdjointEigV2", "elements of the matrix", 20,
     [](Index n, Call& c) {
       c.In(Regular(Side(n), true));
       c.compared = 1;
       c.relative_error = 1e-3;
       c.numpy = "np.linalg.eigh(x)[0]";
     }},
    {"Eig", "Eig", "elements of the matrix", 16,
     [](Index n, Call& c) {
       c.In(Numbers({Side(n), Side(n)}));
       c.attrs = {{"Tout", DataType::kComplex64}};
       c.compared = 0;  // their order is free
       c.numpy = "np.linalg.eig(x)[0]";
     }},
    {"MatrixInverse", "MatrixInverse", "elements of the matrix", 22,
     [](Index n, Call& c) {
       c.In(Regular(Side(n)));
       c.numpy = "np.linalg.inv(x)";
     }},
    {"MatrixDeterminant", "LogMatrixDeterminant", "elements of the matrix", 22,
     [](Index n, Call& c) {
       c.In(Regular(Side(n)));
       c.numpy = "np.linalg.slogdet(x)[1]";
     }},
    {"MatrixSolve", "MatrixSolve", "elements of the matrix, 4 columns", 22,
     [](Index n, Call& c) {
       c.In(Regular(Side(n)));
       c.In(Numbers({Side(n), 4}));
       c.numpy = "np.linalg.solve(x, x[:, :4])";
     }},
    {"MatrixTriangularSolve", "MatrixTriangularSolve", "elements of the matrix", 22,
     [](Index n, Call& c) {
       c.In(Regular(Side(n)));
       c.In(Numbers({Side(n), Side(n)}));
     }},
    {"MatrixSolveLs", "MatrixSolveLs", "elements of the matrix, 4 columns", 20,
     [](Index n, Call& c) {
       c.In(Regular(Side(n)));
       c.In(Numbers({Side(n), 4}));
       c.In(Tensor::Scalar<double>(0.1));
       c.relative_error = 1e-2;
     }},
    {"BandedTriangularSolve", "BandedTriangularSolve", "rows of 4 bands", 20,
     [](Index n, Call& c) {
       Tensor bands = Numbers({4, n});
       for (Index i = 0; i < n; ++i) bands.flat<float>()[i] += 4;
       c.In(bands);
       c.In(Numbers({n, 1}));
     }},
    {"TridiagonalSolve", "TridiagonalSolve", "rows", 20,
     [](Index n, Call& c) {
       Tensor diagonals = Numbers({3, n});
       for (Index i = 0; i < n; ++i) diagonals.flat<float>()[n + i] += 4;
       c.In(diagonals);
       c.In(Numbers({n, 1}));
     }},
    {"MatrixSquareRoot", "MatrixSquareRoot", "elements of the matrix", 16,
     [](Index n, Call& c) {
       c.In(Regular(Side(n), true));
       c.relative_error = 1e-2;
     }},
    {"MatrixLogarithm", "MatrixLogarithm", "elements of the matrix", 14,
     [](Index n, Call& c) {
       const Tensor real = Regular(Side(n), true);
       Tensor matrix = Complex({Side(n), Side(n)});
       auto* parts = static_cast<float*>(matrix.raw_data());
       for (Index i = 0; i < n; ++i) {
         parts[2 * i] = real.flat<float>()[i];
         parts[2 * i + 1] = 0;
       }
       c.In(matrix);
       c.relative_error = 1e-2;
     }},
    {"Cholesky_batch", "Cholesky", "elements, matrices of side 4", 22,
     [](Index n, Call& c) {
       Tensor all(DataType::kFloat, {n / 16, 4, 4});
       const Tensor one = Regular(4, true);
       for (Index i = 0; i < n; ++i) all.flat<float>()[i] = one.flat<float>()[i % 16];
       c.In(all);
     }},
    {"MatrixInverse_batch", "MatrixInverse", "elements, matrices of side 4", 22,
     [](Index n, Call& c) {
       Tensor all = Numbers({n / 16, 4, 4});
       for (Index i = 0; i < n; ++i)
         if (i % 16 % 5 == 0) all.flat<float>()[i] += 4;
       c.In(all);
     }},
    // ---- Fourier transforms
    {"FFT", "FFT", "elements", 24,
     [](Index n, Call& c) {
       c.In(Complex({n}));
       c.relative_error = 1e-3;
       c.numpy = "np.fft.fft(x)";
     }},
    {"FFT_prime", "FFT", "about the elements: the prime before n", 22,
     [](Index n, Call& c) {
       c.In(Complex({PrimeBefore(n)}));
       c.relative_error = 1e-2;
       c.numpy = "np.fft.fft(x)";
     }},
    {"FFT_rows", "FFT", "elements, lines of 16", 24,
     [](Index n, Call& c) {
       c.In(Complex({n / 16, 16}));
       c.relative_error = 1e-3;
       c.numpy = "np.fft.fft(x)";
     }},
    {"IFFT", "IFFT", "elements", 24,
     [](Index n, Call& c) {
       c.In(Complex({n}));
       c.relative_error = 1e-3;
       c.numpy = "np.fft.ifft(x)";
     }},
    {"FFT2D", "FFT2D", "elements", 24,
     [](Index n, Call& c) {
       c.In(Complex({Side(n), Side(n)}));
       c.relative_error = 1e-3;
       c.numpy = "np.fft.fft2(x)";
     }},
    {"FFT3D", "FFT3D", "elements", 24,
     [](Index n, Call& c) {
       c.In(Complex({4, Side(n) / 2, Side(n) / 2}));
       c.relative_error = 1e-3;
       c.numpy = "np.fft.fftn(x)";
     }},
    {"RFFT", "RFFT", "elements", 24,
     [](Index n, Call& c) {
       c.In(Numbers({n}));
       c.In(Vector({n}));
       c.relative_error = 1e-3;
       c.numpy = "np.fft.rfft(x)";
     }},
    {"IRFFT", "IRFFT", "elements", 24,
     [](Index n, Call& c) {
       Tensor half = Complex({n / 2 + 1});  // real in the first and last element
       static_cast<float*>(half.raw_data())[1] = 0;
       static_cast<float*>(half.raw_data())[n + 1] = 0;
       c.In(half);
       c.In(Vector({n}));
       c.relative_error = 1e-3;
       c.numpy = "np.fft.irfft(x)";
     }},
    {"RFFT2D", "RFFT2D", "elements", 24,
     [](Index n, Call& c) {
       c.In(Numbers({Side(n), Side(n)}));
       c.In(Vector({Side(n), Side(n)}));
       c.relative_error = 1e-3;
       c.numpy = "np.fft.rfft2(x)";
     }},
    {"AudioSpectrogram", "AudioSpectrogram", "samples, windows of 256", 22,
     [](Index n, Call& c) {
       c.In(Numbers({std::max<Index>(n, 256), 1}));
       c.attrs = {{"window_size", 256}, {"stride", 128}};
       c.relative_error = 1e-3;
     }},
    // ---- convolutions and pools: n pixels
    {"Conv2D_3x3", "Conv2D", "pixels of 16 channels", 20,
     [](Index n, Call& c) {
       c.In(Picture(n, 16));
       c.In(Numbers({3, 3, 16, 16}));
       c.attrs = kSame3;
     }},
    {"Conv2D_5x5_of_3", "Conv2D", "pixels of 3 channels", 20,
     [](Index n, Call& c) {
       c.In(Picture(n, 3));
       c.In(Numbers({5, 5, 3, 8}));
       c.attrs = kSame3;
     }},
    {"Conv2DBackpropInput", "Conv2DBackpropInput", "pixels of 16 channels", 20,
     [](Index n, Call& c) {
       c.In(Vector({1, Side(n), Side(n), 16}));
       c.In(Numbers({3, 3, 16, 16}));
       c.In(Picture(n, 16));
       c.attrs = kSame3;
     }},
    {"Conv2DBackpropFilter", "Conv2DBackpropFilter", "pixels of 16 channels", 20,
     [](Index n, Call& c) {
       c.In(Picture(n, 16));
       c.In(Vector({3, 3, 16, 16}));
       c.In(Picture(n, 16, 2));
       c.attrs = kSame3;
       c.relative_error = 1e-2;
     }},
    {"DepthwiseConv2dNative", "DepthwiseConv2dNative", "pixels of 16 channels", 20,
     [](Index n, Call& c) {
       c.In(Picture(n, 16));
       c.In(Numbers({3, 3, 16, 1}));
       c.attrs = kSame3;
     }},
    {"DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropInput", "pixels of 16 channels", 18,
     [](Index n, Call& c) {
       c.In(Vector({1, Side(n), Side(n), 16}));
       c.In(Numbers({3, 3, 16, 1}));
       c.In(Picture(n, 16));
       c.attrs = kSame3;
     }},
    {"DepthwiseConv2dNativeBackpropFilter", "DepthwiseConv2dNativeBackpropFilter", "pixels of 16 channels", 18,
     [](Index n, Call& c) {
       c.In(Picture(n, 16));
       c.In(Vector({3, 3, 16, 1}));
       c.In(Picture(n, 16, 2));
       c.attrs = kSame3;
       c.relative_error = 1e-2;
     }},
    {"Conv3D", "Conv3D", "places of 8 channels", 18,
     [](Index n, Call& c) {
       c.In(Numbers({1, 4, Side(n) / 2, Side(n) / 2, 8}));
       c.In(Numbers({3, 3, 3, 8, 8}));
       c.attrs = {{"strides", List{1, 1, 1, 1, 1}}, {"padding", "SAME"}};
     }},
    {"MaxPool", "MaxPool", "pixels of 16 channels", 20,
     [](Index n, Call& c) {
       c.In(Picture(n, 16));
       c.attrs = kPool2;
     }},
    {"AvgPool", "AvgPool", "pixels of 16 channels", 20,
     [](Index n, Call& c) {
       c.In(Picture(n, 16));
       c.attrs = kPool2;
     }},
    {"MaxPoolGrad", "MaxPoolGrad", "pixels of 16 channels", 20,
     [](Index n, Call& c) {
       const Index side = Side(n), half = side / 2;
       const Tensor picture = Picture(n, 16);
       Tensor most(DataType::kFloat, {1, half, half, 16});
       const float* const from = picture.data<float>();
       for (Index y = 0; y < half; ++y)
         for (Index x = 0; x < half; ++x)
           for (Index k = 0; k < 16; ++k) {
             const float* const at = from + (2 * y * side + 2 * x) * 16 + k;
             most.flat<float>()[(y * half + x) * 16 + k] =
                 std::max(std::max(at[0], at[16]), std::max(at[side * 16], at[side * 16 + 16]));
           }
       c.In(picture);
       c.In(most);
       c.In(Numbers({1, half, half, 16}, -1, 1, 3));
       c.attrs = kPool2;
     }},
    {"AvgPoolGrad", "AvgPoolGrad", "pixels of 16 channels", 20,
     [](Index n, Call& c) {
       c.In(Vector({1, Side(n), Side(n), 16}));
       c.In(Numbers({1, Side(n) / 2, Side(n) / 2, 16}));
       c.attrs = kPool2;
     }},
    {"MaxPoolWithArgmax", "MaxPoolWithArgmax", "pixels of 16 channels", 20,
     [](Index n, Call& c) {
       c.In(Picture(n, 16));
       c.attrs = kPool2;
     }},
    {"FractionalMaxPool", "FractionalMaxPool", "pixels of 16 channels", 20,
     [](Index n, Call& c) {
       c.In(Picture(n, 16));
       c.attrs = {{"pooling_ratio", std::vector<float>{1, 1.5f, 1.5f, 1}}};
       c.compared = 0;
     }},
    {"Dilation2D", "Dilation2D", "pixels of 8 channels", 18,
     [](Index n, Call& c) {
       c.In(Picture(n, 8));
       c.In(Numbers({3, 3, 8}));
       c.attrs = {{"strides", List{1, 1, 1, 1}}, {"rates", List{1, 1, 1, 1}}, {"padding", "SAME"}};
     }},
    {"LRN", "LRN", "pixels of 16 channels", 20, [](Index n, Call& c) { c.In(Picture(n, 16)); }},
    {"FusedBatchNormV3", "FusedBatchNormV3", "pixels of 16 channels", 20,
     [](Index n, Call& c) {
       c.In(Picture(n, 16));
       for (const std::uint32_t seed : {2u, 3u}) c.In(Numbers({16}, 1, 2, seed));
       for (int i = 0; i < 2; ++i) c.In(Tensor(DataType::kFloat, {0}));
       c.attrs = {{"is_training", true}};
       c.compared = 3;
       c.relative_error = 1e-2;  // TensorFlow sums floats
     }},
    {"BlockLSTMV2", "BlockLSTMV2", "cells squared, 8 steps", 20,
     [](Index n, Call& c) {
       const Index cells = Side(n);
       c.In(One<std::int64_t>(8));
       c.In(Numbers({8, 1, cells}));
       c.In(Numbers({1, cells}));
       c.In(Numbers({1, cells}));
       const float most = 1 / static_cast<float>(cells);
       c.In(Numbers({2 * cells, 4 * cells}, -most, most));
       for (int i = 0; i < 3; ++i) c.In(Numbers({cells}));
       c.In(Numbers({4 * cells}));
     }},
    {"GRUBlockCell", "GRUBlockCell", "cells squared", 20,
     [](Index n, Call& c) {
       const Index cells = Side(n);
       const float most = 1 / static_cast<float>(cells);
       c.In(Numbers({1, cells}));
       c.In(Numbers({1, cells}));
       c.In(Numbers({2 * cells, 2 * cells}, -most, most));
       c.In(Numbers({2 * cells, cells}, -most, most));
       c.In(Numbers({2 * cells}));
       c.In(Numbers({cells}));
     }},
    // ---- rows
    {"Softmax", "Softmax", "elements of one row", 24, [](Index n, Call& c) { c.In(Numbers({1, n})); }},
    {"Softmax_rows", "Softmax", "elements, rows of 16", 24, [](Index n, Call& c) { c.In(Numbers({n / 16, 16})); }},
    {"SparseSoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits", "elements, rows of 16", 22,
     [](Index n, Call& c) {
       c.In(Numbers({n / 16, 16}));
       c.In(Ints({n / 16}, 16));
     }},
    {"SoftmaxCrossEntropyWithLogits", "SoftmaxCrossEntropyWithLogits", "elements, rows of 16", 22,
     [](Index n, Call& c) {
       c.In(Numbers({n / 16, 16}));
       c.In(Numbers({n / 16, 16}, 0, 1, 2));
     }},
    {"NearestNeighbors", "NearestNeighbors", "points squared, 4 neighbours", 22,
     [](Index n, Call& c) {
       c.In(Numbers({Side(n), 16}));
       c.In(Numbers({Side(n), 16}, -1, 1, 2));
       c.In(One<std::int64_t>(4));
     }},
};
const SweepList list(kSweeps);

}  // namespace
}  // namespace tenon::bench

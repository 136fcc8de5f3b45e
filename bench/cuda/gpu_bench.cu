// SPDX-License-Identifier: Apache-2.0
// Tenon's GPU engines beside CUDA's own: element-wise work against the bandwidth of a device copy, Gemm against cuBLAS
// called by hand. Both sides of a row run in turns on one stream and are timed by events; a row shows the medians and
// their ratio.
#include <cublas_v2.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tenon/tenon.cuh>

namespace {

using tenon::Cuda;
using tenon::Index;
using tenon::Status;
using tenon::Tensor;

constexpr int kRounds = 21;

struct CopyBody {
  const float* x;
  float* y;
  TENON_HD void operator()(Index i) const { y[i] = x[i]; }
};
struct Relu {
  template <class T>
  TENON_HD static T map(T x) {
    return x > T(0) ? x : T(0);
  }
};
struct Add {
  template <class T>
  TENON_HD static T map(T a, T b) {
    return a + b;
  }
};
[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "gpu_bench: %s\n", what.c_str());
  std::exit(1);
}
void Check(const Status& status) {
  if (!status.ok()) Fail(status.ToString());
}
void Check(cublasStatus_t status) { Check(tenon::CublasStatus(status, 0, "cuBLAS")); }
void Check(cudaError_t error) { Check(tenon::CudaStatus(error, 0, "CUDA")); }

// Milliseconds of one call of ours and of theirs: medians over rounds in which both run `repeats` times.
template <class Ours, class Theirs>
std::pair<double, double> Compare(Cuda& device, int repeats, const Ours& ours, const Theirs& theirs) {
  auto start = tenon::CudaEvent::Create(0, true), middle = tenon::CudaEvent::Create(0, true),
       end = tenon::CudaEvent::Create(0, true);
  Check(start.status());
  Check(middle.status());
  Check(end.status());
  std::vector<double> mine, other;
  for (int round = -2; round < kRounds; ++round) {  // the first two warm up
    Check(start->Record(device.stream));
    for (int i = 0; i < repeats; ++i) ours();
    Check(middle->Record(device.stream));
    for (int i = 0; i < repeats; ++i) theirs();
    Check(end->Record(device.stream));
    Check(end->Synchronize());
    if (round < 0) continue;
    mine.push_back(static_cast<double>(middle->MillisecondsSince(*start).value()) / repeats);
    other.push_back(static_cast<double>(end->MillisecondsSince(*middle).value()) / repeats);
  }
  const auto median = [](std::vector<double>& samples) {
    std::nth_element(samples.begin(), samples.begin() + kRounds / 2, samples.end());
    return samples[kRounds / 2];
  };
  return {median(mine), median(other)};
}

class Bench {
 public:
  explicit Bench(tenon::Device& device) : device_(*static_cast<Cuda*>(device.kernel_device())) {}

  // Bytes read and written a second, as a part of what cudaMemcpyAsync reaches on the same arrays.
  void Elementwise(Index n) {
    const tenon::TensorShape shape{n};
    Tensor x = New(tenon::DataType::kFloat, shape), y = New(tenon::DataType::kFloat, shape),
           z = New(tenon::DataType::kFloat, shape);
    const Tensor& in = x;
    const Tensor& other = y;
    const std::size_t bytes = x.TotalBytes();
    const auto copy = [&] {
      Check(cudaMemcpyAsync(y.raw_data(), x.raw_data(), bytes, cudaMemcpyDeviceToDevice, device_.stream));
    };
    const auto row = [&](const char* name, double moved, const auto& ours) {
      const auto [mine, copied] = Compare(device_, 5, ours, copy);
      const double gb = static_cast<double>(bytes) * 1e-6;
      std::printf("| %-22s | %9lld | %8.0f GB/s | %8.0f GB/s | %5.2f | >= 0.90 |\n", name, static_cast<long long>(n),
                  moved * gb / mine, 2 * gb / copied, moved / mine / (2 / copied));
    };
    row("ForEach copy", 2, [&] { Check(ForEach(device_, n, CopyBody{in.data<float>(), y.data<float>()})); });
    row("MapUnary relu", 2,
        [&] { Check((MapUnary<Relu, float, float>(device_, nullptr, in.flat<float>(), y.flat<float>()))); });
    row("MapBinary add", 3, [&] {
      Check((MapBinary<Add, float, float>(device_, nullptr, in.flat<float>(), other.flat<float>(), z.flat<float>())));
    });
    const tenon::TensorShape matrix{n / 1024, 1024}, bias{1024};
    const tenon::In<float> rows(in.data<float>(), n, &matrix), repeated(other.data<float>(), 1024, &bias);
    const tenon::Out<float> sums(z.data<float>(), n, &matrix);
    row("MapBinary add bias", 2,
        [&] { Check((MapBinary<Add, float, float>(device_, nullptr, rows, repeated, sums))); });
  }

  // Square products, with the same settings of cuBLAS on both sides.
  template <class T>
  void Gemm(const char* name, Index n) {
    Tensor a = New(tenon::dtype_of_v<T>, {n, n}), b = New(tenon::dtype_of_v<T>, {n, n}),
           c = New(tenon::dtype_of_v<T>, {n, n});
    for (Tensor* t : {&a, &b}) Check(cudaMemsetAsync(t->raw_data(), 0, t->TotalBytes(), device_.stream));
    const Tensor& x = a;
    const Tensor& y = b;
    cublasHandle_t handle = nullptr;
    Check(cublasCreate(&handle));
    Check(cublasSetStream(handle, device_.stream));
    Check(cublasSetMathMode(handle, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION));
    const float one = 1, zero = 0;
    const int size = static_cast<int>(n);
    constexpr cudaDataType_t kType = tenon::detail::CublasType<T>();
    const auto [mine, by_hand] = Compare(
        device_, n <= 512 ? 50 : 5,
        [&] { Check(tenon::Gemm(device_, x.matrix<T>(), false, y.matrix<T>(), false, c.matrix<T>())); },
        [&] {
          Check(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &one, y.data<T>(), kType, size,
                             x.data<T>(), kType, size, &zero, c.data<T>(), kType, size, CUBLAS_COMPUTE_32F,
                             CUBLAS_GEMM_DEFAULT));
        });
    Check(cublasDestroy(handle));
    const double gflop = 2e-9 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
    std::printf("| Gemm %-17s | %9lld | %6.1f TFLOP/s | %6.1f TFLOP/s | %5.2f | >= 0.97 |\n", name,
                static_cast<long long>(n), gflop / mine, gflop / by_hand, by_hand / mine);
  }

 private:
  Tensor New(tenon::DataType dtype, const tenon::TensorShape& shape) {
    Tensor t(device_.allocator, dtype, shape);
    if (!t.IsInitialized()) Fail("the GPU has too little memory");
    return t;
  }
  Cuda& device_;
};

}  // namespace

int main() {
  tenon::Result<tenon::Owned<tenon::Device>> device =
      tenon::CudaDevice::Create("/job:localhost/replica:0/task:0/device:GPU:0", 0);
  if (!device.ok()) {
    std::printf("no GPU: nothing to measure (%s)\n", device.status().ToString().c_str());
    return 0;
  }
  cudaDeviceProp card{};
  int driver = 0, runtime = 0;
  Check(cudaGetDeviceProperties(&card, 0));
  Check(cudaDriverGetVersion(&driver));
  Check(cudaRuntimeGetVersion(&runtime));
  std::printf("%s, sm_%d%d, %d multiprocessors, %.0f GiB; CUDA %d.%d, driver for %d.%d\n\n", card.name, card.major,
              card.minor, card.multiProcessorCount, static_cast<double>(card.totalGlobalMem) / (1 << 30),
              runtime / 1000, runtime % 1000 / 10, driver / 1000, driver % 1000 / 10);
  std::printf("| %-22s | %9s | %-13s | %-13s | %5s | %-7s |\n", "", "size", "Tenon", "CUDA itself", "ratio", "goal");
  std::printf("|------------------------|-----------|---------------|---------------|-------|---------|\n");
  Bench bench(**device);
  bench.Elementwise(Index{1} << 20);
  bench.Elementwise(Index{1} << 26);
  for (const Index n : {Index{256}, Index{1024}, Index{4096}}) bench.Gemm<float>("float", n);
  for (const Index n : {Index{1024}, Index{4096}}) bench.Gemm<tenon::half>("half", n);
  Check((*device)->Synchronize());
  return 0;
}

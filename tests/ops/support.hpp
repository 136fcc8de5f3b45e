// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tests of the ops share: tensors of any number type, one call of an op, a call in which it may overwrite its
// inputs.

#include <algorithm>
#include <complex>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/graph/builder.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"
#include "op_call.hpp"

namespace tenon::testing {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The numbers given, as T; where there are fewer than elements they are taken round and round.
template <class T>
Tensor Make(const TensorShape& shape, std::initializer_list<double> numbers) {
  Tensor tensor(dtype_of_v<T>, shape);
  for (Index i = 0; i < shape.num_elements(); ++i)
    tensor.data<T>()[i] = FromDouble<T>(numbers.begin()[static_cast<std::size_t>(i) % numbers.size()]);
  return tensor;
}
template <class T>
Tensor Random(const TensorShape& shape, std::uint64_t seed, double low = std::is_unsigned_v<T> ? 0 : -3,
              double high = 3) {
  return MakeTensor<T>(shape, std::span<const T>(RandomVector<T>(shape.num_elements(), seed, low, high)));
}
// The elements as doubles; of complex numbers the real parts.
template <class T>
std::vector<double> Numbered(const Tensor& tensor) {
  std::vector<double> numbers;
  for (Index i = 0; i < tensor.NumElements(); ++i) numbers.push_back(ToDouble(tensor.data<T>()[i]));
  return numbers;
}

// Any number as the widest one, to compute what is wanted in another way.
using Wide = std::complex<double>;
template <class T>
Wide ToWide(const T& x) {
  if constexpr (kIsComplex<T>)
    return Wide(static_cast<double>(x.real()), static_cast<double>(x.imag()));
  else
    return Wide(ToDouble(x), 0);
}
template <class T>
std::vector<Wide> Widened(const Tensor& tensor) {
  std::vector<Wide> numbers;
  for (Index i = 0; i < tensor.NumElements(); ++i) numbers.push_back(ToWide(tensor.data<T>()[i]));
  return numbers;
}
// The first element of `got` that is farther from `want` than `allowed` (of its own), or "". Equal infinities are near.
inline std::string FirstFar(const std::vector<Wide>& got, const std::vector<Wide>& want,
                            const std::vector<double>& allowed) {
  if (got.size() != want.size()) return StrCat(got.size(), " elements instead of ", want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == want[i] || std::abs(got[i] - want[i]) <= allowed[i]) continue;
    return StrCat("element ", i, " is ", got[i].real(), " + ", got[i].imag(), "i instead of ", want[i].real(), " + ",
                  want[i].imag(), "i, which may differ by ", allowed[i]);
  }
  return "";
}

// The op's first output. Whatever the op is, it must leave alone what it is fed.
template <class Op>
Tensor Run(const AttrArgs& attrs, const std::vector<Tensor>& inputs, SessionOptions options = {}) {
  std::vector<Tensor> before;
  for (const Tensor& input : inputs) before.push_back(input.DeepCopy());
  const Result<std::vector<Tensor>> outputs = Call<Op>(attrs, inputs, std::move(options));
  REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    CHECK_MESSAGE(SameTensor(inputs[i], before[i]), "input ", i, " was overwritten");
  return (*outputs)[0];
}

// All outputs of an op with lists of tensors.
inline std::vector<Tensor> RunAll(std::string_view op, const AttrArgs& attrs, const std::vector<Tensor>& inputs,
                                  int num_outputs) {
  Result<std::vector<Tensor>> outputs = CallOp(op, attrs, inputs, num_outputs);
  REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
  return *std::move(outputs);
}

// int32 vectors and scalars: axes, sizes, numbers of elements.
inline Tensor Ints(std::initializer_list<std::int32_t> values) {
  return MakeTensor<std::int32_t>({static_cast<Index>(values.size())}, values);
}
inline Tensor Int(std::int32_t value) { return Tensor::Scalar<std::int32_t>(value); }
inline Tensor Longs(std::initializer_list<std::int64_t> values) {
  return MakeTensor<std::int64_t>({static_cast<Index>(values.size())}, values);
}

// Arbitrary bits, NaNs with any payload among them; texts both short and long. For ops that only move elements.
inline Tensor AnyBits(DataType dtype, const TensorShape& shape, std::uint64_t seed = 1) {
  Tensor tensor(dtype, shape);
  Numbers numbers(seed);
  if (dtype == DataType::kString) {
    for (Index i = 0; i < shape.num_elements(); ++i)
      tensor.data<tstring>()[i] = StrCat(numbers.Below(1000), i % 3 == 0 ? " is too long to be stored inline" : "");
    return tensor;
  }
  auto* bytes = static_cast<unsigned char*>(tensor.raw_data());
  const bool is_bool = dtype == DataType::kBool;
  for (Index i = 0; i < shape.num_elements() * SizeOf(dtype); ++i)
    bytes[i] = static_cast<unsigned char>(numbers.Next() >> 9 & (is_bool ? 1 : 255));
  return tensor;
}
// One type of every size of an element, and texts.
inline constexpr DataType kMovedTypes[] = {DataType::kUint8, DataType::kHalf,      DataType::kFloat,
                                           DataType::kInt64, DataType::kComplex64, DataType::kString};

// "INVALID_ARGUMENT: text", without the place that the executor or the graph adds.
template <class Op>
std::string ErrorOf(const AttrArgs& attrs, const std::vector<Tensor>& inputs) {
  std::string text = Call<Op>(attrs, inputs).status().ToString();
  for (const char* place :
       {" [node 'call', CPU:0]", " [node 'call']", "\n\t; NodeDef: {{node call}}; Op<name=", " for '{{node call}} = "})
    text.resize(std::min(text.size(), text.find(place)));
  return text;
}

// What the op's shape function says of an output, "[2,?]", or the text with which it refuses, without the op's name.
template <class Op>
std::string InferredShape(std::initializer_list<StaticInput> inputs, std::initializer_list<StaticAttr> attrs = {},
                          int output = 0) {
  InferenceContext c(Op::signature.view(), inputs, attrs);
  const Status status = RunShapeFn(&c, Op::signature.shape_fn);
  if (status.ok()) return c.DebugString(c.output(output));
  return std::string(status.message().substr(0, status.message().find(" for '")));
}

// The same with inputs that nobody else reads, so that the op may take over their buffers: each is a product of what is
// fed and 1. `took_over` says whether it did: memory of the step never holds a fetched tensor otherwise.
template <class Op, class T>
Tensor RunOnOwnInputs(const AttrArgs& attrs, const std::vector<Tensor>& inputs, bool* took_over) {
  GraphBuilder b;
  std::vector<Output> endpoints;
  std::vector<NamedTensor> feeds;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = StrCat("in", i);
    const Output fed = b.Placeholder(name, inputs[i].dtype());
    const Output one = b.Const(StrCat("one", i), Tensor::Scalar<T>(FromDouble<T>(1)));
    endpoints.push_back(b.Add("Mul", StrCat("own", i), {fed, one}));
    feeds.push_back({name + ":0", inputs[i]});
  }
  b.Add(Op::signature.name, "call", endpoints, attrs);
  const Result<Session> session = Session::FromGraph(b);
  REQUIRE_MESSAGE(session.ok(), session.status().message());
  const std::vector<std::string> fetches{"call:0"};
  const Result<std::vector<Tensor>> outputs = session->Run(feeds, fetches);
  REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
  const Tensor& output = (*outputs)[0];
  *took_over = output.buffer() != nullptr && output.buffer()->allocator() != CpuAllocator();
  return output;
}

// Lets memory run out at every place where the op asks for some. Returns at how many places it did; every run must fail
// with ResourceExhausted and keep nothing.
template <class Op>
int FailEveryAllocation(const AttrArgs& attrs, const std::vector<Tensor>& inputs) {
  for (int k = 1; k < 100; ++k) {
    TrackingAllocator memory(CpuAllocator());
    memory.FailAllocations(k, TrackingAllocator::kAll);
    const Status status = Call<Op>(attrs, inputs, {.intra_op_threads = 1, .allocator = &memory}).status();
    CHECK(memory.blocks_in_use() == 0);
    CHECK(memory.num_bad_frees() == 0);
    if (status.ok()) return k - 1;
    CHECK_MESSAGE(status.code() == Code::kResourceExhausted, status.ToString());
  }
  return 100;
}

}  // namespace tenon::testing

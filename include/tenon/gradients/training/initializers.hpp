// SPDX-License-Identifier: Apache-2.0
#pragma once
// First values of variables, by the names and numbers of Keras 3 with TensorFlow: a seed gives the bits that
// keras.initializers give. AddVariable adds a variable with one to a GraphBuilder.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/gradients/graph_editor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// Nodes of first values, whose names begin with `scope`.
struct ValueBuilder {
  GraphBuilder& b;
  std::string scope;
  TensorShape shape;
  DataType type;
  int nodes = 0;

  Output Add(std::string_view op, std::initializer_list<GraphBuilder::Input> inputs,
             std::initializer_list<GraphBuilder::Attr> attrs = {}) {
    return b.Add(op, Name(op), inputs, attrs);
  }
  Output Const(Tensor value) { return b.Const(Name("Const"), std::move(value)); }
  Output Number(double value) { return Const(GraphEditor::ScalarOf(type, value)); }
  Output Ints(Span<const Index> values) {
    Tensor t = Tensor::Zeros<std::int32_t>(TensorShape({static_cast<Index>(values.size())}));
    for (std::size_t i = 0; i < values.size(); ++i) t.data<std::int32_t>()[i] = static_cast<std::int32_t>(values[i]);
    return Const(t);
  }
  Output Shape() {
    const SlimVector<Index> sizes(shape.begin(), shape.end());
    return Ints(sizes);
  }
  Output Int(std::int32_t value) { return Const(Tensor::Scalar(value)); }
  // Random numbers by a stateless op. The seed is [seed, 0], modulo 2^31 - 2 as Keras does.
  Output Random(std::string_view op, Output of_shape, std::int64_t seed) {
    constexpr std::int64_t kModulus = 2147483646;
    const auto low = static_cast<std::int32_t>(((seed % kModulus) + kModulus) % kModulus);
    return Add(op, {of_shape, Const(Tensor::From<std::int32_t>({low, 0}, {2}))}, {{"dtype", type}});
  }
  // random scale + offset
  Output Scaled(std::string_view op, std::int64_t seed, Output scale, Output offset) {
    return Add("AddV2", {Add("Mul", {Random(op, Shape(), seed), scale}), offset});
  }

 private:
  std::string Name(std::string_view op) { return StrCat(scope, "/", op, "_", nodes++); }
};

}  // namespace detail

namespace initializers {

// The number 0.
struct Zeros {
  // Adds the nodes of the value.
  Output Make(detail::ValueBuilder& v) const { return v.Add("Fill", {v.Shape(), v.Number(0)}); }
};
// The number 1.
struct Ones {
  // Adds the nodes of the value.
  Output Make(detail::ValueBuilder& v) const { return v.Add("Fill", {v.Shape(), v.Number(1)}); }
};
// One number.
struct Constant {
  double value = 0;
  // Adds the nodes of the value.
  Output Make(detail::ValueBuilder& v) const { return v.Add("Fill", {v.Shape(), v.Number(value)}); }
};
// A tensor, which has the shape and the type of the variable.
struct Values {
  Tensor tensor;
  // Adds the nodes of the value.
  Output Make(detail::ValueBuilder& v) const { return v.Const(tensor); }
};
// Every number in [low, high) alike.
struct RandomUniform {
  double low = -0.05, high = 0.05;
  std::int64_t seed = 0;
  // Adds the nodes of the value.
  Output Make(detail::ValueBuilder& v) const {
    const Output least = v.Number(low);
    return v.Scaled("StatelessRandomUniform", seed, v.Add("Sub", {v.Number(high), least}), least);
  }
};
// The normal distribution.
struct RandomNormal {
  double mean = 0, stddev = 0.05;
  std::int64_t seed = 0;
  // Adds the nodes of the value.
  Output Make(detail::ValueBuilder& v) const {
    return v.Scaled("StatelessRandomNormal", seed, v.Number(stddev), v.Number(mean));
  }
};
// The normal distribution without numbers farther than two stddev from the mean.
struct TruncatedNormal {
  double mean = 0, stddev = 0.05;
  std::int64_t seed = 0;
  // Adds the nodes of the value.
  Output Make(detail::ValueBuilder& v) const {
    return v.Scaled("StatelessTruncatedNormal", seed, v.Number(stddev), v.Number(mean));
  }
};

// The divisor of the variance: the number of inputs of a unit, of outputs, or the mean of both.
enum class FanMode : std::uint8_t { kIn, kOut, kAverage };
// How the numbers are distributed.
enum class FanDistribution : std::uint8_t { kUniform, kTruncatedNormal, kNormal };

// Numbers of variance scale / fan. Kernels of convolutions are [..., inputs, outputs].
struct VarianceScaling {
  double scale = 1;
  FanMode mode = FanMode::kIn;
  FanDistribution distribution = FanDistribution::kTruncatedNormal;
  std::int64_t seed = 0;

  // Adds the nodes of the value.
  Output Make(detail::ValueBuilder& v) const {
    const double variance = scale / std::max(1.0, Fan(v.shape));
    if (distribution == FanDistribution::kUniform) {
      const double limit = std::sqrt(3 * variance);
      return RandomUniform{-limit, limit, seed}.Make(v);
    }
    if (distribution == FanDistribution::kNormal) return RandomNormal{0, std::sqrt(variance), seed}.Make(v);
    return TruncatedNormal{0, std::sqrt(variance) / 0.87962566103423978, seed}.Make(v);
  }

 private:
  double Fan(const TensorShape& shape) const {
    double field = 1, in = 1, out = 1;
    const int rank = shape.dims();
    for (int d = 0; d + 2 < rank; ++d) field *= static_cast<double>(shape.dim_size(d));
    if (rank >= 1) in = out = static_cast<double>(shape.dim_size(rank - 1));
    if (rank >= 2) in = static_cast<double>(shape.dim_size(rank - 2));
    in *= field;
    out *= field;
    return mode == FanMode::kIn ? in : mode == FanMode::kOut ? out : (in + out) / 2;
  }
};

// VarianceScaling of a fixed kind.
template <int kScale, FanMode kMode, FanDistribution kDistribution>
struct FanInitializer {
  std::int64_t seed = 0;
  // Adds the nodes of the value.
  Output Make(detail::ValueBuilder& v) const { return VarianceScaling{kScale, kMode, kDistribution, seed}.Make(v); }
};
using GlorotUniform = FanInitializer<1, FanMode::kAverage, FanDistribution::kUniform>;
using GlorotNormal = FanInitializer<1, FanMode::kAverage, FanDistribution::kTruncatedNormal>;
using HeUniform = FanInitializer<2, FanMode::kIn, FanDistribution::kUniform>;
using HeNormal = FanInitializer<2, FanMode::kIn, FanDistribution::kTruncatedNormal>;
using LecunUniform = FanInitializer<1, FanMode::kIn, FanDistribution::kUniform>;
using LecunNormal = FanInitializer<1, FanMode::kIn, FanDistribution::kTruncatedNormal>;

// gain Q, where Q is the orthogonal factor of a random matrix [sizes before the last, last size].
struct Orthogonal {
  double gain = 1;
  std::int64_t seed = 0;
  // InvalidArgument: the shape does not fit.
  Status Check(const TensorShape& shape) const {
    return shape.dims() >= 2
               ? OkStatus()
               : errors::InvalidArgument("Orthogonal: the shape ", shape, " has fewer than two dimensions");
  }
  // Adds the nodes of the value.
  Output Make(detail::ValueBuilder& v) const {
    const Index columns = v.shape.dim_size(v.shape.dims() - 1);
    const Index rows = v.shape.num_elements() / std::max<Index>(columns, 1);
    const Index sizes[] = {std::max(rows, columns), std::min(rows, columns)};
    const Output a = v.Random("StatelessRandomNormal", v.Ints(sizes), seed);
    const Output factors = v.Add("Qr", {v.Add("AddV2", {v.Add("Mul", {a, v.Number(1)}), v.Number(0)})});
    const Output signs = v.Add("Sign", {v.Add("MatrixDiagPart", {factors[1]})});
    Output q = v.Add("Mul", {factors, signs});
    if (rows < columns) q = v.Add("Transpose", {q, v.Const(Tensor::From<std::int32_t>({1, 0}, {2}))});
    return v.Add("Mul", {v.Number(gain), v.Add("Reshape", {q, v.Shape()})});
  }
};
// gain on the diagonal of a matrix, 0 elsewhere.
struct Identity {
  double gain = 1;
  // InvalidArgument: the shape does not fit.
  Status Check(const TensorShape& shape) const {
    return shape.dims() == 2 ? OkStatus()
                             : errors::InvalidArgument("Identity: the shape ", shape, " is not that of a matrix");
  }
  // Adds the nodes of the value.
  Output Make(detail::ValueBuilder& v) const {
    const Index rows = v.shape.dim_size(0), columns = v.shape.dim_size(1);
    const Output zeros = v.Add("Fill", {v.Shape(), v.Number(0)});
    const Index sizes[] = {std::min(rows, columns)};
    return v.Add("MatrixSetDiag", {zeros, v.Add("Fill", {v.Ints(sizes), v.Number(gain)})});
  }
};

}  // namespace initializers

// A variable in a GraphBuilder.
struct NewVariable {
  Output handle;            // for AddTraining
  Output value;             // what the model reads
  std::string initializer;  // a node to run once
};

// Adds a variable: the nodes "name", "name/value" and "name/init". InvalidArgument: the first value does not suit the
// shape, the name is taken, or the builder has failed before. externally synchronised.
template <class Initializer>
Result<NewVariable> AddVariable(GraphBuilder* b, const std::string& name, DataType type, const TensorShape& shape,
                                const Initializer& first) {
  if constexpr (requires { first.Check(shape); }) TENON_RETURN_IF_ERROR(first.Check(shape));
  NewVariable variable;
  variable.handle = b->Add("VarHandleOp", name, {}, {{"dtype", type}, {"shape", shape}, {"shared_name", name}});
  detail::ValueBuilder values{*b, name + "/first", shape, type};
  variable.initializer = name + "/init";
  b->Add("AssignVariableOp", variable.initializer, {variable.handle, first.Make(values)});
  variable.value = b->Add("ReadVariableOp", name + "/value", {variable.handle}, {{"dtype", type}});
  TENON_RETURN_IF_ERROR(b->status());
  return variable;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

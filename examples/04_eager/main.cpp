// SPDX-License-Identifier: Apache-2.0
// Ops called without a graph: a layer of a network, an op that is called by its name, a variable that lives from call
// to call, and calls that a thread runs while the program goes on.

#include <cstdio>

#include <tenon/eager.hpp>
#include <tenon/ops/array/concat.hpp>
#include <tenon/ops/math/matmul.hpp>
#include <tenon/ops/nn/activation.hpp>
#include <tenon/ops/nn/bias.hpp>
#include <tenon/ops/variable/resource_variable.hpp>
#include <tenon/ops/variable/variable_update.hpp>

using namespace tenon;

TENON_REGISTER(Types<float>, ops::MatMul, ops::BiasAdd, ops::Relu, ops::ConcatV2, ops::VarHandleOp, ops::ReadVariableOp,
               ops::AssignVariableOp, ops::AssignAddVariableOp);

namespace {

void Print(const char* name, const Tensor& tensor) {
  std::printf("%s = %s %s\n", name, tensor.shape().DebugString().c_str(), tensor.SummarizeValue(8).c_str());
}

// relu(x * transpose(w) + b)
Result<Tensor> Layer(const Tensor& x, const Tensor& w, const Tensor& b) {
  TENON_ASSIGN_OR_RETURN(const Tensor product, eager::Call<ops::MatMul>({.transpose_b = true}, x, w));
  TENON_ASSIGN_OR_RETURN(const Tensor sum, eager::Call<ops::BiasAdd>(product, b));
  return eager::Call<ops::Relu>(sum);
}

Status Run() {
  const Tensor x = Tensor::From({1.0f, 2.0f, 3.0f, 4.0f}, {2, 2}),
               w = Tensor::From({1.0f, -1.0f, 0.0f, 1.0f, 2.0f, 2.0f}, {3, 2}),
               b = Tensor::From({0.5f, 0.0f, -10.0f}, {3});
  TENON_ASSIGN_OR_RETURN(const Tensor y, Layer(x, w, b));
  Print("layer", y);

  TENON_ASSIGN_OR_RETURN(const auto both, eager::Call("ConcatV2", {{x, y}, Tensor::Scalar(1)}));
  Print("concatenated", both[0]);

  TENON_ASSIGN_OR_RETURN(
      const auto handle,
      eager::Call("VarHandleOp", {},
                  {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape()}, {"shared_name", "total"}}));
  TENON_RETURN_IF_ERROR(eager::Call<ops::AssignVariableOp>(handle[0], b));
  for (int i = 0; i < 3; ++i) TENON_RETURN_IF_ERROR(eager::Call<ops::AssignAddVariableOp>(handle[0], b));
  TENON_ASSIGN_OR_RETURN(const auto total, eager::Call("ReadVariableOp", {handle[0]}, {{"dtype", DataType::kFloat}}));
  Print("variable", total[0]);

  eager::Async async;
  TENON_ASSIGN_OR_RETURN(const eager::Handle product, async.Call<ops::MatMul>({.transpose_b = true}, x, w));
  TENON_ASSIGN_OR_RETURN(const eager::Handle sum, async.Call<ops::BiasAdd>(product, b));
  TENON_ASSIGN_OR_RETURN(const Tensor later, sum.Get());
  Print("later", later);

  const Status wrong = eager::Call<ops::MatMul>(x, b).status();  // b is not a matrix
  std::printf("%s\n", wrong.ToString().c_str());
  return OkStatus();
}

}  // namespace

int main() {
  const Status status = Run();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

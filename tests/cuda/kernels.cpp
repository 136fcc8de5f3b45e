// SPDX-License-Identifier: Apache-2.0
// The CPU kernels of the same ops, and the ops that feed a graph.
#include <tenon/kernel/register.hpp>

#include <tenon/engine/conv/conv.hpp>
#include <tenon/engine/gemm/gemm.hpp>
#include <tenon/ops/array/identity.hpp>
#include <tenon/ops/array/pack.hpp>
#include <tenon/ops/array/shape.hpp>
#include <tenon/ops/array/transpose.hpp>
#include <tenon/ops/io/constant.hpp>
#include <tenon/ops/io/placeholder.hpp>
#include <tenon/ops/list/tensor_list_element.hpp>
#include <tenon/ops/list/tensor_list_tensor.hpp>
#include <tenon/ops/list/tensor_list_concat.hpp>
#include <tenon/ops/training/dense_handles.hpp>
#include <tenon/ops/variable/resource_variable.hpp>
#include <tenon/ops/variable/variable_gather.hpp>
#include <tenon/ops/variable/variable_scatter.hpp>
#include <tenon/ops/variable/variable_update.hpp>

#include <cuda/test_ops.hpp>
#include <top/short_ops.hpp>

TENON_REGISTER(my_ops::ZeroOut, my_ops::Add, my_ops::MatMul, cuda_tests::ScaleBy, cuda_tests::LeakyRelu,
               cuda_tests::Reverse, short_ops::ZeroAllButFirst, short_ops::ZeroAllBut, short_ops::Cube,
               tenon::ops::Identity, tenon::ops::Pack, tenon::ops::Shape, tenon::ops::Transpose, tenon::ops::Const,
               tenon::ops::Placeholder, tenon::ops::VarHandleOp, tenon::ops::ReadVariableOp,
               tenon::ops::AssignVariableOp, tenon::ops::AssignAddVariableOp, tenon::ops::VarIsInitializedOp,
               tenon::ops::ResourceGather, tenon::ops::ResourceApplyGradientDescent, tenon::ops::ResourceScatterAdd,
               tenon::ops::TensorListFromTensor, tenon::ops::TensorListGetItem, tenon::ops::TensorListSetItem,
               tenon::ops::TensorListPushBack, tenon::ops::TensorListPopBack, tenon::ops::TensorListStack,
               tenon::ops::TensorListLength, tenon::ops::TensorListScatterV2, tenon::ops::TensorListGather,
               tenon::ops::TensorListConcat);

// nvcc compiles no product and no convolution for the host: batched_test.cu and conv_gradient_test.cu compare with
// these.
TENON_DETAIL_NAMESPACE_BEGIN
#define CUDA_TESTS_GEMM(T) template Status Gemm<T>(Cpu&, In<T, 2>, bool, In<T, 2>, bool, Out<T, 2>, PackedWeights*)
CUDA_TESTS_GEMM(half);
CUDA_TESTS_GEMM(bfloat16);
CUDA_TESTS_GEMM(std::int16_t);
CUDA_TESTS_GEMM(std::int64_t);
CUDA_TESTS_GEMM(complex64);
CUDA_TESTS_GEMM(complex128);
#undef CUDA_TESTS_GEMM
template Status Conv2D<float>(Cpu&, const Conv2DGeometry&, const float*, const float*, float*, PackedWeights*,
                              ConvAlgorithm);
TENON_DETAIL_NAMESPACE_END

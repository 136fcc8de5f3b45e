// SPDX-License-Identifier: Apache-2.0
#include <tenon/fwd.hpp>

namespace {

template <class... T>
struct Names {};

// What the names are before any other header is read. Cuda is missing: device/cuda.cuh needs the CUDA toolkit.
using Declared =
    Names<tenon::Status, tenon::Result<int>, tenon::Allocator, tenon::Buffer, tenon::TensorShape,
          tenon::PartialTensorShape, tenon::Tensor, tenon::tstring, tenon::AttrValue, tenon::AttrMap, tenon::NodeDef,
          tenon::GraphDef, tenon::OpView, tenon::InferenceContext, tenon::OpRegistry, tenon::Cpu, tenon::Device,
          tenon::ThreadPoolInterface, tenon::OpKernel, tenon::OpKernelConstruction, tenon::OpKernelContext,
          tenon::Registry, tenon::Graph, tenon::GraphBuilder, tenon::SessionOptions, tenon::Session, tenon::Callable>;

// A header that only names them.
struct Holder {
  tenon::Session* session;
  const tenon::Tensor* tensor;
  tenon::Cuda* cuda;
  tenon::Result<tenon::Tensor> (*run)(const tenon::Session&, const tenon::SessionOptions&);
};

}  // namespace

#include <tenon/base/status.hpp>
#include <tenon/tensor/buffer.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/device/device.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/session.hpp>

#include <type_traits>

#include <doctest/doctest.h>

namespace {

template <class T>
concept Complete = requires { sizeof(T); };
template <class... T>
constexpr bool AllAreClasses(Names<T...>) {
  return (true && ... && (Complete<T> && std::is_class_v<T>));
}
static_assert(AllAreClasses(Declared()), "tenon/fwd.hpp declares a class that no header defines");

tenon::Result<tenon::Tensor> NoTensor(const tenon::Session& session, const tenon::SessionOptions&) {
  return session.devices().empty() ? tenon::Result<tenon::Tensor>(tenon::Status(tenon::Code::kNotFound, "none"))
                                   : tenon::Result<tenon::Tensor>(tenon::Tensor());
}

}  // namespace

TEST_CASE("what fwd.hpp only names is the class that its header defines") {
  tenon::Session session;
  const tenon::Tensor tensor = tenon::Tensor::Scalar(2.0f);
  const Holder holder{&session, &tensor, nullptr, &NoTensor};
  CHECK(holder.tensor->scalar<float>()() == 2.0f);
  CHECK(holder.run(*holder.session, {}).status().code() == tenon::Code::kNotFound);
}

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fingerprint: 64 bits for each row of a tensor.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/text/fingerprint.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr std::string_view kFarmHash = "farmhash64";
inline constexpr Index kFingerprintBytes = 8;

inline Status FingerprintShape(InferenceContext* c) {
  ShapeHandle data, method;
  DimensionHandle size = c->UnknownDim();
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &data));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &method));
  if (const Tensor* name = c->input_tensor(1)) {
    if (name->dims() != 0) return errors::InvalidArgument("`method` must be rank 0, got shape ", name->shape());
    const std::string_view text = name->data<tstring>()[0].view();
    if (text != kFarmHash) return errors::InvalidArgument("Unsupported method: ", text, "; there is ", kFarmHash);
    size = c->MakeDim(kFingerprintBytes);
  }
  c->set_output(0, c->Matrix(c->Dim(data, 0), size));
  return OkStatus();
}

// Stores the fingerprint of `bytes`, the lowest byte first.
inline void StoreFingerprint(std::string_view bytes, std::uint8_t* to) {
  const std::uint64_t print = Fingerprint64(bytes);
  for (int i = 0; i < kFingerprintBytes; ++i) to[i] = static_cast<std::uint8_t>(print >> (8 * i));
}

}  // namespace detail

// data: [rows, ...], method: 'farmhash64'  ->  [rows, 8]. A row of more than one string is the row of its strings'
// fingerprints.
struct Fingerprint {
  static constexpr auto signature = Op("Fingerprint")
                                        .Input("data: T")
                                        .Input("method: string")
                                        .Output("fingerprint: uint8")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::FingerprintShape);
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) const {
      const DataType type = c.input_type(0);
      if (type != DataType::kResource && type != DataType::kVariant) return OkStatus();
      return errors::InvalidArgument("Data type not supported: ", type);
    }
    Status operator()(Context<Device>& context, const Tensor& data, const Tensor& method, Tensor&) const {
      return Run(context.op(), data, method);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const Tensor& data, const Tensor& method) {
    if (method.dims() != 0)
      return errors::InvalidArgument("Fingerprint: `method` should be a scalar string: ", method.shape());
    const std::string_view name = method.data<tstring>()[0].view();
    if (name != detail::kFarmHash)
      return errors::InvalidArgument("Fingerprint: Unsupported fingerprint method: ", name, "; there is ",
                                     detail::kFarmHash);
    if (data.dims() < 1)
      return errors::InvalidArgument("Fingerprint: `data` should have at least one dimension: ", data.shape());
    const Index rows = data.dim_size(0), width = rows == 0 ? 0 : data.NumElements() / rows;
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({rows, detail::kFingerprintBytes}), &out));
    const bool texts = data.dtype() == DataType::kString;
    SlimVector<std::uint8_t> prints(static_cast<std::size_t>(texts ? width * detail::kFingerprintBytes : 0));
    for (Index r = 0; r < rows; ++r) {
      std::uint8_t* const to = out->data<std::uint8_t>() + r * detail::kFingerprintBytes;
      std::string_view row;
      if (!texts) {
        const auto bytes = static_cast<std::size_t>(width * SizeOf(data.dtype()));
        row = {static_cast<const char*>(data.raw_data()) + static_cast<std::size_t>(r) * bytes, bytes};
      } else if (width == 1) {
        row = data.data<tstring>()[r].view();
      } else {
        for (Index i = 0; i < width; ++i)
          detail::StoreFingerprint(data.data<tstring>()[r * width + i].view(),
                                   prints.data() + i * detail::kFingerprintBytes);
        row = {reinterpret_cast<const char*>(prints.data()), prints.size()};
      }
      detail::StoreFingerprint(row, to);
    }
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

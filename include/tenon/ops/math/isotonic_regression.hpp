// SPDX-License-Identifier: Apache-2.0
#pragma once
// IsotonicRegression: the nearest numbers that never rise along a row.

#include <cstddef>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

using IsotonicTypes = TypeList<half, bfloat16, float, double>;

// to[i] = from[i] as T, for small and wide integers and for T itself.
template <class T>
void LoadIsotonic(const Tensor& from, T* to) {
  const Index n = from.NumElements();
  for (Index i = 0; i < n; ++i) {
    switch (from.dtype()) {
      case DataType::kInt8: to[i] = T(static_cast<float>(from.data<std::int8_t>()[i])); break;
      case DataType::kInt16: to[i] = T(static_cast<float>(from.data<std::int16_t>()[i])); break;
      case DataType::kInt32: to[i] = static_cast<T>(from.data<std::int32_t>()[i]); break;
      case DataType::kInt64: to[i] = static_cast<T>(from.data<std::int64_t>()[i]); break;
      default: to[i] = from.data<T>()[i]; break;
    }
  }
}

// A run of elements that share their mean. `end`: the element behind it.
template <class T>
struct IsotonicPool {
  Index end;
  T sum, mean;
};

// Pools adjacent violators: x[0 .. n) becomes the answer, segments[i] the number of the run that holds element i.
template <class T>
void RegressRow(T* x, Index n, std::int32_t* segments, SlimVector<IsotonicPool<T>>* pools) {
  pools->clear();
  IsotonicPool<T> last{1, x[0], x[0]};  // the pools behind `pools`
  Index begin = 0;  // first element of the last pool
  for (Index i = 1; i < n; ++i) {
    if (!(x[i] > last.mean)) {
      pools->push_back(last);
      begin = i;
      last = {i + 1, x[i], x[i]};
      continue;
    }
    last.sum = last.sum + x[i];
    for (;;) {
      last.end = i + 1;
      last.mean = last.sum / static_cast<T>(static_cast<float>(last.end - begin));
      if (pools->empty() || !(last.mean > pools->back().mean)) break;
      last.sum = pools->back().sum + last.sum;
      pools->pop_back();
      begin = pools->empty() ? 0 : pools->back().end;
    }
  }
  pools->push_back(last);
  Index at = 0;
  for (std::size_t p = 0; p < pools->size(); ++p) {
    const IsotonicPool<T> pool = (*pools)[p];
    for (; at < pool.end; ++at) {
      x[at] = pool.mean;
      segments[at] = static_cast<std::int32_t>(p);
    }
  }
}

inline DataType IsotonicResult(DataType input) {
  if (input == DataType::kInt8 || input == DataType::kInt16) return DataType::kFloat;
  if (input == DataType::kInt32 || input == DataType::kInt64) return DataType::kDouble;
  return input;
}

}  // namespace detail

// input: [..., n]  ->  output, segments: [..., n]
struct IsotonicRegression {
  static constexpr auto signature = Op("IsotonicRegression")
                                        .Input("input: T")
                                        .Output("output: output_dtype")
                                        .Output("segments: int32")
                                        .Attr("T: realnumbertype")
                                        .Attr("output_dtype: {half, bfloat16, float, double} = DT_FLOAT")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          c->set_output(0, c->input(0));
                                          c->set_output(1, c->input(0));
                                          return OkStatus();
                                        });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      const DataType type = c.input_type(0);
      constexpr DataTypeSet kServed = dtypes_of<detail::IsotonicTypes>::value | ToSet(DataType::kInt8) |
                                      ToSet(DataType::kInt16) | ToSet(DataType::kInt32) | ToSet(DataType::kInt64);
      TENON_RETURN_IF_ERROR(ServeOnly(c, type, kServed));
      return ServeOnly(c, c.output_type(0), ToSet(detail::IsotonicResult(type)));
    }
    Status operator()(Context<Device>& context, const Tensor& input, Tensor&, Tensor&) const {
      return Run(context.op(), input);
    }
  };

 private:
  TENON_DETAIL_RARE static Status Run(OpKernelContext& context, const Tensor& input) {
    Tensor *out = nullptr, *segments = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, input.shape(), &out));
    TENON_RETURN_IF_ERROR(context.allocate_output(1, input.shape(), &segments));
    const Index n = input.dims() == 0 ? 1 : input.dim_size(input.dims() - 1), all = input.NumElements();
    return DispatchType<detail::IsotonicTypes>(out->dtype(), [&]<class T>() {
      SlimVector<detail::IsotonicPool<T>> pools;
      detail::LoadIsotonic(input, out->data<T>());
      for (Index i = 0; i < all; i += n)
        detail::RegressRow(out->data<T>() + i, n, segments->data<std::int32_t>() + i, &pools);
    });
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Comparisons. NaN is unequal to everything and in no order.

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/engine/core/broadcast.hpp>
#include <tenon/engine/core/plain_complex.hpp>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/math/signatures.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct Less {
  static constexpr auto signature = detail::BinaryOp("Less", detail::kOrderedTypes, "z: bool");
  static constexpr bool keeps_int32_on_host = true;

  template <class T>
  TENON_HD static bool map(const T& x, const T& y) {
    return x < y;
  }

  template <class Device, class T>
  using kernel = Map2<Less, Device, T>;
};

struct LessEqual {
  static constexpr auto signature = detail::BinaryOp("LessEqual", detail::kOrderedTypes, "z: bool");
  static constexpr bool keeps_int32_on_host = true;

  template <class T>
  TENON_HD static bool map(const T& x, const T& y) {
    return x <= y;
  }

  template <class Device, class T>
  using kernel = Map2<LessEqual, Device, T>;
};

// y < x
struct Greater {
  static constexpr auto signature = detail::BinaryOp("Greater", detail::kOrderedTypes, "z: bool");

  template <class Device, class T>
  using kernel = Map2Swapped<Less, Device, T>;
};

// y <= x
struct GreaterEqual {
  static constexpr auto signature = detail::BinaryOp("GreaterEqual", detail::kOrderedTypes, "z: bool");

  template <class Device, class T>
  using kernel = Map2Swapped<LessEqual, Device, T>;
};

namespace detail {

constexpr Status EqualShapeFn(InferenceContext* c) {
  bool incompatible_shape_error = true;
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->GetAttr("incompatible_shape_error", &incompatible_shape_error));
  TENON_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), c->input(1),
                                                                              incompatible_shape_error, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr auto EqualityOp(std::string_view name) {
  return Op(name)
      .Input("x: T")
      .Input("y: T")
      .Output("z: bool")
      .SetIsCommutative()
      .Attr("T: type")
      .Attr("incompatible_shape_error: bool = true")
      .SetShapeFn(EqualShapeFn);
}

template <class Op, class T, class Device>
Status Compare(Device& device, const Tensor& x, const Tensor& y, Out<bool> z) {
  return MapBinary<Op, T, bool>(device, nullptr,
                                In<T>(static_cast<const T*>(x.raw_data()), x.NumElements(), &x.shape()),
                                In<T>(static_cast<const T*>(y.raw_data()), y.NumElements(), &y.shape()), z);
}

// The comparison of elements of a dtype: integers of one size share theirs. Null where TensorFlow has no kernel.
template <class Op, class Device>
auto ComparisonOf(DataType dtype) -> decltype(&Compare<Op, float, Device>) {
  switch (dtype) {
    case DataType::kBool:
    case DataType::kInt8:
    case DataType::kUint8:
    case DataType::kQint8:
    case DataType::kQuint8: return &Compare<Op, std::uint8_t, Device>;
    case DataType::kInt16:
    case DataType::kUint16:
    case DataType::kQint16:
    case DataType::kQuint16: return &Compare<Op, std::uint16_t, Device>;
    case DataType::kInt32:
    case DataType::kUint32:
    case DataType::kQint32: return &Compare<Op, std::uint32_t, Device>;
    case DataType::kInt64:
    case DataType::kUint64: return &Compare<Op, std::uint64_t, Device>;
    case DataType::kHalf: return &Compare<Op, half, Device>;
    case DataType::kBfloat16: return &Compare<Op, bfloat16, Device>;
    case DataType::kFloat: return &Compare<Op, float, Device>;
    case DataType::kDouble: return &Compare<Op, double, Device>;
    case DataType::kComplex64: return &Compare<Op, tenon::detail::PlainComplex<float>, Device>;
    case DataType::kComplex128: return &Compare<Op, tenon::detail::PlainComplex<double>, Device>;
    case DataType::kString:
      if constexpr (MapsOn<Device, tstring>) return &Compare<Op, tstring, Device>;
      return nullptr;
    default: return nullptr;
  }
}

struct StoreBool {
  bool* to;
  bool value;
  TENON_HD void operator()(Index) const { *to = value; }
};

// The kernel of both. `if_incompatible` is the answer for shapes that do not broadcast, where those are no error.
template <class Op, class Device>
struct EqualityKernel : Op::Attrs {
  static constexpr bool for_gpu = true;

  Status Init(OpKernelConstruction& c) {
    return ServeOnDevice<Device>(c, c.input_type(0), WithoutInt32OnGpu<Device>(kAllTypes));
  }
  Status operator()(Device& device, const Tensor& x, const Tensor& y, Out<bool> z) const {
    const auto compare = ComparisonOf<Op, Device>(x.dtype());
    if (compare == nullptr) return NoKernel(x.dtype());
    if (!this->incompatible_shape_error && !Compatible(x.shape(), y.shape()))
      return ForEach(device, 1, StoreBool{z.data, Op::if_incompatible});
    return compare(device, x, y, z);
  }

 private:
  static bool Compatible(const TensorShape& x, const TensorShape& y) {
    const int rank = x.dims() > y.dims() ? x.dims() : y.dims();
    for (int d = 0; d < rank; ++d) {
      const Index m = tenon::detail::AlignedDim(x, d, rank), n = tenon::detail::AlignedDim(y, d, rank);
      if (m != n && m != 1 && n != 1) return false;
    }
    return true;
  }
  TENON_DETAIL_COLD static Status NoKernel(DataType dtype) {
    return errors::InvalidArgument("no kernel for op '", Op::signature.name, "' on CPU with types {", dtype,
                                   "}; elements of this type are not compared");
  }
};

}  // namespace detail

// x == y. With incompatible_shape_error = false, shapes that do not broadcast give the scalar false.
struct Equal {
  static constexpr auto signature = detail::EqualityOp("Equal");
  struct Attrs {
    bool incompatible_shape_error;
  };
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr bool if_incompatible = false;

  template <class T>
  TENON_HD static bool map(const T& x, const T& y) {
    return x == y;
  }

  template <class Device>
  using kernel = detail::EqualityKernel<Equal, Device>;
};

// x != y. With incompatible_shape_error = false, shapes that do not broadcast give the scalar true.
struct NotEqual {
  static constexpr auto signature = detail::EqualityOp("NotEqual");
  struct Attrs {
    bool incompatible_shape_error;
  };
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr bool if_incompatible = true;

  template <class T>
  TENON_HD static bool map(const T& x, const T& y) {
    return !(x == y);
  }

  template <class Device>
  using kernel = detail::EqualityKernel<NotEqual, Device>;
};

// |x - y| < tolerance. The operands have one shape.
struct ApproximateEqual {
  static constexpr auto signature =
      Op("ApproximateEqual")
          .Input("x: T")
          .Input("y: T")
          .Output("z: bool")
          .SetIsCommutative()
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
          .Attr("tolerance: float = 0.00001")
          .SetShapeFn([](InferenceContext* c) -> Status {
            ShapeHandle both;
            c->set_output(0, c->input(0));
            return c->Merge(c->input(0), c->input(1), &both);
          });
  struct Attrs {
    float tolerance;
  };

  template <class T>
  TENON_HD static bool map(const T& x, const T& y, const Attrs& attrs) {
    return std::abs(x - y) < static_cast<T>(attrs.tolerance);
  }

  template <class Device, class T>
    requires(std::is_same_v<T, float> || std::is_same_v<T, double>)
  using kernel = MapPairs<ApproximateEqual, Device, T>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

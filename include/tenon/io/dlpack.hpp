// SPDX-License-Identifier: Apache-2.0
#pragma once
// DLPack: tensors of NumPy, PyTorch, JAX, CuPy... as Tensors and the other way round, without a copy. The structs have
// the layout of <dlpack/dlpack.h> 1.1, which is not needed: reinterpret_cast between its structs and these.

#include <cstddef>
#include <cstdint>
#include <limits>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace dlpack {

inline constexpr std::uint32_t kMajorVersion = 1, kMinorVersion = 1;

enum DLDeviceType : std::int32_t {
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3,
  kDLOpenCL = 4,
  kDLVulkan = 7,
  kDLMetal = 8,
  kDLVPI = 9,
  kDLROCM = 10,
  kDLROCMHost = 11,
  kDLExtDev = 12,
  kDLCUDAManaged = 13,
  kDLOneAPI = 14,
  kDLWebGPU = 15,
  kDLHexagon = 16,
  kDLMAIA = 17,
  kDLTrn = 18,
};

enum DLDataTypeCode : std::uint8_t {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLOpaqueHandle = 3,
  kDLBfloat = 4,
  kDLComplex = 5,
  kDLBool = 6,
  kDLFloat8_e3m4 = 7,
  kDLFloat8_e4m3 = 8,
  kDLFloat8_e4m3b11fnuz = 9,
  kDLFloat8_e4m3fn = 10,
  kDLFloat8_e4m3fnuz = 11,
  kDLFloat8_e5m2 = 12,
  kDLFloat8_e5m2fnuz = 13,
  kDLFloat8_e8m0fnu = 14,
  kDLFloat6_e2m3fn = 15,
  kDLFloat6_e3m2fn = 16,
  kDLFloat4_e2m1fn = 17,
};

struct DLVersion {
  std::uint32_t major;
  std::uint32_t minor;
};
struct DLDevice {
  std::int32_t device_type;  // a DLDeviceType, or one that came after version 1.1
  std::int32_t device_id;
};
struct DLDataType {
  std::uint8_t code;  // a DLDataTypeCode, or one that came after version 1.1
  std::uint8_t bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: row-major, packed
  std::uint64_t byte_offset;
};
// The form before version 1.
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);  // may be null
};
struct DLManagedTensorVersioned {
  DLVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);  // may be null
  std::uint64_t flags;
  DLTensor dl_tensor;
};

inline constexpr std::uint64_t kFlagReadOnly = 1, kFlagIsCopied = 2, kFlagIsSubbyteTypePadded = 4;

}  // namespace dlpack

namespace detail {

static_assert(sizeof(dlpack::DLDataType) == 4 && sizeof(dlpack::DLDevice) == 8);
static_assert(sizeof(void*) != 8 ||
              (sizeof(dlpack::DLTensor) == 48 && sizeof(dlpack::DLManagedTensor) == 64 &&
               sizeof(dlpack::DLManagedTensorVersioned) == 80 && offsetof(dlpack::DLTensor, ndim) == 16 &&
               offsetof(dlpack::DLTensor, shape) == 24 && offsetof(dlpack::DLTensor, byte_offset) == 40 &&
               offsetof(dlpack::DLManagedTensorVersioned, manager_ctx) == 8 &&
               offsetof(dlpack::DLManagedTensorVersioned, flags) == 24 &&
               offsetof(dlpack::DLManagedTensorVersioned, dl_tensor) == 32));

struct DLPackType {
  DataType dtype;
  std::uint8_t code, bits;
};
inline constexpr DLPackType kDLPackTypes[] = {
    {DataType::kFloat, dlpack::kDLFloat, 32},
    {DataType::kDouble, dlpack::kDLFloat, 64},
    {DataType::kHalf, dlpack::kDLFloat, 16},
    {DataType::kBfloat16, dlpack::kDLBfloat, 16},
    {DataType::kInt8, dlpack::kDLInt, 8},
    {DataType::kInt16, dlpack::kDLInt, 16},
    {DataType::kInt32, dlpack::kDLInt, 32},
    {DataType::kInt64, dlpack::kDLInt, 64},
    {DataType::kUint8, dlpack::kDLUInt, 8},
    {DataType::kUint16, dlpack::kDLUInt, 16},
    {DataType::kUint32, dlpack::kDLUInt, 32},
    {DataType::kUint64, dlpack::kDLUInt, 64},
    {DataType::kBool, dlpack::kDLBool, 8},
    {DataType::kComplex64, dlpack::kDLComplex, 64},
    {DataType::kComplex128, dlpack::kDLComplex, 128},
    {DataType::kFloat8E5M2, dlpack::kDLFloat8_e5m2, 8},
    {DataType::kFloat8E4M3FN, dlpack::kDLFloat8_e4m3fn, 8},
    {DataType::kFloat8E4M3FNUZ, dlpack::kDLFloat8_e4m3fnuz, 8},
    {DataType::kFloat8E4M3B11FNUZ, dlpack::kDLFloat8_e4m3b11fnuz, 8},
    {DataType::kFloat8E5M2FNUZ, dlpack::kDLFloat8_e5m2fnuz, 8},
};

constexpr bool IsHostDevice(std::int32_t device_type) {
  return device_type == dlpack::kDLCPU || device_type == dlpack::kDLCUDAHost || device_type == dlpack::kDLROCMHost ||
         device_type == dlpack::kDLCUDAManaged;
}

// Returns OK for a packed row-major tensor, otherwise the reason. Ignores strides that no element's offset depends
// on: the strides of dimensions of size 1, and all strides of a tensor without elements.
inline Status CheckDLPackStrides(const dlpack::DLTensor& from, const TensorShape& shape) {
  if (from.strides == nullptr || shape.num_elements() == 0) return OkStatus();
  std::int64_t wanted = 1;
  for (int d = shape.dims() - 1; d >= 0; --d) {
    if (shape.dim_size(d) != 1 && from.strides[d] != wanted) {
      return errors::InvalidArgument("FromDLPack: the tensor of shape ", shape,
                                     " is not packed in row-major order: ", "dimension ", d, " has stride ",
                                     from.strides[d], ", and ", wanted, " would be right; make it contiguous first");
    }
    wanted *= shape.dim_size(d);
  }
  return OkStatus();
}

struct DLPackView {
  DataType dtype = DataType::kInvalid;
  TensorShape shape;
  void* data = nullptr;
  std::size_t bytes = 0;
};

inline Status ViewDLPack(const dlpack::DLTensor& from, Allocator* device, DLPackView* view) {
  for (const DLPackType& known : kDLPackTypes) {
    if (known.code == from.dtype.code && known.bits == from.dtype.bits && from.dtype.lanes == 1)
      view->dtype = known.dtype;
  }
  if (view->dtype == DataType::kInvalid) {
    return errors::InvalidArgument("FromDLPack: no dtype has elements of code ", from.dtype.code, " with ",
                                   from.dtype.bits, " bits and ", from.dtype.lanes,
                                   " lanes; numbers, bools, complex numbers, bfloat16 and float8 of one lane have");
  }
  const bool is_host = IsHostDevice(from.device.device_type);
  if (!is_host && (device == nullptr || device->HostAccessible())) {
    return errors::InvalidArgument("FromDLPack: the tensor is on a device of type ", from.device.device_type,
                                   ", number ", from.device.device_id,
                                   "; give the allocator of that device, or copy the tensor to the host first");
  }
  if (from.ndim < 0 || from.ndim > kMaxTensorRank || (from.ndim > 0 && from.shape == nullptr)) {
    return errors::InvalidArgument("FromDLPack: ", from.ndim, " dimensions",
                                   from.shape == nullptr ? " without sizes" : "", "; 0 to ", kMaxTensorRank,
                                   " with their sizes are wanted");
  }
  const Span<const Index> sizes(from.shape, static_cast<std::size_t>(from.ndim));
  if (Status s = TensorShape::Build(sizes, &view->shape); !s.ok())
    return Status(s.code(), StrCat("FromDLPack: ", s.message()));
  TENON_RETURN_IF_ERROR(CheckDLPackStrides(from, view->shape));
  const Index elements = view->shape.num_elements();
  if (elements == 0) return OkStatus();
  const auto size = static_cast<Index>(SizeOf(view->dtype));
  if (elements > std::numeric_limits<std::ptrdiff_t>::max() / size) {
    return errors::InvalidArgument("FromDLPack: shape ", view->shape, " of type ", view->dtype,
                                   " has more bytes than there are addresses");
  }
  view->bytes = static_cast<std::size_t>(elements * size);
  const auto address = reinterpret_cast<std::uintptr_t>(from.data);
  if (from.data == nullptr || from.byte_offset > UINTPTR_MAX - address - view->bytes ||
      address > UINTPTR_MAX - view->bytes) {
    return errors::InvalidArgument("FromDLPack: the tensor of shape ", view->shape, " has no memory: data is ",
                                   from.data == nullptr ? "null" : "not null", ", byte_offset is ", from.byte_offset);
  }
  const std::uintptr_t alignment = static_cast<std::uintptr_t>(IsComplex(view->dtype) ? size / 2 : size);
  if ((address + from.byte_offset) % alignment != 0) {
    return errors::InvalidArgument("FromDLPack: the elements of type ", view->dtype, " are not at a multiple of ",
                                   alignment, " bytes; copy the tensor first");
  }
  view->data = static_cast<char*>(from.data) + from.byte_offset;
  if (view->dtype == DataType::kBool && is_host) {
    for (std::size_t i = 0; i < view->bytes; ++i) {
      if (static_cast<const unsigned char*>(view->data)[i] > 1)
        return errors::InvalidArgument("FromDLPack: element ", i, " is a bool that is neither 0 nor 1");
    }
  }
  return OkStatus();
}

// The deleter of an imported tensor's buffer: calls the deleter that came with the tensor.
template <class Managed>
void GiveBackDLPack(void*, void* arg) {
  Managed* const held = static_cast<Managed*>(arg);
  if (held->deleter != nullptr) held->deleter(held);
}
// Returns whether the tensor's memory came as read-only.
inline bool IsReadOnlyDLPack(const Tensor& tensor) {
  using Managed = dlpack::DLManagedTensorVersioned;
  if (tensor.buffer() == nullptr) return false;
  const void* const held = tensor.buffer()->root()->arg_of(&GiveBackDLPack<Managed>);
  return held != nullptr && (static_cast<const Managed*>(held)->flags & dlpack::kFlagReadOnly) != 0;
}

template <class Managed>
Result<Tensor> TakeDLPack(Managed* managed, Allocator* device) {
  DLPackView view;
  TENON_RETURN_IF_ERROR(ViewDLPack(managed->dl_tensor, device, &view));
  if (view.bytes == 0) {
    if (managed->deleter != nullptr) managed->deleter(managed);
    return Tensor(view.dtype, view.shape, nullptr);
  }
  Allocator* const kind = IsHostDevice(managed->dl_tensor.device.device_type) ? nullptr : device;
  return Tensor(view.dtype, view.shape, Buffer::Wrap(view.data, view.bytes, &GiveBackDLPack<Managed>, managed, kind));
}

// An exported tensor: one heap object, which lives until the consumer calls the deleter.
template <class Managed>
struct DLPackExport {
  explicit DLPackExport(const Tensor& exported) : tensor(exported) {}

  Managed managed{};
  Tensor tensor;
  SlimVector<std::int64_t> sizes_and_strides;
};

template <class Managed>
Result<Managed*> MakeDLPack(const Tensor& tensor, dlpack::DLDevice device) {
  const DLPackType* type = nullptr;
  for (const DLPackType& known : kDLPackTypes) {
    if (known.dtype == tensor.dtype()) type = &known;
  }
  if (type == nullptr)
    return errors::InvalidArgument("ToDLPack: DLPack has no type for elements of type ", tensor.dtype());
  if (!tensor.IsInitialized()) return errors::FailedPrecondition("ToDLPack: the tensor is not initialised");
  if (tensor.buffer() != nullptr && tensor.HostAccessible() != IsHostDevice(device.device_type)) {
    return errors::InvalidArgument("ToDLPack: the tensor is in memory ",
                                   tensor.HostAccessible() ? "of the host" : "of a device", ", and device type ",
                                   device.device_type, " (1: CPU, 2: CUDA) is not there");
  }
  auto* const made = new DLPackExport<Managed>(tensor);
  const int dims = tensor.dims();
  auto& list = made->sizes_and_strides;
  list.resize(2 * static_cast<std::size_t>(dims));
  // Strides of packed dimensions; where there are no elements, as if sizes of 0 were 1.
  std::int64_t stride = 1;
  for (int d = dims - 1; d >= 0; --d) {
    const Index size = tensor.dim_size(d);
    list[static_cast<std::size_t>(d)] = size;
    list[static_cast<std::size_t>(dims + d)] = stride;
    const std::int64_t next = MultiplyWithoutOverflow(stride, size > 1 ? size : 1);
    stride = next < 0 ? 1 : next;
  }
  dlpack::DLTensor& out = made->managed.dl_tensor;
  out.data = const_cast<void*>(made->tensor.raw_data());
  out.device = device;
  out.ndim = dims;
  out.dtype = {type->code, type->bits, 1};
  out.shape = list.data();
  out.strides = dims == 0 ? nullptr : list.data() + dims;
  made->managed.manager_ctx = made;
  made->managed.deleter = [](Managed* self) { delete static_cast<DLPackExport<Managed>*>(self->manager_ctx); };
  return &made->managed;
}

}  // namespace detail

// Returns a tensor that views the memory of `managed`; Tenon never writes to it in place. The deleter runs when the
// last Tensor that shares the memory goes, on that thread (at once where there are no elements). InvalidArgument: the
// tensor is refused and stays the caller's. For a device other than the host, `device` is an allocator of that very
// device, which the Tensor reports. Wait beforehand for work that still runs there.
inline Result<Tensor> FromDLPack(dlpack::DLManagedTensor* managed, Allocator* device = nullptr) {
  if (managed == nullptr) return errors::InvalidArgument("FromDLPack: there is no tensor (null)");
  return detail::TakeDLPack(managed, device);
}
inline Result<Tensor> FromDLPack(dlpack::DLManagedTensorVersioned* managed, Allocator* device = nullptr) {
  if (managed == nullptr) return errors::InvalidArgument("FromDLPack: there is no tensor (null)");
  if (managed->version.major != dlpack::kMajorVersion) {
    return errors::InvalidArgument("FromDLPack: the tensor is of DLPack version ", managed->version.major, ".",
                                   managed->version.minor, "; version ", dlpack::kMajorVersion, " can be read");
  }
  return detail::TakeDLPack(managed, device);
}

// Returns the tensor for a consumer, which shares its memory until it calls the deleter. `device`: where the memory
// is. InvalidArgument: DLPack lacks the type, or the device does not fit the memory. FailedPrecondition: the memory
// came by DLPack as read-only, which this form cannot say.
inline Result<dlpack::DLManagedTensor*> ToDLPack(const Tensor& tensor, dlpack::DLDevice device = {dlpack::kDLCPU, 0}) {
  if (detail::IsReadOnlyDLPack(tensor)) {
    return errors::FailedPrecondition("ToDLPack: the tensor's memory came as read-only, which DLPack can say from ",
                                      "version 1 on; ToDLPackVersioned does");
  }
  return detail::MakeDLPack<dlpack::DLManagedTensor>(tensor, device);
}
// Returns the tensor in the form of version 1, otherwise as ToDLPack. `read_only` asks the consumer not to write, as
// does memory that came as read-only. Tenon itself only reads memory that it shares.
inline Result<dlpack::DLManagedTensorVersioned*> ToDLPackVersioned(const Tensor& tensor,
                                                                   dlpack::DLDevice device = {dlpack::kDLCPU, 0},
                                                                   bool read_only = false) {
  TENON_ASSIGN_OR_RETURN(dlpack::DLManagedTensorVersioned* const managed,
                         detail::MakeDLPack<dlpack::DLManagedTensorVersioned>(tensor, device));
  managed->version = {dlpack::kMajorVersion, dlpack::kMinorVersion};
  managed->flags = read_only || detail::IsReadOnlyDLPack(tensor) ? dlpack::kFlagReadOnly : 0;
  return managed;
}

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// The entry point of a shared library of ops and kernels for the binary that loads it: one C function that returns a
// PluginHeader. TENON_PLUGIN (plugin.hpp) writes it, LoadLibrary (io/load_library.hpp) reads it.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/variant_element.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/registry/kernel_constraints.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/row.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

inline constexpr char kPluginMagic[8] = {'t', 'e', 'n', 'o', 'n', 'l', 'i', 'b'};
inline constexpr const char* kPluginEntryPoint = "tenon_plugin";
inline constexpr std::size_t kPluginDataTypes = 64;
inline constexpr std::uint8_t kNoSuchDataType = 0xff;

namespace detail {

#define TENON_DETAIL_TEXT_OF(text) #text
#define TENON_DETAIL_TEXT(macro) TENON_DETAIL_TEXT_OF(macro)
#if defined(_LIBCPP_ABI_VERSION)
#define TENON_DETAIL_LIBRARY_ABI "libc++ abi " TENON_DETAIL_TEXT(_LIBCPP_ABI_VERSION)
#elif defined(_GLIBCXX_USE_CXX11_ABI)
#define TENON_DETAIL_LIBRARY_ABI "libstdc++ cxx11=" TENON_DETAIL_TEXT(_GLIBCXX_USE_CXX11_ABI)
#else
#define TENON_DETAIL_LIBRARY_ABI "another standard library"
#endif
inline constexpr const char* kPluginAbi =
    "tenon " TENON_DETAIL_TEXT(TENON_DETAIL_ABI_TAG) ", " TENON_DETAIL_COMPILER_ABI ", " TENON_DETAIL_LIBRARY_ABI;
#undef TENON_DETAIL_LIBRARY_ABI
#undef TENON_DETAIL_TEXT
#undef TENON_DETAIL_TEXT_OF

// A number made of the sizes of all that crosses: differs, as good as always, when a type has changed in between or
// when a macro such as _GLIBCXX_DEBUG changes containers.
constexpr std::uint32_t PluginLayout() {
  std::uint32_t hash = 2166136261u;
  for (const std::size_t size : {sizeof(void*),
                                 sizeof(long),
                                 sizeof(std::string),
                                 sizeof(Status),
                                 sizeof(Tensor),
                                 sizeof(TensorShape),
                                 sizeof(PartialTensorShape),
                                 sizeof(AnyView),
                                 sizeof(ArgSpec),
                                 sizeof(AttrSpec),
                                 sizeof(OpView),
                                 sizeof(OpRow),
                                 sizeof(KernelRow),
                                 sizeof(KernelMatch),
                                 sizeof(ParamInfo),
                                 sizeof(RegistrationBatch),
                                 sizeof(KernelCall),
                                 sizeof(*std::declval<KernelCall>().first),
                                 sizeof(Done),
                                 sizeof(AsyncOpKernel::Call),
                                 sizeof(AttrValue),
                                 sizeof(NodeDef),
                                 sizeof(InferenceContext),
                                 sizeof(OpKernel),
                                 sizeof(OpKernelContext),
                                 sizeof(OpKernelContext::NodeFrame),
                                 sizeof(StepEnvironment),
                                 sizeof(OpKernelConstruction),
                                 sizeof(Cpu)})
    hash = (hash ^ static_cast<std::uint32_t>(size)) * 16777619u;
  return hash;
}

// Bytes of one element of every DataType by its number, types with a C++ object in the tensor included.
using PluginDataTypeSizes = std::array<std::uint8_t, kPluginDataTypes>;
constexpr PluginDataTypeSizes MakePluginDataTypeSizes() {
  PluginDataTypeSizes sizes{};
  sizes.fill(kNoSuchDataType);
  for (std::size_t i = 0; i < kDataTypeCount; ++i) sizes[i] = kDataTypeRows[i].size;
  sizes[static_cast<std::size_t>(DataType::kString)] = sizeof(tstring);
  sizes[static_cast<std::size_t>(DataType::kResource)] = sizeof(ResourceHandle);
  sizes[static_cast<std::size_t>(DataType::kVariant)] = sizeof(Variant);
  return sizes;
}

}  // namespace detail

// immutable. The members down to `dtype_sizes` keep their offsets in all versions, so that any two can compare them.
struct PluginHeader {
  char magic[8];             // kPluginMagic
  std::uint32_t version[3];  // major, minor, patch of the headers that the library was built from
  std::uint32_t layout;      // a hash of the sizes of the types that cross
  const char* abi;
  std::uint8_t dtype_sizes[kPluginDataTypes];  // by DataType number; kNoSuchDataType: there is none
  // Read only when all of the above is the same.
  const RegistrationBatch* batch;                        // from TENON_PLUGIN
  const std::atomic<RegistrationBatch*>* linked_batches;  // from TENON_REGISTER in the library's other files
};

constexpr PluginHeader MakePluginHeader(const RegistrationBatch* batch) {
  PluginHeader header{};
  for (std::size_t i = 0; i < sizeof(kPluginMagic); ++i) header.magic[i] = kPluginMagic[i];
  header.version[0] = kVersionMajor;
  header.version[1] = kVersionMinor;
  header.version[2] = kVersionPatch;
  header.layout = detail::PluginLayout();
  header.abi = detail::kPluginAbi;
  constexpr detail::PluginDataTypeSizes sizes = detail::MakePluginDataTypeSizes();
  for (std::size_t i = 0; i < kPluginDataTypes; ++i) header.dtype_sizes[i] = sizes[i];
  header.batch = batch;
  header.linked_batches = &detail::registration_batches;
  return header;
}

// Whether a binary of these headers may use a library of that header. FailedPrecondition says how they differ;
// `library` is the library's name.
inline Status CheckPlugin(const PluginHeader& header, std::string_view library) {
  const PluginHeader own = MakePluginHeader(nullptr);
  const auto refuse = [library](std::string_view what) {
    return errors::FailedPrecondition("LoadLibrary: '", library, "' ", what, "; build it again with these headers");
  };
  if (std::string_view(header.magic, sizeof(header.magic)) != std::string_view(own.magic, sizeof(own.magic)))
    return errors::FailedPrecondition("LoadLibrary: '", library, "': what its function '", kPluginEntryPoint,
                                      "' returns is no plug-in header; TENON_PLUGIN(ops...) writes one");
  const auto version = [](const PluginHeader& h) {
    return StrCat("Tenon ", h.version[0], ".", h.version[1], ".", h.version[2]);
  };
  // As for the CMake package: the same minor version.
  if (header.version[0] != own.version[0] || header.version[1] != own.version[1])
    return refuse(StrCat("was built against ", version(header), ", this program against ", version(own)));
  if (std::string_view(header.abi) != own.abi)
    return refuse(StrCat("has the ABI '", header.abi, "', this program '", own.abi, "'"));
  for (std::size_t i = 0; i < kPluginDataTypes; ++i) {
    if (header.dtype_sizes[i] == own.dtype_sizes[i]) continue;
    const auto size = [i](const PluginHeader& h) {
      return h.dtype_sizes[i] == kNoSuchDataType ? std::string("unknown") : StrCat(int{h.dtype_sizes[i]}, " bytes");
    };
    return refuse(
        StrCat("has another table of dtypes: number ", i, " is ", size(header), " there and ", size(own), " here"));
  }
  if (header.layout != own.layout)
    return refuse(StrCat("lays out Tenon's types in another way than this program: layout ", header.layout, ", not ",
                         own.layout, " (a macro that changes the standard library's containers?)"));
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END

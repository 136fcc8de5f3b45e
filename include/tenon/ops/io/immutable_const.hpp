// SPDX-License-Identifier: Apache-2.0
#pragma once
// GuaranteeConst, and ImmutableConst: a constant whose elements are the bytes of a file.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/io/mapped_file.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

// The input, of which the graph says that it never changes.
struct GuaranteeConst {
  static constexpr auto signature = Op("GuaranteeConst")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnchangedShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status operator()(Device&, const Tensor& input, Tensor& output) const {
      output = input;
      return OkStatus();
    }
  };
};

// The first bytes of the file `memory_region_name`, mapped, so that it must not be written to in place while the value
// is used (io/mapped_file.hpp); NotFound without it, Unimplemented for texts. Plain types only.
struct ImmutableConst {
  static constexpr auto signature = Op("ImmutableConst")
                                        .Attr("dtype: type")
                                        .Attr("shape: shape")
                                        .Attr("memory_region_name: string")
                                        .Output("tensor: dtype")
                                        .SetShapeFn(shape_inference::ExplicitShape);

  struct Attrs {
    PartialTensorShape shape;
    std::string_view memory_region_name;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      if (SizeOf(c.output_type(0)) != 0 || c.output_type(0) == DataType::kString) return OkStatus();
      return errors::InvalidArgument("ImmutableConst: Sorry, ", Name(c.output_type(0)), " is not supported in this op");
    }
    Status operator()(Context<Device>& context, Tensor& tensor) const {
      return Run(this->shape, this->memory_region_name, context.op().expected_output_dtype(0), &tensor);
    }
  };

 private:
  static Status Run(const PartialTensorShape& wanted, std::string_view name, DataType type, Tensor* tensor) {
    TensorShape shape;
    if (!wanted.AsTensorShape(&shape))
      return errors::InvalidArgument("ImmutableConst: shape must be fully defined, got ", wanted);
    TENON_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(std::string(name)));
    if (type == DataType::kString)
      return errors::Unimplemented("ImmutableConst: Sorry, DT_STRING is not currently supported for this op.");
    const std::size_t bytes = tenon::detail::BytesWanted(type, shape);
    if (file.bytes().empty())  // as the mapping of an empty file
      return errors::InvalidArgument("ImmutableConst: Readonly memory region '", name, "' is empty");
    if (bytes == SIZE_MAX)
      return errors::InvalidArgument("ImmutableConst: a tensor of type ", Name(type), " and shape ", shape,
                                     " is larger than any memory region");
    if (file.bytes().size() < bytes)
      return errors::Internal("ImmutableConst: Readonly memory region '", name, "' has ", file.bytes().size(),
                              " bytes, but a tensor of type ", Name(type), " and shape ", shape, " has ", bytes);
    *tensor = Tensor::ViewOf(file.buffer(), type, shape, file.bytes().data());
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

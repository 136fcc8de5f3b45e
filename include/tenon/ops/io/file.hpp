// SPDX-License-Identifier: Apache-2.0
#pragma once
// ReadFile, WriteFile: whole files as texts.

#include <cerrno>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include <tenon/base/errors.hpp>
#include <tenon/op/inference_context.hpp>
#include <tenon/op/shape_fns.hpp>
#include <tenon/op/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/io/mapped_file.hpp>

TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status CheckFileName(const In<tstring>& name) {
  if (name.shape().dims() == 0) return OkStatus();
  return errors::InvalidArgument("Input filename tensor must be scalar, but had shape: ", name.shape());
}
// The folders on the way to a file, where they are missing.
inline Status MakeFoldersOf(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != path.npos; end = path.find('/', end + 1)) {
    const std::string folder = path.substr(0, end);
    if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST)
      return tenon::detail::FileError("WriteFile", folder, errno);
  }
  return OkStatus();
}

}  // namespace detail

struct ReadFile {
  static constexpr auto signature =
      Op("ReadFile").Input("filename: string").Output("contents: string").SetShapeFn([](InferenceContext* c) -> Status {
        ShapeHandle unused;
        TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
        return shape_inference::ScalarShape(c);
      });

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, In<tstring> filename, Out<tstring> contents) const {
      TENON_RETURN_IF_ERROR(detail::CheckFileName(filename));
      TENON_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(std::string(filename[0].view())));
      contents[0].assign({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
      return OkStatus();
    }
  };
};

// Folders that are missing are made.
struct WriteFile {
  static constexpr auto signature = Op("WriteFile")
                                        .Input("filename: string")
                                        .Input("contents: string")
                                        .SetIsStateful()
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused;
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
                                          return c->WithRank(c->input(1), 0, &unused);
                                        });

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, In<tstring> filename, In<tstring> contents) const {
      TENON_RETURN_IF_ERROR(detail::CheckFileName(filename));
      if (contents.shape().dims() != 0)
        return errors::InvalidArgument("Contents tensor must be scalar, but had shape: ", contents.shape());
      const std::string path(filename[0].view());
      TENON_RETURN_IF_ERROR(detail::MakeFoldersOf(path));
      return tenon::WriteFile(path, contents[0].view());
    }
  };
};

}  // namespace ops

TENON_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// ReadFile, WriteFile: whole files as texts. MatchingFiles; ShardedFilename, ShardedFilespec: names of files.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/io/bundle_entry.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/io/mapped_file.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status CheckFileName(const In<tstring>& name) {
  if (name.shape().dims() == 0) return OkStatus();
  return errors::InvalidArgument("Input filename tensor must be scalar, but had shape: ", name.shape());
}

inline Status ScalarsToScalar(InferenceContext* c) {
  ShapeHandle unused;
  for (int i = 0; i < c->num_inputs(); ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  c->set_output(0, c->Scalar());
  return OkStatus();
}
inline Status CheckScalar(std::string_view what, const TensorShape& shape) {
  if (shape.dims() == 0) return OkStatus();
  return errors::InvalidArgument(what, " must be a scalar, got shape ", shape);
}

}  // namespace detail

// Unimplemented for each file system: none of Tenon's has settings.
struct FileSystemSetConfiguration {
  static constexpr auto signature = Op("FileSystemSetConfiguration")
                                        .Input("scheme: string")
                                        .Input("key: string")
                                        .Input("value: string")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, In<tstring> scheme, In<tstring> key, In<tstring> value) const {
      TENON_RETURN_IF_ERROR(detail::CheckScalar("scheme", scheme.shape()));
      TENON_RETURN_IF_ERROR(detail::CheckScalar("key", key.shape()));
      TENON_RETURN_IF_ERROR(detail::CheckScalar("value", value.shape()));
      return errors::Unimplemented("FileSystemSetConfiguration: the file system of scheme '", scheme[0].view(),
                                   "' has no setting '", key[0].view(), "'; remove the op");
    }
  };
};

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
      TENON_ASSIGN_OR_RETURN(const MappedFile file,
                             MappedFile::Open(std::string(filename[0].view()), FileAccess::kRead));
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
      TENON_RETURN_IF_ERROR(MakeFoldersOf(path));
      return tenon::WriteFile(path, contents[0].view());
    }
  };
};

// The names of the files that any of the patterns describes (io/folders.hpp), in order.
struct MatchingFiles {
  static constexpr auto signature = Op("MatchingFiles")
                                        .Input("pattern: string")
                                        .Output("filenames: string")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused;
                                          TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 1, &unused));
                                          c->set_output(0, c->Vector(InferenceContext::kUnknownDim));
                                          return OkStatus();
                                        });

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, In<tstring> pattern, Late<tstring>& filenames) const {
      if (pattern.shape().dims() > 1)
        return errors::InvalidArgument("Input patterns tensor must be scalar or vector, but had shape: ",
                                       pattern.shape());
      SlimVector<std::string> names;
      for (Index i = 0; i < pattern.size(); ++i) {
        TENON_ASSIGN_OR_RETURN(const SlimVector<std::string> found, MatchFiles(pattern[i].view()));
        for (const std::string& name : found) names.push_back(name);
      }
      std::sort(names.begin(), names.end());
      TENON_ASSIGN_OR_RETURN(const Out<tstring> out, filenames.Allocate({static_cast<Index>(names.size())}));
      for (std::size_t i = 0; i < names.size(); ++i) out[static_cast<Index>(i)].assign(names[i]);
      return OkStatus();
    }
  };
};

// "NAME-00003-of-00010"
struct ShardedFilename {
  static constexpr auto signature = Op("ShardedFilename")
                                        .Input("basename: string")
                                        .Input("shard: int32")
                                        .Input("num_shards: int32")
                                        .Output("filename: string")
                                        .SetShapeFn(detail::ScalarsToScalar);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, In<tstring> basename, In<std::int32_t> shard, In<std::int32_t> num_shards,
                      Out<tstring> filename) const {
      TENON_RETURN_IF_ERROR(detail::CheckScalar("basename", basename.shape()));
      TENON_RETURN_IF_ERROR(detail::CheckScalar("shard", shard.shape()));
      TENON_RETURN_IF_ERROR(detail::CheckScalar("num_shards", num_shards.shape()));
      filename[0].assign(tenon::detail::ShardName(basename[0].view(), shard[0], num_shards[0]));
      return OkStatus();
    }
  };
};

// "NAME-?????-of-00010", a pattern for the names of all.
struct ShardedFilespec {
  static constexpr auto signature = Op("ShardedFilespec")
                                        .Input("basename: string")
                                        .Input("num_shards: int32")
                                        .Output("filename: string")
                                        .SetShapeFn(detail::ScalarsToScalar);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, In<tstring> basename, In<std::int32_t> num_shards, Out<tstring> filename) const {
      TENON_RETURN_IF_ERROR(detail::CheckScalar("basename", basename.shape()));
      TENON_RETURN_IF_ERROR(detail::CheckScalar("num_shards", num_shards.shape()));
      const std::string first = tenon::detail::ShardName("", 0, num_shards[0]);  // "-00000-of-00010"
      filename[0].assign(StrCat(basename[0].view(), "-?????", std::string_view(first).substr(6)));
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

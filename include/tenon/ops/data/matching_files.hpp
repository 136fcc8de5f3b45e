// SPDX-License-Identifier: Apache-2.0
#pragma once
// MatchingFilesDataset: the names of the files that patterns describe.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/io/file_system.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

using FileNames = SlimVector<std::string>;

class MatchingFilesData final : public DatasetBase {
 public:
  MatchingFilesData(ElementSpec spec, FileNames list) : DatasetBase(std::move(spec)), patterns(std::move(list)) {}
  std::string_view TypeString() const override { return "MatchingFiles"; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const FileNames patterns;

 private:
  class Iterator final : public IteratorBase {
   public:
    explicit Iterator(const MatchingFilesData* dataset) : dataset_(Ref<const MatchingFilesData>::Share(dataset)) {}
    Status Initialize(IteratorContext&) { return OkStatus(); }
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      while (next_ == names_.size()) {
        TENON_RETURN_IF_ERROR(context.CheckWanted());
        if (pattern_ == dataset_->patterns.size()) {
          if (!any_) return errors::NotFound("Don't find any matched files");
          *end = true;
          return OkStatus();
        }
        TENON_RETURN_IF_ERROR(Find(dataset_->patterns[pattern_]));
        ++pattern_;
        next_ = 0;
      }
      any_ = true;
      element->push_back(Tensor::Scalar(std::string_view(names_[next_++])));
      return (*element)[0].IsInitialized() ? OkStatus() : errors::ResourceExhausted("No memory for a name");
    }
    Status Save(IteratorStateWriter* writer) const override {
      writer->Add(any_ ? 1 : 0);
      writer->Add(static_cast<std::int64_t>(pattern_));
      writer->Add(static_cast<std::int64_t>(names_.size() - next_));
      for (std::size_t i = next_; i < names_.size(); ++i) writer->AddText(names_[i]);
      return OkStatus();
    }
    Status Restore(IteratorContext&, IteratorStateReader* reader) override {
      std::int64_t any = 0, pattern = 0, count = 0;
      TENON_RETURN_IF_ERROR(reader->TakeCount(1, &any));
      TENON_RETURN_IF_ERROR(reader->TakeCount(static_cast<std::int64_t>(dataset_->patterns.size()), &pattern));
      TENON_RETURN_IF_ERROR(reader->TakeCount(reader->NumbersLeft(), &count));
      any_ = any != 0;
      pattern_ = static_cast<std::size_t>(pattern);
      for (; count > 0; --count) TENON_RETURN_IF_ERROR(reader->TakeText(&names_.emplace_back()));
      return OkStatus();
    }

   private:
    // The files; folders are left out.
    Status Find(std::string_view pattern) {
      names_.clear();
      const std::string path =
          pattern.find('/') == pattern.npos && !pattern.empty() ? StrCat("./", pattern) : std::string(pattern);
      const std::string_view folder = std::string_view(path).substr(0, path.find_first_of("*?[\\"));
      const std::string fixed(folder.substr(0, folder.rfind('/') == folder.npos ? 0 : folder.rfind('/')));
      if (!fixed.empty() && tenon::detail::KindOf(fixed) == tenon::detail::PathKind::kFile)
        return errors::FailedPrecondition(fixed, "; Not a directory");
      TENON_ASSIGN_OR_RETURN(const FileNames found, MatchFiles(path));
      for (const std::string& name : found)
        if (tenon::detail::KindOf(name) != tenon::detail::PathKind::kFolder) names_.push_back(name);
      return OkStatus();
    }
    const Ref<const MatchingFilesData> dataset_;
    FileNames names_;  // files of the pattern before pattern_
    std::size_t next_ = 0, pattern_ = 0;
    bool any_ = false;  // a file was found
  };
};

inline Status MakeMatchingFiles(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  const Tensor& tensor = m.context().input(0);
  FileNames patterns;
  for (Index i = 0; i < tensor.NumElements(); ++i) patterns.emplace_back(tensor.data<tstring>()[i].view());
  ElementSpec spec;
  spec.types.push_back(DataType::kString);
  spec.shapes.push_back(PartialTensorShape(TensorShape()));
  *out = Own(new MatchingFilesData(std::move(spec), std::move(patterns)));
  return OkStatus();
}

constexpr Status PatternsShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), 1, &unused));
  return shape_inference::ScalarShape(c);
}

}  // namespace detail

// The files of each pattern in order, pattern by pattern. NotFound where there are none.
struct MatchingFilesDataset : detail::DatasetOp<&detail::MakeMatchingFiles> {
  static constexpr auto signature = Op("MatchingFilesDataset")
                                        .Input("patterns: string")
                                        .Output("handle: variant")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::PatternsShape);
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

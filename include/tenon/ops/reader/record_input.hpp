// SPDX-License-Identifier: Apache-2.0
#pragma once
// RecordInput: batches of records out of shuffled files.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/random/philox.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/ops/random/unigram_weights.hpp>
#include <tenon/ops/reader/file_records.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

// Records of all files, each once an epoch: files in a random order, records drawn out of a buffer. one thread.
class ShuffledRecords {
 public:
  std::string pattern, compression;
  std::int64_t seed = 0, buffer_size = 1;
  float shift_ratio = 0;

  // NotFound: there are no files, or they have no records. Other errors: of a file.
  Status Next(const CancellationManager* cancellation, std::string* record) {
    const auto enough = static_cast<std::size_t>(std::max<std::int64_t>(buffer_size, 1));
    while (buffer_.size() < enough && !epoch_ends_) TENON_RETURN_IF_ERROR(ReadOne(cancellation));
    std::swap(buffer_[BelowOf32(&words_, static_cast<std::uint32_t>(buffer_.size()))], buffer_.back());
    *record = std::move(buffer_.back());
    buffer_.pop_back();
    // The next epoch begins when all records of this one were given.
    if (buffer_.empty()) epoch_ends_ = false;
    return OkStatus();
  }

 private:
  Status ReadOne(const CancellationManager* cancellation) {
    if (cancellation != nullptr && cancellation->IsCancelled()) return errors::Cancelled("RecordInput was cancelled");
    if (file_ == files_.size()) TENON_RETURN_IF_ERROR(BeginEpoch());
    if (!opened_) TENON_RETURN_IF_ERROR(records_->Open(files_[file_]));
    opened_ = true;
    std::string key, record;
    const Status status = records_->Read(&key, &record);
    if (status.ok()) {
      any_ = true;
      buffer_.push_back(std::move(record));
      return status;
    }
    opened_ = false;
    ++file_;
    if (status.code() != Code::kOutOfRange) return status;
    const bool was_last = file_ == files_.size();
    if (was_last && !any_) return errors::NotFound("Found no records in the files of ", pattern);
    epoch_ends_ = was_last && !buffer_.empty();
    return OkStatus();
  }
  Status BeginEpoch() {
    TENON_ASSIGN_OR_RETURN(files_, MatchFiles(pattern));
    file_ = files_.size();
    if (files_.empty()) return errors::NotFound("Found no files at ", pattern);
    file_ = 0;
    any_ = false;
    words_ = PhiloxWords(Philox::FromSeeds(static_cast<std::uint64_t>(seed), epoch_));
    for (std::size_t i = files_.size(); i > 1; --i)
      std::swap(files_[i - 1], files_[BelowOf32(&words_, static_cast<std::uint32_t>(i))]);
    // As in TensorFlow, each epoch begins at a later file.
    const double turn = static_cast<double>(shift_ratio) * static_cast<double>(epoch_++);
    const double place = (turn - std::floor(turn)) * static_cast<double>(files_.size());
    if (place > 0)
      std::rotate(
          files_.begin(),
          files_.begin() + std::min(static_cast<std::ptrdiff_t>(place), static_cast<std::ptrdiff_t>(files_.size()) - 1),
          files_.end());
    records_ = MakeOwned<TfRecordRecords>(compression);
    return OkStatus();
  }

  PhiloxWords words_{Philox()};
  SlimVector<std::string> files_, buffer_;
  Owned<FileRecords> records_;
  std::size_t file_ = 0;
  std::uint64_t epoch_ = 0;
  bool opened_ = false, epoch_ends_ = false, any_ = false;
};

class RecordInputKernel : public OpKernel {
 public:
  explicit RecordInputKernel(OpKernelConstruction* c) : OpKernel(c) { c->SetStatus(Init(*c)); }
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(*context)); }

 private:
  Status Init(const OpKernelConstruction& c) {
    TENON_RETURN_IF_ERROR(c.GetAttr("file_pattern", &records_.pattern));
    TENON_RETURN_IF_ERROR(c.GetAttr("file_random_seed", &records_.seed));
    TENON_RETURN_IF_ERROR(c.GetAttr("file_shuffle_shift_ratio", &records_.shift_ratio));
    TENON_RETURN_IF_ERROR(c.GetAttr("file_buffer_size", &records_.buffer_size));
    TENON_RETURN_IF_ERROR(c.GetAttr("batch_size", &batch_));
    return c.GetAttr("compression_type", &records_.compression);
  }
  Status Run(OpKernelContext& context) {
    TensorShape shape;
    TENON_RETURN_IF_ERROR(shape.AddDimWithStatus(batch_));
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
    const tenon::MutexLock lock(mutex_);
    std::string record;
    for (Index i = 0; i < batch_; ++i) {
      TENON_RETURN_IF_ERROR(records_.Next(context.cancellation_manager(), &record));
      out->data<tstring>()[i].assign(record);
    }
    return OkStatus();
  }

  std::int64_t batch_ = 0;
  Mutex mutex_;
  ShuffledRecords records_;
};

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// The next batch_size records of the TFRecord files that file_pattern describes, without end.
struct RecordInput {
  static constexpr auto signature = Op("RecordInput")
                                        .Output("records: string")
                                        .Attr("file_pattern: string")
                                        .Attr("file_random_seed: int = 301")
                                        .Attr("file_shuffle_shift_ratio: float = 0")
                                        .Attr("file_buffer_size: int = 10000")
                                        .Attr("file_parallelism: int = 16")
                                        .Attr("batch_size: int = 32")
                                        .Attr("compression_type: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::RecordInputKernel {
    using RecordInputKernel::RecordInputKernel;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

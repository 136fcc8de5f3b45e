// SPDX-License-Identifier: Apache-2.0
#pragma once
// SeedGenerator: the seeds of the iterators of one dataset, as a resource; and the ops that make one.

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/clock.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/hash.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/engine/random/philox.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/iterator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Two seeds, as TensorFlow's ops take them.
struct Seeds {
  std::int64_t seed = 0, seed2 = 0;
};

// Both 0: seeds that differ from call to call.
inline Seeds ChooseSeeds(Seeds seeds) {
  if (seeds.seed != 0 || seeds.seed2 != 0) return seeds;
  static std::atomic<std::uint64_t> counter{0};
  std::uint64_t state[2] = {static_cast<std::uint64_t>(SteadyNanoseconds()), counter.fetch_add(1)};
  const int here = 0;
  Philox philox = Philox::FromSeeds(state[0] ^ reinterpret_cast<std::uintptr_t>(&here), state[1]);
  const PhiloxBlock block = philox.Next();
  const auto join = [](std::uint32_t low, std::uint32_t high) {
    return static_cast<std::int64_t>(std::uint64_t{high} << 32 | low);
  };
  return {join(block.word[0], block.word[1]), join(block.word[2], block.word[3])};
}

// Random words of a pair of seeds, from word number `skip` on. one thread.
class SeededWords {
 public:
  explicit SeededWords(Seeds seeds = {}, std::int64_t skip = 0) : seeds_(seeds), drawn_(skip) {}
  std::uint32_t Next() {
    const auto at = static_cast<std::uint64_t>(drawn_++);
    if (!has_block_ || at % 4 == 0) {
      Philox philox =
          Philox::FromSeeds(static_cast<std::uint64_t>(seeds_.seed), static_cast<std::uint64_t>(seeds_.seed2));
      philox.Skip(at / 4);
      block_ = philox.Next();
      has_block_ = true;
    }
    return block_.word[at % 4];
  }
  void Save(IteratorStateWriter* writer) const {
    writer->Add(seeds_.seed);
    writer->Add(seeds_.seed2);
    writer->Add(drawn_);
  }
  Status Restore(IteratorStateReader* reader) {
    has_block_ = false;
    TENON_RETURN_IF_ERROR(reader->Take(&seeds_.seed));
    TENON_RETURN_IF_ERROR(reader->Take(&seeds_.seed2));
    return reader->TakeCount(INT64_MAX, &drawn_);
  }

 private:
  Seeds seeds_;
  std::int64_t drawn_ = 0;
  PhiloxBlock block_{};
  bool has_block_ = false;
};

// thread-safe.
class SeedGenerator final : public Resource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::data::SeedGeneratorManager";

  // `varies`: every call of Next gives other seeds, else the same.
  SeedGenerator(Seeds seeds, bool varies) : seeds_(ChooseSeeds(seeds)), varies_(varies), words_(seeds_) {}
  std::string DebugString() const override { return varies_ ? "RandomSeedGenerator" : "FixedSeedGenerator"; }
  Seeds Next() {
    if (!varies_) return seeds_;
    const tenon::MutexLock lock(mutex_);
    const std::int64_t first = words_.Next();
    return {first, words_.Next()};
  }
  void Save(IteratorStateWriter* writer) const {
    const tenon::MutexLock lock(mutex_);
    words_.Save(writer);
  }
  Status Restore(IteratorStateReader* reader) {
    const tenon::MutexLock lock(mutex_);
    return words_.Restore(reader);
  }

 private:
  const Seeds seeds_;
  const bool varies_;
  mutable Mutex mutex_;
  SeededWords words_;
};

// The base of a dataset whose iterators take seeds of a generator.
class SeededDataset : public UnaryDataset {
 public:
  SeededDataset(Ref<const DatasetBase> input, Ref<SeedGenerator> seeds)
      : UnaryDataset(std::move(input)), generator(std::move(seeds)) {}
  void SaveShared(IteratorStateWriter* writer) const override {
    generator->Save(writer);
    UnaryDataset::SaveShared(writer);
  }
  Status RestoreShared(IteratorStateReader* reader) const override {
    TENON_RETURN_IF_ERROR(generator->Restore(reader));
    return UnaryDataset::RestoreShared(reader);
  }
  const Ref<SeedGenerator> generator;
};

// The generator that input `name` names; a new one where it names none, as a dummy handle does.
inline Status FindSeedGenerator(const DatasetMaker& m, std::string_view name, Seeds seeds, bool varies,
                                Ref<SeedGenerator>* generator) {
  const Tensor* handle = nullptr;
  TENON_RETURN_IF_ERROR(m.Input(name, &handle));
  const Status found = LookupResource(m.context(), *handle, generator);
  if (found.ok()) return found;
  if (found.code() != Code::kNotFound) return found;
  *generator = Ref<SeedGenerator>::Adopt(new SeedGenerator(seeds, varies));
  return OkStatus();
}

class SeedGeneratorKernel : public OpKernel {
 public:
  explicit SeedGeneratorKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(context)); }

 private:
  static Status Run(OpKernelContext* context) {
    const DatasetMaker m(context);
    Seeds seeds;
    bool varies = true;
    TENON_RETURN_IF_ERROR(m.Scalar("seed", &seeds.seed));
    TENON_RETURN_IF_ERROR(m.Scalar("seed2", &seeds.seed2));
    // AnonymousRandomSeedGenerator has no such input: it fails, as in TensorFlow 2.21.
    TENON_RETURN_IF_ERROR(m.Scalar("reshuffle", &varies));
    return SetAnonymous(context, Ref<SeedGenerator>::Adopt(new SeedGenerator(seeds, varies)));
  }
};

// A handle that names no resource.
template <class T>
struct DummyHandleKernel : OpKernel {
  explicit DummyHandleKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override {
    context->set_output(0, HandleTensor(MakeResourceHandle<T>(context->device_name(), "", "DummyResource")));
  }
};
struct DummySeedGeneratorKernel : DummyHandleKernel<SeedGenerator> {
  explicit DummySeedGeneratorKernel(OpKernelConstruction* c) : DummyHandleKernel(c) {}
};

// Refuses handles that keep their resource, as TensorFlow does: it goes with the last of them.
class DeleteResourceKernel : public OpKernel {
 public:
  explicit DeleteResourceKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override {
    const ResourceHandle* handle = nullptr;
    const Status status = HandleOf(context->input(0), &handle);
    context->SetStatus(status.ok() && handle->IsRefCounting()
                           ? errors::Internal("Cannot delete an unowned Resource ", handle->name, " from ResourceMgr.")
                           : status);
  }
};

}  // namespace detail

// Seeds for the iterators of a dataset.
struct AnonymousSeedGenerator {
  static constexpr auto signature = Op("AnonymousSeedGenerator")
                                        .Input("seed: int64")
                                        .Input("seed2: int64")
                                        .Input("reshuffle: bool")
                                        .Output("handle: resource")
                                        .Output("deleter: variant")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TwoScalarsShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::SeedGeneratorKernel {
    explicit kernel(OpKernelConstruction* c) : SeedGeneratorKernel(c) {}
  };
};

// Fails with InvalidArgument, as in TensorFlow 2.21: AnonymousSeedGenerator works.
struct AnonymousRandomSeedGenerator {
  static constexpr auto signature = Op("AnonymousRandomSeedGenerator")
                                        .Input("seed: int64")
                                        .Input("seed2: int64")
                                        .Output("handle: resource")
                                        .Output("deleter: variant")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TwoScalarsShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::SeedGeneratorKernel {
    explicit kernel(OpKernelConstruction* c) : SeedGeneratorKernel(c) {}
  };
};

// A handle of no generator: a dataset makes its own.
struct DummySeedGenerator {
  static constexpr auto signature =
      Op("DummySeedGenerator").Output("handle: resource").SetIsStateful().SetShapeFn(shape_inference::ScalarShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DummySeedGeneratorKernel {
    explicit kernel(OpKernelConstruction* c) : DummySeedGeneratorKernel(c) {}
  };
};

// Fails with Internal, as in TensorFlow 2.21: a generator goes with its handles.
struct DeleteSeedGenerator {
  static constexpr auto signature = Op("DeleteSeedGenerator")
                                        .Input("handle: resource")
                                        .Input("deleter: variant")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DeleteResourceKernel {
    explicit kernel(OpKernelConstruction* c) : DeleteResourceKernel(c) {}
  };
};

// Fails with Internal, as in TensorFlow 2.21: a generator goes with its handles.
struct DeleteRandomSeedGenerator {
  static constexpr auto signature = Op("DeleteRandomSeedGenerator")
                                        .Input("handle: resource")
                                        .Input("deleter: variant")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::DeleteResourceKernel {
    explicit kernel(OpKernelConstruction* c) : DeleteResourceKernel(c) {}
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// SaveDataset, LoadDataset, SnapshotDatasetV2 and others: datasets in files, which TensorFlow reads and writes, too.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/clock.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/dataset/captured_function.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/dataset/dataset_variant.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/ops/data/dataset_kernel.hpp>
#include <tenon/ops/data/files.hpp>
#include <tenon/ops/data/snapshot_files.hpp>
#include <tenon/ops/data/window.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Plain data: where the elements of a dataset go.
struct SaveTarget {
  std::string path, compression;
  CapturedFunction shard;
  bool use_shard = true;  // else all go to shard 0
  std::string graph_hash;  // a snapshot's; else empty
};

// Writes elements to the shards of a new run. one thread.
class DatasetSaver {
 public:
  explicit DatasetSaver(const SaveTarget* target) : target_(target), function_(&target->shard) {}
  Status Start(IteratorContext& context, const SlimVector<DataType>& types) {
    metadata_.creation_timestamp = SystemNanoseconds() / 1000;
    metadata_.run_id = StrCat(static_cast<std::uint64_t>(SystemNanoseconds()));
    metadata_.version = kSnapshotVersion;
    metadata_.graph_hash = target_->graph_hash;
    metadata_.dtypes = types;
    if (target_->use_shard) TENON_RETURN_IF_ERROR(function_.Initialize(context));
    return target_->graph_hash.empty() ? WriteSnapshotMetadata(target_->path, metadata_) : OkStatus();
  }
  Status Write(IteratorContext& context, const DatasetElement& element) {
    std::int64_t number = 0;
    metadata_.num_elements += target_->graph_hash.empty() ? 1 : 0;
    if (target_->use_shard) TENON_RETURN_IF_ERROR(FindShard(context, element, &number));
    // As in TensorFlow, a snapshot begins when its first element has a shard.
    if (shards_.empty() && !target_->graph_hash.empty())
      TENON_RETURN_IF_ERROR(WriteSnapshotMetadata(target_->path, metadata_));
    Shard* shard = nullptr;
    for (Shard& known : shards_)
      if (known.number == number) shard = &known;
    if (shard == nullptr) {
      shard = &shards_.emplace_back();
      shard->number = number;
      const std::string folder = NumberedName(static_cast<std::uint64_t>(number), ".shard");
      TENON_RETURN_IF_ERROR(
          shard->writer.Open(StrCat(target_->path, "/", metadata_.run_id, "/", folder), target_->compression));
    }
    return shard->writer.Write(element);
  }
  Status Finish() {
    for (Shard& shard : shards_) TENON_RETURN_IF_ERROR(shard.writer.Close());
    metadata_.finalized = true;
    return WriteSnapshotMetadata(target_->path, metadata_);
  }

 private:
  struct Shard {
    std::int64_t number;
    SnapshotWriter writer;
  };
  Status FindShard(IteratorContext& context, const DatasetElement& element, std::int64_t* number) {
    DatasetElement results;
    TENON_RETURN_IF_ERROR(function_.Run(context, element, &results));
    if (results.size() != 1 || results[0].dtype() != DataType::kInt64 || results[0].NumElements() != 1)
      return errors::InvalidArgument("`shard_func` must return a scalar int64.");
    *number = *results[0].data<std::int64_t>();
    return OkStatus();
  }
  const SaveTarget* const target_;
  FunctionCaller function_;
  SnapshotMetadata metadata_;
  SlimVector<Shard> shards_;
};

inline Status ReadSaveTarget(const DatasetMaker& m, SaveTarget* target) {
  std::string_view compression;
  TENON_RETURN_IF_ERROR(m.Text("path", &target->path));
  TENON_RETURN_IF_ERROR(m.Attr("compression", &compression));
  target->compression = compression == "AUTO" ? "SNAPPY" : compression;
  ForgetUnknownCompression(&target->compression);
  if (m.HasAttr("use_shard_func")) TENON_RETURN_IF_ERROR(m.Attr("use_shard_func", &target->use_shard));
  return m.Function("shard_func", "shard_func_other_args", &target->shard);
}

class SaveKernel : public OpKernel {
 public:
  explicit SaveKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(DatasetMaker(context))); }

 private:
  static Status Run(const DatasetMaker& m) {
    Ref<const DatasetBase> input;
    Owned<IteratorBase> iterator;
    SaveTarget target;
    TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
    TENON_RETURN_IF_ERROR(ReadSaveTarget(m, &target));
    IteratorContext context(m.context().environment());
    DatasetSaver saver(&target);
    TENON_RETURN_IF_ERROR(saver.Start(context, input->spec().types));
    TENON_RETURN_IF_ERROR(input->MakeIterator(context, &iterator));
    DatasetElement element;
    for (bool end = false;;) {
      TENON_RETURN_IF_ERROR(context.CheckWanted());
      TENON_RETURN_IF_ERROR(iterator->GetNext(context, &element, &end));
      if (end) return saver.Finish();
      TENON_RETURN_IF_ERROR(saver.Write(context, element));
    }
  }
};

// The elements of the input, which are saved on their way.
class SaveData final : public UnaryDataset {
 public:
  SaveData(Ref<const DatasetBase> input, SaveTarget to) : UnaryDataset(std::move(input)), target(std::move(to)) {}
  std::string_view TypeString() const override { return "Save"; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return StartIterator<Iterator>(context, this, iterator);
  }
  const SaveTarget target;

 private:
  class Iterator final : public UnaryIterator<SaveData> {
   public:
    explicit Iterator(const SaveData* dataset) : UnaryIterator(dataset), saver_(&dataset->target) {}
    Status Initialize(IteratorContext& context) override {
      TENON_RETURN_IF_ERROR(UnaryIterator::Initialize(context));
      return saver_.Start(context, dataset().spec().types);
    }
    Status Next(IteratorContext& context, DatasetElement* element, bool* end) override {
      const bool was_over = input_ == nullptr;
      TENON_RETURN_IF_ERROR(NextOfInput(context, element, end));
      if (!*end) return saver_.Write(context, *element);
      return was_over ? OkStatus() : saver_.Finish();
    }
    // As in TensorFlow, a position in the middle of a file is not saved.
    Status Save(IteratorStateWriter*) const override { return CannotMove(); }
    Status Restore(IteratorContext&, IteratorStateReader*) override { return CannotMove(); }

   private:
    static Status CannotMove() { return errors::Unimplemented("SaveDataset does not support checkpointing."); }
    DatasetSaver saver_;
  };
};

inline Status MakeSave(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  SaveTarget target;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(ReadSaveTarget(m, &target));
  *out = Own(new SaveData(std::move(input), std::move(target)));
  return OkStatus();
}

// A dataset whose elements are the datasets. As in TensorFlow, their number is not known.
class NestedData final : public DatasetBase {
 public:
  NestedData(const ElementSpec& spec, SlimVector<DatasetElement> datasets)
      : DatasetBase(spec), datasets_(Own(new ElementsData(spec, std::move(datasets)))) {}
  std::string_view TypeString() const override { return "SnapshotNestedDatasetReader"; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return datasets_->MakeIterator(context, iterator);
  }

 private:
  const Ref<const DatasetBase> datasets_;
};
inline Ref<const DatasetBase> NestedDataset(const ElementSpec& spec, SlimVector<DatasetElement> datasets) {
  return Own(new NestedData(spec, std::move(datasets)));
}

// An iterator of the dataset that a function makes of the datasets of the shards.
inline Status LoadShards(IteratorContext& context, const ElementSpec& spec, const std::string& path,
                         std::string_view run_id, std::string_view compression, const CapturedFunction& reader,
                         Owned<IteratorBase>* iterator) {
  ElementSpec nested;
  SlimVector<DatasetElement> readers;
  DatasetElement argument(1), results;
  Ref<const DatasetBase> loaded;
  nested.types.push_back(DataType::kVariant);
  nested.shapes.push_back(PartialTensorShape(TensorShape()));
  TENON_ASSIGN_OR_RETURN(const SlimVector<std::string> shards, ShardsOf(path, run_id));
  for (const std::string& shard : shards)
    TENON_RETURN_IF_ERROR(StoreDatasetInVariantTensor(Own(new SnapshotData(spec, shard, compression, 0, false)),
                                                      &readers.emplace_back().emplace_back()));
  TENON_RETURN_IF_ERROR(StoreDatasetInVariantTensor(NestedDataset(nested, std::move(readers)), &argument[0]));
  FunctionCaller caller(&reader);
  TENON_RETURN_IF_ERROR(caller.Run(context, argument, &results));
  if (results.size() != 1) return errors::InvalidArgument("reader_func returns more than one argument.");
  TENON_RETURN_IF_ERROR(GetDatasetFromVariantTensor(results[0], &loaded));
  return loaded->MakeIterator(context, iterator);
}

class LoadData final : public DatasetBase {
 public:
  LoadData(ElementSpec spec, std::string_view where, std::string_view how, SnapshotMetadata m, CapturedFunction f)
      : DatasetBase(std::move(spec)), path_(where), compression_(how), metadata_(std::move(m)), reader_(std::move(f)) {}
  std::string_view TypeString() const override { return "Load"; }
  std::int64_t Cardinality() const override { return metadata_.num_elements; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    return LoadShards(context, spec_, path_, metadata_.run_id, compression_, reader_, iterator);
  }

 private:
  const std::string path_, compression_;
  const SnapshotMetadata metadata_;
  const CapturedFunction reader_;
};

inline Status MakeLoad(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  ElementSpec spec;
  std::string path;
  std::string_view given;
  SnapshotMetadata metadata;
  CapturedFunction reader;
  TENON_RETURN_IF_ERROR(m.Spec(&spec));
  TENON_RETURN_IF_ERROR(m.Text("path", &path));
  TENON_RETURN_IF_ERROR(m.Attr("compression", &given));
  TENON_RETURN_IF_ERROR(m.Function("reader_func", "reader_func_other_args", &reader));
  TENON_RETURN_IF_ERROR(ReadSnapshotMetadata(path, &metadata));
  if (metadata.version != kSnapshotVersion)
    return errors::Unimplemented("LoadDataset: '", path, "' has files of version ", metadata.version, "; ",
                                 kSnapshotVersion, " is supported");
  std::string compression(given);
  ForgetUnknownCompression(&compression);
  *out = Own(new LoadData(std::move(spec), path, compression, std::move(metadata), std::move(reader)));
  return OkStatus();
}

// The input, which is saved by the first iterator and read from its files by later ones.
class SnapshotV2Data final : public UnaryDataset {
 public:
  SnapshotV2Data(Ref<const DatasetBase> input, SaveTarget to, CapturedFunction f)
      : UnaryDataset(input),
        saved_(Ref<const SaveData>::Adopt(new SaveData(input, std::move(to)))),
        reader_(std::move(f)) {}
  std::string_view TypeString() const override { return "SnapshotDatasetV2"; }
  Status MakeIterator(IteratorContext& context, Owned<IteratorBase>* iterator) const override {
    constexpr std::int64_t kDay = 86'400'000'000;  // microseconds
    const SaveTarget& to = saved_->target;
    SnapshotMetadata metadata;
    const Status status = ReadSnapshotMetadata(to.path, &metadata);
    if (status.code() != Code::kNotFound) TENON_RETURN_IF_ERROR(status);
    if (status.ok() && metadata.finalized)
      return LoadShards(context, spec_, to.path, metadata.run_id, to.compression, reader_, iterator);
    // Another iterator writes.
    if (status.ok() && metadata.creation_timestamp > SystemNanoseconds() / 1000 - kDay)
      return input().MakeIterator(context, iterator);
    return saved_->MakeIterator(context, iterator);
  }

 private:
  const Ref<const SaveData> saved_;
  const CapturedFunction reader_;
};

inline Status MakeSnapshotV2(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  Ref<const DatasetBase> input;
  SaveTarget target;
  CapturedFunction reader;
  bool has_hash = false;
  std::int64_t hash = 0;
  TENON_RETURN_IF_ERROR(m.Dataset(0, &input));
  TENON_RETURN_IF_ERROR(ReadSaveTarget(m, &target));
  TENON_RETURN_IF_ERROR(m.Function("reader_func", "reader_func_other_args", &reader));
  TENON_RETURN_IF_ERROR(m.Attr("hash_valid", &has_hash));
  TENON_RETURN_IF_ERROR(m.Attr("hash", &hash));
  if (!has_hash) {  // nothing says whether files are those of the input: its elements pass
    *out = std::move(input);
    return OkStatus();
  }
  target.graph_hash = StrCat(static_cast<std::uint64_t>(hash));
  target.path = StrCat(target.path, "/", target.graph_hash);
  *out = Own(new SnapshotV2Data(std::move(input), std::move(target), std::move(reader)));
  return OkStatus();
}

inline Status MakeSnapshotReader(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  const bool chunk = m.IsOp("SnapshotChunkDataset");
  ElementSpec spec;
  std::string path;
  std::string_view given;
  std::int64_t start = 0, version = kSnapshotVersion;
  TENON_RETURN_IF_ERROR(m.Spec(&spec));
  TENON_RETURN_IF_ERROR(m.Text(chunk ? "chunk_file" : "shard_dir", &path));
  TENON_RETURN_IF_ERROR(m.Attr("compression", &given));
  if (!chunk) {
    TENON_RETURN_IF_ERROR(m.Scalar("start_index", &start));
    TENON_RETURN_IF_ERROR(m.Attr("version", &version));
  }
  if (version != kSnapshotVersion)
    return errors::InvalidArgument("Snapshot reader version: ", version, " is not supported.");
  std::string compression(given);
  ForgetUnknownCompression(&compression);
  *out = Own(new SnapshotData(std::move(spec), path, compression, start, chunk));
  return OkStatus();
}

inline Status MakeNestedReader(const DatasetMaker& m, Ref<const DatasetBase>* out) {
  ElementSpec spec;
  DatasetElement inputs;
  SlimVector<DatasetElement> elements;
  TENON_RETURN_IF_ERROR(m.Spec(&spec));
  TENON_RETURN_IF_ERROR(m.List("inputs", &inputs));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Ref<const DatasetBase> unused;
    TENON_RETURN_IF_ERROR(GetDatasetFromVariantTensor(inputs[i], &unused));
    elements.emplace_back().push_back(inputs[i]);
  }
  *out = NestedDataset(spec, std::move(elements));
  return OkStatus();
}

constexpr Status SavePathShape(InferenceContext* c) {
  ShapeHandle unused;
  return c->WithRank(c->input(1), 0, &unused);
}

}  // namespace detail

// Writes the elements of a dataset to a folder.
struct SaveDataset : detail::CpuOp<detail::SaveKernel> {
  static constexpr auto signature = Op("SaveDataset")
                                        .Input("input_dataset: variant")
                                        .Input("path: string")
                                        .Input("shard_func_other_args: Tshard_func_args")
                                        .Attr("compression: string = ''")
                                        .Attr("shard_func: func")
                                        .Attr("use_shard_func: bool = true")
                                        .Attr("Tshard_func_args: list(type) >= 0")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::SavePathShape);
};

// The input, whose elements are written to a folder as they come.
struct SaveDatasetV2 : detail::DatasetOp<&detail::MakeSave> {
  static constexpr auto signature = Op("SaveDatasetV2")
                                        .Input("input_dataset: variant")
                                        .Input("path: string")
                                        .Input("shard_func_other_args: Tshard_func_args")
                                        .Output("handle: variant")
                                        .Attr("compression: string = ''")
                                        .Attr("shard_func: func")
                                        .Attr("use_shard_func: bool = true")
                                        .Attr("Tshard_func_args: list(type) >= 0")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ScalarsShape<1>);
};

// The elements in a folder: reader_func of a dataset of the datasets of its shards.
struct LoadDataset : detail::DatasetOp<&detail::MakeLoad> {
  static constexpr auto signature = Op("LoadDataset")
                                        .Input("path: string")
                                        .Input("reader_func_other_args: Treader_func_args")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("compression: string = ''")
                                        .Attr("reader_func: func")
                                        .Attr("Treader_func_args: list(type) >= 0")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ScalarsShape<0>);
};

// The elements of one file of a saved dataset.
struct SnapshotChunkDataset : detail::DatasetOp<&detail::MakeSnapshotReader> {
  static constexpr auto signature = Op("SnapshotChunkDataset")
                                        .Input("chunk_file: string")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("compression: string = ''")
                                        .SetShapeFn(detail::ScalarsShape<0>);
};

// The elements of one shard of a saved dataset.
struct SnapshotDatasetReader : detail::DatasetOp<&detail::MakeSnapshotReader> {
  static constexpr auto signature = Op("SnapshotDatasetReader")
                                        .Input("shard_dir: string")
                                        .Input("start_index: int64")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("compression: string = ''")
                                        .Attr("version: int")
                                        .SetShapeFn((detail::ScalarsShape<0, 1>));
};

// The input. With a hash its elements are written to a folder, and read from there by the next iterator.
struct SnapshotDatasetV2 : detail::DatasetOp<&detail::MakeSnapshotV2> {
  static constexpr auto signature = Op("SnapshotDatasetV2")
                                        .Input("input_dataset: variant")
                                        .Input("path: string")
                                        .Input("reader_func_other_args: Treader_func_args")
                                        .Input("shard_func_other_args: Tshard_func_args")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("compression: string = ''")
                                        .Attr("reader_prefix: string = ''")
                                        .Attr("writer_prefix: string = ''")
                                        .Attr("hash_valid: bool = false")
                                        .Attr("hash: int = 0")
                                        .Attr("reader_func: func")
                                        .Attr("shard_func: func")
                                        .Attr("Treader_func_args: list(type) >= 0")
                                        .Attr("Tshard_func_args: list(type) >= 0")
                                        .Attr("metadata: string = ''")
                                        .SetShapeFn(detail::ScalarsShape<1>);
};

// The inputs as elements.
struct SnapshotNestedDatasetReader : detail::DatasetOp<&detail::MakeNestedReader> {
  static constexpr auto signature = Op("SnapshotNestedDatasetReader")
                                        .Input("inputs: N * variant")
                                        .Output("handle: variant")
                                        .Attr("output_types: list(type) >= 1")
                                        .Attr("output_shapes: list(shape) >= 1")
                                        .Attr("N: int >= 1")
                                        .SetShapeFn(shape_inference::ScalarShape);
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

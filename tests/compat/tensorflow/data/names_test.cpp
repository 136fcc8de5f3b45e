// SPDX-License-Identifier: Apache-2.0
// A dataset with every function of TensorFlow's interface that a source may override.
#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tenon/compat/tensorflow/data/dataset.hpp>

namespace compat_data_names_test {
using namespace tensorflow;
using namespace tensorflow::data;
namespace {

class Splits : public SplitProvider {
 public:
  Status GetNext(Tensor* split, bool* end_of_splits) override {
    *split = Tensor(int64_t{7});
    *end_of_splits = false;
    return OkStatus();
  }
  Status Reset() override { return OkStatus(); }
  Status Save(std::function<std::string(std::string)>, IteratorStateWriter*) override { return OkStatus(); }
  Status Restore(std::function<std::string(std::string)>, IteratorStateReader*) override { return OkStatus(); }
};

class Countdown : public DatasetBase {
 public:
  explicit Countdown(int64_t from)
      : DatasetBase(DatasetContext(DatasetContext::Params{"Countdown", "c"})), from_(from) {}
  const DataTypeVector& output_dtypes() const override {
    static const DataTypeVector types{DT_INT64};
    return types;
  }
  const std::vector<PartialTensorShape>& output_shapes() const override {
    static const std::vector<PartialTensorShape> shapes{PartialTensorShape({})};
    return shapes;
  }
  string DebugString() const override { return "Countdown"; }
  int64_t CardinalityInternal(CardinalityOptions) const override { return from_; }
  Status InputDatasets(std::vector<const DatasetBase*>*) const override { return OkStatus(); }
  Status CheckExternalState() const override { return OkStatus(); }
  Status Get(OpKernelContext* context, int64_t index, std::vector<Tensor>* out) const override {
    return Get(AnyContext(context), index, out);
  }
  Status Get(AnyContext, int64_t index, std::vector<Tensor>* out) const override {
    *out = {Tensor(from_ - index)};
    return OkStatus();
  }
  Status RandomIndexingCompatible() const override { return OkStatus(); }
  Status MakeSplitProviders(std::vector<std::unique_ptr<SplitProvider>>* splits) const override {
    splits->push_back(std::make_unique<Splits>());
    return OkStatus();
  }
  std::optional<int64_t> GetEstimatedElementSize() const override { return 8; }

 protected:
  std::unique_ptr<IteratorBase> MakeIteratorInternal(const string& prefix) const override {
    return std::make_unique<Iterator>(Iterator::Params{this, prefix});
  }
  Status AsGraphDefInternal(SerializationContext*, DatasetGraphDefBuilder*, Node**) const override {
    return errors::Unimplemented("no graph");
  }

 private:
  class Iterator : public DatasetIterator<Countdown> {
   public:
    explicit Iterator(const Params& params) : DatasetIterator<Countdown>(params), left_(params.dataset->from_) {}
    bool SymbolicCheckpointCompatible() const override { return true; }
    IndexMapperFn GetIndexMapper(IndexMapperFn parent) const override {
      return [parent](size_t i) -> StatusOr<size_t> { return i + 1; };
    }
    Status GetNextInternal(IteratorContext*, std::vector<Tensor>* out, bool* end) override {
      *end = left_ == 0;
      if (!*end) out->push_back(Tensor(left_--));
      return OkStatus();
    }
    Status SkipInternal(IteratorContext*, int count, bool* end, int* skipped) override {
      *skipped = static_cast<int>(std::min<int64_t>(count, left_));
      left_ -= *skipped;
      *end = *skipped < count;
      return OkStatus();
    }
    TraceMeMetadata GetTraceMeMetadata() const override { return {{"left", std::to_string(left_)}}; }
    Status SaveInternal(SerializationContext*, IteratorStateWriter* writer) override {
      return writer->WriteScalar(full_name("left"), left_);
    }
    Status RestoreInternal(IteratorContext*, IteratorStateReader* reader) override {
      return reader->ReadScalar(full_name("left"), &left_);
    }

   private:
    int64_t left_;
  };
  const int64_t from_;
};

}  // namespace

TEST_SUITE("datasets of TensorFlow's sources") {
  TEST_CASE("a dataset that overrides everything") {
    core::RefCountPtr<DatasetBase> dataset(new Countdown(3));
    CHECK(dataset->Cardinality() == 3);
    std::vector<std::unique_ptr<SplitProvider>> splits;
    CHECK(dataset->MakeSplitProviders(&splits).ok());
    CHECK_FALSE(splits[0]->IsDynamic());
    CHECK(splits[0]->Cardinality() == kUnknownCardinality);
    CHECK(dataset->RandomIndexingCompatible().ok());
    tenon::StepEnvironment environment;
    IteratorContext context(environment);
    std::vector<Tensor> element;
    CHECK(dataset->Get(AnyContext(&context), 1, &element).ok());
    CHECK(element[0].scalar<int64_t>()() == 2);
    std::unique_ptr<IteratorBase> iterator;
    REQUIRE(dataset->MakeIterator(&context, nullptr, "it", &iterator).ok());
    bool end = false;
    int skipped = 0;
    CHECK(iterator->Skip(&context, 2, &end, &skipped).ok());
    CHECK(skipped == 2);
    SerializationContext saving;
    IteratorStateWriter writer;
    Checkpointable* const place = iterator.get();
    CHECK(place->Save(&saving, &writer).ok());
    CHECK(iterator->GetNext(&context, &element, &end).ok());
    CHECK(element[0].scalar<int64_t>()() == 1);
    CHECK(iterator->GetNext(&context, &element, &end).ok());
    CHECK(end);
    IteratorStateReader reader(writer.items());
    CHECK(place->Restore(&context, &reader).ok());
    CHECK(iterator->GetNext(&context, &element, &end).ok());
    CHECK_FALSE(end);
    CHECK(iterator->SymbolicCheckpointCompatible());
    CHECK(*iterator->GetIndexMapper(nullptr)(1) == 2);
    const auto pool = context.CreateThreadPool("p", 2);
    CHECK(pool->NumThreads() == 2);
  }
}
}  // namespace compat_data_names_test

// SPDX-License-Identifier: Apache-2.0
// A dataset of TensorFlow's interface between datasets of Tenon.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/data/dataset.hpp>
#include <tenon/compat/tensorflow/data/graph_builder.hpp>

namespace compat_dataset_test {
using namespace tensorflow;
namespace {

// 0, 1, ... below a limit.
class Counting final : public tenon::DatasetBase {
 public:
  explicit Counting(std::int64_t limit) : tenon::DatasetBase(Spec()), limit_(limit) {}
  std::string_view TypeString() const override { return "Counting"; }
  Status MakeIterator(tenon::IteratorContext&, tenon::Owned<tenon::IteratorBase>* iterator) const override {
    *iterator = tenon::MakeOwned<Iterator>(limit_);
    return Status();
  }
  std::int64_t Cardinality() const override { return limit_; }

 private:
  class Iterator final : public tenon::IteratorBase {
   public:
    explicit Iterator(std::int64_t limit) : limit_(limit) {}
    Status Save(tenon::IteratorStateWriter* writer) const override { return writer->Add(next_), Status(); }
    Status Restore(tenon::IteratorContext&, tenon::IteratorStateReader* reader) override {
      return reader->Take(&next_);
    }

   private:
    Status Next(tenon::IteratorContext&, tenon::DatasetElement* element, bool* end) override {
      *end = next_ == limit_;
      if (!*end) element->push_back(tenon::Tensor::Scalar(next_++));
      return Status();
    }
    std::int64_t limit_, next_ = 0;
  };
  static tenon::ElementSpec Spec() {
    tenon::ElementSpec spec;
    spec.types.push_back(tenon::DataType::kInt64);
    spec.shapes.push_back(tenon::PartialTensorShape(tenon::TensorShape()));
    return spec;
  }
  std::int64_t limit_;
};

// Every element twice, written as for TensorFlow.
class Twice : public DatasetBase {
 public:
  explicit Twice(const DatasetBase* input)
      : DatasetBase(DatasetContext(DatasetContext::Params{"TwiceDataset", "n"})), input_(input) {
    input_->Ref();
  }
  ~Twice() override { input_->Unref(); }
  std::unique_ptr<IteratorBase> MakeIteratorInternal(const string& prefix) const override {
    return std::unique_ptr<IteratorBase>(new Iterator({this, strings::StrCat(prefix, "::Twice")}));
  }
  const DataTypeVector& output_dtypes() const override { return input_->output_dtypes(); }
  const std::vector<PartialTensorShape>& output_shapes() const override { return input_->output_shapes(); }
  string DebugString() const override { return "TwiceDatasetOp::Dataset"; }
  int64_t CardinalityInternal() const override { return 2 * input_->Cardinality(); }

 protected:
  Status AsGraphDefInternal(SerializationContext* context, DatasetGraphDefBuilder* b, Node** output) const override {
    Node* input = nullptr;
    TF_RETURN_IF_ERROR(b->AddInputDataset(context, input_, &input));
    return b->AddDataset(this, {input}, output);
  }

 private:
  class Iterator : public DatasetIterator<Twice> {
   public:
    explicit Iterator(const Params& params) : DatasetIterator<Twice>(params) {}
    Status Initialize(IteratorContext* context) override {
      return dataset()->input_->MakeIterator(context, this, prefix(), &input_);
    }
    Status GetNextInternal(IteratorContext* context, std::vector<Tensor>* out, bool* end) override {
      mutex_lock lock(mu_);
      if (again_) {
        again_ = false;
        *out = held_;
        return OkStatus();
      }
      TF_RETURN_IF_ERROR(input_->GetNext(context, out, end));
      held_ = *out;
      again_ = !*end;
      return OkStatus();
    }

   protected:
    Status SaveInternal(SerializationContext* context, IteratorStateWriter* writer) override {
      mutex_lock lock(mu_);
      TF_RETURN_IF_ERROR(SaveInput(context, writer, input_));
      TF_RETURN_IF_ERROR(writer->WriteScalar(full_name("again"), again_ ? 1 : 0));
      return again_ ? writer->WriteTensor(full_name("held"), held_[0]) : OkStatus();
    }
    Status RestoreInternal(IteratorContext* context, IteratorStateReader* reader) override {
      mutex_lock lock(mu_);
      TF_RETURN_IF_ERROR(RestoreInput(context, reader, input_));
      int64_t again = 0;
      TF_RETURN_IF_ERROR(reader->ReadScalar(full_name("again"), &again));
      again_ = again != 0;
      held_.resize(1);
      return again_ ? reader->ReadTensor(full_name("held"), &held_[0]) : OkStatus();
    }

   private:
    mutex mu_;
    std::unique_ptr<IteratorBase> input_ TF_GUARDED_BY(mu_);
    std::vector<Tensor> held_ TF_GUARDED_BY(mu_);
    bool again_ TF_GUARDED_BY(mu_) = false;
  };
  const DatasetBase* const input_;
};

std::int64_t Next(tenon::IteratorBase& iterator, tenon::IteratorContext& context) {
  tenon::DatasetElement element;
  bool end = false;
  REQUIRE(iterator.GetNext(context, &element, &end).ok());
  return end ? -1 : element[0].data<std::int64_t>()[0];
}

}  // namespace

TEST_SUITE("datasets of TensorFlow's interface") {
  TEST_CASE("between datasets of Tenon, and saved positions") {
    tenon::Tensor handle;
    REQUIRE(
        tenon::StoreDatasetInVariantTensor(tenon::Ref<const tenon::DatasetBase>::Adopt(new Counting(2)), &handle).ok());
    DatasetBase* input = nullptr;
    REQUIRE(GetDatasetFromVariantTensor(Tensor(handle), &input).ok());
    CHECK(input->output_dtypes()[0] == DT_INT64);
    Tensor twice;
    REQUIRE(StoreDatasetInVariantTensor(new Twice(input), &twice).ok());
    DatasetBase* same = nullptr;
    REQUIRE(GetDatasetFromVariantTensor(twice, &same).ok());
    CHECK(same->DebugString() == "TwiceDatasetOp::Dataset");
    tenon::Ref<const tenon::DatasetBase> dataset;
    REQUIRE(tenon::GetDatasetFromVariantTensor(twice, &dataset).ok());
    CHECK(dataset->Cardinality() == 4);
    CHECK(dataset->TypeString() == "Twice");
    const tenon::StepEnvironment environment;
    tenon::IteratorContext context(environment);
    tenon::Owned<tenon::IteratorBase> iterator, restored;
    REQUIRE(dataset->MakeIterator(context, &iterator).ok());
    CHECK(Next(*iterator, context) == 0);
    CHECK(Next(*iterator, context) == 0);
    CHECK(Next(*iterator, context) == 1);
    tenon::IteratorStateWriter writer;
    REQUIRE(iterator->Save(&writer).ok());
    const tenon::IteratorState state = writer.Finish();
    REQUIRE(dataset->MakeIterator(context, &restored).ok());
    tenon::IteratorStateReader reader(&state);
    REQUIRE(restored->Restore(context, &reader).ok());
    for (tenon::IteratorBase* each : {iterator.get(), restored.get()}) {
      CHECK(Next(*each, context) == 1);
      CHECK(Next(*each, context) == -1);
    }
    CHECK_FALSE(GetDatasetFromVariantTensor(Tensor(1.0f), &same).ok());
  }
}
}  // namespace compat_dataset_test

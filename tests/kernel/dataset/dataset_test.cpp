// SPDX-License-Identifier: Apache-2.0
// A dataset of one's own, its iterators, and what carries them: variants, resources, saved positions.
#include <tenon/kernel/dataset/captured_function.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/dataset/dataset_variant.hpp>
#include <tenon/kernel/dataset/detached_context.hpp>
#include <tenon/kernel/dataset/iterator_resource.hpp>
#include <tenon/kernel/dataset/iterator_state.hpp>

#include <doctest/doctest.h>

namespace kernel_dataset_test {
using namespace tenon;

namespace {

ElementSpec OneNumber(DataType type = DataType::kInt64) {
  ElementSpec spec;
  spec.types.push_back(type);
  spec.shapes.push_back(PartialTensorShape(TensorShape()));
  return spec;
}

// 0, 1, ... below a limit; the number 3 is an error.
class Counting final : public DatasetBase {
 public:
  explicit Counting(std::int64_t n, Code code) : DatasetBase(OneNumber()), limit(n), error(code) {}
  std::string_view TypeString() const override { return "Counting"; }
  std::int64_t Cardinality() const override { return limit; }
  Status MakeIterator(IteratorContext&, Owned<IteratorBase>* iterator) const override {
    *iterator = MakeOwned<Iterator>(this);
    return OkStatus();
  }
  const std::int64_t limit;
  const Code error;

 private:
  class Iterator final : public IteratorBase {
   public:
    explicit Iterator(const Counting* dataset) : dataset_(Ref<const Counting>::Share(dataset)) {}
    Status Next(IteratorContext&, DatasetElement* element, bool* end) override {
      *end = next_ == dataset_->limit;
      if (*end) return OkStatus();
      if (next_++ == 3) return Status(dataset_->error, "three");
      element->push_back(Tensor::Scalar(next_ - 1));
      return OkStatus();
    }
    Status Save(IteratorStateWriter* writer) const override {
      writer->Add(next_);
      return OkStatus();
    }
    Status Restore(IteratorContext&, IteratorStateReader* reader) override {
      return reader->TakeCount(dataset_->limit, &next_);
    }

   private:
    const Ref<const Counting> dataset_;
    std::int64_t next_ = 0;
  };
};

Ref<const DatasetBase> Make(std::int64_t n, Code error = Code::kDataLoss) {
  return Ref<const DatasetBase>::Adopt(new Counting(n, error));
}
std::int64_t Number(const DatasetElement& element) { return *element[0].data<std::int64_t>(); }

}  // namespace

TEST_SUITE("datasets") {
  TEST_CASE("an iterator goes on after an error, skips, and ends") {
    const StepEnvironment environment;
    IteratorContext context(environment);
    Owned<IteratorBase> iterator;
    DatasetElement element;
    bool end = false;
    const Ref<const DatasetBase> dataset = Make(6);
    CHECK(dataset->DebugString() == "CountingDatasetOp::Dataset");
    REQUIRE(dataset->MakeIterator(context, &iterator).ok());
    std::int64_t skipped = 0;
    REQUIRE(iterator->Skip(context, 2, &end, &skipped).ok());
    CHECK(skipped == 2);
    REQUIRE(iterator->GetNext(context, &element, &end).ok());
    CHECK(Number(element) == 2);
    CHECK(iterator->GetNext(context, &element, &end).code() == Code::kDataLoss);
    REQUIRE(iterator->GetNext(context, &element, &end).ok());
    CHECK(Number(element) == 4);
    REQUIRE(iterator->Skip(context, 5, &end, &skipped).ok());
    CHECK(end);
    CHECK(skipped == 1);
  }
  TEST_CASE("OutOfRange is not the end of a dataset") {
    const StepEnvironment environment;
    IteratorContext context(environment);
    Owned<IteratorBase> iterator;
    std::int64_t skipped = 0;
    bool end = false;
    REQUIRE(Make(6, Code::kOutOfRange)->MakeIterator(context, &iterator).ok());
    const Status status = iterator->Skip(context, 4, &end, &skipped);
    CHECK(status.code() == Code::kInternal);
    CHECK(status.message().find("returned `OutOfRange`") != std::string_view::npos);
  }
  TEST_CASE("a cancelled run is not waited for") {
    CancellationManager cancellation;
    RunServices services;
    services.cancellation = &cancellation;
    StepEnvironment environment;
    environment.services = &services;
    const IteratorContext context(environment);
    CHECK(context.CheckWanted().ok());
    cancellation.StartCancel();
    CHECK(context.CheckWanted().code() == Code::kCancelled);
    CHECK(!DetachedContext::IsPossible(context));
  }
  TEST_CASE("functions need a run of a session") {
    const StepEnvironment environment;
    IteratorContext context(environment);
    CapturedFunction function;
    function.call.name = "f";
    FunctionCaller caller(&function);
    CHECK(caller.Initialize(context).code() == Code::kFailedPrecondition);
  }
  TEST_CASE("a variant carries a dataset, and nothing else is taken for one") {
    Tensor tensor;
    Ref<const DatasetBase> found;
    const Ref<const DatasetBase> dataset = Make(2);
    REQUIRE(StoreDatasetInVariantTensor(dataset, &tensor).ok());
    REQUIRE(GetDatasetFromVariantTensor(tensor, &found).ok());
    CHECK(found.get() == dataset.get());
    CHECK(tensor.data<Variant>()[0].SummarizeValue() == "CountingDatasetOp::Dataset");
    CHECK(GetDatasetFromVariantTensor(Tensor::Scalar(1.0f), &found).message() ==
          "Dataset tensor must be a scalar of dtype DT_VARIANT.");
    tensor.data<Variant>()[0] = Tensor::Scalar(1.0f);
    CHECK(GetDatasetFromVariantTensor(tensor, &found).message() == "Tensor must be a Dataset object.");
    VariantTensorData data;
    CHECK(EncodeVariant(Variant(DatasetVariant{dataset}), &data).code() == Code::kUnimplemented);
  }
  TEST_CASE("elements are compared with what a node declares") {
    DatasetElement element = {Tensor::Scalar(std::int64_t{1})};
    CHECK(VerifyElement(OneNumber(), element).ok());
    CHECK(VerifyElement(OneNumber(DataType::kFloat), element).message() ==
          "Data type mismatch at component 0: expected float but got int64.");
    element.push_back(element[0]);
    CHECK(VerifyElement(OneNumber(), element).message() ==
          "Number of components does not match: expected 1 types but got 2.");
    const PartialTensorShape two[] = {PartialTensorShape({2})}, any[] = {PartialTensorShape({-1})},
                             one[] = {PartialTensorShape({1})};
    CHECK(VerifyShapesCompatible(any, two).ok());
    CHECK(VerifyShapesCompatible(two, one).message() ==
          "Incompatible shapes at component 0: expected [2] but got [1].");
  }
}

TEST_SUITE("iterators of a session") {
  TEST_CASE("they are set, asked, saved and restored") {
    const StepEnvironment environment;
    IteratorContext context(environment);
    const Ref<IteratorResource> iterator = Ref<IteratorResource>::Adopt(new IteratorResource(OneNumber()));
    DatasetElement element;
    IteratorState state, at_two;
    bool end = false;
    CHECK(iterator->GetNext(context, &element, &end).code() == Code::kFailedPrecondition);
    CHECK(iterator->Save(context, &state).code() == Code::kFailedPrecondition);
    CHECK(iterator->Restore(context, state).code() == Code::kFailedPrecondition);
    REQUIRE(iterator->SetDataset(context, Make(3)).ok());
    for (int i = 0; i < 2; ++i) REQUIRE(iterator->GetNext(context, &element, &end).ok());
    REQUIRE(iterator->Save(context, &at_two).ok());
    REQUIRE(iterator->GetNext(context, &element, &end).ok());
    REQUIRE(iterator->GetNext(context, &element, &end).ok());
    CHECK(end);
    REQUIRE(iterator->Restore(context, at_two).ok());
    REQUIRE(iterator->GetNext(context, &element, &end).ok());
    CHECK(Number(element) == 2);
    // A state that is not one changes nothing.
    CHECK(iterator->Restore(context, state).code() == Code::kInvalidArgument);
    state.bytes = at_two.bytes + at_two.bytes;
    CHECK(iterator->Restore(context, state).code() == Code::kInvalidArgument);
    REQUIRE(iterator->GetNext(context, &element, &end).ok());
    CHECK(end);
    REQUIRE(iterator->Clear(context).ok());
    CHECK(iterator->GetNext(context, &element, &end).code() == Code::kFailedPrecondition);
  }
  TEST_CASE("a dataset of other elements is refused") {
    const StepEnvironment environment;
    IteratorContext context(environment);
    const Ref<IteratorResource> iterator =
        Ref<IteratorResource>::Adopt(new IteratorResource(OneNumber(DataType::kFloat)));
    CHECK(iterator->SetDataset(context, Make(3)).code() == Code::kInvalidArgument);
  }
}

TEST_SUITE("states of iterators") {
  TEST_CASE("numbers, texts and elements come back in their order") {
    IteratorStateWriter writer;
    writer.Add(-5);
    writer.AddText("text");
    writer.AddElement({Tensor::Scalar(1.5f), Tensor::Scalar("a")});
    writer.Add(7);
    Variant variant = writer.Finish();
    VariantTensorData data;
    REQUIRE(EncodeVariant(variant, &data).ok());
    IteratorState state;
    REQUIRE(state.Decode(std::move(data)));
    IteratorStateReader reader(&state);
    std::int64_t number = 0;
    std::string text;
    DatasetElement element;
    REQUIRE(reader.Take(&number).ok());
    CHECK(number == -5);
    REQUIRE(reader.TakeText(&text).ok());
    CHECK(text == "text");
    REQUIRE(reader.TakeElement(&element).ok());
    CHECK(element.size() == 2);
    CHECK(!reader.AtEnd());
    CHECK(reader.TakeCount(6, &number).code() == Code::kInvalidArgument);
    CHECK(reader.AtEnd());
    CHECK(reader.Take(&number).code() == Code::kInvalidArgument);
    CHECK(reader.TakeText(&text).code() == Code::kInvalidArgument);
    CHECK(reader.TakeElement(&element).code() == Code::kInvalidArgument);
  }
}

}  // namespace kernel_dataset_test

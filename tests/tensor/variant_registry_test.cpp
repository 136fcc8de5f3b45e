// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/variant_registry.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/variant.hpp>

#include "base/sized_thread.hpp"

namespace variant_registry_test {
using namespace tenon;

namespace {

struct Point {
  std::int32_t x = 0, y = 0;
  static std::string TypeName() { return "Point"; }
};
struct OtherPoint {
  static std::string TypeName() { return "Point"; }
};
struct Nameless {
  static std::string TypeName() { return ""; }
};
// Says after decoding that it is something else.
struct Chameleon {
  bool decoded = false;
  std::string TypeName() const { return decoded ? "Lizard" : "Chameleon"; }
  void Encode(VariantTensorData*) const {}
  bool Decode(VariantTensorData) {
    decoded = true;
    return true;
  }
};
struct Holder {
  Tensor tensor;
  static std::string TypeName() { return "Holder"; }
};

Status ZerosLike(OpKernelContext*, const Point&, Point* out) {
  *out = Point{0, 0};
  return OkStatus();
}
Status OtherZerosLike(OpKernelContext*, const Point&, Point*) { return OkStatus(); }
Status Fails(OpKernelContext*, const Point&, Point* out) {
  out->x = 99;
  return errors::Aborted("no");
}
Status Add(OpKernelContext*, const Point& a, const Point& b, Point* out) {
  *out = Point{a.x + b.x, a.y + b.y};
  return OkStatus();
}
Status CopyHolder(const Holder& from, Holder* to, const VariantTensorCopy& copy) {
  return copy(from.tensor, &to->tensor);
}
Status HolderShape(const Holder& value, TensorShape* shape) {
  *shape = value.tensor.shape();
  return OkStatus();
}
Variant Serialized(std::string name, std::string metadata) {
  return VariantTensorData{std::move(name), std::move(metadata), {}};
}

// A value that may hold another one.
struct Box {
  Tensor inside;
  static std::string TypeName() { return "Box"; }
};
Variant Boxes(int depth) {
  Variant box{Box()};
  for (int i = 1; i < depth; ++i) box = Variant(Box{Tensor::Scalar(std::move(box))});
  return box;
}
const Variant* InsideOf(const Box& box) {
  return box.inside.dtype() == DataType::kVariant ? box.inside.data<Variant>() : nullptr;
}
// Each calls the registry again for the value inside.
Status ZeroBox(OpKernelContext*, const Box& in, Box* out) {
  if (InsideOf(in) == nullptr) return OkStatus();
  Variant inside;
  TENON_RETURN_IF_ERROR(
      VariantRegistry::Global().Unary(VariantUnaryOp::kZerosLike, "BOX", nullptr, *InsideOf(in), &inside));
  out->inside = Tensor::Scalar(std::move(inside));
  return OkStatus();
}
Status AddBoxes(OpKernelContext*, const Box& a, const Box& b, Box* out) {
  if (InsideOf(a) == nullptr) return OkStatus();
  Variant inside;
  TENON_RETURN_IF_ERROR(
      VariantRegistry::Global().Binary(VariantBinaryOp::kAdd, "BOX", nullptr, *InsideOf(a), *InsideOf(b), &inside));
  out->inside = Tensor::Scalar(std::move(inside));
  return OkStatus();
}
Status CopyBox(const Box& from, Box* to, const VariantTensorCopy& copy) {
  if (InsideOf(from) == nullptr) return OkStatus();
  Variant inside;
  TENON_RETURN_IF_ERROR(
      VariantRegistry::Global().Copy(VariantCopyDirection::kHostToDevice, *InsideOf(from), &inside, copy));
  to->inside = Tensor::Scalar(std::move(inside));
  return OkStatus();
}

}  // namespace

TEST_SUITE("VariantRegistry::Decode") {
  TEST_CASE("makes values of registered types, TensorFlow's built-in ones among them") {
    VariantRegistry registry;
    Variant v = Serialized("int", std::string("\5\0\0\0", 4));
    CHECK(registry.Decode(&v).ok());
    CHECK(*v.get<int>() == 5);
    v = Serialized("float", std::string("\0\0\x80\x3f", 4));
    CHECK(registry.Decode(&v).ok());
    CHECK(*v.get<float>() == 1);
    v = Serialized("bool", "\1");
    CHECK(registry.Decode(&v).ok());
    CHECK(*v.get<bool>());
    v = Serialized("double", std::string(8, '\0'));
    CHECK(registry.Decode(&v).ok());
    CHECK(*v.get<double>() == 0);
    v = VariantTensorData{"tensorflow::Tensor", "", {Tensor::Scalar(3.0f)}};
    CHECK(registry.Decode(&v).ok());
    CHECK(v.get<Tensor>()->scalar<float>()() == 3);
    REQUIRE(registry.AddType<Point>().ok());
    v = Serialized("Point", std::string("\1\0\0\0\2\0\0\0", 8));
    CHECK(registry.Decode(&v).ok());
    CHECK(v.get<Point>()->y == 2);
    CHECK(registry.Decode(&v).ok());  // is decoded already
    v = Serialized("", "");
    CHECK(registry.Decode(&v).ok());
    CHECK(v.is_empty());
    CHECK(registry.Decode(&v).ok());
  }
  TEST_CASE("names the registered types when there is none of that name") {
    VariantRegistry registry;
    Variant v = Serialized("no\npe", "x");
    const Status s = registry.Decode(&v);
    CHECK(s.code() == Code::kNotFound);
    CHECK(s.message() ==
          "Could not decode variant with type_name: \"no\\npe\".  Its type is not registered, these are: int, float, "
          "bool, double, tensorflow::Tensor");
    CHECK(v.is_serialized());
    v = Serialized("", "content without a type");
    CHECK(registry.Decode(&v).code() == Code::kNotFound);
  }
  TEST_CASE("refuses bytes that are not the type's, and a type that becomes another") {
    VariantRegistry registry;
    Variant v = Serialized("int", "x");
    Status s = registry.Decode(&v);
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(v.TypeName() == "int");
    CHECK(v.is_serialized());
    REQUIRE(registry.AddType<Chameleon>().ok());
    v = Serialized("Chameleon", "");
    s = registry.Decode(&v);
    CHECK(
        s.message() ==
        "DecodeUnaryVariant: Variant type_name before decoding was: Chameleon but after decoding was: Lizard; decoding "
        "must keep the type");
    CHECK(v.is_serialized());
  }
  TEST_CASE("works on every element of a tensor") {
    VariantRegistry registry;
    Tensor t = MakeTensor<Variant>({3}, {Serialized("bool", "\1"), Variant(), Variant(4)});
    CHECK(registry.Decode(&t).ok());
    CHECK(*t.flat<Variant>()[0].get<bool>());
    CHECK(*t.flat<Variant>()[2].get<int>() == 4);
    t = MakeTensor<Variant>({2}, {Serialized("bool", "\1"), Serialized("nope", "")});
    const Status s = registry.Decode(&t);
    CHECK(s.code() == Code::kNotFound);
    CHECK(s.message().find("element 1: Could not decode variant with type_name: \"nope\"") == 0);
    Tensor plain = Tensor::Scalar(1.0f);
    CHECK(registry.Decode(&plain).ok());
  }
}

TEST_SUITE("VariantRegistry registration") {
  TEST_CASE("twice the same is once; another type or function of that name is an error") {
    VariantRegistry registry;
    CHECK(registry.AddType<Point>().ok());
    CHECK(registry.AddType<Point>().ok());
    CHECK(registry.TypeNames().size() == 6);
    CHECK(registry.TypeNames().back() == "Point");
    Status s = registry.AddType<OtherPoint>();
    CHECK(s.code() == Code::kAlreadyExists);
    CHECK(s.message() == "Unary VariantDecodeFn for type_name: Point already registered");
    CHECK(registry.AddType<Nameless>().code() == Code::kInvalidArgument);
    CHECK(registry.AddUnary<Point>(VariantUnaryOp::kZerosLike, "CPU", &ZerosLike).ok());
    CHECK(registry.AddUnary<Point>(VariantUnaryOp::kZerosLike, "CPU", &ZerosLike).ok());
    CHECK(registry.AddUnary<Point>(VariantUnaryOp::kZerosLike, "CPU", &OtherZerosLike).code() == Code::kAlreadyExists);
    CHECK(registry.AddUnary<Point>(VariantUnaryOp::kZerosLike, "GPU", &OtherZerosLike).ok());
  }
  TEST_CASE("of the process is there for all threads") {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([] {
        for (int k = 0; k < 200; ++k) {
          static_cast<void>(VariantRegistry::Global().AddType<Point>());
          Variant v = Serialized("Point", std::string(8, '\0'));
          static_cast<void>(VariantRegistry::Global().Decode(&v));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    Variant v = Serialized("Point", std::string(8, '\0'));
    CHECK(VariantRegistry::Global().Decode(&v).ok());
    CHECK(v.is<Point>());
  }
}

TEST_SUITE("VariantRegistry operations") {
  TEST_CASE("call the function of the value's type and device") {
    VariantRegistry registry;
    REQUIRE(registry.AddUnary<Point>(VariantUnaryOp::kZerosLike, "CPU", &ZerosLike).ok());
    REQUIRE(registry.AddUnary<Point>(VariantUnaryOp::kConj, "CPU", &Fails).ok());
    REQUIRE(registry.AddBinary<Point>(VariantBinaryOp::kAdd, "CPU", &Add).ok());
    const Variant a = Point{1, 2}, b = Point{10, 20};
    Variant out;
    CHECK(registry.Unary(VariantUnaryOp::kZerosLike, "CPU", nullptr, a, &out).ok());
    CHECK(out.get<Point>()->y == 0);
    CHECK(registry.Binary(VariantBinaryOp::kAdd, "CPU", nullptr, a, b, &out).ok());
    CHECK(out.get<Point>()->y == 22);
    CHECK(registry.Binary(VariantBinaryOp::kAdd, "CPU", nullptr, out, out, &out).ok());
    CHECK(out.get<Point>()->y == 44);
    CHECK(registry.Unary(VariantUnaryOp::kConj, "CPU", nullptr, a, &out).code() == Code::kAborted);
    CHECK(out.get<Point>()->x == 22);  // as it was
  }
  TEST_CASE("say what is missing") {
    const VariantRegistry registry;
    const Variant a = Point{1, 2};
    Variant out;
    Status s = registry.Unary(VariantUnaryOp::kZerosLike, "GPU", nullptr, a, &out);
    CHECK(s.code() == Code::kInternal);
    CHECK(
        s.message() ==
        "No unary variant unary_op function found for unary variant op enum: ZEROS_LIKE Variant type_name: 'Point' for "
        "device type: GPU; VariantRegistry::AddUnary registers one");
    s = registry.Binary(VariantBinaryOp::kAdd, "CPU", nullptr, a, a, &out);
    CHECK(s.message().find("No unary variant binary_op function found for binary variant op enum: ADD") == 0);
    s = registry.Binary(VariantBinaryOp::kAdd, "CPU", nullptr, a, Variant(1), &out);
    CHECK(s.message() ==
          "BinaryOpVariants: Variants a and b have different type ids.  Type names: 'Point' vs. 'int'; both must have "
          "values of one type");
    CHECK(registry.Binary(VariantBinaryOp::kAdd, "CPU", nullptr, Variant(), Variant(), &out).code() == Code::kInternal);
    CHECK(registry.Unary(VariantUnaryOp::kConj, "CPU", nullptr, Variant(), &out).code() == Code::kInternal);
  }
  TEST_CASE("copy the tensors inside to other memory") {
    VariantRegistry registry;
    const Variant from = Holder{MakeTensor<float>({2}, {1, 2})};
    Variant to;
    int copies = 0;
    const auto count = [](void* arg, const Tensor& tensor, Tensor* out) {
      ++*static_cast<int*>(arg);
      *out = tensor.DeepCopy();
      return OkStatus();
    };
    const VariantTensorCopy copy{count, &copies};
    Status s = registry.Copy(VariantCopyDirection::kHostToDevice, from, &to, copy);
    CHECK(s.code() == Code::kInternal);
    CHECK(s.message() ==
          "No unary variant device copy function found for direction: HOST_TO_DEVICE and Variant type_name: 'Holder'; "
          "VariantRegistry::AddCopy registers one");
    REQUIRE(registry.AddCopy<Holder>(VariantCopyDirection::kHostToDevice, &CopyHolder).ok());
    CHECK(registry.Copy(VariantCopyDirection::kHostToDevice, from, &to, copy).ok());
    CHECK(copies == 1);
    CHECK_FALSE(to.get<Holder>()->tensor.SharesBufferWith(from.get<Holder>()->tensor));
    CHECK(registry.Copy(VariantCopyDirection::kDeviceToHost, from, &to, copy).code() == Code::kInternal);
    CHECK(registry.Copy(VariantCopyDirection::kDeviceToDevice, Variant(), &to, copy).ok());
    CHECK(to.is_empty());
  }
  TEST_CASE("give the shape of one value") {
    VariantRegistry registry;
    TensorShape shape;
    const Tensor t = Tensor::Scalar(Variant(Holder{Tensor(DataType::kFloat, {4, 5})}));
    CHECK(registry.Shape(t, &shape).message() ==
          "No unary variant shape function found for Variant type_name: 'Holder'; VariantRegistry::AddShape registers "
          "one");
    REQUIRE(registry.AddShape<Holder>(&HolderShape).ok());
    CHECK(registry.Shape(t, &shape).ok());
    CHECK(shape == TensorShape{4, 5});
    CHECK(registry.Shape(Tensor::Scalar(1.0f), &shape).message() ==
          "VariantRegistry::Shape: one variant expected, got a tensor of type float and shape []");
    CHECK(registry.Shape(Tensor(DataType::kVariant, {2}), &shape).code() == Code::kInvalidArgument);
  }
  TEST_CASE("values in values: as deep as the stack allows, then ResourceExhausted") {
    VariantRegistry& registry = VariantRegistry::Global();
    REQUIRE(registry.AddUnary<Box>(VariantUnaryOp::kZerosLike, "BOX", &ZeroBox).ok());
    REQUIRE(registry.AddBinary<Box>(VariantBinaryOp::kAdd, "BOX", &AddBoxes).ok());
    REQUIRE(registry.AddCopy<Box>(VariantCopyDirection::kHostToDevice, &CopyBox).ok());
    const VariantTensorCopy copy{};
    const auto all = [&](const Variant& box, Status* status) {
      Variant out;
      status[0] = registry.Unary(VariantUnaryOp::kZerosLike, "BOX", nullptr, box, &out);
      status[1] = registry.Binary(VariantBinaryOp::kAdd, "BOX", nullptr, box, box, &out);
      status[2] = registry.Copy(VariantCopyDirection::kHostToDevice, box, &out, copy);
    };
    const Variant shallow = Boxes(3), deep = Boxes(20000);
    Status few[3], many[3];
    sized_thread::OnStackOf(std::size_t{256} << 10, [&] {
      all(shallow, few);
      all(deep, many);
    });
    for (const Status& status : few) CHECK_MESSAGE(status.ok(), status.ToString());
    for (const Status& status : many) {
      CHECK(errors::IsResourceExhausted(status));
      CHECK(status.message().find("variants nest deeper than the thread's stack allows") != std::string_view::npos);
    }
  }
}
}  // namespace variant_registry_test

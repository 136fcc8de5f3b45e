// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/arithmetic.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace math_arithmetic_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

struct ShapePair {
  TensorShape x, y, z;
};
const std::vector<ShapePair> kShapes = {
    {{}, {}, {}},
    {{5}, {5}, {5}},
    {{5}, {}, {5}},
    {{}, {2, 2}, {2, 2}},
    {{1}, {}, {1}},
    {{2, 3}, {3}, {2, 3}},
    {{3}, {2, 3}, {2, 3}},
    {{2, 1}, {1, 3}, {2, 3}},
    {{2, 3, 4}, {3, 1}, {2, 3, 4}},
    {{33, 65}, {65}, {33, 65}},
    {{33, 65}, {33, 1}, {33, 65}},
    {{2, 1, 3, 1, 2, 1, 2}, {1, 3, 1, 2, 1, 2, 1}, {2, 3, 3, 2, 2, 2, 2}},  // more runs than TensorFlow takes
    {{0}, {1}, {0}},
    {{2, 0}, {1, 1}, {2, 0}},
    {{0, 3}, {3}, {0, 3}},
    {{2, 1, 0}, {3, 1}, {2, 3, 0}},
};

using WideFunction = Wide (*)(Wide, Wide);

// Compares with the function of the same operands as doubles; `roundings` of the type and of the size of the operands
// (and of their product) are allowed to complex numbers, one to the others.
template <class Op, class T>
std::string Difference(WideFunction function, double complex_roundings = 0) {
  for (std::size_t s = 0; s < kShapes.size(); ++s) {
    const ShapePair& shapes = kShapes[s];
    const Tensor x = Random<T>(shapes.x, 2 * s + 1), y = Random<T>(shapes.y, 2 * s + 2);
    const Tensor z = Run<Op>({}, {x, y});
    if (z.dtype() != dtype_of_v<T> || !(z.shape() == shapes.z)) return StrCat(shapes.x, " and ", shapes.y, " give ", z);
    const std::vector<Wide> a = Widened<T>(x), b = Widened<T>(y);
    const std::vector<Index> at_a = BroadcastIndices(shapes.x, shapes.z), at_b = BroadcastIndices(shapes.y, shapes.z);
    std::vector<Wide> want;
    std::vector<double> allowed;
    for (std::size_t i = 0; i < at_a.size(); ++i) {
      const Wide p = a[static_cast<std::size_t>(at_a[i])], q = b[static_cast<std::size_t>(at_b[i])], r = function(p, q);
      want.push_back(kIsComplex<T> ? r : ToWide(FromDouble<T>(r.real())));
      allowed.push_back(complex_roundings * RoundingUnit<T>() *
                        (std::abs(p) * std::abs(q) + std::abs(p) + std::abs(q)));
    }
    if (std::string far = FirstFar(Widened<T>(z), want, allowed); !far.empty())
      return StrCat(shapes.x, " and ", shapes.y, ": ", far);
  }
  return "";
}

// Numbers below zero wrap around in an unsigned type.
template <class T>
Wide WrappedDifference(Wide x, Wide y) {
  const Wide z = x - y;
  if constexpr (std::is_unsigned_v<T>)
    return z.real() < 0 ? z.real() + std::ldexp(1.0, std::numeric_limits<T>::digits) : z.real();
  else
    return z;
}

template <class Op>
std::vector<double> Of(float x, float y) {
  return Numbered<float>(Run<Op>({}, {Make<float>({3}, {x}), Make<float>({3}, {y})}));
}

// Every op here treats these the same way.
template <class Op>
void CheckErrors(const std::string& op, const std::string& allowed) {
  const auto floats = [](TensorShape shape) { return Make<float>(shape, {1}); };
  CHECK(ErrorOf<Op>({}, {floats({2}), floats({3})}) ==
        StrCat("INVALID_ARGUMENT: ", op, ": Dimensions must be equal, but are 2 and 3"));
  CHECK(ErrorOf<Op>({}, {floats({4, 0}), floats({2})}) ==
        StrCat("INVALID_ARGUMENT: ", op, ": Dimensions must be equal, but are 0 and 2"));
  CHECK(ErrorOf<Op>({}, {floats({2}), Make<double>({2}, {1})}) ==
        "INVALID_ARGUMENT: Input 1 of node call was passed double from in1:0 incompatible with expected float.");
  CHECK(ErrorOf<Op>({}, {Make<bool>({1}, {1}), Make<bool>({1}, {1})}) ==
        StrCat("INVALID_ARGUMENT: Value for attr 'T' of bool is not in the list of allowed values: ", allowed));
}

template <class Op, class T>
void CheckOwnInputs() {
  bool took_over = false;
  const Tensor x = Random<T>({4, 6}, 1), y = Random<T>({4, 6}, 2), row = Random<T>({6}, 3),
               column = Random<T>({4, 1}, 4);
  const auto check = [&](const Tensor& a, const Tensor& b, bool expected) {
    const Tensor z = RunOnOwnInputs<Op, T>({}, {a, b}, &took_over);
    CHECK(SameTensor(z, Run<Op>({}, {a, b})));
    CHECK(took_over == expected);
  };
  check(x, y, true);
  check(x, row, true);
  check(row, x, true);
  check(column, x, true);
  check(row, column, false);
}

}  // namespace

#define TENON_TEST_SIGNED bfloat16, half, float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t
#define TENON_TEST_COMPLEX complex64, complex128
#define TENON_TEST_UNSIGNED std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t

TEST_SUITE("Add") {
  TEST_CASE_TEMPLATE("adds, whatever the shapes that go together", T, TENON_TEST_SIGNED, std::uint8_t,
                     TENON_TEST_COMPLEX) {
    CHECK(Numbered<T>(Run<ops::Add>({}, {Make<T>({2, 2}, {1, 2, 3, 4}), Make<T>({2}, {10, 20})})) ==
          std::vector<double>{11, 22, 13, 24});
    CHECK(Difference<ops::Add, T>([](Wide x, Wide y) { return x + y; }, 1) == "");
  }
  TEST_CASE("puts strings one behind the other") {
    const Tensor x =
        MakeTensor<tstring>({2, 1}, {tstring("a"), tstring("a text that is too long for the string object itself")});
    const Tensor y = MakeTensor<tstring>({2}, {tstring(""), tstring("+b")});
    const Tensor z = Run<ops::Add>({}, {x, y});
    REQUIRE(z.shape() == TensorShape{2, 2});
    CHECK(z.flat<tstring>()[0] == "a");
    CHECK(z.flat<tstring>()[1] == "a+b");
    CHECK(z.flat<tstring>()[2] == "a text that is too long for the string object itself");
    CHECK(z.flat<tstring>()[3] == "a text that is too long for the string object itself+b");
    CHECK(Run<ops::Add>({}, {Tensor::Scalar("x"), Tensor::Scalar("y")}).scalar<tstring>()() == "xy");
    CHECK(Run<ops::Add>({}, {Tensor(DataType::kString, {0, 2}), y}).shape() == TensorShape{0, 2});
  }
  TEST_CASE_TEMPLATE("wraps integers around", T, std::int8_t, std::uint8_t, std::int16_t, std::int32_t, std::int64_t) {
    const T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
    const Tensor z = Run<ops::Add>({}, {MakeTensor<T>({2}, {most, most}), MakeTensor<T>({2}, {T(1), most})});
    CHECK(z.flat<T>()[0] == least);
    CHECK(z.flat<T>()[1] == static_cast<T>(std::is_unsigned_v<T> ? most - 1 : -2));
  }
  TEST_CASE("gives NaN for infinity less infinity, and treats denormals as zero") {
    CHECK(std::isnan(Of<ops::Add>(INFINITY, -INFINITY)[0]));
    CHECK(Of<ops::Add>(INFINITY, 1)[0] == kInfinity);
    CHECK(std::isnan(Of<ops::Add>(NAN, 1)[2]));
    CHECK(Of<ops::Add>(1e-40f, 0)[0] == 0);
    const Tensor kept = Run<ops::Add>({}, {Tensor::Scalar(1e-40f), Tensor::Scalar(0.0f)}, {.flush_denormals = false});
    CHECK(kept.scalar<float>()() == 1e-40f);
  }
  TEST_CASE_TEMPLATE("takes over the buffer of an operand that nobody else reads", T, float, half, std::int64_t,
                     complex128) {
    CheckOwnInputs<ops::Add, T>();
  }
  TEST_CASE("may be given the same tensor twice") {
    const Tensor x = Make<float>({3}, {1, 2, 3});
    CHECK(Numbered<float>(Run<ops::Add>({}, {x, x})) == std::vector<double>{2, 4, 6});
    GraphBuilder b;
    const Output own = b.Add("Neg", "own", {b.Placeholder("x", DataType::kFloat)});
    b.Add("Add", "twice", {own, own});
    const Result<Session> session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const Result<std::vector<Tensor>> outputs = session->Run({{"x", x}}, {"twice"});
    REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
    CHECK(Numbered<float>((*outputs)[0]) == std::vector<double>{-2, -4, -6});
  }
  TEST_CASE("large tensors are worked on by several threads") {
    const Tensor x = Random<float>({300, 1000}, 1), y = Random<float>({1000}, 2);
    const Tensor one = Run<ops::Add>({}, {x, y}, {.intra_op_threads = 1}),
                 four = Run<ops::Add>({}, {x, y}, {.intra_op_threads = 4});
    CHECK(SameTensor(one, four));
    CHECK(one.matrix<float>()(299, 999) == x.matrix<float>()(299, 999) + y.vec<float>()(999));
  }
  TEST_CASE("says what does not go together") {
    CheckErrors<ops::Add>(
        "Add", "bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string");
  }
  TEST_CASE("names shape, type and place when memory runs out") {
    const Tensor x = Make<float>({2, 3}, {1});
    CHECK(FailEveryAllocation<ops::Add>({}, {x, x}) == 1);
    TrackingAllocator memory(CpuAllocator());
    memory.FailAllocations(1, TrackingAllocator::kAll);
    const Status status = Call<ops::Add>({}, {x, x}, {.allocator = &memory}).status();
    CHECK(status.code() == Code::kResourceExhausted);
    CHECK(
        status.message() ==
        "OOM when allocating tensor with shape[2,3] and type float on /job:localhost/replica:0/task:0/device:CPU:0 "
        "by allocator cpu, which was asked for 24 bytes; in use: 0 bytes (peak 0, 0 allocations) [node 'call', CPU:0]\nHint: If "
        "you want to see a list of allocated tensors when OOM happens, add report_tensor_allocations_upon_oom to RunOptions "
        "for current allocation info.\n");
  }
}

TEST_SUITE("AddV2") {
  TEST_CASE_TEMPLATE("adds, whatever the shapes that go together", T, TENON_TEST_SIGNED, TENON_TEST_UNSIGNED,
                     TENON_TEST_COMPLEX) {
    CHECK(Difference<ops::AddV2, T>([](Wide x, Wide y) { return x + y; }, 1) == "");
  }
  TEST_CASE_TEMPLATE("takes over the buffer of an operand that nobody else reads", T, float, bfloat16, std::uint64_t) {
    CheckOwnInputs<ops::AddV2, T>();
  }
  TEST_CASE("says what does not go together, and has no strings") {
    const std::string allowed =
        "bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, int64, complex64, complex128";
    CheckErrors<ops::AddV2>("AddV2", allowed);
    CHECK(ErrorOf<ops::AddV2>({}, {Tensor::Scalar("a"), Tensor::Scalar("b")}) ==
          "INVALID_ARGUMENT: Value for attr 'T' of string is not in the list of allowed values: " + allowed);
  }
}

TEST_SUITE("Sub") {
  TEST_CASE_TEMPLATE("subtracts, whatever the shapes that go together", T, TENON_TEST_SIGNED, TENON_TEST_UNSIGNED,
                     TENON_TEST_COMPLEX) {
    CHECK(Numbered<T>(Run<ops::Sub>({}, {Make<T>({2}, {13, 24}), Make<T>({}, {3})})) == std::vector<double>{10, 21});
    if (!std::is_same_v<T, std::uint64_t>)
      CHECK(Difference<ops::Sub, T>(&WrappedDifference<T>, 1) == "");  // doubles cannot tell those
  }
  TEST_CASE_TEMPLATE("wraps integers around", T, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                     TENON_TEST_UNSIGNED) {
    const T least = std::numeric_limits<T>::min();
    CHECK(Run<ops::Sub>({}, {Tensor::Scalar<T>(least), Tensor::Scalar<T>(T(1))}).template scalar<T>()() ==
          std::numeric_limits<T>::max());
  }
  TEST_CASE_TEMPLATE("takes over the buffer of either operand", T, float, half, std::uint8_t) {
    CheckOwnInputs<ops::Sub, T>();
  }
  TEST_CASE("gives NaN for infinity less infinity") {
    CHECK(std::isnan(Of<ops::Sub>(INFINITY, INFINITY)[1]));
    CHECK(Of<ops::Sub>(1, INFINITY)[1] == -kInfinity);
  }
  TEST_CASE("says what does not go together") {
    CheckErrors<ops::Sub>(
        "Sub",
        "bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, complex128, uint32, uint64");
  }
}

TEST_SUITE("Mul") {
  TEST_CASE_TEMPLATE("multiplies, whatever the shapes that go together", T, TENON_TEST_SIGNED, TENON_TEST_UNSIGNED,
                     TENON_TEST_COMPLEX) {
    CHECK(Numbered<T>(Run<ops::Mul>({}, {Make<T>({2, 1}, {2, 3}), Make<T>({2}, {5, 7})})) ==
          std::vector<double>{10, 14, 15, 21});
    CHECK(Difference<ops::Mul, T>([](Wide x, Wide y) { return x * y; }, 4) == "");
  }
  TEST_CASE("wraps integers around") {
    const auto square = []<class T>(T x) {
      return Run<ops::Mul>({}, {Tensor::Scalar<T>(x), Tensor::Scalar<T>(x)}).template scalar<T>()();
    };
    CHECK(square(std::uint8_t{200}) == std::uint8_t{64});
    CHECK(square(std::int8_t{100}) == std::int8_t{16});
    CHECK(square(std::uint16_t{65535}) == std::uint16_t{1});  // as int this would overflow
    CHECK(square(std::int32_t{65537}) == 131073);
    CHECK(square(std::numeric_limits<std::int64_t>::min()) == 0);
    CHECK(square(std::numeric_limits<std::uint64_t>::max()) == 1u);
  }
  TEST_CASE("gives NaN for zero times infinity") {
    CHECK(std::isnan(Of<ops::Mul>(0, INFINITY)[0]));
    CHECK(Of<ops::Mul>(-2, INFINITY)[0] == -kInfinity);
    CHECK(std::signbit(Of<ops::Mul>(-1, 0)[0]));
    CHECK(Of<ops::Mul>(1e-30f, 1e-30f)[0] == 0);
    CHECK(Of<ops::Mul>(1e30f, 1e30f)[0] == kInfinity);
  }
  TEST_CASE("multiplies complex numbers") {
    const Tensor z = Run<ops::Mul>({}, {Tensor::Scalar(complex64(1, 2)), Tensor::Scalar(complex64(3, -4))});
    CHECK(z.scalar<complex64>()() == complex64(11, 2));
  }
  TEST_CASE_TEMPLATE("takes over the buffer of either operand", T, float, bfloat16, std::int16_t, complex64) {
    CheckOwnInputs<ops::Mul, T>();
  }
  TEST_CASE("says what does not go together") {
    CheckErrors<ops::Mul>(
        "Mul",
        "bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128");
  }
}

TEST_SUITE("Maximum") {
  TEST_CASE_TEMPLATE("takes the larger operand, whatever the shapes", T, TENON_TEST_SIGNED, TENON_TEST_UNSIGNED) {
    CHECK(Numbered<T>(Run<ops::Maximum>({}, {Make<T>({3}, {1, 5, 3}), Make<T>({}, {3})})) ==
          std::vector<double>{3, 5, 3});
    CHECK(Difference<ops::Maximum, T>([](Wide x, Wide y) { return x.real() < y.real() ? y : x; }) == "");
  }
  TEST_CASE_TEMPLATE("gives NaN where an operand is NaN", T, float, double, half, bfloat16) {
    const std::vector<double> z = Numbered<T>(
        Run<ops::Maximum>({}, {Make<T>({4}, {kNaN, 1, -kInfinity, kInfinity}), Make<T>({4}, {1, kNaN, -2, 2})}));
    CHECK(std::isnan(z[0]));
    CHECK(std::isnan(z[1]));
    CHECK(z[2] == -2);
    CHECK(z[3] == kInfinity);
  }
  TEST_CASE_TEMPLATE("takes over the buffer of either operand", T, float, half, std::uint32_t) {
    CheckOwnInputs<ops::Maximum, T>();
  }
  TEST_CASE("says what does not go together, and has no complex numbers") {
    const std::string allowed =
        "bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64";
    CheckErrors<ops::Maximum>("Maximum", allowed);
    const Tensor complex = Tensor::Scalar(complex64(1, 2));
    CHECK(ErrorOf<ops::Maximum>({}, {complex, complex}) ==
          "INVALID_ARGUMENT: Value for attr 'T' of complex64 is not in the list of allowed values: " + allowed);
  }
}

TEST_SUITE("Minimum") {
  TEST_CASE_TEMPLATE("takes the smaller operand, whatever the shapes", T, TENON_TEST_SIGNED, TENON_TEST_UNSIGNED) {
    CHECK(Numbered<T>(Run<ops::Minimum>({}, {Make<T>({3}, {1, 5, 3}), Make<T>({}, {3})})) ==
          std::vector<double>{1, 3, 3});
    CHECK(Difference<ops::Minimum, T>([](Wide x, Wide y) { return y.real() < x.real() ? y : x; }) == "");
  }
  TEST_CASE_TEMPLATE("gives NaN where an operand is NaN", T, float, double, half, bfloat16) {
    const std::vector<double> z = Numbered<T>(
        Run<ops::Minimum>({}, {Make<T>({4}, {kNaN, 1, -kInfinity, kInfinity}), Make<T>({4}, {1, kNaN, -2, 2})}));
    CHECK(std::isnan(z[0]));
    CHECK(std::isnan(z[1]));
    CHECK(z[2] == -kInfinity);
    CHECK(z[3] == 2);
  }
  TEST_CASE_TEMPLATE("takes over the buffer of either operand", T, double, half, std::int8_t) {
    CheckOwnInputs<ops::Minimum, T>();
  }
  TEST_CASE("says what does not go together") {
    CheckErrors<ops::Minimum>(
        "Minimum", "bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64");
  }
}

#undef TENON_TEST_SIGNED
#undef TENON_TEST_COMPLEX
#undef TENON_TEST_UNSIGNED

}  // namespace math_arithmetic_test

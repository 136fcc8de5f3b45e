// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/elementwise/select.hpp>

#include <cstring>
#include <string>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/guarded.hpp"
#include "engine/support.hpp"

namespace select_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

enum class Output { kApart, kYes, kNo };

struct Shapes {
  TensorShape condition, yes, no, out;
};

// Compares bit by bit with one element after the other.
bool SelectIsRight(Cpu device, DataType dtype, const Shapes& s, Output where = Output::kApart) {
  const Index bytes = SizeOf(dtype);
  Numbers numbers(static_cast<std::uint64_t>(bytes));
  Guarded condition(s.condition.num_elements(), 1, 3), yes(s.yes.num_elements(), bytes, 1),
      no(s.no.num_elements(), bytes, 2), apart(s.out.num_elements(), bytes, 1);
  for (Index i = 0; i < s.condition.num_elements(); ++i) condition.as<bool>()[i] = numbers.Below(2) == 1;
  for (Index i = 0; i < s.yes.num_elements() * bytes; ++i)
    yes.as<unsigned char>()[i] = static_cast<unsigned char>(numbers.Next());
  for (Index i = 0; i < s.no.num_elements() * bytes; ++i)
    no.as<unsigned char>()[i] = static_cast<unsigned char>(numbers.Next());
  const std::vector<Index> at_condition = BroadcastIndices(s.condition, s.out), at_yes = BroadcastIndices(s.yes, s.out),
                           at_no = BroadcastIndices(s.no, s.out);
  std::string want;
  for (std::size_t i = 0; i < at_yes.size(); ++i)
    want.append(
        condition.as<bool>()[at_condition[i]] ? yes.as<char>() + at_yes[i] * bytes : no.as<char>() + at_no[i] * bytes,
        static_cast<std::size_t>(bytes));
  Guarded& out = where == Output::kApart ? apart : where == Output::kYes ? yes : no;
  CHECK(Select(device, dtype, condition.as<bool>(), s.condition, yes.data(), s.yes, no.data(), s.no, out.data(), s.out)
            .ok());
  return std::memcmp(want.data(), out.data(), want.size()) == 0 && condition.IsIntact() && yes.IsIntact() &&
         no.IsIntact() && apart.IsIntact();
}

constexpr DataType kSizes[] = {DataType::kUint8, DataType::kHalf, DataType::kFloat, DataType::kDouble,
                               DataType::kComplex128};

}  // namespace

TEST_SUITE("Select") {
  TEST_CASE("equal shapes of any length, also over one of the operands") {
    for (const DataType dtype : kSizes)
      for (Index n = 0; n <= 70; ++n)
        for (const Output where : {Output::kApart, Output::kYes, Output::kNo})
          CHECK_UNARY(SelectIsRight({}, dtype, {{n}, {n}, {n}, {n}}, where));
  }
  TEST_CASE("every operand may repeat in every dimension") {
    Numbers numbers(1);
    for (int i = 0; i < 300; ++i) {
      TensorShape own[3], out;
      const Index rank = numbers.Below(6);
      bool covered[6] = {};
      Index sizes[6];
      for (Index d = 0; d < rank; ++d) sizes[d] = numbers.Below(12) == 0 ? 0 : 1 + numbers.Below(5);
      for (TensorShape& shape : own) {
        const Index skip = &shape == &own[2] ? 0 : numbers.Below(rank + 1);
        for (Index d = skip; d < rank; ++d) {
          const bool repeats = numbers.Below(3) == 0;
          shape.AddDim(repeats ? 1 : sizes[d]);
          covered[d] = covered[d] || !repeats;
        }
      }
      for (Index d = 0; d < rank; ++d) out.AddDim(covered[d] ? sizes[d] : 1);
      CHECK_UNARY(SelectIsRight({}, kSizes[i % 5], {own[i % 3], own[(i + 1) % 3], own[(i + 2) % 3], out}));
    }
  }
  TEST_CASE("many threads give what one gives") {
    ThreadPool pool(4, "test");
    const Cpu device{.pool = &pool};
    CHECK_UNARY(SelectIsRight(device, DataType::kFloat, {{300001}, {300001}, {300001}, {300001}}));
    CHECK_UNARY(SelectIsRight(device, DataType::kDouble, {{501, 1, 3}, {1, 200, 1}, {501, 200, 3}, {501, 200, 3}}));
  }
  TEST_CASE("texts are assigned") {
    const bool condition[2] = {true, false};
    const tstring yes("this text is too long to be stored inline"), no[2] = {tstring("a"), tstring("b")};
    tstring out[2];
    Cpu device;
    CHECK(Select(device, DataType::kString, condition, {2}, &yes, {}, no, {2}, out, {2}).ok());
    CHECK(out[0] == yes);
    CHECK(out[1] == no[1]);
  }
}
}  // namespace select_test

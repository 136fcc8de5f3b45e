// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/random/stateful.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include "ops/state/state_test.hpp"
#include "ops/support.hpp"

namespace random_stateful_test {
using namespace tenon;
using namespace tenon::testing;
using state_test::Machine;

namespace {

// A session with the variable "v" = state, and one node "call" of `op` on it.
struct Generator : Machine {
  Generator(std::string_view op, const Tensor& state, const std::vector<Tensor>& inputs, const AttrArgs& attrs = {}) {
    std::vector<Output> in{Handle("v", state)};
    for (const Tensor& t : inputs) in.push_back(b.Const(StrCat("in", in.size()), t));
    b.Add(op, "call", in, attrs);
    Start();
    REQUIRE(Do("v/init").ok());
  }
  std::vector<double> State() const { return Numbered<std::int64_t>(Get({"v/read"})[0]); }
  std::string Error(const std::string& target = "call") const {
    const std::string text = Do(target).ToString();
    return text.substr(0, text.find(" [node "));
  }
};
const Tensor kStart = Longs({1, 2, 3});
Tensor Long(std::int64_t value) { return Tensor::Scalar(value); }
std::vector<double> Filled(RandomKind kind, DataType dtype, std::uint64_t skipped, Index n) {
  Cpu device;
  Tensor out(dtype, {n});
  CHECK(FillRandom(device, RandomFillOf(kind, dtype), Philox{3, 1, 2}.Skipped(skipped), out.raw_data(), n).ok());
  return dtype == DataType::kFloat ? Numbered<float>(out) : Numbered<std::uint64_t>(out);
}

}  // namespace

TEST_SUITE("random numbers whose place is a variable") {
  TEST_CASE("NonDeterministicInts differ each time") {
    const auto ints = [] { return Numbered<std::int64_t>(Run<ops::NonDeterministicInts>({}, {Longs({4})})); };
    CHECK(ints().size() == 4);
    CHECK(ints() != ints());
    CHECK(ErrorOf<ops::NonDeterministicInts>({}, {Long(3)}).find("shape must be a vector") != std::string::npos);
  }
  TEST_CASE("numbers are those of the stream at its place, which goes on 256 blocks for each") {
    Generator g("StatefulUniform", kStart, {Long(1), Longs({2})});
    const std::vector<double> first = Numbered<float>(g.Get({"call"})[0]);
    CHECK(first == Filled(RandomKind::kUniform, DataType::kFloat, 0, 2));
    CHECK(static_cast<float>(first[0]) == 0.45901167f);  // TensorFlow's
    CHECK(g.State() == std::vector<double>{513, 2, 3});
    CHECK(Numbered<float>(g.Get({"call"})[0]) == Filled(RandomKind::kUniform, DataType::kFloat, 512, 2));
    CHECK(g.State() == std::vector<double>{1025, 2, 3});
    Generator bits("StatefulUniformFullInt", kStart, {Long(3), Longs({3})});
    CHECK(Numbered<std::uint64_t>(bits.Get({"call"})[0]) == Filled(RandomKind::kAnyInteger, DataType::kUint64, 0, 3));
  }
  TEST_CASE("integers lie between their bounds, and every one comes") {
    Generator g("StatefulUniformInt", kStart, {Long(1), Longs({200}), Long(-2), Long(3)});
    std::vector<double> x = Numbered<std::int64_t>(g.Get({"call"})[0]);
    std::sort(x.begin(), x.end());
    x.erase(std::unique(x.begin(), x.end()), x.end());
    CHECK(x == std::vector<double>{-2, -1, 0, 1, 2});
  }
  TEST_CASE("a skip reads the place and leaves it behind; the counter carries over and wraps") {
    Generator g("RngReadAndSkip", MakeTensor<std::int64_t>({4}, {-1, -1, 3, 77}),
                {Int(1), Tensor::Scalar<std::uint64_t>(1)});
    CHECK(Numbered<std::int64_t>(g.Get({"call"})[0]) == std::vector<double>{-1, -1, 3});
    CHECK(g.State() == std::vector<double>{255, 0, 3, 77});
    Generator none("RngSkip", kStart, {Long(1), Long(0)});
    CHECK(none.Do("call").ok());
    CHECK(none.State() == std::vector<double>{1, 2, 3});
  }
  TEST_CASE("a skip back leaves the counter's upper half where TensorFlow's words lose the carry") {
    const std::int64_t word = std::int64_t{1} << 32;
    const auto skipped = [](std::int64_t low, std::int64_t delta) {
      Generator g("RngSkip", Longs({low, 2, 3}), {Long(1), Long(delta)});
      CHECK(g.Do("call").ok());
      return g.State();
    };
    CHECK(skipped(1537, -1) == std::vector<double>{1281, 2, 3});
    CHECK(skipped(word + 1537, -1) == std::vector<double>{static_cast<double>(word + 1281), 2, 3});
    CHECK(skipped(word + 1, -1) == std::vector<double>{static_cast<double>(word - 255), 3, 3});
    CHECK(skipped(1, -1) == std::vector<double>{-255, 2, 3});
    CHECK(skipped(-1, 1) == std::vector<double>{255, 3, 3});
  }
  TEST_CASE("a value that was read before stays what it was") {
    Generator g("StatefulUniform", kStart, {Long(1), Longs({2})});
    const Tensor before = g.Get({"v/read"})[0];
    REQUIRE(g.Do("call").ok());
    CHECK(Numbered<std::int64_t>(before) == std::vector<double>{1, 2, 3});
  }
  TEST_CASE("a call that fails leaves the place as it was") {
    for (const auto& [algorithm, shape, text] :
         {std::tuple(Long(2), Longs({2}),
                     "UNIMPLEMENTED: Non-XLA devices don't support the ThreeFry algorithm, 2; Philox is 1"),
          {Long(7), Longs({2}), "INVALID_ARGUMENT: Unsupported algorithm id: 7; on CPU there is Philox, 1"},
          {Longs({1}), Longs({2}), "INVALID_ARGUMENT: algorithm must be of shape [], not [1]"},
          {Long(1), Longs({-2}), "INVALID_ARGUMENT: StatefulUniform: Dimension -2 must be >= 0 (dimension 0)"}}) {
      Machine m;
      const Output v = m.Handle("v", kStart);
      const Output a = m.b.Placeholder("a", DataType::kInt64), s = m.b.Placeholder("s", DataType::kInt64);
      m.b.Add("StatefulUniform", "call", {v, a, s});
      m.Start();
      REQUIRE(m.Do("v/init").ok());
      const std::string got = m.Try({"call"}, {{"a", algorithm}, {"s", shape}}).ToString();
      CHECK(got.substr(0, got.find(" [node ")) == text);
      CHECK(Numbered<std::int64_t>(m.Get({"v/read"})[0]) == std::vector<double>{1, 2, 3});
    }
    Generator g("StatefulUniformInt", kStart, {Long(1), Longs({2}), Long(3), Long(3)});
    CHECK(g.Error() == "INVALID_ARGUMENT: StatefulUniformInt: Need minval < maxval, got 3 >= 3");
    CHECK(g.State() == std::vector<double>{1, 2, 3});
  }
  TEST_CASE("says what is no place of a stream") {
    const auto error = [](const Tensor& state) {
      return Generator("StatefulUniform", state, {Long(1), Longs({2})}).Error();
    };
    CHECK(error(Longs({1, 2})) ==
          "INVALID_ARGUMENT: For the Philox algorithm, the size of state must be at least 3; got 2");
    CHECK(error(MakeTensor<std::int64_t>({1, 3}, {1, 2, 3})) ==
          "INVALID_ARGUMENT: RNG state must have one and only one dimension, not 2: [1,3]");
    CHECK(ops::detail::CheckRngDelta(Longs({1})).message() == "delta must be a scalar, got shape [1]");
    CHECK(InferredShape<ops::StatefulUniform>({{}, {}, StaticInput::Vector({4, 5})}) == "[4,5]");
    CHECK(InferredShape<ops::RngReadAndSkip>({{}, {}, {}}) == "[3]");
    CHECK(InferredShape<ops::RngReadAndSkip>({{}, {}, {1}}) == "Shape must be rank 0 but is rank 1");
  }
  TEST_CASE("two threads draw from parts of the stream that do not overlap") {
    Generator g("RngReadAndSkip", kStart, {Int(1), Tensor::Scalar<std::uint64_t>(1)});
    std::vector<double> places[2];
    const auto draw = [&g](std::vector<double>* to) {
      for (int i = 0; i < 100; ++i) to->push_back(Numbered<std::int64_t>(g.Get({"call"})[0])[0]);
    };
    std::thread other(draw, &places[0]);
    draw(&places[1]);
    other.join();
    std::vector<double> all = places[0];
    all.insert(all.end(), places[1].begin(), places[1].end());
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < 200; ++i) CHECK(all[i] == 1 + 256 * static_cast<double>(i));
  }
}
}  // namespace random_stateful_test

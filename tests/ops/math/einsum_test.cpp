// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/einsum.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace math_einsum_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

Result<std::vector<Tensor>> Einsum(std::string_view equation, const std::vector<Tensor>& inputs) {
  return CallOp("Einsum", {{"equation", AttrValue(equation)}}, inputs, 1);
}
template <class T = float>
std::vector<Wide> Answer(std::string_view equation, const std::vector<Tensor>& inputs) {
  const Result<std::vector<Tensor>> out = Einsum(equation, inputs);
  REQUIRE_MESSAGE(out.ok(), out.status().message());
  return Widened<T>((*out)[0]);
}

// The sum over all labels' values, in float64: one label is one digit of a number that counts through them.
std::vector<Wide> Reference(std::string_view equation, const std::vector<Tensor>& inputs,
                            const std::vector<std::vector<Wide>>& values) {
  std::vector<std::string> terms(1);
  for (const char c : equation)
    if (c == ',' || c == '-')
      terms.emplace_back();
    else if (c != '>')
      terms.back() += c;
  std::string labels;
  std::vector<Index> sizes;
  for (std::size_t t = 0; t < inputs.size(); ++t)
    for (std::size_t d = 0; d < terms[t].size(); ++d)
      if (labels.find(terms[t][d]) == std::string::npos) {
        labels += terms[t][d];
        sizes.push_back(inputs[t].dim_size(static_cast<int>(d)));
      }
  const auto place = [&](const std::string& term, const std::vector<Index>& at) {
    Index index = 0;
    for (const char label : term) index = index * sizes[labels.find(label)] + at[labels.find(label)];
    return static_cast<std::size_t>(index);
  };
  Index out_size = 1, all = 1;
  for (const char label : terms.back()) out_size *= sizes[labels.find(label)];
  for (const Index size : sizes) all *= size;
  std::vector<Wide> out(static_cast<std::size_t>(out_size));
  std::vector<Index> at(sizes.size());
  for (Index i = 0; i < all; ++i) {
    Index rest = i;
    for (std::size_t k = 0; k < sizes.size(); ++k, rest /= sizes[k - 1]) at[k] = rest % sizes[k];
    Wide product = 1;
    for (std::size_t t = 0; t < inputs.size(); ++t) product *= values[t][place(terms[t], at)];
    out[place(terms.back(), at)] += product;
  }
  return out;
}

template <class T>
void Check(std::string_view equation, const TensorShape& a, const TensorShape& b) {
  const std::vector<Tensor> inputs = {Random<T>(a, 1), Random<T>(b, 2)};
  const std::vector<Wide> want = Reference(equation, inputs, {Widened<T>(inputs[0]), Widened<T>(inputs[1])});
  CHECK_MESSAGE(
      FirstFar(Answer<T>(equation, inputs), want, std::vector<double>(want.size(), 1000 * RoundingUnit<T>())) == "",
      equation);
}

}  // namespace

TEST_SUITE("Einsum") {
  TEST_CASE_TEMPLATE("two inputs against the sum over all labels", T, float, double, complex64, std::int32_t) {
    Check<T>("ij,jk->ik", {2, 3}, {3, 4});
    Check<T>("ji,kj->ik", {3, 2}, {4, 3});
    Check<T>("bij,bjk->kbi", {2, 3, 4}, {2, 4, 5});
    Check<T>("i,j->ij", {3}, {4});
    Check<T>("ij,ij->", {3, 4}, {3, 4});
    Check<T>("abc,cad->db", {2, 3, 4}, {4, 2, 5});
    Check<T>("ijk,kl->i", {2, 3, 4}, {4, 5});
    Check<T>("iij,j->i", {3, 3, 4}, {4});
  }
  TEST_CASE("one input: TensorFlow's answers") {
    using W = std::vector<Wide>;
    const Tensor square = Make<float>({2, 2}, {1, 2, 3, 4});
    CHECK(Answer("ii->i", {square}) == W{1, 4});
    CHECK(Answer("ii->", {square}) == W{5});
    CHECK(Answer("ij->ji", {square}) == W{1, 3, 2, 4});
    CHECK(Answer("ij->i", {square}) == W{3, 7});
    CHECK(Answer("i->ii", {Make<float>({2}, {1, 2})}) == W{1, 0, 0, 2});
    CHECK(Answer("iij->ij", {Make<float>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})}) == W{1, 2, 7, 8});
    CHECK(Answer(",->", {Make<float>({}, {2}), Make<float>({}, {3})}) == W{6});
    CHECK(Answer("...ij->...ji", {Make<float>({1, 1, 2}, {1, 2})}) == W{1, 2});
  }
  TEST_CASE("what an ellipsis stands for is broadcast, and sums over nothing are 0") {
    const Tensor a = Make<float>({2, 1, 2}, {1, 2, 3, 4}), b = Make<float>({3, 2}, {1, 0, 0, 1, 1, 1});
    CHECK(Answer("...i,...i->...", {a, b}) == std::vector<Wide>{1, 2, 3, 3, 4, 7});
    CHECK(Answer("ij,jk->ik", {Make<float>({1, 0}, {0}), Make<float>({0, 2}, {0})}) == std::vector<Wide>{0, 0});
  }
  TEST_CASE("refusals, in TensorFlow's words") {
    const auto refused = [](std::string_view equation, const std::vector<Tensor>& inputs, std::string_view phrase) {
      const Status status = Einsum(equation, inputs).status();
      CHECK(status.code() == Code::kInvalidArgument);
      CHECK_MESSAGE(std::string(status.message()).find(phrase) != std::string::npos, status.message());
    };
    const Tensor v = Make<float>({2}, {1}), m = Make<float>({2, 3}, {1});
    refused("ij->i", {v}, "Expected input 0 to have rank 2 but got: 1");
    refused("ij,kj->ik", {Make<float>({2, 2}, {1}), m}, "at axis 1 of the input shaped [2,3] but got dimension 3");
    refused("ii->i", {m}, "Expected dimension 2 at axis 1 of the input shaped [2,3] but got dimension 3");
    refused("ij,jk", {m, m}, "Expecting exactly one '->' in einsum equation: ij,jk");
    refused("i,i,i->", {v, v, v}, "Expecting 1 or 2 input subscripts in equation 'i,i,i->' but got: 3");
    refused("...i,...i->", {m, m}, "no ellipsis (...) was found in the output subscripts");
  }
}
}  // namespace math_einsum_test

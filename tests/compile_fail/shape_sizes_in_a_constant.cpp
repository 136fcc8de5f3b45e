// expect: dimension_becomes_negative
// SPDX-License-Identifier: Apache-2.0
// What the arithmetic of sizes refuses, each in a shape function of its own.
#include <cstdint>
#include <limits>

#include <tenon/op/shape/inference_context.hpp>

using tenon::DimensionHandle;
using tenon::InferenceContext;
using tenon::InferShape;
using tenon::ShapeHandle;
using tenon::StaticInput;
using tenon::Status;

template <tenon::ShapeFn Fn>
struct Unary {
  static constexpr auto signature = tenon::Op("Unary").Input("x: float").Output("y: float").SetShapeFn(Fn);
};
// Any answer will do: the mistake is what stops the compiler.
template <tenon::ShapeFn Fn>
constexpr bool Runs(const StaticInput& input) {
  return InferShape<Unary<Fn>>({input}).rank >= -1;
}
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

constexpr Status Shrinks(InferenceContext* c) {
  DimensionHandle d;
  return c->Subtract(c->Dim(c->input(0), 0), 5, &d);
}
static_assert(Runs<Shrinks>({4}));
// expect: dimension_has_the_wrong_size
constexpr Status IsThree(InferenceContext* c) {
  DimensionHandle d;
  return c->WithValue(c->Dim(c->input(0), 0), 3, &d);
}
static_assert(Runs<IsThree>({4}));
// expect: dimension_index_is_out_of_range
constexpr Status ReplacesThird(InferenceContext* c) {
  ShapeHandle s;
  return c->ReplaceDim(c->input(0), 2, c->MakeDim(1), &s);
}
static_assert(Runs<ReplacesThird>({4, 5}));
// expect: dimension_must_be_divisible
constexpr Status Halves(InferenceContext* c) {
  DimensionHandle d;
  return c->Divide(c->Dim(c->input(0), 0), 2, true, &d);
}
static_assert(Runs<Halves>({5}));
// expect: divisor_must_be_positive
constexpr Status DividesByNothing(InferenceContext* c) {
  DimensionHandle d;
  return c->Divide(c->Dim(c->input(0), 0), 0, true, &d);
}
static_assert(Runs<DividesByNothing>({5}));
// expect: dimension_overflows_in_a_product
constexpr Status Squares(InferenceContext* c) {
  DimensionHandle d;
  return c->Multiply(c->Dim(c->input(0), 0), c->Dim(c->input(0), 0), &d);
}
static_assert(Runs<Squares>({kMost}));
// expect: dimension_overflows_in_a_sum
constexpr Status Doubles(InferenceContext* c) {
  DimensionHandle d;
  return c->Add(c->Dim(c->input(0), 0), c->Dim(c->input(0), 0), &d);
}
static_assert(Runs<Doubles>({kMost}));
// expect: rank_is_too_large
constexpr Status HasAHugeRank(InferenceContext* c) {
  ShapeHandle s;
  return c->WithRank(c->input(0), kMost, &s);
}
static_assert(Runs<HasAHugeRank>({1}));
// expect: shapes_must_have_equal_rank
constexpr Status MergesWithAVector(InferenceContext* c) {
  ShapeHandle s;
  return c->Merge(c->input(0), c->Vector(2), &s);
}
static_assert(Runs<MergesWithAVector>({2, 2}));
// expect: subshape_ends_before_it_starts
constexpr Status TakesBackwards(InferenceContext* c) {
  ShapeHandle s;
  return c->Subshape(c->input(0), 2, 1, &s);
}
static_assert(Runs<TakesBackwards>({2, 2, 2}));
// expect: subshape_is_out_of_bounds
constexpr Status TakesTooMany(InferenceContext* c) {
  ShapeHandle s;
  return c->Subshape(c->input(0), -4, &s);
}
static_assert(Runs<TakesTooMany>({2, 2, 2}));

// expect: attr_is_missing_or_has_another_type
// SPDX-License-Identifier: Apache-2.0
// What is refused of attrs, arguments and of inputs whose values are shapes and sizes.
#include <cstdint>

#include <tenon/op/shape/shape_fns.hpp>

using tenon::DimensionHandle;
using tenon::InferenceContext;
using tenon::InferShape;
using tenon::ShapeHandle;
using tenon::StaticInput;
using tenon::Status;

template <tenon::ShapeFn Fn>
struct Unary {
  static constexpr auto signature = tenon::Op("Unary").Input("x: int64").Output("y: float").SetShapeFn(Fn);
};
// Any answer will do: the mistake is what stops the compiler.
template <tenon::ShapeFn Fn>
constexpr bool Runs(const StaticInput& input) {
  return InferShape<Unary<Fn>>({input}).rank >= -1;
}

constexpr Status ReadsAnAttr(InferenceContext* c) {
  std::int64_t n = 0;
  return c->GetAttr("n", &n);
}
static_assert(Runs<ReadsAnAttr>({1}));
// expect: unknown_argument_name
constexpr Status ReadsAnArgument(InferenceContext* c) {
  tenon::SlimVector<ShapeHandle> shapes;
  return c->input("z", &shapes);
}
static_assert(Runs<ReadsAnArgument>({1}));
// expect: wrong_number_of_shapes
constexpr Status GivesTwoShapes(InferenceContext* c) {
  return c->set_output("y", tenon::SlimVector<ShapeHandle>(2, c->Scalar()));
}
static_assert(Runs<GivesTwoShapes>({1}));
// expect: wrong_number_of_inputs
constexpr Status IsScalar(InferenceContext* c) {
  c->set_output(0, c->Scalar());
  return tenon::OkStatus();
}
static_assert(InferShape<Unary<IsScalar>>({{1}, {2}}).rank == 0);
// expect: index_is_out_of_range
constexpr Status ReadsAnIndex(InferenceContext* c) {
  DimensionHandle d;
  return c->MakeDimForScalarInputWithNegativeIndexing(0, 2, &d);
}
static_assert(Runs<ReadsAnIndex>(StaticInput::Scalar(2)));
// expect: size_must_not_be_negative
constexpr Status ReadsASize(InferenceContext* c) {
  DimensionHandle d;
  return c->MakeDimForScalarInput(0, &d);
}
static_assert(Runs<ReadsASize>(StaticInput::Scalar(-1)));
// expect: shape_value_is_invalid
constexpr Status ReadsAShape(InferenceContext* c) {
  ShapeHandle s;
  return c->MakeShapeFromShapeTensor(0, &s);
}
static_assert(Runs<ReadsAShape>(StaticInput::Vector({2, -2})));
// expect: too_many_dimensions
static_assert(Runs<ReadsAShape>({1 << 25}));
// expect: scalar_shape_must_be_minus_one
constexpr Status ReadsAShapeOrMinusOne(InferenceContext* c) {
  ShapeHandle s;
  return c->MakeShapeFromShapeTensorTreatScalarAsUnknownShape(0, &s);
}
static_assert(Runs<ReadsAShapeOrMinusOne>(StaticInput::Scalar(2)));
// expect: shapes_attribute_is_empty
struct Listed {
  static constexpr auto signature = tenon::Op("Listed")
                                        .Output("y: float")
                                        .Attr("shapes: list(shape) = []")
                                        .SetShapeFn(tenon::shape_inference::ExplicitShapes);
};
static_assert(InferShape<Listed>({}).rank == 0);

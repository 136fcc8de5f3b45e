// SPDX-License-Identifier: Apache-2.0
// Ops element by element, with and without broadcasting. The number is that of the elements, or the side of the matrix.
#include "cases.hpp"

namespace tenon::bench {
namespace {

void TimeUnary(State& state, std::string_view op, double least, double most, double goal = 0) {
  TimeOp(state, {.op = op, .fed = {Numbers({state.arg()}, least, most)}, .goal = goal});
}
void TimeBinary(State& state, std::string_view op, double goal = 1 / 0.9) {
  TimeOp(state, {.op = op, .fed = {Numbers({state.arg()}), Numbers({state.arg()}, -1, 1, 2)}, .goal = goal});
}
void TimeAdd(State& state, const TensorShape& other) {
  TimeOp(state,
         {.op = "AddV2", .fed = {Numbers({state.arg(), state.arg()}), Numbers(other, -1, 1, 2)}, .goal = 1 / 0.9});
}

}  // namespace

TENON_BENCH(add, {1024, 65536, 16777216}) { TimeBinary(state, "AddV2"); }
TENON_BENCH(mul, {65536}) { TimeBinary(state, "Mul"); }
TENON_BENCH(maximum, {65536}) { TimeBinary(state, "Maximum"); }
TENON_BENCH(div, {65536}) { TimeBinary(state, "RealDiv"); }
TENON_BENCH(pow, {65536}) {
  TimeOp(state, {.op = "Pow", .fed = {Numbers({state.arg()}, 0.1, 4), Numbers({state.arg()}, -3, 3, 2)}});
}
TENON_BENCH(relu, {1024, 65536, 16777216}) { TimeUnary(state, "Relu", -1, 1, 1 / 0.9); }
TENON_BENCH(exp, {1024, 65536, 16777216}) { TimeUnary(state, "Exp", -8, 8); }
TENON_BENCH(log, {65536}) { TimeUnary(state, "Log", 0.01, 100); }
TENON_BENCH(tanh, {1024, 65536, 16777216}) { TimeUnary(state, "Tanh", -4, 4); }
TENON_BENCH(sigmoid, {1024, 65536, 16777216}) { TimeUnary(state, "Sigmoid", -8, 8); }
TENON_BENCH(erf, {65536}) { TimeUnary(state, "Erf", -3, 3); }
TENON_BENCH(atan2, {1048576}) { TimeBinary(state, "Atan2", 0); }
TENON_BENCH(atanh, {1048576}) { TimeUnary(state, "Atanh", -0.9, 0.9); }
TENON_BENCH(asinh, {1048576}) { TimeUnary(state, "Asinh", -6, 6); }
TENON_BENCH(acosh, {1048576}) { TimeUnary(state, "Acosh", 1, 9); }
TENON_BENCH(asin, {1048576}) { TimeUnary(state, "Asin", -1, 1); }
TENON_BENCH(acos, {1048576}) { TimeUnary(state, "Acos", -1, 1); }
TENON_BENCH(atan, {1048576}) { TimeUnary(state, "Atan", -4, 4); }
TENON_BENCH(round, {1048576}) { TimeUnary(state, "Round", -5, 5); }
TENON_BENCH(xlogy, {1048576}) {
  TimeOp(state, {.op = "Xlogy", .fed = {Numbers({state.arg()}, -5, 5), Numbers({state.arg()}, 0.2, 5, 2)}});
}
TENON_BENCH(erfc, {1048576}) { TimeUnary(state, "Erfc", -2, 2); }
TENON_BENCH(erfinv, {1048576}) { TimeUnary(state, "Erfinv", -0.95, 0.95); }
TENON_BENCH(ndtri, {1048576}) { TimeUnary(state, "Ndtri", 0.03, 0.97); }
TENON_BENCH(dawsn, {1048576}) { TimeUnary(state, "Dawsn", -4, 4); }
TENON_BENCH(expint, {1048576}) { TimeUnary(state, "Expint", 0.1, 5); }
TENON_BENCH(bessel_i0e, {1048576}) { TimeUnary(state, "BesselI0e", -6, 6); }
TENON_BENCH(bessel_i1e, {1048576}) { TimeUnary(state, "BesselI1e", -6, 6); }
TENON_BENCH(igamma, {1048576}) {
  TimeOp(state, {.op = "Igamma", .fed = {Numbers({state.arg()}, 0.3, 6), Numbers({state.arg()}, 0.1, 8, 2)}});
}
TENON_BENCH(zeta, {1048576}) {
  TimeOp(state, {.op = "Zeta", .fed = {Numbers({state.arg()}, 1.3, 6), Numbers({state.arg()}, 0.9, 5, 2)}});
}
TENON_BENCH(rsqrt, {65536}) { TimeUnary(state, "Rsqrt", 0.1, 10, 0); }
TENON_BENCH(sin, {65536}) { TimeUnary(state, "Sin", -10, 10); }
TENON_BENCH(elu, {65536}) { TimeUnary(state, "Elu", -2, 2); }
TENON_BENCH(softplus, {65536}) { TimeUnary(state, "Softplus", -8, 8); }
TENON_BENCH(select, {65536}) {
  Tensor chosen(DataType::kBool, {state.arg()});
  const Tensor numbers = Numbers({state.arg()});
  for (Index i = 0; i < state.arg(); ++i) chosen.flat<bool>()[i] = numbers.flat<float>()[i] > 0;
  TimeOp(state, {.op = "SelectV2", .fed = {chosen, numbers, Numbers({state.arg()}, -1, 1, 2)}, .goal = 1 / 0.9});
}
TENON_BENCH(less, {65536}) { TimeBinary(state, "Less"); }

TENON_BENCH(add_row, {64, 1024}) { TimeAdd(state, {state.arg()}); }
TENON_BENCH(add_column, {64, 1024}) { TimeAdd(state, {state.arg(), 1}); }
TENON_BENCH(add_scalar, {64, 1024}) { TimeAdd(state, {}); }
TENON_BENCH(add_middle_64xNx64, {64}) {
  TimeOp(state,
         {.op = "AddV2", .fed = {Numbers({64, state.arg(), 64}), Numbers({64, 1, 64}, -1, 1, 2)}, .goal = 1 / 0.9});
}
// Both sides are repeated.
TENON_BENCH(add_outer, {64, 1024}) {
  TimeOp(state, {.op = "AddV2", .fed = {Numbers({state.arg(), 1}), Numbers({state.arg()}, -1, 1, 2)}, .goal = 1 / 0.9});
}
TENON_BENCH(bias_add_128x3072, {128}) {
  TimeOp(state, {.op = "BiasAdd", .fed = {Numbers({128, 3072}), Numbers({3072}, -1, 1, 2)}, .goal = 1 / 0.9});
}

namespace {
template <class From>
void TimeCast(State& state, DataType to) {
  TimeOp(state, {.op = "Cast",
                 .fed = {Numbers<From>({state.arg()}, 0, 100)},
                 .attrs = {{"SrcT", dtype_of_v<From>}, {"DstT", to}},
                 .goal = 1 / 0.8});
}
}  // namespace

TENON_BENCH(cast_float_to_bfloat16, {1048576}) { TimeCast<float>(state, DataType::kBfloat16); }
TENON_BENCH(cast_bfloat16_to_float, {1048576}) { TimeCast<bfloat16>(state, DataType::kFloat); }
TENON_BENCH(cast_float_to_half, {1048576}) { TimeCast<float>(state, DataType::kHalf); }
TENON_BENCH(cast_half_to_float, {1048576}) { TimeCast<half>(state, DataType::kFloat); }
TENON_BENCH(cast_float_to_double, {1048576}) { TimeCast<float>(state, DataType::kDouble); }
TENON_BENCH(cast_double_to_float, {1048576}) { TimeCast<double>(state, DataType::kFloat); }
TENON_BENCH(cast_float_to_int32, {1048576}) { TimeCast<float>(state, DataType::kInt32); }
TENON_BENCH(cast_int32_to_float, {1048576}) { TimeCast<std::int32_t>(state, DataType::kFloat); }
TENON_BENCH(cast_float_to_int8, {1048576}) { TimeCast<float>(state, DataType::kInt8); }
TENON_BENCH(cast_int8_to_float, {1048576}) { TimeCast<std::int8_t>(state, DataType::kFloat); }
TENON_BENCH(cast_float_to_uint8, {1048576}) { TimeCast<float>(state, DataType::kUint8); }
TENON_BENCH(cast_uint8_to_float, {1048576}) { TimeCast<std::uint8_t>(state, DataType::kFloat); }
TENON_BENCH(cast_float_to_bool, {1048576}) { TimeCast<float>(state, DataType::kBool); }
TENON_BENCH(cast_bool_to_float, {1048576}) { TimeCast<bool>(state, DataType::kFloat); }

}  // namespace tenon::bench

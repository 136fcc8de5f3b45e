// SPDX-License-Identifier: Apache-2.0
// xtensor (Debian's package libxtensor-dev) with its vectors from xsimd, always compiled with optimisation for this
// processor.
#include "peers.hpp"

#if defined(TENON_BENCH_XTENSOR)

#define XTENSOR_USE_XSIMD

#include <array>
#include <cstddef>
#include <utility>

#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>

namespace tenon::bench {
namespace {

template <std::size_t dims>
auto View(const float* data, const std::array<std::size_t, dims>& shape) {
  std::size_t size = 1;
  for (const std::size_t s : shape) size *= s;
  return xt::adapt(data, size, xt::no_ownership(), shape);
}
std::size_t Size(Index n) { return static_cast<std::size_t>(n); }

// Runs `once` on an output of this shape, if that gives our answer.
template <std::size_t dims, class Once>
void Add(State& state, const float* answer, const std::array<std::size_t, dims>& shape, Once once,
         double error = 1e-4) {
  if (!state.options().peers) return;
  xt::xtensor<float, dims> out(shape);
  once(out);
  if (!Agree(state, "xtensor", answer, out.data(), static_cast<Index>(out.size()), error)) return;
  state.Peer("xtensor", [once, out = std::move(out)]() mutable {
    once(out);
    Keep(out);
  });
}

void Assign(xt::xtensor<float, 1>& out, const Map& m) {
  const std::array<std::size_t, 1> shape = {Size(m.n)};
  const auto a = View(m.a, shape), b = View(m.b == nullptr ? m.a : m.b, shape);
  switch (m.kind) {
    case MapKind::kAdd: xt::noalias(out) = a + b; return;
    case MapKind::kMul: xt::noalias(out) = a * b; return;
    case MapKind::kRelu: xt::noalias(out) = xt::maximum(a, 0.f); return;
    case MapKind::kExp: xt::noalias(out) = xt::exp(a); return;
    case MapKind::kTanh: xt::noalias(out) = xt::tanh(a); return;
    case MapKind::kGelu:
      xt::noalias(out) = 0.5f * a * (1.f + xt::tanh(0.7978845608f * (a + 0.044715f * a * a * a)));
      return;
    case MapKind::kSigmoid: xt::noalias(out) = 1.f / (1.f + xt::exp(-a)); return;
  }
}

// The sums over some of the axes of x.
template <std::size_t dims, std::size_t left>
void AddSums(State& state, const AxisSum& s, const std::array<std::size_t, dims>& shape,
             const std::array<std::size_t, left>& out_shape, const std::array<std::size_t, dims - left>& axes) {
  const auto terms = s.outer * s.middle * s.inner;
  Index outputs = 1;
  for (const std::size_t size : out_shape) outputs *= static_cast<Index>(size);
  Add(
      state, s.answer, out_shape,
      [=](xt::xtensor<float, left>& out) {
        xt::noalias(out) = xt::sum(View(s.x, shape), axes, xt::evaluation_strategy::immediate);
      },
      SumError<float>(terms / outputs));
}

}  // namespace

void AddXtensor(State& state, const Map& m) {
  Add<1>(state, m.answer, {Size(m.n)}, [m](xt::xtensor<float, 1>& out) { Assign(out, m); });
}

void AddXtensor(State& state, const BroadcastSum& s) {
  const std::array<std::size_t, 2> shape = {Size(s.rows), Size(s.columns)};
  const auto add = [&](const auto& other) {
    Add<2>(state, s.answer, shape,
           [=](xt::xtensor<float, 2>& out) { xt::noalias(out) = View(s.a, shape) + View(s.b, other); });
  };
  if (s.repeated == Repeated::kRow)
    add(std::array<std::size_t, 1>{shape[1]});
  else if (s.repeated == Repeated::kColumn)
    add(std::array<std::size_t, 2>{shape[0], 1});
  else
    Add<2>(state, s.answer, shape, [=](xt::xtensor<float, 2>& out) { xt::noalias(out) = View(s.a, shape) + *s.b; });
}

void AddXtensor(State& state, const AxisSum& s) {
  const std::size_t outer = Size(s.outer), middle = Size(s.middle), inner = Size(s.inner);
  if (s.outer == 1) {
    const std::array<std::size_t, 2> shape = {middle, inner};
    if (s.over_middle && s.over_inner)
      AddSums<2, 0>(state, s, shape, {}, {0, 1});
    else if (s.over_inner)
      AddSums<2, 1>(state, s, shape, {middle}, {1});
    else
      AddSums<2, 1>(state, s, shape, {inner}, {0});
  } else if (s.over_middle) {
    AddSums<3, 2>(state, s, {outer, middle, inner}, {outer, inner}, {1});
  } else {
    AddSums<3, 1>(state, s, {outer, middle, inner}, {middle}, {0, 2});
  }
}

}  // namespace tenon::bench

#else

namespace tenon::bench {

void AddXtensor(State& state, const Map&) {
  if (state.options().peers) state.Absent("xtensor", "not found when this was built");
}
void AddXtensor(State& state, const BroadcastSum&) {
  if (state.options().peers) state.Absent("xtensor", "not found when this was built");
}
void AddXtensor(State& state, const AxisSum&) {
  if (state.options().peers) state.Absent("xtensor", "not found when this was built");
}

}  // namespace tenon::bench

#endif

// SPDX-License-Identifier: Apache-2.0
// oneDNN (Debian's package libdnnl-dev): softmax, layer normalisation and reorder, primitives made before the clock
// starts.
#include "peers.hpp"

#if defined(TENON_BENCH_ONEDNN)

#include <utility>
#include <vector>

#include "peers/onednn.hpp"

namespace tenon::bench {
namespace {

// A primitive from `source` to an answer of n elements.
void AddWork(State& state, dnnl::primitive primitive, memory source, const memory::desc& target, const float* ours,
             Index n) {
  std::vector<float> answer(static_cast<std::size_t>(n));
  dnnl::stream stream(Engine());
  const memory to = At(target, answer.data());
  auto run = [primitive, source, to, stream]() mutable {
    primitive.execute(stream, {{DNNL_ARG_SRC, source}, {DNNL_ARG_DST, to}});
    stream.wait();
  };
  run();
  if (!Agree(state, "oneDNN", ours, answer.data(), n)) return;
  state.Peer("oneDNN", [run = std::move(run), answer = std::move(answer)]() mutable { run(); });
}

}  // namespace

void AddOneDnnSoftmax(State& state, const Rows& r) {
  Try(state, "oneDNN", [&] {
    const memory::desc desc = F32({r.rows, r.columns}, Tag::ab);
    const dnnl::softmax_forward::primitive_desc chosen(
        dnnl::softmax_forward::desc(dnnl::prop_kind::forward_inference, desc, 1), Engine());
    AddWork(state, dnnl::softmax_forward(chosen), At(desc, r.x), desc, r.answer, r.rows * r.columns);
  });
}

void AddOneDnnLayerNorm(State& state, const Rows& r, float epsilon) {
  Try(state, "oneDNN", [&] {
    const memory::desc desc = F32({r.rows, r.columns}, Tag::ab);
    const dnnl::layer_normalization_forward::primitive_desc chosen(
        dnnl::layer_normalization_forward::desc(dnnl::prop_kind::forward_inference, desc, epsilon,
                                                dnnl::normalization_flags::none),
        Engine());
    AddWork(state, dnnl::layer_normalization_forward(chosen), At(desc, r.x), desc, r.answer, r.rows * r.columns);
  });
}

void AddOneDnnTranspose(State& state, const Rows& r) {
  Try(state, "oneDNN", [&] {
    const memory::desc from = F32({r.rows, r.columns}, Tag::ab), to = F32({r.rows, r.columns}, Tag::ba);
    const dnnl::reorder::primitive_desc chosen(Engine(), from, Engine(), to);
    AddWork(state, dnnl::reorder(chosen), At(from, r.x), to, r.answer, r.rows * r.columns);
  });
}

}  // namespace tenon::bench

#else

namespace tenon::bench {

void AddOneDnnSoftmax(State& state, const Rows&) { state.Absent("oneDNN", "not found when this was built"); }
void AddOneDnnLayerNorm(State& state, const Rows&, float) { state.Absent("oneDNN", "not found when this was built"); }
void AddOneDnnTranspose(State& state, const Rows&) { state.Absent("oneDNN", "not found when this was built"); }

}  // namespace tenon::bench

#endif

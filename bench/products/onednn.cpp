// SPDX-License-Identifier: Apache-2.0
// oneDNN (Debian's package libdnnl-dev): matmul and convolution_forward, primitives made before the clock starts. A
// convolution's input and output are NHWC, as ours are; its weights are in the layout that oneDNN likes.
#include "peers.hpp"

#if defined(TENON_BENCH_ONEDNN)

#include <utility>

#include "peers/onednn.hpp"

namespace tenon::bench {
namespace {

// A primitive and its three memories; once() runs it.
struct Work {
  dnnl::primitive primitive;
  dnnl::memory source, weights, target;

  void operator()(dnnl::stream& stream) {
    primitive.execute(stream, {{DNNL_ARG_SRC, source}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, target}});
    stream.wait();
  }
};

memory Arranged(memory from, const memory::desc& to, dnnl::stream& stream) {
  memory arranged(to, Engine());
  dnnl::reorder(from, arranged).execute(stream, from, arranged);
  stream.wait();
  return arranged;
}

template <class T>
void AddWork(State& state, const char* name, Work work, const T* ours, Index elements) {
  dnnl::stream stream(Engine());
  work(stream);
  if (!Agree(state, name, ours, static_cast<const T*>(work.target.get_data_handle()), elements)) return;
  state.Peer(name, [work = std::move(work), stream]() mutable { work(stream); });
}

void AddMatmul(State& state, const Product<float>& p, bool packed) {
  const memory::dims a{p.batch, p.m, p.k}, b{p.batch, p.k, p.n}, c{p.batch, p.m, p.n};
  const memory::desc stored = F32(b, p.transpose_b ? Tag::acb : Tag::abc);
  const dnnl::matmul::desc desc(F32(a, Tag::abc), packed ? F32(b, Tag::any) : stored, F32(c, Tag::abc));
  const dnnl::matmul::primitive_desc chosen(desc, Engine());
  dnnl::stream stream(Engine());
  memory weights = At(stored, p.b);
  if (packed) weights = Arranged(weights, chosen.weights_desc(), stream);
  Work work{dnnl::matmul(chosen), At(F32(a, Tag::abc), p.a), weights, memory(F32(c, Tag::abc), Engine())};
  AddWork(state, packed ? "prepacked oneDNN" : "oneDNN", std::move(work), p.c, p.elements());
}

void AddMatmul(State& state, const Int8Product& p) {
  using Type = memory::data_type;
  const memory::desc a({p.m, p.k}, Type::u8, Tag::ab), b({p.k, p.n}, Type::s8, Tag::ab),
      c({p.m, p.n}, Type::s32, Tag::ab);
  const dnnl::matmul::primitive_desc chosen(dnnl::matmul::desc(a, b, c), Engine());
  Work work{dnnl::matmul(chosen), memory(a, Engine(), const_cast<std::uint8_t*>(p.a)),
            memory(b, Engine(), const_cast<std::int8_t*>(p.b)), memory(c, Engine())};
  AddWork(state, "oneDNN", std::move(work), p.c, p.m * p.n);
}

void AddMatmul(State& state, const Bfloat16Product& p) {
  using Type = memory::data_type;
  const memory::desc a({p.m, p.k}, Type::bf16, Tag::ab), b({p.k, p.n}, Type::bf16, Tag::ab),
      c({p.m, p.n}, Type::bf16, Tag::ab), wide({p.m, p.n}, Type::f32, Tag::ab);
  const dnnl::matmul::primitive_desc chosen(dnnl::matmul::desc(a, b, c), Engine());
  Work work{dnnl::matmul(chosen), memory(a, Engine(), const_cast<bfloat16*>(p.a)),
            memory(b, Engine(), const_cast<bfloat16*>(p.b)), memory(c, Engine())};
  dnnl::stream stream(Engine());
  work(stream);
  const memory answer = Arranged(work.target, wide, stream);
  if (!Agree(state, "oneDNN", p.c, static_cast<const float*>(answer.get_data_handle()), p.m * p.n, 0x1p-7)) return;
  state.Peer("oneDNN", [work = std::move(work), stream]() mutable { work(stream); });
}

void AddConvolution(State& state, const Convolution& c) {
  const memory::dims source{c.batch, c.depth, c.rows, c.columns},
      target{c.batch, c.out_depth, c.out_rows(), c.out_columns()},
      weights = c.groups == 1 ? memory::dims{c.out_depth, c.depth, c.window, c.window}
                              : memory::dims{c.groups, c.out_depth / c.groups, c.depth / c.groups, c.window, c.window};
  const memory::desc stored = c.groups == 1 ? F32(weights, Tag::hwio) : F32(weights, Tag::hwigo),
                     nhwc = F32(source, Tag::nhwc), out_nhwc = F32(target, Tag::nhwc);
  const dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
                                             nhwc, F32(weights, Tag::any), out_nhwc, {c.stride, c.stride},
                                             {c.pad_before(c.rows), c.pad_before(c.columns)},
                                             {c.pad_after(c.rows), c.pad_after(c.columns)});
  const dnnl::convolution_forward::primitive_desc chosen(desc, Engine());
  dnnl::stream stream(Engine());
  Work work{dnnl::convolution_forward(chosen), At(nhwc, c.input),
            Arranged(At(stored, c.filter), chosen.weights_desc(), stream), memory(out_nhwc, Engine())};
  AddWork(state, "oneDNN", std::move(work), c.output, c.elements());
}

}  // namespace

void AddOneDnn(State& state, const Product<float>& p) {
  Try(state, "oneDNN", [&] { AddMatmul(state, p, false); });
}
void AddOneDnnPacked(State& state, const Product<float>& p) {
  Try(state, "prepacked oneDNN", [&] { AddMatmul(state, p, true); });
}
void AddOneDnn(State& state, const Int8Product& p) {
  Try(state, "oneDNN", [&] { AddMatmul(state, p); });
}
void AddOneDnn(State& state, const Bfloat16Product& p) {
  Try(state, "oneDNN", [&] { AddMatmul(state, p); });
}
void AddOneDnn(State& state, const Convolution& c) {
  Try(state, "oneDNN", [&] { AddConvolution(state, c); });
}

}  // namespace tenon::bench

#else

namespace tenon::bench {

void AddOneDnn(State& state, const Product<float>&) { state.Absent("oneDNN", "not found when this was built"); }
void AddOneDnnPacked(State& state, const Product<float>&) {
  state.Absent("prepacked oneDNN", "not found when this was built");
}
void AddOneDnn(State& state, const Int8Product&) { state.Absent("oneDNN", "not found when this was built"); }
void AddOneDnn(State& state, const Bfloat16Product&) { state.Absent("oneDNN", "not found when this was built"); }
void AddOneDnn(State& state, const Convolution&) { state.Absent("oneDNN", "not found when this was built"); }

}  // namespace tenon::bench

#endif

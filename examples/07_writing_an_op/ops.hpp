// SPDX-License-Identifier: Apache-2.0
#pragma once
// The ops of docs/tutorial/2-write-an-op.md, in its order. The document quotes the code between `snippet` and `end`.

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <utility>

// snippet includes
#include <tenon/kernel/elementwise_op.hpp>  // Map1, Map2: element-wise ops
#include <tenon/kernel/op_kernel.hpp>       // the raw form
#include <tenon/simd.hpp>                   // vectors
#include <tenon/tenon.hpp>                  // all else: Op, In, Out, ForEach, shape functions, TENON_REGISTER
// end

namespace guide {

// clang-format off
// snippet ten_lines
struct Cube {
  static constexpr auto signature = tenon::Op("Cube")
      .Input("x: T")
      .Output("y: T")
      .Attr("T: {float, double, int32}")
      .SetShapeFn(tenon::shape_inference::UnchangedShape);
  template <class T> TENON_HD static T map(T x) { return x * x * x; }
  template <class Device, class T> using kernel = tenon::Map1<Cube, Device, T>;
};
// end
// clang-format on

// snippet attrs
// y = low where x < low, otherwise x.
struct Floored {
  static constexpr auto signature = tenon::Op("Floored")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("low: float = 0.0")
                                        .Attr("T: {float, double}")
                                        .SetShapeFn(tenon::shape_inference::UnchangedShape);
  struct Attrs {
    float low;  // bound by name
  };
  template <class Device, class T>
  struct kernel : Attrs {
    tenon::Status operator()(Device&, tenon::In<T> x, tenon::Forward<T, 0> y) const {
      const T least = static_cast<T>(this->low);
      for (tenon::Index i = 0; i < x.size(); ++i) y[i] = x[i] < least ? least : x[i];
      return tenon::OkStatus();
    }
  };
};
// end

// snippet map_attrs
// y = x where x > 0, otherwise slope * x.
struct Leaky {
  static constexpr auto signature = tenon::Op("Leaky")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("slope: float = 0.25")
                                        .Attr("T: {float, double}")
                                        .SetShapeFn(tenon::shape_inference::UnchangedShape);
  struct Attrs {
    float slope;
  };
  template <class T>
  TENON_HD static T map(T x, const Attrs& attrs) {
    return x > T(0) ? x : static_cast<T>(attrs.slope) * x;
  }
  template <class Device, class T>
  using kernel = tenon::Map1<Leaky, Device, T>;
};
// end

// snippet vectors
// y = x with its distance from 0 less `by`, and 0 where it was nearer.
struct SoftShrink {
  static constexpr auto signature = tenon::Op("SoftShrink")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("by: float = 0.5")
                                        .Attr("T: {float, double}")
                                        .SetShapeFn(tenon::shape_inference::UnchangedShape);
  struct Attrs {
    float by;
  };
  template <class Device, class T>
  struct kernel : Attrs {
    template <class V>  // a number, or as many as a vector holds
    TENON_HD static V Shrink(V x, V by) {
      return tenon::simd::Max(x - by, V(T(0))) + tenon::simd::Min(x + by, V(T(0)));
    }
    tenon::Status operator()(Device&, tenon::In<T> x, tenon::Forward<T, 0> y) const {
      using Vector = tenon::simd::Batch<T>;
      const T distance = static_cast<T>(this->by);
      tenon::Index i = 0;
      for (; i + Vector::size <= x.size(); i += Vector::size)
        Shrink(Vector::Load(x.data + i), Vector(distance)).Store(y.data + i);
      for (; i < x.size(); ++i) y[i] = Shrink(x[i], distance);
      return tenon::OkStatus();
    }
  };
};
// end

// snippet shapes
// a: [m]  b: [n]  ->  [m, n]
struct Outer {
  static constexpr auto signature = tenon::Op("Outer")
                                        .Input("a: T")
                                        .Input("b: T")
                                        .Output("product: T")
                                        .Attr("T: {float, int32}")
                                        .SetShapeFn([](tenon::InferenceContext* c) -> tenon::Status {
                                          tenon::ShapeHandle a, b;
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &a));
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &b));
                                          c->set_output(0, c->Matrix(c->Dim(a, 0), c->Dim(b, 0)));
                                          return tenon::OkStatus();
                                        });
  template <class Device, class T>
  struct kernel {
    tenon::Status operator()(Device&, tenon::In<T, 1> a, tenon::In<T, 1> b, tenon::Out<T, 2> product) const {
      for (tenon::Index i = 0; i < a.dim(0); ++i)
        for (tenon::Index j = 0; j < b.dim(0); ++j) product(i, j) = a(i) * b(j);
      return tenon::OkStatus();
    }
  };
};
// end

// snippet static_shapes
// Two layers of a network, checked and sized while they are compiled: -1 is an unknown size.
constexpr tenon::StaticShape hidden = tenon::InferShape<Outer>({{32}, {784}});
static_assert(hidden == tenon::StaticShape{32, 784});
static_assert(tenon::InferShape<Outer>({{-1}, {10}}) == tenon::StaticShape{-1, 10});
// end

// snippet late
// The elements that are not negative, in their order: how many there are is known only when the kernel runs.
struct NotNegative {
  static constexpr auto signature = tenon::Op("NotNegative")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {float, int32}")
                                        .SetShapeFn([](tenon::InferenceContext* c) -> tenon::Status {
                                          c->set_output(0, c->Vector(c->UnknownDim()));
                                          return tenon::OkStatus();
                                        });
  template <class Device, class T>
  struct kernel {
    tenon::Status operator()(Device&, tenon::In<T> x, tenon::Late<T>& y) const {
      tenon::Index count = 0;
      for (const T v : x) count += v >= T(0) ? 1 : 0;
      TENON_ASSIGN_OR_RETURN(tenon::Out<T> out, y.Allocate({count}));
      tenon::Index at = 0;
      for (const T v : x)
        if (v >= T(0)) out[at++] = v;
      return tenon::OkStatus();
    }
  };
};
// end

// snippet lists
// Each of N tensors times `factor`, which is an input.
struct ScaleEach {
  static constexpr auto signature = tenon::Op("ScaleEach")
                                        .Input("values: N * T")
                                        .Input("factor: T")
                                        .Output("scaled: N * T")
                                        .Attr("N: int >= 1")
                                        .Attr("T: {float, int32}")
                                        .SetShapeFn([](tenon::InferenceContext* c) -> tenon::Status {
                                          for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->input(i));
                                          return tenon::OkStatus();
                                        });
  template <class Device, class T>
  struct kernel {
    tenon::Status operator()(Device&, tenon::InList<T> values, tenon::In<T, 0> factor, tenon::OutList<T> scaled) const {
      for (int k = 0; k < values.size(); ++k)
        for (tenon::Index i = 0; i < values[k].size(); ++i) scaled[k][i] = values[k][i] * factor[0];
      return tenon::OkStatus();
    }
  };
};
// end

// snippet erased
// The tensors in reverse order, whatever their types: one kernel serves all, and nothing is copied.
struct Reversed {
  static constexpr auto signature = tenon::Op("Reversed")
                                        .Input("values: In")
                                        .Output("reversed: Out")
                                        .Attr("In: list(type) >= 1")
                                        .Attr("Out: list(type) >= 1")
                                        .SetShapeFn(tenon::shape_inference::UnknownShape);
  template <class Device>
  struct kernel {
    tenon::Status operator()(Device&, std::span<const tenon::Tensor> values, std::span<tenon::Tensor> reversed) const {
      for (std::size_t i = 0; i < values.size(); ++i) reversed[i] = values[values.size() - 1 - i];
      return tenon::OkStatus();
    }
  };
};
// end

// snippet stateful
// 0, step, 2 * step, ...: one count for each node of a session. Runs may overlap, so the state is atomic.
struct Counter {
  static constexpr auto signature = tenon::Op("Counter")
                                        .Output("value: int64")
                                        .Attr("step: int = 1")
                                        .SetIsStateful()
                                        .SetShapeFn(tenon::shape_inference::ScalarShape);
  struct Attrs {
    std::int64_t step;
  };
  template <class Device>
  struct kernel : Attrs {
    mutable std::atomic<std::int64_t> next{0};

    tenon::Status Init(tenon::OpKernelConstruction&) {  // once per node, when its attrs are bound
      if (this->step == 0) return tenon::errors::InvalidArgument("Counter: step = 0; it must not be zero");
      return tenon::OkStatus();
    }
    tenon::Status operator()(Device&, tenon::Out<std::int64_t> value) const {
      value[0] = next.fetch_add(this->step);
      return tenon::OkStatus();
    }
  };
};
// end

// snippet async
// The sum of x, computed on a thread of its own: no thread of the runtime waits.
struct SlowSum {
  static constexpr auto signature =
      tenon::Op("SlowSum").Input("x: float").Output("sum: float").SetShapeFn(tenon::shape_inference::ScalarShape);
  template <class Device>
  struct kernel {
    void operator()(tenon::Context<Device>&, tenon::In<float> x, tenon::Out<float> sum, tenon::Done done) const {
      std::thread([x, sum, done = std::move(done)]() mutable {
        float total = 0;
        for (const float v : x) total += v;
        sum[0] = total;
        done();  // or done(errors::...): exactly once; views are gone afterwards
      }).detach();
    }
  };
};
// end

// snippet raw
// The raw form: TensorFlow's own class, for what the struct form cannot say.
struct NumElements {
  static constexpr auto signature = tenon::Op("NumElements")
                                        .Input("x: T")
                                        .Output("n: int64")
                                        .Attr("T: type")
                                        .SetShapeFn(tenon::shape_inference::ScalarShape);
  template <class Device>
  class kernel final : public tenon::OpKernel {
   public:
    using OpKernel::OpKernel;
    void Compute(tenon::OpKernelContext* ctx) override {
      tenon::Tensor* n = nullptr;
      if (tenon::Status s = ctx->allocate_output(0, {}, &n); !s.ok()) return ctx->SetStatus(s);
      n->scalar<std::int64_t>()() = ctx->input(0).NumElements();
    }
  };
};
// end

}  // namespace guide

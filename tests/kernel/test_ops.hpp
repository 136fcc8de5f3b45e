// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ops for the kernel tests: one for each kind of parameter.

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/kernel/registry/kernel_constraints.hpp>
#include <tenon/kernel/register.hpp>

namespace kernel_test {

using namespace tenon;

inline Status OneUnknownVector(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->Vector(c->UnknownDim()));
  return OkStatus();
}

// Attrs of every kind, in another order than the signature's.
struct KtAttrs {
  static constexpr auto signature = Op("KtAttrs")
                                        .Output("text: string")
                                        .Attr("n: int = 7")
                                        .Attr("f: float = 1.5")
                                        .Attr("b: bool = true")
                                        .Attr("s: string = 'x'")
                                        .Attr("t: type = DT_INT8")
                                        .Attr("shape: shape = { dim { size: 2 } }")
                                        .Attr("list: list(int) = [1, 2]")
                                        .Attr("names: list(string) = ['a']")
                                        .Attr("ignored: int = 0")
                                        .Attr("template: int = 3")
                                        .SetShapeFn(shape_inference::ScalarShape);
  struct Attrs {
    std::span<const std::string> names;
    std::span<const std::int64_t> list;
    PartialTensorShape shape;
    DataType t;
    std::string_view s;
    bool b;
    float f;
    std::int64_t n, template_;
  };
  static constexpr std::string_view unused[] = {"ignored"};
  template <class Device>
  struct kernel : Attrs {
    Status operator()(Device&, Tensor& text) const {
      std::string all = StrCat(this->n, " ", this->f, " ", this->b, " ", this->s, " ", this->t, " ", this->shape, " ",
                               this->list.size(), this->list[1], " ", this->names[0], " ", this->template_);
      text = Tensor::Scalar(all);
      return OkStatus();
    }
  };
};

// The length of the output is known only when the kernel runs.
struct KtPositive {
  static constexpr auto signature =
      Op("KtPositive").Input("x: T").Output("y: T").Attr("T: {float, int32}").SetShapeFn(OneUnknownVector);
  template <class Device, class T>
  struct kernel {
    Status operator()(Device&, In<T> x, Late<T>& y) const {
      Index n = 0;
      for (const T v : x) n += v > T(0);
      TENON_ASSIGN_OR_RETURN(Out<T> out, y.Allocate({n}));
      Index at = 0;
      for (const T v : x)
        if (v > T(0)) out[at++] = v;
      return OkStatus();
    }
  };
};

// N inputs of one type, N outputs.
struct KtDouble {
  static constexpr auto signature = Op("KtDouble")
                                        .Input("x: N * T")
                                        .Output("y: N * T")
                                        .Attr("N: int >= 1")
                                        .Attr("T: {float, int32}")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          for (int i = 0; i < c->num_inputs(); ++i) c->set_output(i, c->input(i));
                                          return OkStatus();
                                        });
  template <class Device, class T>
  struct kernel {
    Status operator()(Device&, InList<T> x, OutList<T> y) const {
      for (int k = 0; k < x.size(); ++k)
        for (Index i = 0; i < x[k].size(); ++i) y[k][i] = x[k][i] + x[k][i];
      return OkStatus();
    }
  };
};

// Tensors whose types are known only while running; the outputs are the inputs in reverse order.
struct KtReverse {
  static constexpr auto signature = Op("KtReverse")
                                        .Input("x: In")
                                        .Output("y: Out")
                                        .Attr("In: list(type) >= 1")
                                        .Attr("Out: list(type) >= 1")
                                        .SetShapeFn(shape_inference::UnknownShape);
  template <class Device>
  struct kernel {
    Status operator()(Device&, std::span<const Tensor> x, std::span<Tensor> y) const {
      for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[x.size() - 1 - i];
      return OkStatus();
    }
  };
};

// x + i for a scalar index input of any integer type; may overwrite x.
struct KtAddIndex {
  static constexpr auto signature = Op("KtAddIndex")
                                        .Input("x: float")
                                        .Input("i: Tidx")
                                        .Output("y: float")
                                        .Attr("Tidx: {int8, int16, int32, int64}")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel {
    Status operator()(Device&, In<float> x, HostIndices i, Forward<float, 0> y) const {
      for (Index k = 0; k < x.size(); ++k) y[k] = x[k] + static_cast<float>(i[0]);
      return OkStatus();
    }
  };
};

// Takes a matrix; state of its own, made by Init.
struct KtTrace {
  static constexpr auto signature = Op("KtTrace")
                                        .Input("m: float")
                                        .Output("sum: float")
                                        .Attr("scale: float = 2.0")
                                        .SetShapeFn(shape_inference::ScalarShape);
  struct Attrs {
    float scale;
  };
  template <class Device>
  struct kernel : Attrs {
    float twice = 0;
    Status Init(OpKernelConstruction& c) {
      if (this->scale < 0)
        return errors::InvalidArgument("KtTrace: scale = ", this->scale, " is negative; it must be at least 0");
      twice = 2 * this->scale;
      return c.status();
    }
    Status operator()(Device&, In<float, 2> m, Out<float> sum) const {
      float s = 0;
      for (Index i = 0; i < m.dim(0) && i < m.dim(1); ++i) s += m(i, i);
      sum[0] = s * twice;
      return OkStatus();
    }
  };
};

// Ends on another thread; mode 0 succeeds, 1 reports an error, 2 drops its Done.
struct KtAsync {
  static constexpr auto signature = Op("KtAsync")
                                        .Input("x: float")
                                        .Output("y: float")
                                        .Attr("mode: int = 0")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  struct Attrs {
    std::int64_t mode;
  };
  template <class Device>
  struct kernel : Attrs {
    void operator()(Context<Device>&, In<float> x, Out<float> y, Done done) const {
      std::thread([x, y, mode = this->mode, finish = std::move(done)]() mutable {
        for (Index i = 0; i < x.size(); ++i) y[i] = -x[i];
        if (mode == 0) finish();
        if (mode == 1) finish(errors::Aborted("KtAsync: asked to fail"));
      }).detach();
    }
  };
};

// The raw form.
struct KtCount {
  static constexpr auto signature = Op("KtCount")
                                        .Input("x: T")
                                        .Output("n: int64")
                                        .Attr("T: type")
                                        .Attr("bad: bool = false")
                                        .SetShapeFn(shape_inference::ScalarShape);
  template <class Device>
  class kernel final : public OpKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : OpKernel(c) { c->SetStatus(c->GetAttr("bad", &bad_)); }
    void Compute(OpKernelContext* ctx) override {
      if (bad_) return;  // leaves its output unset
      Tensor* n = nullptr;
      if (Status s = ctx->allocate_output(0, TensorShape{}, &n); !s.ok()) return ctx->SetStatus(s);
      *n->data<std::int64_t>() = ctx->input(0).NumElements();
    }

   private:
    bool bad_ = false;
  };
};

// Does wrong what a kernel can do wrong; mode "none" copies.
struct KtFault {
  static constexpr auto signature = Op("KtFault")
                                        .Input("x: float")
                                        .Output("y: float")
                                        .Attr("mode: {'none', 'throw', 'type', 'late', 'shape'}")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  struct Attrs {
    std::string_view mode;
  };
  template <class Device>
  struct kernel : Attrs {
    Status operator()(Device&, const Tensor& x, Tensor& y) const {
#if defined(__cpp_exceptions)
      if (this->mode == "throw") throw std::runtime_error("asked to");
#endif
      if (this->mode == "none") y = x;
      if (this->mode == "type") y = Tensor::Scalar(std::int32_t{1});
      if (this->mode == "shape") y = Tensor::Zeros<float>({x.NumElements() + 1});
      return OkStatus();
    }
  };
};

// The same in the raw asynchronous form: what it does wrong with its done, too.
struct KtAsyncFault {
  static constexpr auto signature =
      Op("KtAsyncFault")
          .Input("x: float")
          .Output("y: float")
          .Attr("mode: {'none', 'throw', 'type', 'late', 'shape', 'twice', 'never', 'lost', 'throw_after'}")
          .SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
  class kernel final : public AsyncOpKernel {
   public:
    explicit kernel(OpKernelConstruction* c) : AsyncOpKernel(c) { c->SetStatus(c->GetAttr("mode", &mode_)); }
    void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
      const Tensor& x = ctx->input(0);
      if (mode_ == "never") return;
      if (mode_ == "lost") return std::thread([done] {}).detach();
#if defined(__cpp_exceptions)
      if (mode_ == "throw") throw std::runtime_error("asked to");
#endif
      if (mode_ == "type") ctx->set_output(0, Tensor::Scalar(std::int32_t{1}));
      if (mode_ == "shape") ctx->set_output(0, Tensor::Zeros<float>({x.NumElements() + 1}));
      if (mode_ == "none" || mode_ == "twice" || mode_ == "throw_after") ctx->set_output(0, x);
      const bool again = mode_ == "twice", fails = mode_ == "throw_after";  // the kernel may be gone after done
      done();
      if (again) done();
#if defined(__cpp_exceptions)
      if (fails) throw std::runtime_error("too late");
#endif
    }

   private:
    std::string_view mode_;
  };
};

// Registered for any device: there is no kernel for the CPU.
struct KtAnywhere {
  static constexpr auto signature =
      Op("KtAnywhere").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
  struct kernel {
    Status operator()(Context<Device>& context, In<float> x, Out<float> y) const {
      const float more = context.op().device_name().empty() ? 0.0f : 1.0f;
      for (Index i = 0; i < x.size(); ++i) y[i] = x[i] + more;
      return OkStatus();
    }
  };
};

// Its shape function leaves the output incomplete although the kernel takes it as Out.
struct KtIncomplete {
  static constexpr auto signature =
      Op("KtIncomplete").Input("x: float").Output("y: float").SetShapeFn(OneUnknownVector);
  template <class Device>
  struct kernel {
    Status operator()(Device&, In<float>, Out<float>) const { return OkStatus(); }
  };
};

}  // namespace kernel_test

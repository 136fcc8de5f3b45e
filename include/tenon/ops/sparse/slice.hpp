// SPDX-License-Identifier: Apache-2.0
#pragma once
// SparseSlice, SparseSplit, SparseConcat: parts of sparse tensors, and tensors joined.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/layout/sparse_coo.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/sparse/sparse_tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status SparseSliceShape(InferenceContext* c) {
  const ShapeHandle shape = c->input(2);
  c->set_output(0, c->Matrix(c->UnknownDim(), c->NumElements(shape)));
  c->set_output(1, c->Vector(c->UnknownDim()));
  c->set_output(2, shape);
  return OkStatus();
}
inline Status SparseSliceGradShape(InferenceContext* c) {
  ShapeHandle indices;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &indices));
  c->set_output(0, c->Vector(c->Dim(indices, 0)));
  return OkStatus();
}
inline Status SparseSplitShape(InferenceContext* c) {
  const ShapeHandle shape = c->input(3);
  const ShapeHandle indices = c->Matrix(c->UnknownDim(), c->NumElements(shape)), values = c->Vector(c->UnknownDim());
  const int splits = c->num_outputs() / 3;
  for (int i = 0; i < splits; ++i) {
    c->set_output(i, indices);
    c->set_output(splits + i, values);
    c->set_output(2 * splits + i, shape);
  }
  return OkStatus();
}
inline Status SparseConcatShape(InferenceContext* c) {
  const int n = c->num_inputs() / 3;
  DimensionHandle count = c->MakeDim(0), rank = c->UnknownDim(), own;
  ShapeHandle shape = c->UnknownShape(), indices, values, sizes;
  for (int i = 0; i < n; ++i) {
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 2, &indices));
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(n + i), 1, &values));
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(2 * n + i), 1, &sizes));
    TENON_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 0), c->Dim(values, 0), &own));
    TENON_RETURN_IF_ERROR(c->Add(count, own, &count));
    TENON_RETURN_IF_ERROR(c->Merge(rank, c->Dim(indices, 1), &rank));
    TENON_RETURN_IF_ERROR(c->Merge(shape, sizes, &shape));
  }
  c->set_output(0, c->Matrix(count, rank));
  c->set_output(1, c->Vector(count));
  c->set_output(2, shape);
  return OkStatus();
}

// Where each part of a dimension begins: the first size % parts are one longer.
inline Index PartStart(Index size, Index parts, Index part) {
  return part * (size / parts) + std::min(part, size % parts);
}

// The sum of two, at most the largest there is.
inline std::int64_t AddSaturating(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (AddFits(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

}  // namespace detail

// The elements at start <= index < start + size, in their order, numbered from start.
struct SparseSlice {
  static constexpr auto signature = Op("SparseSlice")
                                        .Input("indices: int64")
                                        .Input("values: T")
                                        .Input("shape: int64")
                                        .Input("start: int64")
                                        .Input("size: int64")
                                        .Output("output_indices: int64")
                                        .Output("output_values: T")
                                        .Output("output_shape: int64")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::SparseSliceShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor& start,
                      const Tensor& size, Tensor& out_indices, Tensor&, Tensor&) const {
      return Run(context.op(), start, size, &out_indices);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const Tensor& start, const Tensor& size, Tensor* out_indices) {
    const detail::SparseInput x = detail::SparseInputAt(context, 0);
    TENON_RETURN_IF_ERROR(detail::CheckSparse("SparseSlice", x));
    TensorShape shape;
    const Index rank = x.rank();
    TENON_RETURN_IF_ERROR(detail::ShapeOfSizes("SparseSlice", x.sizes(), rank, &shape));
    for (const Tensor* t : {&start, &size}) {
      const char* const name = t == &start ? "start" : "size";
      if (t->dims() != 1)
        return errors::InvalidArgument("SparseSlice: Input ", name, " should be a vector but received shape ",
                                       t->shape());
      if (t->NumElements() != rank)
        return errors::InvalidArgument("SparseSlice: Expected ", name, " to be a vector of length ", rank,
                                       " but got length ", t->NumElements());
    }
    SlimVector<std::int64_t> sizes, begin, end;
    for (Index d = 0; d < rank; ++d) {
      const std::int64_t from = start.data<std::int64_t>()[d], wanted = size.data<std::int64_t>()[d];
      if (wanted < 0)
        return errors::InvalidArgument("SparseSlice: Expected a non-negative size, got ", wanted, " for dimension ", d);
      const std::int64_t most = x.sizes()[d];
      std::int64_t left = 0;
      if (from < most && !SubtractFits(most, from, &left)) left = std::numeric_limits<std::int64_t>::max();
      begin.push_back(from);
      end.push_back(detail::AddSaturating(from, wanted));
      sizes.push_back(std::min(wanted, left));
    }
    const SparseRows rows = x.rows();
    SlimVector<std::size_t> chosen;
    for (Index i = 0; i < rows.n; ++i) {
      bool inside = true;
      for (Index d = 0; d < rank && inside; ++d)
        inside =
            rows.Row(i)[d] >= begin[static_cast<std::size_t>(d)] && rows.Row(i)[d] < end[static_cast<std::size_t>(d)];
      if (inside) chosen.push_back(static_cast<std::size_t>(i));
    }
    TENON_RETURN_IF_ERROR(detail::TakeRows(context, 0, x, chosen));
    out_indices = context.mutable_output(0);
    for (Index i = 0; i < out_indices->NumElements(); ++i) {
      std::int64_t& index = out_indices->data<std::int64_t>()[i];
      index = static_cast<std::int64_t>(static_cast<std::uint64_t>(index) -
                                        static_cast<std::uint64_t>(begin[static_cast<std::size_t>(i % rank)]));
    }
    return detail::SetVector(context, 2, sizes.data(), rank);
  }
};

// backprop_val_grad: [m], of a slice with output_indices [m, r]  ->  val_grad: [n], 0 for elements outside of it.
struct SparseSliceGrad {
  static constexpr auto signature =
      Op("SparseSliceGrad")
          .Input("backprop_val_grad: T")
          .Input("input_indices: int64")
          .Input("input_start: int64")
          .Input("output_indices: int64")
          .Output("val_grad: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
          .SetShapeFn(detail::SparseSliceGradShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kSparseNumberTypes); }
    Status operator()(Context<Device>& context, const Tensor& grad, const Tensor& indices, const Tensor& start,
                      const Tensor& out_indices, Tensor& val_grad) const {
      return Run(context.op(), grad, indices, start, out_indices, &val_grad);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const Tensor& grad, const Tensor& indices, const Tensor& start,
                    const Tensor& out_indices, Tensor* val_grad) {
    if (indices.dims() != 2 || out_indices.dims() != 2)
      return errors::InvalidArgument("SparseSliceGrad: Input and output indices should be matrices but received ",
                                     "shapes: ", indices.shape(), " and ", out_indices.shape());
    if (grad.dims() != 1)
      return errors::InvalidArgument("SparseSliceGrad: Input backprop_val_grad should be a vector but received shape: ",
                                     grad.shape());
    if (start.dims() != 1)
      return errors::InvalidArgument("SparseSliceGrad: The input_start should be a vector but received shape ",
                                     start.shape());
    const Index rank = indices.dim_size(1), n = indices.dim_size(0), m = out_indices.dim_size(0);
    if (out_indices.dim_size(1) != rank)
      return errors::InvalidArgument("SparseSliceGrad: The input and output should have the same ndims: got: ", rank,
                                     " and ", out_indices.dim_size(1));
    if (start.NumElements() != rank)
      return errors::InvalidArgument("SparseSliceGrad: Expected input_start to be a vector of length ", rank,
                                     " but got length ", start.NumElements());
    if (grad.NumElements() != m)
      return errors::InvalidArgument("SparseSliceGrad: # elements of backprop_val_grad and # rows of output_indices ",
                                     "should match (#nnz of sum): got ", grad.NumElements(), " and ", m);
    if (m > n)
      return errors::InvalidArgument("SparseSliceGrad: # rows of output_indices should be not greater than of ",
                                     "input_indices, got ", m, " and ", n);
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({n}), &val_grad));
    const ElementMover mover = MoverOf(grad.dtype());
    ZeroRun(mover, val_grad->raw_data(), n);
    const SparseRows in{indices.data<std::int64_t>(), n, rank}, out{out_indices.data<std::int64_t>(), m, rank};
    Index used = 0;  // both in the same order: the slice's elements are met one after the other
    for (Index i = 0; i < n && used < m; ++i) {
      bool same = true;
      for (Index d = 0; d < rank && same; ++d) {
        const auto shifted =
            static_cast<std::uint64_t>(out.Row(used)[d]) + static_cast<std::uint64_t>(start.data<std::int64_t>()[d]);
        same = static_cast<std::uint64_t>(in.Row(i)[d]) == shifted;
      }
      if (!same) continue;
      CopyRun(mover, mover.At(grad.raw_data(), used), mover.At(val_grad->raw_data(), i), 1);
      ++used;
    }
    if (used != m)
      return errors::Internal("SparseSliceGrad: Elements of backprop_val_grad aren't all propagated. Num elements:", m,
                              ", used: ", used);
    return OkStatus();
  }
};

// A dimension in num_split parts, the first of which are one longer where it does not divide.
struct SparseSplit {
  static constexpr auto signature = Op("SparseSplit")
                                        .Input("split_dim: int64")
                                        .Input("indices: int64")
                                        .Input("values: T")
                                        .Input("shape: int64")
                                        .Output("output_indices: num_split * int64")
                                        .Output("output_values: num_split * T")
                                        .Output("output_shape: num_split * int64")
                                        .Attr("num_split: int >= 1")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::SparseSplitShape);

  struct Attrs {
    std::int64_t num_split;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(2), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor& split_dim, const Tensor&, const Tensor&, const Tensor&,
                      std::span<Tensor>, std::span<Tensor>, std::span<Tensor>) const {
      return Run(context.op(), this->num_split, split_dim);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Index parts, const Tensor& split_dim) {
    const detail::SparseInput x = detail::SparseInputAt(context, 1);
    if (split_dim.dims() != 0)
      return errors::InvalidArgument("SparseSplit: Input axis should be a scalar but received shape ",
                                     split_dim.shape());
    TENON_RETURN_IF_ERROR(detail::CheckSparse("SparseSplit", x));
    TensorShape shape;
    const Index rank = x.rank(), axis = *split_dim.data<std::int64_t>(), at = axis < 0 ? axis + rank : axis;
    TENON_RETURN_IF_ERROR(detail::ShapeOfSizes("SparseSplit", x.sizes(), rank, &shape));
    if (axis < -rank || axis >= rank)
      return errors::InvalidArgument("SparseSplit: Input axis should be in range [", -rank, ", ", rank, "), got ",
                                     axis);
    const Index size = x.sizes()[at];
    if (parts < 1 || parts > size)
      return errors::InvalidArgument("SparseSplit: Input num_split should be between 1 and the splitting dimension ",
                                     "size (", size, "), got ", parts);
    const SparseRows rows = x.rows();
    if (const Index i = detail::FirstOutside(rows, x.sizes()); i >= 0)
      return errors::InvalidArgument("SparseSplit: Sparse index tuple indices[", i,
                                     ", :] = ", detail::SizesText(rows.Row(i), rank), " is out of bounds of ", shape);
    // Where each part's elements go: counted, then dealt out.
    const auto part_of = [&](Index i) {
      const Index index = rows.Row(i)[at], longer = size % parts, length = size / parts;
      return index < longer * (length + 1) ? index / (length + 1) : longer + (index - longer * (length + 1)) / length;
    };
    SlimVector<Index> counts(static_cast<std::size_t>(parts), 0);
    for (Index i = 0; i < rows.n; ++i) ++counts[static_cast<std::size_t>(part_of(i))];
    const auto indices_of = [](Index part) { return static_cast<int>(part); };
    const auto values_of = [parts](Index part) { return static_cast<int>(parts + part); };
    for (Index part = 0; part < parts; ++part) {
      Index& count = counts[static_cast<std::size_t>(part)];
      Tensor* out = nullptr;
      TENON_RETURN_IF_ERROR(context.allocate_output(indices_of(part), TensorShape({count, rank}), &out));
      TENON_RETURN_IF_ERROR(context.allocate_output(values_of(part), TensorShape({count}), &out));
      TENON_RETURN_IF_ERROR(detail::SetVector(context, static_cast<int>(2 * parts + part), x.sizes(), rank));
      context.mutable_output(static_cast<int>(2 * parts + part))->data<std::int64_t>()[at] =
          detail::PartStart(size, parts, part + 1) - detail::PartStart(size, parts, part);
      count = 0;
    }
    const ElementMover mover = MoverOf(x.values->dtype());
    for (Index i = 0; i < rows.n; ++i) {
      const Index part = part_of(i), to = counts[static_cast<std::size_t>(part)]++;
      std::int64_t* row = context.mutable_output(indices_of(part))->data<std::int64_t>() + to * rank;
      for (Index d = 0; d < rank; ++d) row[d] = rows.Row(i)[d];
      row[at] -= detail::PartStart(size, parts, part);
      CopyRun(mover, mover.At(x.values->raw_data(), i),
              mover.At(context.mutable_output(values_of(part))->raw_data(), to), 1);
    }
    return OkStatus();
  }
};

// Sparse tensors one after the other along an axis; the elements of the result are in row-major order.
struct SparseConcat {
  static constexpr auto signature = Op("SparseConcat")
                                        .Input("indices: N * int64")
                                        .Input("values: N * T")
                                        .Input("shapes: N * int64")
                                        .Output("output_indices: int64")
                                        .Output("output_values: T")
                                        .Output("output_shape: int64")
                                        .Attr("concat_dim: int")
                                        .Attr("N: int >= 2")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::SparseConcatShape);

  struct Attrs {
    std::int64_t concat_dim;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.output_type(1), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, std::span<const Tensor> indices, std::span<const Tensor> values,
                      std::span<const Tensor> shapes, Tensor&, Tensor&, Tensor&) const {
      return Run(context.op(), this->concat_dim, indices, values, shapes);
    }
  };

 private:
  static Status Check(std::span<const Tensor> indices, std::span<const Tensor> values, std::span<const Tensor> shapes) {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (indices[i].dims() != 2)
        return errors::InvalidArgument("SparseConcat: Input indices should be a matrix but received shape ",
                                       indices[i].shape(), " at position ", i);
      if (values[i].dims() != 1)
        return errors::InvalidArgument("SparseConcat: Input values should be a vector but received shape ",
                                       values[i].shape(), " at position ", i);
      if (shapes[i].dims() != 1)
        return errors::InvalidArgument("SparseConcat: Input shapes should be a vector but received shape ",
                                       shapes[i].shape(), " at position ", i);
    }
    return OkStatus();
  }
  // TensorFlow's code for these is Internal.
  static Status CheckSizes(const Tensor& shape, std::size_t position) {
    Index dense = 1;
    for (Index d = 0; d < shape.NumElements(); ++d)
      dense = dense < 0 ? dense : MultiplyWithoutOverflow(dense, shape.data<std::int64_t>()[d]);
    if (dense >= 0) return OkStatus();
    return errors::Internal("SparseConcat: Encountered overflow from large input shape, or a negative size, in ",
                            detail::SizesText(shape.data<std::int64_t>(), shape.NumElements()), " at position ",
                            position);
  }
  static Status Run(OpKernelContext& context, Index axis, std::span<const Tensor> indices,
                    std::span<const Tensor> values, std::span<const Tensor> shapes) {
    TENON_RETURN_IF_ERROR(Check(indices, values, shapes));
    TENON_RETURN_IF_ERROR(CheckSizes(shapes[0], 0));
    const Index rank = shapes[0].NumElements(), at = axis < 0 ? axis + rank : axis;
    if (axis < -rank || axis >= rank)
      return errors::InvalidArgument("SparseConcat: Concat dimension must be in range [", -rank, ", ", rank, "), got ",
                                     axis);
    SlimVector<std::int64_t> sizes(shapes[0].data<std::int64_t>(), shapes[0].data<std::int64_t>() + rank);
    sizes[static_cast<std::size_t>(at)] = 0;
    Index count = 0;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      TENON_RETURN_IF_ERROR(CheckSizes(shapes[i], i));
      if (shapes[i].NumElements() != rank)
        return errors::InvalidArgument("SparseConcat: Ranks of all input tensors must match: expected ", rank,
                                       " but got ", shapes[i].NumElements(), " at position ", i);
      for (Index d = 0; d < rank; ++d) {
        const std::int64_t size = shapes[i].data<std::int64_t>()[d];
        std::int64_t& own = sizes[static_cast<std::size_t>(d)];
        if (d == at) {
          if (!AddFits(own, size, &own))
            return errors::Internal("SparseConcat: Encountered overflow from large input shape at position ", i);
        } else if (size != own) {
          return errors::InvalidArgument("SparseConcat: Input shapes must match: expected ", own, " for dimension ", d,
                                         " but got ", size, " at position ", i);
        }
      }
      if (indices[i].dim_size(0) != values[i].dim_size(0))
        return errors::InvalidArgument("SparseConcat: indices and values rows (indexing dimension) must match. ",
                                       "(indices = ", indices[i].dim_size(0), ", values = ", values[i].dim_size(0),
                                       ")");
      if (indices[i].dim_size(1) != rank)
        return errors::InvalidArgument("SparseConcat: Order length must be SparseTensor rank, got indices of shape ",
                                       indices[i].shape(), " for rank ", rank);
      count += indices[i].dim_size(0);
    }
    Index dense = 1;
    for (const std::int64_t size : sizes) dense = size < 0 ? -1 : MultiplyWithoutOverflow(dense, size);
    if (dense < 0)
      return errors::Internal("SparseConcat: Encountered overflow from large input shape ",
                              detail::SizesText(sizes.data(), rank));
    // All rows, each moved to where its tensor begins; then the order of the whole.
    Tensor all_indices, all_values;
    TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt64, TensorShape({count, rank}), &all_indices));
    TENON_RETURN_IF_ERROR(context.allocate_temp(values[0].dtype(), TensorShape({count}), &all_values));
    const ElementMover mover = MoverOf(values[0].dtype());
    std::int64_t* to = all_indices.data<std::int64_t>();
    Index first = 0, offset = 0;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const Index n = values[i].NumElements();
      for (Index k = 0; k < n * rank; ++k)
        *to++ = static_cast<std::int64_t>(static_cast<std::uint64_t>(indices[i].data<std::int64_t>()[k]) +
                                          static_cast<std::uint64_t>(k % rank == at ? offset : 0));
      CopyRun(mover, values[i].raw_data(), mover.At(all_values.raw_data(), first), n);
      first += n;
      offset += shapes[i].data<std::int64_t>()[at];
    }
    const detail::SparseInput all{&all_indices, &all_values, &shapes[0]};
    TENON_RETURN_IF_ERROR(detail::TakeRows(context, 0, all, RowOrder(all.rows(), AllColumns(rank))));
    return detail::SetVector(context, 2, sizes.data(), rank);
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// CSRSparseMatrix, a value inside a variant: a batch of matrices in compressed rows. Its creation and its checks, for
// the ops that take or make one.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/tensor/variant_registry.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Matrix b has the elements [batch_pointers[b], batch_pointers[b + 1]), and its row r the elements
// [row_pointers[b (rows + 1) + r], row_pointers[b (rows + 1) + r + 1]) of these. externally synchronised.
struct CSRSparseMatrix {
  DataType dtype = DataType::kInvalid;
  bool validated = false;
  Tensor shape;           // [rows, columns] or [batch, rows, columns], int64
  Tensor batch_pointers;  // [batch + 1], int32
  Tensor row_pointers;    // [batch (rows + 1)], int32
  Tensor columns;         // [n], int32
  Tensor values;          // [n]

  // Numbers that need sizes of the right form, see HasForm.
  Index dims() const { return shape.NumElements(); }
  Index batch() const { return dims() == 2 ? 1 : shape.data<std::int64_t>()[0]; }
  Index rows() const { return shape.data<std::int64_t>()[dims() - 2]; }
  Index width() const { return shape.data<std::int64_t>()[dims() - 1]; }
  Index first(Index b) const { return batch_pointers.data<std::int32_t>()[b]; }
  Index count(Index b) const { return first(b + 1) - first(b); }
  const std::int32_t* row_starts(Index b) const { return row_pointers.data<std::int32_t>() + b * (rows() + 1); }
  const std::int32_t* columns_of(Index b) const { return columns.data<std::int32_t>() + first(b); }

  // Whether the five tensors have types and shapes that fit, and the batches follow each other.
  bool HasForm() const {
    if (shape.dtype() != DataType::kInt64 || shape.dims() != 1 || (dims() != 2 && dims() != 3)) return false;
    for (const Tensor* const x : {&batch_pointers, &row_pointers, &columns})
      if (x->dtype() != DataType::kInt32 || x->dims() != 1) return false;
    if (values.dtype() != dtype || values.dims() != 1 || columns.NumElements() != values.NumElements()) return false;
    constexpr Index kMost = std::numeric_limits<std::int32_t>::max();
    if (batch() < 0 || batch() >= kMost || rows() < 0 || rows() >= kMost || width() < 0) return false;
    if (batch_pointers.NumElements() != batch() + 1 || row_pointers.NumElements() != batch() * (rows() + 1))
      return false;
    if (first(0) != 0 || first(batch()) != values.NumElements()) return false;
    for (Index b = 0; b < batch(); ++b)
      if (count(b) < 0) return false;
    return true;
  }
  // Whether the rows of each matrix follow each other and their columns exist; HasForm() must hold.
  bool HasRows() const {
    for (Index b = 0; b < batch(); ++b) {
      const std::int32_t* const starts = row_starts(b);
      if (starts[0] != 0 || starts[rows()] != count(b)) return false;
      for (Index r = 0; r < rows(); ++r)
        if (starts[r] > starts[r + 1]) return false;
    }
    for (Index i = 0; i < columns.NumElements(); ++i)
      if (columns.data<std::int32_t>()[i] < 0 || columns.data<std::int32_t>()[i] >= width()) return false;
    return true;
  }

  // TensorFlow's serialised form: whether it was validated and the dtype, as 8 bytes; the five tensors.
  std::string_view TypeName() const { return "tensorflow::CSRSparseMatrix"; }
  std::string DebugString() const {
    return StrCat("CSRSparseMatrix(dtype=", dtype, ", shape=", shape.SummarizeValue(3), ", nnz=", values.NumElements(),
                  ")");
  }
  void Encode(VariantTensorData* data) const {
    const std::int32_t metadata[2] = {validated ? 1 : 0, static_cast<std::int32_t>(dtype)};
    data->metadata.assign(reinterpret_cast<const char*>(metadata), sizeof metadata);
    for (const Tensor* const part : {&shape, &batch_pointers, &row_pointers, &columns, &values})
      data->tensors.push_back(*part);
  }
  bool Decode(VariantTensorData data) {
    std::int32_t metadata[2];
    if (data.metadata.size() != sizeof metadata || data.tensors.size() != 5) return false;
    std::memcpy(metadata, data.metadata.data(), sizeof metadata);
    dtype = data.tensors[4].dtype();
    if (static_cast<std::int32_t>(dtype) != metadata[1]) return false;
    validated = (metadata[0] & 0xff) != 0;  // the other bytes are padding, with any contents
    Tensor* const parts[] = {&shape, &batch_pointers, &row_pointers, &columns, &values};
    for (std::size_t i = 0; i < 5; ++i) *parts[i] = std::move(data.tensors[i]);
    return HasForm();
  }
};

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

inline constexpr DataTypeSet kCsrTypes = ToSet(DataType::kFloat) | ToSet(DataType::kDouble) | kComplexTypes;

// Called when kernels are made; the second call does nothing.
inline Status RegisterCsrMatrix() { return VariantRegistry::Global().AddType<CSRSparseMatrix>(); }

// The matrix of one input; `decoded` holds one that was still serialised.
struct CsrInput {
  const CSRSparseMatrix* matrix = nullptr;
  Variant decoded;

  // The matrix's rows are checked, too, but where `parts_only`.
  Status Get(const OpKernelContext& context, int i, bool parts_only = false) {
    const std::string_view op = context.op_kernel().type_string();
    const Tensor& handle = context.input(i);
    if (handle.dims() != 0)
      return errors::InvalidArgument(op, ": Invalid input matrix: Shape must be rank 0 but is rank ", handle.dims());
    decoded = handle.data<Variant>()[0];
    const Result<CSRSparseMatrix*> made = GetVariantValue<CSRSparseMatrix>(&decoded);
    if (!made.ok()) return errors::InvalidArgument(op, ": Could not retrieve Variant input ", i);
    matrix = *made;
    if (!matrix->validated || !matrix->HasForm() || matrix->batch() == 0)
      return errors::InvalidArgument(op, ": Variant input ", i, " is not valid.");
    if (!parts_only && !matrix->HasRows())
      return errors::InvalidArgument(op, ": Variant input ", i, " is not valid: its elements are not in the order of ",
                                     "their matrices, or outside of the shape");
    return OkStatus();
  }
};
inline Status WrongCsrType(const OpKernelContext& context, const char* what, DataType have, DataType wanted) {
  return errors::InvalidArgument(context.op_kernel().type_string(), ": dtype of ", what,
                                 " is not equal to 'type': ", Name(have), " vs. ", Name(wanted));
}

// Output 0 := the matrix.
inline Status SetCsrOutput(OpKernelContext& context, CSRSparseMatrix&& matrix) {
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape(), &out));
  out->data<Variant>()[0] = Variant(std::move(matrix));
  return OkStatus();
}

// A matrix with room for its batches and rows, whose pointers are all 0. Its elements are left out.
inline Status MakeCsr(OpKernelContext& context, DataType dtype, const std::int64_t* sizes, Index rank,
                      CSRSparseMatrix* out) {
  const std::string_view op = context.op_kernel().type_string();
  const std::int64_t batch = rank == 2 ? 1 : sizes[0], rows = sizes[rank - 2];
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (Index d = 0; d < rank; ++d)
    if (sizes[d] < 0)
      return errors::InvalidArgument(op, ": Expected shape dimensions to be non-negative, got ", sizes[d],
                                     " for dimension ", d);
  if (batch >= kMost)
    return errors::InvalidArgument(op, ": dense_shape batch_size must be < Int32Max, but the input value is ", batch);
  if (rows >= kMost || (batch > 0 && rows + 1 > kMost / batch))
    return errors::InvalidArgument(op, ": The csr row index size, computed based on the dense_shape, must be <= ",
                                   "Int32Max, but is too large, got ", batch, " matrices of ", rows, " rows");
  out->dtype = dtype;
  out->validated = true;
  TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt64, TensorShape({rank}), &out->shape));
  TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt32, TensorShape({batch + 1}), &out->batch_pointers));
  TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt32, TensorShape({batch * (rows + 1)}), &out->row_pointers));
  for (Index d = 0; d < rank; ++d) out->shape.data<std::int64_t>()[d] = sizes[d];
  for (Tensor* const x : {&out->batch_pointers, &out->row_pointers})
    for (Index i = 0; i < x->NumElements(); ++i) x->data<std::int32_t>()[i] = 0;
  return OkStatus();
}
// Room for n elements.
inline Status MakeCsrElements(OpKernelContext& context, Index n, CSRSparseMatrix* out) {
  if (n > std::numeric_limits<std::int32_t>::max())
    return errors::InvalidArgument(context.op_kernel().type_string(), ": a CSRSparseMatrix has at most 2^31 - 1 ",
                                   "elements, got ", n);
  TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt32, TensorShape({n}), &out->columns));
  return context.allocate_temp(out->dtype, TensorShape({n}), &out->values);
}

// Shape functions: the shape that the variant at input i holds, of rank 2 or 3.
inline Status CsrHandleShape(InferenceContext* c, int i, ShapeHandle* shape) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  const auto* const held = c->input_handle_shapes_and_types(i);
  *shape = held != nullptr && held->size() == 1 ? (*held)[0].shape : c->UnknownShape();
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(*shape, 2, shape));
  return c->WithRankAtMost(*shape, 3, shape);
}
// Output 0: a scalar that holds a matrix of this shape.
inline Status SetCsrHandle(InferenceContext* c, ShapeHandle shape, const char* type_attr) {
  DataType dtype{};
  TENON_RETURN_IF_ERROR(c->GetAttr(type_attr, &dtype));
  SlimVector<ShapeAndType> held;
  held.push_back({shape, dtype});
  c->set_output(0, c->Scalar());
  c->set_output_handle_shapes_and_types(0, held);
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradient functions by the name of an op. Headers of gradients link their tables into one list when they are included.
//
//   struct Cube {  // an op
//     static constexpr auto signature = Op("Cube")...;
//     static void gradient(GradientBuilder& g) { g.set(0, g.dy() * 3.0 * g.x() * g.x()); }
//   };
//   inline const bool registers_cube = tenon::RegisterGradient<Cube>();

#include <atomic>
#include <cstddef>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/graph/graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

class GradientBuilder;

// Adds nodes for the gradients of a node's inputs. Null: the op is declared to have none.
using GradientFunction = void (*)(GradientBuilder& g);

// Gradient function of one op, or of a name in the attr _gradient_op_type.
struct GradientRow {
  std::string_view op;
  GradientFunction function = nullptr;
};

// A table of the list. Constant but for `next`; lives as long as the binary or the shared library.
struct GradientBatch {
  Span<const GradientRow> rows;
  GradientBatch* next = nullptr;
  std::atomic<bool> linked{false};
};

namespace detail {
// All tables of the process, newest first. thread-safe.
inline constinit std::atomic<GradientBatch*> gradient_batches{nullptr};

inline bool LinkGradients(GradientBatch* batch) {
  if (batch->linked.exchange(true, std::memory_order_relaxed)) return true;
  batch->next = gradient_batches.load(std::memory_order_relaxed);
  while (!gradient_batches.compare_exchange_weak(batch->next, batch, std::memory_order_release,
                                                 std::memory_order_relaxed)) {
  }
  return true;
}

// One per table, so that a header that is included in several files links it once.
template <const auto& kRows>
struct GradientTable {
  static inline constinit GradientBatch batch{{kRows, sizeof kRows / sizeof kRows[0]}, nullptr, {}};
};
}  // namespace detail

// Makes an array of GradientRow known to all later derivations. Newer tables win. Returns true. thread-safe.
template <const auto& kRows>
bool RegisterGradients() {
  return detail::LinkGradients(&detail::GradientTable<kRows>::batch);
}
namespace detail {
template <class OpStruct>
struct GradientOfOp {
  static constexpr GradientRow rows[1] = {{OpStruct::signature.view().name, &OpStruct::gradient}};
};
}  // namespace detail
// Does so for an op struct with a static member function `gradient`.
template <class OpStruct>
bool RegisterGradient() {
  return RegisterGradients<detail::GradientOfOp<OpStruct>::rows>();
}

// The rows that are registered when it is made, by name. immutable.
class GradientIndex {
 public:
  GradientIndex() {
    for (GradientBatch* batch = detail::gradient_batches.load(std::memory_order_acquire); batch != nullptr;
         batch = batch->next)
      for (const GradientRow& row : batch->rows) {
        if (index_.Insert(row.op, static_cast<int>(rows_.size()), NameOf{&rows_}) >= 0) continue;
        rows_.push_back(&row);
      }
  }
  // Null: no gradient is registered under the name.
  const GradientRow* Find(std::string_view name) const {
    const int at = index_.Find(name, NameOf{&rows_});
    return at < 0 ? nullptr : rows_[ToSize(at)];
  }
  std::size_t size() const { return rows_.size(); }

 private:
  struct NameOf {
    const SlimVector<const GradientRow*>* rows;
    std::string_view operator()(int i) const { return (*rows)[ToSize(i)]->op; }
  };
  SlimVector<const GradientRow*> rows_;
  detail::NameIndex index_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

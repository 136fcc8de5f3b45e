// SPDX-License-Identifier: Apache-2.0
#pragma once
// FoldIntegers: the values of small integer nodes from the values of their inputs, without a kernel. Shape inference
// needs them where a graph computes with shapes (Pack, StridedSlice, ConcatV2, arithmetic, ...), and finds them when
// this header is included somewhere in the program.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/integers.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// One node's inputs, and its outputs to be filled. A rule returns false for what it does not cover.
struct FoldContext {
  const Node& node;
  Span<const Integers> in;
  SlimVector<Integers>* out;

  std::int64_t Int(std::string_view attr, std::int64_t otherwise = 0) const {
    std::int64_t value = otherwise;
    return TryGetNodeAttr(node.def, attr, &value) ? value : otherwise;
  }
  bool Bool(std::string_view attr) const {
    bool value = false;
    return TryGetNodeAttr(node.def, attr, &value) && value;
  }
  bool Give(Integers value) const {
    if (value.size() > kMaxFoldedElements) return false;
    out->push_back(std::move(value));
    return true;
  }
};

// Wraps around instead of overflowing.
constexpr std::int64_t Wrapped(std::uint64_t value) { return static_cast<std::int64_t>(value); }
constexpr std::uint64_t Bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

struct BinaryRule {
  std::string_view op;
  std::int64_t (*apply)(std::int64_t a, std::int64_t b);
  bool divides = false;  // no result for some operands
};
inline constexpr BinaryRule kBinaryRules[] = {
    {"Add", [](std::int64_t a, std::int64_t b) { return Wrapped(Bits(a) + Bits(b)); }},
    {"AddV2", [](std::int64_t a, std::int64_t b) { return Wrapped(Bits(a) + Bits(b)); }},
    {"Sub", [](std::int64_t a, std::int64_t b) { return Wrapped(Bits(a) - Bits(b)); }},
    {"Mul", [](std::int64_t a, std::int64_t b) { return Wrapped(Bits(a) * Bits(b)); }},
    {"Maximum", [](std::int64_t a, std::int64_t b) { return a > b ? a : b; }},
    {"Minimum", [](std::int64_t a, std::int64_t b) { return a < b ? a : b; }},
    {"Equal", [](std::int64_t a, std::int64_t b) { return std::int64_t{a == b}; }},
    {"NotEqual", [](std::int64_t a, std::int64_t b) { return std::int64_t{a != b}; }},
    {"Less", [](std::int64_t a, std::int64_t b) { return std::int64_t{a < b}; }},
    {"LessEqual", [](std::int64_t a, std::int64_t b) { return std::int64_t{a <= b}; }},
    {"Greater", [](std::int64_t a, std::int64_t b) { return std::int64_t{a > b}; }},
    {"GreaterEqual", [](std::int64_t a, std::int64_t b) { return std::int64_t{a >= b}; }},
    {"LogicalAnd", [](std::int64_t a, std::int64_t b) { return std::int64_t{a != 0 && b != 0}; }},
    {"LogicalOr", [](std::int64_t a, std::int64_t b) { return std::int64_t{a != 0 || b != 0}; }},
    {"Div", [](std::int64_t a, std::int64_t b) { return a / b; }, true},
    {"TruncateDiv", [](std::int64_t a, std::int64_t b) { return a / b; }, true},
    {"FloorDiv", [](std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); },
     true},
    {"Mod", [](std::int64_t a, std::int64_t b) { return a % b; }, true},
    {"TruncateMod", [](std::int64_t a, std::int64_t b) { return a % b; }, true},
    {"FloorMod", [](std::int64_t a, std::int64_t b) { return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0); },
     true},
};

struct UnaryRule {
  std::string_view op;
  std::int64_t (*apply)(std::int64_t x);
};
inline constexpr UnaryRule kUnaryRules[] = {
    {"Abs", [](std::int64_t x) { return x < 0 ? Wrapped(0 - Bits(x)) : x; }},
    {"LogicalNot", [](std::int64_t x) { return std::int64_t{x == 0}; }},
    {"Neg", [](std::int64_t x) { return Wrapped(0 - Bits(x)); }},
    {"OnesLike", [](std::int64_t) { return std::int64_t{1}; }},
    {"Sign", [](std::int64_t x) { return std::int64_t{x > 0} - std::int64_t{x < 0}; }},
    {"Square", [](std::int64_t x) { return Wrapped(Bits(x) * Bits(x)); }},
    {"ZerosLike", [](std::int64_t) { return std::int64_t{0}; }},
};

template <class Rule, std::size_t N>
const Rule* FindRule(const Rule (&rules)[N], std::string_view op) {
  for (const Rule& rule : rules) {
    if (rule.op == op) return &rule;
  }
  return nullptr;
}

// Equal dimensions, or one side a single element of no higher rank.
inline bool FoldElementwise(const FoldContext& c) {
  const Integers &a = c.in[0], &b = c.in[1];
  const BinaryRule* rule = FindRule(kBinaryRules, c.node.op_name());
  const bool spread_a = a.size() == 1 && a.rank() <= b.rank(), spread_b = b.size() == 1 && b.rank() <= a.rank();
  if (rule == nullptr || (!(a.dims == b.dims) && !spread_a && !spread_b)) return false;
  Integers out = spread_a ? b : a;
  for (Index i = 0; i < out.size(); ++i) {
    const std::int64_t x = a.at(a.size() == 1 ? 0 : i), y = b.at(b.size() == 1 ? 0 : i);
    const bool undefined = y == 0 || (y == -1 && x == std::numeric_limits<std::int64_t>::min());
    if (rule->divides && undefined) return false;
    out.values[static_cast<std::size_t>(i)] = rule->apply(x, y);
  }
  return c.Give(std::move(out));
}

inline bool FoldUnary(const FoldContext& c) {
  const UnaryRule* rule = FindRule(kUnaryRules, c.node.op_name());
  if (rule == nullptr) return false;
  Integers out = c.in[0];
  for (std::int64_t& x : out.values) x = rule->apply(x);
  return c.Give(std::move(out));
}

// Identity and its like; Cast between these dtypes is the same (WriteIntegers wraps or tests for zero).
inline bool FoldCopy(const FoldContext& c) {
  for (const Integers& in : c.in) {
    if (!c.Give(in)) return false;
  }
  return true;
}

inline bool FoldSelect(const FoldContext& c) {
  const Integers &when = c.in[0], &a = c.in[1], &b = c.in[2];
  if (!(a.dims == b.dims) || (when.rank() != 0 && !(when.dims == a.dims))) return false;
  Integers out = a;
  for (Index i = 0; i < out.size(); ++i) {
    if (when.at(when.rank() == 0 ? 0 : i) == 0) out.values[static_cast<std::size_t>(i)] = b.at(i);
  }
  return c.Give(std::move(out));
}

inline bool FoldPack(const FoldContext& c) {
  Integers out;
  const Index rank = c.in[0].rank(), axis = c.Int("axis");
  if (axis != 0 && axis != -1 - rank) return false;
  out.dims.push_back(static_cast<Index>(c.in.size()));
  for (const Index d : c.in[0].dims) out.dims.push_back(d);
  for (const Integers& in : c.in) {
    if (!(in.dims == c.in[0].dims) || out.size() > kMaxFoldedElements) return false;
    out.values.append(in.values.begin(), in.values.end());
  }
  return c.Give(std::move(out));
}

// Parts of dimension 0 of `in`, sizes[i] rows each; without the dimension when `drop` is set.
inline bool FoldParts(const FoldContext& c, const Integers& in, Span<const Index> sizes, bool drop) {
  if (in.rank() < 1 || in.dims[0] == 0) return false;
  const Index row = in.size() / in.dims[0];
  Index at = 0;
  for (const Index size : sizes) {
    if (size < 0 || size > in.dims[0] - at) return false;
    Integers out;
    if (!drop) out.dims.push_back(size);
    for (std::size_t d = 1; d < in.dims.size(); ++d) out.dims.push_back(in.dims[d]);
    out.values.assign(in.values.begin() + at * row, in.values.begin() + (at + size) * row);
    if (!c.Give(std::move(out))) return false;
    at += size;
  }
  return at == in.dims[0];
}
inline bool FoldUnpack(const FoldContext& c) {
  if (c.Int("axis") != 0 && c.Int("axis") != -c.in[0].rank()) return false;
  return FoldParts(c, c.in[0], SlimVector<Index>(static_cast<std::size_t>(c.node.num_outputs()), 1), true);
}
inline bool FoldSplit(const FoldContext& c) {
  const Index parts = c.node.num_outputs();
  if (c.in[0].size() != 1 || c.in[0].at(0) != 0 || c.in[1].rank() < 1 || parts == 0 || c.in[1].dims[0] % parts != 0)
    return false;
  return FoldParts(c, c.in[1], SlimVector<Index>(static_cast<std::size_t>(parts), c.in[1].dims[0] / parts), false);
}
inline bool FoldSplitV(const FoldContext& c) {
  if (c.in[2].size() != 1 || c.in[2].at(0) != 0) return false;
  return FoldParts(c, c.in[0], c.in[1].values, false);
}

// Along dimension 0.
inline bool FoldConcat(const FoldContext& c) {
  const bool v2 = c.node.op_name() == "ConcatV2";
  const Integers& axis = v2 ? c.in.back() : c.in.front();
  const Span<const Integers> parts = v2 ? c.in.first(c.in.size() - 1) : c.in.subspan(1);
  Integers out = parts.front();
  if (axis.size() != 1 || out.rank() < 1 || (axis.at(0) != 0 && axis.at(0) != -out.rank())) return false;
  for (const Integers& part : parts.subspan(1)) {
    if (part.rank() != out.rank() || !std::equal(part.dims.begin() + 1, part.dims.end(), out.dims.begin() + 1))
      return false;
    if (out.size() + part.size() > kMaxFoldedElements) return false;
    out.dims[0] += part.dims[0];
    out.values.append(part.values.begin(), part.values.end());
  }
  return c.Give(std::move(out));
}

inline bool FoldReshape(const FoldContext& c) {
  const std::string_view op = c.node.op_name();
  Integers out = c.in[0];
  if (op == "Reshape") {
    out.dims.assign(c.in[1].values.begin(), c.in[1].values.end());
    Index known = 1;
    for (const Index d : out.dims) {
      if (d >= 0) known = MultiplyWithoutOverflow(known, d);
    }
    if (known < 0) return false;
    for (Index& d : out.dims) {
      if (d == -1 && known > 0) d = out.size() / known;
    }
  } else if (op == "ExpandDims") {
    if (c.in[1].size() != 1) return false;
    const Index at = c.in[1].at(0) < 0 ? c.in[1].at(0) + out.rank() + 1 : c.in[1].at(0);
    if (at < 0 || at > out.rank()) return false;
    out.dims.insert(out.dims.begin() + at, 1);
  } else {  // Squeeze
    SlimVector<std::int64_t> which;
    (void)TryGetNodeAttr(c.node.def, "squeeze_dims", &which);
    for (std::int64_t& d : which) d += d < 0 ? out.rank() : 0;
    InlinedVector<Index, 4> kept;
    for (Index d = 0; d < out.rank(); ++d) {
      const Index size = out.dims[static_cast<std::size_t>(d)];
      const bool listed = std::find(which.begin(), which.end(), d) != which.end();
      if (listed && size != 1) return false;
      if (which.empty() ? size != 1 : !listed) kept.push_back(size);
    }
    out.dims = std::move(kept);
  }
  return c.Give(std::move(out));  // WriteIntegers refuses dimensions that do not fit the values
}

inline bool FoldFill(const FoldContext& c) {
  Integers out;
  if (c.in[0].rank() != 1 || c.in[1].size() != 1) return false;
  out.dims.assign(c.in[0].values.begin(), c.in[0].values.end());
  Index n = 1;
  for (const Index d : out.dims) n = MultiplyWithoutOverflow(n, d);
  if (n < 0 || n > kMaxFoldedElements) return false;
  out.values.assign(static_cast<std::size_t>(n), c.in[1].at(0));
  return c.Give(std::move(out));
}

inline bool FoldRange(const FoldContext& c) {
  for (const Integers& in : c.in) {
    if (in.size() != 1) return false;
  }
  const std::int64_t start = c.in[0].at(0), limit = c.in[1].at(0), delta = c.in[2].at(0);
  if (delta == 0) return false;
  SlimVector<std::int64_t> values;
  for (std::int64_t x = start; delta > 0 ? x < limit : x > limit; x += delta) {
    if (static_cast<Index>(values.size()) == kMaxFoldedElements) return false;
    values.push_back(x);
    if (delta > 0 ? x > std::numeric_limits<std::int64_t>::max() - delta
                  : x < std::numeric_limits<std::int64_t>::min() - delta)
      break;
  }
  return c.Give(Integers::Vector(std::move(values)));
}

inline bool FoldGather(const FoldContext& c) {
  const Integers &params = c.in[0], &indices = c.in[1];
  if (params.rank() != 1 || c.Int("batch_dims") != 0) return false;
  if (c.in.size() > 2 && (c.in[2].size() != 1 || (c.in[2].at(0) != 0 && c.in[2].at(0) != -1))) return false;
  Integers out = indices;
  for (std::int64_t& i : out.values) {
    if (i < 0 || i >= params.size()) return false;
    i = params.at(i);
  }
  return c.Give(std::move(out));
}

inline bool FoldSlice(const FoldContext& c) {
  const Integers& in = c.in[0];
  if (in.rank() != 1 || c.in[1].size() != 1 || c.in[2].size() != 1) return false;
  const std::int64_t begin = c.in[1].at(0);
  if (begin < 0 || begin > in.size()) return false;
  const std::int64_t size = c.in[2].at(0) == -1 ? in.size() - begin : c.in[2].at(0);
  if (size < 0 || size > in.size() - begin) return false;
  return c.Give(Integers::Vector({in.values.begin() + begin, in.values.begin() + begin + size}));
}

// One index into a vector, without ellipsis and new axes.
inline bool FoldStridedSlice(const FoldContext& c) {
  const Integers& in = c.in[0];
  for (std::size_t i = 1; i < 4; ++i) {
    if (c.in[i].size() != 1) return false;
  }
  if (in.rank() != 1 || (c.Int("ellipsis_mask") & 1) != 0 || (c.Int("new_axis_mask") & 1) != 0) return false;
  const Index n = in.size(), stride = c.in[3].at(0);
  if (stride == 0) return false;
  std::int64_t begin = c.in[1].at(0), end = c.in[2].at(0);
  begin += begin < 0 ? n : 0;
  end += end < 0 ? n : 0;
  if ((c.Int("shrink_axis_mask") & 1) != 0) {
    if (begin < 0 || begin >= n) return false;
    return c.Give(Integers::Scalar(in.at(begin)));
  }
  const Index low = stride > 0 ? 0 : -1, high = stride > 0 ? n : n - 1;
  begin = (c.Int("begin_mask") & 1) != 0 ? (stride > 0 ? low : high) : std::clamp(begin, low, high);
  end = (c.Int("end_mask") & 1) != 0 ? (stride > 0 ? high : low) : std::clamp(end, low, high);
  SlimVector<std::int64_t> values;
  if (stride > 0) {
    for (Index i = begin; i<end; i = stride> end - i ? end : i + stride) values.push_back(in.at(i));
  } else {
    for (Index i = begin; i > end; i = stride < end - i ? end : i + stride) values.push_back(in.at(i));
  }
  return c.Give(Integers::Vector(std::move(values)));
}

// Over all dimensions at once.
inline bool FoldReduction(const FoldContext& c) {
  const std::string_view op = c.node.op_name();
  const Integers &in = c.in[0], &axes = c.in[1];
  SlimVector<char> seen(static_cast<std::size_t>(in.rank()), 0);
  for (std::int64_t axis : axes.values) {
    axis += axis < 0 ? in.rank() : 0;
    if (axis < 0 || axis >= in.rank()) return false;
    seen[static_cast<std::size_t>(axis)] = 1;
  }
  if (std::find(seen.begin(), seen.end(), 0) != seen.end() || in.values.empty()) {
    if (!in.values.empty() || in.rank() != 1 || seen[0] == 0 || (op != "Sum" && op != "Prod")) return false;
  }
  std::int64_t total = op == "Sum" || op == "Any" ? 0 : op == "Prod" || op == "All" ? 1 : in.at(0);
  for (const std::int64_t x : in.values) {
    if (op == "Sum")
      total = Wrapped(Bits(total) + Bits(x));
    else if (op == "Prod")
      total = Wrapped(Bits(total) * Bits(x));
    else if (op == "Max")
      total = std::max(total, x);
    else if (op == "Min")
      total = std::min(total, x);
    else if (op == "Any")
      total = total != 0 || x != 0;
    else if (op == "All")
      total = total != 0 && x != 0;
    else
      return false;
  }
  Integers out = Integers::Scalar(total);
  if (c.Bool("keep_dims")) out.dims.assign(seen.size(), 1);
  return c.Give(std::move(out));
}

inline bool FoldTile(const FoldContext& c) {
  if (c.in[0].rank() != 1 || c.in[1].size() != 1 || c.in[1].at(0) < 0) return false;
  const Index n = MultiplyWithoutOverflow(c.in[0].size(), c.in[1].at(0));
  if (n < 0 || n > kMaxFoldedElements) return false;
  SlimVector<std::int64_t> values;
  for (Index i = 0; i < n; ++i) values.push_back(c.in[0].at(i % c.in[0].size()));
  return c.Give(Integers::Vector(std::move(values)));
}

inline bool FoldBroadcastArgs(const FoldContext& c) {
  const auto size = std::max(c.in[0].size(), c.in[1].size());
  SlimVector<std::int64_t> out(static_cast<std::size_t>(size), 1);
  for (const Integers& in : c.in) {
    if (in.rank() != 1) return false;
    for (Index i = 0; i < in.size(); ++i) {
      std::int64_t& d = out[static_cast<std::size_t>(size - in.size() + i)];
      if (in.at(i) != 1 && d != 1 && d != in.at(i)) return false;
      if (in.at(i) != 1) d = in.at(i);
    }
  }
  return c.Give(Integers::Vector(std::move(out)));
}

inline bool FoldInvertPermutation(const FoldContext& c) {
  const Index n = c.in[0].size();
  SlimVector<std::int64_t> out(static_cast<std::size_t>(n), -1);
  for (Index i = 0; i < n; ++i) {
    const std::int64_t to = c.in[0].at(i);
    if (to < 0 || to >= n || out[static_cast<std::size_t>(to)] >= 0) return false;
    out[static_cast<std::size_t>(to)] = i;
  }
  return c.Give(Integers::Vector(std::move(out)));
}

// Folds Reverse of vectors and scalars.
inline bool FoldReverse(const FoldContext& c) {
  Integers out = c.in[0];
  if (out.rank() > 1) return false;
  for (const std::int64_t axis : c.in[1].values)
    if (axis < -out.rank() || axis >= out.rank()) return false;
  if (!c.in[1].values.empty()) std::reverse(out.values.begin(), out.values.end());
  return c.in[1].size() <= 1 && c.Give(std::move(out));
}
struct FoldRule {
  std::string_view op;
  std::size_t inputs;  // at least
  bool (*fold)(const FoldContext&);
};
inline constexpr FoldRule kFoldRules[] = {

    {"ReverseV2", 2, FoldReverse},
    {"All", 2, FoldReduction},
    {"Any", 2, FoldReduction},
    {"BroadcastArgs", 2, FoldBroadcastArgs},
    {"Cast", 1, FoldCopy},
    {"Concat", 2, FoldConcat},
    {"ConcatV2", 2, FoldConcat},
    {"ExpandDims", 2, FoldReshape},
    {"Fill", 2, FoldFill},
    {"Gather", 2, FoldGather},
    {"GatherV2", 3, FoldGather},
    {"Identity", 1, FoldCopy},
    {"IdentityN", 1, FoldCopy},
    {"Max", 2, FoldReduction},
    {"Min", 2, FoldReduction},
    {"InvertPermutation", 1, FoldInvertPermutation},
    {"Pack", 1, FoldPack},
    {"Prod", 2, FoldReduction},
    {"PreventGradient", 1, FoldCopy},
    {"Range", 3, FoldRange},
    {"Reshape", 2, FoldReshape},
    {"Select", 3, FoldSelect},
    {"SelectV2", 3, FoldSelect},
    {"Slice", 3, FoldSlice},
    {"Snapshot", 1, FoldCopy},
    {"Split", 2, FoldSplit},
    {"SplitV", 3, FoldSplitV},
    {"Squeeze", 1, FoldReshape},
    {"StopGradient", 1, FoldCopy},
    {"Sum", 2, FoldReduction},
    {"StridedSlice", 4, FoldStridedSlice},
    {"Tile", 2, FoldTile},
    {"Unpack", 1, FoldUnpack},
};

inline bool Fold(const FoldContext& c) {
  const std::string_view op = c.node.op_name();
  if (c.in.size() == 2 && FindRule(kBinaryRules, op) != nullptr) return FoldElementwise(c);
  if (c.in.size() == 1 && FindRule(kUnaryRules, op) != nullptr) return FoldUnary(c);
  const FoldRule* rule = FindRule(kFoldRules, op);
  return rule != nullptr && c.in.size() >= rule->inputs && rule->fold(c);
}

}  // namespace detail

// The values of all outputs from those of all data inputs. False, and nothing written, when the op, a dtype or a size
// is not covered, or the node would fail at run time.
inline bool FoldIntegers(const Node& node, Span<const Tensor> inputs, SlimVector<Tensor>* outputs) {
  if (inputs.empty() || inputs.size() > static_cast<std::size_t>(kMaxFoldedElements)) return false;
  SlimVector<detail::Integers> in(inputs.size()), out;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!detail::ReadIntegers(inputs[i], &in[i])) return false;
  }
  if (!detail::Fold({node, in, &out}) || out.size() != node.output_types.size()) return false;
  SlimVector<Tensor> made(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!detail::WriteIntegers(out[i], node.output_types[i], &made[i])) return false;
  }
  *outputs = std::move(made);
  return true;
}

namespace detail {
inline const bool integer_folding_linked = (fold_integers.store(&FoldIntegers, std::memory_order_release), true);
}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

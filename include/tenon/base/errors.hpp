// SPDX-License-Identifier: Apache-2.0
#pragma once
// errors::InvalidArgument("MatMul: ...", got) and its sisters, one for each code; nearest names for "did you mean".

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>

TENON_NAMESPACE_BEGIN

namespace errors {

TENON_COLD inline Status MakeFromPieces(Code code, std::initializer_list<Piece> pieces) {
  return Status(code, tenon::detail::CatPieces(pieces));
}

// A Status of the given code whose message is StrCat(args...). Never constant: reaching one while a shape function runs in
// a constant expression stops the compiler at the line of the mistake.
template <class... Args>
Status Make(Code code, const Args&... args) {
  return MakeFromPieces(code, {Piece(args)...});
}

template <class... Args> Status Cancelled(const Args&... args) { return Make(Code::kCancelled, args...); }
template <class... Args> Status Unknown(const Args&... args) { return Make(Code::kUnknown, args...); }
template <class... Args> Status InvalidArgument(const Args&... args) { return Make(Code::kInvalidArgument, args...); }
template <class... Args> Status DeadlineExceeded(const Args&... args) { return Make(Code::kDeadlineExceeded, args...); }
template <class... Args> Status NotFound(const Args&... args) { return Make(Code::kNotFound, args...); }
template <class... Args> Status AlreadyExists(const Args&... args) { return Make(Code::kAlreadyExists, args...); }
template <class... Args> Status PermissionDenied(const Args&... args) { return Make(Code::kPermissionDenied, args...); }
template <class... Args> Status ResourceExhausted(const Args&... args) { return Make(Code::kResourceExhausted, args...); }
template <class... Args> Status FailedPrecondition(const Args&... args) { return Make(Code::kFailedPrecondition, args...); }
template <class... Args> Status Aborted(const Args&... args) { return Make(Code::kAborted, args...); }
template <class... Args> Status OutOfRange(const Args&... args) { return Make(Code::kOutOfRange, args...); }
template <class... Args> Status Unimplemented(const Args&... args) { return Make(Code::kUnimplemented, args...); }
template <class... Args> Status Internal(const Args&... args) { return Make(Code::kInternal, args...); }
template <class... Args> Status Unavailable(const Args&... args) { return Make(Code::kUnavailable, args...); }
template <class... Args> Status DataLoss(const Args&... args) { return Make(Code::kDataLoss, args...); }
template <class... Args> Status Unauthenticated(const Args&... args) { return Make(Code::kUnauthenticated, args...); }

inline bool IsCancelled(const Status& s) { return s.code() == Code::kCancelled; }
inline bool IsUnknown(const Status& s) { return s.code() == Code::kUnknown; }
inline bool IsInvalidArgument(const Status& s) { return s.code() == Code::kInvalidArgument; }
inline bool IsDeadlineExceeded(const Status& s) { return s.code() == Code::kDeadlineExceeded; }
inline bool IsNotFound(const Status& s) { return s.code() == Code::kNotFound; }
inline bool IsAlreadyExists(const Status& s) { return s.code() == Code::kAlreadyExists; }
inline bool IsPermissionDenied(const Status& s) { return s.code() == Code::kPermissionDenied; }
inline bool IsResourceExhausted(const Status& s) { return s.code() == Code::kResourceExhausted; }
inline bool IsFailedPrecondition(const Status& s) { return s.code() == Code::kFailedPrecondition; }
inline bool IsAborted(const Status& s) { return s.code() == Code::kAborted; }
inline bool IsOutOfRange(const Status& s) { return s.code() == Code::kOutOfRange; }
inline bool IsUnimplemented(const Status& s) { return s.code() == Code::kUnimplemented; }
inline bool IsInternal(const Status& s) { return s.code() == Code::kInternal; }
inline bool IsUnavailable(const Status& s) { return s.code() == Code::kUnavailable; }
inline bool IsDataLoss(const Status& s) { return s.code() == Code::kDataLoss; }
inline bool IsUnauthenticated(const Status& s) { return s.code() == Code::kUnauthenticated; }

}  // namespace errors

namespace detail {
// Edits (insert, delete, replace, swap of neighbours) that turn a into b; case differences count half. In half edits.
inline std::size_t EditDistance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const auto cost = [&](char x, char y) -> std::size_t { return x == y ? 0 : lower(x) == lower(y) ? 1 : 2; };
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = 2 * j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = 2 * i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 2, row[j - 1] + 2, last[j - 1] + cost(a[i - 1], b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 2);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}
}  // namespace detail

// "; did you mean 'MatMul', 'BatchMatMul'?" with the nearest (at most three) of `candidates`, or "" when none is near.
template <class Range>
std::string DidYouMean(std::string_view name, const Range& candidates) {
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const auto& candidate : candidates) {
    const std::string_view text(candidate);
    const std::size_t limit = 2 * std::max<std::size_t>(1, std::min<std::size_t>(4, std::max(name.size(), text.size()) / 3));
    const std::size_t gap = name.size() > text.size() ? name.size() - text.size() : text.size() - name.size();
    if (2 * gap > limit) continue;
    if (const std::size_t d = detail::EditDistance(name, text); d <= limit) near.emplace_back(d, text);
  }
  if (near.empty()) return "";
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  if (near.size() > 3) near.resize(3);
  return StrCat("; did you mean ", StrJoin(near, ", ", [](std::string* out, const auto& n) { StrAppend(out, "'", n.second, "'"); }), "?");
}

TENON_NAMESPACE_END

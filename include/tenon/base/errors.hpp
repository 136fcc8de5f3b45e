// SPDX-License-Identifier: Apache-2.0
#pragma once
// errors::InvalidArgument("MatMul: ...", got) and its sisters, one for each code; nearest names for "did you mean".

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace errors {

TENON_DETAIL_COLD inline Status MakeFromPieces(Code code, std::initializer_list<Piece> pieces) noexcept {
#if defined(__cpp_exceptions)
  try {
    return Status(code, tenon::detail::CatPieces(pieces));
  } catch (const std::bad_alloc&) {
    return Status::NoMemory();
  }
#else
  return Status(code, tenon::detail::CatPieces(pieces));
#endif
}

// A Status of the given code whose message is StrCat(args...). Never constant: reaching one while a shape function runs
// in a constant expression stops the compiler at the line of the mistake.
template <class... Args>
Status Make(Code code, const Args&... args) {
  return MakeFromPieces(code, {Piece(args)...});
}

// The type of errors::InvalidArgument and its sisters: a call makes a Status of its code. Each number of pieces has
// an overload: a function template would be compiled once for every combination of argument types, literals of each
// length among them, and the runtime has some hundred.
class Maker {
 public:
  explicit constexpr Maker(Code code) : code_(code) {}
  TENON_DETAIL_COLD Status operator()(const Piece& a) const { return MakeFromPieces(code_, {a}); }
  TENON_DETAIL_COLD Status operator()(const Piece& a, const Piece& b) const { return MakeFromPieces(code_, {a, b}); }
  TENON_DETAIL_COLD Status operator()(const Piece& a, const Piece& b, const Piece& c) const {
    return MakeFromPieces(code_, {a, b, c});
  }
  TENON_DETAIL_COLD Status operator()(const Piece& a, const Piece& b, const Piece& c, const Piece& d) const {
    return MakeFromPieces(code_, {a, b, c, d});
  }
  TENON_DETAIL_COLD Status operator()(const Piece& a, const Piece& b, const Piece& c, const Piece& d,
                                      const Piece& e) const {
    return MakeFromPieces(code_, {a, b, c, d, e});
  }
  TENON_DETAIL_COLD Status operator()(const Piece& a, const Piece& b, const Piece& c, const Piece& d, const Piece& e,
                                      const Piece& f) const {
    return MakeFromPieces(code_, {a, b, c, d, e, f});
  }
  TENON_DETAIL_COLD Status operator()(const Piece& a, const Piece& b, const Piece& c, const Piece& d, const Piece& e,
                                      const Piece& f, const Piece& g) const {
    return MakeFromPieces(code_, {a, b, c, d, e, f, g});
  }
  TENON_DETAIL_COLD Status operator()(const Piece& a, const Piece& b, const Piece& c, const Piece& d, const Piece& e,
                                      const Piece& f, const Piece& g, const Piece& h) const {
    return MakeFromPieces(code_, {a, b, c, d, e, f, g, h});
  }
  TENON_DETAIL_COLD Status operator()(const Piece& a, const Piece& b, const Piece& c, const Piece& d, const Piece& e,
                                      const Piece& f, const Piece& g, const Piece& h, const Piece& i) const {
    return MakeFromPieces(code_, {a, b, c, d, e, f, g, h, i});
  }
  TENON_DETAIL_COLD Status operator()(const Piece& a, const Piece& b, const Piece& c, const Piece& d, const Piece& e,
                                      const Piece& f, const Piece& g, const Piece& h, const Piece& i,
                                      const Piece& j) const {
    return MakeFromPieces(code_, {a, b, c, d, e, f, g, h, i, j});
  }
  TENON_DETAIL_COLD Status operator()(const Piece& a, const Piece& b, const Piece& c, const Piece& d, const Piece& e,
                                      const Piece& f, const Piece& g, const Piece& h, const Piece& i, const Piece& j,
                                      const Piece& k) const {
    return MakeFromPieces(code_, {a, b, c, d, e, f, g, h, i, j, k});
  }
  TENON_DETAIL_COLD Status operator()(const Piece& a, const Piece& b, const Piece& c, const Piece& d, const Piece& e,
                                      const Piece& f, const Piece& g, const Piece& h, const Piece& i, const Piece& j,
                                      const Piece& k, const Piece& l) const {
    return MakeFromPieces(code_, {a, b, c, d, e, f, g, h, i, j, k, l});
  }
  // For longer messages.
  template <class... Rest>
  Status operator()(const Piece& a, const Piece& b, const Piece& c, const Piece& d, const Piece& e, const Piece& f,
                    const Piece& g, const Piece& h, const Piece& i, const Piece& j, const Piece& k, const Piece& l,
                    const Piece& m, const Rest&... rest) const {
    return MakeFromPieces(code_, {a, b, c, d, e, f, g, h, i, j, k, l, m, Piece(rest)...});
  }

 private:
  Code code_;
};

inline constexpr Maker Cancelled{Code::kCancelled};
inline constexpr Maker Unknown{Code::kUnknown};
inline constexpr Maker InvalidArgument{Code::kInvalidArgument};
inline constexpr Maker DeadlineExceeded{Code::kDeadlineExceeded};
inline constexpr Maker NotFound{Code::kNotFound};
inline constexpr Maker AlreadyExists{Code::kAlreadyExists};
inline constexpr Maker PermissionDenied{Code::kPermissionDenied};
inline constexpr Maker ResourceExhausted{Code::kResourceExhausted};
inline constexpr Maker FailedPrecondition{Code::kFailedPrecondition};
inline constexpr Maker Aborted{Code::kAborted};
inline constexpr Maker OutOfRange{Code::kOutOfRange};
inline constexpr Maker Unimplemented{Code::kUnimplemented};
inline constexpr Maker Internal{Code::kInternal};
inline constexpr Maker Unavailable{Code::kUnavailable};
inline constexpr Maker DataLoss{Code::kDataLoss};
inline constexpr Maker Unauthenticated{Code::kUnauthenticated};

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
// Names of more than 255 characters are never near.
inline int EditDistance(std::string_view a, std::string_view b) {
  constexpr std::size_t kLongest = 255;
  if (a.size() > kLongest || b.size() > kLongest) return 4 * static_cast<int>(kLongest);
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const auto cost = [&](char x, char y) { return x == y ? 0 : lower(x) == lower(y) ? 1 : 2; };
  const auto lesser = [](int x, int y) { return x < y ? x : y; };
  int rows[3][kLongest + 1];  // row i, i - 1 and i - 2 of the table, in turn
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = 2 * static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int* const row = rows[i % 3];
    const int *const last = rows[(i + 2) % 3], *const before = rows[(i + 1) % 3];
    row[0] = 2 * static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = lesser(lesser(last[j], row[j - 1]) + 2, last[j - 1] + cost(a[i - 1], b[j - 1]));
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = lesser(row[j], before[j - 2] + 2);
    }
  }
  return rows[a.size() % 3][b.size()];
}

// The three names nearest to one, nearest first and then in alphabetical order.
class NearestNames {
 public:
  explicit NearestNames(std::string_view name) : name_(name) {}
  TENON_DETAIL_COLD void Offer(std::string_view text) {
    const std::size_t longer = name_.size() > text.size() ? name_.size() : text.size();
    const std::size_t gap = 2 * longer - name_.size() - text.size();
    const std::size_t edits = longer < 3 ? 1 : longer > 12 ? 4 : longer / 3;
    if (gap > edits) return;
    Near candidate{EditDistance(name_, text), text};
    if (candidate.distance > 2 * static_cast<int>(edits)) return;
    for (int i = 0; i < size_; ++i) {
      if (near_[i].text == text) return;
    }
    if (size_ < kMost) near_[size_++] = {1 << 20, {}};
    for (int i = 0; i < size_; ++i) {
      const bool nearer = candidate.distance != near_[i].distance ? candidate.distance < near_[i].distance
                                                                  : candidate.text < near_[i].text;
      if (!nearer) continue;
      const Near pushed = near_[i];
      near_[i] = candidate;
      candidate = pushed;
    }
  }
  TENON_DETAIL_COLD std::string Text() const {
    if (size_ == 0) return "";
    std::string text = "; did you mean ";
    for (int i = 0; i < size_; ++i) text.append(i == 0 ? "'" : ", '").append(near_[i].text).append("'");
    return text.append("?");
  }

 private:
  static constexpr int kMost = 3;
  struct Near {
    int distance;  // in half edits
    std::string_view text;
  };
  std::string_view name_;
  Near near_[kMost];
  int size_ = 0;
};
}  // namespace detail

// "; did you mean 'MatMul', 'BatchMatMul'?" with the nearest (at most three) of `candidates`, or "" when none is near.
template <class Range>
std::string DidYouMean(std::string_view name, const Range& candidates) {
  detail::NearestNames nearest(name);
  for (const auto& candidate : candidates) nearest.Offer(std::string_view(candidate));
  return nearest.Text();
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

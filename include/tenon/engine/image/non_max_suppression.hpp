// SPDX-License-Identifier: Apache-2.0
#pragma once
// Non-maximum suppression: of overlapping boxes the one with the best score. Boxes are two opposite corners each, y, x,
// y, x, in any order. On the caller's thread.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// The part that two boxes have in common of what they cover together; 0 where one covers nothing. In the arithmetic of
// T.
template <class T>
T BoxOverlap(const T* a, const T* b) {
  const T a_top = std::min(a[0], a[2]), a_left = std::min(a[1], a[3]), a_bottom = std::max(a[0], a[2]),
          a_right = std::max(a[1], a[3]);
  const T b_top = std::min(b[0], b[2]), b_left = std::min(b[1], b[3]), b_bottom = std::max(b[0], b[2]),
          b_right = std::max(b[1], b[3]);
  const T a_area = (a_bottom - a_top) * (a_right - a_left), b_area = (b_bottom - b_top) * (b_right - b_left);
  if (a_area <= T(0) || b_area <= T(0)) return T(0);
  const T height = std::max<T>(std::min(a_bottom, b_bottom) - std::max(a_top, b_top), T(0));
  const T width = std::max<T>(std::min(a_right, b_right) - std::max(a_left, b_left), T(0));
  const T common = height * width;
  return common / (a_area + b_area - common);
}

// How much boxes with `sigma` above 0 are devalued rather than dropped: exp(-overlap^2 / (2 sigma)).
template <class T>
struct SuppressionRule {
  T overlap_threshold, score_threshold, sigma = T(0);
};

namespace detail {

template <class T>
struct SuppressionCandidate {
  Index box;
  T score;
  std::size_t compared;  // selected boxes that it was compared with already

  // Whether `a` comes after `b`: the better score first, then the smaller number.
  static bool After(const SuppressionCandidate& a, const SuppressionCandidate& b) {
    return (a.score == b.score && a.box > b.box) || a.score < b.score;
  }
};

}  // namespace detail

// Numbers of at most `most` of n boxes, best first, and their scores (devalued where sigma says so). Only scores above
// the threshold take part.
template <class T>
void SuppressBoxes(const T* boxes, const T* scores, Index n, Index most, const SuppressionRule<T>& rule,
                   SlimVector<Index>* selected, SlimVector<T>* selected_scores) {
  using Candidate = detail::SuppressionCandidate<T>;
  SlimVector<Candidate> queue;  // a heap
  for (Index i = 0; i < n; ++i)
    if (scores[i] > rule.score_threshold) queue.push_back({i, scores[i], 0});
  std::make_heap(queue.begin(), queue.end(), &Candidate::After);
  const bool soft = rule.sigma > T(0);
  const T scale = soft ? T(-0.5f) / rule.sigma : T(0);
  while (static_cast<Index>(selected->size()) < most && !queue.empty()) {
    Candidate next = queue.front();
    std::pop_heap(queue.begin(), queue.end(), &Candidate::After);
    queue.pop_back();
    const T before = next.score;
    bool drop = false;
    for (std::size_t j = selected->size(); j > next.compared && !drop; --j) {
      const T overlap = BoxOverlap(boxes + 4 * next.box, boxes + 4 * (*selected)[j - 1]);
      if (soft) next.score = next.score * static_cast<T>(std::exp(scale * overlap * overlap));
      drop = !soft && overlap > rule.overlap_threshold;
      // As in TensorFlow: the box is compared again, with the score 0.
      if (!soft && overlap != overlap) next.score = next.score * T(0);
      if (next.score <= rule.score_threshold) break;
    }
    next.compared = selected->size();
    if (drop) continue;
    if (next.score == before) {
      selected->push_back(next.box);
      selected_scores->push_back(next.score);
    } else if (next.score > rule.score_threshold) {
      queue.push_back(next);
      std::push_heap(queue.begin(), queue.end(), &Candidate::After);
    }
  }
}

TENON_DETAIL_NAMESPACE_END

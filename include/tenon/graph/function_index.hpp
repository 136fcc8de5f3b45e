// SPDX-License-Identifier: Apache-2.0
#pragma once
// FunctionIndex: finds the functions and gradients of a library by name in constant time.

#include <cstddef>
#include <string_view>

#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/graph/graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// immutable. The library outlives the index; its lists of functions and gradients must not change.
//
//   const FunctionIndex functions(graph.library());
//   const FunctionDef* square = functions.Find("square");
class FunctionIndex {
 public:
  FunctionIndex() : library_(&Empty()) {}
  explicit FunctionIndex(const FunctionDefLibrary& library) : library_(&library) {
    functions_.Reserve(library.function.size());
    for (std::size_t i = 0; i < library.function.size(); ++i)
      functions_.Insert(library.function[i].signature.name, static_cast<int>(i), FunctionName{library_});
    for (std::size_t i = 0; i < library.gradient.size(); ++i)
      gradients_.Insert(library.gradient[i].function_name, static_cast<int>(i), GradientName{library_});
  }

  // Null: no function of that name. The first of several functions with one name counts.
  const FunctionDef* Find(std::string_view name) const {
    const int i = functions_.Find(name, FunctionName{library_});
    return i < 0 ? nullptr : &library_->function[static_cast<std::size_t>(i)];
  }
  // Null: the library has no gradient for that function. The first of several counts.
  const GradientDef* FindGradient(std::string_view function) const {
    const int i = gradients_.Find(function, GradientName{library_});
    return i < 0 ? nullptr : &library_->gradient[static_cast<std::size_t>(i)];
  }
  const FunctionDefLibrary& library() const { return *library_; }

 private:
  struct FunctionName {
    const FunctionDefLibrary* library;
    std::string_view operator()(int i) const { return library->function[static_cast<std::size_t>(i)].signature.name; }
  };
  struct GradientName {
    const FunctionDefLibrary* library;
    std::string_view operator()(int i) const { return library->gradient[static_cast<std::size_t>(i)].function_name; }
  };
  static const FunctionDefLibrary& Empty() {
    static const FunctionDefLibrary* const empty = new FunctionDefLibrary();
    return *empty;
  }

  const FunctionDefLibrary* library_;
  detail::NameIndex functions_, gradients_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

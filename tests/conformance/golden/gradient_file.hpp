// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files of recorded gradients and trainings (gradients.proto) as plain structs with wire tables.

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/wire/schema.hpp>

#include "case_file.hpp"

namespace golden {

struct GradientCase {
  std::string name, graph;
  std::vector<std::string> y, x, grad_y, stop_gradient;
  std::string unconnected_gradients;
  std::vector<std::string> second_x, second_grad_y;
  std::vector<char> unconnected, indexed_slices;
  std::vector<Step> step;
  std::int32_t code = 0;
  std::string message;
  double rtol = 0, atol = 0;
  std::vector<std::string> op;
  std::string note;
};
struct GradientFile {
  std::vector<GradientCase> cases;
};
struct Hyper {
  std::string key;
  double value = 0;
};
struct Training {
  std::string name, graph, loss;
  std::vector<std::string> variable, initializer;
  std::string optimizer;
  std::vector<Hyper> hyper;
  std::vector<Step> step;
  double rtol = 0, atol = 0;
  std::string note;
};
struct TrainingFile {
  std::vector<Training> trainings;
};

}  // namespace golden

namespace tenon::wire {

template <>
struct Schema<golden::GradientCase> {
  static const Message message;
};
template <>
struct Schema<golden::GradientFile> {
  static const Message message;
};
template <>
struct Schema<golden::Hyper> {
  static const Message message;
};
template <>
struct Schema<golden::Training> {
  static const Message message;
};
template <>
struct Schema<golden::TrainingFile> {
  static const Message message;
};

inline constexpr Field kGoldenGradientFields[] = {
    MakeField<&golden::GradientCase::name>(1, "name"),
    OfBytes(MakeField<&golden::GradientCase::graph>(2, "graph")),
    MakeField<&golden::GradientCase::y>(3, "y"),
    MakeField<&golden::GradientCase::x>(4, "x"),
    MakeField<&golden::GradientCase::grad_y>(5, "grad_y"),
    MakeField<&golden::GradientCase::stop_gradient>(6, "stop_gradient"),
    MakeField<&golden::GradientCase::unconnected_gradients>(7, "unconnected_gradients"),
    MakeField<&golden::GradientCase::second_x>(8, "second_x"),
    MakeField<&golden::GradientCase::second_grad_y>(9, "second_grad_y"),
    MakeField<&golden::GradientCase::unconnected>(10, "unconnected"),
    MakeField<&golden::GradientCase::indexed_slices>(11, "indexed_slices"),
    MakeField<&golden::GradientCase::step>(12, "step"),
    MakeField<&golden::GradientCase::code>(13, "code"),
    MakeField<&golden::GradientCase::message>(14, "message"),
    MakeField<&golden::GradientCase::rtol>(15, "rtol"),
    MakeField<&golden::GradientCase::atol>(16, "atol"),
    MakeField<&golden::GradientCase::op>(17, "op"),
    MakeField<&golden::GradientCase::note>(18, "note")};
inline constexpr Message Schema<golden::GradientCase>::message("GradientCase", kGoldenGradientFields);

inline constexpr Field kGoldenGradientFileFields[] = {MakeField<&golden::GradientFile::cases>(1, "case")};
inline constexpr Message Schema<golden::GradientFile>::message("GradientFile", kGoldenGradientFileFields);

inline constexpr Field kGoldenHyperFields[] = {MakeField<&golden::Hyper::key>(1, "key"),
                                               MakeField<&golden::Hyper::value>(2, "value")};
inline constexpr Message Schema<golden::Hyper>::message("HyperEntry", kGoldenHyperFields);

inline constexpr Field kGoldenTrainingFields[] = {MakeField<&golden::Training::name>(1, "name"),
                                                  OfBytes(MakeField<&golden::Training::graph>(2, "graph")),
                                                  MakeField<&golden::Training::loss>(3, "loss"),
                                                  MakeField<&golden::Training::variable>(4, "variable"),
                                                  MakeField<&golden::Training::initializer>(5, "initializer"),
                                                  MakeField<&golden::Training::optimizer>(6, "optimizer"),
                                                  MakeField<&golden::Training::hyper>(7, "hyper"),
                                                  MakeField<&golden::Training::step>(8, "step"),
                                                  MakeField<&golden::Training::rtol>(9, "rtol"),
                                                  MakeField<&golden::Training::atol>(10, "atol"),
                                                  MakeField<&golden::Training::note>(11, "note")};
inline constexpr Message Schema<golden::Training>::message("Training", kGoldenTrainingFields);

inline constexpr Field kGoldenTrainingFileFields[] = {MakeField<&golden::TrainingFile::trainings>(1, "training")};
inline constexpr Message Schema<golden::TrainingFile>::message("TrainingFile", kGoldenTrainingFileFields);

}  // namespace tenon::wire

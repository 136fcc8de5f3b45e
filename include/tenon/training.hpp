// SPDX-License-Identifier: Apache-2.0
#pragma once
// Training: AddTraining with the standard optimizers and the gradients of all standard ops.
//
//   TENON_ASSIGN_OR_RETURN(const auto names, tenon::AddTraining(&graph, "loss", variables, tenon::Adam{}));

#include <tenon/gradients.hpp>
#include <tenon/gradients/training/add_loss.hpp>
#include <tenon/gradients/training/add_training.hpp>
#include <tenon/gradients/training/averages.hpp>
#include <tenon/gradients/training/chain.hpp>
#include <tenon/gradients/training/clipping.hpp>
#include <tenon/gradients/training/decoupled.hpp>
#include <tenon/gradients/training/find_variables.hpp>
#include <tenon/gradients/training/initializers.hpp>
#include <tenon/gradients/training/loss_scale.hpp>
#include <tenon/gradients/training/losses.hpp>
#include <tenon/gradients/training/metrics.hpp>
#include <tenon/gradients/training/optimizers.hpp>
#include <tenon/gradients/training/schedules.hpp>
#include <tenon/gradients/training/stop_at_nan.hpp>
#include <tenon/gradients/training/update_builder.hpp>

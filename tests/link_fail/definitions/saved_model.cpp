// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime.hpp>
#include <tenon/saved_model.hpp>

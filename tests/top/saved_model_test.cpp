// SPDX-License-Identifier: Apache-2.0
// The front door and the declarations: runtime/saved_model/ has the tests of what they do.
#include <tenon/saved_model.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

#include <tenon/runtime/api/saved_model.hpp>

namespace top_saved_model_test {
using namespace tenon;

TEST_SUITE("<tenon/saved_model.hpp>") {
  TEST_CASE("loads and runs") {
    const Result<SavedModel> model = SavedModel::Load(TENON_TEST_DATA "/saved_models/module_counter");
    REQUIRE_MESSAGE(model.ok(), model.status().ToString());
    CHECK(model->Run({}, "draw")->size() == 2);
    static_assert(std::is_copy_constructible_v<SavedModel> && std::is_copy_constructible_v<ModelSignature>);
  }
}
}  // namespace top_saved_model_test

// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/row.hpp>

#include <doctest/doctest.h>

namespace row_test {
using namespace tenon;

TEST_SUITE("KernelRow") {
  TEST_CASE("batches are linked newest first") {
    static RegistrationBatch batch;
    const RegistrationBatch* before = detail::registration_batches.load();
    CHECK(detail::LinkBatch(&batch));
    CHECK(detail::registration_batches.load() == &batch);
    CHECK(batch.next == before);
  }
}
}  // namespace row_test

// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: files, tables from files.

#include <tenon/ops/io/file.hpp>
#include <tenon/ops/table/table_file.hpp>

#include "registration.hpp"

using namespace tenon;

TENON_TEST_REGISTER(ops::InitializeTableFromTextFileV2, ops::ReadFile, ops::WriteFile);

// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: lookup tables.

#include "registration.hpp"
#include <tenon/ops/table/table.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::AnonymousHashTable, ops::HashTableV2, ops::InitializeTableV2, ops::LookupTableExportV2,
                    ops::LookupTableFindV2, ops::LookupTableImportV2, ops::LookupTableInsertV2,
                    ops::LookupTableRemoveV2, ops::LookupTableSizeV2, ops::MutableHashTableOfTensorsV2,
                    ops::MutableHashTableV2);

// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: lists of tensors.

#include "registration.hpp"
#include <tenon/ops/list/tensor_list_element.hpp>
#include <tenon/ops/list/tensor_list_concat.hpp>
#include <tenon/ops/list/tensor_list_tensor.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::EmptyTensorList, ops::TensorListConcatLists, ops::TensorListElementShape,
                    ops::TensorListGetItem, ops::TensorListLength, ops::TensorListPopBack, ops::TensorListPushBack,
                    ops::TensorListPushBackBatch, ops::TensorListReserve, ops::TensorListResize,
                    ops::TensorListSetItem);
TENON_TEST_REGISTER(ops::TensorListConcat, ops::TensorListConcatV2, ops::TensorListFromTensor, ops::TensorListGather,
                    ops::TensorListScatter, ops::TensorListScatterIntoExistingList, ops::TensorListScatterV2,
                    ops::TensorListSplit, ops::TensorListStack);

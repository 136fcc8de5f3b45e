// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorProto and TensorShapeProto: tensors and shapes in serialised form, read and written.

#include <tenon/wire/shape_proto.hpp>
#include <tenon/wire/tensor_reader.hpp>
#include <tenon/wire/tensor_writer.hpp>

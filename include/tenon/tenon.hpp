// SPDX-License-Identifier: Apache-2.0
#pragma once
// Everything but the standard ops: what a small program includes once. It holds the runtime's definitions
// (<tenon/runtime.hpp>); further source files of a larger program include <tenon/session.hpp> or <tenon/register.hpp>.

#include <tenon/session.hpp>
#include <tenon/base/array.hpp>
#include <tenon/base/env.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/log.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/convert.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/hash.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/memory/allocator_registry.hpp>
#include <tenon/memory/arena.hpp>
#include <tenon/memory/bfc_allocator.hpp>
#include <tenon/memory/limited_allocator.hpp>
#include <tenon/memory/numa_sub_allocator.hpp>
#include <tenon/memory/pmr.hpp>
#include <tenon/memory/pool_allocator.hpp>
#include <tenon/memory/scoped_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/tensor/shape_util.hpp>
#include <tenon/tensor/tensor_util.hpp>
#include <tenon/tensor/tensor_views.hpp>
#include <tenon/tensor/variant_registry.hpp>
#include <tenon/wire/tensor_proto_util.hpp>
#include <tenon/op/attr_slice.hpp>
#include <tenon/op/attr_text.hpp>
#include <tenon/op/node_check.hpp>
#include <tenon/op/node_def_edit.hpp>
#include <tenon/op/op_def_compatible.hpp>
#include <tenon/op/op_list.hpp>
#include <tenon/op/op_usage.hpp>
#include <tenon/op/placeholders.hpp>
#include <tenon/op/shape_fns.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/io/dlpack.hpp>
#include <tenon/io/load_library.hpp>
#include <tenon/io/npz.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/plugin.hpp>
#include <tenon/register.hpp>
#include <tenon/runtime.hpp>
#include <tenon/runtime/trace.hpp>

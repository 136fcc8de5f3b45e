// SPDX-License-Identifier: Apache-2.0
#pragma once
// Forward declarations of the public classes, for headers that only name them.

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

class Status;
template <class T> class Result;
class Allocator;
class Buffer;
class TensorShape;
class PartialTensorShape;
class Tensor;
class tstring;
class Variant;
class AttrValue;
class AttrMap;
struct NodeDef;
struct GraphDef;
struct OpView;
class InferenceContext;
class OpRegistry;
struct Cpu;
struct Cuda;
class Device;
class ThreadPoolInterface;
class OpKernel;
class OpKernelConstruction;
class OpKernelContext;
class Registry;
class Graph;
class GraphBuilder;
struct SessionOptions;
class Session;
class Callable;

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs, tensors and models from and to the classes that protobuf's compiler makes of TensorFlow's .proto files:
// tensorflow::GraphDef and its sisters. Link tenon::protobuf, which compiles them. A program may use classes of its own
// copy of those files instead; their headers have the names below.
//
//   tensorflow::GraphDef proto;
//   TENON_RETURN_IF_ERROR(tenon::ToProto(graph, &proto));
//   TENON_ASSIGN_OR_RETURN(tenon::GraphDef again, tenon::FromProto(proto));

#include <climits>
#include <cstddef>
#include <string>

#include <tensorflow/core/example/example.pb.h>
#include <tensorflow/core/framework/function.pb.h>
#include <tensorflow/core/framework/graph.pb.h>
#include <tensorflow/core/framework/op_def.pb.h>
#include <tensorflow/core/framework/resource_handle.pb.h>
#include <tensorflow/core/framework/tensor.pb.h>
#include <tensorflow/core/framework/variable.pb.h>
#include <tensorflow/core/protobuf/meta_graph.pb.h>
#include <tensorflow/core/protobuf/saved_model.pb.h>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/status.hpp>
#include <tenon/io/example.hpp>
#include <tenon/op/graph_def/meta_graph_proto.hpp>
#include <tenon/op/graph_def/object_graph_proto.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/op/graph_def/variable_def.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_writer.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// The struct that holds what the class P of protobuf holds, as `Type`. Specialize it for further classes: the struct
// has a wire::Schema with the fields of P.
template <class P>
struct ProtoPair;

#define TENON_DETAIL_PROTO_PAIR(Proto, ...) \
  template <>                               \
  struct ProtoPair<tensorflow::Proto> {     \
    using Type = __VA_ARGS__;               \
  }
TENON_DETAIL_PROTO_PAIR(GraphDef, GraphDef);
TENON_DETAIL_PROTO_PAIR(NodeDef, NodeDef);
TENON_DETAIL_PROTO_PAIR(VersionDef, VersionDef);
TENON_DETAIL_PROTO_PAIR(AttrValue, AttrValue);
TENON_DETAIL_PROTO_PAIR(AttrValue_ListValue, AttrList);
TENON_DETAIL_PROTO_PAIR(NameAttrList, NameAttrList);
TENON_DETAIL_PROTO_PAIR(FunctionDef, FunctionDef);
TENON_DETAIL_PROTO_PAIR(FunctionDefLibrary, FunctionDefLibrary);
TENON_DETAIL_PROTO_PAIR(GradientDef, GradientDef);
TENON_DETAIL_PROTO_PAIR(RegisteredGradient, RegisteredGradient);
TENON_DETAIL_PROTO_PAIR(OpDef, OpDef);
TENON_DETAIL_PROTO_PAIR(OpDef_ArgDef, OpDef::ArgDef);
TENON_DETAIL_PROTO_PAIR(OpDef_AttrDef, OpDef::AttrDef);
TENON_DETAIL_PROTO_PAIR(OpDeprecation, OpDeprecation);
TENON_DETAIL_PROTO_PAIR(OpList, detail::OpList);
TENON_DETAIL_PROTO_PAIR(TensorProto, Tensor);
TENON_DETAIL_PROTO_PAIR(TensorShapeProto, PartialTensorShape);
TENON_DETAIL_PROTO_PAIR(ResourceHandleProto, ResourceHandle);
TENON_DETAIL_PROTO_PAIR(VariantTensorDataProto, VariantTensorData);
TENON_DETAIL_PROTO_PAIR(SavedModel, SavedModelDef);
TENON_DETAIL_PROTO_PAIR(MetaGraphDef, MetaGraphDef);
TENON_DETAIL_PROTO_PAIR(MetaGraphDef_MetaInfoDef, MetaGraphDef::MetaInfoDef);
TENON_DETAIL_PROTO_PAIR(SignatureDef, SignatureDef);
TENON_DETAIL_PROTO_PAIR(TensorInfo, TensorInfo);
TENON_DETAIL_PROTO_PAIR(CollectionDef, CollectionDef);
TENON_DETAIL_PROTO_PAIR(AssetFileDef, AssetFileDef);
TENON_DETAIL_PROTO_PAIR(SaverDef, SaverDef);
TENON_DETAIL_PROTO_PAIR(VariableDef, VariableDef);
TENON_DETAIL_PROTO_PAIR(SaveSliceInfoDef, SaveSliceInfoDef);
TENON_DETAIL_PROTO_PAIR(SavedObjectGraph, SavedObjectGraph);
TENON_DETAIL_PROTO_PAIR(TrackableObjectGraph, TrackableObjectGraph);
TENON_DETAIL_PROTO_PAIR(Example, Example);
TENON_DETAIL_PROTO_PAIR(SequenceExample, SequenceExample);
TENON_DETAIL_PROTO_PAIR(Feature, Feature);
TENON_DETAIL_PROTO_PAIR(Features, Features);
TENON_DETAIL_PROTO_PAIR(FeatureList, FeatureList);
TENON_DETAIL_PROTO_PAIR(FeatureLists, FeatureLists);
TENON_DETAIL_PROTO_PAIR(BytesList, BytesList);
TENON_DETAIL_PROTO_PAIR(FloatList, FloatList);
TENON_DETAIL_PROTO_PAIR(Int64List, Int64List);
#undef TENON_DETAIL_PROTO_PAIR

// Replaces the content of *proto. Tensors are copied; their memory must be accessible to the host.
// InvalidArgument: a text is not UTF-8, or the message has 2 GiB or more, which protobuf refuses.
// ResourceExhausted: there is not enough memory.
template <class P>
Status ToProto(const typename ProtoPair<P>::Type& object, P* proto) {
  return detail::CatchAll("ToProto", [&]() -> Status {
    std::string bytes;
    wire::SerializeTo(object, &bytes);
    if (bytes.size() > std::size_t{INT_MAX})
      return errors::InvalidArgument("ToProto: a ", proto->GetTypeName(), " of ", bytes.size(),
                                     " bytes; protobuf holds at most ", INT_MAX);
    if (proto->ParseFromString(bytes)) return OkStatus();
    return errors::InvalidArgument("ToProto: protobuf refuses the ", proto->GetTypeName(),
                                   "; its texts must be UTF-8 and its nesting at most 100 deep");
  });
}

// Returns the struct for the message. Unknown fields and the names of a shape's dimensions are left out. Tensors are
// copies. An empty message that means the same as a missing one may be missing afterwards.
// InvalidArgument: its values make no tensor or shape. ResourceExhausted: there is not enough memory.
template <class P>
Result<typename ProtoPair<P>::Type> FromProto(const P& proto) {
  using Type = typename ProtoPair<P>::Type;
  Type object;
  TENON_RETURN_IF_ERROR(detail::CatchAll("FromProto", [&]() -> Status {
    std::string bytes;
    if (!proto.SerializePartialToString(&bytes))
      return errors::InvalidArgument("FromProto: the ", proto.GetTypeName(), " is too large; protobuf writes at most ",
                                     INT_MAX, " bytes");
    return wire::Parse(wire::AsBytes(bytes), &object);
  }));
  return object;
}

TENON_DETAIL_NAMESPACE_END

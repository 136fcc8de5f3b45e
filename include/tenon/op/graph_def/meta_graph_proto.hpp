// SPDX-License-Identifier: Apache-2.0
#pragma once
// SavedModelDef, MetaGraphDef and their parts from and to TensorFlow's serialised messages and text format.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/buffer.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include <tenon/op/attr/attr_types.hpp>
#include <tenon/op/graph_def/graph_proto.hpp>
#include <tenon/op/graph_def/graph_tables.hpp>
#include <tenon/op/graph_def/graph_text.hpp>
#include <tenon/op/graph_def/meta_graph.hpp>
#include <tenon/op/graph_def/object_graph_proto.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/op/graph_def/struct_text.hpp>
#include <tenon/op/graph_def/variable_def.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {
inline void SortSignatureMaps(void* object) {
  SignatureDef& signature = *static_cast<SignatureDef*>(object);
  SortByKey(&signature.inputs);
  SortByKey(&signature.outputs);
  SortByKey(&signature.defaults);
}
inline void SortMetaGraphMaps(void* object) {
  MetaGraphDef& meta_graph = *static_cast<MetaGraphDef*>(object);
  SortByKey(&meta_graph.collection_def);
  SortByKey(&meta_graph.signature_def);
}
inline void SortMetaInfoMaps(void* object) {
  SortByKey(&static_cast<MetaGraphDef::MetaInfoDef*>(object)->function_aliases);
}
inline void ClearEncoding(TensorInfo& info) {
  info.name.clear();
  info.coo_sparse.reset();
  info.composite_tensor.reset();
}
inline void ClearCollection(CollectionDef& collection) { collection = CollectionDef(); }
}  // namespace detail

namespace wire {

#define TENON_DETAIL_SCHEMA(...)  \
  template <>                     \
  struct Schema<__VA_ARGS__> {    \
    static const Message message; \
  }
TENON_DETAIL_SCHEMA(TensorInfo);
TENON_DETAIL_SCHEMA(TensorInfo::CooSparse);
TENON_DETAIL_SCHEMA(TensorInfo::CompositeTensor);
TENON_DETAIL_SCHEMA(std::pair<std::string, TensorInfo>);
TENON_DETAIL_SCHEMA(std::pair<std::string, Tensor>);
TENON_DETAIL_SCHEMA(SignatureDef);
TENON_DETAIL_SCHEMA(AssetFileDef);
TENON_DETAIL_SCHEMA(CollectionDef::NodeList);
TENON_DETAIL_SCHEMA(CollectionDef::BytesList);
TENON_DETAIL_SCHEMA(CollectionDef::Int64List);
TENON_DETAIL_SCHEMA(CollectionDef::FloatList);
TENON_DETAIL_SCHEMA(CollectionDef::AnyList);
TENON_DETAIL_SCHEMA(CollectionDef);
TENON_DETAIL_SCHEMA(std::pair<std::string, CollectionDef>);
TENON_DETAIL_SCHEMA(std::pair<std::string, SignatureDef>);
TENON_DETAIL_SCHEMA(SaverDef);
TENON_DETAIL_SCHEMA(MetaGraphDef::MetaInfoDef);
TENON_DETAIL_SCHEMA(MetaGraphDef);
TENON_DETAIL_SCHEMA(SavedModelDef);
#undef TENON_DETAIL_SCHEMA

inline constexpr Field kCooSparseFields[] = {
    MakeField<&TensorInfo::CooSparse::values_tensor_name>(1, "values_tensor_name"),
    MakeField<&TensorInfo::CooSparse::indices_tensor_name>(2, "indices_tensor_name"),
    MakeField<&TensorInfo::CooSparse::dense_shape_tensor_name>(3, "dense_shape_tensor_name"),
};
inline constexpr Message Schema<TensorInfo::CooSparse>::message("TensorInfo.CooSparse", kCooSparseFields);

inline constexpr Field kCompositeTensorFields[] = {
    MakeFieldKept<&TensorInfo::CompositeTensor::type_spec>(1, "type_spec", &TypeSpecTable::message),
    MakeField<&TensorInfo::CompositeTensor::components>(2, "components"),
};
inline constexpr Message Schema<TensorInfo::CompositeTensor>::message("TensorInfo.CompositeTensor",
                                                                      kCompositeTensorFields);

inline constexpr Field kTensorInfoFields[] = {
    MakeFieldInOneof<&TensorInfo::name, &tenon::detail::ClearEncoding>(1, "name"),
    MakeField<&TensorInfo::dtype>(2, "dtype"),
    MakeField<&TensorInfo::tensor_shape>(3, "tensor_shape"),
    MakeFieldInOneof<&TensorInfo::coo_sparse, &tenon::detail::ClearEncoding>(4, "coo_sparse"),
    MakeFieldInOneof<&TensorInfo::composite_tensor, &tenon::detail::ClearEncoding>(5, "composite_tensor"),
};
inline constexpr Message Schema<TensorInfo>::message("TensorInfo", kTensorInfoFields);

inline constexpr Field kTensorInfoEntryFields[] = {
    MakeFieldAlways<&std::pair<std::string, TensorInfo>::first>(1, "key"),
    MakeFieldAlways<&std::pair<std::string, TensorInfo>::second>(2, "value"),
};
inline constexpr Message Schema<std::pair<std::string, TensorInfo>>::message("SignatureDef.InputsEntry",
                                                                             kTensorInfoEntryFields);

inline constexpr Field kDefaultsEntryFields[] = {
    MakeFieldAlways<&std::pair<std::string, Tensor>::first>(1, "key"),
    MakeFieldAlways<&std::pair<std::string, Tensor>::second>(2, "value"),
};
inline constexpr Message Schema<std::pair<std::string, Tensor>>::message("SignatureDef.DefaultsEntry",
                                                                         kDefaultsEntryFields);

inline constexpr Field kSignatureDefFields[] = {
    MakeField<&SignatureDef::inputs>(1, "inputs"),
    MakeField<&SignatureDef::outputs>(2, "outputs"),
    MakeField<&SignatureDef::method_name>(3, "method_name"),
    MakeField<&SignatureDef::defaults>(4, "defaults"),
};
inline constexpr Message Schema<SignatureDef>::message("SignatureDef", kSignatureDefFields,
                                                       &tenon::detail::SortSignatureMaps);

inline constexpr Field kAssetFileDefFields[] = {
    MakeField<&AssetFileDef::tensor_info>(1, "tensor_info"),
    MakeField<&AssetFileDef::filename>(2, "filename"),
};
inline constexpr Message Schema<AssetFileDef>::message("AssetFileDef", kAssetFileDefFields);

inline constexpr Field kCollectionNodeListFields[] = {MakeField<&CollectionDef::NodeList::value>(1, "value")};
inline constexpr Message Schema<CollectionDef::NodeList>::message("CollectionDef.NodeList", kCollectionNodeListFields);
inline constexpr Field kCollectionBytesListFields[] = {
    OfBytes(MakeField<&CollectionDef::BytesList::value>(1, "value"))};
inline constexpr Message Schema<CollectionDef::BytesList>::message("CollectionDef.BytesList",
                                                                   kCollectionBytesListFields);
inline constexpr Field kCollectionInt64ListFields[] = {MakeField<&CollectionDef::Int64List::value>(1, "value")};
inline constexpr Message Schema<CollectionDef::Int64List>::message("CollectionDef.Int64List",
                                                                   kCollectionInt64ListFields);
inline constexpr Field kCollectionFloatListFields[] = {MakeField<&CollectionDef::FloatList::value>(1, "value")};
inline constexpr Message Schema<CollectionDef::FloatList>::message("CollectionDef.FloatList",
                                                                   kCollectionFloatListFields);
inline constexpr Field kCollectionAnyListFields[] = {MakeField<&CollectionDef::AnyList::value>(1, "value")};
inline constexpr Message Schema<CollectionDef::AnyList>::message("CollectionDef.AnyList", kCollectionAnyListFields);

inline constexpr Field kCollectionDefFields[] = {
    MakeFieldInOneof<&CollectionDef::node_list, &tenon::detail::ClearCollection>(1, "node_list"),
    MakeFieldInOneof<&CollectionDef::bytes_list, &tenon::detail::ClearCollection>(2, "bytes_list"),
    MakeFieldInOneof<&CollectionDef::int64_list, &tenon::detail::ClearCollection>(3, "int64_list"),
    MakeFieldInOneof<&CollectionDef::float_list, &tenon::detail::ClearCollection>(4, "float_list"),
    MakeFieldInOneof<&CollectionDef::any_list, &tenon::detail::ClearCollection>(5, "any_list"),
};
inline constexpr Message Schema<CollectionDef>::message("CollectionDef", kCollectionDefFields);

inline constexpr Field kCollectionEntryFields[] = {
    MakeFieldAlways<&std::pair<std::string, CollectionDef>::first>(1, "key"),
    MakeFieldAlways<&std::pair<std::string, CollectionDef>::second>(2, "value"),
};
inline constexpr Message Schema<std::pair<std::string, CollectionDef>>::message("MetaGraphDef.CollectionDefEntry",
                                                                                kCollectionEntryFields);
inline constexpr Field kSignatureEntryFields[] = {
    MakeFieldAlways<&std::pair<std::string, SignatureDef>::first>(1, "key"),
    MakeFieldAlways<&std::pair<std::string, SignatureDef>::second>(2, "value"),
};
inline constexpr Message Schema<std::pair<std::string, SignatureDef>>::message("MetaGraphDef.SignatureDefEntry",
                                                                               kSignatureEntryFields);

inline constexpr Field kSaverDefFields[] = {
    MakeField<&SaverDef::filename_tensor_name>(1, "filename_tensor_name"),
    MakeField<&SaverDef::save_tensor_name>(2, "save_tensor_name"),
    MakeField<&SaverDef::restore_op_name>(3, "restore_op_name"),
    MakeField<&SaverDef::max_to_keep>(4, "max_to_keep"),
    MakeField<&SaverDef::sharded>(5, "sharded"),
    MakeField<&SaverDef::keep_checkpoint_every_n_hours>(6, "keep_checkpoint_every_n_hours"),
    MakeFieldEnum<&SaverDef::version>(7, "version", Role::kCheckpointFormat),
};
inline constexpr Message Schema<SaverDef>::message("SaverDef", kSaverDefFields);

inline constexpr Field kMetaInfoDefFields[] = {
    MakeField<&MetaGraphDef::MetaInfoDef::meta_graph_version>(1, "meta_graph_version"),
    MakeFieldKept<&MetaGraphDef::MetaInfoDef::stripped_op_list>(2, "stripped_op_list",
                                                                &Schema<tenon::detail::OpList>::message),
    MakeField<&MetaGraphDef::MetaInfoDef::any_info>(3, "any_info"),
    MakeField<&MetaGraphDef::MetaInfoDef::tags>(4, "tags"),
    MakeField<&MetaGraphDef::MetaInfoDef::tensorflow_version>(5, "tensorflow_version"),
    MakeField<&MetaGraphDef::MetaInfoDef::tensorflow_git_version>(6, "tensorflow_git_version"),
    MakeField<&MetaGraphDef::MetaInfoDef::stripped_default_attrs>(7, "stripped_default_attrs"),
    MakeField<&MetaGraphDef::MetaInfoDef::function_aliases>(8, "function_aliases"),
};
inline constexpr Message Schema<MetaGraphDef::MetaInfoDef>::message("MetaGraphDef.MetaInfoDef", kMetaInfoDefFields,
                                                                    &tenon::detail::SortMetaInfoMaps);

inline constexpr Field kMetaGraphDefFields[] = {
    MakeField<&MetaGraphDef::meta_info_def>(1, "meta_info_def"),
    MakeField<&MetaGraphDef::graph_def>(2, "graph_def"),
    MakeField<&MetaGraphDef::saver_def>(3, "saver_def"),
    MakeField<&MetaGraphDef::collection_def>(4, "collection_def"),
    MakeField<&MetaGraphDef::signature_def>(5, "signature_def"),
    MakeField<&MetaGraphDef::asset_file_def>(6, "asset_file_def"),
    MakeFieldKept<&MetaGraphDef::object_graph_def>(7, "object_graph_def", &Schema<SavedObjectGraph>::message),
};
inline constexpr Message Schema<MetaGraphDef>::message("MetaGraphDef", kMetaGraphDefFields,
                                                       &tenon::detail::SortMetaGraphMaps);

inline constexpr Field kSavedModelDefFields[] = {
    MakeField<&SavedModelDef::saved_model_schema_version>(1, "saved_model_schema_version"),
    MakeField<&SavedModelDef::meta_graphs>(2, "meta_graphs"),
};
inline constexpr Message Schema<SavedModelDef>::message("SavedModel", kSavedModelDefFields);

}  // namespace wire

namespace detail {
// An Any may hold each of them.
inline constexpr const wire::Message* kMetaGraphTables[] = {&wire::detail::kTensor,
                                                            &wire::detail::kShape,
                                                            &wire::Schema<VariantTensorData>::message,
                                                            &wire::kFunctionDefLibrary,
                                                            &wire::Schema<AssetFileDef>::message,
                                                            &wire::Schema<SignatureDef>::message,
                                                            &wire::Schema<SaverDef>::message,
                                                            &wire::Schema<TensorInfo>::message,
                                                            &wire::Schema<CollectionDef>::message,
                                                            &wire::Schema<GraphDef>::message,
                                                            &wire::Schema<NodeDef>::message,
                                                            &wire::Schema<AttrValue>::message,
                                                            &wire::Schema<NameAttrList>::message,
                                                            &wire::Schema<FunctionDef>::message,
                                                            &wire::Schema<OpDef>::message,
                                                            &wire::Schema<OpList>::message,
                                                            &wire::Schema<VersionDef>::message,
                                                            &wire::Schema<ResourceHandle>::message,
                                                            &wire::Schema<VariableDef>::message,
                                                            &wire::Schema<SaveSliceInfoDef>::message,
                                                            &wire::Schema<SavedObjectGraph>::message,
                                                            &wire::Schema<TrackableObjectGraph>::message,
                                                            &wire::Schema<MetaGraphDef>::message,
                                                            &wire::Schema<SavedModelDef>::message};
inline constexpr wire::TextTables kMetaGraphTextTables = kMetaGraphTables;
template <>
inline constexpr wire::TextTables text_tables<MetaGraphDef> = kMetaGraphTextTables;
template <>
inline constexpr wire::TextTables text_tables<SavedModelDef> = kMetaGraphTextTables;
template <>
inline constexpr wire::TextTables text_tables<CollectionDef> = kMetaGraphTextTables;
}  // namespace detail

// Reads a serialised message. With `owner`, the owner of the bytes, tensors may become views of them. DataLoss, with
// the byte's offset: the bytes are not such a message.
inline Result<SavedModelDef> ParseSavedModelDef(Span<const std::byte> bytes, Buffer* owner = nullptr) {
  return detail::ParseProto<SavedModelDef>(bytes, owner);
}
// Reads a MetaGraph; see ParseSavedModelDef.
inline Result<MetaGraphDef> ParseMetaGraphDef(Span<const std::byte> bytes, Buffer* owner = nullptr) {
  return detail::ParseProto<MetaGraphDef>(bytes, owner);
}
// Reads a SavedModel in protobuf's text format; returns the errors of ParseText.
inline Result<SavedModelDef> ParseTextSavedModelDef(std::string_view text) {
  SavedModelDef saved_model;
  TENON_RETURN_IF_ERROR(ParseText(text, &saved_model));
  return saved_model;
}
// Reads a MetaGraph in protobuf's text format; returns the errors of ParseText.
inline Result<MetaGraphDef> ParseTextMetaGraphDef(std::string_view text) {
  MetaGraphDef meta_graph;
  TENON_RETURN_IF_ERROR(ParseText(text, &meta_graph));
  return meta_graph;
}
// Serialised forms are canonical, as SerializeGraphDef's are.
inline std::string SerializeSavedModelDef(const SavedModelDef& saved_model) {
  return detail::SerializeProto(saved_model);
}
inline std::string SerializeMetaGraphDef(const MetaGraphDef& meta_graph) { return detail::SerializeProto(meta_graph); }
inline std::string SavedModelDefToText(const SavedModelDef& saved_model) { return ToText(saved_model); }
inline std::string MetaGraphDefToText(const MetaGraphDef& meta_graph) { return ToText(meta_graph); }

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

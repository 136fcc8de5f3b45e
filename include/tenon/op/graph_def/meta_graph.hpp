// SPDX-License-Identifier: Apache-2.0
#pragma once
// SavedModelDef and MetaGraphDef: TensorFlow's SavedModel and MetaGraph messages as plain data, as they stand in
// saved_model.pb and .meta files. op/graph_def/meta_graph_proto.hpp reads and writes them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_def.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// An input or output of a signature: a tensor of the graph, or the tensors that a composite value consists of.
struct TensorInfo {
  struct CooSparse {  // the tensors of a SparseTensor
    std::string values_tensor_name;
    std::string indices_tensor_name;
    std::string dense_shape_tensor_name;

    friend bool operator==(const CooSparse&, const CooSparse&) = default;
  };
  struct CompositeTensor {  // for example a ragged tensor: flat values, then row splits from the outermost
    std::string type_spec;  // serialised TypeSpecProto, kept as it came
    SlimVector<TensorInfo> components;

    friend bool operator==(const CompositeTensor& a, const CompositeTensor& b) {
      return a.type_spec == b.type_spec && a.components == b.components;
    }
  };

  // One of these three is set.
  std::string name;  // "node:1"
  std::optional<CooSparse> coo_sparse;
  std::optional<CompositeTensor> composite_tensor;
  DataType dtype = DataType::kInvalid;  // a composite value has that of its dense tensor
  std::optional<PartialTensorShape> tensor_shape;

  friend bool operator==(const TensorInfo& a, const TensorInfo& b) {
    return a.name == b.name && a.coo_sparse == b.coo_sparse && a.composite_tensor == b.composite_tensor &&
           a.dtype == b.dtype && a.tensor_shape == b.tensor_shape;
  }
};

// The inputs and outputs of a computation by the caller's names. The maps are sorted by key.
struct SignatureDef {
  using TensorMap = SlimVector<std::pair<std::string, TensorInfo>>;

  TensorMap inputs;
  TensorMap outputs;
  std::string method_name;  // "tensorflow/serving/predict"
  SlimVector<std::pair<std::string, Tensor>> defaults;  // values of inputs that a caller leaves out

  const TensorInfo* FindInput(std::string_view key) const { return Find(inputs, key); }  // null: no such key
  const TensorInfo* FindOutput(std::string_view key) const { return Find(outputs, key); }  // null: no such key

 private:
  static const TensorInfo* Find(const TensorMap& map, std::string_view key) {
    for (const auto& [name, info] : map) {
      if (name == key) return &info;
    }
    return nullptr;
  }
};

// A file in the folder `assets`, and the tensor that is fed with its path.
struct AssetFileDef {
  TensorInfo tensor_info;
  std::string filename;  // without folders

  friend bool operator==(const AssetFileDef&, const AssetFileDef&) = default;
};

// A google.protobuf.Any: a message of the type that the URL ends with.
struct AnyMessage {
  std::string type_url;  // "type.googleapis.com/tensorflow.AssetFileDef"
  std::string value;  // the serialised message

  friend bool operator==(const AnyMessage&, const AnyMessage&) = default;
};

// A list in a MetaGraph's map of collections. One of the members is set.
struct CollectionDef {
  struct NodeList {  // nodes or tensors of the graph
    SlimVector<std::string> value;  // names

    friend bool operator==(const NodeList&, const NodeList&) = default;
  };
  struct BytesList {  // a list of bytes values
    SlimVector<std::string> value;  // serialised messages, as a rule VariableDef

    friend bool operator==(const BytesList&, const BytesList&) = default;
  };
  struct Int64List {  // a list of int64 values
    SlimVector<std::int64_t> value;

    friend bool operator==(const Int64List&, const Int64List&) = default;
  };
  struct FloatList {  // a list of float values
    SlimVector<float> value;

    friend bool operator==(const FloatList&, const FloatList&) = default;
  };
  struct AnyList {  // messages of any types
    SlimVector<AnyMessage> value;

    friend bool operator==(const AnyList&, const AnyList&) = default;
  };
  std::optional<NodeList> node_list;
  std::optional<BytesList> bytes_list;
  std::optional<Int64List> int64_list;
  std::optional<FloatList> float_list;
  std::optional<AnyList> any_list;

  friend bool operator==(const CollectionDef&, const CollectionDef&) = default;
};

// Names of the tensors and nodes that save and restore a graph's variables. All empty: the graph has no saver.
struct SaverDef {
  enum class Version : std::int32_t { kLegacy = 0, kV1 = 1, kV2 = 2 };  // format of the checkpoint; kV2 is a bundle

  std::string filename_tensor_name;  // is fed with the prefix of the checkpoint
  std::string save_tensor_name;  // its run saves
  std::string restore_op_name;  // its run restores
  std::int32_t max_to_keep = 0;  // newest checkpoints that stay; 0: all
  bool sharded = false;
  float keep_checkpoint_every_n_hours = 0;
  Version version = Version::kLegacy;

  friend bool operator==(const SaverDef&, const SaverDef&) = default;
};

// A graph with its signatures, saver, assets and collections.
struct MetaGraphDef {
  struct MetaInfoDef {  // the writer, and the tags
    std::string meta_graph_version;
    std::string stripped_op_list;  // serialised OpList, kept as it came (ParseOpList)
    std::optional<AnyMessage> any_info;
    SlimVector<std::string> tags;  // in any order
    std::string tensorflow_version;
    std::string tensorflow_git_version;
    bool stripped_default_attrs = false;
    FunctionDef::StringMap function_aliases;  // name in the library -> name that the user chose; sorted

    friend bool operator==(const MetaInfoDef&, const MetaInfoDef&) = default;
  };

  MetaInfoDef meta_info_def;
  GraphDef graph_def;
  SaverDef saver_def;
  SlimVector<std::pair<std::string, CollectionDef>> collection_def;  // sorted by name
  SlimVector<std::pair<std::string, SignatureDef>> signature_def;  // sorted by name
  SlimVector<AssetFileDef> asset_file_def;
  std::string object_graph_def;  // serialised SavedObjectGraph, kept as it came (op/graph_def/object_graph.hpp)

  // Null: no such name.
  const CollectionDef* FindCollection(std::string_view name) const { return Find(collection_def, name); }
  const SignatureDef* FindSignature(std::string_view name) const { return Find(signature_def, name); }

 private:
  template <class T>
  static const T* Find(const SlimVector<std::pair<std::string, T>>& map, std::string_view key) {
    for (const auto& [name, value] : map) {
      if (name == key) return &value;
    }
    return nullptr;
  }
};

// The content of saved_model.pb: one graph for each set of tags.
struct SavedModelDef {
  std::int64_t saved_model_schema_version = 0;  // 1 in every file until now
  SlimVector<MetaGraphDef> meta_graphs;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

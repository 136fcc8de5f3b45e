// SPDX-License-Identifier: Apache-2.0
#pragma once
// FileKind: kinds of files that programs with models meet, and a sentence about each. io/recognize.hpp tells them
// apart.

#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Kinds of files and folders.
enum class FileKind : std::uint8_t {
  kUnknown,
  kEmpty,
  kFolder,  // none of the folders below
  // TensorFlow's graphs:
  kGraph,
  kGraphText,
  kGraphJson,
  kMetaGraph,
  kMetaGraphText,
  kMetaGraphJson,
  kSavedModelFolder,
  kSavedModel,
  kSavedModelText,
  kSavedModelJson,
  // TensorFlow's checkpoints and records:
  kCheckpointFolder,
  kCheckpointState,
  kCheckpointPrefix,  // no file; `path`.index is one
  kCheckpointIndex,
  kCheckpointV1,
  kCheckpointData,  // one of the files beside an index, by its name
  kRecords,
  // Other models and weights:
  kKeras,
  kHdf5,
  kOnnx,
  kTflite,
  kTfjs,
  kPyTorch,
  kPickle,
  kCoreMl,
  kSafetensors,
  // Data:
  kNpy,
  kNpz,
  kImage,
  kZip,
  kCutZip,  // without the list at its end
  kGzip,
  kArchive,
  kGitLfsPointer,
  kHtml,
  kJson,
  kUtf16,
  kText,
};

// Returns what the file is and what to do with it, to stand behind the path: "is an ONNX model; convert it ...".
constexpr std::string_view Describe(FileKind kind) {
  switch (kind) {
    case FileKind::kUnknown: return "has content that Tenon does not recognize; check where the file comes from";
    case FileKind::kEmpty: return "is an empty file; write or download it again";
    case FileKind::kFolder:
      return "is a folder without saved_model.pb or checkpoint in it; name a file, or the folder of a SavedModel";
    case FileKind::kGraph: return "is a binary GraphDef; load it with Session::FromGraphFile or ReadGraphFile";
    case FileKind::kGraphText:
      return "is a GraphDef as text; include <tenon/io/text_graph.hpp> and load it with Session::FromGraphFile";
    case FileKind::kGraphJson:
      return "is a GraphDef as JSON; include <tenon/io/json_graph.hpp> and load it with Session::FromGraphFile";
    case FileKind::kMetaGraph:
      return "is a MetaGraphDef (.meta); read it with ParseMetaGraphDef, and its variables from the checkpoint beside it";
    case FileKind::kMetaGraphText:
      return "is a MetaGraphDef as text; read it with ParseTextMetaGraphDef, and its variables from the checkpoint "
             "beside it";
    case FileKind::kMetaGraphJson:
      return "is a MetaGraphDef as JSON; read it with ParseJson, and its variables from the checkpoint beside it";
    case FileKind::kSavedModelFolder: return "is the folder of a SavedModel; load it with SavedModel::Load";
    case FileKind::kSavedModel:
      return "is the graph file of a SavedModel; load the folder around it with SavedModel::Load";
    case FileKind::kSavedModelText:
      return "is the graph file of a SavedModel as text; load the folder around it with SavedModel::Load";
    case FileKind::kSavedModelJson:
      return "is the graph file of a SavedModel as JSON; make a saved_model.pb of it with `tenon convert`";
    case FileKind::kCheckpointFolder:
      return "is a folder of checkpoints; open the one that its file `checkpoint` names, with CheckpointReader::Open";
    case FileKind::kCheckpointState:
      return "is the list of a folder's checkpoints; open the one that it names, with CheckpointReader::Open";
    case FileKind::kCheckpointPrefix:
      return "is the prefix of a checkpoint, which has variables and no graph; open it with CheckpointReader::Open";
    case FileKind::kCheckpointIndex:
      return "is the index of a checkpoint; open the name without .index with CheckpointReader::Open";
    case FileKind::kCheckpointV1:
      return "is a checkpoint in TensorFlow's first format; open it with CheckpointReader::Open";
    case FileKind::kCheckpointData:
      return "is a data file of a checkpoint; open the name without .data-... with CheckpointReader::Open";
    case FileKind::kRecords: return "is a TFRecord file; read it with RecordReader";
    case FileKind::kKeras:
      return "is a Keras model (.keras); write it as a SavedModel with model.export(folder) in Python";
    case FileKind::kHdf5:
      return "is an HDF5 file, as Keras writes .h5; load it in Keras and write a SavedModel with model.export(folder)";
    case FileKind::kOnnx: return "is an ONNX model, not a TensorFlow graph; export the model from TensorFlow again";
    case FileKind::kTflite:
      return "is a TensorFlow Lite model, which cannot be turned back into a graph; use the model it was made from";
    case FileKind::kTfjs:
      return "is a TensorFlow.js model; convert it with tensorflowjs_converter, or use the model it was made from";
    case FileKind::kPyTorch: return "is a PyTorch file, not a TensorFlow graph; export the model from TensorFlow";
    case FileKind::kPickle:
      return "is a pickled object of Python, not a TensorFlow graph; export the model from TensorFlow";
    case FileKind::kCoreMl:
      return "is a Core ML model, which cannot be turned back into a graph; use the model it was made from";
    case FileKind::kSafetensors:
      return "is a file of weights (safetensors) without a graph; use the model that the weights belong to";
    case FileKind::kNpy: return "is a NumPy array; read it with ReadNpy";
    case FileKind::kNpz: return "is a file of NumPy arrays; read it with ReadNpz";
    case FileKind::kImage: return "is a picture; decode it with an op such as DecodeImage";
    case FileKind::kZip: return "is a zip file; unpack it first";
    case FileKind::kCutZip:
      return "is a zip file without its end, perhaps a .keras or .npz file that was cut; write or download it again";
    case FileKind::kArchive: return "is an archive (tar, bzip2, xz, zstd, 7z or rar); unpack it first";
    case FileKind::kGzip: return "is compressed with gzip; unpack it first, with gunzip or tar -xzf";
    case FileKind::kGitLfsPointer:
      return "is a pointer of Git LFS, not the file itself; fetch the file with `git lfs pull`";
    case FileKind::kHtml: return "is a web page, perhaps the error page of a download; download the file again";
    case FileKind::kJson: return "is JSON, and not a graph; check where the file comes from";
    case FileKind::kUtf16: return "is a text in UTF-16; write it in UTF-8";
    case FileKind::kText: return "is a text, and not a graph; check where the file comes from";
  }
  return "";
}

TENON_DETAIL_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#pragma once
// RecognizeFile: what a file is, by its content. In a program with this header the errors of ReadGraphFile and
// Session::FromGraphFile also say what a file is that is not a graph.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/extensions.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/io/file_kind.hpp>
#include <tenon/io/file_system.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/read_graph.hpp>
#include <tenon/io/record_format.hpp>
#include <tenon/io/table.hpp>
#include <tenon/io/zip.hpp>
#include <tenon/wire/reader.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// -- messages of protocol buffers, by their first fields

inline constexpr int kFieldsLookedAt = 64;

// Characters of names: letters, digits and signs, and no blanks.
inline bool IsName(std::string_view text) {
  for (const char c : text)
    if (c <= ' ' || c >= 0x7f) return false;
  return !text.empty();
}
// Is there such a field, and is its text a name?
inline bool HasNameAt(std::string_view message, std::uint32_t number) {
  wire::Reader reader(wire::AsBytes(message));
  std::string_view bytes;
  int left = kFieldsLookedAt;
  for (wire::Tag tag; left-- > 0 && reader.ReadField(&tag, &bytes);) {
    if (tag.type == wire::WireType::kBytes ? tag.field == number : !reader.Skip(tag)) return IsName(bytes);
  }
  return false;
}
// Nodes have names and ops, functions their signature, versions a number.
inline bool IsGraphProto(std::string_view message) {
  wire::Reader reader(wire::AsBytes(message));
  std::string_view bytes;
  int left = kFieldsLookedAt;
  bool found = false;
  for (wire::Tag tag; left-- > 0 && !reader.AtEnd();) {
    if (!reader.ReadField(&tag, &bytes)) return found;  // the file was cut
    const bool is_bytes = tag.type == wire::WireType::kBytes;
    if (!is_bytes && (tag.field != 3 || !reader.Skip(tag))) return false;
    if (is_bytes && (tag.field > 5 || tag.field == 3)) return false;
    if (tag.field == 1 && !HasNameAt(bytes, 2)) return false;
    if (tag.field == 2 && !bytes.empty() && bytes[0] != '\x0a' && bytes[0] != '\x12' && bytes[0] != '\x1a')
      return false;
    if (tag.field == 4 && !bytes.empty() && bytes[0] != '\x08' && bytes[0] != '\x10' && bytes[0] != '\x1a')
      return false;
    found = true;
  }
  return found;
}
// Fields 1 to 7 are messages; the second one is a graph.
inline bool IsMetaGraphProto(std::string_view message) {
  wire::Reader reader(wire::AsBytes(message));
  std::string_view bytes;
  int left = kFieldsLookedAt;
  bool found = false;
  for (wire::Tag tag; left-- > 0 && !reader.AtEnd();) {
    if (!reader.ReadField(&tag, &bytes) || tag.type != wire::WireType::kBytes || tag.field > 7) return false;
    if (tag.field == 2 && !IsGraphProto(bytes)) return false;
    found = found || tag.field == 2;
  }
  return found;
}
// Is it the beginning of a SavedModel that was cut in its first MetaGraph?
inline bool IsCutSavedModel(std::string_view message) {
  wire::Reader reader(wire::AsBytes(message));
  std::uint64_t number = 0, size = 0, ignored = 0;
  wire::Tag tag;
  const auto is_next = [&](std::uint32_t field, wire::WireType type) {
    return reader.ReadTag(&tag) && tag.field == field && tag.type == type;
  };
  if (!is_next(1, wire::WireType::kVarint) || !reader.ReadVarint(&number)) return false;
  if (!is_next(2, wire::WireType::kBytes) || !reader.ReadVarint(&size) || size <= reader.remaining()) return false;
  if (!is_next(1, wire::WireType::kBytes) || !reader.ReadVarint(&ignored)) return false;
  // A MetaInfoDef begins with its ops, tags or TensorFlow's version.
  return reader.ReadTag(&tag) && tag.type == wire::WireType::kBytes &&
         (tag.field == 2 || tag.field == 4 || tag.field == 5);
}
// Messages that begin with a version below 128: a SavedModel has MetaGraphs behind it, an ONNX model its graph or its
// op sets, a Core ML model one of the fields from 200 on.
inline tenon::FileKind KindOfNumberedProto(std::string_view message) {
  wire::Reader reader(wire::AsBytes(message));
  std::string_view bytes;
  int left = kFieldsLookedAt;
  bool is_model = false, is_onnx = false;
  for (wire::Tag tag; left-- > 0 && !reader.AtEnd();) {
    if (!reader.ReadField(&tag, &bytes))
      return IsCutSavedModel(message) ? tenon::FileKind::kSavedModel : tenon::FileKind::kUnknown;
    if (tag.field >= 200 && tag.field <= 3000 && tag.type == wire::WireType::kBytes) return tenon::FileKind::kCoreMl;
    if (tag.type != wire::WireType::kBytes) {
      if (!reader.Skip(tag)) return tenon::FileKind::kUnknown;
      continue;
    }
    is_model = is_model || (tag.field == 2 && IsMetaGraphProto(bytes));
    is_onnx = is_onnx || tag.field == 7 || tag.field == 8;
  }
  return is_model ? tenon::FileKind::kSavedModel : is_onnx ? tenon::FileKind::kOnnx : tenon::FileKind::kUnknown;
}
inline tenon::FileKind KindOfProto(std::string_view message) {
  if (message.size() > 2 && message[0] == '\x08' && message[1] > 0) return KindOfNumberedProto(message);
  if (IsGraphProto(message)) return tenon::FileKind::kGraph;
  return IsMetaGraphProto(message) ? tenon::FileKind::kMetaGraph : tenon::FileKind::kUnknown;
}

// -- texts

// Returns the first word behind blanks and comments of protobuf's text format.
inline std::string_view FirstWord(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && (text[at] == '#' || static_cast<unsigned char>(text[at]) <= ' ')) {
    if (text[at++] != '#') continue;
    while (at < text.size() && text[at] != '\n') ++at;
  }
  std::size_t end = at;
  while (end < text.size() && ((text[end] >= 'a' && text[end] <= 'z') || text[end] == '_')) ++end;
  return text.substr(at, end - at);
}
// A JSON object, by the first of its names.
inline tenon::FileKind KindOfJson(std::string_view text) {
  const std::size_t start = text.find('"') + 1;
  const std::string_view name = text.substr(start, text.substr(start).find('"'));
  if (name == "node" || name == "library" || name == "versions") return tenon::FileKind::kGraphJson;
  if (name == "metaInfoDef" || name == "meta_info_def" || name == "graphDef" || name == "graph_def")
    return tenon::FileKind::kMetaGraphJson;
  if (name == "savedModelSchemaVersion" || name == "saved_model_schema_version" || name == "metaGraphs" ||
      name == "meta_graphs")
    return tenon::FileKind::kSavedModelJson;
  const std::string_view head = text.substr(0, 4096);
  const bool is_tfjs = head.find("\"modelTopology\"") != head.npos || head.find("\"graph-model\"") != head.npos ||
                       head.find("\"layers-model\"") != head.npos;
  return is_tfjs ? tenon::FileKind::kTfjs : tenon::FileKind::kJson;
}
// A page of HTML, or a store's answer in XML such as "<Error><Code>AccessDenied".
inline bool IsHtml(std::string_view head) {
  if (!head.starts_with('<')) return false;
  std::string lower(head);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  for (const std::string_view tag : {"<!doctype html", "<html", "<head>", "<body>", "<error>"})
    if (lower.find(tag) != lower.npos) return true;
  return false;
}
inline tenon::FileKind KindOfText(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const std::string_view head = text.substr(start == text.npos ? text.size() : start, 512);
  if (IsHtml(head)) return tenon::FileKind::kHtml;
  if (head.starts_with("version https://git-lfs")) return tenon::FileKind::kGitLfsPointer;
  if (head.starts_with('{')) return KindOfJson(text);
  const std::string_view word = FirstWord(text);
  if (word == "node" || word == "library" || word == "versions" || word == "version" || word == "debug_info")
    return tenon::FileKind::kGraphText;
  if (word == "meta_info_def" || word == "graph_def") return tenon::FileKind::kMetaGraphText;
  if (word == "saved_model_schema_version" || word == "meta_graphs") return tenon::FileKind::kSavedModelText;
  if (word == "model_checkpoint_path" || word == "all_model_checkpoint_paths") return tenon::FileKind::kCheckpointState;
  return tenon::FileKind::kText;
}

// -- containers

inline tenon::FileKind KindOfZip(Span<const std::byte> file) {
  SlimVector<ZipMember> members;
  if (!ReadZipMembers(file, "RecognizeFile", &members).ok()) return tenon::FileKind::kCutZip;
  if (members.empty()) return tenon::FileKind::kZip;
  bool config = false, metadata = false, pickle = false, arrays = true;
  for (const ZipMember& member : members) {
    const std::string_view name = member.name;
    config = config || name == "config.json";
    metadata = metadata || name == "metadata.json";
    pickle = pickle || name.ends_with("data.pkl") || name.ends_with("constants.pkl");
    arrays = arrays && name.ends_with(".npy");
  }
  if (config && metadata) return tenon::FileKind::kKeras;
  if (pickle) return tenon::FileKind::kPyTorch;
  return arrays ? tenon::FileKind::kNpz : tenon::FileKind::kZip;
}
// A table of keys. The first key of both kinds of checkpoints is "", and its value a header message: of an index it
// begins with the number of shards, of the first format with the list of tensors.
inline tenon::FileKind KindOfTable(std::string_view file) {
  const bool has_first_key = file.size() > 3 && file[0] == '\0' && file[1] == '\0';
  return has_first_key && file[3] == '\x08' ? tenon::FileKind::kCheckpointIndex : tenon::FileKind::kCheckpointV1;
}
inline bool IsTable(std::string_view file) {
  std::uint64_t magic = 0;
  if (file.size() < kTableFooter) return false;
  std::memcpy(&magic, file.data() + file.size() - sizeof magic, sizeof magic);
  return magic == kTableMagic;
}
inline bool IsHdf5(std::string_view file) {  // a user's block may stand before it
  for (std::size_t at = 0; at <= 4096; at = at == 0 ? 512 : 2 * at)
    if (file.size() > at && file.substr(at).starts_with("\x89HDF\r\n\x1a\n")) return true;
  return false;
}
inline bool IsImage(std::string_view file) {
  const auto starts = [file](std::string_view magic) { return file.starts_with(magic); };
  std::uint32_t size = 0;
  if (file.size() > 6) std::memcpy(&size, file.data() + 2, sizeof size);
  return starts("\xff\xd8\xff") || starts("\x89PNG\r\n\x1a\n") || starts("GIF87a") || starts("GIF89a") ||
         (starts("BM") && size == file.size()) || (starts("RIFF") && file.substr(8).starts_with("WEBP"));
}
inline bool IsSafetensors(std::string_view file) {
  std::uint64_t header = 0;
  if (file.size() > 10) std::memcpy(&header, file.data(), sizeof header);
  if (header < 2 || header >= file.size() || file[8] != '{') return false;
  const std::size_t name = file.find_first_not_of(" \t\r\n", 9);
  return name != file.npos && (file[name] == '"' || file[name] == '}');
}
inline bool IsArchive(std::string_view file) {
  for (const std::string_view magic : {"BZh",
                                       "\xfd"
                                       "7zXZ",
                                       "\x28\xb5\x2f\xfd", "7z\xbc\xaf\x27\x1c", "Rar!\x1a\x07"})
    if (file.starts_with(magic)) return true;
  return file.size() >= 512 && file.substr(257).starts_with("ustar");
}
// A protocol of 2 to 5, and the point that ends every pickle.
inline bool IsPickle(std::string_view file) {
  return file.size() > 2 && file[0] == '\x80' && file[1] >= 2 && file[1] <= 5 && file.back() == '.';
}
inline bool IsUtf16(std::string_view file) {
  return file.size() >= 4 &&
         ((file.starts_with("\xff\xfe") && file[3] == 0) || (file.starts_with("\xfe\xff") && file[2] == 0));
}

inline tenon::FileKind KindOfContent(Span<const std::byte> bytes) {
  const std::string_view file = wire::AsText(bytes);
  std::uint64_t record = 0;
  if (file.empty()) return tenon::FileKind::kEmpty;
  if (IsHdf5(file)) return tenon::FileKind::kHdf5;
  if (file.starts_with("\x93NUMPY")) return tenon::FileKind::kNpy;
  if (file.starts_with("PK\x03\x04") || file.starts_with("PK\x05\x06")) return KindOfZip(bytes);
  if (file.size() >= 8 && file.substr(4).starts_with("TFL3")) return tenon::FileKind::kTflite;
  if (file.starts_with("\x1f\x8b\x08")) return tenon::FileKind::kGzip;
  if (IsArchive(file)) return tenon::FileKind::kArchive;
  if (IsUtf16(file)) return tenon::FileKind::kUtf16;
  if (IsImage(file)) return tenon::FileKind::kImage;
  if (IsSafetensors(file)) return tenon::FileKind::kSafetensors;
  if (IsTable(file)) return KindOfTable(file);
  if (file.size() >= kRecordHeader && ReadRecordHeader(file.data(), &record)) return tenon::FileKind::kRecords;
  if (file.starts_with("\x80\x02") && file.find("torch") < 4096) return tenon::FileKind::kPyTorch;
  if (IsPickle(file)) return tenon::FileKind::kPickle;
  if (const tenon::FileKind kind = KindOfProto(file); kind != tenon::FileKind::kUnknown) return kind;
  return FirstOfText(bytes) != 0 ? KindOfText(file) : tenon::FileKind::kUnknown;
}

inline tenon::FileKind KindOfFolder(const std::string& path) {
  if (FileExists(path + "/saved_model.pb") || FileExists(path + "/saved_model.pbtxt"))
    return tenon::FileKind::kSavedModelFolder;
  if (FileExists(path + "/Data/com.apple.CoreML")) return tenon::FileKind::kCoreMl;
  return FileExists(path + "/checkpoint") ? tenon::FileKind::kCheckpointFolder : tenon::FileKind::kFolder;
}
// Says where a SavedModel is when it is in or around a folder that has none: "/models/1", or "" without one. Servers'
// folders have a folder for each version; users name the folder of the variables.
inline std::string SavedModelNear(std::string folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  std::string last;
  for (const std::string_view name : {"/*/saved_model.pb", "/*/saved_model.pbtxt"}) {
    const Result<SlimVector<std::string>> found = MatchFiles(QuotePattern(folder) + std::string(name));
    if (!found.ok()) continue;
    for (const std::string& file : *found) {
      const std::string one(FolderOf(file));
      if (last.size() < one.size() || (last.size() == one.size() && last < one)) last = one;
    }
  }
  if (!last.empty()) return last;
  const std::string around(FolderOf(folder));
  return !around.empty() && KindOfFolder(around) == tenon::FileKind::kSavedModelFolder ? around : "";
}

}  // namespace detail

// Returns the kind of the file or folder, by its content; the name decides for data files of checkpoints alone. A path
// without a file is the prefix of a checkpoint when there is an index beside it.
// NotFound, and other errors of the system: the file cannot be opened.
inline Result<FileKind> RecognizeFile(const std::string& path) {
  if (detail::KindOf(path) == detail::PathKind::kFolder) return detail::KindOfFolder(path);
  const Result<MappedFile> file = MappedFile::Open(path);
  if (!file.ok()) {
    if (errors::IsNotFound(file.status()) && detail::FileExists(path + ".index")) return FileKind::kCheckpointPrefix;
    return file.status();
  }
  const FileKind kind = detail::KindOfContent(file->bytes());
  const std::size_t shard = path.rfind(".data-");
  const bool is_shard = shard != std::string::npos && path.find("-of-", shard) != std::string::npos;
  const bool is_data = is_shard && detail::FileExists(path.substr(0, shard) + ".index");
  return is_data && kind != FileKind::kEmpty && kind != FileKind::kGitLfsPointer ? FileKind::kCheckpointData : kind;
}

// Returns what a file or folder of this kind is and what to do with it, to stand behind the path: Describe(kind), and
// where a SavedModel is that is in or around a folder without one.
inline std::string DescribePath(const std::string& path, FileKind kind) {
  const std::string model = kind == FileKind::kFolder ? detail::SavedModelNear(path) : "";
  return model.empty() ? std::string(Describe(kind))
                       : StrCat("is a folder without saved_model.pb; the folder of a SavedModel is '", model, "'");
}

namespace detail {

// Adds to an error of ReadGraphFile or ReadSavedModelFile what the file is.
TENON_DETAIL_COLD inline void DescribeFileOfError(const std::string& path, Status* error) {
  const Result<tenon::FileKind> kind = RecognizeFile(path);
  if (!kind.ok()) return;
  const bool is_text = *kind == tenon::FileKind::kGraphText, is_json = *kind == tenon::FileKind::kGraphJson;
  const bool is_graph = *kind == tenon::FileKind::kGraph || (is_text && extensions.read_graph_text.load() != nullptr) ||
                        (is_json && extensions.read_graph_json.load() != nullptr);
  if (is_graph && !errors::IsNotFound(*error)) return;  // a graph with a mistake
  *error = Status(error->code(), StrCat(error->message(), "; '", path, "' ", DescribePath(path, *kind)));
}
inline const bool fills_describe_file = FillExtension(&extensions.describe_file, &DescribeFileOfError);

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

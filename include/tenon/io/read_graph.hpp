// SPDX-License-Identifier: Apache-2.0
#pragma once
// ReadGraphFile: maps or reads a serialised GraphDef (as tf.io.write_graph writes it with as_text=False). Its constants
// stay views of the file's bytes where they are aligned for their type. A file that stays mapped must not be written to
// in place (io/mapped_file.hpp). Graphs with functions need io/graph_file.hpp, text graphs io/text_graph.hpp or
// io/json_graph.hpp.

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/extensions.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/graph_proto.hpp>
#include <tenon/op/graph_def/versions.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/wire/reader.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// The mark of UTF-8 that some editors put in front of a text.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Returns the first character after blanks, or 0 when the first bytes are not all characters of a text file. UTF-8 has
// no bytes above 0xf4. A binary graph begins with a line feed and a length.
inline unsigned char FirstOfText(Span<const std::byte> bytes) {
  const std::size_t n = bytes.size() < 256 ? bytes.size() : 256;
  unsigned char first = 0;
  for (std::size_t i = wire::AsText(bytes).starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0; i < n; ++i) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    const bool is_blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if ((c < 0x20 && !is_blank) || c == 0x7f || c >= 0xf5) return 0;
    if (first == 0 && !is_blank) first = c;
  }
  return first;
}
// Names what a file without a graph often is, by its first bytes; "": none of these.
TENON_DETAIL_COLD inline std::string_view CommonMistake(Span<const std::byte> file) {
  const std::string_view text = wire::AsText(file);
  if (text.starts_with("version https://git-lfs")) return "a pointer of Git LFS; fetch the file with `git lfs pull`";
  if (text.starts_with("PK\x03\x04") || text.starts_with("\x89HDF"))
    return "a zip or Keras file; export a model with model.export(folder)";
  return text.starts_with("<") ? "a web page or XML; download the file again" : "";
}
// Says what the file with these bytes is, in programs that can tell. The others know the most common ones.
TENON_DETAIL_COLD inline Status WithDescription(const std::string& path, Status why, Span<const std::byte> file = {}) {
  if (const DescribeFile describe = extensions.describe_file.load(std::memory_order_acquire); describe != nullptr) {
    describe(path, &why);
    return why;
  }
  if (const std::string_view what = CommonMistake(file); !what.empty())
    return Status(why.code(), StrCat(why.message(), "; it is ", what));
  const bool is_folder = KindOf(path) == PathKind::kFolder;
  if (!is_folder && !path.ends_with("saved_model.pb")) {
    if (!errors::IsDataLoss(why)) return why;
    return Status(why.code(), StrCat(why.message(), "; include <tenon/io/recognize.hpp> to see what the file is"));
  }
  return Status(why.code(), StrCat(why.message(), is_folder ? "; it is a folder, and" : "; it is a SavedModel's;",
                                   " SavedModel::Load reads the folder of a SavedModel"));
}

// Another message may read as a graph: its first name then has control characters, as lengths are.
inline bool LooksLikeGraph(const GraphDef& graph) {
  if (graph.node.empty() && graph.library.empty()) return graph.versions != VersionDef() || !graph.debug_info.empty();
  std::string_view name;
  if (!graph.node.empty())
    name = graph.node[0].op;
  else if (!graph.library.function.empty())
    name = graph.library.function[0].signature.name;
  for (const char c : name)
    if (c >= 0 && c < ' ') return false;
  return true;
}

// A file that is not a binary graph is perhaps a text graph: names or a comment, or an object of JSON.
TENON_DETAIL_COLD inline Result<GraphDef> ReadAsText(const std::string& path, Span<const std::byte> bytes, Status why) {
  if (!CommonMistake(bytes).empty()) return WithDescription(path, why, bytes);
  const unsigned char first = FirstOfText(bytes);
  const bool is_json = first == '{';
  if (!is_json && first != '#' && !(first >= 'a' && first <= 'z') && !(first >= 'A' && first <= 'Z'))
    return WithDescription(path, why, bytes);
  const auto& reader = is_json ? extensions.read_graph_json : extensions.read_graph_text;
  if (const GraphTextReader read = reader.load(std::memory_order_acquire); read != nullptr) {
    Result<GraphDef> graph = read(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!graph.ok()) graph = WithDescription(path, graph.status());
    return graph;
  }
  if (extensions.describe_file.load(std::memory_order_acquire) != nullptr) return WithDescription(path, why);
  return Status(why.code(),
                StrCat(why.message(), "; the file looks like text, and a binary GraphDef is wanted: include <tenon/io/",
                       is_json ? "json" : "text", "_graph.hpp> to read text graphs"));
}

}  // namespace detail

// NotFound (and other errors of the system): the file cannot be opened. InvalidArgument: it is empty or has no
// GraphDef field. DataLoss, as in TensorFlow's ReadBinaryProto, with the byte's offset: the bytes are not a GraphDef.
// FailedPrecondition: the file was written to meanwhile. Each message names the path. A program that includes
// <tenon/io/text_graph.hpp> reads text graphs too (ReadTextGraphFile there), with <tenon/io/json_graph.hpp> JSON. With
// <tenon/io/recognize.hpp> the message says what a file is that is not a graph.
inline Result<GraphDef> ReadGraphFile(const std::string& path, FileAccess access = FileAccess::kMap) {
  const Result<MappedFile> opened = MappedFile::Open(path, access);
  if (!opened.ok()) return detail::WithDescription(path, opened.status());
  const MappedFile& file = *opened;
  const Span<const std::byte> bytes = file.bytes();
  if (bytes.empty())
    return detail::WithDescription(
        path, errors::InvalidArgument("ReadGraphFile: '", path, "' is empty; a binary GraphDef is wanted"));
  Result<GraphDef> graph = detail::ParseProto<GraphDef>(bytes, file.buffer());
  if (graph.ok() && !detail::LooksLikeGraph(*graph)) {
    graph = detail::ReadAsText(
        path, bytes,
        errors::InvalidArgument(
            "ReadGraphFile: '", path, "' has ", bytes.size(),
            " bytes but nothing of a graph in them; a binary GraphDef is wanted, not a SavedModel or a checkpoint"));
  } else if (errors::IsDataLoss(graph.status())) {
    graph = detail::ReadAsText(
        path, bytes, errors::DataLoss("Can't parse '", path, "' as binary proto: ", graph.status().message()));
  } else if (!graph.ok()) {
    graph = detail::WithDescription(
        path, Status(graph.status().code(), StrCat("ReadGraphFile: '", path, "': ", graph.status().message())), bytes);
  }
  if (access == FileAccess::kMap) TENON_RETURN_IF_ERROR(file.CheckUnchanged(path));
  return graph;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

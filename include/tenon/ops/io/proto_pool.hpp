// SPDX-License-Identifier: Apache-2.0
#pragma once
// ProtoPool: the messages, fields and enums of a FileDescriptorSet, for ops that read and write any message.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/text_cursor.hpp>
#include <tenon/wire/text_sink.hpp>
#include <tenon/io/mapped_file.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops::detail {

// FieldDescriptorProto.Type.
enum class ProtoType : std::uint8_t {
  kNone,
  kDouble,
  kFloat,
  kInt64,
  kUint64,
  kInt32,
  kFixed64,
  kFixed32,
  kBool,
  kString,
  kGroup,
  kMessage,
  kBytes,
  kUint32,
  kEnum,
  kSfixed32,
  kSfixed64,
  kSint32,
  kSint64
};

constexpr wire::WireType WireTypeOf(ProtoType type) {
  switch (type) {
    case ProtoType::kDouble:
    case ProtoType::kFixed64:
    case ProtoType::kSfixed64: return wire::WireType::kFixed64;
    case ProtoType::kFloat:
    case ProtoType::kFixed32:
    case ProtoType::kSfixed32: return wire::WireType::kFixed32;
    case ProtoType::kString:
    case ProtoType::kMessage:
    case ProtoType::kBytes: return wire::WireType::kBytes;
    case ProtoType::kGroup: return wire::WireType::kStartGroup;
    default: return wire::WireType::kVarint;
  }
}
constexpr bool HoldsMessage(ProtoType type) { return type == ProtoType::kMessage || type == ProtoType::kGroup; }

struct ProtoEnum {
  std::string full_name;
  SlimVector<std::string> names;  // one per number
  SlimVector<std::int32_t> numbers;
  bool is_closed = true;  // other numbers are not values

  bool Has(std::int32_t number) const { return std::find(numbers.begin(), numbers.end(), number) != numbers.end(); }
};

struct ProtoField {
  std::string name, full_name;
  std::string scope, type_name, default_text;  // as the descriptor has them
  std::uint32_t number = 0;
  ProtoType type = ProtoType::kNone;
  bool is_repeated = false, is_required = false, is_packed = false;
  bool has_presence = true;  // a value that is the default is written, too
  bool is_extension = false, has_default = false, checks_utf8 = false;
  int oneof = -1;
  int of = -1;  // number of the message or enum in the pool
  std::uint64_t default_bits = 0;  // a number, in memory's form
  std::string default_bytes;
};

struct ProtoMessage {
  std::string full_name;
  SlimVector<ProtoField> fields;  // ascending by number, with the pool's extensions
  bool is_map_entry = false;

  const ProtoField* Find(std::uint32_t number) const {
    const auto at = std::lower_bound(fields.begin(), fields.end(), number,
                                     [](const ProtoField& f, std::uint32_t n) { return f.number < n; });
    return at != fields.end() && at->number == number ? &*at : nullptr;
  }
  // An extension is found by its full name.
  const ProtoField* Find(std::string_view name, bool with_extensions) const {
    for (const ProtoField& field : fields)
      if (field.is_extension ? with_extensions && field.full_name == name : field.name == name) return &field;
    return nullptr;
  }
};

// Calls f(field, bytes, number) for each field of a message. False: the bytes are not a message, or f returned false.
template <class F>
bool EachWireField(std::string_view message, const F& f) {
  wire::Reader reader(wire::AsBytes(message));
  wire::Tag tag;
  for (std::string_view bytes; reader.ReadField(&tag, &bytes);) {
    std::uint64_t number = 0;
    if (tag.type == wire::WireType::kVarint ? !reader.ReadVarint(&number)
                                            : tag.type != wire::WireType::kBytes && !reader.Skip(tag))
      break;
    if (!f(tag.field, tag.type == wire::WireType::kBytes ? bytes : std::string_view(), number)) return false;
  }
  return reader.ok();
}

// Immutable once it is open.
class ProtoPool {
 public:
  SlimVector<ProtoMessage> messages;
  SlimVector<ProtoEnum> enums;

  // `source`: the name of a file, or "bytes://" and the set itself. Errors: InvalidArgument.
  Status Open(std::string_view source) {
    constexpr std::string_view kBytes = "bytes://", kLocal = "local://";
    if (source.empty() || source == kLocal)
      return errors::InvalidArgument(
          "descriptor_source '", source,
          "' names messages that are compiled in, and this program has none; name a file with a FileDescriptorSet, or "
          "give one as 'bytes://...'");
    if (source.substr(0, kBytes.size()) == kBytes) return Build(source.substr(kBytes.size()));
    const Result<MappedFile> file = MappedFile::Open(std::string(source));
    if (!file.ok())
      return errors::InvalidArgument(
          "Source does not represent serialized file descriptor set proto. It is also not a file: ",
          file.status().message());
    return Build(wire::AsText(file->bytes()));
  }

  const ProtoMessage* FindMessage(std::string_view full_name) const {
    const int i = message_names_.Find(messages, full_name);
    return i < 0 ? nullptr : &messages[static_cast<std::size_t>(i)];
  }

 private:
  // Numbers of items, sorted by their names.
  struct Names {
    SlimVector<std::size_t> order;

    // False: a name is there twice.
    template <class Items>
    bool Sort(const Items& items) {
      for (std::size_t i = 0; i < items.size(); ++i) order.push_back(i);
      std::sort(order.begin(), order.end(),
                [&](std::size_t a, std::size_t b) { return items[a].full_name < items[b].full_name; });
      for (std::size_t i = 1; i < order.size(); ++i)
        if (items[order[i]].full_name == items[order[i - 1]].full_name) return false;
      return true;
    }
    // -1: there is none.
    template <class Items>
    int Find(const Items& items, std::string_view name) const {
      const auto at = std::lower_bound(order.begin(), order.end(), name,
                                       [&](std::size_t i, std::string_view n) { return items[i].full_name < n; });
      return at != order.end() && items[*at].full_name == name ? static_cast<int>(*at) : -1;
    }
  };
  struct File {
    std::string name, package, syntax = "proto2";
    SlimVector<std::string> needs;
    bool is_proto3() const { return syntax == "proto3"; }
    bool is_proto2() const { return syntax == "proto2"; }
  };
  struct Extension {
    ProtoField field;
    std::string extendee;
  };

  Status Build(std::string_view set) {
    SlimVector<std::string> files;
    std::string failed;
    const bool is_set = EachWireField(set, [&](std::uint32_t field, std::string_view bytes, std::uint64_t) {
      if (field != 1) return true;
      File file;
      if (!ReadFile(bytes, &file)) return false;
      for (const std::string& need : file.needs)
        if (std::find(files.begin(), files.end(), need) == files.end()) failed = file.name;
      if (std::find(files.begin(), files.end(), file.name) != files.end()) failed = file.name;
      files.push_back(file.name);
      return true;
    });
    if (!is_set) return errors::InvalidArgument("Source does not represent serialized file descriptor set proto.");
    if (!failed.empty() || !Link())
      return errors::InvalidArgument("Failed to load FileDescriptorProto: ", failed,
                                     " names a file, message or enum that the set does not have before it, or twice");
    return OkStatus();
  }

  bool ReadFile(std::string_view bytes, File* file) {
    if (!EachWireField(bytes, [&](std::uint32_t field, std::string_view text, std::uint64_t) {
          if (field == 1) file->name = text;
          if (field == 2) file->package = text;
          if (field == 3) file->needs.push_back(std::string(text));
          if (field == 12) file->syntax = text;
          return true;
        }))
      return false;
    return EachWireField(bytes, [&](std::uint32_t field, std::string_view text, std::uint64_t) {
      if (field == 4) return ReadMessage(text, file->package, *file, 0);
      if (field == 5) return ReadEnum(text, file->package, *file);
      if (field == 7) return ReadExtension(text, file->package, *file);
      return true;
    });
  }
  static std::string Join(std::string_view scope, std::string_view name) {
    return scope.empty() ? std::string(name) : StrCat(scope, ".", name);
  }
  bool ReadMessage(std::string_view bytes, std::string_view scope, const File& file, int depth) {
    if (depth > wire::kMaxDepth) return false;
    ProtoMessage message;
    if (!EachWireField(bytes, [&](std::uint32_t field, std::string_view text, std::uint64_t) {
          if (field == 1) message.full_name = Join(scope, text);
          if (field != 7) return true;
          return EachWireField(text, [&](std::uint32_t option, std::string_view, std::uint64_t number) {
            if (option == 7) message.is_map_entry = number != 0;
            return true;
          });
        }))
      return false;
    const std::string name = message.full_name;
    if (!EachWireField(bytes, [&](std::uint32_t field, std::string_view text, std::uint64_t) {
          if (field == 3) return ReadMessage(text, name, file, depth + 1);
          if (field == 4) return ReadEnum(text, name, file);
          if (field == 6) return ReadExtension(text, name, file);
          if (field != 2) return true;
          message.fields.push_back(ProtoField());
          std::string extendee;
          return ReadField(text, name, file, &message.fields.back(), &extendee);
        }))
      return false;
    messages.push_back(std::move(message));
    return true;
  }
  bool ReadEnum(std::string_view bytes, std::string_view scope, const File& file) {
    ProtoEnum made;
    made.is_closed = file.is_proto2();
    if (!EachWireField(bytes, [&](std::uint32_t field, std::string_view text, std::uint64_t) {
          if (field == 1) made.full_name = Join(scope, text);
          if (field != 2) return true;
          made.names.push_back("");
          made.numbers.push_back(0);
          return EachWireField(text, [&](std::uint32_t inner, std::string_view name, std::uint64_t number) {
            if (inner == 1) made.names.back() = name;
            if (inner == 2) made.numbers.back() = static_cast<std::int32_t>(static_cast<std::uint32_t>(number));
            return true;
          });
        }))
      return false;
    enums.push_back(std::move(made));
    return !enums.back().numbers.empty();
  }
  bool ReadExtension(std::string_view bytes, std::string_view scope, const File& file) {
    extensions_.push_back(Extension());
    Extension& extension = extensions_.back();
    extension.field.is_extension = true;
    return ReadField(bytes, scope, file, &extension.field, &extension.extendee);
  }
  static bool ReadField(std::string_view bytes, std::string_view scope, const File& file, ProtoField* to,
                        std::string* extendee) {
    int packed = -1;
    bool optional_of_proto3 = false;
    const bool is_read = EachWireField(bytes, [&](std::uint32_t field, std::string_view text, std::uint64_t number) {
      switch (field) {
        case 1: to->name = text; break;
        case 2: *extendee = text; break;
        case 3: to->number = static_cast<std::uint32_t>(number); break;
        case 4:
          to->is_required = number == 2;
          to->is_repeated = number == 3;
          break;
        case 5:
          if (number > static_cast<std::uint64_t>(ProtoType::kSint64)) return false;
          to->type = static_cast<ProtoType>(number);
          break;
        case 6: to->type_name = text; break;
        case 7:
          to->default_text = text;
          to->has_default = true;
          break;
        case 8:
          return EachWireField(text, [&](std::uint32_t option, std::string_view, std::uint64_t value) {
            if (option == 2) packed = value != 0 ? 1 : 0;
            return true;
          });
        case 9: to->oneof = static_cast<int>(number & 0x7fffffff); break;
        case 17: optional_of_proto3 = number != 0; break;
        default: break;
      }
      return true;
    });
    to->scope = scope;
    to->full_name = Join(scope, to->name);
    const wire::WireType type = WireTypeOf(to->type);
    const bool can_pack = to->is_repeated && type != wire::WireType::kBytes && type != wire::WireType::kStartGroup;
    to->is_packed = can_pack && (packed >= 0 ? packed == 1 : !file.is_proto2());
    to->has_presence =
        !file.is_proto3() || optional_of_proto3 || to->oneof >= 0 || to->is_extension || HoldsMessage(to->type);
    to->checks_utf8 = to->type == ProtoType::kString && !file.is_proto2();
    return is_read && !to->name.empty() && to->number > 0 && to->number <= wire::kMaxFieldNumber;
  }

  // -- names, once all are there
  bool Link() {
    if (!message_names_.Sort(messages) || !enum_names_.Sort(enums)) return false;
    for (Extension& extension : extensions_) {
      const int message = Resolve(message_names_, messages, extension.extendee, extension.field.scope);
      if (message < 0) return false;
      messages[static_cast<std::size_t>(message)].fields.push_back(std::move(extension.field));
    }
    extensions_.clear();
    for (ProtoMessage& message : messages) {
      for (ProtoField& field : message.fields)
        if (!Link(&field)) return false;
      std::sort(message.fields.begin(), message.fields.end(),
                [](const ProtoField& a, const ProtoField& b) { return a.number < b.number; });
      for (std::size_t i = 1; i < message.fields.size(); ++i)
        if (message.fields[i].number == message.fields[i - 1].number) return false;
    }
    return true;
  }
  bool Link(ProtoField* field) const {
    if (field->type == ProtoType::kNone) {
      field->of = Resolve(message_names_, messages, field->type_name, field->scope);
      field->type = field->of >= 0 ? ProtoType::kMessage : ProtoType::kEnum;
    }
    if (HoldsMessage(field->type)) {
      field->of = Resolve(message_names_, messages, field->type_name, field->scope);
      return field->of >= 0;
    }
    if (field->type == ProtoType::kEnum) {
      field->of = Resolve(enum_names_, enums, field->type_name, field->scope);
      if (field->of < 0) return false;
    }
    return field->is_repeated && field->type != ProtoType::kEnum ? true : SetDefault(field);
  }
  // ".package.Name", or a name that is looked for in the scopes around it. -1: there is none.
  template <class Items>
  static int Resolve(const Names& names, const Items& items, std::string_view name, std::string_view scope) {
    const bool is_absolute = !name.empty() && name[0] == '.';
    for (;;) {
      const int i = names.Find(items, is_absolute ? std::string(name.substr(1)) : Join(scope, name));
      if (i >= 0 || is_absolute || scope.empty()) return i;
      const std::size_t dot = scope.rfind('.');
      scope = dot == scope.npos ? std::string_view() : scope.substr(0, dot);
    }
  }

  template <class T>
  static bool ParseInteger(std::string_view text, std::uint64_t* bits) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    *bits = static_cast<std::uint64_t>(value);
    return error == std::errc() && end == text.data() + text.size();
  }
  bool SetDefault(ProtoField* field) const {
    const std::string& text = field->default_text;
    if (field->type == ProtoType::kEnum) {
      const ProtoEnum& of = enums[static_cast<std::size_t>(field->of)];
      std::size_t at = 0;
      if (field->has_default)
        at = static_cast<std::size_t>(std::find(of.names.begin(), of.names.end(), text) - of.names.begin());
      if (at == of.names.size()) return false;
      field->default_bits = static_cast<std::uint64_t>(std::int64_t{of.numbers[at]});
      return true;
    }
    if (!field->has_default) return true;
    switch (field->type) {
      case ProtoType::kFloat:
      case ProtoType::kDouble: {
        double value = 0;
        if (!ParseDouble(text, &value)) return false;
        const auto narrow = static_cast<float>(value);
        if (field->type == ProtoType::kFloat)
          std::memcpy(&field->default_bits, &narrow, sizeof narrow);
        else
          std::memcpy(&field->default_bits, &value, sizeof value);
        return true;
      }
      case ProtoType::kBool: field->default_bits = text == "true" ? 1 : 0; return true;
      case ProtoType::kString: field->default_bytes = text; return true;
      case ProtoType::kBytes: {
        const std::string quoted = StrCat("\"", text, "\"");
        wire::TextCursor cursor(quoted);
        wire::TextSink sink(text.size() + 16);
        if (!cursor.ReadQuoted(&sink)) return false;
        field->default_bytes = sink.Take();
        return true;
      }
      case ProtoType::kUint32:
      case ProtoType::kFixed32: return ParseInteger<std::uint32_t>(text, &field->default_bits);
      case ProtoType::kUint64:
      case ProtoType::kFixed64: return ParseInteger<std::uint64_t>(text, &field->default_bits);
      case ProtoType::kInt32:
      case ProtoType::kSint32:
      case ProtoType::kSfixed32: return ParseInteger<std::int32_t>(text, &field->default_bits);
      default: return ParseInteger<std::int64_t>(text, &field->default_bits);
    }
  }

  Names message_names_, enum_names_;
  SlimVector<Extension> extensions_;  // until the pool is linked
};

// Whether a tensor of that type holds the field's values.
inline bool HoldsField(ProtoType type, DataType dtype) {
  switch (type) {
    case ProtoType::kDouble: return dtype == DataType::kDouble;
    case ProtoType::kFloat: return dtype == DataType::kFloat || dtype == DataType::kDouble;
    case ProtoType::kInt64:
    case ProtoType::kSfixed64:
    case ProtoType::kSint64: return dtype == DataType::kInt64;
    case ProtoType::kUint64:
    case ProtoType::kFixed64: return dtype == DataType::kUint64;
    case ProtoType::kInt32:
    case ProtoType::kSfixed32:
    case ProtoType::kSint32: return dtype == DataType::kInt32 || dtype == DataType::kInt64;
    case ProtoType::kUint32:
    case ProtoType::kFixed32: return dtype == DataType::kUint32 || dtype == DataType::kUint64;
    case ProtoType::kBool: return dtype == DataType::kBool;
    case ProtoType::kEnum: return dtype == DataType::kInt32;
    case ProtoType::kNone: return false;
    default: return dtype == DataType::kString;
  }
}

// Finds the message of an op in the pool of its descriptor_source.
inline Status FindProtoMessage(std::string_view source, std::string_view type, ProtoPool* pool,
                               const ProtoMessage** message) {
  TENON_RETURN_IF_ERROR(pool->Open(source));
  *message = pool->FindMessage(type);
  return *message != nullptr ? OkStatus() : errors::InvalidArgument("No descriptor found for message type ", type);
}
inline Status FindProtoField(const ProtoMessage& message, std::string_view name, bool with_extensions,
                             const ProtoField** field) {
  *field = message.Find(name, with_extensions);
  if (*field != nullptr) return OkStatus();
  return errors::InvalidArgument("Unknown field: ", name, " in message type ", message.full_name);
}

}  // namespace ops::detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

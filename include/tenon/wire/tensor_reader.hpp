// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors from TensorProtos. Reading understands every way in which TensorFlow writes values. Where the bytes have an
// owner, raw contents become views of them.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/stack.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/buffer.hpp>
#include <tenon/tensor/release_pages.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/tensor/variant.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/shape_proto.hpp>
#include <tenon/wire/tensor_fields.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace wire {

namespace detail {

// Reads one TensorProto. Every step returns false when the bytes are not a message (the reader knows why) or, with
// `status` set, when they do not make a tensor.
class TensorDecoder {
 public:
  TensorDecoder(Reader& reader, ParseContext& context) : reader_(reader), context_(context), again_(reader) {}

  bool Decode(Tensor* out) {
    std::string_view content;
    if (!ReadHeader(&content)) return false;
    if (!CheckHeader()) return false;
    elements_ = shape_.num_elements();
    if (elements_ == 0) {
      *out = Tensor(dtype_, shape_, nullptr);
      return true;
    }
    const bool plain = SizeOf(dtype_) != 0;
    if (!content.empty()) return plain ? TakePlainContent(content, out) : TakeObjectContent(content, out);
    if (!Allocate(out)) return false;
    switch (TypedFieldOf(dtype_).kind) {
      case Kind::kFloat: return TakeNumbers(4, out);
      case Kind::kDouble:
      case Kind::kInt64:
      case Kind::kUint64: return TakeNumbers(8, out);
      case Kind::kBytes: return dtype_ == DataType::kString ? TakeStrings(out) : TakeBytes(out);
      case Kind::kMessage: return TakeMessages(out);
      default: break;
    }
    return TakeNumbers(SizeOf(dtype_) < 4 ? static_cast<std::size_t>(SizeOf(dtype_)) : 4, out);
  }

  const Status& status() const { return status_; }

 private:
  TENON_DETAIL_COLD bool Fail(std::string_view what) {
    status_ =
        errors::InvalidArgument("TensorProto of type ", DataTypeString(dtype_), " and shape ", raw_shape_, ": ", what);
    return false;
  }

  bool ReadHeader(std::string_view* content) {
    for (Tag tag; reader_.ReadTag(&tag);) {
      if (tag.field == kDtypeField && tag.type == WireType::kVarint) {
        std::uint64_t value;
        if (!reader_.ReadVarint(&value)) return false;
        dtype_ = static_cast<DataType>(static_cast<std::int32_t>(static_cast<std::uint32_t>(value)));
      } else if (tag.field == kShapeField && tag.type == WireType::kBytes) {
        Reader::Outer outer;
        if (!reader_.Enter(&outer) || !ReadShape(reader_, &raw_shape_)) return false;
        reader_.Leave(outer);
      } else if (tag.field == kContentField && tag.type == WireType::kBytes) {
        if (!reader_.ReadBytes(content)) return false;
      } else {
        if (!reader_.Skip(tag)) return false;
      }
    }
    return reader_.ok();
  }

  bool CheckHeader() {
    if (TypedFieldOf(dtype_).number == 0) {
      return Fail(StrCat(static_cast<std::int32_t>(dtype_), " is not the number of a dtype that a tensor can have"));
    }
    if (Status s = MakeFullShape(raw_shape_, &shape_); !s.ok()) return Fail(s.message());
    return true;
  }

  // Takes the bytes of `count` elements from the budget of repeat_bytes.
  bool Spend(std::uint64_t count, std::uint64_t bytes_each) {
    if (bytes_each == 0 || count <= context_.repeat_bytes / bytes_each) {
      context_.repeat_bytes -= count * bytes_each;
      return true;
    }
    status_ = errors::ResourceExhausted("TensorProto of type ", DataTypeString(dtype_), " and shape ", raw_shape_,
                                        ": repeating a value over so many elements needs more than the ",
                                        context_.repeat_bytes, " bytes that are left for it");
    return false;
  }
  bool Allocate(Tensor* out) {
    // A value takes at least one byte of the message (a string two); what elements need beyond that is repetition.
    const std::uint64_t given = again_.remaining(), needed = static_cast<std::uint64_t>(elements_);
    if (needed > given && !Spend(needed - given, tenon::detail::ElementBytes(dtype_))) return false;
    Result<Tensor> made = Tensor::Make(dtype_, shape_);
    if (!made.ok()) {
      status_ = made.status();
      return false;
    }
    *out = *std::move(made);
    return true;
  }

  // ---- tensor_content
  bool TakePlainContent(std::string_view content, Tensor* out) {
    const auto element = static_cast<std::uint64_t>(SizeOf(dtype_));
    if (content.size() % element != 0 || content.size() / element != static_cast<std::uint64_t>(elements_)) {
      return Fail(StrCat("tensor_content has ", content.size(), " bytes, expected ", elements_, " elements of ",
                         element, " bytes"));
    }
    if (dtype_ == DataType::kBool) {
      for (const char c : content) {
        if (static_cast<unsigned char>(c) > 1)
          return Fail(StrCat("tensor_content has a byte ", static_cast<int>(static_cast<unsigned char>(c)),
                             ", a bool is 0 or 1"));
      }
    }
    if (!IsSubByte(dtype_) && CanView(content)) {
      *out = Tensor::ViewOf(context_.owner, dtype_, shape_, content.data());
      return true;
    }
    if (!Allocate(out)) return false;
    std::memcpy(out->raw_data(), content.data(), content.size());
    if (IsOwned(content)) ReleasePages(context_.owner, content.data(), content.size());
    if (IsSubByte(dtype_)) tenon::detail::WrapSubBytes(dtype_, out->raw_data(), content.size());
    return true;
  }
  // Inside the owner's memory?
  bool IsOwned(std::string_view bytes) const {
    if (context_.owner == nullptr) return false;
    const auto owner = reinterpret_cast<std::uintptr_t>(context_.owner->data());
    const auto data = reinterpret_cast<std::uintptr_t>(bytes.data());
    return data >= owner && data + bytes.size() <= owner + context_.owner->size();
  }
  // There, and aligned for the element type (not for more)?
  bool CanView(std::string_view content) const {
    return IsOwned(content) && tenon::detail::IsAlignedFor(dtype_, content.data());
  }
  // A string that is too long to stand in the element itself becomes a view, for which the tensor keeps the owner.
  void TakeString(std::string_view text, tstring* to, Tensor* out) {
    if (text.size() <= tstring::kSmallCapacity || !IsOwned(text)) {
      to->assign(text);
      return;
    }
    if (!keeps_owner_) out->buffer()->KeepAlive(context_.owner);
    keeps_owner_ = true;
    to->assign_as_view(text);
  }
  // Strings, handles and variants: the lengths of all, then the bytes of all.
  bool TakeObjectContent(std::string_view content, Tensor* out) {
    if (static_cast<std::uint64_t>(elements_) > content.size()) {
      return Fail(
          StrCat("tensor_content has ", content.size(), " bytes, too few for the lengths of ", elements_, " elements"));
    }
    Reader lengths(AsBytes(content));
    std::uint64_t total = 0;
    for (Index i = 0; i < elements_; ++i) {
      std::uint64_t length;
      if (!lengths.ReadVarint(&length) || length > content.size())
        return Fail(StrCat("tensor_content has no proper length for element ", i));
      total += length;
      if (total > content.size()) return Fail("tensor_content is too short for its elements");
    }
    if (total != lengths.remaining()) {
      return Fail(StrCat("tensor_content has ", lengths.remaining(), " bytes after the lengths, expected ", total));
    }
    if (!Allocate(out)) return false;
    std::string_view rest = content.substr(lengths.offset());
    lengths = Reader(AsBytes(content));
    for (Index i = 0; i < elements_; ++i) {
      std::uint64_t length = 0;
      static_cast<void>(lengths.ReadVarint(&length));
      const std::string_view item = rest.substr(0, static_cast<std::size_t>(length));
      rest.remove_prefix(item.size());
      if (dtype_ == DataType::kString) {
        TakeString(item, &out->data<tstring>()[i], out);
      } else if (!TakeObject(item, i, out)) {
        return false;
      }
    }
    return true;
  }

  bool TakeObject(std::string_view item, Index i, Tensor* out) {
    const Message& message = MessageOfElement(dtype_);
    Reader reader(AsBytes(item));
    if (ParseMessage(message, reader, context_, ElementAt(out, i))) return true;
    const Status s = context_.status.ok() ? reader.status(message.name) : std::move(context_.status);
    status_ = Status(s.code(), StrCat("TensorProto of type ", DataTypeString(dtype_), " and shape ", raw_shape_,
                                      ": element ", i, ": ", s.message()));
    context_.status = OkStatus();
    return false;
  }
  static void* ElementAt(Tensor* tensor, Index i) {
    return static_cast<char*>(tensor->raw_data()) +
           static_cast<std::size_t>(i) * tenon::detail::ElementBytes(tensor->dtype());
  }

  // ---- typed fields
  // The next field `number` of the message; false at the end.
  bool Next(std::uint32_t number, Tag* tag) {
    while (again_.ReadTag(tag)) {
      if (tag->field == number) return true;
      if (!again_.Skip(*tag)) return false;
    }
    return false;
  }
  bool Finish() {  // after the second walk over the message
    if (again_.ok()) return true;
    reader_ = again_;
    return false;
  }

  // stored_bytes: the bytes kept of a number, 1, 2, 4 or 8; wider ones are cut. Complex numbers are pairs.
  bool TakeNumbers(std::size_t stored_bytes, Tensor* out) {
    const TypedField field = TypedFieldOf(dtype_);
    const std::size_t per_element = static_cast<std::size_t>(SizeOf(dtype_)) / stored_bytes;
    const std::size_t wanted = static_cast<std::size_t>(elements_) * per_element;
    auto* const to = static_cast<char*>(out->raw_data());
    std::size_t have = 0;
    for (Tag tag; Next(field.number, &tag);) {
      if (tag.type == WireType::kBytes) {
        Reader::Outer outer;
        if (!again_.Enter(&outer)) break;
        while (!again_.AtEnd() && ReadStored(field.kind, stored_bytes, to, wanted, &have)) {
        }
        if (!again_.ok()) break;
        again_.Leave(outer);
      } else if (tag.type == WireTypeOf(field.kind)) {
        if (!ReadStored(field.kind, stored_bytes, to, wanted, &have)) break;
      } else if (!again_.Skip(tag)) {
        break;
      }
    }
    if (!Finish()) return false;
    if (IsSubByte(dtype_)) tenon::detail::WrapSubBytes(dtype_, out->raw_data(), have);
    RepeatLast(to, static_cast<std::size_t>(SizeOf(dtype_)), have / per_element);
    return true;
  }
  bool ReadStored(Kind kind, std::size_t stored_bytes, char* to, std::size_t wanted, std::size_t* have) {
    std::uint64_t value = 0;
    if (kind == Kind::kFloat || kind == Kind::kDouble) {
      if (!ReadNumber(again_, kind, &value)) return false;
    } else {
      if (!again_.ReadVarint(&value)) return false;
      if (kind == Kind::kBool) value = value != 0 ? 1 : 0;
    }
    if (*have >= wanted) return true;
    to += (*have)++ * stored_bytes;
    switch (stored_bytes) {  // the low bytes come first (wire/reader.hpp)
      case 1: std::memcpy(to, &value, 1); break;
      case 2: std::memcpy(to, &value, 2); break;
      case 4: std::memcpy(to, &value, 4); break;
      default: std::memcpy(to, &value, 8);
    }
    return true;
  }
  // Elements from `have` on get the value before them, or zero if there is none.
  void RepeatLast(char* data, std::size_t element_bytes, std::size_t have) const {
    const std::size_t all = static_cast<std::size_t>(elements_) * element_bytes;
    std::size_t done = have * element_bytes;
    if (done >= all) return;
    if (done == 0) {
      std::memset(data, 0, all);
      return;
    }
    const char* const last = data + done - element_bytes;
    for (std::size_t run = element_bytes;
         done < all;) {  // doubles what is copied: [last, data + done) has only equal elements
      const std::size_t n = run < all - done ? run : all - done;
      std::memcpy(data + done, last, n);
      done += n;
      run = done - static_cast<std::size_t>(last - data);
    }
  }
  // float8_val: a byte an element. The last occurrence of the field counts.
  bool TakeBytes(Tensor* out) {
    std::string_view bytes;
    for (Tag tag; Next(kFloat8Field, &tag);) {
      if (tag.type == WireType::kBytes ? !again_.ReadBytes(&bytes) : !again_.Skip(tag)) break;
    }
    if (!Finish()) return false;
    auto* to = static_cast<unsigned char*>(out->raw_data());
    const std::size_t all = static_cast<std::size_t>(elements_), have = bytes.size() < all ? bytes.size() : all;
    if (have != 0) std::memcpy(to, bytes.data(), have);
    if (IsSubByte(dtype_)) tenon::detail::WrapSubBytes(dtype_, to, have);
    RepeatLast(reinterpret_cast<char*>(to), 1, have);
    return true;
  }
  bool TakeStrings(Tensor* out) {
    auto* const to = out->data<tstring>();
    Index have = 0;
    std::string_view text;
    for (Tag tag; Next(kStringField, &tag);) {
      if (tag.type != WireType::kBytes) {
        if (!again_.Skip(tag)) break;
        continue;
      }
      if (!again_.ReadBytes(&text)) break;
      if (have < elements_) TakeString(text, &to[have++], out);
    }
    if (!Finish()) return false;
    if (have == 0 || have == elements_) return true;
    const tstring& last = to[have - 1];
    if (last.is_view()) {
      for (Index i = have; i < elements_; ++i) to[i].assign_as_view(last.view());
      return true;
    }
    if (last.size() > tstring::kSmallCapacity && !Spend(static_cast<std::uint64_t>(elements_ - have), last.size() + 16))
      return false;
    for (Index i = have; i < elements_; ++i) to[i] = last;
    return true;
  }
  // Handles and variants are not repeated: elements without one stay empty.
  bool TakeMessages(Tensor* out) {
    const std::uint32_t number = TypedFieldOf(dtype_).number;
    Index have = 0;
    for (Tag tag; Next(number, &tag);) {
      if (tag.type != WireType::kBytes || have == elements_) {
        if (!again_.Skip(tag)) break;
        continue;
      }
      Reader::Outer outer;
      if (!again_.Enter(&outer)) break;
      if (!ParseMessage(MessageOfElement(dtype_), again_, context_, ElementAt(out, have))) {
        std::swap(status_, context_.status);
        break;
      }
      again_.Leave(outer);
      ++have;
    }
    return Finish() && status_.ok();
  }

  Reader& reader_;
  ParseContext& context_;
  Reader again_;  // a second walk over the same message, for the values
  DataType dtype_ = DataType::kInvalid;
  RawShape raw_shape_;
  TensorShape shape_;
  Index elements_ = 0;
  bool keeps_owner_ = false;
  Status status_;
};

}  // namespace detail

// Reads the rest of the reader's current message, a TensorProto. False when the bytes are not such a message: the
// reader says why. Otherwise *status says whether they make a tensor.
inline bool ParseTensor(Reader& reader, ParseContext& context, Tensor* tensor, Status* status) {
  detail::TensorDecoder decoder(reader, context);
  const bool done = decoder.Decode(tensor);
  if (!done && decoder.status().ok()) return false;
  *status = decoder.status();
  return true;
}

inline bool Schema<Tensor>::Parse(Reader& reader, ParseContext& context, void* object) {
  return ParseTensor(reader, context, static_cast<Tensor*>(object), &context.status) && context.status.ok();
}
TENON_DETAIL_COLD inline bool Schema<Variant>::Parse(Reader& reader, ParseContext& context, void* object) {
  if (context.variant_depth >= kMaxVariantDepth) {
    context.status =
        errors::InvalidArgument("VariantTensorDataProto: variants are nested more than ", kMaxVariantDepth, " deep");
    return false;
  }
  if (context.variant_depth > 0 && StackIsShort(0)) {
    context.status =
        errors::ResourceExhausted("VariantTensorDataProto: variants are nested more than ", context.variant_depth,
                                  " deep, and the thread has ", StackLeft() / 1024, " KiB of stack left");
    return false;
  }
  ++context.variant_depth;
  VariantTensorData data;
  const bool parsed = ParseMessage(Schema<VariantTensorData>::message, reader, context, &data);
  --context.variant_depth;
  if (!parsed) return false;
  if (data.empty()) {
    static_cast<Variant*>(object)->clear();
  } else {
    *static_cast<Variant*>(object) = std::move(data);
  }
  return true;
}

}  // namespace wire

// Returns the tensor in a serialised TensorProto. With an owner of the bytes, tensor_content that is aligned for its
// element type becomes a view, and so do strings of more than 22 bytes (the tensor keeps the owner alive); otherwise
// values are copied. Variants stay serialised until VariantRegistry::Decode or GetVariantValue. DataLoss: the bytes are
// not a TensorProto. InvalidArgument: they do not make a tensor. ResourceExhausted: one value repeated needs more than
// `repeat_bytes` bytes, or memory is out.
inline Result<Tensor> TensorFromProto(Span<const std::byte> bytes, Buffer* owner = nullptr,
                                      std::uint64_t repeat_bytes = std::uint64_t{1} << 31) {
  Tensor tensor;
  wire::ParseContext context;
  context.owner = owner;
  context.repeat_bytes = repeat_bytes;
  TENON_RETURN_IF_ERROR(wire::Parse(bytes, &tensor, std::move(context)));
  return tensor;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

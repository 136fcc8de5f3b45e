// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <optional>

#include <tenon/eager.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/npy.hpp>
#include <tenon/io/npz.hpp>
#include <tenon/io/recognize.hpp>
#include <tenon/wire/utf8.hpp>

namespace command {

using tenon::DataType;
using tenon::Index;
using tenon::Tensor;
using tenon::TensorShape;
using tenon::tstring;
namespace errors = tenon::errors;

namespace {

using Attrs = std::vector<tenon::eager::Attr>;

// Calls an op that has one output.
Result<Tensor> CallOp(std::string_view op, const std::vector<tenon::eager::Argument>& inputs, const Attrs& attrs = {}) {
  TENON_ASSIGN_OR_RETURN(std::vector<Tensor> outputs, tenon::eager::Call(op, inputs, attrs));
  return std::move(outputs[0]);
}

bool IsNumber(DataType type) { return tenon::kNumberTypes.contains(type) || type == DataType::kBool; }

Result<Tensor> Cast(const Tensor& tensor, DataType to) {
  if (tensor.dtype() == to) return tensor;
  return CallOp("Cast", {tensor}, {{"DstT", to}});
}

Result<Tensor> Reshaped(const Tensor& tensor, const TensorShape& shape) {
  Tensor out;
  if (!out.CopyFrom(tensor, shape))
    return errors::InvalidArgument("a tensor of shape ", tensor.shape(), " cannot have the shape ", shape);
  return out;
}

// ------------------------------------------------------------------------------------------------- values as the text

// Numbers in brackets: "1,2", "[[1,2],[3,4]]".
struct Literal {
  std::vector<std::string> words;
  std::vector<Index> dims;
};

bool ParseLiteral(std::string_view text, Literal* literal) {
  const bool nested = text.starts_with('[');
  std::vector<Index> counts;  // items so far, of each open bracket
  std::vector<Index> dims;
  std::size_t depth = 0;
  bool wants_item = true;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == ' ') {
      ++i;
    } else if (c == '[') {
      if (!wants_item) return false;
      counts.push_back(0);
      depth = std::max(depth, counts.size());
      ++i;
    } else if (c == ']') {
      if (counts.empty()) return false;
      const Index count = counts.back() + (wants_item ? 0 : 1);
      const std::size_t level = counts.size() - 1;
      if (dims.size() <= level) dims.resize(level + 1, -1);
      if (dims[level] >= 0 && dims[level] != count) return false;
      dims[level] = count;
      counts.pop_back();
      wants_item = false;
      ++i;
    } else if (c == ',') {
      if (wants_item) return false;
      if (!counts.empty())
        ++counts.back();
      else if (nested)
        return false;
      wants_item = true;
      ++i;
    } else {
      const std::size_t end = std::min(text.find_first_of(",] ", i), text.size());
      if (!wants_item || (nested && counts.size() != depth)) return false;
      literal->words.emplace_back(text.substr(i, end - i));
      wants_item = false;
      i = end;
    }
  }
  if (!counts.empty() || wants_item) return false;
  if (nested)
    literal->dims = dims;
  else if (literal->words.size() > 1)
    literal->dims = {static_cast<Index>(literal->words.size())};
  Index product = 1;
  for (const Index dim : literal->dims) product *= dim;
  return product == static_cast<Index>(literal->words.size());
}

// int64 where all words are, otherwise bool or double.
Result<Tensor> LiteralTensor(std::string_view text) {
  Literal literal;
  const Status wrong =
      errors::InvalidArgument("'", text, "' is neither a file nor numbers such as 1,2,3 or [[1,2],[3,4]]");
  if (!ParseLiteral(text, &literal)) return wrong;
  TENON_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make({literal.dims.data(), literal.dims.size()}));
  const auto& words = literal.words;
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  std::size_t bools = 0;
  for (const std::string& word : words) {
    std::int64_t integer = 0;
    double real = 0;
    if (word == "true" || word == "false") {
      ++bools;
      integers.push_back(word == "true");
    } else if (tenon::ParseInt64(word, &integer)) {
      integers.push_back(integer);
    }
    if (tenon::ParseDouble(word, &real)) reals.push_back(real);
  }
  if (bools == words.size() && bools > 0) {
    Tensor tensor(DataType::kBool, shape);
    for (std::size_t i = 0; i < bools; ++i) tensor.data<bool>()[i] = integers[i] != 0;
    return tensor;
  }
  if (bools == 0 && integers.size() == words.size()) return Tensor::From<std::int64_t>(integers, shape);
  if (reals.size() == words.size()) return Tensor::From<double>(reals, shape);
  return wrong;
}

// ------------------------------------------------------------------------------------------------------------- images

// [1, height, width, channels], as the input wants it.
Result<Tensor> ImageTensor(std::string_view bytes, const End& end, const ImageOptions& options) {
  const bool planes = end.shape.dims() == 4 && end.shape.dim_size(3) != 1 && end.shape.dim_size(3) != 3 &&
                      end.shape.dim_size(3) != 4 && (end.shape.dim_size(1) == 1 || end.shape.dim_size(1) == 3);
  const int rank = end.shape.dims();
  const auto size = [&](int nhwc) -> Index {
    if (rank != 4) return rank == 3 && nhwc > 0 ? end.shape.dim_size(nhwc - 1) : -1;
    constexpr int kPlanes[] = {0, 2, 3, 1};
    return end.shape.dim_size(planes ? kPlanes[nhwc] : nhwc);
  };
  Index channels = size(3);
  if (rank == 2 && end.shape.dim_size(1) > 0 && end.shape.dim_size(1) % 3 != 0) channels = 1;  // flat pixels
  if (channels != 1 && channels != 3 && channels != 4) channels = 3;
  TENON_ASSIGN_OR_RETURN(Tensor image, CallOp("DecodeImage", {Tensor::Scalar(bytes)},
                                              {{"channels", std::int64_t{channels}}, {"expand_animations", false}}));
  TENON_ASSIGN_OR_RETURN(image,
                         Reshaped(image, TensorShape{1, image.dim_size(0), image.dim_size(1), image.dim_size(2)}));
  Index height = options.height > 0 ? options.height : size(1), width = options.width > 0 ? options.width : size(2);
  if (rank == 2 && options.height == 0 && end.shape.dim_size(1) > 0) {  // a square
    const Index pixels = end.shape.dim_size(1) / channels;
    height = width = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(pixels))));
  }
  if (height > 0 && width > 0 && (height != image.dim_size(1) || width != image.dim_size(2))) {
    const Tensor wanted = Tensor::From<std::int32_t>({static_cast<int>(height), static_cast<int>(width)}, {2});
    TENON_ASSIGN_OR_RETURN(image, CallOp("ResizeBilinear", {image, wanted}, {{"half_pixel_centers", true}}));
  }
  const bool is_float = tenon::kFloatingTypes.contains(end.dtype) || end.dtype == DataType::kInvalid;
  if (is_float) {
    TENON_ASSIGN_OR_RETURN(image, Cast(image, DataType::kFloat));
    Tensor scaled(DataType::kFloat, image.shape());
    const float* const from = image.data<float>();
    float* const to = scaled.data<float>();
    const double scale = (options.high - options.low) / 255;
    for (Index i = 0; i < image.NumElements(); ++i) to[i] = static_cast<float>(options.low + scale * from[i]);
    image = std::move(scaled);
  } else if (image.dtype() == DataType::kFloat) {
    TENON_ASSIGN_OR_RETURN(image, CallOp("Round", {image}));
  }
  if (planes) {
    const Tensor order = Tensor::From<std::int32_t>({0, 3, 1, 2}, {4});
    TENON_ASSIGN_OR_RETURN(image, CallOp("Transpose", {image, order}));
  }
  if (rank == 2) {
    TENON_ASSIGN_OR_RETURN(image, Reshaped(image, TensorShape{1, image.NumElements()}));
  }
  if (rank == 3) {
    TENON_ASSIGN_OR_RETURN(image,
                           Reshaped(image, TensorShape{image.dim_size(1), image.dim_size(2), image.dim_size(3)}));
  }
  return Cast(image, end.dtype == DataType::kInvalid ? DataType::kFloat : end.dtype);
}

// ------------------------------------------------------------------------------------------------------------- inputs

std::string DtypeAndShape(const Tensor& tensor) { return StrCat(tensor.dtype(), " ", tensor.shape()); }

// Converts type and shape to the input's, where that loses nothing but digits. `literal`: any shape of as many
// elements.
Result<Tensor> Adapt(Tensor tensor, const End& end, bool literal, std::string* note) {
  const std::string before = DtypeAndShape(tensor);
  const DataType want = end.dtype;
  if (want != DataType::kInvalid && tensor.dtype() != want) {
    const bool to_real = tenon::kFloatingTypes.contains(want) || tenon::kComplexTypes.contains(want);
    const bool from_real =
        tenon::kFloatingTypes.contains(tensor.dtype()) || tenon::kComplexTypes.contains(tensor.dtype());
    if (!IsNumber(tensor.dtype()) || !IsNumber(want) || (from_real && !to_real))
      return errors::InvalidArgument("input '", end.key, "' is ", want, ", got ", before,
                                     "; save the array with the input's type");
    TENON_ASSIGN_OR_RETURN(Tensor made, Cast(tensor, want));
    if (!to_real) {
      TENON_ASSIGN_OR_RETURN(const Tensor back, Cast(made, tensor.dtype()));
      if (!tenon::SameTensor(back, tensor))
        return errors::InvalidArgument("input '", end.key, "' is ", want, ", which cannot hold all values of ", before);
    }
    tensor = std::move(made);
  }
  const tenon::PartialTensorShape& shape = end.shape;
  if (!shape.unknown_rank() && !shape.IsCompatibleWith(tensor.shape())) {
    TensorShape fit;
    bool fits = false;
    if (shape.dims() == tensor.dims() + 1) {  // one item of a batch
      std::vector<Index> dims{1};
      dims.insert(dims.end(), tensor.shape().begin(), tensor.shape().end());
      fits = TensorShape::Build({dims.data(), dims.size()}, &fit).ok() && shape.IsCompatibleWith(fit);
    }
    if (!fits && literal) {
      std::vector<Index> dims(shape.begin(), shape.end());
      Index known = 1, unknown = 0;
      for (const Index dim : dims) dim < 0 ? ++unknown : known *= dim;
      if (unknown == 1 && known > 0 && tensor.NumElements() % known == 0)
        std::replace(dims.begin(), dims.end(), Index{-1}, tensor.NumElements() / known);
      fits = unknown <= 1 && TensorShape::Build({dims.data(), dims.size()}, &fit).ok() &&
             fit.num_elements() == tensor.NumElements();
    }
    if (!fits) return errors::InvalidArgument("input '", end.key, "' has the shape ", shape, ", got ", before);
    TENON_ASSIGN_OR_RETURN(tensor, Reshaped(tensor, fit));
  }
  if (const std::string after = DtypeAndShape(tensor); !literal && after != before)
    *note = StrCat("input '", end.key, "': ", before, " becomes ", after);
  return tensor;
}

Result<Tensor> Filled(std::string_view how, const TensorShape& shape, DataType type) {
  if (type == DataType::kString) {
    TENON_ASSIGN_OR_RETURN(Tensor texts, Tensor::Make(type, shape));
    return texts;
  }
  TENON_ASSIGN_OR_RETURN(Tensor numbers, Tensor::Make(DataType::kFloat, shape));
  float* const to = numbers.data<float>();
  std::uint64_t state = 0x9e3779b97f4a7c15u;
  for (Index i = 0; i < shape.num_elements(); ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    const auto random = static_cast<float>(state >> 40) / static_cast<float>(1 << 24);  // in [0, 1): 0 for integers
    to[i] = how == "zeros" ? 0.0f : how == "ones" ? 1.0f : random;
  }
  if (!IsNumber(type))
    return errors::Unimplemented("an input of type ", type, " cannot be filled with numbers; give it a file");
  if (type == DataType::kBool && how == "random") return Filled("ones", shape, type);
  return Cast(numbers, type);
}

Result<TensorShape> ParseShape(std::string_view text) {
  std::string_view inner = text;
  if (inner.starts_with('[') && inner.ends_with(']')) inner = inner.substr(1, inner.size() - 2);
  std::vector<Index> dims;
  while (!inner.empty()) {
    const std::string_view word = inner.substr(0, inner.find_first_of(",x"));
    inner.remove_prefix(std::min(inner.size(), word.size() + 1));
    std::int64_t dim = 0;
    if (!tenon::ParseInt64(word, &dim) || dim < 0)
      return errors::InvalidArgument("'", text, "' is not a shape; [1,224,224,3] is one");
    dims.push_back(dim);
  }
  return TensorShape::Make({dims.data(), dims.size()});
}

Result<TensorShape> ShapeToFill(const End& end, std::int64_t batch) {
  std::vector<Index> dims(end.shape.begin(), end.shape.end());
  bool known = !end.shape.unknown_rank();
  if (known && !dims.empty() && dims[0] < 0) dims[0] = batch;
  for (const Index dim : dims) known = known && dim >= 0;
  if (!known) {
    for (std::size_t i = 0; i < dims.size(); ++i)
      if (dims[i] < 0) dims[i] = i == 0 ? 1 : 128;
    if (dims.empty()) dims = {1, 128};
    return errors::InvalidArgument("input '", end.key, "' has the shape ", end.shape,
                                   ", which does not say how many numbers it takes; say --input ", end.key, "=random:[",
                                   tenon::StrJoin(dims, ","), "]");
  }
  return TensorShape::Make({dims.data(), dims.size()});
}

Tensor StringTensor(const std::vector<std::string>& texts, const TensorShape& shape) {
  Tensor tensor(DataType::kString, shape);
  for (std::size_t i = 0; i < texts.size(); ++i) tensor.data<tstring>()[i] = texts[i];
  return tensor;
}

std::vector<std::string> SplitLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
  }
  return lines;
}

// The array `member` of an .npz file; "": the only one, or the one with the input's name.
Result<Tensor> TensorOfNpz(const tenon::MappedFile& file, const std::string& where, std::string member,
                           const End& end) {
  TENON_ASSIGN_OR_RETURN(const tenon::NpzFile npz, tenon::NpzFile::FromBuffer(file.buffer(), where));
  const auto names = npz.Names();
  if (member.empty() && names.size() == 1) member = names[0];
  if (member.empty() && npz.Contains(end.key)) member = end.key;
  if (member.empty())
    return errors::InvalidArgument(where, " has ", names.size(), " arrays and none is called '", end.key,
                                   "'; say FILE.npz:NAME or -:NAME, with one of '", tenon::StrJoin(names, "', '"), "'");
  return npz.Read(member);
}

// The bytes of a file or of standard input decide what they are. `member`: of an .npz file.
Result<Tensor> TensorOfFile(const tenon::MappedFile& file, const std::string& where, const std::string& member,
                            const End& end, const ImageOptions& images) {
  const auto bytes = file.bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const FileKind kind = tenon::detail::KindOfContent(bytes);
  if (!member.empty() && kind != FileKind::kNpz)
    return errors::InvalidArgument(where, " is not an .npz file, and has no array '", member, "'");
  switch (kind) {
    case FileKind::kNpz: return TensorOfNpz(file, where, member, end);
    case FileKind::kNpy: return tenon::ParseNpy(bytes, file.buffer(), where);
    case FileKind::kImage: {
      if (end.dtype == DataType::kString) return Tensor::Scalar(text);  // the graph decodes it
      Result<Tensor> image = ImageTensor(text, end, images);
      if (!image.ok()) return Status(image.status().code(), StrCat(where, ": ", image.status().message()));
      return image;
    }
    default: break;
  }
  if (end.dtype == DataType::kString) {
    const std::vector<std::string> lines = SplitLines(text);
    return StringTensor(lines, TensorShape{static_cast<Index>(lines.size())});
  }
  std::string flat(text);
  std::replace(flat.begin(), flat.end(), '\n', ' ');
  if (text.size() < (1 << 20))
    if (Result<Tensor> numbers = LiteralTensor(flat); numbers.ok()) return numbers;
  return errors::InvalidArgument(where,
                                 " is not an array; .npy, .npz, .png, .jpg, .bmp, .gif, .webp or numbers are wanted");
}

// All of standard input. It is read once: every "-" means the same bytes.
Result<const tenon::MappedFile*> StandardInput() {
  static std::optional<tenon::MappedFile> file;
  if (!file) {
    TENON_ASSIGN_OR_RETURN(tenon::Buffer* const buffer, tenon::detail::ReadWhole(stdin, "standard input"));
    file = tenon::MappedFile::Adopt(buffer);
  }
  if (file->bytes().empty()) return errors::InvalidArgument("standard input is empty; a file or numbers are wanted");
  return &*file;
}

Result<Tensor> ReadValue(const std::string& value, const End& end, const ImageOptions& images, std::string* note) {
  std::error_code error;
  if (value == "-" || value.starts_with("-:")) {
    TENON_ASSIGN_OR_RETURN(const tenon::MappedFile* const file, StandardInput());
    const std::string member = value.substr(std::min<std::size_t>(value.size(), 2));
    TENON_ASSIGN_OR_RETURN(Tensor tensor, TensorOfFile(*file, "standard input", member, end, images));
    return Adapt(std::move(tensor), end, false, note);
  }
  if (value.starts_with("text:")) {
    if (end.dtype != DataType::kString && end.dtype != DataType::kInvalid)
      return errors::InvalidArgument("input '", end.key, "' is ", end.dtype, ", not string; give it a file or numbers");
    return Adapt(StringTensor({value.substr(5)}, {}), end, true, note);
  }
  if (value.starts_with("@")) {
    TENON_ASSIGN_OR_RETURN(const std::vector<std::string> lines, ReadLines(value.substr(1)));
    const Tensor texts = StringTensor(lines, TensorShape{static_cast<Index>(lines.size())});
    if (end.dtype == DataType::kString || end.dtype == DataType::kInvalid) return Adapt(texts, end, true, note);
    TENON_ASSIGN_OR_RETURN(Tensor numbers, LiteralTensor(tenon::StrJoin(lines, ",")));
    return Adapt(std::move(numbers), end, true, note);
  }
  for (const std::string_view how : {"zeros", "ones", "random"}) {
    if (value != how && !value.starts_with(StrCat(how, ":"))) continue;
    TensorShape shape;
    if (value == how) {
      TENON_ASSIGN_OR_RETURN(shape, ShapeToFill(end, 1));
    } else {
      TENON_ASSIGN_OR_RETURN(shape, ParseShape(std::string_view(value).substr(how.size() + 1)));
    }
    return Filled(how, shape, end.dtype == DataType::kInvalid ? DataType::kFloat : end.dtype);
  }
  std::string path = value, member;
  if (const std::size_t npz = value.find(".npz:"); npz != value.npos) {
    path = value.substr(0, npz + 4);
    member = value.substr(npz + 5);
  }
  if (std::filesystem::exists(path, error) && !std::filesystem::is_directory(path, error)) {
    TENON_ASSIGN_OR_RETURN(const tenon::MappedFile file, tenon::MappedFile::Open(path));
    TENON_ASSIGN_OR_RETURN(Tensor tensor, TensorOfFile(file, StrCat("'", path, "'"), member, end, images));
    return Adapt(std::move(tensor), end, false, note);
  }
  if (std::filesystem::is_directory(path, error))
    return errors::InvalidArgument("'", path, "' is a folder; name a file in it");
  bool names_a_file = !member.empty();
  for (const std::string_view end_of_name : {".npy", ".npz", ".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp"})
    names_a_file = names_a_file || value.ends_with(end_of_name);
  if (names_a_file) return errors::NotFound("'", path, "': No such file or directory");
  if (end.dtype == DataType::kString) return Adapt(StringTensor({value}, {}), end, true, note);
  TENON_ASSIGN_OR_RETURN(Tensor numbers, LiteralTensor(value));
  return Adapt(std::move(numbers), end, true, note);
}

}  // namespace

Result<ImageOptions> ImageOptionsOf(const Args& args) {
  ImageOptions options;
  if (args.Has("--image-size")) {
    const std::string text = args.Get("--image-size");
    const std::size_t x = text.find('x');
    if (x == text.npos || !tenon::ParseInt64(std::string_view(text).substr(0, x), &options.height) ||
        !tenon::ParseInt64(std::string_view(text).substr(x + 1), &options.width) || options.height < 1 ||
        options.width < 1)
      return args.Usage(StrCat("option --image-size has the value '", text, "'; a size such as 224x224 is wanted"));
  }
  if (args.Has("--image-range")) {
    const std::string text = args.Get("--image-range");
    const std::size_t comma = text.find(',');
    if (comma == text.npos || !tenon::ParseDouble(std::string_view(text).substr(0, comma), &options.low) ||
        !tenon::ParseDouble(std::string_view(text).substr(comma + 1), &options.high) || !std::isfinite(options.low) ||
        !std::isfinite(options.high))
      return args.Usage(StrCat("option --image-range has the value '", text, "'; a range such as -1,1 is wanted"));
  }
  return options;
}

std::size_t KeyLength(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == word.npos || word.starts_with('@')) return word.npos;
  constexpr std::string_view kText = "text:";
  if (!word.starts_with(kText)) return equals;
  const std::string_view number = word.substr(kText.size(), equals - kText.size());  // text:0= names a tensor
  const bool is_number = !number.empty() && number.find_first_not_of("0123456789") == number.npos;
  return is_number ? equals : word.npos;
}

Result<Feeds> ReadFeeds(const Signature& signature, const std::vector<std::string>& words, const ImageOptions& images,
                        bool fill, std::int64_t batch) {
  std::vector<std::vector<Tensor>> values(signature.inputs.size());
  Feeds feeds;
  for (const std::string& word : words) {
    const std::size_t equals = KeyLength(word);
    const End* end = nullptr;
    std::string value = word;
    if (equals != word.npos) {
      TENON_ASSIGN_OR_RETURN(end, FindInput(signature, std::string_view(word).substr(0, equals)));
      value = word.substr(equals + 1);
    } else if (signature.inputs.size() == 1) {
      end = &signature.inputs[0];
    } else {
      std::string keys;
      for (const End& known : signature.inputs) StrAppend(&keys, keys.empty() ? "'" : ", '", known.key, "'");
      return errors::InvalidArgument("'", word, "' names no input, and signature '", signature.name, "' has ",
                                     signature.inputs.size(), "; say KEY=VALUE with one of ",
                                     keys.empty() ? "(none)" : keys);
    }
    std::string note;
    TENON_ASSIGN_OR_RETURN(Tensor tensor, ReadValue(value, *end, images, &note));
    if (!note.empty()) feeds.notes.push_back(note);
    values[static_cast<std::size_t>(end - signature.inputs.data())].push_back(std::move(tensor));
  }
  std::string missing;
  std::vector<std::string> keys;  // of `missing`
  for (std::size_t i = 0; i < values.size(); ++i) {
    const End& end = signature.inputs[i];
    if (values[i].empty()) {
      if (end.optional && !end.fallback) continue;
      if (end.optional) {
        feeds.ends.push_back(end);
        feeds.tensors.push_back(*end.fallback);
        continue;
      }
      if (!fill) {
        StrAppend(&missing, keys.empty() ? "'" : ", '", end.key, "' (", end.dtype, " ", end.shape, ")");
        keys.push_back(end.key);
        continue;
      }
      TENON_ASSIGN_OR_RETURN(const TensorShape shape, ShapeToFill(end, batch));
      TENON_ASSIGN_OR_RETURN(Tensor tensor, Filled("random", shape, end.dtype));
      values[i].push_back(std::move(tensor));
    }
    Tensor tensor = values[i][0];
    if (values[i].size() > 1) {
      std::vector<tenon::eager::Argument> arguments{tenon::eager::Argument(values[i]), Tensor::Scalar<std::int32_t>(0)};
      TENON_ASSIGN_OR_RETURN(tensor, CallOp("ConcatV2", arguments));
    }
    feeds.ends.push_back(end);
    feeds.tensors.push_back(std::move(tensor));
  }
  if (keys.size() == 1)
    return errors::InvalidArgument("input ", missing, " has no value; say --input ", keys[0], "=FILE");
  if (!keys.empty())
    return errors::InvalidArgument("inputs ", missing, " have no values; say --input ",
                                   tenon::StrJoin(keys, "=FILE --input "), "=FILE");
  return feeds;
}

Result<std::vector<std::pair<std::string, Tensor>>> ReadArrays(const std::string& path) {
  std::vector<std::pair<std::string, Tensor>> arrays;
  TENON_ASSIGN_OR_RETURN(const FileKind kind, KindOf(path));
  if (kind == FileKind::kNpz) {
    TENON_ASSIGN_OR_RETURN(auto all, tenon::ReadNpz(path));
    for (tenon::NamedArray& array : all) arrays.emplace_back(array.name, std::move(array.tensor));
  } else {
    TENON_ASSIGN_OR_RETURN(Tensor tensor, tenon::ReadNpy(path));
    arrays.emplace_back("", std::move(tensor));
  }
  return arrays;
}

Result<std::vector<std::string>> ReadLines(const std::string& path) {
  TENON_ASSIGN_OR_RETURN(const tenon::MappedFile file, tenon::MappedFile::Open(path));
  return SplitLines({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
}

// ------------------------------------------------------------------------------------------------------------ outputs

namespace {

std::string Base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

// Writes values from *at on as nested lists.
template <class AddOne>
void AddNested(const TensorShape& shape, int dim, Index* at, const AddOne& add_one, Json* json) {
  if (dim == shape.dims()) {
    add_one((*at)++);
    return;
  }
  json->Begin('[');
  for (Index i = 0; i < shape.dim_size(dim); ++i) AddNested(shape, dim + 1, at, add_one, json);
  json->End();
}

std::string FirstWords(const Tensor& tensor, Index most) {
  if (tensor.dtype() != DataType::kString) return tensor.SummarizeValue(most);
  std::string text;
  for (Index i = 0; i < tensor.NumElements() && i < most; ++i) {
    const std::string_view item = tensor.data<tstring>()[i].view();
    StrAppend(&text, i == 0 ? "" : " ", "\"", tenon::CEscape(item.substr(0, 60)), item.size() > 60 ? "...\"" : "\"");
  }
  return text + (tensor.NumElements() > most ? " ..." : "");
}

bool LooksLikeProbabilities(const Tensor& output, const double* values) {
  if (!tenon::kFloatingTypes.contains(output.dtype()) || output.dims() < 1) return false;
  const Index classes = output.dim_size(output.dims() - 1);
  if (classes < 2 || output.NumElements() == 0) return false;
  for (Index row = 0; row < output.NumElements(); row += classes) {
    double sum = 0;
    for (Index i = 0; i < classes; ++i) {
      if (!(values[row + i] >= 0 && values[row + i] <= 1.0001)) return false;
      sum += values[row + i];
    }
    if (std::abs(sum - 1) > 0.01) return false;
  }
  return true;
}

}  // namespace

Result<Tensor> ToDouble(const Tensor& tensor) {
  if (!IsNumber(tensor.dtype()) || tenon::kComplexTypes.contains(tensor.dtype()))
    return errors::Unimplemented("values of type ", tensor.dtype(), " are not numbers of one part");
  return Cast(tensor, DataType::kDouble);
}

std::string Summary(const NamedOutput& output, const std::vector<std::string>& labels) {
  const Tensor& tensor = output.tensor;
  std::string text = StrCat(Styled(Style::kBold, output.key), "  ", tensor.dtype(), " ", tensor.shape(), "\n");
  constexpr Index kFirst = 8, kRows = 4, kBest = 5;
  const Result<Tensor> numbers = ToDouble(tensor);
  if (numbers.ok() && tensor.NumElements() > 0) {
    const double* const values = numbers->data<double>();
    double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0;
    Index odd = 0;
    for (Index i = 0; i < tensor.NumElements(); ++i) {
      if (!std::isfinite(values[i])) {
        ++odd;
        continue;
      }
      low = std::min(low, values[i]), high = std::max(high, values[i]), sum += values[i];
    }
    const Index finite = tensor.NumElements() - odd;
    if (tensor.NumElements() > 1 && finite > 0)
      StrAppend(&text, "  min ", Short(low), "  max ", Short(high), "  mean ", Short(sum / static_cast<double>(finite)),
                "\n");
    if (odd > 0)
      StrAppend(&text, "  ",
                Styled(Style::kBad, StrCat(odd, " of ", tensor.NumElements(), " values are NaN or infinite")), "\n");
    if (LooksLikeProbabilities(tensor, values)) {
      const Index classes = tensor.dim_size(tensor.dims() - 1), rows = tensor.NumElements() / classes;
      for (Index row = 0; row < std::min(rows, kRows); ++row) {
        std::vector<Index> order(static_cast<std::size_t>(classes));
        for (Index i = 0; i < classes; ++i) order[static_cast<std::size_t>(i)] = i;
        const Index best = std::min(kBest, classes);
        const double* const of_row = values + row * classes;
        std::partial_sort(order.begin(), order.begin() + best, order.end(),
                          [&](Index a, Index b) { return of_row[a] != of_row[b] ? of_row[a] > of_row[b] : a < b; });
        if (rows > 1) StrAppend(&text, "  row ", row, "\n");
        for (Index k = 0; k < best; ++k) {
          const Index i = order[static_cast<std::size_t>(k)];
          const std::string number = std::to_string(i), percent = Fixed(100 * of_row[i], 2);
          StrAppend(&text, "  ", std::string(percent.size() < 8 ? 8 - percent.size() : 0, ' '), percent, " %  ");
          StrAppend(&text, "class ", number);
          if (i < static_cast<Index>(labels.size())) StrAppend(&text, "  ", labels[static_cast<std::size_t>(i)]);
          text += "\n";
        }
      }
      if (rows > kRows) StrAppend(&text, "  and ", rows - kRows, " more rows\n");
      return text;
    }
  }
  if (tensor.NumElements() > 0) StrAppend(&text, "  ", FirstWords(tensor, kFirst), "\n");
  return text;
}

void AddTensor(std::string_view name, const Tensor& tensor, Json* json) {
  json->Begin('{').Member("name", name).Member("dtype", tenon::Name(tensor.dtype()));
  json->Key("shape").Begin('[');
  for (const Index dim : tensor.shape()) json->Value(static_cast<std::int64_t>(dim));
  json->End().Key("values");
  Index at = 0;
  if (tensor.dtype() == DataType::kString) {
    AddNested(
        tensor.shape(), 0, &at,
        [&](Index i) {
          const std::string_view text = tensor.data<tstring>()[i].view();
          if (tenon::wire::detail::IsUtf8(text))
            json->Value(text);
          else
            json->Begin('{').Member("b64", Base64(text)).End();
        },
        json);
  } else if (tensor.dtype() == DataType::kBool) {
    AddNested(tensor.shape(), 0, &at, [&](Index i) { json->Value(tensor.data<bool>()[i]); }, json);
  } else if (tenon::kIntegerTypes.contains(tensor.dtype()) && tensor.dtype() != DataType::kUint64) {
    const Result<Tensor> numbers = Cast(tensor, DataType::kInt64);
    if (numbers.ok())
      AddNested(tensor.shape(), 0, &at, [&](Index i) { json->Value(numbers->data<std::int64_t>()[i]); }, json);
    else
      json->Null();
  } else if (tensor.dtype() == DataType::kUint64) {
    AddNested(tensor.shape(), 0, &at, [&](Index i) { json->Value(tensor.data<std::uint64_t>()[i]); }, json);
  } else if (tensor.dtype() == DataType::kFloat) {
    AddNested(
        tensor.shape(), 0, &at,
        [&](Index i) {
          const float value = tensor.data<float>()[i];
          char text[32];  // the shortest of 6 to 9 digits that reads back as the float
          for (int digits = 6; digits <= 9; ++digits) {
            std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
            if (std::strtof(text, nullptr) == value) break;
          }
          json->Value(std::strtod(text, nullptr));
        },
        json);
  } else if (const Result<Tensor> numbers = ToDouble(tensor); numbers.ok()) {
    AddNested(tensor.shape(), 0, &at, [&](Index i) { json->Value(numbers->data<double>()[i]); }, json);
  } else if (tensor.dtype() == DataType::kComplex64 || tensor.dtype() == DataType::kComplex128) {
    const Result<Tensor> wide = Cast(tensor, DataType::kComplex128);
    const auto* const parts = wide.ok() ? static_cast<const double*>(wide->raw_data()) : nullptr;
    if (parts == nullptr)
      json->Null();
    else
      AddNested(
          tensor.shape(), 0, &at, [&](Index i) { json->Begin('[').Value(parts[2 * i]).Value(parts[2 * i + 1]).End(); },
          json);
  } else {
    json->Null();
  }
  json->End();
}

namespace {

// Where standard output is meant, the array goes there.
Status WriteArray(const std::string& path, const std::vector<NamedOutput>& outputs) {
  if (path.ends_with(".json")) {
    Json json;
    json.Begin('{').Key("outputs").Begin('[');
    for (const NamedOutput& output : outputs) AddTensor(output.key, output.tensor, &json);
    json.End().End();
    return tenon::WriteFile(path, json.text());
  }
  if (path.ends_with(".npz")) {
    std::vector<tenon::NamedArray> arrays;
    for (const NamedOutput& output : outputs) {
      std::string name = output.key;
      std::replace(name.begin(), name.end(), ':', '_');
      arrays.push_back({name, output.tensor});
    }
    return tenon::WriteNpz(path, tenon::Span<const tenon::NamedArray>(arrays.data(), arrays.size()));
  }
  if (outputs.size() != 1)
    return errors::InvalidArgument("--output '", path, "' is one file for ", outputs.size(),
                                   " outputs; say --output KEY=FILE.npy for each, or a file .npz or .json");
  if (path == "-") {
    TENON_ASSIGN_OR_RETURN(const tenon::detail::NpyImage image,
                           tenon::detail::MakeNpy(outputs[0].tensor, "standard output"));
    Print(image.header);
    Print(image.data);
    return tenon::OkStatus();
  }
  if (!path.ends_with(".npy"))
    return errors::InvalidArgument("--output '", path,
                                   "' has an extension that is not known; .npy, .npz or .json is wanted");
  return tenon::WriteNpy(path, outputs[0].tensor);
}

}  // namespace

Status WriteOutputs(const std::vector<std::string>& words, const std::vector<NamedOutput>& outputs) {
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == word.npos) {
      TENON_RETURN_IF_ERROR(WriteArray(word, outputs));
      continue;
    }
    const std::string_view key = std::string_view(word).substr(0, equals);
    tenon::SlimVector<std::string_view> keys;
    const NamedOutput* found = nullptr;
    for (const NamedOutput& output : outputs) {
      if (output.key == key || StrCat(output.key, ":0") == key) found = &output;
      keys.push_back(output.key);
    }
    if (found == nullptr)
      return errors::InvalidArgument("--output names '", key, "', which is not an output",
                                     tenon::detail::SuggestOrList(key, keys));
    TENON_RETURN_IF_ERROR(WriteArray(word.substr(equals + 1), {*found}));
  }
  return tenon::OkStatus();
}

}  // namespace command

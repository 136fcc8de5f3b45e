// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors in and out: what the options --input and --output name, and how a tensor is shown.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/tenon.hpp>

#include "model.hpp"
#include "output.hpp"

namespace command {

struct ImageOptions {
  std::int64_t height = 0, width = 0;  // 0: the signature's, or the image's own
  double low = 0, high = 1;  // the range of the values of a float input
};
// Reads --image-size and --image-range.
Result<ImageOptions> ImageOptionsOf(const Args& args);

// Returns the length of KEY in a word "KEY=VALUE"; npos: the word is a value.
std::size_t KeyLength(std::string_view word);
// Reads the feeds of a signature from words "KEY=VALUE", or "VALUE" where there is one input. Several values of one
// input are joined along the first dimension. With `fill`, inputs that no word names get numbers: for `batch` items
// where the first dimension is unknown. Otherwise InvalidArgument: inputs are missing.
struct Feeds {
  std::vector<End> ends;
  std::vector<tenon::Tensor> tensors;
  std::vector<std::string> notes;  // how values were converted
};
Result<Feeds> ReadFeeds(const Signature& signature, const std::vector<std::string>& words, const ImageOptions& images,
                        bool fill, std::int64_t batch = 1);

// Reads the arrays of an .npy or .npz file.
Result<std::vector<std::pair<std::string, tenon::Tensor>>> ReadArrays(const std::string& path);

struct NamedOutput {
  std::string key;
  tenon::Tensor tensor;
};
// Writes outputs as "KEY=FILE" or "FILE" says, by the file's extension: .npy, .npz, .json; "-" is standard output.
Status WriteOutputs(const std::vector<std::string>& words, const std::vector<NamedOutput>& outputs);

// Converts numbers and bools to double. Unimplemented: another type.
Result<tenon::Tensor> ToDouble(const tenon::Tensor& tensor);

// Shows type, shape, range, first values, and the five best classes where the tensor looks like probabilities.
std::string Summary(const NamedOutput& output, const std::vector<std::string>& labels);
// Adds a tensor as {"name", "dtype", "shape", "values"}; values are nested lists.
void AddTensor(std::string_view name, const tenon::Tensor& tensor, Json* json);

// Reads the lines of a file.
Result<std::vector<std::string>> ReadLines(const std::string& path);

}  // namespace command

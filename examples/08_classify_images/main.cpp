// SPDX-License-Identifier: Apache-2.0
// Says which shape is on each PNG file of a folder, by a small MobileNetV2 that Keras trained on drawn shapes and
// exported (tools/make_saved_models.py).
//
//   classify_images [FOLDER]

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <tenon/eager.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/ops/image/decode.hpp>
#include <tenon/ops/image/resize.hpp>
#include <tenon/ops/math/cast.hpp>
#include <tenon/saved_model.hpp>

using namespace tenon;

TENON_REGISTER(ops::DecodePng, ops::ResizeBilinear, ops::Cast);

namespace {

constexpr const char* kShapes[] = {"circle", "cross", "square", "triangle"};
constexpr int kSize = 48;  // height and width that the network wants

// A picture as uint8 [1, kSize, kSize, 3].
Result<Tensor> ReadPicture(const std::string& path) {
  TENON_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  const std::string bytes(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  TENON_ASSIGN_OR_RETURN(Tensor image, eager::Call<ops::DecodePng>({.channels = 3, .dtype = DataType::kUint8},
                                                                   Tensor::Scalar(tstring(bytes))));
  TensorShape one = image.shape();
  one.InsertDim(0, 1);
  Tensor batch;
  if (!batch.CopyFrom(image, one)) return errors::Internal(path, ": cannot be a batch of one");
  if (one.dim_size(1) == kSize && one.dim_size(2) == kSize) return batch;
  TENON_ASSIGN_OR_RETURN(const auto resized, eager::Call("ResizeBilinear", {batch, Tensor::From({kSize, kSize}, {2})}));
  TENON_ASSIGN_OR_RETURN(const auto cast, eager::Call("Cast", {resized[0]}, {{"DstT", DataType::kUint8}}));
  return cast[0];
}

Status Classify(const std::string& folder) {
  TENON_ASSIGN_OR_RETURN(const SavedModel model, SavedModel::Load(FOLDER "/shapes"));
  TENON_ASSIGN_OR_RETURN(const ModelSignature signature, model.signature());
  std::vector<std::string> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator i(folder, error), end; !error && i != end; i.increment(error))
    if (i->path().extension() == ".png") paths.push_back(i->path().string());
  if (paths.empty()) return errors::NotFound("'", folder, "' has no .png files");
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    TENON_ASSIGN_OR_RETURN(const Tensor image, ReadPicture(path));
    TENON_ASSIGN_OR_RETURN(const auto outputs, signature({image}));
    const auto scores = outputs[0].flat<float>();
    int best = 0;
    for (int i = 1; i < 4; ++i)
      if (scores(i) > scores(best)) best = i;
    std::printf("%-14s %-9s %5.1f %%\n", std::filesystem::path(path).filename().string().c_str(), kShapes[best],
                100 * static_cast<double>(scores(best)));
  }
  return OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  const Status status = Classify(argc > 1 ? argv[1] : FOLDER "/images");
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

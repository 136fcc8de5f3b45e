// SPDX-License-Identifier: Apache-2.0
// Runs a text classifier that Keras exported: how good is the review?
#include <cstdio>

#include <tenon/saved_model.hpp>

int main(int argc, char** argv) {
  auto model = tenon::SavedModel::Load(argc > 1 ? argv[1] : "sentiment").value();
  auto review = tenon::MakeTensor<tenon::tstring>({1}, {"What a lovely and charming film!"});
  auto outputs = model.Run({{"review", review}}).value();
  std::printf("%.4f\n", outputs[0].tensor.flat<float>()(0));
}

// SPDX-License-Identifier: Apache-2.0
// Runs cnn_digits once, with whatever kernels were linked: those that tenon_ops_of found, or all.
#include <cstdio>

#include <tenon/runtime/api/session.hpp>

namespace {

tenon::Status Run() {
  TENON_ASSIGN_OR_RETURN(const auto session,
                         tenon::Session::FromGraphFile(TENON_TEST_DATA "/models/cnn_digits/graph.pb"));
  TENON_ASSIGN_OR_RETURN(const auto outputs,
                         session.Run({{"image:0", tenon::Tensor::Zeros<float>({2, 28, 28, 1})}}, {"probabilities:0"}));
  double sum = 0;
  for (const float p : outputs[0].flat<float>()) sum += static_cast<double>(p);
  std::printf("probabilities of 2 images: %.3f in all\n", sum);
  return tenon::OkStatus();
}

}  // namespace

int main() {
  const tenon::Status status = Run();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

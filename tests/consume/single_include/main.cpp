// SPDX-License-Identifier: Apache-2.0
// A file that includes the single header sees declarations only: a graph of its own, and a SavedModel of Keras.
#include <tenon/tenon.hpp>

#include <cstdio>

tenon::Result<float> SumOf(tenon::Session& session, float value);  // session.cpp

tenon::Status Run(const char* folder) {
  tenon::GraphBuilder b;
  auto x = b.Placeholder("x", tenon::DataType::kFloat);
  b.Add("AddV2", "sum", {x, x}, {});
  TENON_ASSIGN_OR_RETURN(auto session, tenon::Session::FromGraph(b));
  TENON_ASSIGN_OR_RETURN(const float sum, SumOf(session, 1.5f));
  if (sum != 3) return tenon::errors::Internal("1.5 + 1.5 is not 3");

  TENON_ASSIGN_OR_RETURN(auto model, tenon::SavedModel::Load(folder));
  auto review =
      tenon::MakeTensor<tenon::tstring>({2}, {"What a lovely and charming film!", "Boring and far too long."});
  TENON_ASSIGN_OR_RETURN(auto outputs, model.Run({{"review", review}}));
  const auto liked = outputs[0].tensor.flat<float>();
  return liked[0] > liked[1] ? tenon::OkStatus() : tenon::errors::Internal("the boring film is liked more");
}

int main(int argc, char** argv) {
  const tenon::Status status = Run(argc > 1 ? argv[1] : SENTIMENT);
  std::printf("single header: %s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

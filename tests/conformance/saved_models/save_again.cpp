// SPDX-License-Identifier: Apache-2.0
// Writes SavedModels for TensorFlow to load (tensorflow_loads.py): recorded ones saved again, and one of a session.
//
//   tenon_save_again OUT FOLDER...
#include <cstdio>
#include <string>
#include <string_view>

#include <tenon/saved_model.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime.hpp>

namespace {

using namespace tenon;

TensorInfo Named(std::string name) {
  TensorInfo info;
  info.name = std::move(name);
  return info;
}
// y = x * w, with w = {2, 3}.
Status SaveSession(const std::string& folder) {
  GraphBuilder b;
  const Output w = b.Add("VarHandleOp", "w", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({2})}});
  const Output read = b.Add("ReadVariableOp", "read", {w}, {{"dtype", DataType::kFloat}});
  b.Add("AssignVariableOp", "set", {w, b.Placeholder("value", DataType::kFloat, PartialTensorShape({2}))});
  b.Add("Mul", "y", {b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1, 2})), read});
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b));
  TENON_RETURN_IF_ERROR(session.Run({{"value", MakeTensor<float>({2}, {2, 3})}}, {}, {"set"}).status());
  SignatureDef call;
  call.inputs.push_back({"x", Named("x")});
  call.outputs.push_back({"y", Named("y")});
  SavedModelContent content;
  content.signatures = {{"serving_default", call}};
  return SavedModel::Save(folder, session, content);
}
Status SaveAgain(const std::string& from, const std::string& to) {
  TENON_ASSIGN_OR_RETURN(const SavedModel model, SavedModel::Load(from));
  return model.Save(to);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: tenon_save_again OUT FOLDER...\n", stderr);
    return 2;
  }
  const std::string out = argv[1];
  Status status = SaveSession(out + "/session");
  for (int i = 2; i < argc && status.ok(); ++i) {
    const std::string_view from = argv[i];
    status = SaveAgain(argv[i], StrCat(out, "/", from.substr(from.rfind('/') + 1)));
  }
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

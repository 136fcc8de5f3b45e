// SPDX-License-Identifier: Apache-2.0
// A file that only runs graphs: the door that leaves out the rest of tenon.hpp.
#include <tenon/runtime/api/session.hpp>

tenon::Result<float> SumOf(tenon::Session& session, float value) {
  TENON_ASSIGN_OR_RETURN(auto sums, session.Run({{"x:0", tenon::Tensor::Scalar(value)}}, {"sum:0"}));
  return sums[0].flat<float>()[0];
}

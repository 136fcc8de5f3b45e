// SPDX-License-Identifier: Apache-2.0
#pragma once
// What every way of consuming Tenon is tried with: an op defined outside of Tenon, run in a graph.

#include <tenon/tenon.hpp>

// Keeps one element of the input and zeroes the rest.
struct ZeroOut {
  static constexpr auto signature = tenon::Op("ZeroOut")
                                        .Attr("preserve_index: int >= 0 = 0")
                                        .Attr("T: {float, int32}")
                                        .Input("to_zero: T")
                                        .Output("zeroed: T")
                                        .SetShapeFn(tenon::shape_inference::UnchangedShape);

  struct Attrs {
    std::int64_t preserve_index;
  };

  template <class Device, class T>
  struct kernel : Attrs {
    struct Body {
      tenon::In<T> x;
      tenon::Out<T> y;
      std::int64_t keep;
      TENON_HD void operator()(tenon::Index i) const { y[i] = i == keep ? x[i] : T(0); }
    };

    tenon::Status operator()(Device& device, tenon::In<T> to_zero, tenon::Out<T> zeroed) const {
      if (this->preserve_index >= to_zero.size())
        return tenon::errors::InvalidArgument("ZeroOut: preserve_index = ", this->preserve_index,
                                              " is outside the input, which has ", to_zero.size(), " elements");
      return ForEach(device, to_zero.size(), Body{to_zero, zeroed, this->preserve_index});
    }
  };
};

// x -> ZeroOut(preserve_index = 1) -> y on {7, 8, 9}: OK when the answer is {0, 8, 0}.
inline tenon::Status RunZeroOut() {
  tenon::GraphBuilder b;
  auto x = b.Placeholder("x", tenon::DataType::kFloat);
  b.Add("ZeroOut", "y", {x}, {{"preserve_index", 1}});
  TENON_ASSIGN_OR_RETURN(auto session, tenon::Session::FromGraph(b));
  const tenon::Tensor seven_to_nine = tenon::MakeTensor<float>({3}, {7, 8, 9});
  TENON_ASSIGN_OR_RETURN(auto outputs, session.Run({{"x:0", seven_to_nine}}, {"y:0"}));
  const auto y = outputs[0].flat<float>();
  if (y.size() != 3 || y[0] != 0 || y[1] != 8 || y[2] != 0)
    return tenon::errors::Internal("ZeroOut: wanted {0, 8, 0}, got ", outputs[0].DebugString());
  return tenon::OkStatus();
}

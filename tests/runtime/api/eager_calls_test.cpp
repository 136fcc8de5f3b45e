// SPDX-License-Identifier: Apache-2.0
// How calls are written; tests/top/eager_test.cpp runs them.
#include <tenon/runtime/api/eager_calls.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tenon/op/shape/shape_fns.hpp>

namespace eager_calls_test {
using namespace tenon;

namespace {

struct Scale {
  static constexpr auto signature = Op("Scale")
                                        .Input("x: float")
                                        .Output("y: float")
                                        .Attr("by: float = 2")
                                        .Attr("rounded: bool = false")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  struct Attrs {
    float by;
    bool rounded;
  };
};
struct Halve {
  static constexpr auto signature =
      Op("Halve").Input("x: float").Output("a: float").Output("b: float").SetShapeFn(shape_inference::UnknownShape);
};
struct Drop {
  static constexpr auto signature = Op("Drop").Input("x: float").SetShapeFn(shape_inference::NoOutputs);
};

// Arguments are numbers, a result is the text of the call.
class Texts : public eager::Calls<Texts, int, std::string> {
 public:
  eager::CallsOn<Texts, int, std::string> On(std::string device) { return {this, std::move(device)}; }

 private:
  friend class eager::Calls<Texts, int, std::string>;
  friend class eager::CallsOn<Texts, int, std::string>;

  Result<std::vector<std::string>> CallOn(std::string_view device, std::string_view op, const std::vector<int>& inputs,
                                          const std::vector<eager::Attr>& attrs, const eager::detail::TypedOp* typed) {
    if (typed != nullptr) TENON_RETURN_IF_ERROR(eager::detail::CheckZeros(*typed, attrs));
    std::string text = StrCat(device, device.empty() ? "" : ": ", op);
    for (const int input : inputs) StrAppend(&text, " ", input);
    for (const auto& [name, value] : attrs) StrAppend(&text, " ", name, "=", SummarizeAttrValue(value));
    return std::vector<std::string>{text, "second"};
  }
};

}  // namespace

TEST_SUITE("eager::Calls") {
  TEST_CASE("a result is what the op's outputs are") {
    static_assert(std::is_same_v<eager::ResultOf<Scale>, Result<Tensor>>);
    static_assert(std::is_same_v<eager::ResultOf<Scale, std::string>, Result<std::string>>);
    static_assert(std::is_same_v<eager::ResultOf<Halve>, Result<std::vector<Tensor>>>);
    static_assert(std::is_same_v<eager::ResultOf<Drop>, Status>);
    Texts calls;
    CHECK(*calls.Call<Scale>(1) == "Scale 1");
    CHECK(calls.Call<Halve>(1)->size() == 2);
    CHECK(calls.Call<Drop>(1).ok());
  }
  TEST_CASE("attrs by members and by name, on a device") {
    Texts calls;
    CHECK(*calls.Call<Scale>({.by = 3, .rounded = false}, 1) == "Scale 1 by=3 rounded=false");
    CHECK((*calls.Call("Any", {1, 2}, {{"n", 4}}))[0] == "Any 1 2 n=4");
    CHECK(*calls.On("SIM:0").Call<Scale>({.by = 3, .rounded = true}, 1) == "SIM:0: Scale 1 by=3 rounded=true");
    CHECK((*calls.On("SIM:0").Call("Any", {}))[0] == "SIM:0: Any");
  }
  TEST_CASE("a zero that nobody may have named is refused where the default is another") {
    Texts calls;
    CHECK(calls.Call<Scale>({.by = 0, .rounded = true}, 1).status().code() == Code::kInvalidArgument);
  }
}
}  // namespace eager_calls_test

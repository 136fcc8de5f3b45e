// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/flow/py_func.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace flow_py_func_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

using Types = SlimVector<DataType>;

// One call with a float input and a float output.
Result<std::vector<Tensor>> Called(std::string_view op, std::string_view token) {
  return CallOp(op, {{"token", token}, {"Tout", Types{DataType::kFloat}}}, {Make<float>({2}, {1, 2})}, 1);
}

}  // namespace

TEST_SUITE("PyFunc") {
  TEST_CASE("a registered function is called") {
    CHECK(!RegisterPyFunction("twice", [](Span<const Tensor> inputs, SlimVector<Tensor>* outputs) {
      Tensor out(DataType::kFloat, inputs[0].shape());
      for (Index i = 0; i < out.NumElements(); ++i) out.data<float>()[i] = 2 * inputs[0].data<float>()[i];
      outputs->push_back(out);
      return OkStatus();
    }));
    for (const char* op : {"PyFunc", "PyFuncStateless", "EagerPyFunc"}) {
      const Result<std::vector<Tensor>> got = Called(op, "twice");
      REQUIRE_MESSAGE(got.ok(), got.status().message());
      CHECK((*got)[0].SummarizeValue(9) == "2 4");
    }
    CHECK(UnregisterPyFunction("twice"));
    CHECK(!UnregisterPyFunction("twice"));
    CHECK(Called("PyFunc", "twice").status().code() == Code::kUnimplemented);
  }
  TEST_CASE("without a function the error says how to give one") {
    const Status status = Called("EagerPyFunc", "pyfunc_7").status();
    CHECK(status.code() == Code::kUnimplemented);
    CHECK(status.message().find("tenon::RegisterPyFunction") != std::string_view::npos);
    CHECK(status.message().find("pyfunc_7") != std::string_view::npos);
  }
  TEST_CASE("results that do not fit, and errors") {
    RegisterPyFunction("bad", [](Span<const Tensor>, SlimVector<Tensor>*) { return OkStatus(); });
    CHECK(Called("PyFunc", "bad").status().code() == Code::kInvalidArgument);
    CHECK(RegisterPyFunction("bad", [](Span<const Tensor>, SlimVector<Tensor>* outputs) {
      outputs->push_back(Tensor::Scalar(1));
      return OkStatus();
    }));
    CHECK(Called("PyFunc", "bad").status().code() == Code::kInvalidArgument);
    RegisterPyFunction("bad", [](Span<const Tensor>, SlimVector<Tensor>*) { return errors::DataLoss("lost"); });
    CHECK(Called("PyFunc", "bad").status().code() == Code::kDataLoss);
    UnregisterPyFunction("bad");
  }
}
}  // namespace flow_py_func_test

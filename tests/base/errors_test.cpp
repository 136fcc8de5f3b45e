// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/errors.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace errors = tenon::errors;
using tenon::DidYouMean;
using tenon::Status;

TEST_CASE("an error is made from pieces") {
  const Status s = errors::InvalidArgument("MatMul: inner dimensions must agree, got ", 3, " and ", 4);
  CHECK(s.ToString() == "INVALID_ARGUMENT: MatMul: inner dimensions must agree, got 3 and 4");
}

TEST_CASE("every code has its maker and its test") {
  CHECK(errors::IsCancelled(errors::Cancelled("x")));
  CHECK(errors::IsUnknown(errors::Unknown("x")));
  CHECK(errors::IsInvalidArgument(errors::InvalidArgument("x")));
  CHECK(errors::IsDeadlineExceeded(errors::DeadlineExceeded("x")));
  CHECK(errors::IsNotFound(errors::NotFound("x")));
  CHECK(errors::IsAlreadyExists(errors::AlreadyExists("x")));
  CHECK(errors::IsPermissionDenied(errors::PermissionDenied("x")));
  CHECK(errors::IsResourceExhausted(errors::ResourceExhausted("x")));
  CHECK(errors::IsFailedPrecondition(errors::FailedPrecondition("x")));
  CHECK(errors::IsAborted(errors::Aborted("x")));
  CHECK(errors::IsOutOfRange(errors::OutOfRange("x")));
  CHECK(errors::IsUnimplemented(errors::Unimplemented("x")));
  CHECK(errors::IsInternal(errors::Internal("x")));
  CHECK(errors::IsUnavailable(errors::Unavailable("x")));
  CHECK(errors::IsDataLoss(errors::DataLoss("x")));
  CHECK(errors::IsUnauthenticated(errors::Unauthenticated("x")));
  CHECK_FALSE(errors::IsNotFound(errors::Internal("x")));
  CHECK_FALSE(errors::IsUnknown(tenon::OkStatus()));
}

TEST_CASE("a misspelt name finds the one that was meant") {
  const std::vector<std::string> ops{"MatMul", "Relu", "BiasAdd", "Softmax", "Identity"};
  CHECK(DidYouMean("MatMull", ops) == "; did you mean 'MatMul'?");
  CHECK(DidYouMean("Matmul", ops) == "; did you mean 'MatMul'?");
  CHECK(DidYouMean("matmul", ops) == "; did you mean 'MatMul'?");
  CHECK(DidYouMean("BaisAdd", ops) == "; did you mean 'BiasAdd'?");
  CHECK(DidYouMean("Rleu", ops) == "; did you mean 'Relu'?");
}

TEST_CASE("a name like none of the candidates gets no proposal") {
  CHECK(DidYouMean("Conv2D", std::vector<std::string>{"MatMul", "Relu"}) == "");
  CHECK(DidYouMean("x", std::vector<std::string>{}) == "");
}

TEST_CASE("at most three names are proposed, nearest first, each once") {
  const std::vector<std::string_view> names{"add5", "add_n", "adda", "addb", "add", "add"};
  CHECK(DidYouMean("add", names) == "; did you mean 'add', 'add5', 'adda'?");
}

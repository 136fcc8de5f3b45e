// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/status.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "child_process.hpp"

namespace status_test {
using tenon::Code;
using tenon::OkStatus;
using tenon::Result;
using tenon::Status;

namespace {

constexpr bool SucceedsWhileCompiling() {
  Status a;
  Status b = a;
  Status c = std::move(a);
  b = c;
  b.Update(c);
  return b.ok() && OkStatus().ok();
}
static_assert(SucceedsWhileCompiling());

Status FailIf(bool fail) { return fail ? Status(Code::kNotFound, "no such thing") : OkStatus(); }

Status PassOn(bool fail, int* reached) {
  TENON_RETURN_IF_ERROR(FailIf(fail));
  ++*reached;
  return OkStatus();
}

Result<int> Half(int x) {
  if (x % 2 != 0) return Status(Code::kInvalidArgument, "odd");
  return x / 2;
}
Result<int> Quarter(int x) {
  TENON_ASSIGN_OR_RETURN(const int half, Half(x));
  int quarter = 0;
  TENON_ASSIGN_OR_RETURN(quarter, Half(half));
  return quarter;
}
Result<std::string> PassOnAsAnotherType(bool fail) {
  TENON_RETURN_IF_ERROR(FailIf(fail));
  return "text";
}

struct Pair {
  int a, b;
};
Result<Pair> MakePair(Pair p) { return p; }
Status UsesCommasInBraces(int* sum) {
  TENON_ASSIGN_OR_RETURN(const Pair p, MakePair(Pair{1, 2}));
  TENON_RETURN_IF_ERROR(FailIf(Pair{1, 2}.a == 2));
  *sum = p.a + p.b;
  return OkStatus();
}

}  // namespace

TEST_CASE("every code has the name and number that TensorFlow gives it") {
  const char* const names[] = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  for (int i = 0; i <= 16; ++i) CHECK(Name(static_cast<Code>(i)) == names[i]);
  CHECK(Name(static_cast<Code>(17)) == "UNKNOWN");
  CHECK(Name(static_cast<Code>(-1)) == "UNKNOWN");
}

TEST_CASE("an OK status has no message and prints OK") {
  const Status ok;
  CHECK(ok.ok());
  CHECK(ok.code() == Code::kOk);
  CHECK(ok.message().empty());
  CHECK(ok.ToString() == "OK");
  CHECK(Status(Code::kOk, "ignored") == ok);
}

TEST_CASE("an error keeps its code and message and prints both") {
  const Status error(Code::kInvalidArgument, "MatMul: no.");
  CHECK_FALSE(error.ok());
  CHECK(error.code() == Code::kInvalidArgument);
  CHECK(error.message() == "MatMul: no.");
  CHECK(error.ToString() == "INVALID_ARGUMENT: MatMul: no.");
}

TEST_CASE("copies share an error and moves carry it") {
  Status a(Code::kAborted, "a");
  Status b = a;
  CHECK(b == a);
  CHECK(b.message().data() == a.message().data());
  Status c = std::move(a);
  CHECK(c == b);
  Status& alias = b;
  b = alias;
  CHECK(b.message() == "a");
  b = OkStatus();
  CHECK(b.ok());
  CHECK(c.message() == "a");
  b = std::move(c);
  CHECK(b.message() == "a");
}

TEST_CASE("copies of one error may be made and dropped by many threads") {
  const Status error(Code::kInternal, "shared");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([error] {
      for (int i = 0; i < 2000; ++i) {
        const Status copy = error;
        if (copy.code() != Code::kInternal) std::abort();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(error.message() == "shared");
}

TEST_CASE("TensorFlow's older names say the same") {
  static_assert(Status::OK().ok());
  const Status lost(Code::kNotFound, "lost");
  CHECK(lost.error_message() == "lost");
  CHECK(lost.raw_code() == 5);
  CHECK(Status::OK().raw_code() == 0);
  CHECK(Status::OK().error_message().empty());
  lost.IgnoreError();
}

TEST_CASE("Update keeps the first error") {
  Status status;
  status.Update(OkStatus());
  CHECK(status.ok());
  status.Update(Status(Code::kNotFound, "first"));
  status.Update(Status(Code::kInternal, "second"));
  CHECK(status.ToString() == "NOT_FOUND: first");
}

TEST_CASE("WithAppended lengthens the message of an error and leaves OK alone") {
  const Status error(Code::kOutOfRange, "too far");
  CHECK(error.WithAppended(" [node 'x']").ToString() == "OUT_OF_RANGE: too far [node 'x']");
  CHECK(error.message() == "too far");
  CHECK(OkStatus().WithAppended("text").ok());
}

TEST_CASE("TENON_RETURN_IF_ERROR returns the error or goes on") {
  int reached = 0;
  CHECK(PassOn(false, &reached).ok());
  CHECK(reached == 1);
  CHECK(PassOn(true, &reached).ToString() == "NOT_FOUND: no such thing");
  CHECK(reached == 1);
  CHECK(PassOnAsAnotherType(true).status().code() == Code::kNotFound);
  CHECK(*PassOnAsAnotherType(false) == "text");
}

TEST_CASE("TENON_ASSIGN_OR_RETURN declares, assigns or returns") {
  CHECK(*Quarter(8) == 2);
  CHECK(Quarter(3).status().message() == "odd");
  CHECK(Quarter(6).status().message() == "odd");
  int sum = 0;
  CHECK(UsesCommasInBraces(&sum).ok());
  CHECK(sum == 3);
}

TEST_CASE("a Result holds a value or says why not") {
  const Result<std::string> text("abc");
  CHECK(text.ok());
  CHECK(text.status().ok());
  CHECK(text->size() == 3);
  CHECK(*text == "abc");
  CHECK(text.value_or("z") == "abc");
  const Result<std::string> none = PassOnAsAnotherType(true);
  CHECK_FALSE(none.ok());
  CHECK(none.status().ToString() == "NOT_FOUND: no such thing");
  CHECK(none.value_or("z") == "z");
}

TEST_CASE("a Result copies and moves what it holds, also over another") {
  Result<std::vector<int>> a(std::vector<int>{1, 2, 3});
  Result<std::vector<int>> b(a);
  CHECK(b->size() == 3);
  const int* const data = a->data();
  Result<std::vector<int>> c(std::move(a));
  CHECK(c->data() == data);
  c = Status(Code::kUnknown, "gone");
  CHECK(c.status().message() == "gone");
  c = b;
  CHECK(c->size() == 3);
  CHECK(b->size() == 3);
}

TEST_CASE("a Result starts without a value, gets one in place and converts it") {
  struct Base {
    virtual ~Base() = default;
  };
  struct Derived : Base {};
  Result<std::unique_ptr<Base>> base;
  CHECK(base.status().code() == Code::kUnknown);
  base = Result<std::unique_ptr<Derived>>(std::make_unique<Derived>());
  CHECK(base.ok());
  base = Result<std::unique_ptr<Derived>>(Status(Code::kNotFound, "no such thing"));
  CHECK(base.status().code() == Code::kNotFound);
  CHECK(base.emplace(std::make_unique<Derived>()) != nullptr);
  const Result<const char*> text = "text";
  Result<std::string> copy = text;
  CHECK(copy.ValueOrDie() == "text");
  CHECK(copy.emplace(3U, 'x') == "xxx");
  CHECK(text.ValueOrDie() == std::string("text"));
  CHECK(copy.ConsumeValueOrDie() == "xxx");
  CHECK(Result<std::string>("abc").ValueOrDie() == "abc");
}

TEST_CASE("a Result gives up a value that can only be moved") {
  Result<std::unique_ptr<int>> r(std::make_unique<int>(5));
  const std::unique_ptr<int> p = *std::move(r);
  CHECK(*p == 5);
}

TEST_CASE("a Result made from OK is an internal error") {
  const Result<int> r = OkStatus();
  CHECK(r.status().code() == Code::kInternal);
  CHECK(r.status().message() == "a Result was made from an OK status: return a value instead");
}

TEST_CASE("asking an error for its value ends the program with the error") {
  const ChildResult child = RunInChild([] {
    const Result<int> r = Status(Code::kNotFound, "no such thing");
    _exit(*r);
  });
  CHECK(child.aborted);
  CHECK(Contains(child.errors, "it holds an error: NOT_FOUND: no such thing"));
}

TEST_CASE("the status of no memory is one object that needs none") {
  const Status first = Status::NoMemory();
  Status second = Status::NoMemory();
  CHECK(first.ToString() == "RESOURCE_EXHAUSTED: out of memory");
  CHECK(first == second);
  CHECK(first.message().data() == second.message().data());
  second = second.WithAppended(" here");
  CHECK(second.message() == "out of memory here");
  CHECK(first.message() == "out of memory");
}
}  // namespace status_test

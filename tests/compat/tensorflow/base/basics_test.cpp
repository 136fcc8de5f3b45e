// SPDX-License-Identifier: Apache-2.0
// Errors, texts, types, locks and pools by TensorFlow's names.
#define EIGEN_USE_THREADS
#include <doctest/doctest.h>

#include <atomic>
#include <cerrno>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <tenon/compat/tensorflow/base/status.hpp>
#include <tenon/compat/tensorflow/base/strings.hpp>
#include <tenon/compat/tensorflow/base/sync.hpp>
#include <tenon/compat/tensorflow/base/types.hpp>
#include <tenon/compat/tensorflow/threadpool.hpp>

namespace compat_base_basics_test {
using namespace tensorflow;

TEST_SUITE("names of TensorFlow's base") {
  TEST_CASE("errors of the system, and with payloads") {
    CHECK(errors::IOError("f", ENOENT).code() == error::NOT_FOUND);
    CHECK(errors::IOError("f", ENOENT).message().starts_with("f; "));
    CHECK(errors::IOError("f", EACCES).code() == error::PERMISSION_DENIED);
    CHECK(errors::IOError("f", ENOSPC).code() == error::RESOURCE_EXHAUSTED);
    CHECK(errors::IOError("f", EAGAIN).code() == error::UNAVAILABLE);
    CHECK(errors::IOError("f", 9999).code() == error::UNKNOWN);
    CHECK(errors::IOError("f", 0).ok());
    const Status lost = errors::DataLossWithPayloads("gone", {{"k", "v"}});
    CHECK(errors::IsDataLoss(lost));
    CHECK(errors::GetPayloads(lost).empty());
    CHECK(errors::FormatNodeNamesForError(std::vector<std::string>{"a", "b"}) == "{{node a}}, {{node b}}");
    CHECK(errors::FormatFunctionForError("f") == "{{function_node f}}");
    const StatusCallback done = [](const Status& status) { CHECK(status.ok()); };
    done(Status());
  }
  TEST_CASE("codes by the names of the protocol buffer") {
    const Status status(error::INVALID_ARGUMENT, "wrong");
    CHECK(errors::IsInvalidArgument(status));
    const error::Code code = status.code();
    CHECK(code == error::Code::INVALID_ARGUMENT);
    CHECK(Status(static_cast<error::Code>(5), "gone").code() == error::NOT_FOUND);
    CHECK(Status(error::Code(), "fine").ok());
    CHECK(static_cast<int>(error::UNAUTHENTICATED) == 16);
    CHECK(error::Code_Name(code) == "INVALID_ARGUMENT");
    bool found = false;
    switch (status.code()) {
      case error::INVALID_ARGUMENT: found = true; break;
      default: break;
    }
    CHECK(found);
    switch (code) {
      case error::OK: found = false; break;
      default: break;
    }
    CHECK(found);
    std::ostringstream out;
    out << error::ABORTED;
    CHECK(out.str() == "ABORTED");
  }
  TEST_CASE("groups of errors") {
    StatusGroup group;
    group.Update(Status());
    CHECK(group.ok());
    CHECK(group.as_summary_status().ok());
    const Status derived = StatusGroup::MakeDerived(errors::Cancelled("c"));
    CHECK(StatusGroup::IsDerived(derived));
    CHECK_FALSE(StatusGroup::IsDerived(errors::Cancelled("c")));
    group.Update(derived);
    CHECK(errors::IsCancelled(group.as_summary_status()));
    group.Update(errors::Internal("one"));
    CHECK(group.as_summary_status().message() == "one");
    group.Update(errors::NotFound("two"));
    const Status both = group.as_summary_status();
    CHECK(both.code() == error::INTERNAL);
    CHECK(both.message().find("2 root error(s) found.") == 0);
    CHECK(both.message().find("1 successful operations.") != std::string_view::npos);
    CHECK(both.message().find("1 derived errors ignored.") != std::string_view::npos);
    CHECK(group.as_concatenated_status().message().find("two") != std::string_view::npos);
  }
  TEST_CASE("texts") {
    CHECK(str_util::StripPrefix("abc", "ab") == "c");
    CHECK(str_util::StripSuffix("abc", "x") == "abc");
    StringPiece text = "42 left";
    std::uint64_t number = 0;
    CHECK(str_util::ConsumeLeadingDigits(&text, &number));
    CHECK(number == 42);
    CHECK(text == " left");
    CHECK_FALSE(str_util::ConsumeLeadingDigits(&text, &number));
    text = "99999999999999999999999";
    CHECK_FALSE(str_util::ConsumeLeadingDigits(&text, &number));
    std::string title = "one two_three";
    str_util::TitlecaseString(&title, " ");
    CHECK(title == "One Two_three");
    std::string raw, error;
    CHECK(str_util::CUnescape("a\\n\\x41\\101\\\\\\'", &raw, &error));
    CHECK(raw == "a\nAA\\'");
    for (const char* wrong : {"\\", "\\x", "\\q", "\\777", "\\xfff"}) {
      CHECK_FALSE(str_util::CUnescape(wrong, &raw, &error));
      CHECK_FALSE(error.empty());
    }
    CHECK(strings::StrCat("0x", strings::Hex(255, strings::kZeroPad4)) == "0x00ff");
    CHECK(strings::StrCat(strings::Hex(std::int8_t{-1})) == "ff");
    CHECK(strings::FpToString(0xab) == "00000000000000ab");
    strings::Fprint fp = 0;
    CHECK(strings::StringToFp("00000000000000ab", &fp));
    CHECK(fp == 0xab);
    CHECK_FALSE(strings::StringToFp("xyz", &fp));
    CHECK_FALSE(strings::StringToFp("", &fp));
    CHECK(str_util::ArgDefCase("^2ILoveYou!") == "i_love_you_");
    CHECK(str_util::ArgDefCase("II-32") == "i_i_32");
    CHECK(str_util::ArgDefCase("5-5").empty());
    CHECK(strings::HexStringToUint64("ab", &number));
    CHECK(number == 0xab);
    CHECK_FALSE(strings::HexStringToUint64("xy", &number));
    CHECK(strings::AlphaNum(12).Piece() == "12");
  }
  TEST_CASE("types") {
    CHECK(DataTypeIsNumeric(DT_BFLOAT16));
    CHECK_FALSE(DataTypeIsNumeric(DT_STRING));
    CHECK(kDataTypeIsSigned.Contains(DT_INT8));
    CHECK_FALSE(kDataTypeIsSigned.Contains(DT_UINT8));
    CHECK(kDataTypeIsUnsigned.Contains(DT_UINT8));
    CHECK_FALSE(kDataTypeIsUnsigned.Contains(DT_FLOAT));
    CHECK(kRealAndQuantizedTypes.Contains(DT_QINT8));
    CHECK(MTypeFromDType(DT_INT32) == HOST_MEMORY);
    CHECK(MTypeFromDTypeIntsOnDevice(DT_INT32) == DEVICE_MEMORY);
    CHECK(MTypeFromDType(DT_STRING) == HOST_MEMORY);
    CHECK(DeviceName<Eigen::ThreadPoolDevice>::value == "CPU");
    CHECK(DeviceName<Eigen::GpuDevice>::value == "GPU");
    const float from[] = {1.00390625f, -2};  // the first lies half way between two
    bfloat16 cut[2], rounded[2];
    FloatToBFloat16(from, cut, 2);
    RoundFloatToBFloat16(from, rounded, 2);
    float back[2];
    BFloat16ToFloat(cut, back, 2);
    CHECK(back[0] == 1);
    CHECK(back[1] == -2);
    CHECK(static_cast<float>(rounded[0]) == 1);
  }
  TEST_CASE("locks that wait for a condition") {
    mutex mu;
    bool ready = false;
    std::thread other([&] {
      mutex_lock lock(mu);
      ready = true;
    });
    {
      mutex_lock lock(mu);
      mu.Await(Condition(&ready));
      CHECK(ready);
      bool never = false;
      CHECK_FALSE(mu.AwaitWithDeadline(Condition(&never), 1));
      CHECK(mu.AwaitWithDeadline(Condition(+[](bool* flag) { return *flag; }, &ready), 1));
    }
    other.join();
  }
  TEST_CASE("pools for Eigen, and limits") {
    thread::ThreadPool pool(nullptr, "eigen", 3);
    Eigen::ThreadPoolInterface* const interface = pool.AsEigenThreadPool();
    CHECK(interface->NumThreads() == 3);
    CHECK(pool.AsEigenThreadPool() == interface);
    Eigen::ThreadPoolDevice device(interface, interface->NumThreads());
    Eigen::Tensor<float, 1> sum(100000);
    sum.device(device) = sum.constant(1.5f) + sum.constant(0.5f);
    CHECK(sum(99999) == 2);
    CHECK(thread::ThreadPool::SchedulingParams::Fixed(8).block_size() == 8);
    CHECK(thread::ThreadPool::SchedulingParams::Adaptive(9).cost_per_unit() == 9);
    std::atomic<int> works{0};
    {
      UnboundedWorkQueue queue(nullptr, "works");
      for (int i = 0; i < 4; ++i) queue.Schedule([&works] { ++works; });
    }
    CHECK(works == 4);
    std::atomic<int> calls{0};
    {
      const ScopedPerThreadMaxParallelism one(1);
      Shard(8, &pool, 1000, 1000000, [&](std::int64_t, std::int64_t) { ++calls; });
      CHECK(calls == 1);
    }
    CHECK(GetPerThreadMaxParallelism() > 1);
  }
}
}  // namespace compat_base_basics_test

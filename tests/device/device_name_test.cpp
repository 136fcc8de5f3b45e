// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/device_name.hpp>

#include <random>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

namespace device_name_test {
using namespace tenon;

namespace {

DeviceName Parsed(std::string_view text) {
  DeviceName name;
  REQUIRE_MESSAGE(DeviceName::Parse(text, &name), text);
  return name;
}
bool Parses(std::string_view text) {
  DeviceName name;
  return DeviceName::Parse(text, &name);
}

// Any name: each part is set or not.
DeviceName RandomName(std::mt19937* random) {
  const auto coin = [random](unsigned sides) { return static_cast<int>((*random)() % sides); };
  DeviceName name;
  if (coin(2) != 0) name.SetJob(coin(2) != 0 ? "worker" : "ps");
  if (coin(2) != 0) name.SetReplica(coin(2));
  if (coin(2) != 0) name.SetTask(coin(2));
  if (coin(2) != 0) name.SetType(coin(2) != 0 ? "CPU" : "GPU");
  if (name.has_type && coin(2) != 0) name.SetId(coin(2));
  return name;
}

constexpr const char* kFull = "/job:worker/replica:1/task:2/device:GPU:3";

}  // namespace

TEST_SUITE("DeviceName") {
  TEST_CASE("a complete name has all parts") {
    const DeviceName name = Parsed(kFull);
    CHECK(name.job == "worker");
    CHECK(name.replica == 1);
    CHECK(name.task == 2);
    CHECK(name.type == "GPU");
    CHECK(name.id == 3);
    CHECK(name.IsComplete());
    CHECK(name.ToString() == kFull);
    CHECK(name.TaskName() == "/job:worker/replica:1/task:2");
    CHECK(FullDeviceName(name, "SIM", 4) == "/job:worker/replica:1/task:2/device:SIM:4");
    CHECK(LegacyFullDeviceName(name) == "/job:worker/replica:1/task:2/gpu:3");
    CHECK(LocalDeviceName(name) == "/device:GPU:3");
    CHECK(LegacyLocalDeviceName(name) == "GPU:3");
  }

  TEST_CASE("what a name sets, and how it is written then") {
    struct Case {
      const char *text, *written;
    };
    for (const Case& c : {Case{"", ""},
                          {"/", ""},
                          {"/job:a", "/job:a"},
                          {"/job:*/replica:*/task:*/device:*", ""},
                          {"/device:GPU", "/device:GPU:*"},
                          {"/device:GPU:*", "/device:GPU:*"},
                          {"/device:*:3", ""},
                          {"/gpu:1", "/device:GPU:1"},
                          {"/GPU:*", "/device:GPU:*"},
                          {"/cpu:0", "/device:CPU:0"},
                          {"/CPU:12", "/device:CPU:12"},
                          {"/device:cpu:0", "/device:cpu:0"},
                          {"/device:XLA_CPU:0", "/device:XLA_CPU:0"},
                          {"/task:1/job:w", "/job:w/task:1"},
                          {"/job:a/job:b2_c", "/job:b2_c"},
                          {"/task:1/task:*", ""},
                          {"/device:GPU:1/device:CPU", "/device:CPU:*"}})
      CHECK_MESSAGE(Parsed(c.text).ToString() == c.written, c.text);
  }

  TEST_CASE("anything else is no name") {
    for (const char* text : {"GPU:0",    "/tpu:0",       "/job:",         "/job:1a",
                             "/job:a-b", "/job:_a",      "/replica:x",    "/task:-1",
                             "/device:", "/device:GPU:", "/device:GPU:x", "/device:0",
                             "//",       "/job:a/",      "job:a",         "/replica:99999999999",
                             "/cpu",     "/cpu:",        "/Cpu:0",        "/device:GPU:0 "})
      CHECK_MESSAGE(!Parses(text), text);
  }

  TEST_CASE("a local name is a type and a number") {
    DeviceName name;
    REQUIRE(DeviceName::ParseLocal("GPU:7", &name));
    CHECK(name.ToString() == "/device:GPU:7");
    CHECK_FALSE(name.IsComplete());
    for (const char* text : {"", "GPU", "GPU:", "GPU:*", "/GPU:0", "/device:GPU:0", "GPU:0:0", "GPU:0/task:1", "7:0"})
      CHECK_MESSAGE(!DeviceName::ParseLocal(text, &name), text);
  }

  TEST_CASE("splits into task and device") {
    std::string task, device;
    REQUIRE(SplitDeviceName(kFull, &task, &device));
    CHECK(task == "/job:worker/replica:1/task:2");
    CHECK(device == "GPU:3");
    REQUIRE(SplitDeviceName("/cpu:1", &task, &device));
    CHECK(task.empty());
    CHECK(device == "CPU:1");
    CHECK_FALSE(SplitDeviceName("/job:worker/device:GPU:*", &task, &device));
    CHECK_FALSE(SplitDeviceName("nonsense", &task, &device));
  }

  TEST_CASE("a base completes a name") {
    const auto canonical = [](std::string_view text) { return CanonicalizeDeviceName(text, kFull); };
    CHECK(*canonical("CPU:0") == "/job:worker/replica:1/task:2/device:CPU:0");
    CHECK(*canonical("/task:5/cpu:1") == "/job:worker/replica:1/task:5/device:CPU:1");
    CHECK(*canonical("") == kFull);
    CHECK(*canonical("/device:CPU:*") == "/job:worker/replica:1/task:2/device:CPU:3");
    CHECK(canonical("what").status() ==
          Status(Code::kInvalidArgument, "Could not parse what into a device specification."));
    CHECK(CanonicalizeDeviceName("CPU:0", "/job:worker").status() ==
          Status(Code::kInvalidArgument, "Basename: /job:worker should be fully specified."));
    CHECK(CanonicalizeDeviceName("CPU:0", "worker").status().message().find("Could not parse basename: worker") == 0);
  }

  TEST_CASE("merging: conflicts of the task fail, those of the device as asked") {
    DeviceName name = Parsed("/job:a/device:GPU:0");
    CHECK(MergeDeviceNames(&name, Parsed("/job:b")).message() ==
          "Cannot merge devices with incompatible jobs: '/job:a/device:GPU:0' and '/job:b'");
    CHECK(MergeDeviceNames(&name, Parsed("/job:b"), DeviceMergeConflict::kDrop).code() == Code::kInvalidArgument);
    CHECK(MergeDeviceNames(&name, Parsed("/job:a/replica:1/task:2")).ok());
    CHECK(name.ToString() == "/job:a/replica:1/task:2/device:GPU:0");
    CHECK(MergeDeviceNames(&name, Parsed("/replica:0")).message().find("incompatible replicas: ") != std::string::npos);
    CHECK(MergeDeviceNames(&name, Parsed("/task:0")).message().find("incompatible tasks: ") != std::string::npos);
    CHECK(MergeDeviceNames(&name, Parsed("/device:CPU:0")).message().find("incompatible types: ") != std::string::npos);
    CHECK(MergeDeviceNames(&name, Parsed("/device:GPU:1")).message().find("incompatible ids: ") != std::string::npos);
    CHECK(name.ToString() == "/job:a/replica:1/task:2/device:GPU:0");

    DeviceName soft = name;
    CHECK(MergeDeviceNames(&soft, Parsed("/device:GPU:1"), DeviceMergeConflict::kDrop).ok());
    CHECK(soft.ToString() == "/job:a/replica:1/task:2/device:GPU:*");
    soft = name;
    CHECK(MergeDeviceNames(&soft, Parsed("/device:CPU:1"), DeviceMergeConflict::kDrop).ok());
    CHECK(soft.ToString() == "/job:a/replica:1/task:2");
    soft = name;
    CHECK(MergeDeviceNames(&soft, Parsed("/device:CPU:1"), DeviceMergeConflict::kOverride).ok());
    CHECK(soft.ToString() == "/job:a/replica:1/task:2/device:CPU:1");
  }

  TEST_CASE("address spaces") {
    CHECK(IsSameAddressSpace(Parsed("/job:a/replica:0/task:1/cpu:0"), Parsed("/job:a/replica:0/task:1/gpu:0")));
    CHECK_FALSE(IsSameAddressSpace(Parsed("/job:a/replica:0/task:1"), Parsed("/job:a/replica:0/task:2")));
    CHECK_FALSE(IsSameAddressSpace(Parsed("/job:a"), Parsed("/job:a")));
    CHECK(IsDifferentAddressSpace(Parsed("/job:a"), Parsed("/job:b/task:1")));
    CHECK_FALSE(IsDifferentAddressSpace(Parsed("/job:a"), Parsed("/task:1")));
  }

  TEST_CASE("laws of random names") {
    std::mt19937 random(7);
    int compatible = 0;
    for (int i = 0; i < 2000; ++i) {
      const DeviceName a = RandomName(&random), b = RandomName(&random);
      CHECK(Parsed(a.ToString()) == a);
      CHECK(AreCompatible(a, b) == AreCompatible(b, a));
      CHECK(IsSpecification(DeviceName(), a));
      CHECK(IsSpecification(a, a));
      DeviceName merged = a;
      const Status status = MergeDeviceNames(&merged, b);
      CHECK(status.ok() == AreCompatible(a, b));
      if (status.ok()) {
        ++compatible;
        CHECK(IsSpecification(a, merged));
        CHECK(IsSpecification(b, merged));
        DeviceName other = b;
        CHECK(MergeDeviceNames(&other, a).ok());
        CHECK(other == merged);
      } else {
        CHECK(merged == a);
      }
      DeviceName ensured = a;
      EnsureSpecification(&ensured, b);
      CHECK(IsSpecification(b, ensured));
      if (IsSpecification(a, b)) CHECK(AreCompatible(a, b));
    }
    CHECK(compatible > 100);
  }

  TEST_CASE("random text never does harm") {
    std::mt19937 random(11);
    const std::string_view pieces[] = {
        "/", "job:", "a", "*", ":", "0", "/device:", "/task:", "GPU", "/cpu:", "99999999999", "_", "/replica:"};
    for (int i = 0; i < 5000; ++i) {
      std::string text;
      for (unsigned n = random() % 8; n > 0; --n) text += pieces[random() % std::size(pieces)];
      DeviceName name;
      if (DeviceName::Parse(text, &name)) CHECK(Parsed(name.ToString()).ToString() == name.ToString());
    }
  }
}
}  // namespace device_name_test

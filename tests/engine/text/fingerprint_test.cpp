// SPDX-License-Identifier: Apache-2.0
// Against what TensorFlow answers for the same bytes.
#include <tenon/engine/text/fingerprint.hpp>

#include <cstdint>
#include <string>

#include <doctest/doctest.h>

namespace fingerprint_test {
using namespace tenon;

namespace {

// By StringToHashBucketFast, StringToHashBucket and StringToHashBucketStrong (key 123, -456) with 2^63 - 1 buckets.
struct Fact {
  int length;
  std::uint64_t fast, plain, strong;
};
constexpr Fact kFacts[] = {
    {0, 1936946117179621456, 105434511174508092, 4751507944081487622},
    {1, 5161771770385946686, 2499542889307245882, 5107438757309695311},
    {3, 4662423180930907492, 5276484929406308779, 8231095184837289329},
    {4, 4685977051251400297, 1071300106493060474, 4468915883654100480},
    {7, 8010051901585887497, 8163861758943620691, 5200043953446438399},
    {8, 3403648104430010921, 1792776028251320487, 6780428452083817211},
    {15, 3575310498258597009, 848429028861713033, 1821887221064461305},
    {16, 663651183927826905, 995847565073455182, 4017943385101998662},
    {17, 7736696382783243920, 3561695271940059065, 194375158096190838},
    {32, 3992320350721670009, 7394170692529615941, 4408765233874362276},
    {33, 5910987537513190125, 6283593275022662552, 6545040889660203504},
    {64, 496021707010269991, 6806005066721647517, 4216722613310916766},
    {65, 3209512396189334845, 7132977579483855153, 5761763995447887084},
    {127, 3068020987706356438, 6681228039426069315, 773838328334973364},
    {128, 637281534562233925, 1588978728133749899, 6355338296856252579},
    {129, 2623547578443077798, 4642022935790738113, 8313403643027618710},
    {200, 6284647214816740142, 4015088224781339633, 2102570588662037432},
};

}  // namespace

TEST_CASE("fingerprints of every length that is treated in its own way are TensorFlow's") {
  constexpr std::uint64_t kBuckets = 9223372036854775807;
  for (const Fact& fact : kFacts) {
    std::string bytes;
    for (int i = 0; i < fact.length; ++i) bytes.push_back(static_cast<char>((i * 7 + fact.length) % 251));
    CAPTURE(fact.length);
    CHECK(Fingerprint64(bytes) % kBuckets == fact.fast);
    CHECK(Hash64(bytes) % kBuckets == fact.plain);
    CHECK(SipHash(123, static_cast<std::uint64_t>(-456), bytes) % kBuckets == fact.strong);
  }
}
TEST_CASE("128 bits are what SdcaFprint of TensorFlow gives") {
  struct Long {
    int length;
    std::int64_t low, high;
  };
  constexpr Long kLong[] = {
      {0, 4463240938071824939, 4374473821787594281},    {7, -1126322022543423541, 6894195336837958548},
      {8, -6733054051891091335, 4044469983552729146},   {16, 8294272802229594762, 3428632139650383165},
      {24, -1075631736456274151, 5522184621380601429},  {33, 5417335059968185694, -2397883472582167269},
      {144, -8297827733637329307, 6101320627973782027}, {300, 7060343333330730623, -3477134719543251878}};
  for (const Long& fact : kLong) {
    std::string bytes;
    for (int i = 0; i < fact.length; ++i) bytes.push_back(static_cast<char>((7 * i * i + 13 * i + fact.length) % 256));
    CAPTURE(fact.length);
    CHECK(Fingerprint128(bytes).first == static_cast<std::uint64_t>(fact.low));
    CHECK(Fingerprint128(bytes).second == static_cast<std::uint64_t>(fact.high));
  }
}
TEST_CASE("SipHash-2-4 of its authors' test vector") {
  std::string bytes;
  for (int i = 0; i < 15; ++i) bytes.push_back(static_cast<char>(i));
  CHECK(SipHash(0x0706050403020100, 0x0f0e0d0c0b0a0908, bytes) == 0xa129ca6149be45e5);
}
}  // namespace fingerprint_test

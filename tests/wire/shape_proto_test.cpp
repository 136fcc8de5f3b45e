// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/shape_proto.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "wire/tensor_pieces.hpp"

namespace shape_proto_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("TensorShapeProto") {
  static Result<PartialTensorShape> Partial(const std::string& bytes) {
    return PartialShapeFromProto(wire::AsBytes(bytes));
  }

  TEST_CASE("known, partly known and unknown shapes are the same after they were written") {
    for (const PartialTensorShape& shape :
         {PartialTensorShape(), PartialTensorShape({}), PartialTensorShape({0}),
          PartialTensorShape({2, -1, Index{1} << 40}), PartialTensorShape({1, 2, 3, 4, 5, 6})}) {
      std::string proto;
      ShapeToProto(shape, &proto);
      const Result<PartialTensorShape> back = Partial(proto);
      REQUIRE(back.ok());
      CHECK(*back == shape);
    }
    std::string proto;
    ShapeToProto(PartialTensorShape({2, 0, -1}), &proto);
    CHECK(proto == Shape({2, 0, -1}));
  }
  TEST_CASE("names of dimensions are dropped") {
    CHECK(*Partial(Bytes(2, Number(1, 3) + Bytes(2, "batch"))) == PartialTensorShape({3}));
  }
  TEST_CASE("numbers that are no shape are refused with TensorFlow's texts") {
    CHECK(Partial(Number(3, 1) + Shape({2})).status().message() ==
          "An unknown shape must not have any dimensions set.");
    CHECK(Has(Partial(Shape({-2})).status(), "has dimensions with values below -1 (where -1 means unknown)"));
    CHECK(Has(Partial(Shape({Index{1} << 62, 4})).status(), "is too large (more than 2**63 - 1 entries)"));
    // A zero does not hide that the others are too many, wherever it stands.
    const Index huge = Index{1} << 40;
    for (const std::vector<Index>& dims : std::vector<std::vector<Index>>{{0, huge, huge}, {huge, 0, huge}}) {
      std::string proto;
      for (const Index size : dims) proto += Shape({size});
      CHECK(Partial(proto).status().message() == "Encountered overflow when multiplying shape dimensions");
      CHECK(ShapeFromProto(wire::AsBytes(proto)).status().message() ==
            "Encountered overflow when multiplying shape dimensions");
    }
    CHECK(ShapeFromProto(wire::AsBytes(Shape({huge, huge, 0}))).status().message() ==
          "Shape [1099511627776,1099511627776,0] is too large (more than 2**63 - 1 entries)");
    CHECK(Partial(Shape({-1, huge, huge})).status().message() ==
          "Encountered overflow when multiplying shape dimensions");
    CHECK(Partial(Shape({0, huge})).ok());
    std::string dims;
    for (int i = 0; i < 255; ++i) dims += Shape({1});
    CHECK(Has(Partial(dims).status(), "has too many dimensions"));
    CHECK(Partial(dims.substr(Shape({1}).size())).ok());
    CHECK(Partial("\x12\x05").status().code() == Code::kDataLoss);
  }
  TEST_CASE("a shape that must be known ignores the flag for an unknown rank") {
    CHECK(*ShapeFromProto(wire::AsBytes(Number(3, 1))) == TensorShape());
    CHECK(*ShapeFromProto(wire::AsBytes(Shape({2, 3}))) == TensorShape({2, 3}));
    CHECK(ShapeFromProto(wire::AsBytes(Shape({-1}))).status().message() == "Shape [?] is not fully defined");
  }
}
}  // namespace shape_proto_test

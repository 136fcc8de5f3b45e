// SPDX-License-Identifier: Apache-2.0
#pragma once
// DecodeJSONExample: Examples written as JSON to serialised ones.

#include <string>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/wire/json_reader.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/io/example.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct DecodeJSONExample {
  static constexpr auto signature = Op("DecodeJSONExample")
                                        .Input("json_examples: string")
                                        .Output("binary_examples: string")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, In<tstring> json_examples, Out<tstring> binary_examples) const {
      std::string bytes;
      for (Index i = 0; i < json_examples.size(); ++i) {
        bytes.clear();
        const Status status = wire::JsonToWire(wire::Schema<Example>::message, json_examples[i].view(), &bytes, {},
                                               wire::JsonErrors::kProtobuf);
        if (!status.ok())
          return errors::InvalidArgument("Error while parsing JSON: ", status.message(), ", in text ", i);
        binary_examples[i].assign(bytes);
      }
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END

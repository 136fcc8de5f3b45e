// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeviceAttributes from and to TensorFlow's serialised message. ParseText, ToText, ParseJson and ToJson take it as
// well.

#include <cstddef>
#include <cstdint>
#include <string>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/wire/field.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include <tenon/wire/unknown_fields.hpp>
#include <tenon/op/graph_def/graph_tables.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/device/device_attributes.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace wire {

template <>
struct Schema<DeviceLocality::Link> {
  static const Message message;
};
template <>
struct Schema<DeviceLocality> {
  static const Message fields, message;
};
template <>
struct Schema<DeviceAttributes> {
  static const Message fields, message;
};

inline constexpr Field kInterconnectLinkFields[] = {
    MakeField<&DeviceLocality::Link::device_id>(1, "device_id"),
    MakeField<&DeviceLocality::Link::type>(2, "type"),
    MakeField<&DeviceLocality::Link::strength>(3, "strength"),
};
inline constexpr Message Schema<DeviceLocality::Link>::message("InterconnectLink", kInterconnectLinkFields);

namespace detail {

// LocalLinks: a message whose only field is a list, which is the struct.
using DeviceLinks = SlimVector<DeviceLocality::Link>;
inline constexpr Field kLocalLinksFields[] = {
    {1, Kind::kMessage, true, WireType::kBytes, Role::kPlain, "link", &Schema<DeviceLocality::Link>::message,
     [](const void* object) -> FieldValues {
       const DeviceLinks& links = *static_cast<const DeviceLinks*>(object);
       return {links.data(), links.size(), sizeof(DeviceLocality::Link)};
     },
     [](void* object) -> void* { return &static_cast<DeviceLinks*>(object)->emplace_back(); },
     [](void* object, std::size_t count) { static_cast<DeviceLinks*>(object)->reserve(count); }},
};
inline constexpr Message kLocalLinks("LocalLinks", kLocalLinksFields);

// A field of TensorFlow's type fixed64.
constexpr Field OfFixed64(Field field) {
  field.kind = Kind::kFixed64;
  field.wire_type = WireType::kFixed64;
  return field;
}

inline bool ParseDeviceAttributes(Reader& reader, ParseContext& context, void* object) {
  static_cast<DeviceAttributes*>(object)->xla_global_id = 0;  // the value of an absent field
  return ParseKept<DeviceAttributes>(reader, context, object);
}

}  // namespace detail

inline constexpr Field kDeviceLocalityFields[] = {
    MakeField<&DeviceLocality::bus_id>(1, "bus_id"),
    MakeField<&DeviceLocality::numa_node>(2, "numa_node"),
    {3, Kind::kMessage, false, WireType::kBytes, Role::kPlain, "links", &detail::kLocalLinks,
     [](const void* object) -> FieldValues {
       const detail::DeviceLinks& links = static_cast<const DeviceLocality*>(object)->links;
       return {&links, links.empty() ? std::size_t{0} : 1, 0};
     },
     [](void* object) -> void* { return &static_cast<DeviceLocality*>(object)->links; }, nullptr},
};
inline constexpr Message Schema<DeviceLocality>::fields("DeviceLocality", kDeviceLocalityFields);
inline constexpr Message Schema<DeviceLocality>::message = KeepUnknown<DeviceLocality>("DeviceLocality");

// TensorFlow's devices write `locality` even if it is empty.
inline constexpr Field kDeviceAttributesFields[] = {
    MakeField<&DeviceAttributes::name>(1, "name"),
    MakeField<&DeviceAttributes::device_type>(2, "device_type"),
    MakeField<&DeviceAttributes::memory_limit>(4, "memory_limit"),
    MakeFieldAlways<&DeviceAttributes::locality>(5, "locality"),
    detail::OfFixed64(MakeField<&DeviceAttributes::incarnation>(6, "incarnation")),
    MakeField<&DeviceAttributes::physical_device_desc>(7, "physical_device_desc"),
    MakeField<&DeviceAttributes::xla_global_id>(8, "xla_global_id"),
};
inline constexpr Message Schema<DeviceAttributes>::fields("DeviceAttributes", kDeviceAttributesFields);
inline constexpr Message Schema<DeviceAttributes>::message("DeviceAttributes", &detail::ParseDeviceAttributes,
                                                           &detail::SerializeKept<DeviceAttributes>);

}  // namespace wire

namespace detail {
inline constexpr const wire::Message* kDeviceTables[] = {&wire::Schema<DeviceLocality>::fields,
                                                         &wire::Schema<DeviceAttributes>::fields};
template <>
inline constexpr wire::TextTables text_tables<DeviceAttributes> = kDeviceTables;
}  // namespace detail

// Reads a serialised message. DataLoss, with the byte's offset: the bytes are not such a message.
inline Result<DeviceAttributes> ParseDeviceAttributes(Span<const std::byte> bytes) {
  return detail::ParseProto<DeviceAttributes>(bytes);
}
// Serialises canonically: fields in ascending order, unknown fields last.
inline std::string SerializeDeviceAttributes(const DeviceAttributes& attributes) {
  return detail::SerializeProto(attributes);
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

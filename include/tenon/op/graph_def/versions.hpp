// SPDX-License-Identifier: Apache-2.0
#pragma once
// VersionDef: the version that wrote a graph and the versions that may read it. CheckVersions compares it with the
// versions that this library supports.

#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// The producer version of graphs that are written here. The number counts days of TensorFlow's graph format.
inline constexpr int kGraphDefVersion = 2474;
inline constexpr int kGraphDefVersionMinConsumer = 0;
inline constexpr int kGraphDefVersionMinProducer = 0;

struct VersionDef {
  int producer = 0;
  int min_consumer = 0;
  SlimVector<int> bad_consumers;

  friend bool operator==(const VersionDef&, const VersionDef&) = default;
};

// May a reader of version `consumer` take data with these versions? A producer newer than the reader is fine.
// `what` names the data in messages ("GraphDef"), `thing` names the thing to make anew ("graph").
inline Status CheckVersions(const VersionDef& versions, int consumer, int min_producer, std::string_view what,
                            std::string_view thing) {
  if (consumer < min_producer) {
    return errors::Internal(what, " version check has invalid consumer ", consumer, " and min_producer ", min_producer,
                            ".");
  }
  if (versions.producer < min_producer) {
    return errors::InvalidArgument(what, " producer version ", versions.producer, " below min producer ", min_producer,
                                   " supported by Tenon.  Please regenerate your ", thing, ".");
  }
  if (versions.min_consumer > consumer) {
    return errors::InvalidArgument(what, " min consumer version ", versions.min_consumer, " above current version ",
                                   consumer, " for Tenon.  Please upgrade Tenon.");
  }
  for (const int bad : versions.bad_consumers) {
    if (bad == consumer) {
      return errors::InvalidArgument(what, " disallows consumer version ", bad,
                                     ".  Please upgrade Tenon: this version is likely buggy.");
    }
  }
  return OkStatus();
}

namespace detail {
// Adds to the error of a failed import that the graph is so much newer that this may be the cause.
TENON_DETAIL_COLD inline Status WithVersionWarning(const Status& status, int producer) {
  constexpr int kForwardCompatibilityDays = 21;
  if (producer - kGraphDefVersion <= kForwardCompatibilityDays) return status;
  return Status(
      status.code(),
      StrCat("Converting GraphDef to Graph has failed with an error: '", status.message(),
             "' The binary trying to import the GraphDef was built when GraphDef version was ", kGraphDefVersion,
             ". The GraphDef was produced by a binary built when GraphDef version was ", producer,
             ". The difference between these versions is larger than TensorFlow's forward compatibility guarantee, "
             "and might be the root cause for failing to import the GraphDef."));
}
}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

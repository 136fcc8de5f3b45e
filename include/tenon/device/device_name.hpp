// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeviceName: "/job:worker/replica:0/task:1/device:GPU:2" in parts, any of which may be left open.

#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// A part that is not set matches everything. externally synchronised.
//
//   DeviceName name;
//   DeviceName::Parse("/job:worker/device:GPU:*", &name);  // job and type are set, replica, task and id are not
struct DeviceName {
  std::string job, type;
  int replica = 0, task = 0, id = 0;
  bool has_job = false, has_replica = false, has_task = false, has_type = false, has_id = false;

  // Parts in any order, a later one instead of an earlier one; "*" leaves a part open; "" and "/" set none. Also the
  // old form "/gpu:0". False, with *name unspecified, for anything else.
  static bool Parse(std::string_view text, DeviceName* name);
  // "GPU:0" alone.
  static bool ParseLocal(std::string_view text, DeviceName* name);

  void SetJob(std::string_view value) { job = value, has_job = true; }
  void SetReplica(int value) { replica = value, has_replica = true; }
  void SetTask(int value) { task = value, has_task = true; }
  void SetType(std::string_view value) { type = value, has_type = true; }
  void SetId(int value) { id = value, has_id = true; }
  void ClearType() { type.clear(), has_type = false; }
  void ClearId() { id = 0, has_id = false; }

  // The parts that are set. A type without a number is "/device:GPU:*"; a number without a type is left out.
  std::string ToString() const;
  bool IsComplete() const { return has_job && has_replica && has_task && has_type && has_id; }
  bool HasTask() const { return has_job && has_replica && has_task; }
  // "/job:j/replica:r/task:t"; "" unless all three are set.
  std::string TaskName() const;

  friend bool operator==(const DeviceName& a, const DeviceName& b) {
    return a.has_job == b.has_job && (!a.has_job || a.job == b.job) && a.has_replica == b.has_replica &&
           (!a.has_replica || a.replica == b.replica) && a.has_task == b.has_task &&
           (!a.has_task || a.task == b.task) && a.has_type == b.has_type && (!a.has_type || a.type == b.type) &&
           a.has_id == b.has_id && (!a.has_id || a.id == b.id);
  }
};

namespace detail {

// Eats a name from its front. Nothing is eaten where a function returns false.
class DeviceNameReader {
 public:
  explicit DeviceNameReader(std::string_view text) : text_(text) {}
  bool empty() const { return text_.empty(); }
  bool Eat(std::string_view prefix) {
    if (!StartsWith(text_, prefix)) return false;
    text_.remove_prefix(prefix.size());
    return true;
  }
  // A letter, then letters, digits and underscores.
  bool EatWord(std::string* word) {
    std::size_t length = 0;
    while (length < text_.size() &&
           (IsLetter(text_[length]) || (length > 0 && (IsDigit(text_[length]) || text_[length] == '_'))))
      ++length;
    if (length == 0) return false;
    word->assign(text_.substr(0, length));
    text_.remove_prefix(length);
    return true;
  }
  bool EatNumber(int* number) {
    std::size_t length = 0;
    while (length < text_.size() && IsDigit(text_[length])) ++length;
    if (length == 0 || !ParseInt(text_.substr(0, length), number)) return false;
    text_.remove_prefix(length);
    return true;
  }
  bool EatNumberOrStar(int* number, bool* has) {
    *has = !Eat("*");
    return !*has || EatNumber(number);
  }
  bool EatWordOrStar(std::string* word, bool* has) {
    *has = !Eat("*");
    return !*has || EatWord(word);
  }

 private:
  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  static bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  std::string_view text_;
};

inline bool ReadDevicePart(DeviceNameReader* reader, DeviceName* name) {
  if (reader->Eat("/job:")) return reader->EatWordOrStar(&name->job, &name->has_job);
  if (reader->Eat("/replica:")) return reader->EatNumberOrStar(&name->replica, &name->has_replica);
  if (reader->Eat("/task:")) return reader->EatNumberOrStar(&name->task, &name->has_task);
  if (reader->Eat("/device:")) {
    if (!reader->EatWordOrStar(&name->type, &name->has_type)) return false;
    name->has_id = false;
    return !reader->Eat(":") || reader->EatNumberOrStar(&name->id, &name->has_id);
  }
  const bool cpu = reader->Eat("/cpu:") || reader->Eat("/CPU:");
  if (!cpu && !reader->Eat("/gpu:") && !reader->Eat("/GPU:")) return false;
  name->SetType(cpu ? "CPU" : "GPU");
  return reader->EatNumberOrStar(&name->id, &name->has_id);
}

}  // namespace detail

inline bool DeviceName::Parse(std::string_view text, DeviceName* name) {
  *name = DeviceName();
  if (text == "/") return true;
  for (detail::DeviceNameReader reader(text); !reader.empty();)
    if (!detail::ReadDevicePart(&reader, name)) return false;
  return true;
}

inline bool DeviceName::ParseLocal(std::string_view text, DeviceName* name) {
  *name = DeviceName();
  detail::DeviceNameReader reader(text);
  name->has_type = reader.EatWord(&name->type);
  name->has_id = name->has_type && reader.Eat(":") && reader.EatNumber(&name->id);
  return name->has_id && reader.empty();
}

inline std::string DeviceName::ToString() const {
  std::string text;
  if (has_job) StrAppend(&text, "/job:", job);
  if (has_replica) StrAppend(&text, "/replica:", replica);
  if (has_task) StrAppend(&text, "/task:", task);
  if (!has_type) return text;
  StrAppend(&text, "/device:", type, ":");
  if (has_id)
    StrAppend(&text, id);
  else
    text.push_back('*');
  return text;
}
inline std::string DeviceName::TaskName() const {
  return HasTask() ? StrCat("/job:", job, "/replica:", replica, "/task:", task) : std::string();
}

// The names of one device: complete, in the old form, and without its task in both forms.
inline std::string FullDeviceName(const DeviceName& task, std::string_view type, int id) {
  return StrCat(task.TaskName(), "/device:", type, ":", id);
}
inline std::string LegacyFullDeviceName(const DeviceName& name) {
  std::string type = name.type;
  for (char& c : type)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return StrCat(name.TaskName(), "/", type, ":", name.id);
}
inline std::string LocalDeviceName(const DeviceName& name) { return StrCat("/device:", name.type, ":", name.id); }
inline std::string LegacyLocalDeviceName(const DeviceName& name) { return StrCat(name.type, ":", name.id); }

// "/job:j/replica:r/task:t/device:CPU:0" becomes "/job:j/replica:r/task:t" and "CPU:0". False unless type and number
// are there.
inline bool SplitDeviceName(std::string_view text, std::string* task, std::string* device) {
  DeviceName name;
  if (!DeviceName::Parse(text, &name) || !name.has_type || !name.has_id) return false;
  *device = LegacyLocalDeviceName(name);
  name.has_type = name.has_id = false;
  *task = name.ToString();
  return true;
}

// Sets the parts of *name that are open to what `other` has.
inline void MergeUnset(DeviceName* name, const DeviceName& other) {
  if (other.has_job && !name->has_job) name->SetJob(other.job);
  if (other.has_replica && !name->has_replica) name->SetReplica(other.replica);
  if (other.has_task && !name->has_task) name->SetTask(other.task);
  if (other.has_type && !name->has_type) name->SetType(other.type);
  if (other.has_id && !name->has_id) name->SetId(other.id);
}
// Sets every part that `other` has.
inline void EnsureSpecification(DeviceName* name, const DeviceName& other) {
  DeviceName both = other;
  MergeUnset(&both, *name);
  *name = both;
}

// Returns the complete name of the device that `text` ("GPU:0", "/task:1/device:CPU:0") means to a caller on `base`.
// InvalidArgument: one of them cannot be read, or `base` is not complete.
inline Result<std::string> CanonicalizeDeviceName(std::string_view text, std::string_view base) {
  DeviceName base_name, name;
  if (!DeviceName::Parse(base, &base_name))
    return errors::InvalidArgument("Could not parse basename: ", base, " into a device specification.");
  if (!base_name.IsComplete()) return errors::InvalidArgument("Basename: ", base, " should be fully specified.");
  if (!DeviceName::ParseLocal(text, &name) && !DeviceName::Parse(text, &name))
    return errors::InvalidArgument("Could not parse ", text, " into a device specification.");
  MergeUnset(&name, base_name);
  return name.ToString();
}

// Returns whether every part of `less` is set in `more`, to the same value.
inline bool IsSpecification(const DeviceName& less, const DeviceName& more) {
  DeviceName both = more;
  EnsureSpecification(&both, less);
  return both == more;
}
// Returns whether no part is set in both to different values.
inline bool AreCompatible(const DeviceName& a, const DeviceName& b) {
  DeviceName left = a, right = b;
  MergeUnset(&left, b);
  MergeUnset(&right, a);
  return left == right;
}
// In one process: job, replica and task are set in both, and equal.
inline bool IsSameAddressSpace(const DeviceName& a, const DeviceName& b) {
  return a.HasTask() && b.HasTask() && a.job == b.job && a.replica == b.replica && a.task == b.task;
}
// In two processes for certain: one of the three is set in both and different.
inline bool IsDifferentAddressSpace(const DeviceName& a, const DeviceName& b) {
  return (a.has_job && b.has_job && a.job != b.job) || (a.has_replica && b.has_replica && a.replica != b.replica) ||
         (a.has_task && b.has_task && a.task != b.task);
}

// Treatment of a type or number that differs when two names are merged.
enum class DeviceMergeConflict : std::uint8_t {
  kFail,
  kDrop,      // soft placement: the part is left open, of a type the number too
  kOverride,  // the other name's value counts
};

namespace detail {
TENON_DETAIL_COLD inline Status CannotMerge(std::string_view what, const DeviceName& a, const DeviceName& b) {
  return errors::InvalidArgument("Cannot merge devices with incompatible ", what, ": '", a.ToString(), "' and '",
                                 b.ToString(), "'");
}
}  // namespace detail

// Adds the parts of `other` to *name. InvalidArgument, with *name unchanged, where jobs, replicas or tasks differ, and
// for types and numbers where `conflict` says so.
inline Status MergeDeviceNames(DeviceName* name, const DeviceName& other,
                               DeviceMergeConflict conflict = DeviceMergeConflict::kFail) {
  DeviceName merged = *name;
  MergeUnset(&merged, other);
  if (other.has_job && merged.job != other.job) return detail::CannotMerge("jobs", *name, other);
  if (other.has_replica && merged.replica != other.replica) return detail::CannotMerge("replicas", *name, other);
  if (other.has_task && merged.task != other.task) return detail::CannotMerge("tasks", *name, other);
  const bool types = other.has_type && merged.type != other.type;
  const bool ids = other.has_id && merged.id != other.id;
  if (types || ids) {
    if (conflict == DeviceMergeConflict::kFail) return detail::CannotMerge(types ? "types" : "ids", *name, other);
    if (conflict == DeviceMergeConflict::kOverride) {
      if (types) merged.SetType(other.type);
      if (ids) merged.SetId(other.id);
    } else {
      if (types) merged.ClearType();
      merged.ClearId();
    }
  }
  *name = merged;
  return OkStatus();
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END

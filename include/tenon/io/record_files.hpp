// SPDX-License-Identifier: Apache-2.0
#pragma once
// ShardedFiles: the files that a name with a number of shards, or a pattern, stands for.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fnmatch.h>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/io/folders.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

inline constexpr int kMaxShards = 1 << 20;

// "data-00003-of-00010" of ("data", 3, 10).
inline std::string ShardName(std::string_view name, int shard, int shards) {
  const auto digits = [](int number) {
    std::string text = StrCat(number);
    return text.size() < 5 ? std::string(5 - text.size(), '0') + text : text;
  };
  return StrCat(name, "-", digits(shard), "-of-", digits(shards));
}

// The parts of a name in the form of ShardName.
struct ShardParts {
  std::string_view name;
  int shard = 0, shards = 0;
};
// Returns false for a name in another form, or with a shard that is not below the number of shards.
inline bool ParseShardName(std::string_view path, ShardParts* parts) {
  const std::size_t of = path.rfind("-of-");
  if (of == std::string_view::npos || of < 6) return false;
  const std::size_t dash = path.rfind('-', of - 1);
  if (dash == std::string_view::npos) return false;
  const std::string_view shard = path.substr(dash + 1, of - dash - 1), shards = path.substr(of + 4);
  const auto is_number = [](std::string_view text) {
    return text.size() >= 5 && text.size() <= 7 && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  parts->name = path.substr(0, dash);
  return is_number(shard) && is_number(shards) && ParseInt(shard, &parts->shard) && ParseInt(shards, &parts->shards) &&
         parts->shards <= kMaxShards && parts->shard < parts->shards &&
         path == ShardName(parts->name, parts->shard, parts->shards);
}

namespace detail {

inline Result<SlimVector<std::string>> AllShards(std::string_view name, int shards) {
  SlimVector<std::string> files;
  for (int shard = 0; shard < shards; ++shard) {
    std::string& file = files.emplace_back(ShardName(name, shard, shards));
    if (!FileExists(file))
      return errors::NotFound("ShardedFiles: shard ", shard, " of ", shards, " is missing: '", file,
                              "'; No such file or directory");
  }
  return files;
}
inline Result<SlimVector<std::string>> FindShards(std::string_view name) {
  TENON_ASSIGN_OR_RETURN(const SlimVector<std::string> found, MatchFiles(StrCat(name, "-*-of-*")));
  int shards = 0;
  const std::string_view here = name.find('/') == name.npos ? "./" : "";  // MatchFiles puts it before the names
  for (const std::string& file : found) {
    ShardParts parts;
    if (!ParseShardName(file, &parts) || parts.name.substr(here.size()) != name) continue;
    if (shards != 0 && parts.shards != shards)
      return errors::InvalidArgument("ShardedFiles: '", name, "@*' finds ", shards, " and ", parts.shards,
                                     " shards; name one of the two numbers");
    shards = parts.shards;
  }
  if (shards == 0) return errors::NotFound("ShardedFiles: no shards match '", name, "@*'");
  return AllShards(name, shards);
}
inline Result<SlimVector<std::string>> MatchShards(std::string_view pattern) {
  TENON_ASSIGN_OR_RETURN(SlimVector<std::string> found, MatchFiles(pattern));
  if (found.empty()) return errors::NotFound("ShardedFiles: no file matches '", pattern, "'");
  SlimVector<ShardParts> all;
  for (const std::string& file : found) {
    if (ShardParts parts; ParseShardName(file, &parts)) all.push_back(parts);
  }
  std::sort(all.begin(), all.end(), [](const ShardParts& a, const ShardParts& b) {
    if (a.name != b.name) return a.name < b.name;
    return a.shards != b.shards ? a.shards < b.shards : a.shard < b.shard;
  });
  const bool is_bare = HasWildcard(pattern.substr(0, pattern.find('/')));  // MatchFiles puts "./" before the names
  const std::string whole = StrCat(is_bare ? "./" : "", pattern);
  for (std::size_t i = 0; i < all.size();) {
    const ShardParts set = all[i];
    for (int shard = 0; shard < set.shards; ++shard) {
      if (i < all.size() && all[i].name == set.name && all[i].shards == set.shards && all[i].shard == shard) {
        ++i;
        continue;
      }
      const std::string missing = ShardName(set.name, shard, set.shards);
      if (::fnmatch(whole.c_str(), missing.c_str(), FNM_PATHNAME) == 0)
        return errors::NotFound("ShardedFiles: shard ", shard, " of ", set.shards, " is missing: '", missing,
                                "'; No such file or directory");
    }
  }
  return found;
}

}  // namespace detail

// Returns the files, in order, that `name` stands for:
//   "data@10"               data-00000-of-00010 to data-00009-of-00010
//   "data@*"                as above, with the number of shards that the files' names have
//   "data-*-of-00010"       a pattern of MatchFiles; a shard that is missing and matches it is an error
//   "data-00003-of-00010"   this file
// NotFound: a file or shard is missing; the message has its name. InvalidArgument: not a number of shards from 1 to
// kMaxShards, or "@*" finds two numbers.
inline Result<SlimVector<std::string>> ShardedFiles(std::string_view name) {
  const std::size_t at = name.rfind('@');
  const std::string_view count = at == std::string_view::npos ? std::string_view() : name.substr(at + 1);
  if (!count.empty() && count.find_first_not_of("0123456789") == std::string_view::npos) {
    int shards = 0;
    if (count.size() > 7 || !ParseInt(count, &shards) || shards < 1 || shards > kMaxShards)
      return errors::InvalidArgument("ShardedFiles: '", name, "': the number of shards is not in 1 to ", kMaxShards);
    return detail::AllShards(name.substr(0, at), shards);
  }
  if (count == "*") {
    if (detail::HasWildcard(name.substr(0, at)))
      return errors::InvalidArgument("ShardedFiles: '", name, "' is a pattern and ends with '@*'; use one of the two");
    return detail::FindShards(name.substr(0, at));
  }
  if (detail::HasWildcard(name)) return detail::MatchShards(name);
  if (!detail::FileExists(std::string(name)))
    return errors::NotFound("ShardedFiles: '", name, "'; No such file or directory");
  SlimVector<std::string> files;
  files.emplace_back(name);
  return files;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END

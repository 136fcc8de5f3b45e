#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prepares a release on this machine: a commit `release: VERSION` with the tag vVERSION. It pushes nothing.
#
#   tools/release.sh [--dry-run] [--date YYYY-MM-DD] [--checks COMMAND] [VERSION]
#
# VERSION is written into include/tenon/base/config.hpp, from which all other files read it, and into packages' files
# that cannot. Without VERSION it is the one that stands there. CHANGELOG.md's section 'Unreleased' gets the version and
# the date. single_include/ is written anew. Then the checks run: tools/test.sh and tools/check_all.sh by default. When
# one fails, all files are as before, and there is neither a commit nor a tag. --dry-run says what would change.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "release: $*" >&2; exit 1; }

config=include/tenon/base/config.hpp
package=packaging/vcpkg/vcpkg.json
dry_run=false date=$(date +%F) version='' checks='tools/test.sh && tools/check_all.sh'
while (($# > 0)); do
  case $1 in
    --dry-run) dry_run=true ;;
    --date | --checks)
      (($# > 1)) || fail "$1 needs a value"
      [[ $1 == --date ]] && date=$2 || checks=$2
      shift ;;
    -*) fail "there is no option '$1'; see the first lines of tools/release.sh" ;;
    *) version=$1 ;;
  esac
  shift
done

number=$(sed -n 's/^#define TENON_VERSION \([0-9]\+\)$/\1/p' "$config")
[[ -n $number ]] || fail "$config does not define TENON_VERSION as a number"
old=$((number / 10000)).$((number / 100 % 100)).$((number % 100))
version=${version:-$old}
[[ $version =~ ^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$ ]] || fail "'$version' is not a version such as 0.1.0"
((BASH_REMATCH[2] < 100 && BASH_REMATCH[3] < 100)) || fail "the minor version and the patch of '$version' must be below 100"
number=$((BASH_REMATCH[1] * 10000 + BASH_REMATCH[2] * 100 + BASH_REMATCH[3]))
[[ $date =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] || fail "'$date' is not a date such as 2026-01-31"
tag=v$version
[[ $(printf '%s\n' "$old" "$version" | sort -V | tail -n 1) == "$version" ]] || fail "$version is older than $old in $config"
! git rev-parse -q --verify "refs/tags/$tag" >/dev/null || fail "the tag $tag is there already; which version is next?"
[[ -z $(git status --porcelain) ]] || fail "there are changes that no commit has: $(git status --porcelain | head -n 1)"
(($(grep -c '^## Unreleased' CHANGELOG.md) == 1)) || fail "CHANGELOG.md must have one section '## Unreleased'"
awk '/^## / { inside = /^## Unreleased/; next } inside && /^- / { found = 1 } END { exit !found }' CHANGELOG.md ||
  fail "CHANGELOG.md lists nothing under '## Unreleased'"

# A dry run works in a copy.
if "$dry_run"; then
  copy=$(mktemp -d)
  trap 'git worktree remove --force "$copy/tenon"; rm -rf "$copy"' EXIT
  git worktree add -q --detach "$copy/tenon" HEAD
  cd "$copy/tenon"
else
  done=false
  trap '"$done" || { git add -A; git reset -q --hard; echo "release: nothing is changed" >&2; }' EXIT
fi

sed -i "s/^#define TENON_VERSION .*/#define TENON_VERSION $number/" "$config"
[[ ! -e $package ]] || sed -i "s/^  \"version\": \".*\"/  \"version\": \"$version\"/" "$package"
sed -i "s/^## Unreleased.*/## Unreleased\n\n## $version ($date)/" CHANGELOG.md
tools/amalgamate.py

if "$dry_run"; then
  git --no-pager diff --stat
  git --no-pager diff -U1 -- CHANGELOG.md "$config" "$package"
  echo "release: would run: $checks"
  echo "release: would commit 'release: $version' and tag it $tag"
  exit
fi

bash -c "$checks" || fail "the checks failed"
git add -A
git commit -q --allow-empty -m "release: $version"
git tag -a "$tag" -m "Tenon $version"
done=true
echo "release: $(git rev-parse --short HEAD) is tagged $tag; 'git push --follow-tags' publishes it"

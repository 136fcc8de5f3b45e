#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the site of docs/ into build/site: build/site/index.html is its first page.
#   tools/docs.sh            builds; needs MkDocs, which it installs from PyPI into build/docs_python
#   tools/docs.sh --serve    serves the site on http://127.0.0.1:8000 and builds it again after each change
#   tools/docs.sh --check    only checks, in seconds and without network: links, names of headers, generated pictures
set -euo pipefail
cd "$(dirname "$0")/.."

python3 tools/draw_architecture.py --check
python3 tools/check_docs.py
[[ ${1:-} == --check ]] && exit

export NO_MKDOCS_2_WARNING=1  # mkdocs-material prints it in every build
python=build/docs_python
if [[ ! -x $python/bin/mkdocs ]]; then
  tools/setup.sh docs
  python3 -m venv $python
  $python/bin/pip install -q mkdocs==1.6.1 mkdocs-material==9.8.2
fi
if [[ ${1:-} == --serve ]]; then
  exec $python/bin/mkdocs serve --strict --watch tools/mkdocs_hooks.py
fi
$python/bin/mkdocs build --quiet --strict --clean
echo "build/site/index.html: $(find build/site -name index.html | wc -l) pages"

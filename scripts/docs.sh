#!/usr/bin/env bash
# Makes a site of docs/ in build/site, to be opened as build/site/index.html; it needs no network. Installs mkdocs and doxygen if they are missing.
# Usage: scripts/docs.sh [FOLDER]
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
site=${1:-${root}/build/site}

command -v mkdocs >/dev/null && command -v doxygen >/dev/null && [[ -d /usr/share/javascript/katex && -d /usr/share/mkdocs/themes/material ]] ||
  "${root}/scripts/install.sh" mkdocs mkdocs-material libjs-katex doxygen

pages=$(mktemp -d)
trap 'rm -rf "${pages}"' EXIT
/usr/bin/python3 "${root}/scripts/site/prepare.py" "${root}" "${pages}"
(cd "${root}" && doxygen - < <(cat scripts/site/Doxyfile; echo "OUTPUT_DIRECTORY = ${pages}/pages"))
/usr/bin/python3 "${root}/scripts/site/python_reference.py" "${root}/src/python/kurbel.pyi" "${pages}/pages/python_reference.md"
mkdir -p "${site}"
(cd "${pages}" && mkdocs build --strict --clean --config-file mkdocs.yml --site-dir "$(realpath "${site}")")
/usr/bin/python3 "${root}/scripts/site/finish.py" "${site}"
echo "${site}/index.html"

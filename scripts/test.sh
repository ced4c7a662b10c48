#!/usr/bin/env bash
# Sets up what is missing, builds, and runs all tests.
# Usage: scripts/test.sh [-DOPTION=VALUE ...] [options of ctest, e.g. -R Adjoint]
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
options=()
while [[ ${1:-} == -D* ]]; do
  options+=("$1")
  shift
done

"${root}/scripts/install.sh" python3-jsonschema admesh libcgal-dev python3-scipy python3-matplotlib  # what tests compare with
"${root}/scripts/build.sh" "${options[@]}"
ctest --test-dir "${root}/build" --output-on-failure -j "$(nproc)" "$@"

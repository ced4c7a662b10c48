#!/usr/bin/env bash
# Configures and builds; quick when nothing changed.
# Usage: scripts/build.sh [-DOPTION=VALUE ...] [targets]      in build/, or with PRESET=sanitize in build-sanitize/
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${PRESET:-release}
build=${root}/build
[[ ${preset} == release ]] || build=${root}/build-${preset}

options=()
while [[ ${1:-} == -D* ]]; do
  options+=("$1")
  shift
done

# The build system notices changed CMake files by itself.
if [[ ! -f ${build}/build.ninja || ${#options[@]} -gt 0 ]]; then
  (cd "${root}" && cmake --preset "${preset}" "${options[@]}" --log-level=WARNING)
fi
if [[ $(ninja -C "${build}" -n "$@") != *"no work to do"* ]]; then
  ninja -C "${build}" -j "$(nproc)" "$@"
fi

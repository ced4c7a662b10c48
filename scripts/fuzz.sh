#!/usr/bin/env bash
# Feeds the readers of files with mutated ones under libFuzzer and the sanitizers, for as long as one asks.
# Usage: scripts/fuzz.sh [SECONDS [HARNESS...]]      each of tests/fuzz/*_fuzz.cpp for 60 s, or those named, e.g. toml_problem
# What it finds is left in build-fuzz/found/; once mended it belongs into tests/fuzz/corpus/HARNESS/.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
seconds=${1:-60}
shift || true
names=("$@")
if [[ ${#names[@]} -eq 0 ]]; then
  for source in "${root}"/tests/fuzz/*_fuzz.cpp; do
    names+=("$(basename "${source}" _fuzz.cpp)")
  done
fi

"${root}/scripts/install.sh" clang libclang-rt-14-dev
PRESET=fuzz "${root}/scripts/build.sh" "${names[@]/%/_fuzz}"

failed=()
for name in "${names[@]}"; do
  echo "== ${name} for ${seconds} s"
  corpus=${root}/build-fuzz/corpus/${name}
  found=${root}/build-fuzz/found/${name}-
  mkdir -p "${corpus}" "$(dirname "${found}")"
  "${root}/build-fuzz/tests/fuzz/${name}_fuzz" -max_total_time="${seconds}" -timeout=30 -rss_limit_mb=4000 -print_final_stats=1 \
    -verbosity=0 -artifact_prefix="${found}" "${corpus}" "${root}/tests/fuzz/corpus/${name}" || failed+=("${name}")
done
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "fuzz.sh: found something in ${failed[*]}; the inputs are in build-fuzz/found/" >&2
  exit 1
fi

#!/usr/bin/env bash
# Examines random problems (tests/random_problems): gradients, invariances, methods, threads. Prints a table of the
# verdicts, and keeps each input that fails, with what was found, in a folder.
# Usage: scripts/random_problems.sh [KIND] N [FIRST_SEED [FOLDER]]
# KIND is --rigid for mechanisms of rigid bodies in all formulations, --additions for such with rods, planar and damped
# joints, loads that oscillate, outputs and cases, --beams for cables and spatial beams between points and bodies, or
# --all for N problems of each kind, with a table for each. Without it bodies are rigid, flexible or SIDs.
set -euo pipefail

if [[ ${1:-} == --all ]]; then
  shift
  code=0
  for kind in "" --rigid --additions --beams; do
    printf '\n== %s ==\n' "${kind:-flexible}"
    "$0" ${kind} "${1:-}" "${2:-1}" "${3:-outputs/random_problems}/${kind:-flexible}" || code=$?
  done
  exit "${code}"
fi

kind=
if [[ ${1:-} == --rigid || ${1:-} == --additions || ${1:-} == --beams ]]; then
  kind=$1
  shift
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [[ $# -lt 1 || $# -gt 3 || ! $1 =~ ^[0-9]+$ || ! ${2:-1} =~ ^[0-9]+$ ]]; then
  echo "usage: scripts/random_problems.sh [--rigid | --additions | --beams | --all] N [FIRST_SEED [FOLDER]]" >&2
  exit 2
fi
count=$1
first=${2:-1}
folder=${3:-${root}/outputs/random_problems}
seconds_each=120

"${root}/scripts/build.sh" random_problems
mkdir -p "${folder}"
log=${folder}/log.tsv

# One process each, so that a crash is a verdict too.
examine() {
  local seed=$1 lines code=0
  lines=$(timeout "${seconds_each}" "${program}" ${kind} "${seed}" "${folder}" 2>&1) || code=$?
  [[ -z ${lines} ]] || printf '%s\n' "${lines}"
  if [[ ${code} -eq 124 ]]; then
    printf '%s\tprocess\tcannot-tell\tno end within %s s\n' "${seed}" "${seconds_each}"
  elif [[ ${code} -ne 0 ]]; then
    printf '%s\tprocess\tdiffers\texit code %s\n' "${seed}" "${code}"
  fi
}
export -f examine
# A copy, which a build meanwhile does not replace.
own=$(mktemp -d)
trap 'rm -rf "${own}"' EXIT
program=${own}/random_problems
cp "${root}/build/tests/random_problems/random_problems" "${program}"
export folder seconds_each program kind
seq "${first}" $((first + count - 1)) | nice xargs -P "$(nproc)" -I SEED bash -c 'examine SEED' >"${log}"

awk -F'\t' '
  NF < 4 { next }  # last words of a crash
  $2 == "features" { features[$1] = $4; next }
  { n[$2 "\t" $3]++; checks[$2] = 1 }
  $3 == "differs" { failed[$1] = failed[$1] sprintf("\n  %s: %s", $2, $4) }
  END {
    split("agrees differs cannot-tell refused", verdicts, " ")
    printf "%-12s", "check"
    for (i = 1; i <= 4; i++) printf "%13s", verdicts[i]
    printf "\n"
    for (check in checks) {
      printf "%-12s", check
      for (i = 1; i <= 4; i++) printf "%13d", n[check "\t" verdicts[i]]
      printf "\n"
    }
    for (seed in failed) {
      n_failed++
      printf "\n%s%s\n  %s\n", seed, failed[seed], features[seed]
    }
    printf "\n%d problems fail\n", n_failed
  }' "${log}"
echo "The inputs that fail are in ${folder}, all verdicts in ${log}"
! grep -q $'\tdiffers\t' "${log}"

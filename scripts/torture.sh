#!/usr/bin/env bash
# Mistreats the program for some minutes and counts what happens: kills runs and resumes them, fills the disk, limits the
# size of files, damages what it reads. Ends with a table; exit code 1 if anything went wrong, whose folder is then kept.
# Usage: scripts/torture.sh [SCALE [SEED]]      SCALE: how much of everything, default 1; full disks need root
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
scale=${1:-1}
[[ ${scale} =~ ^[1-9][0-9]*$ ]] || { echo "torture.sh: SCALE is a whole number from 1 on, not \"${scale}\"" >&2; exit 2; }
RANDOM=${2:-1}
kurbel=${KURBEL:-${root}/build/kurbel}
[[ -x ${kurbel} ]] || "${root}/scripts/build.sh" kurbel

work=$(mktemp -d "${TMPDIR:-/tmp}/kurbel_torture.XXXXXX")
disk=${work}/disk
cleanup() {
  mountpoint -q "${disk}" && umount "${disk}"
  if [[ ${wrong_total:-1} -eq 0 ]]; then rm -rf "${work}"; else echo "what went wrong is in ${work}"; fi
}
trap cleanup EXIT

small=("${root}/inputs/cranks/flexible_crank_small.toml" --quiet --threads 1
  --set 'bodies.crank.mesh.divisions=[24,6]' --set 'bodies.crank.regions.bearing.x=[0.19,0.2]'
  --set integrator.step=1e-2 --set output.motion_frames=4)
iterations=(--set optimizer.stop.iterations=25 --set optimizer.stop.design_change=0)

# Counts by section: runs, and how they ended.
declare -A count
sections=()
wrong_total=0
tally() { count[$1/$2]=$((${count[$1/$2]:-0} + 1)); }
section() {
  current=$1
  sections+=("$1")
  echo "== $1 (after ${SECONDS} s)"
}
wrong() {
  tally "${current}" wrong
  wrong_total=$((wrong_total + 1))
  echo "WRONG: ${current}: $*"
}

# Runs a command for at most a minute; its exit code in `code`, what it says in ${work}/said.
attempt() {
  code=0
  timeout -k 5 60 "$@" >"${work}/said" 2>&1 || code=$?
  tally "${current}" runs
  case ${code} in
    0 | 1) tally "${current}" "done" ;;
    2) tally "${current}" refused ;;
    3) tally "${current}" failed ;;
    *) wrong "exit code ${code}: $*" ;;
  esac
  if grep -q "internal error" "${work}/said"; then wrong "$(head -n 1 "${work}/said"): $*"; fi
  return 0
}

fingerprint() { (cd "$1" && find . -type f -print0 | sort -z | xargs -0 cksum); }

readable() { [[ ! -e $1/run.h5 ]] || "${kurbel}" info "$1/run.h5" >/dev/null 2>&1; }

# The history of a folder is that of the uninterrupted run; else it is kept and counted as wrong.
compare_history() {
  if cmp -s "$1/history.csv" "${work}/whole/history.csv"; then
    rm -rf "$1"
  else
    wrong "the history of $1${2:+, $2,} differs from that of the uninterrupted run"
  fi
}

# Goes on with the run in a folder, or starts it if it has not come to its first evaluation.
go_on() {
  if [[ -e $1/run.h5 ]]; then
    attempt "${kurbel}" optimize --resume "$1" --quiet
  else
    attempt "${kurbel}" optimize "${small[@]}" "${iterations[@]}" --overwrite --output "$1"
  fi
}

section "reference"
begin=${EPOCHREALTIME/./}
attempt "${kurbel}" optimize "${small[@]}" "${iterations[@]}" --output "${work}/whole"
milliseconds=$(((${EPOCHREALTIME/./} - begin) / 1000))
[[ ${code} -eq 0 ]] || wrong "the reference run ends with ${code}"

section "kill -9, resume"
for ((i = 0; i < 10 * scale; i++)); do
  r=${work}/killed_${i}
  command=("${kurbel}" optimize "${small[@]}" "${iterations[@]}" --output "${r}")
  for ((kill = 0; kill < 3; kill++)); do
    "${command[@]}" >/dev/null 2>&1 &
    pid=$!
    sleep "$(printf '%d.%03d' $((t = (RANDOM * 32768 + RANDOM) % milliseconds, t / 1000)) $((t % 1000)))"
    kill -KILL "${pid}" 2>/dev/null || true
    wait "${pid}" 2>/dev/null || true
    tally "${current}" killed
    readable "${r}" || wrong "run.h5 of ${r} is damaged"
    if [[ -e ${r}/run.h5 ]]; then command=("${kurbel}" optimize --resume "${r}" --quiet); fi
  done
  go_on "${r}"
  compare_history "${r}"
done

section "interrupt, resume"
for signal in INT TERM HUP; do
  r=${work}/interrupted_${signal}
  # A shell lets what it starts in the background ignore SIGINT; env gives it back.
  env --default-signal=INT "${kurbel}" optimize "${small[@]}" "${iterations[@]}" --output "${r}" >/dev/null 2>&1 &
  pid=$!
  for ((t = 0; t < 600; t++)); do
    [[ ! -e ${r}/run.h5 ]] || break
    sleep 0.05
  done
  kill "-${signal}" "${pid}" 2>/dev/null || true
  wait "${pid}" || wrong "SIG${signal} ends with $?"
  go_on "${r}"
  compare_history "${r}"
done

# What a limit has cut goes on without it.
check_cut() {
  readable "$1" || wrong "run.h5 of $1 is damaged"
  if [[ ${code} -eq 2 ]]; then wrong "a failed write is taken for bad input: $(head -n 1 "${work}/said")"; fi
  if find "$1" -name '*.part' | grep -q .; then wrong "$1 holds leftovers"; fi
}

section "limit on file sizes"
for ((i = 0; i < 10 * scale; i++)); do
  r=${work}/limited_${i}
  kib=$((i < 4 ? i * 4 : RANDOM % 160))
  mkdir "${r}"
  attempt bash -c "ulimit -f ${kib}; exec \"\$@\"" bash \
    "${kurbel}" optimize "${small[@]}" "${iterations[@]}" --output "${r}"
  check_cut "${r}"
  go_on "${r}"
  compare_history "${r}" "cut at ${kib} KiB"
done

section "full disk"
mkdir "${disk}"
if [[ ${EUID} -eq 0 ]] && mount -t tmpfs -o size=64k none "${disk}" 2>/dev/null; then
  umount "${disk}"
  for ((i = 0; i < 10 * scale; i++)); do
    kib=$((i < 4 ? (i + 1) * 8 : 32 + RANDOM % 600))
    mount -t tmpfs -o "size=${kib}k" none "${disk}"
    attempt "${kurbel}" optimize "${small[@]}" "${iterations[@]}" --output "${disk}/r"
    mount -o remount,size=64m "${disk}"
    mkdir -p "${disk}/r"
    check_cut "${disk}/r"
    go_on "${disk}/r"
    compare_history "${disk}/r" "cut by a disk of ${kib} KiB"
    umount "${disk}"
  done
else
  echo "skipped: no file system can be mounted"
fi

section "console gone"
loud=("${small[0]}" "${small[@]:2}")
for redirection in '> /dev/full 2>&1' '>&- 2>&-' '| true'; do
  attempt bash -c "set -o pipefail; \"\$@\" ${redirection}" bash \
    "${kurbel}" simulate "${loud[@]}" --output "${work}/console"
done 2>/dev/null

# Damages a copy of a file: some bytes, a piece put in the place of another, the end cut off, a piece cut out or doubled.
damage() {
  local size at from length n byte
  cp "$1" "$2"
  size=$(stat -c %s "$2")
  at=$(((RANDOM * 32768 + RANDOM) % size)) from=$(((RANDOM * 32768 + RANDOM) % size)) length=$((1 + RANDOM % 64))
  case $((RANDOM % 7)) in
    0 | 1)
      for ((n = RANDOM % 4; n >= 0; n--)); do
        byte=$((RANDOM % 256)) at=$(((RANDOM * 32768 + RANDOM) % size))
        printf '%b' "\\x$(printf %02x ${byte})" | dd of="$2" bs=1 seek="${at}" conv=notrunc status=none
      done
      ;;
    2 | 3) dd if="$1" of="$2" bs=1 skip="${from}" seek="${at}" count=$((1 + length % 8)) conv=notrunc status=none ;;
    4) truncate -s "${at}" "$2" ;;
    5) { head -c "${at}" "$1" && tail -c "+$((at + length))" "$1"; } >"$2" ;;
    6) { head -c "$((at + length))" "$1" && tail -c "+$((at + 1))" "$1"; } >"$2" ;;
  esac
}

# What was damaged and ends with a checksum is refused, whatever was hit.
check_refused() {
  if [[ ${code} -ne 2 ]] && ! cmp -s "$1" "$2"; then wrong "a damaged file was taken: exit code ${code}"; fi
}

# With 2 GB of memory.
bounded() { attempt bash -c 'ulimit -v 2000000; exec "$@"' bash "$@"; }

section "damaged run.h5, resume"
"${kurbel}" optimize "${small[@]}" --set optimizer.stop.iterations=3 --output "${work}/short" >/dev/null
for ((i = 0; i < 25 * scale; i++)); do
  rm -rf "${work}/r"
  cp -r "${work}/short" "${work}/r"
  damage "${work}/short/run.h5" "${work}/r/run.h5"
  before=$(fingerprint "${work}/r")
  cp "${work}/r/run.h5" "${work}/damaged.h5"
  bounded "${kurbel}" optimize --resume "${work}/r" --quiet
  check_refused "${work}/short/run.h5" "${work}/damaged.h5"
  if [[ ${code} -eq 2 && ${before} != "$(fingerprint "${work}/r")" ]]; then
    wrong "a refused resume has changed the folder: $(head -n 1 "${work}/said")"
  fi
done

section "damaged csv and pvd, resume"
for ((i = 0; i < 6 * scale; i++)); do
  rm -rf "${work}/r"
  cp -r "${work}/short" "${work}/r"
  for file in history.csv timing.csv density.pvd; do damage "${work}/short/${file}" "${work}/r/${file}"; done
  attempt "${kurbel}" optimize --resume "${work}/r" --quiet
  cmp -s "${work}/r/history.csv" "${work}/short/history.csv" || wrong "history.csv is not made again"
done

"${kurbel}" reduce "${small[@]}" --format both --output "${work}/sid" >/dev/null
from_sid=("${root}/inputs/cranks/crank_from_sid.toml" --quiet --set integrator.step=1e-2 --set output.motion=false)
for file in sid.h5 crank.SID_FEM; do
  section "damaged ${file}"
  mkdir -p "${work}/damaged"
  for ((i = 0; i < 25 * scale; i++)); do
    damage "${work}/sid/${file}" "${work}/damaged/${file}"
    bounded "${kurbel}" info "${work}/damaged/${file}"
    [[ ${file} != sid.h5 ]] || check_refused "${work}/sid/${file}" "${work}/damaged/${file}"
    bounded "${kurbel}" simulate "${from_sid[@]}" --set "bodies.crank.file=${work}/damaged/${file}" --output "${work}/from"
    [[ ${file} != sid.h5 ]] || check_refused "${work}/sid/${file}" "${work}/damaged/${file}"
  done
done

section "damaged densities"
field=$(find "${work}/short/density" -name '*.vtu' | sort | tail -n 1)
for ((i = 0; i < 144; i++)); do echo 0.5; done >"${work}/densities.txt"
for ((i = 0; i < 15 * scale; i++)); do
  damage "${field}" "${work}/damaged.vtu"
  damage "${work}/densities.txt" "${work}/damaged.txt"
  for file in damaged.vtu damaged.txt; do
    bounded "${kurbel}" simulate "${small[@]}" --density "${work}/${file}" --output "${work}/from"
    [[ ${file} != damaged.vtu ]] || check_refused "${field}" "${work}/${file}"
  done
done

section "damaged variables.csv"
balanced=("${root}/inputs/cranks/balanced_crank.toml" --quiet --set output.motion=false --set integrator.step=5e-3)
"${kurbel}" gradient "${balanced[@]}" --output "${work}/variables" >/dev/null
for ((i = 0; i < 10 * scale; i++)); do
  damage "${work}/variables/variables.csv" "${work}/damaged.csv"
  bounded "${kurbel}" simulate "${balanced[@]}" --variables "${work}/damaged.csv" --output "${work}/from"
done

section "damaged TOML"
for ((i = 0; i < 40 * scale; i++)); do
  damage "${root}/inputs/cranks/four_bar.toml" "${work}/damaged.toml"
  bounded "${kurbel}" reduce "${work}/damaged.toml" --quiet --output "${work}/from"
done

echo
printf '%-28s %6s %6s %8s %7s %7s %6s\n' "after ${SECONDS} s" runs "done" refused failed killed wrong
for name in "${sections[@]}"; do
  printf '%-28s' "${name}"
  for what in runs/6 done/6 refused/8 failed/7 killed/7 wrong/6; do
    printf " %${what#*/}s" "${count[${name}/${what%/*}]:-0}"
  done
  echo
done
[[ ${wrong_total} -eq 0 ]]

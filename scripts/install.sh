#!/usr/bin/env bash
# Installs the Debian packages that kurbel is built from; does nothing when all are there.
# Usage: scripts/install.sh [--allow-removals] [further packages]
# Where other packages would have to go for them, it says which and asks, or without a terminal stops; --allow-removals, or
# KURBEL_ALLOW_REMOVALS=1 in the environment of any script here, lets them go.
set -euo pipefail

allow_removals=${KURBEL_ALLOW_REMOVALS:-0}
if [[ ${1:-} == --allow-removals ]]; then
  allow_removals=1
  shift
fi

packages=(
  build-essential cmake ninja-build ccache
  libeigen3-dev libsuitesparse-dev libmetis-dev libopenblas-dev libspectra-dev
  libnlopt-cxx-dev coinor-libipopt-dev
  libhdf5-dev libxxhash-dev libvtk9-dev libplplot-dev plplot-driver-cairo
  libgmsh-dev liburdfdom-dev lib3mf-dev
  libjs-three libjs-chart.js
  libtomlplusplus-dev libcli11-dev libfmt-dev libspdlog-dev nlohmann-json3-dev
  python3-dev pybind11-dev python3-numpy
  dpkg-dev help2man
  libgtest-dev libgmock-dev libbenchmark-dev
  "$@"
)

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install.sh: this is not a Debian system; kurbel needs what these packages hold: ${packages[*]}" >&2
  exit 1
fi

# One line "installed PACKAGE" for each that is there; dpkg-query fails when it does not know a package.
# shellcheck disable=SC2016
installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null | sort -u || true)
missing=()
for package in "${packages[@]}"; do
  grep -qx "installed ${package}" <<<"${installed}" || missing+=("${package}")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

as_root=()
if [[ ${EUID} -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "install.sh: please run as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "Installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq

# Debian's python3-paraview and libvtk9-dev, for example, exclude each other.
removed=$(apt-get -s install --no-install-recommends "${missing[@]}" 2>/dev/null | awk '$1 == "Remv" {print $2}' | sort | xargs || true)
if [[ -n ${removed} && ${allow_removals} != 1 ]]; then
  echo "install.sh: for ${missing[*]}, apt-get would remove these packages: ${removed}" >&2
  answer=n
  [[ -t 0 ]] && read -r -p "Remove them? [y/N] " answer
  if [[ ${answer} != [yY]* ]]; then
    echo "install.sh: nothing was changed. To let them go: scripts/install.sh --allow-removals. ParaView itself can stay: only" \
      "python3-paraview, which it recommends, excludes what VTK needs; so apt-get remove python3-paraview, then install again." >&2
    exit 1
  fi
fi

"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
  -o Dpkg::Use-Pty=0

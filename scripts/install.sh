#!/usr/bin/env bash
# Installs the Debian packages that kurbel is built from; does nothing when all are there.
# Usage: scripts/install.sh [further packages]
set -euo pipefail

packages=(
  build-essential cmake ninja-build ccache
  libeigen3-dev libsuitesparse-dev libmetis-dev libopenblas-dev libspectra-dev
  libnlopt-cxx-dev coinor-libipopt-dev
  libhdf5-dev libvtk9-dev libplplot-dev plplot-driver-cairo
  libtomlplusplus-dev libcli11-dev libfmt-dev libspdlog-dev nlohmann-json3-dev
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
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
  -o Dpkg::Use-Pty=0

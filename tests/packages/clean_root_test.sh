#!/usr/bin/env bash
# Installs the Debian packages of packages_test.sh in a fresh Debian, as a user does, and runs them there: the program and the Python
# module without a compiler, then the examples in C++ against the library. Packages of Debian come from where the machine's apt has
# them, and are kept for the next run in BUILD_FOLDER/packages/debian.
# Usage: clean_root_test.sh BUILD_FOLDER; ends with 77 where that cannot be tried.
set -euo pipefail

build=$(realpath "$1")
root=${build}/clean_root
kept=${build}/packages/debian
step() { printf '== %s (after %d s)\n' "$1" "${SECONDS}"; }
skip() { echo "skipped: $1"; exit 77; }

[[ ${EUID} -eq 0 ]] || skip "a new root needs the rights of root"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed"
unshare --mount --pid --fork true 2>/dev/null || skip "this machine allows no namespaces"
sources=$(apt-get indextargets --format 'deb $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian')
[[ -n ${sources} ]] || skip "apt knows no packages of Debian; apt-get update gets their lists"
[[ $(find "${build}"/packages -maxdepth 1 -name '*.deb' | wc -l) -eq 3 ]] || skip "there are no packages yet; packages_test.sh makes them"

# Hard links take neither time nor space.
keep_packages() {
  mkdir -p "${kept}"
  find "${root}/var/cache/apt/archives" -maxdepth 1 -name '*.deb' -exec cp -lfu -t "${kept}" {} + 2>/dev/null || true
}
trap 'keep_packages; rm -rf --one-file-system "${root}" "${root}.log"' EXIT
in_root() {
  unshare --mount --pid --fork --kill-child --root="${root}" --mount-proc --wd=/root env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive MPLBACKEND=Agg "$@"
}
get() {
  in_root bash -c "apt-get install -y -qq -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-unsafe-io $*" >"${root}.log" 2>&1 || { cat "${root}.log"; exit 1; }
}

step "Debian alone"
rm -rf --one-file-system "${root}"
# shellcheck disable=SC2016
mmdebstrap --quiet --variant=apt --skip=download/empty,essential/unlink,cleanup/apt --dpkgopt=force-unsafe-io --aptopt=<(apt-config dump Acquire) \
  --setup-hook="mkdir -p '${kept}' \"\$1/var/cache/apt/archives\"" \
  --setup-hook="find '${kept}' -name '*.deb' -exec cp -lf -t \"\$1/var/cache/apt/archives\" {} +" \
  "$(sed -n 's/.* \([a-z]*\) main$/\1/p' <<<"${sources}" | head -n 1)" "${root}" - <<<"${sources}" || skip "mmdebstrap cannot make a fresh Debian here"
cp "${build}"/packages/*.deb "${root}/root"
cp -L /etc/resolv.conf "${root}/etc" || skip "nothing says where names are resolved"

step "kurbel and python3-kurbel"
get '/root/kurbel_*.deb /root/python3-kurbel_*.deb'  # the names are those in the root
step "The program and the module without a compiler"
in_root bash -euo pipefail -c '
  fail() { echo "FAIL $1" >&2; exit 1; }
  ! command -v c++ >/dev/null || fail "there is a compiler, so that nothing shows that the packages need none"
  kurbel new flexible_crank
  kurbel optimize flexible_crank.toml --set optimizer.stop.iterations=5 --quiet
  [[ -s outputs/flexible_crank/density.png && -s outputs/flexible_crank/histories.png ]] || fail "there are no pictures"
  kurbel report outputs/flexible_crank
  kurbel new crank_with_holes  # which Gmsh meshes
  kurbel check crank_with_holes.toml >/dev/null
  [[ -s /usr/share/man/man1/kurbel.1.gz ]] || fail "there is no manual page"
  source /usr/share/bash-completion/completions/kurbel
  complete -p kurbel >/dev/null || fail "nothing completes the words of kurbel"
  kurbel new flexible_crank_small
  python3 -c "
import kurbel
p = kurbel.Problem(\"flexible_crank_small.toml\")
f, g = p.evaluate(p.x0)
print(dict(zip(p.functions, f)), g.shape)"'

step "libkurbel-dev with a compiler, and what the examples in Python need"
get '--no-install-recommends g++ cmake make /root/libkurbel-dev_*.deb python3-matplotlib python3-scipy'
step "The examples in C++ and Python"
in_root bash -euo pipefail -c '
  cmake -S /usr/share/doc/kurbel/examples/cpp -B build -D CMAKE_BUILD_TYPE=Release >/dev/null
  cmake --build build --parallel 2
  build/evaluate flexible_crank_small.toml
  build/steepest_descent flexible_crank_small.toml
  build/built_in_code
  for example in /usr/share/doc/kurbel/examples/python/*.py; do
    echo "${example}"
    sed -n "s/^    kurbel new //p" "${example}" | xargs --no-run-if-empty --max-args=1 kurbel new
    python3 "${example}" >/dev/null
  done'
step "The packages install and run in a clean root"

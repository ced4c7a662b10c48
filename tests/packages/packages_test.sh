#!/usr/bin/env bash
# Makes the Debian packages in BUILD_FOLDER/packages, unpacks them into an empty root, and runs what is in there.
# Usage: packages_test.sh BUILD_FOLDER
set -euo pipefail

build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "${work}"' EXIT
fail() { echo "FAIL $1" >&2; exit 1; }

rm -f "${build}"/packages/*.deb
(cd "${build}" && cpack -G DEB >"${work}/cpack.log") || { cat "${work}/cpack.log"; exit 1; }
packages=("${build}"/packages/*.deb)
[[ ${#packages[@]} -eq 3 ]] || fail "there are ${#packages[@]} packages, not 3"

# What they depend on is there to be installed.
apt-get --simulate --no-install-recommends install "${packages[@]}" >"${work}/apt.log" 2>&1 || { cat "${work}/apt.log"; fail "they cannot be installed"; }
for package in "${packages[@]}"; do
  [[ -n $(dpkg-deb --field "${package}" Depends) ]] || fail "${package} depends on nothing"
  dpkg-deb --extract "${package}" "${work}/root"
done

root=${work}/root/usr
kurbel=${root}/bin/kurbel
input=${root}/share/doc/kurbel/examples/cranks/flexible_crank_small.toml
small=(--set "bodies.crank.mesh.divisions=[20,4]" --set "bodies.crank.regions.bearing.x=[0.18,0.2]" --set filter.radius=0.02)
"${kurbel}" --version
"${kurbel}" optimize "${input}" "${small[@]}" --set optimizer.stop.iterations=3 --quiet --output "${work}/run" --json "${work}/run.json" || true
[[ -s ${work}/run/final.vtu && -s ${work}/run/density.png ]] || fail "the program of the package leaves no result"
"${kurbel}" simulate "${input}" "${small[@]}" --quiet --output "${work}/motion" --json "${work}/motion.json"

psi=$(cd "${work}" && PYTHONPATH=${root}/lib/python3/dist-packages /usr/bin/python3 - "${input}" <<'PYTHON'
import sys, kurbel
problem = kurbel.Problem(sys.argv[1], {"bodies.crank.mesh.divisions": [20, 4], "bodies.crank.regions.bearing.x": [0.18, 0.2], "filter.radius": 0.02})
print(repr(float(problem.evaluate(problem.x0, gradient=False)[0])))
PYTHON
)
grep -qF "\"psi\": ${psi}" "${work}/motion.json" || fail "the module says psi = ${psi}, the program $(grep '"psi"' "${work}/motion.json")"

[[ -s ${root}/lib/python3/dist-packages/kurbel-stubs/__init__.pyi ]] || fail "type checkers find no stub of the module"

# The pages find each other, the inputs and the examples.
doc=${root}/share/doc/kurbel
for page in "${doc}/README.md" "${doc}"/docs/*.md "${doc}"/docs/howto/*.md; do
  [[ -s ${page} ]] || fail "there is no ${page#"${root}"}"
  while read -r link; do
    [[ -e $(dirname "${page}")/${link} ]] || fail "${page#"${root}"} has a link to ${link}, which is no file"
  done < <(sed 's/`[^`]*`//g' "${page}" | grep -oP '\]\(\K(?!https?:)[^)#\s]+' | sort -u)
done
for package in kurbel libkurbel-dev python3-kurbel; do
  [[ -s ${root}/share/doc/${package}/copyright ]] || fail "${package} has no copyright"
done

[[ -n $(find "${root}/lib" -name kurbelConfig.cmake) ]] || fail "there is no CMake package"
if command -v help2man >/dev/null; then
  zcat "${root}/share/man/man1/kurbel.1.gz" | grep -q '^\.SH DESCRIPTION' || fail "there is no compressed manual page"
fi

# The completion knows commands and options.
complete() {
  PATH=${root}/bin:${PATH} bash -c "source '${root}/share/bash-completion/completions/kurbel'
    COMP_WORDS=($*); COMP_CWORD=\$((\${#COMP_WORDS[@]} - 1)); _kurbel; echo \"\${COMPREPLY[*]}\""
}
[[ $(complete kurbel opt) == optimize ]] || fail "kurbel opt<Tab> is \"$(complete kurbel opt)\""
[[ $(complete kurbel simulate --cu) == --cut ]] || fail "kurbel simulate --cu<Tab> is \"$(complete kurbel simulate --cu)\""
echo "the packages install and run"

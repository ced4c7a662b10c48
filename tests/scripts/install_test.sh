#!/usr/bin/env bash
# scripts/install.sh says what apt-get would remove before it does. With stand-ins for apt-get, dpkg-query and sudo.
# Usage: install_test.sh ROOT_OF_THE_PROJECT
set -euo pipefail

root=$1
folder=$(mktemp -d)
trap 'rm -rf "${folder}"' EXIT

cat >"${folder}/dpkg-query" <<'EOF'
#!/bin/sh
EOF
cat >"${folder}/apt-get" <<'EOF'
#!/bin/sh
case "$*" in
  -s*) printf 'Inst libvtk9-dev (9.1)\n%s' "${REMOVALS}" ;;
  *) echo "$*" >>"${CALLS}" ;;
esac
EOF
printf '#!/bin/sh\nexec "$@"\n' >"${folder}/sudo"
chmod +x "${folder}"/*
export PATH=${folder}:${PATH} CALLS=${folder}/calls

fail() {
  echo "install_test.sh: $1" >&2
  exit 1
}
installs() { grep -q "^install" "${CALLS}"; }
# run REMOVALS [OPTIONS]: exit code in `code`, messages in `said`
run() {
  : >"${CALLS}"
  code=0
  said=$(REMOVALS=$1 "${root}/scripts/install.sh" "${@:2}" 2>&1 </dev/null) || code=$?
}
conflict='Remv paraview [5.11]
Remv python3-paraview [5.11]
'

run ''
[[ ${code} -eq 0 ]] && installs || fail "does not install where nothing is removed: ${said}"
run "${conflict}"
[[ ${code} -eq 1 ]] && ! installs || fail "removes packages unasked: ${said}"
[[ ${said} == *"would remove these packages: paraview python3-paraview"* ]] || fail "does not name them: ${said}"
[[ ${said} == *"--allow-removals"* ]] || fail "does not say how to go on: ${said}"
run "${conflict}" --allow-removals
[[ ${code} -eq 0 ]] && installs || fail "does not go on with --allow-removals: ${said}"
KURBEL_ALLOW_REMOVALS=1 run "${conflict}"
[[ ${code} -eq 0 ]] && installs || fail "does not go on with KURBEL_ALLOW_REMOVALS=1: ${said}"

#!/usr/bin/env bash
# Sets up what is missing, builds, and runs kurbel.
# Usage: scripts/run.sh [optimize|gradient|simulate|reduce|info] FILE [options of kurbel]
# Without a command word: optimize.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [[ $# -eq 0 ]]; then
  echo "usage: scripts/run.sh [optimize|gradient|simulate|reduce|info] FILE [options], e.g." >&2
  echo "       scripts/run.sh inputs/flexible_crank.toml" >&2
  exit 2
fi

"${root}/scripts/install.sh"
"${root}/scripts/build.sh" kurbel

case $1 in
  optimize | gradient | simulate | reduce | info | -h | --help | --version) ;;
  *) set -- optimize "$@" ;;
esac
exec "${root}/build/kurbel" "$@"

#!/usr/bin/env bash
# Makes docs/gallery from real runs of the shipped inputs: a page with a picture, a line and the run time of each.
# Usage: scripts/gallery.sh [NAME ...]      without names: all, which takes hours; what was run before keeps its row
# Runs are left in outputs/gallery. KURBEL names another program than build/kurbel.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
/usr/bin/python3 -c 'import PIL' 2>/dev/null || "${root}/scripts/install.sh" python3-pil
exec /usr/bin/python3 "${root}/scripts/site/gallery.py" "${KURBEL:-${root}/build/kurbel}" "${root}" "$@"

#!/usr/bin/env bash
# Sets up .venv if it is missing or stale, then runs eval.py with the options given (default: --lang all).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$root/scripts/venv.sh"

make_venv
want_product
install_wanted
[ $# -gt 0 ] || set -- --lang all
exec "$venv/bin/python" "$root/eval.py" "$@"

#!/usr/bin/env bash
# Sets up .venv if it is missing or stale, then runs every test that the default install can run.
#   ./run_tests.sh [--with EXTRA,…] [pytest options]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$root/scripts/venv.sh"

extras=
if [ "${1:-}" = --with ]; then
  [ $# -ge 2 ] || die "--with needs the names of extras, as in --with hf"
  extras=$2
  shift 2
fi
install_product
install tests requirements-test.txt -r requirements-test.txt
for extra in ${extras//,/ }; do
  grep -Eq "^$extra = \[" "$root/pyproject.toml" || die "--with: unknown extra '$extra'; see pyproject.toml"
  also=requirements-test-$extra.txt
  [ -f "$root/$also" ] || also=
  install "$extra" "pyproject.toml $also" -e ".[$extra]" ${also:+-r "$also"}
done
cd "$root"
exec "$venv/bin/python" -m pytest "$@"

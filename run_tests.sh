#!/usr/bin/env bash
# Sets up .venv if it is missing or stale, then runs every test that the default install can run.
#   ./run_tests.sh [--with EXTRA,…] [pytest options]
# Among pytest's options are --slow for the tests over a second, and -n 0 for a single process.
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
# Asks for old versions of what it does not need new ones of.
install irrcac "" --no-deps irrCAC==0.4.4
for extra in ${extras//,/ }; do
  also=requirements-test-$extra.txt
  [ -f "$root/$also" ] || also=
  # What only tests need is no extra of the package.
  package=".[$extra]"
  grep -Eq "^$extra = \[" "$root/pyproject.toml" || package=
  [ -n "$also$package" ] || die "--with: unknown extra '$extra'; see pyproject.toml"
  # Asks for a newer Python and for plotting; its validator needs neither.
  [ "$extra" != inspect ] || install every_eval_ever "" --no-deps --ignore-requires-python every_eval_ever==0.3.0
  install "$extra" "pyproject.toml $also" ${package:+-e "$package"} ${also:+-r "$also"}
done
cd "$root"
# Two workers and the processes that tests start compile each module once.
unset PYTHONDONTWRITEBYTECODE
exec "$venv/bin/python" -m pytest -n auto --dist worksteal "$@"

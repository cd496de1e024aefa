#!/usr/bin/env bash
# Sets up .venv if it is missing or stale, then runs every test that the default install can run.
#   ./run_tests.sh [--with EXTRA,…] [--newest|--lowest] [pytest options]
# --newest and --lowest test the ends of the ranges in requirements*.txt, each in an environment beside .venv.
# Among pytest's options are --slow for the tests over a second, and -n 0 for a single process.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$root/scripts/venv.sh"

extras=
while true; do
  case "${1:-}" in
    --with)
      [ $# -ge 2 ] || die "--with needs the names of extras, as in --with hf"
      extras=$2
      shift
      ;;
    --newest) venv=$root/.venv-newest resolution=highest ;;
    --lowest) venv=$root/.venv-lowest resolution=lowest-direct ;;
    *) break ;;
  esac
  shift
done
make_venv
want_product
want tests requirements-test.txt
# Without what they need: old versions of what we need new ones of, and more than the tests use.
alone=(irrCAC==0.4.4)
for extra in ${extras//,/ }; do
  # What only tests need is no extra of the package.
  only=requirements-test-$extra.txt
  [ -f "$root/$only" ] || only=
  [ -n "$only" ] || grep -Eq "^$extra = \[" "$root/pyproject.toml" ||
    die "--with: unknown extra '$extra'; see pyproject.toml"
  want "$extra" $only
  [ "$extra" != inspect ] || alone+=(every_eval_ever==0.3.0)
done
install_wanted "${alone[@]}"
cd "$root"
# The workers and the processes that tests start compile each module once.
unset PYTHONDONTWRITEBYTECODE
exec "$venv/bin/python" -m pytest -n auto --dist worksteal "$@"

#!/usr/bin/env bash
# Writes requirements.lock: what run_eval.sh, run_tests.sh and .ci/run install, for Python 3.11 to 3.14.
#   scripts/lock.sh [DATE]    as the registry stood before DATE, as in 2026-11-28; without one, before that of the file
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/scripts/venv.sh"

lock=$root/requirements.lock
date=${1:-$(sed -n 's/.*scripts\/lock\.sh \([-0-9]*\).*/\1/p' "$lock")}
[ -n "$date" ] || die "name a date, as in scripts/lock.sh 2026-11-28"
make_venv
find_installer
[ -n "$uv" ] || die "needs uv; install it"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Extra indexes and folders of files may lack dates.
unset UV_INDEX UV_FIND_LINKS UV_INDEX_STRATEGY

# compile ARGUMENTS…: the versions and hashes of requirements.
compile() {
  "$uv" pip compile --quiet --universal --exclude-newer "${date}T00:00:00Z" --fork-strategy fewest \
    --generate-hashes --no-annotate --no-header "$@"
}

# Torch differs from machine to machine, and takes gigabytes: `--with hf` installs it apart. Nobody tests vllm.
echo 'torch ; python_version < "3"' >"$work/without.txt"
"$venv/bin/python" -ISc 'import sys, tomllib
extras = tomllib.load(open(sys.argv[1], "rb"))["project"]["optional-dependencies"]
print("uv", *(line for name in extras if name != "vllm" for line in extras[name]), sep="\n")' \
  "$root/pyproject.toml" >"$work/extras.txt"
printf '%s\n' irrCAC==0.4.4 every_eval_ever==0.3.0 >"$work/alone.txt"
{
  echo "# All of requirements*.txt and of the extras but torch and vllm, as tested, for Python 3.11 to 3.14."
  echo "# scripts/lock.sh $date wrote this file."
  compile --python-version 3.11 "$root"/requirements*.txt "$work/extras.txt" --override "$work/without.txt"
  compile --python-version 3.12 --no-deps "$work/alone.txt"
} >"$work/lock"
mv "$work/lock" "$lock"

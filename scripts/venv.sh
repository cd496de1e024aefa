# Sourced by run_eval.sh, run_tests.sh, .ci/run and scripts/lock.sh: makes .venv, and installs into it what has changed.

venv=${RAGALIQ_VENV:-$root/.venv}
lock=$root/requirements.lock
# Instead of the lock an end of the ranges in requirements*.txt: `highest` or `lowest-direct`.
resolution=

die() {
  echo "$(basename "$0"): $1" >&2
  exit 2
}

# The newest Python of at least 3.11 that can make virtual environments; PYTHON names another.
find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 python; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  die "needs Python 3.11 or newer with venv; install it, or name one with PYTHON=…"
}

make_venv() {
  local python
  # That of a Python which has become another version since has lost its packages.
  if ! "$venv/bin/python" -ISc 'import os, sys
version = sys.version_info
sys.exit(version < (3, 11) or not os.path.isdir(f"{sys.argv[1]}/lib/python3.{version.minor}"))' "$venv" 2>/dev/null; then
    python=$(find_python)
    echo "$(basename "$0"): making $(basename "$venv")" >&2
    rm -rf "$venv"
    "$python" -m venv --without-pip "$venv" || die "$python cannot make a virtual environment here"
  fi
}

# want NAME [FILE…]: the next `install_wanted` installs the requirements in FILES and, if NAME is an extra, those of the
# extra, unless they and the lock are as they were when NAME was last installed.
names=() states=() files=()
want() {
  local state
  state=$(cd "$root" && cat pyproject.toml "$lock" "${@:2}" | cksum)
  if [ -n "$resolution" ] || [ "$(cat "$venv/installed-$1.txt" 2>/dev/null)" != "$state" ]; then
    names+=("$1") states+=("$state") files+=("${@:2}")
  fi
}

want_product() {
  want ragaliq requirements.txt requirements-setup.txt
}

# install_wanted [PACKAGE==VERSION…]: what was wanted, at the versions of the lock; the packages without what they ask for,
# on any Python.
install_wanted() {
  local at
  [ ${#names[@]} -gt 0 ] || return 0
  echo "$(basename "$0"): installing ${names[*]} into $(basename "$venv")" >&2
  for at in "${names[@]}"; do rm -f "$venv/installed-$at.txt"; done
  (cd "$root" && find_installer && install_all "$@") >&2 ||
    die "the installation failed; fix what is said above, and run the same command again"
  for at in "${!names[@]}"; do echo "${states[at]}" >"$venv/installed-${names[at]}.txt"; done
  names=() states=() files=()
}

install_all() {
  local versions=(-c "$lock") any_python=--ignore-requires-python
  [ -z "$uv" ] || any_python=--python-version=3.14
  [ -z "$resolution" ] || versions=(--upgrade --resolution "$resolution")
  "$venv/bin/python" -ISc 'import sys, tomllib
extras = tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]
print(*(line for name in sys.argv[1:] for line in extras.get(name, ())), sep="\n")' "${names[@]}" >"$venv/extras.txt" &&
    # Apart from the lock, and first: what the index has may bring gigabytes for GPUs.
    if grep -q ^torch "$venv/extras.txt"; then add_packages torch==2.13.0; fi &&
    add_packages -r "$venv/extras.txt" ${files[@]+"${files[@]/#/-r}"} &&
    if [ $# -gt 0 ]; then add_packages --no-deps $any_python "$@"; fi &&
    # A folder has no hash, which pip asks for beside a lock.
    versions=() && add_packages --no-deps --no-build-isolation -e .
}

# Sets uv to the one on PATH, or to that which pip puts into .venv; to nothing where it cannot run, and pip installs.
find_installer() {
  local setting pip
  pip=("$venv/bin/python" -m pip)
  if ! "${pip[@]}" --version; then
    # That of the Python which made .venv, if it has one: that of ensurepip takes twice as long.
    pip=("$(find_python)" -m pip --python "$venv/bin/python")
    "${pip[@]}" --version || { "$venv/bin/python" -m ensurepip && pip=("$venv/bin/python" -m pip); }
  fi >/dev/null 2>&1
  # uv reads neither pip.conf nor the variables of pip.
  while IFS= read -r setting; do export "$setting"; done < <(
    "${pip[@]}" config list 2>/dev/null | "$venv/bin/python" "$root/scripts/pip_settings.py"
  )
  for uv in uv "$venv/bin/uv"; do
    if "$uv" --version >/dev/null 2>&1; then return; fi
  done
  pip+=(install --quiet --no-compile --disable-pip-version-check --no-deps)
  pinned uv && "${pip[@]}" --only-binary uv -r "$venv/pinned.txt" 2>/dev/null && "$uv" --version >/dev/null 2>&1 && return
  [ -z "$resolution" ] || { echo "--newest and --lowest need uv" && return 1; }
  uv=
  # An older one refuses a lock beside requirements without versions.
  pinned pip && "${pip[@]}" -r "$venv/pinned.txt"
}

# The version of a package, with its hashes, from the lock.
pinned() {
  awk -v name="$1" '/^[^ #]/ { kept = index($0, name "==") == 1 } kept' "$lock" >"$venv/pinned.txt"
}

# add_packages ARGUMENTS…: as for `pip install`.
add_packages() {
  if [ -n "$uv" ]; then
    "$uv" pip install --quiet --python "$venv/bin/python" ${versions[@]+"${versions[@]}"} "$@"
  else
    "$venv/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check \
      ${versions[@]+"${versions[@]}"} "$@"
  fi
}

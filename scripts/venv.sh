# Sourced by run_eval.sh and run_tests.sh: makes .venv, and installs into it what has changed since the last time.

venv="$root/.venv"

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
  if ! "$venv/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    local python
    python=$(find_python)
    echo "$(basename "$0"): making .venv" >&2
    rm -rf "$venv"
    "$python" -m venv "$venv" || die "$python cannot make a virtual environment here"
  fi
}

# install NAME FILES ARGUMENTS…: pip install ARGUMENTS, unless FILES are as they were when NAME was last installed.
install() {
  local name=$1 files=$2 stamp state
  shift 2
  stamp="$venv/installed-$name.txt"
  state=$(cd "$root" && "$venv/bin/python" - $files <<'PYTHON'
import hashlib, pathlib, sys
print(sys.version.split()[0], *(hashlib.sha256(pathlib.Path(f).read_bytes()).hexdigest() for f in sys.argv[1:]))
PYTHON
)
  if [ "$(cat "$stamp" 2>/dev/null)" != "$state" ]; then
    echo "$(basename "$0"): installing $name into .venv (a minute or two, once)" >&2
    rm -f "$stamp"
    (cd "$root" && "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@") >&2 ||
      die "the installation failed; mend what pip says above and run the same command again"
    echo "$state" >"$stamp"
  fi
}

install_product() {
  make_venv
  install ragaliq "requirements.txt pyproject.toml" -r requirements.txt -e .
}

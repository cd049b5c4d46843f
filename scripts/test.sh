#!/usr/bin/env bash
# All tests but those labelled `nightly`, from nothing: sets the machine up, builds, installs, prepares the oracle, runs ctest. Arguments go to ctest.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build.sh

# Tests labelled `oracle` are judged by JAX. They are left out where no Python >= 3.12 can have it.
oracle=build/oracle-venv
if ! "$oracle/bin/python" -c 'import jax, mpmath; assert jax.__version__ == "0.12.0.1"' 2>/dev/null; then
  for python in "$HOME"/.pyenv/versions/3.12*/bin/python python3.12 "$HOME"/.pyenv/versions/3.13*/bin/python python3.13 python3; do
    if "$python" -c 'import sys, venv; assert sys.version_info >= (3, 12)' 2>/dev/null; then
      rm -rf "$oracle"
      "$python" -m venv "$oracle" && "$oracle/bin/python" -m pip install -q --disable-pip-version-check "jax==0.12.0.1" mpmath && break
      rm -rf "$oracle"
    fi
  done
fi
leave_out=(-LE nightly)
if [ -x "$oracle/bin/python" ]; then
  echo "oracle: $("$oracle/bin/python" -c 'import sys, jax; print("JAX", jax.__version__, "on Python", sys.version.split()[0])')"
  export TENON_ORACLE_PYTHON="$PWD/$oracle/bin/python"
else
  echo "oracle: skipped"
  leave_out=(-LE "nightly|oracle")
fi

# Before the summary: what the accuracy tests of src/math found.
ctest --test-dir build/release --output-on-failure -j "${TENON_JOBS:-2}" "${leave_out[@]}" "$@" |
  awk '/tests passed, .* tests? failed/ {
         fflush()
         system("grep -hE \"^[a-z0-9_]+ +b?float[0-9]+ +worst\" build/release/Testing/Temporary/LastTest.log* | sort")
       }
       { print; fflush() }'

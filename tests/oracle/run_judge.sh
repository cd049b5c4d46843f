#!/bin/sh
# run_judge.sh CORPUS JUDGE: writes the corpus into a fresh directory and has the oracle judge it.
set -eu
[ -n "${TENON_ORACLE_PYTHON:-}" ] || { echo "skipped: TENON_ORACLE_PYTHON is not set"; exit 77; }
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
"$1" "$directory"
exec_status=0
JAX_PLATFORMS=cpu "$TENON_ORACLE_PYTHON" "$2" "$directory" || exec_status=$?
exit $exec_status

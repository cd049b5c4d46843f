#!/usr/bin/env bash
# acceptance.sh PREFIX [NAME...]: the users' programs of ../shared/acceptance against the package installed under PREFIX.
set -euo pipefail
run="$(dirname "$0")/../../shared/acceptance/run.sh"
if [ ! -f "$run" ]; then
  echo "acceptance: skipped, $run is not here"
  exit 0
fi
exec sh "$run" "${@:-$(dirname "$0")/../build/install}"

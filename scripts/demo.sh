#!/usr/bin/env bash
# The main job: classifies handwritten digits with the library, from nothing. Arguments go to the program.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build.sh tenon_installed
[ -f build/examples/build.ninja ] || cmake -S examples -B build/examples -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_COMPILER=clang++-22 -DCMAKE_PREFIX_PATH="$PWD/build/install" > build/examples.log
cmake --build build/examples --target example_nearest_digits
exec build/examples/nearest_digits --data examples/data "$@"

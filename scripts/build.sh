#!/usr/bin/env bash
# build.sh [TARGET]: sets the machine up, configures, builds TARGET (all; or tenon_installed, without tests) in
# build/release, installs to build/install. Cheap when nothing changed.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
# The same objects serve every build folder and clone of this tree.
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
jobs=${TENON_JOBS:-2}  # a file with MLIR in it takes up to 2.7 GB

[ -f build/release/build.ninja ] || cmake --preset release
cmake --build --preset release -j "$jobs" --target "${1:-all}"
cmake --install build/release --prefix build/install --component tenon > build/release/install.log

#!/usr/bin/env bash
# Installs what a build needs on Debian 12 (LLVM 22 comes from Debian's own security archive). Does nothing when all is there.
set -euo pipefail

packages=(
  clang-22 lld-22 llvm-22-dev libmlir-22-dev mlir-22-tools llvm-22-tools libclang-rt-22-dev clang-format-22
  cmake ninja-build ccache g++ python3 binutils
  protobuf-compiler libprotobuf-dev zlib1g-dev libzstd-dev nlohmann-json3-dev libeigen3-dev
  libgtest-dev libgmock-dev libbenchmark-dev libmpfr-dev
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "setup: not root and no sudo; install: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"

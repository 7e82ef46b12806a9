#!/bin/sh
# What rotary says about real configurations.
set -eu
cd "$(dirname "$0")/.."
for config in examples/configs/*.json; do
  [ -e "$config" ] || continue
  printf '\n=== rotary inspect %s\n\n' "$config"
  build/rotary inspect "$config"
done

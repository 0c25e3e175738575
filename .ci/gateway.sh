#!/usr/bin/env bash
# The gateway example as a process, between the official Python client of OpenAI and a scripted provider on loopback.
set -euo pipefail
cd "$(dirname "$0")/.."

openai=3.57.0
cache=${PLING_AGENTS_CACHE:-$HOME/.cache/pling-agents}/gateway
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$HOME/.cache/pling/target}"

if [ "$(cat "$cache/installed" 2>/dev/null)" != "$openai" ]; then
    mkdir -p "$cache"
    python3 -m venv --clear "$cache/venv"
    timeout 300 "$cache/venv/bin/pip" install --quiet --disable-pip-version-check "openai==$openai"
    echo "$openai" >"$cache/installed"
fi
timeout 3000 cargo build -q --locked -p gateway -p orders -p pling-mcp -p todo
timeout 120 "$cache/venv/bin/python" .ci/gateway.py "$CARGO_TARGET_DIR/debug/gateway"

#!/usr/bin/env bash
# The examples in a real browser: built for it, and driven by keys and clicks.
#
# Environment:
#   CHROMIUM=/usr/bin/chromium   the browser
#   PLING_PICTURES=DIR           keeps screenshots there
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$HOME/.cache/pling/target}"

missing=
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] || missing=chromium
command -v npm >/dev/null || missing="$missing nodejs npm"
if [ -n "$missing" ]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

examples/web/build.sh --fast
cargo build -q -p gateway --locked
npm install --prefix tests/web --no-package-lock --no-audit --no-fund --silent
GATEWAY="$CARGO_TARGET_DIR/debug/gateway" timeout 900 \
    node --test --test-concurrency=1 --test-timeout=400000 tests/web/*.test.mjs

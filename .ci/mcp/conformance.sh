#!/bin/sh
# The official conformance suite against `todo --headless --serve-mcp`. Needs Node 22 or newer.
set -eu
here=$(dirname "$0")
port=${PORT:-43999}
work=$(mktemp -d)
app='' proxy=''
trap 'kill $app $proxy 2>/dev/null || true; rm -rf "$work"' EXIT

cargo build --locked -p todo
PLING_RUN_DIR="$work/run" "${CARGO_TARGET_DIR:-target}/debug/todo" --headless --serve-mcp --approve all >"$work/line" &
app=$!
until [ -s "$work/line" ]; do kill -0 $app; sleep 0.1; done
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$work/line"; }
node "$here/with-token.mjs" "$(field url)" "$(field token)" "$port" &
proxy=$!
until node -e "require('net').connect($port,'127.0.0.1').on('connect',()=>process.exit(0)).on('error',()=>process.exit(1))"; do sleep 0.1; done

for revision in 2025-11-25 2026-07-28; do
  npx --yes @modelcontextprotocol/conformance@0.2.0-alpha.12 server --url "http://127.0.0.1:$port/mcp" \
    --requirements "$revision" --expected-failures "$here/baseline.yaml"
done

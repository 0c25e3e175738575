#!/usr/bin/env bash
# The to-do app completes a task over servers that others wrote: the real binary, no display, no key, loopback only.
#
#   tests/peers/run.sh            install the servers where they are missing, then run the task over each
#   tests/peers/run.sh --record   the same, and record the cassettes that the tests play back
#
# Needs npm, python3 and a built or buildable `todo`. Every step is bounded in time; what was started is stopped by its id.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."

aimock=1.43.0
fakellm=0.3.5
cache=${PLING_PEERS_CACHE:-$HOME/.cache/pling-peers}
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$HOME/.cache/pling/target}"
logs=$(mktemp -d)
started=()

stop() {
    for pid in "${started[@]:-}"; do
        if [ -n "$pid" ]; then kill "$pid" 2>/dev/null || true; fi
    done
    started=()
}
trap 'stop; rm -rf "$logs"' EXIT

step() { printf '\n== %s\n' "$*"; }
fail() {
    printf 'peers: %s\n' "$*" >&2
    exit 1
}

step "servers"
mkdir -p "$cache"
if [ "$(cat "$cache/aimock.version" 2>/dev/null)" != "$aimock" ]; then
    timeout 300 npm install --silent --no-audit --no-fund --prefix "$cache/npm" "@copilotkit/aimock@$aimock" >"$logs/npm" 2>&1 ||
        { cat "$logs/npm" >&2; fail "aimock could not be installed"; }
    echo "$aimock" >"$cache/aimock.version"
fi
if [ "$(cat "$cache/fakellm.version" 2>/dev/null)" != "$fakellm" ]; then
    python3 -m venv "$cache/venv"
    timeout 300 "$cache/venv/bin/pip" install --quiet "fakellm==$fakellm" >"$logs/pip" 2>&1 ||
        { cat "$logs/pip" >&2; fail "fakellm could not be installed"; }
    echo "$fakellm" >"$cache/fakellm.version"
fi
echo "aimock $aimock, fakellm $fakellm"

step "todo"
timeout 1800 cargo build -q -p todo --locked
todo=$CARGO_TARGET_DIR/debug/todo

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# start NAME PORT COMMAND…: waits until something listens there.
start() {
    local name=$1 port=$2
    shift 2
    "$@" >"$logs/$name" 2>&1 &
    started+=("$!")
    for _ in $(seq 150); do
        if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then return; fi
        kill -0 "$!" 2>/dev/null || break
        sleep 0.2
    done
    cat "$logs/$name" >&2
    fail "$name did not start"
}

start_aimock() { start aimock "$1" node "$cache/npm/node_modules/.bin/llmock" -p "$1" -f "$here/aimock.json" --strict "${@:2}"; }
# It reads its configuration once and keeps what it saw of a conversation, so each run gets a fresh one.
start_fakellm() { start fakellm "$1" "$cache/venv/bin/fakellm" serve --port "$1" --config "$here/fakellm.yaml"; }

# ask URL OPTION…: the task over an endpoint.
ask() {
    local url=$1
    shift
    env -u DISPLAY -u WAYLAND_DISPLAY PLING_AGENT_BASE_URL="$url" PLING_AGENT_MODEL=peer-model "$@" \
        timeout 60 "$todo" --json --trace "$logs/trace" --ask "Mark the weekly report as done."
}

# check OUT: the task is done, in three requests, the second and third with the results of the calls before.
check() {
    grep -q '"answer":"The weekly report is marked as done."' "$1" || { cat "$1" >&2; fail "no such answer"; }
    python3 - "$1" "$logs/trace" <<'PY' || { cat "$1" >&2; exit 1; }
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
tasks = lines[-1]["records"]
done = [task["id"] for task in tasks if task["done"]]
assert "t9" in done, f"t9 is not done: {done}"
requests = [json.loads(line) for line in open(sys.argv[2])]
assert len(requests) == 3, f"{len(requests)} requests"
results = [m["tool_call_id"] for m in requests[-1]["messages"] if m["role"] == "tool"]
assert len(results) == len(set(results)) == 2, results
print(f"done: {done}; 3 requests; calls {', '.join(results)}")
PY
}

for peer in aimock fakellm; do
    for stream in true false; do
        step "$peer, stream: $stream"
        port=$(free_port)
        "start_$peer" "$port"
        ask "http://127.0.0.1:$port/v1" PLING_AGENT_STREAM=$stream >"$logs/out" ||
            { cat "$logs/out" "$logs/$peer" >&2; fail "$peer: the run failed"; }
        check "$logs/out"
        stop
    done
done

step "aimock that limits every request: nothing runs, and the code says why"
port=$(free_port)
start_aimock "$port" --chaos-ratelimit 1
if ask "http://127.0.0.1:$port/v1" PLING_AGENT_RETRY_MAX_RETRIES=1 PLING_AGENT_RETRY_BASE_DELAY_MS=10 PLING_AGENT_RETRY_MAX_DELAY_MS=10 >"$logs/out"; then
    fail "an answer from a server that gives none"
fi
grep -q 'RATE_LIMITED' "$logs/out" || { cat "$logs/out" >&2; fail "no RATE_LIMITED"; }
grep -o '"code":"RATE_LIMITED"' "$logs/out" | head -1
stop

if [ "${1:-}" = --record ]; then
    step "cassettes"
    for peer in aimock fakellm; do
        port=$(free_port)
        "start_$peer" "$port"
        PLING_PEER_URL="http://127.0.0.1:$port/v1" PLING_PEER_CASSETTE="$here/$peer.jsonl" \
            timeout 1800 cargo test -q -p tests --locked -- --ignored --exact peers::record_a_peer
        stop
        wc -c "$here/$peer.jsonl"
    done
fi

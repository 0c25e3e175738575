#!/usr/bin/env bash
# The todo app in a real window on a screen that nobody sees, driven by keyboard and pointer: it is asked for something,
# the question is allowed, a run is stopped, palette and inspector are opened. What decides is what the app prints (the
# receipts, and its own tasks at the end) and what is on the clipboard. Pictures of each step go into the folder that is
# named, if one is. Installs what it needs, and ends only what it started.
set -euo pipefail
cd "$(dirname "$0")/.."

export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$HOME/.cache/pling/target}" LIBGL_ALWAYS_SOFTWARE=1
pictures="${1:-}"
[ -z "$pictures" ] || mkdir -p "$pictures"

packages="xvfb xdotool imagemagick xclip libxkbcommon-x11-0 libegl1 libgl1 libgl1-mesa-dri libx11-xcb1 libxcursor1 libxi6"
missing=""
for tool in Xvfb xdotool import compare xclip; do command -v "$tool" >/dev/null || missing=yes; done
if [ -n "$missing" ] && command -v apt-get >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null
fi

cargo build -q -p todo --locked

work="$(mktemp -d)"
app="" screen=""
finish() {
    [ -z "$app" ] || kill "$app" 2>/dev/null || true
    [ -z "$screen" ] || kill "$screen" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
fail() {
    echo "window: $*" >&2
    echo "-- what the app printed:" >&2
    cat "$work/out" "$work/err" >&2 || true
    [ -z "$pictures" ] || import -window root "$pictures/failed.png" || true
    exit 1
}

# until SECONDS WHAT COMMAND…: waits for a command to succeed.
until_true() {
    local end=$((SECONDS + $1)) what="$2"
    shift 2
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || fail "waited for $what"
        sleep 0.1
    done
}

touch "$work/out" "$work/err" "$work/display"
Xvfb -displayfd 7 -screen 0 900x560x24 -nolisten tcp 7>"$work/display" >"$work/xvfb" 2>&1 &
screen=$!
until_true 30 "a screen" test -s "$work/display"
DISPLAY=":$(cat "$work/display")"
export DISPLAY
unset WAYLAND_DISPLAY

XDG_DATA_HOME="$work" "$CARGO_TARGET_DIR/debug/todo" --offline --json >"$work/out" 2>"$work/err" &
app=$!
window_is_there() { window="$(xdotool search --onlyvisible --name '^Todo$' 2>/dev/null | head -n 1)" && [ -n "$window" ]; }
until_true 60 "the window" window_is_there
xdotool windowfocus --sync "$window"

picture() { import -window root -depth 8 "$1"; }
shot() { [ -z "$pictures" ] || picture "$pictures/$1.png"; }
# differs PIXELS: whether so many pixels are not as in the picture taken before.
differs() {
    picture "$work/now.png"
    local count
    count="$(compare -metric AE "$work/before.png" "$work/now.png" null: 2>&1 || true)"
    [ "${count%%[. ]*}" -gt "$1" ]
}
is_quiet() {
    picture "$work/one.png"
    sleep 0.3
    picture "$work/two.png"
    local count
    count="$(compare -metric AE "$work/one.png" "$work/two.png" null: 2>&1 || true)"
    # The caret blinks.
    [ "${count%%[. ]*}" -lt 200 ]
}
lines() { grep -c "$1" "$work/out" || true; }
has() { [ "$(lines "$1")" -ge "$2" ]; }
# repeated SECONDS PATTERN COUNT KEY: presses a key until a line was printed so often. The panel takes no answer to a
# question that it has not shown for a moment.
repeated() {
    local end=$((SECONDS + $1))
    until has "$2" "$3"; do
        [ "$SECONDS" -lt "$end" ] || fail "pressed $4, and waited for $2"
        xdotool key --clearmodifiers "$4"
        sleep 0.4
    done
}
say() {
    xdotool type --delay 20 "$1"
    sleep 0.2
    xdotool key Return
}

picture "$work/before.png"
until_true 30 "a first frame" is_quiet
shot 1-begin

# The composer is at the bottom of the panel, which is at the right.
xdotool mousemove 730 500 click 1
say "Delete Buy milk"
until_true 30 "a call" has '"type":"call"' 1
sleep 0.8
has '"type":"receipt"' 1 && fail "nobody was asked"
shot 2-asked
repeated 20 '"type":"receipt"' 1 ctrl+Return
has '"decision":"allowed"' 1 || fail "it was not allowed"
grep '"type":"receipt"' "$work/out" | head -n 1 | grep -q '"ok":true' || fail "it was allowed and did not run"
until_true 20 "the answer" has '"type":"text"' 1
until_true 20 "a quiet window" is_quiet
shot 3-done

say "Delete Book the design review"
until_true 30 "another call" has '"type":"call"' 2
sleep 0.8
repeated 20 '"type":"receipt"' 2 Escape
grep '"type":"receipt"' "$work/out" | tail -n 1 | grep -q '"CANCELLED"' || fail "Esc did not stop the run"
until_true 20 "a quiet window" is_quiet
shot 4-stopped

picture "$work/before.png"
xdotool key ctrl+k
until_true 20 "the palette" differs 20000
xdotool type --delay 20 "mark design"
until_true 20 "a quiet window" is_quiet
shot 5-palette
xdotool key Return
until_true 20 "a quiet window" is_quiet
shot 6-marked

# The inspector: a click on an action copies its schema.
picture "$work/before.png"
xdotool mousemove 648 19 click 1
until_true 20 "the inspector" differs 5000
until_true 20 "a quiet window" is_quiet
shot 7-inspector
copied() { timeout 2 xclip -selection clipboard -o 2>/dev/null | grep -q '"parameters"'; }
for y in $(seq 230 14 540); do
    xdotool mousemove 600 "$y" click 1
    sleep 0.15
    if copied; then break; fi
done
copied || fail "a click in the inspector copied no schema"

xdotool key ctrl+q
is_over() { ! kill -0 "$app" 2>/dev/null; }
until_true 20 "the end of the app" is_over
wait "$app" || fail "the app ended with $?"
app=""
grep '"type":"final"' "$work/out" | python3 -c '
import json, sys
todos = {todo["title"]: todo["done"] for todo in json.load(sys.stdin)["records"]}
assert "Buy milk" not in todos, "what was allowed is not done"
assert todos.get("Book the design review") is True, "what was stopped is done, or the palette did nothing"
' || fail "the tasks are not as they should be"
echo "window: asked, allowed, stopped, palette and inspector opened"

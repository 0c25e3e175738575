#!/usr/bin/env bash
# The examples in a real window on a screen that nobody sees, with an outside client and a user at the keyboard.
#
#   .ci/mcp/window.sh [PICTURES]     the folder that gets pictures of it; a temporary one by default
set -euo pipefail
cd "$(dirname "$0")/../.."

export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$HOME/.cache/pling/target}"
export LIBGL_ALWAYS_SOFTWARE=1 WINIT_X11_SCALE_FACTOR=1
packages="imagemagick libegl1 libgl1 libgl1-mesa-dri libglx-mesa0 libx11-xcb1 libxcursor1 libxi6 libxkbcommon-x11-0 libxrandr2 xdotool xvfb"
# shellcheck disable=SC2086 # a list
if command -v apt-get >/dev/null && ! dpkg -s $packages >/dev/null 2>&1; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null
fi

work=$(mktemp -d)
export PLING_RUN_DIR=$work/run
screen=''
trap '[ -z "$screen" ] || kill "$screen" 2>/dev/null || true; rm -rf "$work"' EXIT
# It chooses a number of its own.
Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp 3>"$work/display" 2>"$work/xvfb" &
screen=$!
for _ in $(seq 100); do
    [ -s "$work/display" ] && break
    kill -0 "$screen" || { cat "$work/xvfb" >&2; exit 1; }
    sleep 0.1
done
DISPLAY=:$(cat "$work/display")
export DISPLAY
unset WAYLAND_DISPLAY

timeout 3000 cargo build -q --locked -p gateway -p orders -p pling-mcp -p todo
timeout 300 python3 .ci/mcp/window.py "$CARGO_TARGET_DIR/debug/todo" "$CARGO_TARGET_DIR/debug/orders" "${1:-$work/pictures}"

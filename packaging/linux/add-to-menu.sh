#!/bin/sh
# Adds Tokenloupe to the menu of this user's desktop, from the folder this file is in; "add-to-menu.sh --remove" takes
# it out again. Nothing else is changed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
menu=${XDG_DATA_HOME:-$HOME/.local/share}/applications/tokenloupe.desktop

if [ "${1:-}" = --remove ]; then
  rm -f "$menu"
  echo "Tokenloupe is no longer in the menu."
  exit 0
fi

mkdir -p "$(dirname "$menu")"
# In a desktop entry a path with spaces stands in quotes, where \ " ` $ are escaped twice and % is doubled.
quoted=$(printf '%s' "$here/tokenloupe" | sed -e 's/[\\"`$]/\\\\&/g' -e 's/%/%%/g')
icon=$(printf '%s' "$here/tokenloupe.svg" | sed -e 's/\\/\\\\/g')
sed_safe() { printf '%s' "$1" | sed -e 's/[\\&|]/\\&/g'; }
sed -e "s|^Exec=.*|Exec=\"$(sed_safe "$quoted")\" %F|" -e "s|^Icon=.*|Icon=$(sed_safe "$icon")|" \
  "$here/tokenloupe.desktop" >"$menu"
echo "Tokenloupe is in the menu: $menu"

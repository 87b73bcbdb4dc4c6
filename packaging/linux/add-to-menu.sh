#!/bin/sh
# Add Tokenloupe, from the folder of this file, to the current user's desktop menu; "add-to-menu.sh --remove" removes it.
# Changes nothing else.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
menu=${XDG_DATA_HOME:-$HOME/.local/share}/applications/tokenloupe.desktop

if [ "${1:-}" = --remove ]; then
  rm -f "$menu"
  echo "Tokenloupe is no longer in the menu."
  exit 0
fi

mkdir -p "$(dirname "$menu")"
# In a desktop entry a path with spaces is quoted; in quotes \ " ` $ are escaped twice, and % is doubled.
quoted=$(printf '%s' "$here/tokenloupe" | sed -e 's/[\\"`$]/\\\\&/g' -e 's/%/%%/g')
icon=$(printf '%s' "$here/tokenloupe.svg" | sed -e 's/\\/\\\\/g')
sed_safe() { printf '%s' "$1" | sed -e 's/[\\&|]/\\&/g'; }
sed -e "s|^Exec=.*|Exec=\"$(sed_safe "$quoted")\" %F|" -e "s|^Icon=.*|Icon=$(sed_safe "$icon")|" \
  "$here/tokenloupe.desktop" >"$menu"
echo "Tokenloupe is in the menu: $menu"

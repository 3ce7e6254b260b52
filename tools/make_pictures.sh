#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Takes the picture of a report that the README shows. Usage: tools/make_pictures.sh PATH-OF-SOSIA
set -eu
cd "$(dirname "$0")/.."
sosia=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$sosia" example clinic -n 20000 -o "$folder/clinic.csv"
"$sosia" example clinic --schema -o "$folder/schema.json"
"$sosia" run "$folder/clinic.csv" --schema "$folder/schema.json" --epsilon 2 --quiet -o "$folder/out" 2>/dev/null
mkdir -p docs/pictures
python3 tests/report/browser.py "$folder/out.internal/report.html" docs/pictures/report.png --width 1200 --height 950
ls -l docs/pictures/report.png

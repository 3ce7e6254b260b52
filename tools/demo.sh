#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# From a private table to a synthetic one, step by step. Usage: tools/demo.sh PATH-OF-SOSIA
set -eu
cd "$(dirname "$0")/.."
sosia=$(realpath "$1")

say() { printf '\n%s\n\n' "$*"; }
run() {
  printf '$ sosia'
  for word in "$@"; do case $word in *" "*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac; done
  printf '\n'
  "$sosia" "$@" 2>&1
}

rm -rf demo
mkdir demo
cd demo

say "1. A table to try things on: visits to a clinic that does not exist, and what is public about it."
run example clinic -n 20000 -o clinic.csv
run example clinic --schema -o clinic.schema.json
head -n 4 clinic.csv

say "2. The budget of the data set, in a file: every run reserves from it before it starts."
run ledger create clinic.ledger --dataset clinic --epsilon 1.2 --delta 1e-6 --unit patient --max-rows 4

say "3. From the private table to a synthetic one. The price is shown before it is paid."
run run clinic.csv --schema clinic.schema.json --epsilon 1 --ledger clinic.ledger -o out

say "4. What is guaranteed, and what was made: two pages for a browser. The first may be published, the second may not."
ls out/report.html out.internal/report.html

say "5. Synthetic rows. No real person is in them; more of them cost nothing."
head -n 4 out/synthetic.csv
run sample out/model.sosia -n 3 --where sex=F --where readmitted=true

say "6. The same again does not fit into the budget. It is refused, and nothing is spent."
status=0
run run clinic.csv --schema clinic.schema.json --epsilon 1 --ledger clinic.ledger -o again || status=$?
[ $status -eq 5 ] || { echo "demo: expected a refusal (exit 5), got exit $status" >&2; exit 1; }

say "Done. Everything is in demo/out: the synthetic table, its certificate, its model and report.html. Open it in a browser."

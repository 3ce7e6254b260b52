#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An accounting session, shown step by step. Usage: tools/demo.sh PATH-OF-SOSIA
set -eu
cd "$(dirname "$0")/.."
sosia=$1
ledger=demo/people.ledger

say() { printf '\n%s\n\n' "$*"; }
run() {
  printf '$ sosia'
  for word in "$@"; do case $word in *" "*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac; done
  printf '\n'
  "$sosia" "$@" 2>&1
}

rm -rf demo
mkdir demo

say "1. What does a plan cost? A histogram, then 2,000 training steps on samples of 1 %."
run account --events docs/examples/plan.json --delta 1e-6

say "2. How much noise does a promise need? Two releases that share epsilon 1 as 1 to 9."
run account --plan docs/examples/open_plan.json --epsilon 1 --delta 1e-6

say "3. A budget across runs: a ledger file, a reservation before each run."
run ledger create $ledger --dataset people --epsilon 1 --delta 1e-6
run ledger reserve $ledger --events docs/examples/embedding.json --purpose "embedding for a first model"

say "4. The same again does not fit. It is refused, and nothing is spent."
status=0
run ledger reserve $ledger --events docs/examples/embedding.json --purpose "a second model" || status=$?
[ $status -eq 5 ] || { echo "demo: expected a refusal (exit 5), got exit $status" >&2; exit 1; }

say "5. What was spent on what."
run ledger show $ledger

say "Done. The ledger is in demo/; the plans are in docs/examples/."

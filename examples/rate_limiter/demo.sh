#!/bin/sh
# The worked example: three green rate limiters; which may be merged? Works on a copy and leaves nothing behind.
# PQA names the program to use (default: pqa), PYTHON the interpreter that reads the results (default: python3).
set -eu

pqa=${PQA:-pqa}
python=${PYTHON:-python3}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cp -R "$here/.pqa" "$work/.pqa"
rm -rf "$work/.pqa/runs" "$work/.pqa/ledger.db"*
cd "$work"

heading() { printf '\n=== %s\n\n' "$1"; }

# judged FILE DEAD CHOICE: which branches are dead, and which is chosen ("any": not fixed).
judged() {
    "$python" - "$@" <<'CHECK'
import json
import sys

path, dead, choice = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    run = json.load(file)
found_dead = " ".join(sorted(branch["branch_id"] for branch in run["branches"] if branch["state"] == "dead"))
found_choice = run["choice"] and run["choice"]["branch_id"]
if found_dead != dead or (choice != "any" and found_choice != choice):
    sys.exit(f"demo: expected dead '{dead}' and choice '{choice}', found dead '{found_dead}' and choice '{found_choice}'")
CHECK
}

heading "1 of 2: no property. Every suite is green; the adversary only has the branches and their own tests."
$pqa collide --json first.json
judged first.json "b0" any

heading "2 of 2: the sentence of the task as a property. The token bucket refills within the span and breaks it too."
cp "$here/properties/properties.py" .pqa/properties.py
$pqa collide --json second.json
judged second.json "b0 b2" b1

heading "Try next"
cat <<NEXT
  cd $here
  cp properties/properties.py .pqa/
  pqa collide          judge the three branches
  pqa show             print the run again
  pqa replay           run every trigger again
NEXT

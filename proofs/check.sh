#!/usr/bin/env bash
# Checks every theorem, then compares what each rests on with assumptions.txt. After
# `apt-get install coq libcoq-interval`. Compiled files lie beside their sources.
set -euo pipefail
cd "$(dirname "$0")"

# In the order of their imports: what comes after a changed file is checked again.
changed=
for file in $(coqdep -sort -Q . PrivacyProofs ./*/*.v); do
  if [ -n "$changed" ] || [ ! -e "${file}o" ] || [ "$file" -nt "${file}o" ]; then
    changed=1
    coqc -q -Q . PrivacyProofs "$file"
  fi
done

# The axioms of every theorem, and of the examples of certificates. One that is not of Coq's library, such as a lemma that is only
# admitted, is printed under its own name.
theorems=$(sed -nE 's/^(Theorem|Corollary) ([A-Za-z0-9_]+).*/\2/p' theorems/*.v checkers/*.v)
certificates=$(basename -a -s .v certificates/*.v)
theorems+=$'\n'$(sed 's/$/.certificate/' <<<"$certificates")
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
{
  echo "From PrivacyProofs Require Import $(basename -a -s .v theorems/*.v checkers/*.v | xargs)."
  echo "From PrivacyProofs Require $(xargs <<<"$certificates")."
  printf 'Print Assumptions %s.\n' $theorems
} >"$folder/all.v"
coqc -q -Q . PrivacyProofs "$folder/all.v" >"$folder/axioms"
awk -v names="$(xargs <<<"$theorems")" '
  BEGIN { split(names, name, " "); groups = split("reals classical description int63", group, " ") }
  function finish(  list, i) {
    for (i = 1; i <= groups; i++) if (group[i] in found) list = list " " group[i]
    if (at) print name[at] ":" (list other ? list other : " nothing")
    delete found
    other = ""
  }
  /^Axioms:|^Closed under the global context/ { finish(); at++; next }
  /^ / { next }
  $1 ~ /^(ClassicalDedekindReals|FunctionalExtensionality)\./ { found["reals"]; next }
  $1 == "Classical_Prop.classic" { found["classical"]; next }
  $1 == "Description.constructive_definite_description" { found["description"]; next }
  $1 ~ /^(Uint63|PrimInt63)\./ { found["int63"]; next }
  { other = other " " $1 }
  END { finish() }
' "$folder/axioms" >"$folder/assumptions"
diff assumptions.txt "$folder/assumptions" || {
  echo "a theorem, or what it rests on, is not as in assumptions.txt" >&2
  exit 1
}
cat assumptions.txt

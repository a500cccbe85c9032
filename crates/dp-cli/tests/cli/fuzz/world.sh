#!/bin/sh
# The folder in which random command lines run: sh world.sh REPOSITORY PROGRAM
set -eu
cp "$1"/examples/tasks/*.toml .
cp "$1"/examples/deployments/heights.toml .

# Data.
printf 'age,yes,no\n12,1,0\n50,0,1\n,2,0\n99.5,1,1\n' >data.csv
printf 'platform;age;yes\nios;12.5;yes\nandroid;NA;no\n;"1;5";unknown\n' >semicolon.csv
printf '"age","yes","no"\n"12","1","0"\n"1\n2","0","1"\n' >quoted.csv
printf '\357\273\277age,yes,no\n12,1,0\n' >bom.csv
printf '\377\376a\000g\000e\000\n\000' >utf16.csv
printf 'age,age,yes,yes\n1,2,0,1\n' >twice.csv
printf 'age,yes,no\n\n12,1,0\n\n\n50,0,1\n' >blank.csv
printf 'age,yes,no\n12,"1,0\n50,0,1\n' >open-quote.csv
printf '"a\nge",yes,no\n12,1,0\n' >header.csv
printf 'age\342\200\256,yes\033[2J,no\n12,1,0\n' >bidi.csv
printf 'age,yes,no\n12\n50,0,1,1,1\n' >ragged.csv
printf 'age,yes,no\n1\0002,1,0\n' >nul.csv
printf 'age,yes,no\r\n12,1,0\r\n50,0,1\r\n' >crlf.csv
printf 'age,yes,no\n' >only-header.csv
{ printf 'age'; head -c 40000 /dev/zero | tr '\000' ','; printf '\n1\n'; } >wide.csv
{ printf 'age,yes,no\n'; head -c 300000 /dev/zero | tr '\000' 7; printf ',1,0\n'; } >long.csv

# Task documents.
printf '[1,"t",["Prio3Count",2],{}]\n' >list.json
head -c 200000 /dev/zero | tr '\000' '[' >deep.json
{ printf 'x = '; head -c 200000 /dev/zero | tr '\000' '['; } >deep.toml
{ printf 'x'; awk 'BEGIN { for (i = 0; i < 20000; i++) printf ".x" }'; printf ' = 1\n'; } >wide.toml

# Ledgers.
purse() {
  "$2" calibrate ledger create "$1" --epsilon 1 --delta 1e-6 >out
  "$2" calibrate ledger record "$1" --name monday --epsilon 0.1 --delta 1e-9 >out
}
purse purse.ledger "$2"
purse readonly.ledger "$2"
purse full.ledger "$2"
"$2" calibrate ledger record full.ledger --name tuesday --epsilon 0.9 >out
"$2" calibrate ledger create rho.ledger --rho 1 >out
head -c 300 purse.ledger >cut.ledger
printf '{"pure":{"epsilon":"1"}}\n{"name":"monday","budget":{"pure":{"epsilon":"0.4"}}}\n' >old.ledger
rm out

# What is no file, or none that can be read or written. Root could replace the devices of the whole
# system, so that it has some of its own.
device() {
  mknod "$1" c 1 "$2" 2>/dev/null && [ -r "$1" ] || { rm -f "$1"; ln -s "/dev/$1" "$1"; }
}
device null 3
device zero 5
device full 7
device random 9
mkfifo pipe
ln -s loop loop
ln -s gone nowhere
ln -s data.csv to-data
ln -s folder to-folder
ln -s /proc/self/fd/1 stdout
mkdir folder sealed
: >empty
printf 'mine' >readonly
truncate -s 2G sparse
chmod 0444 readonly readonly.ledger
chmod 0555 sealed

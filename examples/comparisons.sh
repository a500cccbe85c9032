#!/usr/bin/env bash
# Comparisons of policies: lists of values, and a row for each combination.
set -euo pipefail
cd "$(dirname "$0")/.."

# Which noise for a histogram, and how the error changes with the budget, the clients and the buckets.
cargo xtask simulate --seed 1 --ideal --trials 100 --synthetic zipf --delta 1e-9 \
  --policy histogram-laplace,histogram-gaussian --epsilon 0.25,0.5,1,2 \
  --clients 1e4,1e6,1e8 --type histogram:12,histogram:100
cargo xtask simulate --seed 1 --ideal --trials 100 --synthetic zipf --delta 1e-9 \
  --policy multihot-one-hot-rappor --epsilon0 2,3,4,5 --clients 1e4,1e6,1e8 --type histogram:12,histogram:100

# Which noise for percentiles.
cargo xtask simulate --seed 1 --ideal --trials 100 --synthetic normal --delta 1e-9 --percentiles 5,25,50,75,95 \
  --policy histogram-laplace,histogram-gaussian,histogram-percentiles-gaussian,histogram-ranges-laplace \
  --epsilon 0.5,1 --clients 1e5 --type histogram:64,histogram:256,histogram:1024

# How tall are these people? In wide and in narrow bins.
cargo xtask simulate --seed 1 --ideal --trials 20 --policy histogram-laplace,histogram-gaussian,histogram-response \
  --epsilon 0.906 --clients 1629,1e5 --bins 140..200/10,140..200/5

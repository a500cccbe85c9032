//! Differential privacy for Prio3: the crates, from the numbers up to the command.
//!
//! | crate | what it is for | proofs |
//! |---|---|---|
//! | [`dp_exact`] | exact parameters; certified arithmetic | |
//! | [`dp_samplers`] | exact discrete noise | |
//! | [`dp_rappor`] | local randomizers and their debiasing | |
//! | [`dp_calibration`] | how much noise a promise needs | [calibration](../dp_calibration/proofs/calibration/index.html) |
//! | [`dp_amplification`] | what honest clients hide for each other | [flipped bits](../dp_amplification/proofs/aggregated_rappor/index.html), [answers](../dp_amplification/proofs/aggregated_responses/index.html), [with noise](../dp_amplification/proofs/hedging/index.html) |
//! | [`dp_accounting`] | what many releases promise together | [composition](../dp_accounting/proofs/composition/index.html) |
//! | [`dp_ledger`] | what was spent and what is left | [filters](../dp_ledger/proofs/filters/index.html) |
//! | [`dp_grid`] | real numbers on a fixed grid | |
//! | [`dp_prio3`] | policies; the client, the aggregators, the collector | [promises](../dp_prio3/proofs/promises/index.html), [bound reports](../dp_prio3/proofs/binding/index.html) |
//! | [`dp_libprio`] | strategies of noise for servers built on libprio | |
//! | [`dp_store`] | what an aggregator has seen and released, on the disk | |
//! | [`dp_files`] | files that are read without blocking and written whole | |
//! | [`dp_task`] | one document for a task, and its digest | |
//! | [`dp_parts`] | the parts of a long run as files: checkpoints, ranges, merging | |
//! | [`dp_planner`] | from the job to the policy: noise, error and promises of each | |
//! | [`dp_simulation`] | end-to-end runs on real data, and their statistics | |
//! | [`dp_report`] | reports of plans and runs, as text, HTML and Markdown | [risk](../dp_report/proofs/risk/index.html) |
//! | [`dp_statement`] | what a deployment publishes: a page, a record | |
//! | [`dp_sweep`] | simulations over policies, budgets, clients and lengths | |
//! | [`dp_audit`] | audits from outputs alone: lower bounds on ε, conformance of a deployment | |
//! | [`dp_cli`] | the command line | |
//! | [`dp_certificate`] | certificates as values, for `dp_check` | |
//! | [`dp_check`] | verifies certificates, with arithmetic of its own | |
//!
//! [`dap`] shows where each party of a deployment of the Distributed Aggregation Protocol hooks in, [`clusters`] how
//! a long simulation is shared among machines.
//! `ARCHITECTURE.md`, beside the crates, says where to change what.

/// A deployment of the Distributed Aggregation Protocol, party by party.
///
/// [`dp-planner`]: dp_planner
/// [`dp-statement`]: dp_statement
/// [`dp-report`]: dp_report
/// [`dp-task`]: dp_task
/// [`examples/janus`]: crate
/// [a run on several machines]: clusters
#[doc = include_str!("dap.md")]
pub mod dap {}

/// A run on several machines: ranges, parts, merging, and what starts them.
///
/// [`dp-libprio`]: dp_libprio
/// [GNU parallel]: crate
/// [Slurm]: crate
/// [Kubernetes]: crate
/// [a DAP deployment]: dap
#[doc = include_str!("clusters.md")]
pub mod clusters {}

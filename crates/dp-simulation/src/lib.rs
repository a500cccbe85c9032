//! End-to-end simulations of differentially private Prio3

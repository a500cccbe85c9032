//! Budgets, adjacency, sensitivity and certified noise parameters

//! Exact rational parameters and certified enclosures of real numbers

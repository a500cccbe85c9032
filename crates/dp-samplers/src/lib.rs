//! Exact samplers of discrete noise

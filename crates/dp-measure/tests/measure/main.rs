//! Measurements of the samplers, through the public interface.

mod lines;
mod speed;
mod timing;

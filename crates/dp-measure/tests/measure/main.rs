//! Measurements of the samplers, through the public interface.

mod speed;
mod timing;

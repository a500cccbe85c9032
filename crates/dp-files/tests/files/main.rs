//! Files of every kind, as a caller meets them.

mod input;

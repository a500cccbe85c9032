//! Small programs to copy from, on real data.

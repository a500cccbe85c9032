//! Files of every kind, as a caller meets them.
#![cfg(unix)]

mod input;
mod output;

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

fn fifo(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo");
    assert!(made.success());
    path
}

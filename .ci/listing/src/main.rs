//! Prints the public items of a crate, a line each, from what rustdoc wrote about it as JSON.
//!
//! Without implementations for every type (`impl<T> Any for T`) and those that the compiler adds (`Send`).

use std::error::Error;
use std::io::Write;

fn main() -> Result<(), Box<dyn Error>> {
    let documentation = std::env::args_os().nth(1).ok_or("no file is named")?;
    let items = public_api::Builder::from_rustdoc_json(documentation)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .build()?;
    Ok(write!(std::io::stdout(), "{items}")?)
}

//! Which files an output may replace.

use std::borrow::Cow;
use std::fmt::{self, Debug, Formatter};
use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Reason;
use crate::place::Place;
use crate::system;

/// How much of a file is looked at to tell what it is, in bytes.
const LOOK: u64 = 1024;

/// What stands where an output is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A file of the kind that is written: it may be replaced.
    Own,
    /// What no program can compute again, in words: "a budget ledger". It is never replaced.
    Kept(Cow<'static, str>),
    /// Any other file, in words: "not of this program". It is replaced by force alone.
    Foreign(Cow<'static, str>),
}

/// What tells what stands at a path, from its beginning.
type Look = dyn Fn(&Path, &[u8]) -> Found + Send + Sync;

/// Which files an output may replace. An empty file may be replaced unless it is kept or an input; a
/// read-only one never.
#[derive(Clone)]
pub struct Overwrite {
    found: Arc<Look>,
    is_forced: bool,
    inputs: Vec<PathBuf>,
}

impl Overwrite {
    /// Replaces what `found` calls [`Found::Own`]. It is given the path without links, and up to 1024
    /// bytes from the beginning of the file.
    pub fn new(found: impl Fn(&Path, &[u8]) -> Found + Send + Sync + 'static) -> Self {
        Self {
            found: Arc::new(found),
            is_forced: false,
            inputs: Vec::new(),
        }
    }

    /// Replaces files for whose beginning `is_own` is true.
    #[must_use]
    pub fn own(is_own: fn(&[u8]) -> bool) -> Self {
        Self::new(move |_, beginning| match is_own(beginning) {
            true => Found::Own,
            false => Found::Foreign(Cow::Borrowed("not of this program")),
        })
    }

    /// Replaces foreign files as well if `is_forced`.
    #[must_use]
    pub fn by_force(self, is_forced: bool) -> Self {
        Self { is_forced, ..self }
    }

    /// Never replaces these files, under whatever name: they are read for what is written.
    #[must_use]
    pub fn sparing(mut self, inputs: impl IntoIterator<Item = PathBuf>) -> Self {
        self.inputs.extend(inputs);
        self
    }

    /// Whether the name of a file is that of an input, which need not be there yet.
    pub(crate) fn check_name(&self, place: &Path) -> Result<(), Reason> {
        let is_place = |input: &PathBuf| match Place::of(input) {
            Ok(Place::Name(name)) => name == place,
            _ => false,
        };
        match self.inputs.iter().any(is_place) {
            true => Err(Reason::Input),
            false => Ok(()),
        }
    }

    /// Whether the regular file at a place is an input, by whatever name, or is kept.
    pub(crate) fn check_kept(&self, place: &Path, there: &Metadata) -> Result<Found, Reason> {
        let is_there =
            |input: &PathBuf| fs::metadata(input).is_ok_and(|input| system::is_same(&input, there));
        if self.inputs.iter().any(is_there) {
            return Err(Reason::Input);
        }
        match (self.found)(place, &beginning(place)?) {
            Found::Kept(is) => Err(Reason::Kept { is }),
            found => Ok(found),
        }
    }

    /// Whether the regular file at a place may be replaced.
    pub(crate) fn check(&self, place: &Path, there: &Metadata) -> Result<(), Reason> {
        match self.check_kept(place, there)? {
            Found::Foreign(is) if !self.is_forced && there.len() > 0 => Err(Reason::Foreign { is }),
            _ => Ok(()),
        }
    }
}

impl Debug for Overwrite {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut fields = formatter.debug_struct("Overwrite");
        fields.field("is_forced", &self.is_forced);
        fields.field("inputs", &self.inputs).finish_non_exhaustive()
    }
}

fn beginning(place: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = system::open(OpenOptions::new().read(true), place)?;
    file.take(LOOK).read_to_end(&mut bytes)?;
    Ok(bytes)
}

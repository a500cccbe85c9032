//! Names of releases.

use std::borrow::Borrow;
use std::sync::Arc;

use dp_exact::{ParameterError, check_name};

/// A checked name. Copies share the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Name(Arc<str>);

impl Name {
    /// A name by the one rule for names.
    pub(crate) fn new(text: &str) -> Result<Self, ParameterError> {
        check_name("name", text).map(|()| Self(text.into()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

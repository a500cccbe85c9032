//! What tests of refusals share.

use dp_task::Task;

use crate::common::edited;

/// Edits of a document, the field that is to blame, and what the message contains.
pub(crate) type Case<'a> = (&'a [(&'a str, &'a str)], &'a str, &'a str);

/// Each edit of the document is refused with an error that names the field.
pub(crate) fn each_is_refused(document: &str, cases: &[Case<'_>]) {
    assert!(
        Task::from_toml(document).is_ok(),
        "{:?}",
        Task::from_toml(document)
    );
    for (edits, field, message) in cases {
        let text = edited(document, edits);
        let error = Task::from_toml(&text).expect_err(&text);
        let line = error.to_string();
        assert_eq!(error.field(), Some(*field), "{edits:?}: {line}");
        assert!(
            line.contains(message),
            "{edits:?}: {line} without {message:?}"
        );
        assert!(!line.contains('\n'), "{line:?}");
    }
}

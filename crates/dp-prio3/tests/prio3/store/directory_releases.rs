//! A share is kept once, however often it is asked for, and found again after a restart.

use std::fs;
use std::sync::Barrier;
use std::thread;

use dp_prio3::releases::{ReleaseKey, ReleaseStore};
use dp_prio3::store::DirectoryReleases;

use super::{mode, names};
use crate::support::{flipped_bits, truncations};

const MONDAY: ReleaseKey = ReleaseKey([1; 32]);

#[test]
fn of_racing_callers_one_is_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let start = Barrier::new(8);
    let answers: Vec<_> = thread::scope(|scope| {
        let callers: Vec<_> = (0..8_u8)
            .map(|caller| {
                let (start, path) = (&start, folder.path());
                scope.spawn(move || {
                    let releases = DirectoryReleases::open(path).unwrap();
                    start.wait();
                    (caller, releases.keep(&MONDAY, &[caller]).unwrap())
                })
            })
            .collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).collect()
    });
    let firsts: Vec<_> = answers.iter().filter(|(_, known)| known.is_none()).collect();
    let [(first, _)] = firsts[..] else {
        panic!("{} callers were first", firsts.len());
    };
    for (caller, known) in &answers {
        assert!(caller == first || *known == Some(vec![*first]));
    }
    // Nothing but the release is left.
    assert_eq!(names(folder.path()).len(), 1);
}

#[test]
fn every_flipped_bit_and_every_truncation_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let releases = DirectoryReleases::open(folder.path()).unwrap();
    releases.keep(&MONDAY, b"a noisy share").unwrap();
    let path = folder.path().join(&names(folder.path())[0]);
    let whole = fs::read(&path).unwrap();
    for altered in flipped_bits(&whole) {
        fs::write(&path, altered).unwrap();
        let refused = releases.keep(&MONDAY, b"fresh noise").unwrap_err();
        assert!(refused.to_string().ends_with("was altered"), "{refused}");
    }
    for truncated in truncations(&whole) {
        fs::write(&path, truncated).unwrap();
        assert!(releases.keep(&MONDAY, b"fresh noise").is_err());
    }
}

/// What cannot be read keeps nothing: were the share released all the same, the next one would be,
/// too, with other noise.
#[test]
fn a_link_that_leads_nowhere_is_refused_and_nothing_is_released() {
    let folder = tempfile::tempdir().unwrap();
    let releases = DirectoryReleases::open(folder.path()).unwrap();
    releases.keep(&MONDAY, b"a noisy share").unwrap();
    let place = folder.path().join(&names(folder.path())[0]);
    fs::remove_file(&place).unwrap();
    std::os::unix::fs::symlink(folder.path().join("nowhere"), &place).unwrap();
    for _ in 0..2 {
        let refused = releases.keep(&MONDAY, b"fresh noise").unwrap_err().to_string();
        assert!(refused.ends_with("is there and cannot be read"), "{refused}");
    }
    // Nothing is left beside it.
    assert_eq!(names(folder.path()).len(), 1);
}

#[test]
fn what_a_kill_left_unfinished_is_removed_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("releases");
    let releases = DirectoryReleases::create(&path).unwrap();
    releases.keep(&MONDAY, b"a noisy share").unwrap();
    assert!(DirectoryReleases::create(&path).is_err());
    for name in [".dp-files-a", "another file"] {
        fs::write(path.join(name), b"half of").unwrap();
    }
    for nothing in ["missing", "releases/another file"] {
        assert!(DirectoryReleases::open(folder.path().join(nothing)).is_err());
    }
    let again = DirectoryReleases::open(&path).unwrap();
    assert_eq!(again.keep(&MONDAY, b"fresh noise").unwrap(), Some(b"a noisy share".to_vec()));
    let share = path.join("01".repeat(32));
    assert_eq!((mode(&path), mode(&share)), (0o700, 0o600));
    assert_eq!(names(&path).len(), 2);
}

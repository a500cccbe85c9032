//! What outlives a crash: whole or not at all, locked, private.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, SystemTime};

use dp_files::{
    create, create_folder, is_at, lock, open_regular, private, remove_leftovers, replace,
    sync_folder,
};

use crate::{fifo, folder, mode, names, read};

#[test]
fn a_file_is_created_whole_locked_and_private_or_not_at_all() {
    let folder = folder();
    let path = folder.path().join("file");
    let failed = create(&path, |writer| {
        writer.write_all(&[b'x'; 100_000])?;
        Err(io::Error::other("no more"))
    });
    assert_eq!(failed.unwrap_err().to_string(), "no more");
    assert!(names(&folder).is_empty());
    let file = create(&path, |writer| {
        assert!(!path.exists(), "nothing before all of it");
        writer.write_all(b"whole")
    });
    let file = file.expect("created");
    assert_eq!((read(&path).as_str(), mode(&path)), ("whole", 0o600));
    let other = File::open(&path).expect("open");
    let busy = lock(&other, Duration::from_millis(30)).unwrap_err();
    assert_eq!(busy.kind(), ErrorKind::ResourceBusy);
    drop(file);
    lock(&other, Duration::ZERO).expect("free");
    assert_eq!(names(&folder), ["file"]);
}

#[test]
fn nothing_that_is_there_is_replaced_not_even_a_link_to_nothing() {
    let folder = folder();
    let (path, link) = (folder.path().join("file"), folder.path().join("link"));
    fs::write(&path, "").expect("written");
    symlink("nothing", &link).expect("a link");
    for path in [&path, &link] {
        let refused = create(path, |writer| writer.write_all(b"new")).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    }
    // Something that comes while the file is written stays as well.
    let late = folder.path().join("late");
    let refused = create(&late, |_| fs::write(&late, "theirs")).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    assert_eq!((read(&path).as_str(), read(&late).as_str()), ("", "theirs"));
    assert_eq!(names(&folder), ["file", "late", "link"]);
}

#[test]
fn a_file_is_replaced_and_a_folder_created_whole_and_private_or_not_at_all() {
    let folder = folder();
    let (path, inner) = (folder.path().join("file"), folder.path().join("inner"));
    for text in ["one", "two"] {
        replace(&path, |writer| writer.write_all(text.as_bytes())).expect("replaced");
        assert_eq!((read(&path).as_str(), mode(&path)), (text, 0o600));
        assert!(replace(&path, |_| Err(io::Error::other("no more"))).is_err());
        assert_eq!(read(&path), text);
    }
    assert!(create_folder(&inner, |_| Err(io::Error::other("no more"))).is_err());
    assert_eq!(names(&folder), ["file"]);
    fs::create_dir(&inner).expect("an empty one gives its place");
    let fill = |fresh: &Path| fs::write(fresh.join("in"), "text");
    create_folder(&inner, fill).expect("created");
    assert_eq!(mode(&inner), 0o700);
    assert!(create_folder(&inner, fill).is_err());
    assert!(create_folder(&path, fill).is_err());
    assert_eq!(names(&folder), ["file", "inner"]);
}

#[test]
fn a_file_that_was_replaced_or_deleted_is_not_at_its_path() {
    let folder = folder();
    let path = folder.path().join("file");
    let file = create(&path, |_| Ok(())).expect("created");
    assert!(is_at(&file, &path).expect("there"));
    fs::remove_file(&path).expect("removed");
    assert!(!is_at(&file, &path).expect("not there"));
    fs::write(&path, "").expect("written");
    assert!(!is_at(&file, &path).expect("another one"));
}

#[test]
fn only_regular_files_are_opened_and_what_is_made_is_private() {
    let folder = folder();
    let options = File::options().read(true).clone();
    for path in [&fifo(&folder), Path::new("/dev/zero"), folder.path()] {
        let refused = open_regular(path, &options).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidInput);
    }
    let file = folder.path().join("file");
    private().create_new(true).open(&file).expect("created");
    assert_eq!(mode(&file), 0o600);
    open_regular(&file, &options).expect("regular");
    sync_folder(folder.path()).expect("synced");
}

#[test]
fn what_a_killed_process_left_is_removed_and_what_a_living_one_writes_is_not() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::write(at(".dp-files-dead"), "half a rep").expect("written");
    fs::write(at("victim"), "thesis").expect("written");
    symlink(at("victim"), at(".dp-files-link")).expect("a link");
    for (name, age) in [(".dp-files-old", 100_000), (".dp-files-young", 0)] {
        fs::create_dir(at(name)).expect("a folder");
        fs::write(at(name).join("in"), "").expect("written");
        let begun = SystemTime::now() - Duration::from_secs(age);
        File::open(at(name)).and_then(|there| there.set_modified(begun)).expect("set");
    }
    create(&at("file"), |_| remove_leftovers(folder.path())).expect("its own stays");
    assert_eq!(names(&folder), [".dp-files-link", ".dp-files-young", "file", "victim"]);
}

//! The guide's links.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::files::folder;

/// The texts of all pages below a folder, by their paths.
fn pages(folder: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "html") {
            let text = fs::read_to_string(&path).expect("a page");
            found.insert(path, text);
        }
    }
}

/// The path without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => assert!(normal.pop(), "{}", path.display()),
            other => normal.push(other),
        }
    }
    normal
}

#[test]
fn every_link_of_the_guide_leads_to_a_page_and_its_heading() {
    let folder = folder("site-tests/guide");
    site::guide::build(&site::repository(), &folder).expect("a guide");
    // Another step builds this page.
    fs::write(folder.join("planner.html"), "").expect("a file");
    let mut all = BTreeMap::new();
    pages(&folder, &mut all);
    let (mut links, mut formulas) = (0, 0);
    for (page, text) in &all {
        formulas += text.matches("<pre class=\"formula\">").count();
        for link in text.split(" href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            if file.contains(':') || file.is_empty() {
                continue;
            }
            links += 1;
            let target = normal(&page.parent().expect("a folder").join(file));
            assert!(target.exists(), "{}: {link}", page.display());
            if let Some(text) = all.get(&target).filter(|_| !heading.is_empty()) {
                assert!(text.contains(&format!("id=\"{heading}\"")), "{}: {link}", page.display());
            }
        }
    }
    assert!(
        all.len() > 30 && links > 500 && formulas > 10,
        "{} pages, {links} links, {formulas}",
        all.len()
    );
}

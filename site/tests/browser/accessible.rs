//! Accessibility, as axe-core checks it.

use std::fs;

use serde_json::Value;

use crate::files::{address, folder, left_out, page, reports};
use crate::window::{Theme, Window, browser_for};

/// The script of axe-core, from where npm installs it; `None` if it is not there.
fn axe() -> Option<String> {
    let file = folder("axe").join("node_modules/axe-core/axe.min.js");
    let script = fs::read_to_string(&file).ok();
    if script.is_none() {
        left_out("what axe-core finds (npm install --prefix target/axe axe-core)");
    }
    script
}

/// Asserts that axe-core finds nothing serious or critical in the window.
fn assert_accessible(window: &Window, axe: &str, what: &str) {
    window.run(axe);
    let found = window.value(
        "axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations \
         .filter(({impact}) => impact === 'serious' || impact === 'critical') \
         .map(({id, nodes}) => [id, ...nodes.slice(0, 4).map(({html, failureSummary}) => [html.slice(0, 200), failureSummary])]))",
    );
    assert_eq!(found, Value::Array(Vec::new()), "{what}");
}

#[test]
fn nothing_serious_is_found_in_reports() {
    let Some((browser, (axe, reports))) = browser_for(|| Some((axe()?, reports()))) else {
        return;
    };
    for (name, file) in reports {
        for theme in Theme::ALL {
            let window = Window::open(&browser, &address(file), 1440, theme);
            assert_accessible(&window, &axe, &format!("{name}, {}", theme.name()));
            window.close();
        }
    }
}

#[test]
fn nothing_serious_is_found_on_the_page() {
    let Some((browser, (axe, page))) = browser_for(|| Some((axe()?, page()?))) else {
        return;
    };
    for theme in Theme::ALL {
        let at = |width, address: &str| Window::answered(&browser, address, width, theme);
        let own = address(page);
        assert_accessible(&at(1440, &own), &axe, theme.name());
        let wrong =
            format!("{own}#type=average&grid=0..10&clients=1e4&epsilon=1&honest-fraction=2");
        assert_accessible(&at(360, &wrong), &axe, "an error");
    }
}

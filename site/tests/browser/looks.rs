//! Reports and the page at every width and in both themes, also as axe-core sees them.

use std::fs;

use serde_json::Value;

use crate::files::{address, folder, left_out, page, reports};
use crate::window::{Theme, WIDTHS, Window, browser_for};

/// JavaScript: ids of charts without a picture, a description or a table of numbers.
const INCOMPLETE: &str = "[...document.querySelectorAll('figure')].filter((figure) => { \
    const drawn = [...figure.querySelectorAll(':scope > svg')].filter((svg) => svg.getBoundingClientRect().width > 100); \
    return drawn.length !== 1 || !drawn[0].querySelector('title')?.textContent || !drawn[0].querySelector('desc') \
      || drawn[0].querySelectorAll('path, circle').length < 3 || figure.querySelectorAll('tbody tr').length < 2; \
  }).map((figure) => figure.id)";

/// Asserts that all charts are complete and that no id occurs twice.
fn assert_complete(window: &Window, what: &str) {
    let count = window.value("document.querySelectorAll('figure').length");
    assert!(count.as_u64() > Some(0), "{what} has {count} charts");
    assert_eq!(window.value(INCOMPLETE), Value::Array(Vec::new()), "{what}");
    let twice = "(() => { const ids = [...document.querySelectorAll('[id]')].map((one) => one.id); \
                 return ids.filter((id, at) => ids.indexOf(id) !== at); })()";
    assert_eq!(window.value(twice), Value::Array(Vec::new()), "{what} has an id twice");
}

/// Asserts that axe-core, from where npm installs it, finds nothing serious or critical.
fn assert_accessible(window: &Window, what: &str) {
    let file = folder("axe").join("node_modules/axe-core/axe.min.js");
    let Ok(script) = fs::read_to_string(file) else {
        return left_out("what axe-core finds (npm install --prefix target/axe axe-core)");
    };
    window.run(&script);
    let found = window.value(
        "axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations \
         .filter(({impact}) => impact === 'serious' || impact === 'critical') \
         .map(({id, nodes}) => [id, ...nodes.slice(0, 4).map(({html, failureSummary}) => [html.slice(0, 200), failureSummary])]))",
    );
    assert_eq!(found, Value::Array(Vec::new()), "{what}");
}

#[test]
fn reports_are_whole_at_every_width_and_in_both_themes_and_on_paper() {
    let Some((browser, reports)) = browser_for(|| Some(reports())) else {
        return;
    };
    for (name, file) in reports {
        for theme in Theme::ALL {
            for width in WIDTHS {
                let what = format!("report-{name}-{}-{width}", theme.name());
                let window = Window::open(&browser, &address(file), width, theme);
                window.assert_fits(&what);
                assert_complete(&window, &what);
                window.picture(&what);
                if (theme, width) == (Theme::Light, 1440) {
                    let paper = window.printed();
                    assert!(paper.starts_with(b"%PDF-") && paper.len() > 20_000, "{what}");
                    let file = folder("screenshots").join(format!("{name}.pdf"));
                    fs::write(file, paper).expect("a file");
                }
                assert_accessible(&window, &what);
                window.close();
            }
        }
    }
}

#[test]
fn the_page_is_whole_at_every_width_and_in_both_themes_and_on_paper() {
    let Some((browser, page)) = browser_for(page) else {
        return;
    };
    let size = fs::metadata(page).expect("a file").len();
    assert!(size <= 800_000, "the page has {size} bytes");
    for theme in Theme::ALL {
        for width in WIDTHS {
            let what = format!("page-{}-{width}", theme.name());
            let window = Window::answered(&browser, &address(page), width, theme);
            window.assert_fits(&what);
            assert_complete(&window, &what);
            window.picture(&what);
            // A finger can hit every control: none is lower than 24 pixels.
            let low = window.value(
                "[...document.querySelectorAll('input, select, button, summary')] \
                 .filter((one) => one.offsetParent && one.type !== 'radio' && one.offsetHeight < 24).map((one) => one.id)",
            );
            assert_eq!(low, Value::Array(Vec::new()), "{what}");
            if (theme, width) == (Theme::Dark, 1440) {
                assert!(window.printed().starts_with(b"%PDF-"), "{what}");
            }
            assert_accessible(&window, &what);
            window.close();
        }
        let wrong = "type=average&grid=0..10&clients=1e4&epsilon=1&honest-fraction=2";
        let wrong = format!("{}#{wrong}", address(page));
        assert_accessible(&Window::answered(&browser, &wrong, 360, theme), "an error");
    }
}

//! Reports and the page at every width and in both themes.

use serde_json::Value;

use crate::files::{address, folder, page, reports};
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
                    std::fs::write(file, paper).expect("a file");
                }
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
    let size = std::fs::metadata(page).expect("a file").len();
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
            window.close();
        }
    }
}

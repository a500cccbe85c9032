//! A window of Chromium that notices errors and requests.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use headless_chrome::protocol::cdp::types::Event;
use headless_chrome::protocol::cdp::{Emulation, Log, Network, Page, Runtime};
use headless_chrome::{Browser, LaunchOptions, Tab};
use serde_json::{Value, from_value, json};

use crate::files::{folder, left_out};

/// The color scheme of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Theme {
    Light,
    Dark,
}

impl Theme {
    pub(crate) const ALL: [Self; 2] = [Self::Light, Self::Dark];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// Widths of windows in pixels: a telephone's and a desktop's.
pub(crate) const WIDTHS: [u32; 2] = [360, 1440];

/// The time limit of one step on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Chromium and the result of `made`; `None` without Chromium or that result. `made` runs first: it
/// may take minutes, and an idle browser is closed.
pub(crate) fn browser_for<T>(made: impl FnOnce() -> Option<T>) -> Option<(Browser, T)> {
    let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .map(Path::new)
        .into_iter()
        .find(|path| path.exists());
    let Some(path) = path else {
        left_out("everything in a browser: no Chromium (apt-get install chromium fonts-dejavu)");
        return None;
    };
    let made = made()?;
    let options = LaunchOptions::default_builder()
        .path(Some(path.to_owned()))
        .sandbox(false)
        .idle_browser_timeout(4 * PATIENCE)
        .args(vec![
            OsStr::new("--disable-gpu"),
            OsStr::new("--disable-quic"),
            OsStr::new("--disable-dev-shm-usage"),
            OsStr::new("--hide-scrollbars"),
        ])
        .build()
        .expect("options");
    Some((Browser::new(options).expect("Chromium starts"), made))
}

/// An open page, and its errors.
pub(crate) struct Window {
    tab: Arc<Tab>,
    /// Errors and requests so far, in words.
    problems: Arc<Mutex<Vec<String>>>,
}

impl Window {
    /// Opens an address and collects its errors from the beginning.
    pub(crate) fn open(browser: &Browser, address: &str, width: u32, theme: Theme) -> Self {
        let tab = browser.new_tab().expect("a tab");
        tab.set_default_timeout(PATIENCE);
        let problems = Arc::new(Mutex::new(Vec::new()));
        let noticed = Arc::clone(&problems);
        let own = address.split('#').next().unwrap_or_default().to_owned();
        tab.add_event_listener(Arc::new(move |event: &Event| {
            if let Some(problem) = problem(event, &own) {
                noticed.lock().expect("not poisoned").push(problem);
            }
        }))
        .expect("a listener");
        tab.call_method(Runtime::Enable(None)).expect("events");
        tab.call_method(Log::Enable(None)).expect("events");
        let network: Network::Enable = from_value(json!({})).expect("no parameter");
        tab.call_method(network).expect("events");
        let window = Self { tab, problems };
        window.resize(width, 900);
        window.set_theme(theme);
        window.tab.navigate_to(address).expect("an address");
        window.tab.wait_until_navigated().expect("a page");
        window
    }

    /// Opens the planner's page and waits for its answer.
    pub(crate) fn answered(browser: &Browser, address: &str, width: u32, theme: Theme) -> Self {
        let window = Self::open(browser, address, width, theme);
        window.wait_for_answer();
        window
    }

    /// Sets the size of the window, in pixels.
    fn resize(&self, width: u32, height: u32) {
        let is_mobile = width < 500;
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1.0, "mobile": is_mobile,
        });
        let size: Emulation::SetDeviceMetricsOverride = from_value(size).expect("a size");
        self.tab.call_method(size).expect("a size");
    }

    fn set_theme(&self, theme: Theme) {
        let scheme = json!({ "name": "prefers-color-scheme", "value": theme.name() });
        let media = json!({ "media": "screen", "features": [scheme] });
        let media: Emulation::SetEmulatedMedia = from_value(media).expect("a theme");
        self.tab.call_method(media).expect("a theme");
    }

    /// The value of an expression, which may be a promise.
    pub(crate) fn value(&self, expression: &str) -> Value {
        let text = format!("(async () => JSON.stringify(await ({expression})))()");
        let result = self.tab.evaluate(&text, true).expect(expression);
        let json = result.value.and_then(|value| value.as_str().map(str::to_owned));
        json.map_or(Value::Null, |json| serde_json::from_str(&json).expect("JSON"))
    }

    /// Runs statements.
    pub(crate) fn run(&self, script: &str) {
        self.tab.evaluate(script, false).expect("a script");
    }

    /// Waits until an expression is true.
    pub(crate) fn wait(&self, expression: &str) {
        let begin = Instant::now();
        while self.value(&format!("Boolean({expression})")) != Value::Bool(true) {
            let seen = || self.value("document.body.innerText.slice(0, 2000)");
            assert!(begin.elapsed() < PATIENCE, "never: {expression}\n{}", seen());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the planner has answered, or refused.
    pub(crate) fn wait_for_answer(&self) {
        self.wait("document.body.dataset.state === 'done'");
    }

    /// Asserts that nothing is wider than the window.
    pub(crate) fn assert_fits(&self, what: &str) {
        let wide = self.value(
            "(() => { const root = document.documentElement; \
             if (root.scrollWidth <= innerWidth) return []; \
             return [...document.querySelectorAll('body *')] \
               .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest('.scroll, pre')) \
               .map((one) => one.tagName + '.' + one.className + ' ' + one.getBoundingClientRect().right).slice(0, 9) \
               .concat([String(root.scrollWidth)]); })()",
        );
        assert_eq!(wide, Value::Array(Vec::new()), "{what} overflows");
    }

    /// Writes a picture of the whole page for a person to look at.
    pub(crate) fn picture(&self, name: &str) {
        let size = |text: &str| self.value(text).as_f64().expect("a size") as u32;
        let width = size("innerWidth");
        self.resize(width, size("document.documentElement.scrollHeight").min(15_000));
        let format = Page::CaptureScreenshotFormatOption::Png;
        let picture = self.tab.capture_screenshot(format, None, None, true);
        self.resize(width, 900);
        let file = folder("screenshots").join(format!("{name}.png"));
        std::fs::write(file, picture.expect("a picture")).expect("a file");
    }

    /// The page on paper, as PDF.
    pub(crate) fn printed(&self) -> Vec<u8> {
        self.tab.print_to_pdf(None).expect("a PDF")
    }

    /// Closes the window. Asserts that the page wrote nothing to the console, threw no exception
    /// and sent no request.
    pub(crate) fn close(self) {
        let problems = self.problems.lock().expect("not poisoned").clone();
        assert!(problems.is_empty(), "{problems:?}");
        let _ = self.tab.close(false);
    }
}

/// The error or foreign request in an event; `None` without. A page may load itself and own data.
fn problem(event: &Event, own: &str) -> Option<String> {
    match event {
        Event::RuntimeConsoleAPICalled(call) => Some(format!("console: {:?}", call.params.args)),
        Event::RuntimeExceptionThrown(thrown) => {
            Some(format!("exception: {:?}", thrown.params.exception_details))
        }
        Event::LogEntryAdded(entry) => Some(format!("log: {:?}", entry.params.entry)),
        Event::NetworkRequestWillBeSent(sent) => {
            let address = &sent.params.request.url;
            let is_own = address.split('#').next() == Some(own)
                || address.starts_with("blob:")
                || address.starts_with("data:");
            (!is_own).then(|| format!("request: {address}"))
        }
        _ => None,
    }
}

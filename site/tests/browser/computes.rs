//! The page gives the planner's answers and names a wrong field beside it; its address is a plan.

use dp_page::Page;
use serde_json::{Value, json};

use crate::files::{address, page};
use crate::window::{Theme, Window, browser_for};

/// Questions of every type, budget and option; some are refused.
const QUESTIONS: &str = "\
type=count&clients=1000&epsilon=1
type=count&clients=20000&epsilon=1/3&against=all-aggregators&if-all-collude=1
type=count&clients=10&epsilon=-1
type=sum:9&clients=1000&epsilon=2&delta=1e-6&releases=5&total=true
type=sum:1000&epsilon=0.5&margin=1%
type=average:80&clients=20000&rho=1/8&aggregators=3
type=average&grid=0..10/0.5&clients=1000&std=1%
type=sumvec:5:7&clients=1000&epsilon=0.1&delta=1e-9&adjacency=deletion
type=sumvec:5:7&clients=20000&rho=0.01&releases=2
type=histogram:2&clients=10&epsilon=8&delta=0
type=histogram:12&clients=20000&std=50&delta=1e-9
type=histogram:12&clients=1000&epsilon=1&against=all-aggregators
type=histogram:1&clients=1000&epsilon=1
type=histogram:64&for=percentiles&clients=20000&epsilon=1&delta=1e-8&releases=12&total=true
type=multihot:6:2&clients=20000&epsilon=2&delta=1e-6&honest-fraction=0.9
type=multihot:6:2&epsilon=2&margin=1%
type=l1boundsum:4:9&clients=1000&rho=1/8&total=true&releases=2
type=bars:3&clients=1000&epsilon=1";

/// A question as the page reads it from an address.
fn question(address: &str) -> Value {
    let fields = address.split('&').filter_map(|field| field.split_once('='));
    Value::Object(fields.map(|(name, text)| (name.to_owned(), json!(text))).collect())
}

/// Starts a worker of the page's own program, with a function that asks it.
const START: &str = "window.asking = (() => {
  const planner = document.getElementById('planner'), source = document.getElementById('worker').textContent;
  const worker = new Worker(URL.createObjectURL(new Blob([source + `
    onmessage = async ({data}) => {
      if (data.packed) return started = unpack(data.packed).then((bytes) => start(new WebAssembly.Module(bytes)));
      await started;
      postMessage({answer: page.ask(data.question)});
    };`])));
  worker.postMessage({packed: planner.textContent});
  return (question) => new Promise((resolve) => {
    worker.onmessage = ({data}) => { if (data.answer) resolve(data); };
    worker.postMessage({question});
  });
})();";

#[test]
fn questions_have_the_answers_of_the_planner() {
    let Some((browser, file)) = browser_for(page) else {
        return;
    };
    let window = Window::answered(&browser, &address(file), 1440, Theme::Light);
    window.run(START);
    let (mut native, mut answered) = (Page::new(), 0);
    for address in QUESTIONS.lines() {
        let question = question(address).to_string();
        let expected = native.ask(&question);
        let text = serde_json::to_string(&question).expect("JSON");
        let found = window.value(&format!("asking({text})"));
        assert_eq!(found["answer"], json!(expected), "{question}");
        answered += usize::from(expected.starts_with("{\"answer\""));
    }
    assert!(answered >= 12, "only {answered} have an answer");
    window.close();
}

#[test]
fn a_link_restores_its_state_and_a_changed_form_is_a_link() {
    let Some((browser, file)) = browser_for(page) else {
        return;
    };
    let link = "type=average&grid=0..10/0.5&clients=1000&aggregators=3&releases=4&rho=1/8&delta=1e-7&total=true\
                &against=one-aggregator&policy=average-gaussian";
    let window =
        Window::answered(&browser, &format!("{}#{link}", address(file)), 1440, Theme::Light);
    let shown = window.value(
        "['kind', 'grid', 'clients', 'aggregators', 'releases', 'measure', 'rho', 'delta', 'total'] \
         .map((id) => document.getElementById(id).value)",
    );
    assert_eq!(
        shown,
        json!(["average", "0..10/0.5", "1000", "3", "4", "rho", "1/8", "1e-7", "true"])
    );
    let chosen = "document.querySelector('input[name=policy]:checked').value";
    assert_eq!(window.value(chosen), "average-gaussian");
    let command = window.value("document.querySelector('.command').textContent");
    let command = command.as_str().expect("a command");
    assert!(
        command.starts_with("dp-cli plan --type average --grid 0..10/0.5 --clients 1000"),
        "{command}"
    );
    assert!(
        command.contains(" --total") && command.ends_with("--policy average-gaussian"),
        "{command}"
    );

    // A slider changes its number, and the address follows.
    window.run(
        "const slider = document.querySelector('[data-of=clients]'); slider.value = 5; \
         slider.dispatchEvent(new Event('input', {bubbles: true}));",
    );
    window.wait("location.hash.includes('clients=100000')");
    window.wait_for_answer();
    let question = window.value("document.querySelector('#result header').textContent");
    assert!(
        question.as_str().expect("a question").replace('\u{a0}', " ").contains("100 000 clients"),
        "{question}"
    );
    let address = window.value("location.href");
    let again =
        Window::answered(&browser, address.as_str().expect("an address"), 1440, Theme::Light);
    let answer = "document.querySelector('#result header').textContent";
    assert_eq!(again.value(answer), window.value(answer));
    again.close();
    window.close();
}

#[test]
fn an_error_stands_beside_its_field() {
    let Some((browser, file)) = browser_for(page) else {
        return;
    };
    for (link, field, control) in [
        ("type=bars:3&clients=10&epsilon=1", "type", "kind"),
        ("type=histogram:x&clients=10&epsilon=1", "type", "length"),
        ("type=sum&grid=9&clients=10&epsilon=1", "grid", "grid"),
        ("type=count&clients=1.5&epsilon=1", "clients", "clients"),
        (
            "type=count&clients=10&reports-per-client=11&epsilon=1",
            "reports-per-client",
            "reports-per-client",
        ),
        ("type=count&clients=10&epsilon=-1", "epsilon", "epsilon"),
        ("type=count&clients=10&std=0", "amount", "amount"),
        ("type=count&clients=10&margin=x", "amount", "amount"),
    ] {
        let window =
            Window::answered(&browser, &format!("{}#{link}", address(file)), 360, Theme::Light);
        let said = window.value(&format!(
            "(() => {{ const control = document.getElementById('{control}'); \
             const words = document.getElementById(control.getAttribute('aria-describedby')); \
             return [control.offsetParent !== null, control.getAttribute('aria-invalid'), \
               words?.closest('.field').dataset.field, words?.textContent]; }})()"
        ));
        assert_eq!(
            (&said[0], &said[1], &said[2]),
            (&json!(true), &json!("true"), &json!(field)),
            "{link}: {said}"
        );
        assert!(said[3].as_str().expect("words").contains(": expected "), "{said}");
        // A corrected field has no message.
        window.run("location.hash = 'type=count&clients=10&epsilon=1'");
        window.wait("document.querySelector('#ranked tbody tr')");
        window.wait_for_answer();
        let wrong = "document.querySelectorAll('[aria-invalid], .field .wrong').length";
        assert_eq!(window.value(wrong), 0);
        window.close();
    }
    // An error of no single field stands below the form.
    let link = format!("{}#type=count&clients=10", address(file));
    let window = Window::answered(&browser, &link, 360, Theme::Light);
    let said = window.value("document.getElementById('general').textContent");
    assert!(said.as_str().expect("words").starts_with("a target is missing"), "{said}");
    window.close();
}

#[test]
fn a_question_replaces_one_that_is_still_computed_and_files_are_offered() {
    let Some((browser, file)) = browser_for(page) else {
        return;
    };
    // After twenty slow questions in a row, the last one is answered.
    let window = Window::answered(&browser, &address(file), 1440, Theme::Light);
    window.run(
        "(async () => { for (let clients = 10; clients < 30; clients++) { \
           location.hash = `type=histogram:40&clients=${clients}000&epsilon=1&delta=1e-8&releases=30`; \
           await new Promise((next) => setTimeout(next, 30)); } \
           location.hash = 'type=count&clients=77&epsilon=1'; })()",
    );
    window.wait("document.querySelector('#result header')?.textContent.includes('77 clients')");
    window.wait_for_answer();
    window.run(
        "URL.createObjectURL = ((old) => (blob) => { blob.text().then((text) => window.offered = text); return old(blob); })(URL.createObjectURL);",
    );
    for (what, beginning) in [
        ("task", "{\n"),
        ("strategy", "{\"version\":1,"),
        ("report", "<!DOCTYPE html>"),
        ("document", "{\n  \"format\": \"dp-cli plan\""),
    ] {
        window.run(&format!(
            "window.offered = ''; document.querySelector('[data-download={what}]').click()"
        ));
        window.wait("window.offered !== ''");
        let text = window.value("window.offered");
        assert!(text.as_str().expect("a file").starts_with(beginning), "{what}: {text}");
        window
            .wait("document.getElementById('download-status').textContent.endsWith('is written.')");
    }
    window.close();
}

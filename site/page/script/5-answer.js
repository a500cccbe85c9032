// What is shown of an answer, and what is wrong with a question.

function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(attribute, "");
    else if (value !== false && value !== undefined) made.setAttribute(attribute, value);
  }
  made.append(...children);
  return made;
}

// Which field of the form holds a field of the question.
const HOLDERS = { std: "amount", margin: "amount" };

function showWrong(error) {
  for (const old of document.querySelectorAll(".field .wrong")) old.remove();
  for (const marked of document.querySelectorAll("[aria-invalid]")) {
    marked.removeAttribute("aria-invalid");
    marked.removeAttribute("aria-describedby");
  }
  const general = element("general");
  const field = error && fieldOf(HOLDERS[error.field] ?? error.field);
  general.hidden = !error || Boolean(field);
  general.textContent = error && !field ? error.message : "";
  if (!field) return;
  field.hidden = false;
  const folded = field.closest("details");
  if (folded) folded.open = true;
  const id = `${error.field}-wrong`;
  field.append(make("p", { class: "wrong", id, role: "alert" }, error.message));
  for (const control of field.querySelectorAll("input:not([type=range]), select")) {
    control.setAttribute("aria-invalid", "true");
    control.setAttribute("aria-describedby", id);
  }
}

// The policies that do the job: each can be looked at.
function policies({ errors: { columns, rows, legend } }, policy) {
  const head = columns.map(({ name, is_number: isNumber }) => {
    return make("th", { scope: "col", class: isNumber ? "number" : undefined }, name);
  });
  const isKnown = rows.some(([name]) => name === policy);
  const lines = rows.map(([name, ...cells], index) => {
    const isChosen = isKnown ? name === policy : index === 0;
    const button = make("input", { type: "radio", name: "policy", value: name, checked: isChosen });
    const label = make("label", {}, button, name);
    const rest = cells.map((cell, at) => {
      return make("td", { class: columns[at + 1].is_number ? "number" : undefined }, cell);
    });
    return make("tr", { class: isChosen ? "chosen" : undefined }, make("th", { scope: "row" }, label), ...rest);
  });
  return make("section", { id: "ranked", "aria-labelledby": "ranked-heading" },
    make("h2", { id: "ranked-heading" }, "Policies for this job, best first"),
    make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Policies for this job" },
      make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...lines))),
    make("p", { class: "legend" }, legend));
}

function nextSteps(question, policy) {
  const button = (what, label) => make("button", { type: "button", "data-download": what }, label);
  return make("section", { id: "next", "aria-labelledby": "next-heading" },
    make("h2", { id: "next-heading" }, "Take it with you"),
    make("div", { class: "buttons" },
      button("task", "Task file"), button("strategy", "Strategy for libprio"), button("report", "Report"),
      button("document", "Plan as JSON")),
    make("p", { id: "download-status", class: "legend", role: "status" }),
    make("p", { class: "label" }, "The same in a terminal"),
    make("pre", { class: "command", tabindex: "0", role: "region", "aria-label": "The command" },
      make("code", {}, commandOf(question, policy))));
}

function showAnswer(answer, question, policy) {
  const header = make("header", {},
    make("h2", { class: "small" }, "The question"),
    make("p", {}, answer.question),
    answer.scale ? make("p", {}, answer.scale) : "",
    make("div", { class: "answer" }, make("h2", { class: "small" }, "The answer"), make("p", {}, "…")));
  const parts = [header];
  if (answer.errors.rows.length > 0) {
    parts.push(policies(answer, policy), nextSteps(question, policy));
  }
  parts.push(make("div", { id: "report" }));
  element("result").replaceChildren(...parts);
}

// The report of one policy, by the planner's own templates. They escape what they are given, and the page's
// policy lets nothing in them run.
function showReport({ answer, sections }) {
  document.querySelector("#result .answer p").textContent = answer;
  element("report").innerHTML = sections;
}

function download({ name, type, text }) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// The fields of the form, and the question that they hold: texts by the names of the options of `plan`.

const element = (id) => document.getElementById(id);
const input = (name) => element(name);

// Fields that stand for themselves. What is empty has its default.
const PLAIN = [
  "for", "grid", "clients", "releases", "aggregators", "reports-per-client", "adjacency", "honest-fraction",
  "delta", "total", "if-all-collude",
];

// What each type asks for beside its name.
const TYPES = {
  count: {},
  sum: { maximum: "Largest number", isReal: true },
  average: { maximum: "Largest number", isReal: true },
  sumvec: { length: "Numbers in a vector", maximum: "Largest number", isReal: true },
  histogram: { length: "Buckets" },
  multihot: { length: "Choices", maximum: "At most so many of one person" },
  l1boundsum: { length: "Numbers in a vector", maximum: "Largest sum" },
};

const FIRST = { type: "histogram:12", clients: "100000", epsilon: "1" };

const radio = (name) => document.querySelector(`input[name="${name}"]:checked`)?.value ?? "";

function check(name, value) {
  for (const one of document.querySelectorAll(`input[name="${name}"]`)) one.checked = one.value === value;
}

// The text of `type`, of its name and its numbers.
function typeOf() {
  const kind = input("kind").value;
  const asks = TYPES[kind];
  if (!asks) return kind;
  const isOnGrid = asks.isReal && input("grid").value.trim() !== "";
  const parts = [kind];
  if (asks.length) parts.push(input("length").value.trim());
  if (asks.maximum && !isOnGrid) parts.push(input("maximum").value.trim());
  return parts.join(":");
}

// The question of the form.
function questionOf() {
  const given = radio("given");
  const question = { type: typeOf() };
  for (const name of PLAIN) question[name] = input(name).value.trim();
  question.against = radio("against");
  if (!TYPES[input("kind").value]?.isReal) question.grid = "";
  if (input("kind").value !== "histogram") question.for = "";
  if (given === "both") question.clients = "";
  if (given !== "accuracy") {
    const measure = input("measure").value;
    question[measure] = input(measure).value.trim();
  }
  if (given !== "budget") question[input("error").value] = input("amount").value.trim();
  return withoutDefaults(question);
}

function withoutDefaults(question) {
  const defaults = {
    for: "buckets", releases: "1", against: "one-aggregator", total: "false", adjacency: "replacement",
  };
  const given = Object.entries(question).filter(([name, text]) => text !== "" && text !== defaults[name]);
  return Object.fromEntries(given);
}

function fillType(text) {
  const [kind, ...numbers] = text.split(":");
  const asks = TYPES[kind];
  const select = input("kind");
  select.querySelector("[data-unknown]")?.remove();
  if (!asks || numbers.length > (asks.length ? 1 : 0) + (asks.maximum ? 1 : 0)) {
    // Not a type: the planner says so.
    const option = new Option(text, text);
    option.dataset.unknown = "";
    select.append(option);
    select.value = text;
    return;
  }
  select.value = kind;
  if (asks.length) input("length").value = numbers.shift() ?? "";
  if (asks.maximum) input("maximum").value = numbers.shift() ?? "";
}

// Shows a question in the form.
function fill(question) {
  for (const name of ["length", "maximum", "epsilon", "rho", "amount"]) input(name).value = "";
  for (const name of PLAIN) input(name).value = question[name] ?? "";
  input("releases").value ||= "1";
  if (question.total === "false") input("total").value = "";
  if (question.adjacency === "replacement") input("adjacency").value = "";
  if (question.for === "buckets") input("for").value = "";
  fillType(question.type ?? "");
  check("against", question.against ?? "one-aggregator");
  const measure = "rho" in question ? "rho" : "epsilon";
  input("measure").value = measure;
  input(measure).value = question[measure] ?? "";
  const accuracy = "std" in question ? "std" : "margin";
  input("error").value = accuracy;
  input("amount").value = question[accuracy] ?? "";
  const hasBudget = "epsilon" in question || "rho" in question;
  const hasAccuracy = "std" in question || "margin" in question;
  check("given", hasBudget && hasAccuracy ? "both" : hasAccuracy ? "accuracy" : "budget");
  if (question.aggregators || question["reports-per-client"] || question.adjacency
    || question["honest-fraction"]) {
    document.querySelector(".more").open = true;
  }
  arrange();
}

// Shows the fields that this question has.
function arrange() {
  const asks = TYPES[input("kind").value] ?? {};
  const given = radio("given");
  const isOnGrid = asks.isReal && input("grid").value.trim() !== "";
  show("of-length", Boolean(asks.length), asks.length);
  show("of-maximum", Boolean(asks.maximum) && !isOnGrid, asks.maximum);
  fieldOf("grid").hidden = !asks.isReal;
  fieldOf("for").hidden = input("kind").value !== "histogram";
  fieldOf("clients").hidden = given === "both";
  element("of-budget").hidden = given === "accuracy";
  element("of-accuracy").hidden = given === "budget";
  fieldOf("epsilon").hidden = input("measure").value !== "epsilon";
  fieldOf("rho").hidden = input("measure").value !== "rho";
  fieldOf("total").hidden = input("releases").value.trim() === "1" && input("total").value === "";
  arrangeSliders();
}

function show(id, isShown, label) {
  element(id).hidden = !isShown;
  if (isShown) element(id).querySelector("label").textContent = label;
}

const fieldOf = (name) => document.querySelector(`[data-field="${name}"]`);

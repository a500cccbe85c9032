// The page: a question is asked when a field changes, and answered when the planner is done.

let current = { question: {}, policy: undefined };
let waiting, ticking;

function status(words, isBusy) {
  element("status").textContent = words;
  document.body.classList.toggle("busy", isBusy);
  document.body.dataset.state = isBusy ? "busy" : "done";
  element("result").setAttribute("aria-busy", String(isBusy));
  clearInterval(ticking);
  element("progress").hidden = true;
  if (!isBusy) return;
  const begun = Date.now();
  ticking = setInterval(() => {
    element("seconds").textContent = `${Math.round((Date.now() - begun) / 1000)} s`;
    element("progress").hidden = false;
  }, 1000);
}

const planner = startPlanner((data) => {
  if (!data.module) document.body.classList.remove("stale");
  if (data.failure) return status(`The planner stopped: ${data.failure}`, false);
  if (data.error) {
    showWrong(data.error);
    element("result").replaceChildren();
    return status("There is no plan for this question yet.", false);
  }
  if (data.answer) {
    showWrong(undefined);
    showAnswer(data.answer, current.question, current.policy);
    status("Drawing the report.", true);
  }
  if (data.report !== undefined) {
    showReport(data.report);
    const count = document.querySelectorAll("#ranked tbody tr").length;
    status(count === 0 ? "No policy does this job." : `${count} policies do this job.`, false);
  }
  if (data.file) {
    element("download-status").textContent = data.file.error ?? `${data.file.name} is written.`;
    if (data.file.text) download(data.file);
  }
});

function ask() {
  status("Computing.", true);
  document.body.classList.add("stale");
  writeAddress(current.question, current.policy);
  planner.ask({ question: current.question, policy: current.policy });
}

// Asks for what the form holds now, when nothing has changed for a moment.
function changed() {
  arrange();
  current = { question: questionOf(), policy: undefined };
  clearTimeout(waiting);
  waiting = setTimeout(ask, 120);
}

function restore() {
  const given = readAddress();
  current = given ?? { question: FIRST, policy: undefined };
  fill(current.question);
  ask();
}

element("question").addEventListener("input", (event) => {
  if (event.target.type === "range") moved(event.target);
  changed();
});
element("question").addEventListener("submit", (event) => event.preventDefault());
element("result").addEventListener("change", (event) => {
  if (event.target.name !== "policy") return;
  current.policy = event.target.value;
  for (const row of event.target.closest("tbody").rows) row.classList.toggle("chosen", row.contains(event.target));
  document.querySelector(".command code").textContent = commandOf(current.question, current.policy);
  status("Drawing the report.", true);
  writeAddress(current.question, current.policy);
  planner.ask({ question: current.question, policy: current.policy });
});
element("result").addEventListener("click", (event) => {
  const what = event.target.dataset?.download;
  if (!what) return;
  element("download-status").textContent = "Writing.";
  planner.write({ file: what, question: current.question, policy: current.policy });
});
element("cancel").addEventListener("click", () => {
  planner.cancel();
  document.body.classList.remove("stale");
  status("Cancelled. A change of any field asks again.", false);
});
addEventListener("hashchange", () => {
  if (location.hash !== "#answer") restore();
});
restore();

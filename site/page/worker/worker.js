// Answers questions: first the plan, which is ranked at once, then the report about the policy that is looked
// at, for which curves are computed. Each part of an answer has the number of its question.

let program, page, asked;

function start(module) {
  program = wasm_bindgen.initSync({ module });
  page = new wasm_bindgen.Page();
  postMessage({ module });
}

// Plans, unless that is what was planned last.
function plan(question) {
  const text = JSON.stringify(question);
  if (text === asked) return {};
  asked = undefined;
  const planned = JSON.parse(page.ask(text));
  if (planned.answer) asked = text;
  return planned;
}

onmessage = ({ data }) => {
  if (data.module) return start(data.module);
  if (data.packed) return start(new WebAssembly.Module(unpack(data.packed, data.size)));
  const { number, question, policy, file } = data;
  const { answer, error } = plan(question);
  if (error) return postMessage({ number, error, isDone: true });
  if (file) return postMessage({ number, file: JSON.parse(page.file(file, policy)), isDone: true });
  if (answer) postMessage({ number, answer });
  return postMessage({ number, report: JSON.parse(page.report(policy)), isDone: true });
};

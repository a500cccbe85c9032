// Answers questions: first the plan, which is ranked at once, then the report about the policy that is looked
// at, for which curves are computed. Each part of an answer has the number of its question.

let program, page, asked, started;

// The page holds the program as gzip in base64.
function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

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

onmessage = async ({ data }) => {
  if (data.module) return start(data.module);
  if (data.packed) {
    started = unpack(data.packed).then((bytes) => start(new WebAssembly.Module(bytes)));
    return started;
  }
  await started;
  const { number, question, policy, file } = data;
  const { answer, error } = plan(question);
  if (error) return postMessage({ number, error, isDone: true });
  if (file) return postMessage({ number, file: JSON.parse(page.file(file, policy)), isDone: true });
  if (answer) postMessage({ number, answer });
  return postMessage({ number, report: JSON.parse(page.report(policy)), isDone: true });
};

// What an asynchronous step throws, as the page expects it: an error of the worker.
onunhandledrejection = ({ reason }) => setTimeout(() => { throw reason; });

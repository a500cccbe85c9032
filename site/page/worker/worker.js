// Answers questions: first the plan, which is ranked at once, then the report about the policy that is looked
// at, for which curves are computed. Each part of an answer has the number of its question.

let page, asked;

function start(module) {
  wasm_bindgen.initSync({ module });
  page = new wasm_bindgen.Page();
  postMessage({ module });
}

// Plans, unless that is what was planned last.
function plan(question) {
  const text = JSON.stringify(question);
  if (text === asked) return undefined;
  asked = undefined;
  const answer = JSON.parse(page.ask(text));
  if (!answer.error) asked = text;
  return answer;
}

onmessage = ({ data }) => {
  if (data.module) return start(data.module);
  if (data.packed) return start(new WebAssembly.Module(unpack(data.packed, data.size)));
  const { number, question, policy, download, isKnown } = data;
  const answer = plan(question);
  if (answer?.error) return postMessage({ number, error: answer.error, isDone: true });
  if (download) {
    const file = JSON.parse(page.file(download, policy));
    return postMessage({ number, file, isDone: true });
  }
  if (!isKnown && !answer) postMessage({ number, answer: JSON.parse(page.answer()) });
  if (answer) postMessage({ number, answer: answer.answer });
  postMessage({ number, report: page.report(policy), isDone: true });
};

// The planner runs in a worker, so that the page never freezes. A question replaces the one before: a worker
// that still computes is ended, and the next one takes the compiled program over.

function startPlanner(receive) {
  const source = URL.createObjectURL(new Blob([element("worker").textContent], { type: "text/javascript" }));
  let module, worker, isBusy = false, number = 0;

  // Ends a worker that computes; before the program is compiled, it goes on.
  function stop() {
    if (isBusy && module) {
      worker.terminate();
      start();
    }
    number += 1;
  }

  function start() {
    worker = new Worker(source);
    worker.onmessage = ({ data }) => {
      if (data.module) module = data.module;
      if (data.number !== undefined && data.number !== number) return;
      if (data.isDone) isBusy = false;
      receive(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      worker.terminate();
      isBusy = false;
      receive({ failure: event.message });
      start();
    };
    worker.postMessage(module ? { module } : { packed: element("planner").textContent });
  }

  start();
  return {
    // The answer to a question, in parts: see worker.js.
    ask(request) {
      stop();
      isBusy = true;
      worker.postMessage({ ...request, number });
    },
    // The answer to the last question is no longer wanted.
    cancel() {
      stop();
      isBusy = false;
    },
    // A file of the answer, after what is still computed.
    write(request) {
      worker.postMessage({ ...request, number });
    },
  };
}

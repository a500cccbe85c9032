// The state is in the address: a link is a plan.

// The question of the address and the policy that is looked at; nothing if the address has none.
function readAddress() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  if (![...parameters.keys()].length || location.hash === "#answer") return undefined;
  const policy = parameters.get("policy") ?? undefined;
  parameters.delete("policy");
  return { question: Object.fromEntries(parameters), policy };
}

function writeAddress(question, policy) {
  const parameters = new URLSearchParams(question);
  if (policy) parameters.set("policy", policy);
  // Readable where a link may have the characters as they are.
  const text = parameters.toString().replaceAll("%3A", ":").replaceAll("%2F", "/");
  history.replaceState(null, "", `#${text}`);
}

// The same question for a terminal.
function commandOf(question, policy) {
  const word = (text) => /^[\w.:\/%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
  const options = Object.entries(question).flatMap(([name, text]) => {
    return name === "total" ? (text === "true" ? ["--total"] : []) : [`--${name} ${word(text)}`];
  });
  if (policy) options.push(`--policy ${word(policy)}`);
  return ["dp-cli plan", ...options].join(" ");
}

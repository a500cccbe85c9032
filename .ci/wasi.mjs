// Runs a program of the target wasm32-wasip1: node .ci/wasi.mjs PROGRAM [ARGUMENTS]. It sees no environment but
// what is passed on here, and the repository's folder at its own path.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [program, ...rest] = process.argv.slice(2);
const { PROPTEST_RNG_SEED, PROPTEST_CASES, RUST_BACKTRACE } = process.env;
const passed = Object.entries({ PROPTEST_RNG_SEED, PROPTEST_CASES, RUST_BACKTRACE });
const wasi = new WASI({
  version: "preview1",
  args: [program, ...rest],
  env: Object.fromEntries(passed.filter(([, value]) => value !== undefined)),
  preopens: { "/": "/" },
});
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);

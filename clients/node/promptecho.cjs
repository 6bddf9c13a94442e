// A helper for vitest, jest and node:test: under `promptecho serve -cassettes DIR`, each test has a
// cassette of its own. It is a set-up file where beforeEach and afterEach are global:
//
//	jest.config.js:   module.exports = { setupFilesAfterEnv: ["promptecho-serve"] }
//	vitest.config.js: export default { test: { globals: true, setupFiles: ["promptecho-serve"] } }
//
// Elsewhere it is given them, before clients are made:
//
//	import { afterEach, beforeEach } from "node:test"; // or "vitest"
//	import promptecho from "promptecho-serve";
//	promptecho({ beforeEach, afterEach });
//
// A request that has no recording, and a recording that was not used, fail the test, with the
// report. It needs nothing but Node.js, 18 or later.
"use strict";

const http = require("node:http");
const path = require("node:path");
const { threadId } = require("node:worker_threads");

const serve = process.env.PROMPTECHO_URL;
const by = `node-${process.pid}-${threadId}`;

module.exports = promptecho;
if (typeof globalThis.beforeEach === "function") promptecho({ beforeEach, afterEach });

// promptecho gives each test of this file a cassette. mode is the record mode, if not that of serve.
function promptecho({ beforeEach, afterEach, mode = "" }) {
  if (!serve) throw new Error("run the tests under promptecho serve: promptecho serve -cassettes cassettes -- npm test");
  if (!process.env.PROMPTECHO_PATHS) return; // all tests have one cassette
  for (const [name, upstream] of Object.entries(JSON.parse(process.env.PROMPTECHO_PATHS))) {
    process.env[name] = `${serve}/in/${by}${upstream}`;
  }
  let open = []; // with the parts of a test, which have the cassette of the whole
  beforeEach(async (...context) => {
    const test = describe(context[0]);
    const whole = open.find((other) => test.name.startsWith(other.name + "/"));
    if (whole) return;
    const body = { mode, command: test.command, by: test.concurrent ? "" : by };
    const cassette = await ask("POST", "/cassettes/" + encodeURIComponent(test.name), body);
    open.push(test);
    if (context[0]) context[0].promptecho = cassette;
  });
  afterEach(async (...context) => {
    const { name } = describe(context[0]);
    if (!open.some((test) => test.name === name)) return;
    open = open.filter((test) => test.name !== name);
    const { passed, skipped } = describe(context[0]);
    const report = await ask("DELETE", `/cassettes/${encodeURIComponent(name)}?passed=${passed}&skipped=${skipped}`);
    if (report.ok) return;
    if (!passed && context[0] && context[0].diagnostic) {
      for (const line of report.text.split("\n")) context[0].diagnostic(line); // node:test shows one error
      return;
    }
    const error = new Error("promptecho: " + report.text);
    error.stack = error.message; // no line of this file matters
    throw error;
  });
}

// describe says what is known of a test: its name, behind that of its file, how it ended, and the
// command that runs only it.
function describe(context) {
  const exactly = (name) => "^" + name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "$";
  if (context && context.task) {
    const { task } = context; // of vitest
    const names = [];
    for (let t = task; t && t !== task.file; t = t.suite) if (t.name) names.unshift(t.name);
    const state = task.result && task.result.state;
    const command = ["npx", "vitest", "run", task.file.name, "-t", exactly(names.join(" "))];
    return { name: [task.file.name, ...names].join("/"), concurrent: task.concurrent, passed: state !== "fail", skipped: state === "skip", command };
  }
  if (context) {
    const file = path.relative(process.cwd(), process.argv[1]); // of node:test
    const command = ["node", "--test", "--test-name-pattern", exactly(context.name), file];
    return { name: file + "/" + (context.fullName || context.name).replaceAll(" > ", "/"), passed: context.passed !== false, skipped: false, command };
  }
  const { currentTestName, testPath } = globalThis.expect.getState(); // of jest
  const file = path.relative(process.cwd(), testPath);
  const key = Object.getOwnPropertySymbols(globalThis).find((symbol) => symbol.description === "JEST_STATE_SYMBOL");
  const running = key && globalThis[key].currentlyRunningTest;
  return { name: file + "/" + currentTestName, passed: !running || running.errors.length === 0, skipped: false, command: ["npx", "jest", file, "-t", exactly(currentTestName)] };
}

// ask asks promptecho serve, by node:http: a test may have replaced fetch.
function ask(method, target, body) {
  return new Promise((resolve, reject) => {
    const request = http.request(serve + target, { method, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part) => (text += part));
      response.on("end", () => {
        const answer = JSON.parse(text);
        if (response.statusCode === 200) resolve(answer);
        else reject(new Error(answer.error));
      });
    });
    request.on("error", reject);
    request.end(body && JSON.stringify(body));
  });
}

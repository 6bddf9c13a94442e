import { afterEach, beforeEach, test } from "node:test"; // in a set-up file, from "vitest"
import assert from "node:assert";
import promptecho from "promptecho-serve";
promptecho({ beforeEach, afterEach });

test("capital", async () => { // clients that read OPENAI_BASE_URL need no change
  const answer = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: "Bearer " + process.env.OPENAI_API_KEY },
    body: JSON.stringify({ model: "gpt-5.4-mini", messages: [{ role: "user", content: "What is the capital of France?" }] }),
  });
  assert.match(await answer.text(), /capital/);
});

// A client of server-everything with the SDK for Node.js. It starts the command that its arguments
// are, and prints what it sees, in the order of its calls.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const [command, ...args] = process.argv.slice(2);
const transport = new StdioClientTransport({ command, args, env: process.env });
const client = new Client(
  { name: "traveller", version: "1.0.0" },
  { capabilities: { sampling: {}, elicitation: {}, roots: {} } },
);
client.setRequestHandler(CreateMessageRequestSchema, (request) => ({
  model: "gpt-traveller",
  role: "assistant",
  content: { type: "text", text: "An answer to " + request.params.messages[0].content.text },
}));
client.setRequestHandler(ElicitRequestSchema, () => ({ action: "decline" }));
client.setRequestHandler(ListRootsRequestSchema, () => ({
  roots: [{ uri: "file:///travels", name: "travels" }],
}));

// call calls a tool, and returns its result and its progress.
async function call(name, args, onprogress) {
  const result = await client.callTool({ name, arguments: args }, undefined, { onprogress });
  return name + ": " + result.content.map((block) => block.text).join(" ");
}

// operation calls the long operation, and returns its result after its progress. The SDK drops the
// last progress if the result comes in the same piece of the pipe, so it is left out.
async function operation(steps) {
  const progress = [];
  const result = await call("trigger-long-running-operation", { duration: 0.2, steps }, (p) => {
    if (p.progress < p.total) progress.push(`${p.progress}/${p.total}`);
  });
  return progress.join(" ") + " " + result;
}

await client.connect(transport);
const tools = await client.listTools();
console.log(tools.tools.map((tool) => tool.name).join(" "));
const calls = [1, 2, 3, 4].map(operation);
calls.push(call("get-sum", { a: 1, b: 2 }));
calls.push(call("get-sum", { a: "one" }).catch((err) => err.message));
calls.push(call("trigger-sampling-request", { prompt: "Hello" }));
calls.push(call("trigger-elicitation-request", {}));
for (const line of await Promise.all(calls)) {
  console.log(line);
}
const resource = await client.readResource({ uri: "demo://resource/dynamic/text/7" });
console.log(resource.contents[0].text);
const completion = await client.complete({
  ref: { type: "ref/prompt", name: "completable-prompt" },
  argument: { name: "department", value: "S" },
});
console.log(completion.completion.values.join(" "));
console.log(await call("echo", { message: process.env.MESSAGE ?? "Hello" }).catch((err) => err.message));
await client.close();

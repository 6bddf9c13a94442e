// Starts an MCP server, whose script is the argument, and calls its tool, which searches the web.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const client = new Client({ name: "programs", version: "1" });
await client.connect(new StdioClientTransport({
  command: process.execPath,
  args: [process.argv[2]],
  env: process.env,
}));
const result = await client.callTool({ name: "brave_web_search", arguments: { query: "a page" } });
console.log(JSON.stringify(result));
await client.close();

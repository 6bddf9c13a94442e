// A conversation through the official client of OpenAI, by text and by audio. It prints all events.
import { randomInt, randomUUID } from "node:crypto";
import { connect } from "node:net";
import OpenAI from "openai";
import { OpenAIRealtimeWS } from "openai/realtime/ws";

const instructions = process.argv[2];
const client = new OpenAI(); // with OPENAI_BASE_URL and OPENAI_API_KEY

// The client asks for wss:// at any base URL. The listener of promptecho serve has no TLS.
const options = { createConnection: ({ port, host }) => connect(port, host) };
const rt = new OpenAIRealtimeWS({ model: "gpt-realtime", options }, client);

const audio = Buffer.from("audio of the user ".repeat(100));
let responses = 0;

rt.on("event", (event) => console.log(JSON.stringify(event)));
rt.on("error", (err) => {
  console.log("error: " + err.message);
  process.exitCode = 1;
});
rt.socket.on("close", (code, reason) => console.log(`closed with ${code} ${reason}`));

rt.on("session.created", () => {
  rt.send({ type: "session.update", event_id: randomUUID(), session: { type: "realtime", instructions } });
});
rt.on("session.updated", () => {
  const content = [{ type: "input_text", text: "hello" }];
  rt.send({ type: "conversation.item.create", item: { id: "item_" + randomUUID().slice(0, 8), type: "message", role: "user", content } });
  rt.send({ type: "response.create" });
});
rt.on("response.done", () => {
  responses++;
  if (responses === 2) return rt.close();
  for (let i = 0; i < audio.length; ) {
    const size = randomInt(50, 200); // a microphone cuts differently in each run
    rt.send({ type: "input_audio_buffer.append", audio: audio.subarray(i, i + size).toString("base64") });
    i += size;
  }
  rt.send({ type: "response.create" });
});

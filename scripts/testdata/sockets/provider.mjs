// A provider with WebSockets: OpenAI's Realtime API at /v1/realtime, and a chat elsewhere. It prints
// its port, and ends when its standard input does.
import { randomUUID } from "node:crypto";
import { WebSocketServer } from "ws";

const server = new WebSocketServer({
  host: "127.0.0.1",
  port: 0,
  perMessageDeflate: true,
  handleProtocols: (offered) => (offered.has("chat.v2") ? "chat.v2" : false),
});

server.on("listening", () => console.log(server.address().port));
process.stdin.resume().on("end", () => process.exit());

server.on("connection", (socket, request) => {
  if (request.url.startsWith("/v1/realtime")) realtime(socket);
  else chat(socket);
});

function realtime(socket) {
  const send = (event) => socket.send(JSON.stringify({ event_id: "event_" + randomUUID(), ...event }));
  let text = "";
  let audio = 0;
  send({ type: "session.created", session: { id: "sess_" + randomUUID(), type: "realtime" } });
  socket.on("message", (data) => {
    const event = JSON.parse(data);
    switch (event.type) {
      case "session.update":
        send({ type: "session.updated", session: { type: "realtime", instructions: event.session.instructions } });
        break;
      case "conversation.item.create":
        text = event.item.content[0].text;
        break;
      case "input_audio_buffer.append":
        audio += Buffer.from(event.audio, "base64").length;
        break;
      case "response.create": {
        const id = "resp_" + randomUUID();
        send({ type: "response.created", response: { id } });
        for (const delta of `You said ${text} and ${audio} bytes.`.split(" ")) {
          send({ type: "response.output_text.delta", response_id: id, item_id: "item_1", output_index: 0, content_index: 0, delta });
        }
        send({ type: "response.done", response: { id, status: "completed" } });
      }
    }
  });
}

function chat(socket) {
  let messages = [];
  socket.on("message", (data, isBinary) => {
    messages.push(isBinary ? data.length : JSON.parse(data).text);
    if (messages.length < 8) return;
    socket.ping();
    socket.send(JSON.stringify({ id: randomUUID(), messages: messages.map(String).sort() }));
    socket.send(Buffer.from([0, 0xff, 0xfe]));
    socket.close(4001, "enough");
  });
}

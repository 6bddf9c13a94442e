// Eight messages through ws, with a subprotocol, compression, a ping and bytes. It prints all that
// it receives, and how the connection is closed.
import { WebSocket } from "ws";

const text = process.argv[2];
const address = process.env.OPENAI_BASE_URL.replace("http", "ws") + "/chat";
const socket = new WebSocket(address, ["chat.v1", "chat.v2"], { perMessageDeflate: true });

socket.on("open", () => {
  console.log(`protocol ${socket.protocol}`);
  socket.ping();
  const order = [0, 1, 2, 3, 4, 5, 6].sort(() => Math.random() - 0.5); // as of tasks that run at once
  for (const n of order) socket.send(JSON.stringify({ n, text: `${text} ${n}` }));
  socket.send(Buffer.from([1, 0xff, 3]));
});
socket.on("message", (data, isBinary) => console.log(isBinary ? data.toString("hex") : data.toString()));
socket.on("error", (err) => {
  console.log("error: " + err.message);
  process.exitCode = 1;
});
socket.on("close", (code, reason) => {
  console.log(`closed with ${code} ${reason}`);
  if (code !== 4001) process.exitCode = 1;
});

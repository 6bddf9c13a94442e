// Asks a web service with what Node.js has: fetch, https and WebSocket.
import https from "node:https";
import "./fetch.mjs";

const response = await new Promise((resolve, reject) => {
  https.get("https://api.example.com/text", resolve).on("error", reject);
});
for await (const piece of response) console.log(String(piece));

const socket = new WebSocket("wss://api.example.com/socket");
await new Promise((resolve, reject) => {
  socket.onerror = reject;
  socket.onopen = () => socket.send("first");
  socket.onmessage = (event) => {
    console.log(event.data);
    resolve();
  };
});
socket.close();

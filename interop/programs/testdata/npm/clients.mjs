// Programs with HTTP clients of npm. The argument is the name of a program.
import https from "node:https";

const programs = {
  async axios() {
    const { default: axios } = await import("axios");
    const answer = await axios.post("https://api.example.com/echo", { a: 1 });
    console.log(answer.data);
  },

  async "node-fetch"() {
    const { default: fetch } = await import("node-fetch");
    const answer = await fetch("https://api.example.com/text");
    console.log(await answer.text());
  },

  async undici() {
    const { fetch } = await import("undici");
    const answer = await fetch("https://api.example.com/text");
    console.log(await answer.text());
  },

  // Without an agent, ws reads no variables of a proxy.
  async ws() {
    const { default: WebSocket } = await import("ws");
    const agent = new https.Agent({ proxyEnv: process.env });
    const socket = new WebSocket("wss://api.example.com/socket", { agent });
    await new Promise((resolve, reject) => {
      socket.onerror = reject;
      socket.onopen = () => socket.send("first");
      socket.onmessage = (event) => {
        console.log(event.data);
        resolve();
      };
    });
    socket.close();
  },
};

await programs[process.argv[2]]();

// Asks a web service with fetch, and prints each piece of a stream as it arrives.
const stream = await fetch("https://api.example.com/events");
for await (const piece of stream.body.pipeThrough(new TextDecoderStream())) console.log(piece);

const answer = await fetch("https://api.example.com/echo", { method: "POST", body: "question" });
console.log(answer.status, await answer.text());

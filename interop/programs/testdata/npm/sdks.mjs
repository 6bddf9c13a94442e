// Programs with the SDKs of model providers. Each asks a model twice, as the documentation of the
// SDK shows it: for a stream, whose events it prints as they arrive, and for a whole answer. The
// argument is the name of a program.
const question = "Hello from a program.";

const programs = {
  async openai() {
    const { default: OpenAI } = await import("openai");
    const client = new OpenAI();
    const messages = [{ role: "user", content: question }];
    const stream = await client.chat.completions.create({ model: "m", messages, stream: true });
    for await (const event of stream) print(event);
    print(await client.chat.completions.create({ model: "m", messages }));
    const responses = await client.responses.create({ model: "m", input: question, stream: true });
    for await (const event of responses) print(event);
  },

  async anthropic() {
    const { default: Anthropic } = await import("@anthropic-ai/sdk");
    const client = new Anthropic();
    const params = { model: "m", max_tokens: 100, messages: [{ role: "user", content: question }] };
    for await (const event of client.messages.stream(params)) print(event);
    print(await client.messages.create(params));
  },

  async genai() {
    const { GoogleGenAI } = await import("@google/genai");
    const { models } = new GoogleGenAI({ apiKey: process.env.GEMINI_API_KEY });
    const request = { model: "m", contents: question };
    for await (const event of await models.generateContentStream(request)) print(event.candidates);
    const answer = await models.generateContent(request);
    print(answer.candidates); // its headers have the date of the replay
  },

  async mistral() {
    const { Mistral } = await import("@mistralai/mistralai");
    const client = new Mistral({ apiKey: process.env.MISTRAL_API_KEY });
    const request = { model: "m", messages: [{ role: "user", content: question }] };
    for await (const event of await client.chat.stream(request)) print(event);
    print(await client.chat.complete(request));
  },

  async cohere() {
    const { CohereClientV2 } = await import("cohere-ai");
    const client = new CohereClientV2({ token: process.env.CO_API_KEY });
    const request = { model: "m", messages: [{ role: "user", content: question }] };
    for await (const event of await client.chatStream(request)) print(event);
    print(await client.chat(request));
  },

  // AWS's SDK reads no variables of a proxy. It is led by AWS_ENDPOINT_URL_BEDROCK_RUNTIME, or by an
  // agent that reads the variables.
  async bedrock() {
    await askBedrock({});
  },

  async "bedrock with an agent"() {
    const { Agent } = await import("node:https");
    const { NodeHttpHandler } = await import("@smithy/node-http-handler");
    const httpsAgent = new Agent({ proxyEnv: process.env });
    await askBedrock({ requestHandler: new NodeHttpHandler({ httpsAgent }) });
  },
};

// askBedrock asks a model of Bedrock. The options are those of the client.
async function askBedrock(options) {
  const sdk = await import("@aws-sdk/client-bedrock-runtime");
  const client = new sdk.BedrockRuntimeClient(options);
  const messages = [{ role: "user", content: [{ text: question }] }];
  const request = { modelId: "anthropic.claude-x-v1:0", messages };
  const { stream } = await client.send(new sdk.ConverseStreamCommand(request));
  for await (const event of stream) print(event);
  const { output } = await client.send(new sdk.ConverseCommand(request));
  print(output);
}

function print(value) {
  console.log(JSON.stringify(value));
}

await programs[process.argv[2]]();

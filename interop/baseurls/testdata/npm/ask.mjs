// ask.mjs NAME asks a question with an SDK that knows nothing but its environment, and prints
// the answer.
const prompt = "Hello from Node.js.";
const messages = [{ role: "user", content: prompt }];
const chat = { model: "m", messages };

const text = (completion) => completion.choices[0].message.content;

const ask = {
  async openai() {
    const { OpenAI } = await import("openai");
    return text(await new OpenAI().chat.completions.create(chat));
  },
  // With AZURE_OPENAI_ENDPOINT, the client refuses OPENAI_BASE_URL unless it is given a baseURL.
  async azure() {
    const { AzureOpenAI } = await import("openai");
    const baseURL = process.env.AZURE_OPENAI_ENDPOINT + "/openai";
    return text(await new AzureOpenAI({ apiVersion: "2024-10-21", baseURL }).chat.completions.create(chat));
  },
  async langchain() {
    const { ChatOpenAI } = await import("@langchain/openai");
    return (await new ChatOpenAI({ model: "m" }).invoke(prompt)).content;
  },
  async groq() {
    const { Groq } = await import("groq-sdk");
    return text(await new Groq().chat.completions.create(chat));
  },
  async together() {
    const { Together } = await import("together-ai");
    return text(await new Together().chat.completions.create(chat));
  },
  async cerebras() {
    const { Cerebras } = await import("@cerebras/cerebras_cloud_sdk");
    return text(await new Cerebras({ warmTCPConnection: false }).chat.completions.create(chat));
  },
  async perplexity() {
    const { Perplexity } = await import("@perplexity-ai/perplexity_ai");
    return text(await new Perplexity().chat.completions.create(chat));
  },
  async openrouter() {
    const { OpenRouter } = await import("@openrouter/sdk");
    return text(await new OpenRouter().chat.send({ chatRequest: chat }));
  },
  async genai() {
    const { GoogleGenAI } = await import("@google/genai");
    return (await new GoogleGenAI({}).models.generateContent({ model: "m", contents: prompt })).text;
  },
  async anthropicBedrock() {
    const { AnthropicBedrock } = await import("@anthropic-ai/bedrock-sdk");
    const answer = await new AnthropicBedrock().messages.create({ ...chat, max_tokens: 100 });
    return answer.content[0].text;
  },
  async anthropicMantle() {
    const { AnthropicBedrockMantle } = await import("@anthropic-ai/bedrock-sdk");
    const answer = await new AnthropicBedrockMantle().messages.create({ ...chat, max_tokens: 100 });
    return answer.content[0].text;
  },
  async bedrock() {
    const { BedrockRuntimeClient, ConverseCommand } = await import("@aws-sdk/client-bedrock-runtime");
    const input = { modelId: "m", messages: [{ role: "user", content: [{ text: prompt }] }] };
    const answer = await new BedrockRuntimeClient().send(new ConverseCommand(input));
    return answer.output.message.content[0].text;
  },
  async bedrockAgent() {
    const { BedrockAgentRuntimeClient, RetrieveCommand } = await import("@aws-sdk/client-bedrock-agent-runtime");
    const input = { knowledgeBaseId: "KBOFPROMPT", retrievalQuery: { text: prompt } };
    const answer = await new BedrockAgentRuntimeClient().send(new RetrieveCommand(input));
    return answer.retrievalResults[0].content.text;
  },
  async vercelBedrock() {
    const { generateText } = await import("ai");
    const { bedrock } = await import("@ai-sdk/amazon-bedrock");
    return (await generateText({ model: bedrock("m"), prompt })).text;
  },
};

console.log(await ask[process.argv[2]]());

// npm `@modelcontextprotocol/client` 2. By default it uses the legacy handshake; with NEGOTIATION=auto it sends
// `server/discover` first. Over stdio, it starts a second gateway for that; over HTTP, it uses the same one.
// It does not end its session when it closes, so that the tests cover such clients, too.

import { Client, ProtocolError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { isUrl, RpcError, run } from "./checks.mjs";

const mode = process.env.NEGOTIATION ?? "legacy";
const client = new Client({ name: "real-clients", version: "1.0.0" }, { versionNegotiation: { mode } });

await run({
  async connect(target) {
    const [command, ...args] = target;
    await client.connect(isUrl(target) ? new StreamableHTTPClientTransport(new URL(command)) : new StdioClientTransport({ command, args }));
    return client.getNegotiatedProtocolVersion();
  },
  close: () => client.close(),
  listTools: async () => (await client.listTools()).tools,
  async call(name, args, options) {
    try {
      return await client.callTool({ name, arguments: args }, options);
    } catch (error) {
      if (error instanceof ProtocolError) throw new RpcError(error.code, error.message);
      throw error;
    }
  },
  listPrompts: async () => (await client.listPrompts()).prompts.map((prompt) => prompt.name),
  getPrompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages[0].content.text,
  listResources: async () => (await client.listResources()).resources.map((resource) => resource.uri),
  readResource: async (uri) => (await client.readResource({ uri })).contents[0].text,
});

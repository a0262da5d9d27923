// npm `@modelcontextprotocol/client` 2. By itself it speaks the legacy handshake; with NEGOTIATION=auto it starts
// a second gateway, asks that one `server/discover`, and starts the one it uses when it knows the era.

import { Client, ProtocolError } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { RpcError, run } from "./checks.mjs";

const mode = process.env.NEGOTIATION ?? "legacy";
const client = new Client({ name: "real-clients", version: "1.0.0" }, { versionNegotiation: { mode } });

await run({
  async connect([command, ...args]) {
    await client.connect(new StdioClientTransport({ command, args }));
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

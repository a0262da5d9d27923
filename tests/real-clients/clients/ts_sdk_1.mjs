// npm `@modelcontextprotocol/sdk` 1: the legacy handshake. It validates structured results with Ajv, failures too.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpError } from "@modelcontextprotocol/sdk/types.js";

import { isUrl, RpcError, run } from "./checks.mjs";

const client = new Client({ name: "real-clients", version: "1.0.0" });
let transport;

await run({
  async connect(target) {
    const [command, ...args] = target;
    transport = isUrl(target) ? new StreamableHTTPClientTransport(new URL(command)) : new StdioClientTransport({ command, args });
    let version;
    // The client reports the negotiated version only to its transport.
    const setVersion = transport.setProtocolVersion;
    transport.setProtocolVersion = (agreed) => {
      version = agreed;
      setVersion?.call(transport, agreed);
    };
    await client.connect(transport);
    return version;
  },
  async close() {
    // Ends the session with a DELETE, because `close` does not.
    await transport.terminateSession?.();
    await client.close();
  },
  listTools: async () => (await client.listTools()).tools,
  async call(name, args, options) {
    try {
      return await client.callTool({ name, arguments: args }, undefined, options);
    } catch (error) {
      if (error instanceof McpError) throw new RpcError(error.code, error.message);
      throw error;
    }
  },
  listPrompts: async () => (await client.listPrompts()).prompts.map((prompt) => prompt.name),
  getPrompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages[0].content.text,
  listResources: async () => (await client.listResources()).resources.map((resource) => resource.uri),
  readResource: async (uri) => (await client.readResource({ uri })).contents[0].text,
});

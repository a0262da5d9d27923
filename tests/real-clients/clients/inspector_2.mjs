// npm `@modelcontextprotocol/inspector` 2 with `--cli`: a process per request, which connects, sends and disconnects.
// If a tool fails, the process exits with status 5 and a message on standard error, and still prints the result.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";

import { run } from "./checks.mjs";

const [node22, inspector] = ["node/bin/node", "@modelcontextprotocol/inspector/clients/launcher/build/index.js"].map(
  (path) => new URL(`../inspector/node_modules/${path}`, import.meta.url).pathname,
);
// The Inspector needs Node 22. If npm runs no package scripts, the Node package beside it is not installed.
const node = existsSync(node22) ? node22 : process.execPath;
const TOOL_FAILED = 5;
let url;

async function request(method, ...options) {
  const commandLine = [inspector, "--cli", url, "--method", method, "--format", "json", ...options];
  const child = spawn(node, commandLine, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  const [status, out, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (out === "" || ![0, TOOL_FAILED].includes(status)) throw new Error(`status ${status}: ${errors}`);
  return JSON.parse(out).result;
}

await run({
  async connect([target]) {
    url = target;
    return (await request("initialize")).protocolVersion;
  },
  async close() {},
  listTools: async () => (await request("tools/list")).tools,
  call: (name, args) => request("tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(args)),
  listPrompts: async () => (await request("prompts/list")).prompts.map((prompt) => prompt.name),
  async getPrompt(name, args) {
    const pairs = Object.entries(args).flatMap(([key, value]) => ["--prompt-args", `${key}=${value}`]);
    return (await request("prompts/get", "--prompt-name", name, ...pairs)).messages[0].content.text;
  },
  listResources: async () => (await request("resources/list")).resources.map((resource) => resource.uri),
  readResource: async (uri) => (await request("resources/read", "--uri", uri)).contents[0].text,
});

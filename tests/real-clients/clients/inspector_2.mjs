// npm `@modelcontextprotocol/inspector` 2 with `--cli`: a process for each question, which connects, asks and leaves.
// It ends with status 5 and a word on standard error when a tool's result is a failure, and prints the result all the same.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";

import { run } from "./checks.mjs";

const [node22, inspector] = ["node/bin/node", "@modelcontextprotocol/inspector/clients/launcher/build/index.js"].map(
  (path) => new URL(`../inspector/node_modules/${path}`, import.meta.url).pathname,
);
// The Inspector needs Node 22. Where npm runs no scripts of packages, the one beside it is not there.
const node = existsSync(node22) ? node22 : process.execPath;
const TOOL_FAILED = 5;
let url;

async function ask(method, ...options) {
  const words = [inspector, "--cli", url, "--method", method, "--format", "json", ...options];
  const child = spawn(node, words, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  const [status, out, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (out === "" || ![0, TOOL_FAILED].includes(status)) throw new Error(`status ${status}: ${errors}`);
  return JSON.parse(out).result;
}

await run({
  async connect([target]) {
    url = target;
    return (await ask("initialize")).protocolVersion;
  },
  async close() {},
  listTools: async () => (await ask("tools/list")).tools,
  call: (name, args) => ask("tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(args)),
  listPrompts: async () => (await ask("prompts/list")).prompts.map((prompt) => prompt.name),
  async getPrompt(name, args) {
    const pairs = Object.entries(args).flatMap(([key, value]) => ["--prompt-args", `${key}=${value}`]);
    return (await ask("prompts/get", "--prompt-name", name, ...pairs)).messages[0].content.text;
  },
  listResources: async () => (await ask("resources/list")).resources.map((resource) => resource.uri),
  readResource: async (uri) => (await ask("resources/read", "--uri", uri)).contents[0].text,
});

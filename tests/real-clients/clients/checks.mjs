// The checks for all TypeScript clients, with the same behaviour as checks.py, which documents them.
// cases/*.json has the expected values.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

const CHECK_MS_MAX = 15_000;
// The SDKs close a server's input and wait two seconds before they send signals.
const CLOSE_MS_MAX = 1_900;

/** A JSON-RPC error, as the client raised it. */
export class RpcError extends Error {
  constructor(code, message) {
    super(`${code} ${message}`);
    this.code = code;
  }
}

/** The failure of a check. */
class Failed extends Error {}

/** Usage: client.mjs CASES SCRATCH TARGET, where TARGET is a URL or COMMAND...; CHECKS in the environment picks some. */
export async function run(client) {
  const [casesPath, scratch, ...target] = process.argv.slice(2);
  const cases = JSON.parse(readFileSync(casesPath, "utf8").replaceAll("{scratch}", scratch));
  const picked = process.env.CHECKS?.split(",");
  for (const [name, given] of Object.entries(cases)) {
    if (picked && !picked.includes(name)) continue;
    const ok = await runCheck(client, name, name === "connect" ? target : given);
    if (name === "connect" && !ok) break;
  }
  process.exit(0);
}

/** Returns whether a client connects over HTTP, instead of starting a command. */
export function isUrl(target) {
  return /^https?:/.test(target[0]);
}

async function runCheck(client, name, given) {
  try {
    const note = await within(CHECK_MS_MAX, CHECKS[given.kind ?? name](client, given));
    report(name, true, note);
    return true;
  } catch (error) {
    report(name, false, error instanceof Failed ? error.message : `the client raised ${error?.name}: ${error?.message ?? error}`);
    return false;
  }
}

async function within(ms, promise) {
  const timer = new AbortController();
  const late = sleep(ms, null, { signal: timer.signal }).then(() => {
    throw new Failed(`no response in ${ms / 1000} s`);
  });
  late.catch(() => {});
  return Promise.race([promise, late]).finally(() => timer.abort());
}

function report(check, ok, reason) {
  const line = { check, ok };
  if (reason) line.reason = String(reason).slice(0, 600);
  console.log(JSON.stringify(line));
}

const CHECKS = {
  connect: (client, target) => client.connect(target),

  async close(client) {
    const started = performance.now();
    await client.close();
    const ms = performance.now() - started;
    expect(ms < CLOSE_MS_MAX, `it took ${seconds(ms)}: the gateway did not exit when its input closed, or kept a session open`);
    return seconds(ms);
  },

  async list(client, given) {
    const tools = await client.listTools();
    const names = tools.map((tool) => tool.name);
    const missing = given.tools.filter((name) => !names.includes(name));
    expect(missing.length === 0, `not listed: ${missing}`);
    for (const { name, outputSchema, _meta } of tools) {
      // An MCP App reads structuredContent itself, so the gateway forwards its tool unchanged.
      if (_meta?.ui) continue;
      expect(outputSchema !== undefined, `${name} has no outputSchema`);
      expect(outputSchema.type === "object", `${name}: the root of outputSchema has type ${outputSchema.type}`);
      expect("success" in (outputSchema.properties ?? {}), `${name}: outputSchema is not the envelope's`);
      expect(!("x-fastmcp-wrap-result" in outputSchema), `${name}: outputSchema asks FastMCP to unwrap the envelope`);
      expect(!("$id" in outputSchema), `${name}: the root of outputSchema has an $id`);
    }
  },

  async call(client, given) {
    checkData(successData(await client.call(given.tool, given.arguments)), given);
  },

  // Both SDKs have validated the result against the listed schema by now.
  structured: (client, given) => CHECKS.call(client, given),

  async error(client, given) {
    const called = await client.call(given.tool, given.arguments);
    const envelope = checkEnvelope(called);
    expect(called.isError && !envelope.success, `not a failure: ${brief(envelope)}`);
    const code = envelope.data.error_code;
    expect(typeof code === "string" && code !== "", `no data.error_code: ${brief(envelope)}`);
    expect((given.code ?? code) === code, `error_code is ${code}, expected ${given.code}`);
    expect(envelope.error.includes(given.says ?? ""), `error is ${brief(envelope.error)}`);
    return code;
  },

  async "unknown-tool"(client) {
    let called;
    try {
      called = await client.call("no-such-tool", {});
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      expect(error.code === -32602, `the JSON-RPC error is ${error.message}`);
      return;
    }
    throw new Failed(`a result instead of a JSON-RPC error: ${brief(called.structuredContent)}`);
  },

  async image(client, given) {
    const called = await client.call(given.tool, given.arguments);
    successData(called);
    const block = called.content[1];
    expect(block !== undefined, "no block after the envelope");
    expect(block.type === "image", `content[1] is ${brief(block)}`);
    expect(block.mimeType?.startsWith("image/"), `mimeType is ${block.mimeType}`);
    expect(block.data?.length > 0, "the image is empty");
  },

  async blocks(client, given) {
    const called = await client.call(given.tool, given.arguments);
    successData(called);
    const types = called.content.map((block) => block.type);
    expect(isDeepStrictEqual(types, given.types), `the blocks are ${types}`);
  },

  async progress(client, given) {
    const seen = [];
    successData(await client.call(given.tool, given.arguments, { onprogress: ({ progress }) => seen.push(progress) }));
    for (let i = 0; i < 20 && seen.length < given.at_least; i++) await sleep(50);
    expect(seen.length >= given.at_least, `progress was reported ${seen.length} times: ${seen}`);
    expect(isDeepStrictEqual(seen, [...seen].sort((a, b) => a - b)), `progress out of order: ${seen}`);
  },

  async overlap(client, given) {
    let slowIsDone = false;
    const slow = client.call(given.slow.tool, given.slow.arguments).finally(() => (slowIsDone = true));
    slow.catch(() => {});
    await sleep(50);
    await CHECKS.call(client, given.quick);
    expect(!slowIsDone, "the quick call waited for the slow one");
    successData(await slow);
  },

  async crowd(client, given) {
    const messages = Array.from({ length: given.calls }, (_, i) => `${process.pid}-${i}`);
    const results = await Promise.all(messages.map((message) => client.call(given.tool, { message })));
    results.forEach((called, i) => {
      const text = successData(called).result;
      expect(text === given.says + messages[i], `the response to ${messages[i]} is ${brief(text)}`);
    });
  },

  async cancel(client, given) {
    const abort = new AbortController();
    const slow = client.call(given.tool, given.arguments, { signal: abort.signal }).then(
      (called) => `a result: ${brief(called.structuredContent)}`,
      () => null,
    );
    await sleep(300);
    // Aborting makes the SDK send notifications/cancelled, or close the stream of a modern HTTP request.
    abort.abort("the user pressed escape");
    const unexpected = await slow;
    expect(unexpected === null, `the cancelled call gave ${unexpected}`);
    const started = performance.now();
    await sleep(200);
    await CHECKS.call(client, given.then);
    expect(performance.now() - started < 5_000, "the next call waited for the cancelled one");
  },

  async prompts(client, given) {
    const names = await client.listPrompts();
    const missing = given.names.filter((name) => !names.includes(name));
    expect(missing.length === 0, `not listed: ${missing}`);
    const text = await client.getPrompt(given.get, given.arguments);
    expect(text.includes(given.text), `the prompt is ${brief(text)}`);
  },

  async resources(client, given) {
    const uris = await client.listResources();
    const missing = given.uris.filter((uri) => !uris.includes(uri));
    expect(missing.length === 0, `not listed: ${missing}; listed: ${uris.slice(0, 3)}`);
    const text = await client.readResource(given.read);
    expect(text.includes(given.text), `the resource is ${brief(text)}`);
  },

  async "contract-none"(client, given) {
    const untouched = (await client.listTools()).find((tool) => tool.name === given.untouched);
    expect(untouched.outputSchema === undefined, `${given.untouched} was given an outputSchema`);
    const { structuredContent, content } = await client.call(given.tool, given.arguments);
    expect(isDeepStrictEqual(structuredContent, given.structured), `structuredContent is ${brief(structuredContent)}`);
    expect(isDeepStrictEqual(JSON.parse(content[0].text), given.structured), `content[0] is ${brief(content[0])}`);
  },
};

function successData(called) {
  const envelope = checkEnvelope(called);
  expect(envelope.success && !called.isError, `not a success: ${brief(envelope)}`);
  return envelope.data;
}

/** Checks that the result is an envelope of response-v2, and the same as text. */
function checkEnvelope({ structuredContent: envelope, content, isError = false }) {
  expect(isObject(envelope), `structuredContent is not an object: ${brief(envelope)}`);
  const keys = Object.keys(envelope);
  expect(isDeepStrictEqual(keys, ["success", "data", "error", "meta"]), `the envelope's keys are ${keys}`);
  expect(isObject(envelope.data), "data is not an object");
  expect((envelope.error === null) === envelope.success, "error is null exactly when success is true");
  expect(envelope.meta?.version === "response-v2", `meta is ${brief(envelope.meta)}`);
  expect(isError === !envelope.success, `isError is ${isError}, success ${envelope.success}`);
  expect(content[0]?.type === "text", "content[0] is not text");
  expect(isDeepStrictEqual(JSON.parse(content[0].text), envelope), "content[0] and structuredContent differ");
  return envelope;
}

function checkData(data, given) {
  for (const [key, value] of Object.entries(given.data ?? {})) {
    expect(isDeepStrictEqual(data[key], value), `data.${key} is not ${brief(value)}: ${brief(data)}`);
  }
  expect(JSON.stringify(data).includes(given.contains ?? ""), `"${given.contains}" is not in ${brief(data)}`);
}

function expect(holds, reason) {
  if (!holds) throw new Failed(reason);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function brief(value) {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length <= 300 ? text : `${text.slice(0, 300)}...`;
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

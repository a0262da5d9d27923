// A server with everything that the conformance suite's scenarios need, in both eras of MCP.
//
//   node fixture.mjs http [PORT] [ERA]   streamable HTTP on 127.0.0.1; prints its URL (PORT 0, the default: a free one)
//   node fixture.mjs stdio [ERA]         one message per line on standard input and output
//
// ERA is `both` (the default), or `legacy` or `modern`: the server then does not support the other era.
import { serveHttp } from './fixture/http.mjs';
import { serveStdio } from './fixture/stdio.mjs';

const [transport = 'http', ...rest] = process.argv.slice(2);
const era = rest.at(-1)?.match(/^(both|legacy|modern)$/)?.[0] ?? 'both';

if (transport === 'stdio') {
  serveStdio(era);
} else if (transport === 'http') {
  const url = await serveHttp(Number.parseInt(rest[0] ?? '0', 10) || 0, era);
  process.stdout.write(`listening on ${url}\n`);
} else {
  process.stderr.write(`error: no transport \`${transport}\`\nhint: http [PORT] [ERA] or stdio [ERA]\n`);
  process.exitCode = 2;
}

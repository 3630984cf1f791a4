import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { Command } from 'commander';
import { tell } from '../../output.ts';
import { readClientSettings, rootOf } from '../../settings.ts';

export function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('let an assistant make images: MCP on standard input and output')
    .addHelpText('after', '\nAssistants start this themselves; docs/guides/mcp.md has their settings.')
    .action(bridge);
}

async function bridge(): Promise<void> {
  const { url, key } = await readClientSettings(process.env);
  // Imported here, so that other commands do not load these packages.
  const [{ StreamableHTTPClientTransport }, { StdioServerTransport }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('@modelcontextprotocol/server/stdio'),
  ]);
  const headers = { authorization: `Bearer ${key}` };
  const there = new StreamableHTTPClientTransport(mcpOf(url), { requestInit: { headers } });
  const here = new StdioServerTransport();
  const failed = (error: Error) => tell(`darkroom: ${error.message}`);

  there.onmessage = (message) => void here.send(message).catch(failed);
  here.onmessage = (message) =>
    void there.send(message).catch((error: Error) => {
      failed(error);
      return 'id' in message && 'method' in message
        ? here.send(refusal(message, error)).catch(failed)
        : undefined;
    });
  here.onclose = () => void there.close().catch(failed);
  await there.start();
  await here.start();
}

function mcpOf(url: string): URL {
  const address = rootOf(url);
  address.pathname = `${address.pathname.replace(/\/$/, '')}/mcp`;
  return address;
}

const serverError = -32_000;

/** Answers a request that did not reach the server, or was refused, so that the assistant does not wait. */
function refusal({ id }: { id: string | number }, error: Error): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: serverError, message: error.message } };
}

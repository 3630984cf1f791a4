import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
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

  // Of requests without an answer yet.
  const asked = new Set<RequestId>();

  there.onmessage = (message) => {
    if ('id' in message && !('method' in message) && message.id !== undefined) asked.delete(message.id);
    void here.send(message).catch(failed);
  };
  here.onmessage = (message) => {
    const id = 'id' in message && 'method' in message ? message.id : undefined;
    if (id !== undefined) asked.add(id);
    const end = (error: Error) => {
      if (id !== undefined && asked.delete(id)) void here.send(refusal(id, error)).catch(failed);
    };
    const onRequestStreamEnd = () => end(new Error(brokeOff));
    there.send(message, { onRequestStreamEnd }).catch((error: Error) => {
      failed(error);
      end(error);
    });
  };
  here.onclose = () => void there.close().catch(failed);
  await there.start();
  await here.start();
}

function mcpOf(url: string): URL {
  const address = rootOf(url);
  address.pathname = `${address.pathname.replace(/\/$/, '')}/mcp`;
  return address;
}

const brokeOff =
  'The connection to the server broke off before it answered. It may have done what was asked.';
const serverError = -32_000;

/** Answers a request that the server did not get, refused, or left unanswered, so that the assistant does not wait. */
function refusal(id: RequestId, error: Error): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: serverError, message: error.message } };
}

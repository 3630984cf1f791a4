import { once } from 'node:events';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, openMember } from '../../server/test/panel/browser.ts';
import type { World } from '../../server/test/world/world.ts';
import { preparePython } from '../python.ts';

/** Runs FastMCP, whose browser is a person who is signed in and allows what is asked. */
export async function signInWithFastMcp(
  world: World,
  run: (command: string, args: readonly string[], env: NodeJS.ProcessEnv) => Promise<unknown>,
): Promise<void> {
  const bin = await preparePython('fastmcp==4.2.3');
  const person = await openMember(world, { email: 'ada@example.com' });
  const opened = createServer(async (incoming, outgoing) => {
    const { searchParams } = new URL(incoming.url ?? '', 'http://browser');
    outgoing.end();
    await allow(world, person, new URL(searchParams.get('at') ?? ''));
  }).listen(0, '127.0.0.1');
  await once(opened, 'listening');
  const { port } = opened.address() as AddressInfo; // it listens on a port
  await using place = await mkdtempDisposable(join(tmpdir(), 'darkroom-browser-'));
  const browser = join(place.path, 'browser');
  const script = `#!/bin/sh\nexec curl -sG --data-urlencode "at=$1" http://127.0.0.1:${port}/\n`;
  await writeFile(browser, script, { mode: 0o700 });
  try {
    const client = join(import.meta.dirname, 'fastmcp_client.py');
    await run(join(bin, 'python'), [client, world.url], { ...process.env, BROWSER: `${browser} %s` });
  } finally {
    opened.close();
  }
}

/** What the page does after a click, and where the browser goes then. */
async function allow({ accountId }: World, person: Browser, asked: URL): Promise<void> {
  const page = await person.send('GET', asked.pathname + asked.search);
  if (page.status !== 200) throw new Error(`the page of the sign-in answers ${page.status}`);
  const { scope: _unused, ...request } = Object.fromEntries(asked.searchParams);
  const { return_to } = await person.call('POST /panel/accounts/:account_id/grants', {
    params: { account_id: accountId },
    body: { ...request, models: null },
  });
  await fetch(return_to);
}

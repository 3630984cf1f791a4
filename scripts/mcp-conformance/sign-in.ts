import { once } from 'node:events';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, openMember } from '../../server/test/panel/browser.ts';
import type { World } from '../../server/test/world/world.ts';
import { preparePython } from '../python.ts';

export const programs = {
  FastMCP: { requirement: 'fastmcp==4.2.3', script: 'fastmcp_client.py' },
  'OpenAI Agents': { requirement: 'openai-agents==0.24.0', script: 'openai_agents_client.py' },
};

export async function signIn(
  world: World,
  name: keyof typeof programs,
  run: (command: string, args: readonly string[], env: NodeJS.ProcessEnv) => Promise<unknown>,
): Promise<void> {
  const { requirement, script: program } = programs[name];
  const bin = await preparePython(requirement);
  const person = await openMember(world, { email: `${program}@example.com` });
  let allowed = Promise.resolve();
  const opened = createServer((incoming, outgoing) => {
    const { searchParams } = new URL(incoming.url ?? '', 'http://browser');
    outgoing.end();
    allowed = allow(world, person, new URL(searchParams.get('at') ?? ''));
    allowed.catch(() => {}); // awaited below
  }).listen(0, '127.0.0.1');
  await once(opened, 'listening');
  const { port } = opened.address() as AddressInfo; // it listens on a port
  await using place = await mkdtempDisposable(join(tmpdir(), 'darkroom-browser-'));
  const browser = join(place.path, 'browser');
  const script = `#!/bin/sh\nexec curl -sG --data-urlencode "at=$1" http://127.0.0.1:${port}/\n`;
  await writeFile(browser, script, { mode: 0o700 });
  try {
    await run(join(bin, 'python'), [join(import.meta.dirname, program), world.url], {
      ...process.env,
      BROWSER: `${browser} %s`,
    });
    await allowed;
  } finally {
    opened.close();
  }
}

/** Approves the sign-in as the page's button does, then opens the URL to which the page sends the browser. */
async function allow({ accountId }: World, person: Browser, asked: URL): Promise<void> {
  const page = await person.send('GET', asked.pathname + asked.search);
  if (page.status !== 200) throw new Error(`the page of the sign-in answers ${page.status}`);
  const { scope: _unused, ...request } = Object.fromEntries(asked.searchParams);
  const { return_to } = await person.call('POST /panel/accounts/:account_id/grants', {
    params: { account_id: accountId },
    body: { ...request, models: null },
  });
  // Retries, because programs begin to listen only after they open the browser. A person would still be reading then.
  for (let tries = 0; tries < 50; tries += 1) {
    const answer = await fetch(return_to).catch(() => undefined);
    if (answer) return;
    await sleep(200);
  }
  throw new Error('the program does not listen where it sent the browser');
}

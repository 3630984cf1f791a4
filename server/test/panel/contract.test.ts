import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { screens } from '../../src/web/api/screens/screens.ts';
import { panelCalls } from '../../src/web/panel/panel-calls.ts';

const panelFolder = resolve(import.meta.dirname, '../../src/web/panel');

test('every call of the contract is served, and nothing else', async () => {
  const contracts = await Array.fromAsync(glob('*/contract.ts', { cwd: panelFolder }), (file) =>
    readFile(join(panelFolder, file), 'utf8'),
  );
  const calls = contracts.flatMap((text) =>
    [...text.matchAll(/^ {2}'((?:GET|POST) \/panel\/[^']+)'/gm)].map(([, call]) => call),
  );
  // Their types come from the table itself.
  const ofPages = screens({} as Parameters<typeof screens>[0]);
  calls.push(...ofPages.map(({ method, path }) => `${method} ${path}`));
  // Routes only store their dependencies; no handler runs here.
  const routes = panelCalls({ installation: {} } as Parameters<typeof panelCalls>[0]);
  assert.deepEqual(routes.map(({ method, path }) => `${method} ${path}`).sort(), calls.sort());
});

test('every call is for a person, a member or an operator, except those that begin a session', async () => {
  const routes = panelCalls({ installation: {} } as Parameters<typeof panelCalls>[0]);
  const open = routes.filter(({ access }) => access === 'anyone').map(({ path }) => path);
  assert.deepEqual(open.sort(), [
    '/panel/links/look',
    '/panel/links/open',
    '/panel/sign-in',
    '/panel/sign-in',
    '/panel/sign-in/captcha',
    '/panel/sign-in/code',
    '/panel/sign-in/forgotten',
    '/panel/sign-in/oidc',
    '/panel/sign-in/passkey',
    '/panel/sign-in/passkey/offer',
    '/panel/sign-in/reset',
    '/panel/sign-up',
    '/panel/sign-up/confirm',
    '/panel/sign-up/oidc',
    '/panel/sign-up/oidc/look',
    '/panel/sign-up/passkey',
    '/panel/sign-up/passkey/offer',
  ]);
  for (const { path, access } of routes) {
    if (path.startsWith('/panel/operator/')) assert.equal(access, 'operator', path);
    if (path.startsWith('/panel/accounts/')) assert.equal(access, 'account', path);
  }
});

import cookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import { createGrantSealer } from '../../accounts/grants/program.ts';
import { deriveAuthKeys } from '../../accounts/sign-in/auth-keys.ts';
import { createAuthenticatorSeals } from '../../accounts/sign-in/authenticator-seals.ts';
import { createSeals } from '../../accounts/sign-in/seals.ts';
import type { Entrance } from '../api/entrance.ts';
import { type RegisterDeps, registerCalls } from '../api/register-calls.ts';
import { bindPanel } from './bind-panel.ts';
import { registerStableLinks } from './jobs/stable-links.ts';
import { panelCalls } from './panel-calls.ts';
import type { PanelDeps } from './panel-deps.ts';
import { registerOidcReturn } from './people/oidc-calls.ts';

export type OpenPanelDeps = Omit<PanelDeps, 'seals' | 'grantSealer' | 'authenticators'> &
  RegisterDeps & {
    entrance: Entrance;
    /** The secrets that also sign links. A key derived from the first signs, and keys derived from any verify. */
    secrets: readonly string[];
  };

export async function openPanel(
  server: FastifyInstance,
  { secrets, entrance, ...base }: OpenPanelDeps,
): Promise<void> {
  const { database, log } = base;
  const deps: PanelDeps & RegisterDeps = {
    ...base,
    seals: createSeals(secrets),
    grantSealer: createGrantSealer(secrets),
    authenticators: createAuthenticatorSeals(database, deriveAuthKeys(secrets)),
  };
  const { renewed, unreadable } = await deps.authenticators.renewAll();
  if (renewed > 0) log.info('authenticators.renewed', { authenticators: renewed });
  if (unreadable > 0) log.warn('authenticators.unreadable', { authenticators: unreadable });
  await server.register(async (scope) => {
    await scope.register(cookie);
    registerCalls(
      scope,
      panelCalls(deps).map((call) => bindPanel(call, deps)),
      deps,
    );
    registerOidcReturn(scope, deps);
  });
  registerStableLinks(server, { ...deps, entrance });
}

import cookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import { createGrantSealer } from '../../accounts/grants/program.ts';
import { createSeals } from '../../accounts/sign-in/seals.ts';
import type { Entrance } from '../api/entrance.ts';
import { type RegisterDeps, registerCalls } from '../api/register-calls.ts';
import { bindPanel } from './bind-panel.ts';
import { registerStableLinks } from './jobs/stable-links.ts';
import { panelCalls } from './panel-calls.ts';
import type { PanelDeps } from './panel-deps.ts';
import { registerOidcReturn } from './people/oidc-calls.ts';

export type OpenPanelDeps = Omit<PanelDeps, 'seals' | 'grantSealer'> &
  RegisterDeps & {
    entrance: Entrance;
    /** The secrets that also sign links. A key derived from the first signs, and keys derived from any verify. */
    secrets: readonly string[];
  };

export async function openPanel(
  server: FastifyInstance,
  { secrets, entrance, ...base }: OpenPanelDeps,
): Promise<void> {
  const deps: PanelDeps & RegisterDeps = {
    ...base,
    seals: createSeals(secrets),
    grantSealer: createGrantSealer(secrets),
  };
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

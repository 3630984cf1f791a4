import type { Guard } from '../../../../base/guard/guard.ts';
import { invalidField } from '../../../../errors.ts';
import type { Connection } from '../../../../upstream/connections/connection.ts';
import { credentialsFor } from '../../../../upstream/providers/given-credentials.ts';
import { type ConnectableForm, probeConnection } from '../../../../upstream/providers/probe-connection.ts';
import { connectables, isConnectable } from '../../../../upstream/providers/providers.ts';
import { type ConnectionCheck, presentCheck } from '../../nouns/connections/connection-json.ts';

export interface TryDeps {
  guard: Guard;
  readConnections(): Promise<ReadonlyMap<string, Connection>>;
  closing: AbortSignal;
}

interface Details {
  provider: string;
  base_url?: string;
  key?: string;
  name?: string;
}

/** Sends a connection's stored key only to that connection's address. */
export async function tryDetails(
  deps: TryDeps,
  { provider, base_url: baseUrl, key, name }: Details,
): Promise<ConnectionCheck> {
  const known =
    name === undefined || key !== undefined ? undefined : (await deps.readConnections()).get(name);
  const stored =
    known?.provider === provider && known.credential !== undefined
      ? [{ credentials: known.credential, addresses: [known.baseUrl] }]
      : [];
  const used = key ?? credentialsFor(provider, baseUrl, stored);
  return presentCheck(
    await probeConnection({ provider: readProvider(provider), baseUrl, key: used }, deps.guard, deps.closing),
  );
}

function readProvider(provider: string): ConnectableForm['provider'] {
  if (isConnectable(provider)) return provider;
  throw invalidField('/provider', `must be one of ${connectables.join(', ')}.`);
}

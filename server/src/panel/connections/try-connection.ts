import { invalidField } from '../../errors.ts';
import { credentialsFor } from '../../providers/given-credentials.ts';
import { type ConnectableForm, type ProbeResult, probeConnection } from '../../providers/probe-connection.ts';
import { connectables, isConnectable } from '../../providers/providers.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { ConnectionDetails, ConnectionTrial } from './contract.ts';

type Deps = Pick<PanelDeps, 'readConnections' | 'guard' | 'closing'>;

/**
 * Tries what a person has typed. The stored key of a connection goes only to the address for which it was given.
 */
export async function tryDetails(
  deps: Deps,
  { provider, base_url: baseUrl, key, name }: ConnectionDetails & { name?: string },
): Promise<ConnectionTrial> {
  const known =
    name === undefined || key !== undefined ? undefined : (await deps.readConnections()).get(name);
  const stored =
    known?.provider === provider && known.credential !== undefined
      ? [{ credentials: known.credential, addresses: [known.baseUrl] }]
      : [];
  const used = key ?? credentialsFor(provider, baseUrl, stored);
  return presentTrial(
    await probeConnection({ provider: readProvider(provider), baseUrl, key: used }, deps.guard, deps.closing),
  );
}

function readProvider(provider: string): ConnectableForm['provider'] {
  if (isConnectable(provider)) return provider;
  throw invalidField('/provider', `must be one of ${connectables.join(', ')}.`);
}

export function presentTrial(result: ProbeResult): ConnectionTrial {
  if (!result.ok) return result;
  return { ok: true, base_url: result.baseUrl ?? null, models: [...result.models] };
}

import type { Guard } from '../../base/guard/guard.ts';
import { AppError } from '../../errors.ts';
import { type ProbeResult, probeConnection } from '../providers/probe-connection.ts';
import type { Connection } from './connection.ts';

export async function findConnection(
  { readConnections }: { readConnections(): Promise<ReadonlyMap<string, Connection>> },
  name: string,
): Promise<Connection> {
  const connection = (await readConnections()).get(name);
  if (!connection) throw new AppError('not_found', `There is no connection "${name}".`);
  return connection;
}

/** Asks the provider whether it accepts our key. Makes no image and costs nothing. */
export async function checkConnection(
  { provider, baseUrl, credential: key }: Connection,
  guard: Guard,
  stop?: AbortSignal,
): Promise<ProbeResult> {
  if (provider === 'sketch') return { ok: true, models: [] };
  return probeConnection({ provider, baseUrl, key }, guard, stop);
}

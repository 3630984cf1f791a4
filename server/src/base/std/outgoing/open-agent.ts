import type { Agent } from 'undici';
import { acceptUnsolicitedContinue } from './accept-unsolicited-continue.ts';

export type AgentOptions = Omit<Agent.Options, 'connect' | 'factory'> & { connectTimeoutMs: number };

/** Opens an agent for servers that the operator named. Loads undici on first use: an idle server saves 28 MB. */
export async function openAgent({ connectTimeoutMs, ...options }: AgentOptions): Promise<Agent> {
  const { Agent, buildConnector } = await import('undici');
  const connect = buildConnector({ timeout: connectTimeoutMs });
  return new Agent({
    ...options,
    connect: (target, callback) =>
      connect(target, (error, socket) =>
        error === null ? callback(null, acceptUnsolicitedContinue(socket)) : callback(error, null),
      ),
  });
}

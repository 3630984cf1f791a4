import { Resolver } from 'node:dns/promises';

export class NameError extends Error {
  override name = 'NameError';
  readonly problem: 'not_found' | 'server_failed' | 'too_slow';

  constructor(problem: NameError['problem'], cause?: unknown) {
    super(`name lookup: ${problem}`, { cause });
    this.problem = problem;
  }
}

/** Resolves by DNS alone, without a hosts file. `dns.lookup` would stall file access, which shares its four threads. */
export async function resolveName(
  name: string,
  { timeoutMs, servers }: { timeoutMs: number; servers?: readonly string[] | undefined },
): Promise<string[]> {
  // One resolver for each lookup, because cancelling ends all its queries. A lost query is sent once more.
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 2) });
  if (servers !== undefined) resolver.setServers(servers);
  const cancelAfter = (ms: number) => setTimeout(() => resolver.cancel(), ms);
  const timers = [cancelAfter(timeoutMs)];
  const found = (addresses: string[]) => {
    // Some name servers drop AAAA queries, so after one address family has answered, the other has little time left.
    if (addresses.length > 0) timers.push(cancelAfter(otherFamilyMs));
    return addresses;
  };
  try {
    const answers = await Promise.allSettled([
      resolver.resolve4(name).then(found),
      resolver.resolve6(name).then(found),
    ]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    throw worstOf(answers);
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

const otherFamilyMs = 500;

/** A name is unknown only if both queries say so. A server that failed or timed out may answer later. */
function worstOf(answers: readonly PromiseSettledResult<string[]>[]): NameError {
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  const [cause] = errors;
  const codes = errors.map((error: { code?: unknown }) => error.code);
  if (codes.includes('ECANCELLED')) return new NameError('too_slow', cause);
  if (codes.every((code) => unknownNameCodes.has(code))) return new NameError('not_found', cause);
  return new NameError('server_failed', cause);
}

const unknownNameCodes = new Set<unknown>(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

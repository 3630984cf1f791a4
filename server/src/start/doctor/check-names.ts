import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { bareHost } from '../../base/guard/check-url.ts';
import { resolveName } from '../../base/guard/resolve-name.ts';
import { orAborted } from '../../base/std/or-aborted.ts';
import { type Finding, reasonOf } from './finding.ts';

const patienceMs = 5_000;
/** A reserved name that always exists. */
const outsideName = 'example.com';

export async function checkNames(urls: readonly string[]): Promise<Finding> {
  const hosts = urls.map((url) => bareHost(URL.parse(url)?.hostname ?? ''));
  const names = [...new Set(hosts)].filter((host) => host !== '' && isIP(host) === 0);
  const unknown = (await Promise.all(names.map(problemOf))).filter((text) => text !== undefined);
  if (unknown.length > 0)
    return {
      name: 'dns',
      status: 'fail',
      found: unknown.join('; '),
      next: 'check the spelling of these names, and the name servers in /etc/resolv.conf',
    };
  const ours = names.length === 0 ? '' : `${names.join(', ')} lead somewhere; `;
  // Inputs and webhooks look names up in this way too: only through name servers, without the hosts file.
  const outside = await resolveName(outsideName, { timeoutMs: patienceMs }).catch((error: Error) => error);
  if (outside instanceof Error)
    return {
      name: 'dns',
      status: 'warn',
      found: `${ours}${outsideName} cannot be looked up: ${outside.message}`,
      next: 'unless this machine has no internet on purpose: inputs and webhooks need name servers that resolve public names',
    };
  return { name: 'dns', status: 'ok', found: `${ours}names of the internet are found` };
}

/** Looks up a host as database and bucket clients do, through the system's resolver and its hosts file. */
async function problemOf(host: string): Promise<string | undefined> {
  try {
    await orAborted(lookup(host), AbortSignal.timeout(patienceMs));
    return undefined;
  } catch (error) {
    return `${host}: ${reasonOf(error)}`;
  }
}

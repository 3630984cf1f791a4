import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { isThisMachine } from '../../base/http/host-names.ts';
import { lacksPublicUrl } from '../../base/std/origin-of.ts';
import type { HttpSettings } from '../../config/http-settings.ts';
import { type Finding, reasonOf } from './finding.ts';

const patienceMs = 10_000;
const dayMs = 24 * 60 * 60 * 1000;
/** Certificates are usually renewed a month ahead, so with fewer days left, the renewal has probably failed. */
const renewDays = 14;

/** @param url the configured address, or where the server last listened if the system chose its port */
export async function checkServer(url: string): Promise<Finding & { runs: boolean }> {
  const name = 'server';
  try {
    if (!(await isDarkroom(url)))
      return {
        name,
        status: 'fail',
        found: `another program answers at ${url}`,
        next: 'set PORT to a free port',
        runs: false,
      };
    const ready = await ask(`${url}/readyz`);
    await ready.arrayBuffer();
    if (ready.ok) return { name, status: 'ok', found: `answers at ${url}, and is ready`, runs: true };
    return {
      name,
      status: 'fail',
      found: `answers at ${url}, but is not ready (${ready.status})`,
      next: 'check the database, unless the server is about to stop',
      runs: true,
    };
  } catch (error) {
    return {
      name,
      status: 'warn',
      found: `nothing answers at ${url}: ${reasonOf(error)}`,
      next: 'start it, unless it runs elsewhere: darkroom serve',
      runs: false,
    };
  }
}

/** Calls the address that clients use, from this machine. A firewall may still block it for others. */
export async function checkAddress(http: HttpSettings, runs: boolean): Promise<Finding> {
  const name = 'address';
  const { publicUrl } = http;
  if (lacksPublicUrl(http))
    return {
      name,
      status: 'warn',
      found: 'links to images lead to this machine, while it listens for others',
      next: 'set DARKROOM_PUBLIC_URL to the address that clients use',
    };
  if (publicUrl === null) return { name, status: 'ok', found: 'only this machine is served' };
  try {
    if (!(await isDarkroom(publicUrl)))
      return {
        name,
        status: 'fail',
        found: `${publicUrl} answers, but not as Darkroom does`,
        next: 'let the proxy forward everything to the server, with Host and X-Forwarded-* set',
      };
  } catch (error) {
    return {
      name,
      status: runs ? 'fail' : 'warn',
      found: `${publicUrl} does not answer: ${reasonOf(error)}`,
      next: runs
        ? 'check its name, its certificate, the proxy and the firewall; some routers do not route back to their own network'
        : 'start the server, then check again',
    };
  }
  const found = `${publicUrl} answers, as seen from this machine`;
  const { protocol, host, hostname, port } = new URL(publicUrl);
  if (protocol === 'http:')
    return isThisMachine(host)
      ? { name, status: 'ok', found }
      : {
          name,
          status: 'warn',
          found: `${found}, but without TLS: anyone on the network can read keys and images`,
          next: 'put a proxy with a certificate in front (deploy/Caddyfile) and use https://',
        };
  const days = Math.floor(((await endOfCertificate(hostname, Number(port || 443))) - Date.now()) / dayMs);
  if (days >= renewDays)
    return { name, status: 'ok', found: `${found}; its certificate is good for ${days} days` };
  return {
    name,
    status: 'warn',
    found: `${found}, but its certificate ends in ${days} days`,
    next: 'renew the certificate, and find out why it was not renewed automatically',
  };
}

/** @throws Error when nothing answers */
async function isDarkroom(url: string): Promise<boolean> {
  const answer = await ask(`${url}/livez`);
  const body: unknown = await answer.json().catch(() => null);
  return (
    answer.ok && typeof body === 'object' && body !== null && 'status' in body && body.status === 'alive'
  );
}

function ask(url: string): Promise<Response> {
  return fetch(url, { signal: AbortSignal.timeout(patienceMs), redirect: 'manual' });
}

/** Returns when the certificate ends, in milliseconds since the epoch. The caller has verified the certificate. */
function endOfCertificate(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket = connect({ host, port, ...name, rejectUnauthorized: false }, () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to));
      socket.destroy();
    });
    socket.setTimeout(patienceMs, () => socket.destroy(new Error('no answer'))).on('error', reject);
  });
}

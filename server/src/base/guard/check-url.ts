import { isIP } from 'node:net';
import { groupDigits } from '../std/group-digits.ts';
import { refusedPorts } from './refused-ports.ts';

export type UrlProblem = 'malformed' | 'scheme' | 'credentials' | 'port' | 'name' | 'address' | 'own';

export type Verdict = { ok: true; url: URL } | { ok: false; problem: UrlProblem; detail: string };

export interface HostRules {
  mayConnect(address: string, port: number): boolean;
  isOwnUrl(url: URL): boolean;
  /** Whether an operator listed a network. Such networks allow any port, so names must be resolved first. */
  anyNetworkOpen: boolean;
}

/** Enough for URLs that object stores sign with a session token, which have about 2,500 characters. */
export const maxUrlLength = 8_192;

/** Judges the text of a URL before any lookup: scheme, credentials, port, local names, addresses in any spelling. */
export function checkUrl(text: string, rules: HostRules): Verdict {
  if (text.length > maxUrlLength)
    return refuse('malformed', `The URL is longer than ${groupDigits(maxUrlLength)} characters.`);
  if (!/^https?:\/\//.test(text)) return refuse('scheme', 'The URL must start with http:// or https://.');
  // The parser would silently drop these characters, and fetch a different URL from the one that the text shows.
  if (hasControlOrSpace(text)) return refuse('malformed', 'The URL contains spaces or control characters.');
  const url = URL.parse(text);
  if (url === null || url.hostname === '') return refuse('malformed', 'This is not a valid URL.');
  if (url.username !== '' || url.password !== '') {
    return refuse('credentials', 'The URL contains a user name or password. Use one that works without.');
  }
  if (rules.isOwnUrl(url)) return refuse('own', 'The URL leads back to this service itself.');
  return checkHost(url, rules) ?? { ok: true, url };
}

/** Removes the brackets of IPv6 and the final dot of a fully qualified name. */
export function bareHost(hostname: string): string {
  return hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

export function portOf({ protocol, port }: { protocol: string; port: string }): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

export function isLoopbackName(host: string): boolean {
  return loopbackNames.has(host) || host.endsWith('.localhost') || host.endsWith('.localdomain');
}

export function isMetadataName(host: string): boolean {
  return metadataNames.has(host);
}

const loopbackNames = new Set(['localhost', 'localdomain', 'localhost6', 'ip6-localhost', 'ip6-loopback']);

const metadataNames = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal',
]);

function checkHost(url: URL, rules: HostRules): Verdict | undefined {
  const host = bareHost(url.hostname);
  const port = portOf(url);
  if (isMetadataName(host)) return notPublic('name');
  if (isLoopbackName(host)) {
    return loopbackAddresses.some((address) => rules.mayConnect(address, port))
      ? undefined
      : notPublic('name');
  }
  if (isIP(host) !== 0) return rules.mayConnect(host, port) ? undefined : notPublic('address');
  if (port === 0 || (refusedPorts.has(port) && !rules.anyNetworkOpen)) {
    return refuse(
      'port',
      `Port ${port} is not used for http. Host the file on a usual port such as 80 or 443.`,
    );
  }
  return undefined;
}

export const loopbackAddresses = ['127.0.0.1', '::1'] as const;

function notPublic(problem: 'name' | 'address'): Verdict {
  return refuse(problem, notPublicDetail);
}

/** The message for a blocked address. It must not reveal the address or the server behind it. */
export const notPublicDetail =
  'The URL does not lead to a public internet address. Host the file where anyone on the internet can reach it.';

function refuse(problem: UrlProblem, detail: string): Verdict {
  return { ok: false, problem, detail };
}

function hasControlOrSpace(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code <= 0x20 || code === 0x7f) return true;
  }
  return false;
}

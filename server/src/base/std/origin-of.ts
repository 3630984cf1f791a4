import { isIPv6 } from 'node:net';

/** The origin at which this machine reaches a server that listens on `host`, with brackets around IPv6. */
export function originOf({ host, port }: { host: string; port: number }): string {
  return `http://${isEveryInterface(host) ? 'localhost' : hostnameOf(host)}:${port}`;
}

/** Whether the public address is unknown, because a server that listens on all addresses cannot know it. */
export function lacksPublicUrl({ host, publicUrl }: { host: string; publicUrl: string | null }): boolean {
  return publicUrl === null && isEveryInterface(host);
}

/** Whether links differ between processes. A process with one role builds links from its own host and port. */
export function splitsLinks({ role, http }: { role: string; http: { publicUrl: string | null } }): boolean {
  return role !== 'all' && http.publicUrl === null;
}

function isEveryInterface(host: string): boolean {
  return ['0.0.0.0', '[::]'].includes(hostnameOf(host));
}

function hostnameOf(host: string): string {
  return URL.parse(`http://${isIPv6(host) ? `[${host}]` : host}`)?.hostname ?? host;
}

/** Whether a text is the origin of pages, as browsers send it: `https://app.example.com`. */
export function isPageOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.parse(text)?.origin === text;
}

import { createSealer, type Sealer } from '../../base/std/sealer.ts';

/** A program as it describes itself. Only its redirect URIs are verified. */
export interface Program {
  name: string;
  redirectUris: readonly string[];
}

/** Makes the sealer for programs' descriptions and codes, none of which the server stores. */
export function createGrantSealer(secrets: readonly string[]): Sealer {
  return createSealer(secrets, 'darkroom grants');
}

const owner = 'program';

/** A program's id is its sealed description, because anyone can register and could otherwise flood a table. */
export function programId(sealer: Sealer, { name, redirectUris }: Program): string {
  return sealer.seal(JSON.stringify({ name, redirectUris }), owner);
}

export function readProgram(sealer: Sealer, id: string): Program | undefined {
  const text = sealer.open(id, owner);
  return text === undefined ? undefined : (JSON.parse(text) as Program); // only programId seals for this owner
}

/** Returns the reason why the browser must not be sent to this URL; undefined if there is none. */
export function redirectMistake(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url));
  if (!url || !isSafe) return 'must begin with https://, or with http:// on localhost';
  if (url.hash !== '' || url.username !== '' || url.password !== '')
    return 'must have no fragment and no password';
  return undefined;
}

/** Whether the program registered this redirect URI. The port may differ on the person's own machine (RFC 8252). */
export function mayReturnTo({ redirectUris }: Program, text: string): boolean {
  if (redirectUris.includes(text)) return true;
  if (!URL.canParse(text) || !isLoopback(new URL(text))) return false;
  return redirectUris.some((known) => isLoopback(new URL(known)) && withoutPort(known) === withoutPort(text));
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

function withoutPort(text: string): string {
  const url = new URL(text);
  url.port = '';
  return url.href;
}

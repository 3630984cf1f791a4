import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookiePrefix, isHttps } from '../../../accounts/sign-in/auth-names.ts';

/**
 * `device` marks a browser that has signed in before, but gives it no rights. `code_for` is valid between password and
 * code, `passkey_for` during the choice of a passkey, `stranger` between single sign-on and sign-up.
 */
type PanelCookie = 'device' | 'code_for' | 'passkey_for' | 'stranger';

export const deviceSeconds = 365 * 24 * 60 * 60;

export function readCookie(
  { cookies }: FastifyRequest,
  name: PanelCookie,
  publicUrl: string,
): string | undefined {
  return cookies[nameOf(name, publicUrl)];
}

/** An age of 0 removes the cookie. */
export function writeCookie(
  reply: FastifyReply,
  name: PanelCookie,
  value: string,
  { publicUrl, maxAge }: { publicUrl: string; maxAge: number },
): void {
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps(publicUrl), maxAge } as const;
  reply.setCookie(nameOf(name, publicUrl), value, options);
}

function nameOf(name: PanelCookie, publicUrl: string): string {
  return `${cookiePrefix(publicUrl)}.${name}`;
}

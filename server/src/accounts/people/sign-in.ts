import type { Database } from '../../db/database.ts';
import { AppError } from '../../errors.ts';
import type { Auth } from './auth.ts';
import type { AuthenticatorSeals } from './authenticator-seals.ts';
import { spellEmail } from './email.ts';
import { findPersonByEmail } from './people-store.ts';
import type { Seals } from './seals.ts';
import { withinLimits } from './sign-in-limits.ts';

export interface SignInDeps {
  database: Database;
  auth(): Promise<Auth>;
  seals: Seals;
  authenticators: AuthenticatorSeals;
}

/** What a browser brought, as far as signing in may see it. */
export interface Browser {
  headers: Headers;
  /** Of the socket. */
  address: string;
  /** The device cookie, unchecked. */
  device: string | undefined;
  /** Who has given a right password and owes a code, sealed. */
  codeFor: string | undefined;
}

export type SignedIn =
  | { next: 'done'; email: string; cookies: string[] }
  | { next: 'code_required'; email: string; cookies: string[] };

/** @throws AppError `sign_in_refused`, `too_many_requests` */
export async function signIn(
  { database, auth, seals }: SignInDeps,
  browser: Browser,
  { email: text, password }: { email: string; password: string },
): Promise<SignedIn> {
  const email = spellEmail(text);
  const device = seals.open('device', browser.device, email);
  return withinLimits(
    database,
    { kind: 'password', address: browser.address, who: email, device },
    async () => {
      const { api } = await auth();
      const { headers, response } = await api
        .signInEmail({ body: { email, password }, headers: browser.headers, returnHeaders: true })
        .catch(refuse);
      const cookies = headers.getSetCookie();
      const needsCode = 'twoFactorRedirect' in response;
      return { next: needsCode ? 'code_required' : 'done', email, cookies };
    },
  );
}

/** The second step. @throws AppError `sign_in_refused`, `authenticator_unreadable`, `too_many_requests` */
export async function enterCode(
  { database, auth, seals, authenticators }: SignInDeps,
  browser: Browser,
  code: string,
): Promise<SignedIn> {
  const email = seals.openAny('code', browser.codeFor);
  if (email === null) throw refusal();
  const device = seals.open('device', browser.device, email);
  return withinLimits(database, { kind: 'code', address: browser.address, who: email, device }, async () => {
    const person = await findPersonByEmail(database.read, email);
    if (!person) throw refusal();
    await authenticators.renew(person.id);
    const { api } = await auth();
    const { headers } = browser;
    const isTotp = /^\d{6}$/.test(code);
    const result = isTotp
      ? await api.verifyTOTP({ body: { code }, headers, returnHeaders: true }).catch(refuse)
      : await api.verifyBackupCode({ body: { code }, headers, returnHeaders: true }).catch(refuse);
    return { next: 'done', email, cookies: result.headers.getSetCookie() };
  });
}

/** Whatever is wrong, the answer is the same; what is no refusal stays what it is. */
export function refuse(error: unknown): never {
  if (isRefusal(error)) throw refusal(error);
  throw error;
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.name === 'APIError' &&
    'statusCode' in error &&
    Number(error.statusCode) < 500
  );
}

function refusal(cause?: unknown): AppError {
  return new AppError('sign_in_refused', 'E-mail, password or code are not right.', {}, { cause });
}

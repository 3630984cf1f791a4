import type { Language } from './language.ts';

export interface Person {
  id: string;
  name: string;
  /** Null until the first operator enters one. */
  email: string | null;
  /** Whether the email address is confirmed, so that single sign-on with it signs the person in. */
  emailConfirmed: boolean;
  hasAuthenticator: boolean;
  /** The language that the person chose; null to follow the browser's. */
  language: Language | null;
  readsIn: Language;
  /** ISO 8601. */
  createdAt: string;
}

// The domain of placeholder email addresses, which can never receive mail (RFC 2606). They are needed because the
// column must not be empty.
export const noEmailDomain = '@people.invalid';

export function noEmailOf(personId: string): string {
  return `${personId}${noEmailDomain}`;
}

export const columns = [
  'id',
  'name',
  'email',
  'claimed_email',
  'email_verified',
  'has_authenticator',
  'language',
  'browser_language',
  'created_at',
] as const;

export function toPerson(row: {
  id: string;
  name: string;
  email: string;
  claimed_email: string | null;
  email_verified: number;
  has_authenticator: number | null;
  language: string | null;
  browser_language: string | null;
  created_at: string;
}): Person {
  // The column contains only our languages.
  const [language, heard] = [row.language, row.browser_language] as (Language | null)[];
  return {
    id: row.id,
    name: row.name,
    email: row.claimed_email ?? (row.email.endsWith(noEmailDomain) ? null : row.email),
    emailConfirmed: row.email_verified === 1,
    hasAuthenticator: row.has_authenticator === 1,
    language: language ?? null,
    readsIn: language ?? heard ?? 'en',
    createdAt: row.created_at,
  };
}

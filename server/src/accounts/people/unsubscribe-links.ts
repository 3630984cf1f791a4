import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Queries } from '../../base/db/schema.ts';
import { isUuid } from '../../base/std/ids.ts';
import { findConfirmedPerson } from './email-store.ts';
import { type EmailTopic, emailTopics } from './email-topics.ts';
import { findPerson } from './people-store.ts';

/** What a link turns off. */
type Scope = EmailTopic | 'all';

/**
 * Links by which whoever reads an email turns off its kind, without signing in. They open nothing else, so that they
 * need no end: an old email is where people look for one.
 */
export interface UnsubscribeLinks {
  /** What follows `/unsubscribe/`; undefined where the address is nobody's. */
  tokenFor(queries: Queries, email: string, scope: Scope): Promise<string | undefined>;
  /** Undefined for one that was not made here, or whose person has another address by now. */
  read(
    queries: Queries,
    token: string,
  ): Promise<{ personId: string; topics: readonly EmailTopic[] } | undefined>;
}

/** The first secret signs; all of them verify. */
export function createUnsubscribeLinks(secrets: readonly string[]): UnsubscribeLinks {
  const [key, ...older] = secrets.map(deriveKey);
  if (!key) throw new TypeError('signing links needs a secret');
  return {
    async tokenFor(queries, email, scope) {
      const person = await findConfirmedPerson(queries, email);
      return person && `${person.id}.${scope}.${sign(key, person.id, scope, email)}`;
    },
    async read(queries, token) {
      const [personId = '', word = '', signature = ''] = token.split('.');
      const scope = scopes.find((one) => one === word);
      const person = scope && isUuid(personId) ? await findPerson(queries, personId) : undefined;
      if (!scope || !person?.email || !person.emailConfirmed) return undefined;
      const { email } = person;
      const isOurs = [key, ...older].some((one) => isSame(signature, sign(one, personId, scope, email)));
      return isOurs ? { personId, topics: scope === 'all' ? emailTopics : [scope] } : undefined;
    },
  };
}

const scopes = [...emailTopics, 'all'] as const;

function sign(key: KeyObject, ...parts: [personId: string, scope: Scope, email: string]): string {
  return createHmac('sha256', key).update(parts.join('\n')).digest('base64url');
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function deriveKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'darkroom unsubscribe links', 32)));
}

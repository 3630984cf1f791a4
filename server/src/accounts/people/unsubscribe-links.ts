import type { Queries } from '../../base/db/schema.ts';
import { isUuid } from '../../base/std/ids.ts';
import { createSigner } from '../../base/std/sealing/create-signer.ts';
import { findConfirmedPerson } from './email-store.ts';
import { accountTopics, type EmailTopic, emailTopics } from './email-topics.ts';
import { findPerson } from './people-store.ts';

/** The topic that a link turns off; `all` is every topic about accounts. */
export type Scope = EmailTopic | 'all';

/** Links that only turn off a kind of email, without signing in. They never expire, because people use old emails. */
export interface UnsubscribeLinks {
  /** Returns the path after `/unsubscribe/`; undefined if no person has the email address. */
  tokenFor(queries: Queries, email: string, scope: Scope): Promise<string | undefined>;
  /** Reads a token; undefined if it was not created here, or if its person has changed their email address. */
  read(
    queries: Queries,
    token: string,
  ): Promise<{ personId: string; topics: readonly EmailTopic[] } | undefined>;
}

export function createUnsubscribeLinks(secrets: readonly string[]): UnsubscribeLinks {
  const signer = createSigner(secrets, 'darkroom unsubscribe links');
  return {
    async tokenFor(queries, email, scope) {
      const person = await findConfirmedPerson(queries, email);
      return person && `${person.id}.${scope}.${signer.sign([person.id, scope, email])}`;
    },
    async read(queries, token) {
      const [personId = '', word = '', signature = ''] = token.split('.');
      const scope = scopes.find((one) => one === word);
      const person = scope && isUuid(personId) ? await findPerson(queries, personId) : undefined;
      if (!scope || !person?.email || !person.emailConfirmed) return undefined;
      const isOurs = signer.isRight(signature, [personId, scope, person.email]);
      return isOurs ? { personId, topics: scope === 'all' ? accountTopics : [scope] } : undefined;
    },
  };
}

const scopes = [...emailTopics, 'all'] as const;

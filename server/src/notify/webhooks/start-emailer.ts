import {
  type ClaimedEmail,
  claimEmails,
  deleteEmailIfOurs,
  isAnyEmailDue,
  postponeEmailIfOurs,
} from '../../accounts/people/outbox-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Log } from '../../base/std/log.ts';
import { type Loop, startLoop } from '../../base/std/loop.ts';
import type { EmailContent } from '../emails/write-email.ts';
import { decideNext } from './deliveries/decide-next.ts';
import type { Mailer } from './mail/mailer.ts';

export interface EmailerDeps {
  database: Database;
  log: Log;
  mailer: Mailer;
  /** Null where there is nothing to say any more. */
  describe(email: ClaimedEmail): Promise<EmailContent | null>;
}

/** Who waits for one looks into their mailbox first. */
const pollMs = 1_000;
/** At once, in each process: as many as a mail server takes from one sender without complaint. */
const concurrency = 8;
/** Longer than an exchange with a mail server may take. */
const leaseMs = 40_000;

/** Sends what waits in the outbox until disposed. */
export function startEmailer({ database, log, mailer, describe }: EmailerDeps): Loop {
  const send = async (email: ClaimedEmail, signal: AbortSignal) => {
    const content = await describe(email);
    const sent = content && (await mailer.post({ id: email.id, content }, email.email, signal));
    const failure = sent?.failure ?? null;
    const next = decideNext({ ended: email.attempt - 1, interrupted: 0 }, { failure, retryAfterMs: null });
    if (failure !== null) log.warn('email.failed', { kind: email.kind, attempt: email.attempt, failure });
    await database.transaction((tx) =>
      next.kind === 'retry' ? postponeEmailIfOurs(tx, email, next.delayMs) : deleteEmailIfOurs(tx, email),
    );
  };
  const onError = (error: unknown) => log.warn('emails.failed', { reason: String(error) });
  const runOnce = async (signal: AbortSignal) => {
    // Outside the transaction, so that an idle process only reads an index.
    if (!(await isAnyEmailDue(database.read))) return false;
    const emails = await database.transaction((tx) => claimEmails(tx, { limit: concurrency, leaseMs }));
    await Promise.all(emails.map((email) => send(email, signal).catch(onError)));
    return emails.length > 0;
  };
  return startLoop({ runOnce, everyMs: pollMs, onError });
}

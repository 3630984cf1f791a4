import {
  type ClaimedEmail,
  claimEmails,
  deleteEmailIfOurs,
  isAnyEmailDue,
  isAnyEmailWaiting,
  postponeEmailIfOurs,
} from '../../accounts/people/outbox-store.ts';
import type { Database } from '../../base/db/database.ts';
import { startRestingLoop } from '../../base/db/start-resting-loop.ts';
import type { Log } from '../../base/std/log.ts';
import { createRunning } from '../../base/std/loop.ts';
import type { EmailContent } from '../emails/write-email.ts';
import { decideNext } from './deliveries/decide-next.ts';
import type { Mailer } from './mail/mailer.ts';

export interface EmailerDeps {
  database: Database;
  log: Log;
  mailer: Mailer;
  /** Null if the email is no longer needed. */
  describe(email: ClaimedEmail): Promise<EmailContent | null>;
}

/** The pause between checks is short, because people look for these emails right away. */
const pollMs = 1_000;
/** Mail servers accept this number of concurrent emails from one sender. */
const concurrency = 8;
/** A lease is longer than an exchange with a mail server can take. */
const leaseMs = 40_000;
/** How long a stop waits for emails that are being sent, because an interrupted email may be sent twice. */
const drainMs = 3_000;

export function startEmailer({ database, log, mailer, describe }: EmailerDeps): AsyncDisposable {
  const running = createRunning({ concurrency, drainMs, onFree: () => loop.wake() });
  const send = async (email: ClaimedEmail) => {
    const content = await describe(email);
    const sent = content && (await mailer.post({ id: email.id, content }, email.email, running.signal));
    const failure = sent?.failure ?? null;
    const next = decideNext({ ended: email.attempt - 1, interrupted: 0 }, { failure, retryAfterMs: null });
    if (failure !== null) log.warn('email.failed', { kind: email.kind, attempt: email.attempt, failure });
    await database.transaction((tx) =>
      next.kind === 'retry' ? postponeEmailIfOurs(tx, email, next.delayMs) : deleteEmailIfOurs(tx, email),
    );
  };
  const onError = (error: unknown) => log.warn('emails.failed', { reason: String(error) });
  const runOnce = async () => {
    const limit = running.free();
    // This check is outside the transaction, so that idle processes only read an index.
    if (limit === 0 || !(await isAnyEmailDue(database.read))) return false;
    const emails = await database.transaction((tx) => claimEmails(tx, { limit, leaseMs }));
    for (const email of emails) running.add(send(email).catch(onError));
    return emails.length > 0;
  };
  const loop = startRestingLoop({ database, waits: [isAnyEmailWaiting], runOnce, everyMs: pollMs, onError });
  return {
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      await running[Symbol.asyncDispose]();
    },
  };
}

import { makeAddressLink } from '../../accounts/people/address-link.ts';
import { findConfirmedPerson } from '../../accounts/people/email-store.ts';
import type { EmailKind, OutgoingEmail } from '../../accounts/people/outbox-store.ts';
import { linkUrl } from '../../accounts/people/panel-link.ts';
import type { Database } from '../../base/db/database.ts';
import type { EmailContent } from './write-email.ts';

export interface EmailContext {
  database: Database;
  /** Where people find the panel; known once the server listens. */
  publicUrl(): string;
}

const signUpHours = 24;
const resetHours = 1;

/**
 * What an email of the outbox says; null where there is nothing to say any more. Its link is made here, with each
 * attempt, so that nothing which opens anything waits in the database.
 */
export async function describeEmail(
  { database, publicUrl }: EmailContext,
  outgoing: OutgoingEmail,
): Promise<EmailContent | null> {
  const here = publicUrl();
  const kind = await kindNow(database, outgoing);
  if (!kind) return null;
  const purpose = purposeOf({ ...outgoing, kind });
  const link = purpose && (await database.transaction((tx) => makeAddressLink(tx, purpose)));
  return wordsOf(kind, { here, link: link ? linkUrl(here, link) : here });
}

/** Since it was asked for, they may have made the account by an earlier link, or given up the address. */
async function kindNow(
  { read }: Database,
  { kind, email, personId }: OutgoingEmail,
): Promise<EmailKind | null> {
  if (kind === 'sign_up_known' || kind === 'password_changed') return kind;
  const person = await findConfirmedPerson(read, email);
  if (kind === 'password_reset') return person?.id === personId ? kind : null;
  return person ? 'sign_up_known' : kind;
}

function purposeOf({
  kind,
  email,
  personId,
}: OutgoingEmail): Parameters<typeof makeAddressLink>[1] | undefined {
  if (kind === 'sign_up') return { purpose: 'sign_up', email, lifetimeHours: signUpHours };
  if (kind === 'password_reset' && personId !== null)
    return { purpose: 'password_reset', email, personId, lifetimeHours: resetHours };
  return undefined;
}

/** `link`: of those with one. */
export function wordsOf(kind: EmailKind, { here, link }: { here: string; link: string }): EmailContent {
  const forgotten = `${here}/forgotten-password`;
  switch (kind) {
    case 'sign_up':
      return {
        subject: 'Confirm your address',
        said: [
          `An account at ${here} was asked for with this address. It is made once you open this link, within a day.`,
        ],
        action: { label: 'Confirm and go on', url: link },
        why: `${because} If it was not you, there is nothing to do: nothing is made without the link.`,
      };
    case 'sign_up_known':
      return {
        subject: 'You have an account already',
        said: [`An account at ${here} was asked for with this address, which has one.`],
        action: { label: 'Sign in', url: `${here}/sign-in` },
        notes: [`If you have forgotten your password, set a new one: ${forgotten}`],
        why: `${because} If it was not you, there is nothing to do.`,
      };
    case 'password_reset':
      return {
        subject: 'Set a new password',
        said: [`A new password was asked for at ${here}. You set it by this link, within an hour.`],
        action: { label: 'Set a new password', url: link },
        why: `${because} If it was not you, there is nothing to do: your password stays.`,
      };
    case 'password_changed':
      return {
        subject: 'Your password was changed',
        said: [`Your password at ${here} was set anew, and you were signed out everywhere else.`],
        notes: [`If it was not you, set another at once: ${forgotten}`],
        why: 'You get this email because your password opens your account.',
      };
  }
}

const because = 'You get this email because somebody, most likely you, entered this address.';

import { makeAddressLink } from '../../accounts/people/address-link.ts';
import { findConfirmedPerson } from '../../accounts/people/email-store.ts';
import type { Language } from '../../accounts/people/language.ts';
import { listOptOuts } from '../../accounts/people/opt-out-store.ts';
import {
  type EmailKind,
  lockEmailIfWaiting,
  type OutgoingEmail,
} from '../../accounts/people/outbox-store.ts';
import { linkUrl, type MadeLink } from '../../accounts/people/panel-link.ts';
import { findOperatorRole, listAccountsOf } from '../../accounts/people/people-store.ts';
import type { Scope } from '../../accounts/people/unsubscribe-links.ts';
import type { Database } from '../../base/db/database.ts';
import { describeMargins, type ToldMargin } from './describe-margins.ts';
import { sayIn } from './say.ts';
import type { EmailContent } from './write-email.ts';

export interface EmailContext {
  database: Database;
  currency: string;
  /** The panel's URL, known once the server listens. */
  publicUrl(): string;
  model(): string | undefined;
  unsubscribeUrl(email: string, scope: Scope): Promise<string | undefined>;
}

/** What the unsubscribe link of each optional email turns off. */
export const turnedOffBy: Partial<Record<EmailKind, Scope>> = { welcome: 'all', margins: 'margins' };

const signUpHours = 24;
/** Longer than for `sign_up`, because invited people did not request the link. */
const invitedHours = 7 * 24;
const resetHours = 1;

/**
 * Writes an email's content; null if the email is no longer needed. Each attempt makes a new link, because only a
 * link's hash is stored.
 */
export async function describeEmail(
  { database, currency, publicUrl, model, unsubscribeUrl }: EmailContext,
  outgoing: OutgoingEmail,
): Promise<EmailContent | null> {
  const here = publicUrl();
  const kind = await kindNow(database, outgoing);
  if (!kind) return null;
  const purpose = purposeOf({ ...outgoing, kind });
  const made = purpose && (await makeLinkIfWaiting(database, outgoing.id, purpose));
  if (made === null) return null;
  const link = made ? linkUrl(here, made) : await placeOf(database, here, { ...outgoing, kind });
  if (link === null) return null;
  const { [kind]: scope } = turnedOffBy;
  const offUrl = scope && (await unsubscribeUrl(outgoing.email, scope));
  const margins = JSON.parse(outgoing.data ?? '[]') as ToldMargin[]; // as `tellMargins` wrote it
  const language =
    outgoing.language ?? (await findConfirmedPerson(database.read, outgoing.email))?.readsIn ?? 'en';
  const words = wordsOf(kind, { here, link, model: model(), currency, margins, language });
  return { ...words, language, ...(offUrl !== undefined && { unsubscribeUrl: offUrl }) };
}

/** Null if a new password has dropped the email meanwhile: a link made now would replace that password. */
async function makeLinkIfWaiting(
  database: Database,
  emailId: string,
  purpose: Parameters<typeof makeAddressLink>[1],
): Promise<MadeLink | null> {
  return database.transaction(async (tx) =>
    (await lockEmailIfWaiting(tx, emailId)) ? makeAddressLink(tx, purpose) : null,
  );
}

/** The URL for an email without a one-time link: the panel, or a new person's keys. Null if they have no account. */
async function placeOf({ read }: Database, here: string, { kind, personId }: OutgoingEmail) {
  if (kind !== 'welcome') return here;
  const [account] = personId === null ? [] : await listAccountsOf(read, { id: personId, operator: false }, 1);
  return account ? `${here}/accounts/${account.id}/keys?new=yes` : null;
}

/**
 * Returns the kind of email that fits now, or null. Since the email was queued, the person may have signed up with an
 * earlier link or given up the address.
 */
async function kindNow(
  { read }: Database,
  { kind, email, personId }: OutgoingEmail,
): Promise<EmailKind | null> {
  if (kind === 'sign_up_known' || kind === 'password_changed' || kind === 'passkey_added') return kind;
  const person = await findConfirmedPerson(read, email);
  if (kind === 'margins') {
    if (person?.id !== personId || !(await findOperatorRole(read, person.id))) return null;
    return (await listOptOuts(read, person.id)).includes('margins') ? null : kind;
  }
  if (kind === 'password_reset' || kind === 'welcome') return person?.id === personId ? kind : null;
  return person ? 'sign_up_known' : kind;
}

function purposeOf({
  kind,
  email,
  personId,
}: OutgoingEmail): Parameters<typeof makeAddressLink>[1] | undefined {
  if (kind === 'sign_up') return { purpose: 'sign_up', email, lifetimeHours: signUpHours };
  if (kind === 'invited') return { purpose: 'sign_up', email, lifetimeHours: invitedHours };
  if (kind === 'password_reset' && personId !== null)
    return { purpose: 'password_reset', email, personId, lifetimeHours: resetHours };
  return undefined;
}

interface Words {
  here: string;
  link: string;
  model: string | undefined;
  currency: string;
  margins: readonly ToldMargin[];
  language?: Language;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of emails
export function wordsOf(
  kind: EmailKind,
  { here, link, model, currency, margins, language = 'en' }: Words,
): EmailContent {
  const say = sayIn(language);
  const because = say('You get this email because someone, most likely you, entered this address.');
  const forgotten = `${here}/forgotten-password`;
  switch (kind) {
    case 'sign_up':
      return {
        subject: say('Confirm your address'),
        said: [
          say(
            'Somebody asked for an account at {here} with this address. Open this link within a day to create it.',
            { here },
          ),
        ],
        action: { label: say('Confirm and continue'), url: link },
        why: `${because} ${say('If it was not you, there is nothing to do: no account is created without the link.')}`,
      };
    case 'invited':
      return {
        subject: say('You are invited to sign up'),
        said: [
          say('An operator of {here} invites you to create an account there. Open this link within a week.', {
            here,
          }),
        ],
        action: { label: say('Sign up'), url: link },
        why: say(
          'You get this email because an operator entered this address. If you do not know why, there is nothing to do: no account is created without the link.',
        ),
      };
    case 'sign_up_known':
      return {
        subject: say('You have an account already'),
        said: [
          say('Somebody asked for an account at {here} with this address, which already has one.', { here }),
        ],
        action: { label: say('Sign in'), url: `${here}/sign-in` },
        notes: [say('If you have forgotten your password, set a new one: {forgotten}', { forgotten })],
        why: `${because} ${say('If it was not you, do nothing.')}`,
      };
    case 'welcome':
      return {
        subject: say('Your account is ready'),
        said: [
          say('Welcome. Your account at {here} is ready, and you own it.', { here }),
          model === undefined
            ? say('Programs use it with an API key.')
            : say('Programs use it with an API key. Once you have one, this makes a first image:'),
        ],
        ...(model !== undefined && { code: firstRequest(here, model) }),
        action: { label: say('Create an API key'), url: link },
        notes: [say('Next steps: {here}/docs/start/api', { here })],
        why: say('You get this email because you signed up with this address.'),
      };
    case 'password_reset':
      return {
        subject: say('Set a new password'),
        said: [
          say('A new password was requested at {here}. Set it with this link within an hour.', { here }),
        ],
        action: { label: say('Set a new password'), url: link },
        why: `${because} ${say('If it was not you, do nothing: your password stays the same.')}`,
      };
    case 'password_changed':
      return {
        subject: say('Your password was changed'),
        said: [
          say('Your password at {here} was changed, and you were signed out everywhere else.', { here }),
        ],
        notes: [say('If it was not you, set another password at once: {forgotten}', { forgotten })],
        why: say('You get this email because your password opens your account.'),
      };
    case 'passkey_added':
      return {
        subject: say('A passkey was added'),
        said: [say('A passkey was added at {here}. It signs in as you, without your password.', { here })],
        action: { label: say('See your passkeys'), url: `${here}/profile` },
        notes: [
          say('If it was not you, set a new password, which removes all passkeys: {forgotten}', {
            forgotten,
          }),
        ],
        why: say('You get this email because a passkey opens your account.'),
      };
    case 'margins':
      return describeMargins(margins, { here, currency, say });
  }
}

/** The same command as in `docs/start/api.md`. */
function firstRequest(here: string, model: string): string {
  return [
    `curl -sS ${here}/api/v1/${model}/text-generations \\`,
    '  -H "Authorization: Bearer $DARKROOM_API_KEY" \\',
    '  -H "Content-Type: application/json" -H "Prefer: wait=60" \\',
    `  -d '{"prompt": "a red fox in the snow", "aspect_ratio": "1:1"}'`,
  ].join('\n');
}

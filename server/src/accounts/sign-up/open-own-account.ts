import type { Actor } from '../../base/audit/audit-store.ts';
import type { Tx } from '../../base/db/schema.ts';
import { newId } from '../../base/std/ids.ts';
import { invalidField } from '../../errors.ts';
import { changeLimits } from '../../money/limits/change-limits.ts';
import type { LimitDefaults } from '../../money/limits/limit.ts';
import { findAccount } from '../account-store.ts';
import { addAccount } from '../create-account.ts';
import { maxNameLength } from '../name.ts';
import { heardLanguage } from '../people/language.ts';
import { noteLanguage } from '../people/language-store.ts';
import { insertEmail } from '../people/outbox-store.ts';
import { insertMember } from '../people/people-store.ts';
import { insertAcceptances } from './acceptance-store.ts';
import { takeFreeCredit } from './free-credit.ts';
import type { SignUpDeps } from './request-sign-up.ts';
import type { SignUpSettings } from './sign-up-settings.ts';

export interface OwnAccountDeps extends SignUpDeps {
  limitDefaults: LimitDefaults;
}

export type Accepted = { terms?: string; privacy?: string };

/** @throws AppError `invalid_request` unless every document was accepted in its current version */
export function assertAccepted({ documents }: SignUpSettings, accepted: Accepted): void {
  for (const { document, version } of documents)
    if (accepted[document] !== version)
      throw invalidField(`/accepted/${document}`, `must be "${version}", the version in force.`);
}

interface NewCustomer {
  email: string;
  addressHash: string | null;
  /** The browser's headers, which determine the language of the welcome email. */
  headers: Headers;
  by: Actor & { personId: string };
}

/** Opens the account, with free credit unless the email address had some before or its hash is null. */
export async function openOwnAccount(
  tx: Tx,
  { clock, signUp, limitDefaults }: OwnAccountDeps & { signUp: SignUpSettings },
  { email, addressHash, headers, by }: NewCustomer,
): ReturnType<typeof takeFreeCredit> {
  const { documents, freeCreditMicros, freeCreditsPerDay: perDay, limits } = signUp;
  const given = addressHash === null ? 'had' : await takeFreeCredit(tx, { addressHash, perDay });
  const name = await freeName(tx, email, clock.nowMs());
  const credit = given === 'given' ? { creditMicros: freeCreditMicros, reason: 'free credit' } : {};
  const { id: accountId } = await addAccount(tx, clock, { name, ...credit }, by);
  await insertMember(tx, { accountId, personId: by.personId, role: 'owner' });
  if (Object.keys(limits).length > 0) {
    const subject = { kind: 'account', id: accountId } as const;
    await changeLimits(tx, { accountId, subject, changes: limits, defaults: limitDefaults }, by);
  }
  await insertAcceptances(tx, by.personId, documents);
  // Stores the language first, because the welcome email is written in it.
  const language = heardLanguage(headers.get('accept-language'));
  if (language) await noteLanguage(tx, by.personId, language);
  await insertEmail(tx, { id: newId(clock.nowMs()), kind: 'welcome', email, personId: by.personId });
  return given;
}

/** Names the account after the person's email address, which operators recognize; adds an id if the name is taken. */
async function freeName(tx: Tx, email: string, atMs: number): Promise<string> {
  const name = email.slice(0, maxNameLength);
  if (!(await findAccount(tx, name))) return name;
  const mark = ` ${newId(atMs)}`;
  return `${email.slice(0, maxNameLength - mark.length)}${mark}`;
}

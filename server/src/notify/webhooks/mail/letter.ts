import type { EmailContent } from '../../emails/write-email.ts';
import type { DeliveredEvent } from '../delivery.ts';

export interface LetterContext {
  currency: string;
  /** Accounts pay for credit by themselves. */
  takesPayments(): boolean;
  /** The address of the panel, known once the server listens. */
  publicUrl: () => string;
}

/** The payloads that `alerts/` makes. */
interface Told {
  account_id: string;
  account_name: string;
}
interface LowBalance extends Told {
  threshold: string;
  balance: string;
}
interface SpentLimit extends Told {
  key_id: string | null;
  limit: string;
  used: string;
  most: string;
  resets_at: string | null;
}
interface NearLimit extends SpentLimit {
  percent: number;
}
interface ExpiringKey extends Told {
  key_id: string;
  name: string;
  hint: string;
  expires_at: string;
  last_used_at: string | null;
  /** Not in events of older programs. */
  other_keys?: number;
  other_names?: string[];
}
interface ReceivedPayment extends Told {
  payment_id: string;
  amount: string;
  reference: string;
  debt_paid: string;
  balance: string;
  /** Not in events of older programs. */
  receipt_url?: string | null;
}
interface Strike extends Told {
  refusals: number;
  paused: { until: string | null } | null;
}

/** Writes the email about an event. @throws Error for an event that has none */
export function describeLetter(
  { type, data }: Pick<DeliveredEvent, 'type' | 'data'>,
  context: LetterContext,
): EmailContent {
  if (data === null) throw new Error('the event tells of a job');
  // As recorded with events of these types.
  if (type === 'balance.low') return lowBalance(data as LowBalance, context);
  if (type === 'spend_limit.near') return nearLimit(data as NearLimit, context);
  if (type === 'spend_limit.reached') return reachedLimit(data as SpentLimit, context);
  if (type === 'key.expiring') return expiringKey(data as ExpiringKey, context);
  if (type === 'payment.received') return receipt(data as ReceivedPayment, context);
  if (type === 'policy.strike') return strike(data as Strike, context);
  throw new Error(`there is no letter about ${type}`);
}

function lowBalance(told: LowBalance, context: LetterContext): EmailContent {
  const { account_name: name, threshold, balance } = told;
  const { currency } = context;
  const fell = `The balance of "${name}" has fallen below ${threshold} ${currency}: ${balance} ${currency} is left, part of which may be held for jobs that have not ended.`;
  const lasts =
    'Images go on being made while it lasts. Once it does not cover the price of a new one, that is refused.';
  const subject = `Low balance: ${name}`;
  if (!context.takesPayments())
    return {
      subject,
      ...about(told, context, [fell, `${lasts} An operator of this installation adds credit.`]),
    };
  const { action: also, ...rest } = about(told, context, [fell, lasts]);
  return { subject, action: { label: 'Add credit', url: `${also.url}?add=credit` }, also, ...rest };
}

const because = 'You get this email because you own the account or see to its billing.';

const inTime: Record<string, string> = {
  spend_hour: 'in an hour',
  spend_day: 'in a day',
  spend_month: 'in a month',
  spend_total: 'in all',
};

function nearLimit(told: NearLimit, context: LetterContext): EmailContent {
  const { account_name: name, percent, used } = told;
  return {
    subject: `${percent} % of a spend limit is used: ${name}`,
    ...about(told, context, [
      `${mostOf(told, context)}, and has spent ${used} ${context.currency} of it.`,
      `Once all of it is used, new images are refused${untilAnew(told)}.`,
    ]),
  };
}

function reachedLimit(told: SpentLimit, context: LetterContext): EmailContent {
  const { account_name: name, used } = told;
  return {
    subject: `A spend limit stops new images: ${name}`,
    ...about(
      told,
      context,
      [
        `${mostOf(told, context)}, and has spent ${used} ${context.currency} of it. What is left does not cover an image that was asked for, so it was refused.`,
        `Others that cost more than what is left are refused${untilAnew(told)}. Whoever may change the limit can raise it sooner.`,
      ],
      because,
    ),
  };
}

function mostOf({ account_name: name, key_id: keyId, limit, most }: SpentLimit, { currency }: LetterContext) {
  const who = keyId === null ? `"${name}"` : `The key ${keyId} of "${name}"`;
  return `${who} may spend ${most} ${currency} ${inTime[limit] ?? ''}`;
}

function untilAnew({ resets_at: anew }: SpentLimit): string {
  return anew === null ? '' : ` until ${readable(anew)}, when counting starts anew`;
}

function expiringKey(told: ExpiringKey, { publicUrl }: LetterContext): EmailContent {
  const { account_id: accountId, account_name: account, name, hint, other_keys: others = 0 } = told;
  const more = othersOf(told);
  return {
    subject: others === 0 ? `An API key ends soon: ${name}` : `${others + 1} API keys end soon: ${account}`,
    said: [
      `An API key of "${account}" ends on ${readable(told.expires_at)}. Requests with it are refused from then on.`,
      ...(more ? [more] : []),
      'Create another key before, and put it where this one is used. Rolling makes a new key with the same end.',
    ],
    facts: [
      ['Name', name],
      ['Key', hint],
      ['Last used', told.last_used_at === null ? 'Never' : readable(told.last_used_at)],
    ],
    action: { label: 'Create a key', url: `${publicUrl()}/accounts/${accountId}/keys` },
    why: because,
  };
}

/** Undefined where there are none. */
function othersOf({ other_keys: count = 0, other_names: names = [] }: ExpiringKey): string | undefined {
  if (count === 0) return undefined;
  const rest = count - names.length;
  const named = names.map((name) => `"${name}"`).join(', ');
  const all = rest > 0 ? `${named} and ${rest} more` : named;
  return `These end within a week as well: ${all}. The page of the keys says when.`;
}

function receipt(told: ReceivedPayment, { publicUrl, currency }: LetterContext): EmailContent {
  const { receipt_url: url } = told;
  const { account_id: accountId, account_name: account, payment_id: paymentId, debt_paid: debt } = told;
  return {
    subject: `Receipt for ${told.amount} ${currency}: ${account}`,
    said: [`Thank you: a payment for "${account}" arrived and was credited.`],
    facts: [
      ['Paid', `${told.amount} ${currency}`],
      ...(Number(debt) > 0 ? [['Of which paid what was owed', `${debt} ${currency}`] as const] : []),
      ['Balance after it', `${told.balance} ${currency}`],
      ['Reference', told.reference],
    ],
    action: {
      label: 'Open the balance',
      url: `${publicUrl()}/accounts/${accountId}/balance?payment=${paymentId}`,
    },
    ...(url && { also: { label: 'Receipt of the provider of payments', url } }),
    notes: ['Taxes, where there are any, are on the receipt of the provider of payments.'],
    why: because,
  };
}

function strike(told: Strike, context: LetterContext): EmailContent {
  const { account_name: name, refusals, paused } = told;
  const until = paused?.until
    ? `until ${readable(paused.until)}`
    : 'until an operator of this installation resumes it';
  return {
    subject: `Requests refused by the policy: ${name}`,
    ...about(
      told,
      context,
      [
        `The policy of this installation refused ${refusals} requests or images of "${name}" in a short time.`,
        paused ? `The account makes nothing new ${until}.` : 'The account goes on.',
      ],
      because,
    ),
  };
}

/** `22 November 2026, 00:00 UTC` */
function readable(iso: string): string {
  const at = new Date(iso);
  const day = at.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return `${day}, ${iso.slice(11, 16)} UTC`;
}

function about(
  { account_id: accountId }: Told,
  { publicUrl }: LetterContext,
  said: readonly string[],
  why = `${because} What it tells of is set on that page, under "Alerts".`,
) {
  const url = `${publicUrl()}/accounts/${accountId}/balance`;
  return { said, action: { label: 'Balance, limits and alerts', url }, why };
}

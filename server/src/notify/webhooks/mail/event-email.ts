import type { Language } from '../../../accounts/people/language.ts';
import { type Say, sayIn, sayTime } from '../../emails/say.ts';
import type { EmailContent } from '../../emails/write-email.ts';
import type { DeliveredEvent } from '../delivery.ts';

export interface EventEmailContext {
  currency: string;
  takesPayments(): boolean;
  /** The panel's address, known once the server listens. */
  publicUrl: () => string;
}

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
  /** Absent in events that older versions wrote. */
  other_keys?: number;
  other_names?: string[];
}
interface ReceivedPayment extends Told {
  payment_id: string;
  amount: string;
  reference: string;
  debt_paid: string;
  balance: string;
  /** Absent in events that older versions wrote. */
  receipt_url?: string | null;
}
interface StoppedTopUp extends Told {
  reason: string;
  card: string | null;
}
interface Strike extends Told {
  refusals: number;
  paused: { until: string | null } | null;
}

/** @throws Error for an event without an email */
export function describeEventEmail(
  { type, data }: Pick<DeliveredEvent, 'type' | 'data'>,
  described: EventEmailContext,
  language: Language = 'en',
): EmailContent {
  const context = { ...described, say: sayIn(language), time: (iso: string) => sayTime(language, iso) };
  const content = contentOf({ type, data }, context);
  return { ...content, language };
}

interface Context extends EventEmailContext {
  say: Say;
  time(iso: string): string;
}

function contentOf({ type, data }: Pick<DeliveredEvent, 'type' | 'data'>, context: Context): EmailContent {
  if (data === null) throw new Error('the event tells of a job');
  // The casts are safe: an event's data was recorded in the form of its type.
  if (type === 'balance.low') return lowBalance(data as LowBalance, context);
  if (type === 'spend_limit.near') return nearLimit(data as NearLimit, context);
  if (type === 'spend_limit.reached') return reachedLimit(data as SpentLimit, context);
  if (type === 'key.expiring') return expiringKey(data as ExpiringKey, context);
  if (type === 'payment.received') return receipt(data as ReceivedPayment, context);
  if (type === 'top_up.stopped') return stoppedTopUp(data as StoppedTopUp, context);
  if (type === 'policy.strike') return strike(data as Strike, context);
  throw new Error(`there is no email about ${type}`);
}

function lowBalance(told: LowBalance, context: Context): EmailContent {
  const { account_name: name, threshold, balance } = told;
  const { currency, say } = context;
  const fell = say(
    'The balance of "{name}" has fallen below {threshold} {currency}: {balance} {currency} is left, some of which may be reserved for unfinished jobs.',
    { name, threshold, balance, currency },
  );
  const lasts = say('Images are made while it lasts. An image that costs more than what is left is refused.');
  const subject = say('Low balance: {name}', { name });
  if (!context.takesPayments())
    return {
      subject,
      ...about(told, context, [fell, `${lasts} ${say('An operator of this installation adds credit.')}`]),
    };
  const { action: also, ...rest } = about(told, context, [fell, lasts]);
  return { subject, action: { label: say('Add credit'), url: `${also.url}?add=credit` }, also, ...rest };
}

function because({ say }: Context): string {
  return say('You get this email because you own the account or handle its billing.');
}

function nearLimit(told: NearLimit, context: Context): EmailContent {
  const { account_name: name, percent } = told;
  const { say } = context;
  return {
    subject: say('{percent} % of a spend limit is used: {name}', { percent, name }),
    ...about(told, context, [
      mostOf(told, context),
      told.resets_at === null
        ? say('Once all of it is used, new images are refused.')
        : say('Once all of it is used, new images are refused until {time}, when the limit resets.', {
            time: context.time(told.resets_at),
          }),
    ]),
  };
}

function reachedLimit(told: SpentLimit, context: Context): EmailContent {
  const { account_name: name, resets_at: resetsAt } = told;
  const { say } = context;
  return {
    subject: say('A spend limit stops new images: {name}', { name }),
    ...about(
      told,
      context,
      [
        `${mostOf(told, context)} ${say('What is left did not cover a requested image, so it was refused.')}`,
        `${
          resetsAt === null
            ? say('Images that cost more than what is left are refused.')
            : say(
                'Images that cost more than what is left are refused until {time}, when the limit resets.',
                { time: context.time(resetsAt) },
              )
        } ${say('Anyone who may change the limit can raise it sooner.')}`,
      ],
      because(context),
    ),
  };
}

/** One sentence per limit, because the order of words differs between languages. */
function mostOf(told: SpentLimit, { currency, say }: Context): string {
  const { account_name: name, key_id: key, limit, most, used } = told;
  const values = { name, key: key ?? '', most, used, currency };
  const texts: Record<string, [ofAccount: string, ofKey: string]> = {
    spend_hour: [
      say('"{name}" may spend {most} {currency} in an hour, and has spent {used} {currency} of it.', values),
      say(
        'The key {key} of "{name}" may spend {most} {currency} in an hour, and has spent {used} {currency} of it.',
        values,
      ),
    ],
    spend_day: [
      say('"{name}" may spend {most} {currency} in a day, and has spent {used} {currency} of it.', values),
      say(
        'The key {key} of "{name}" may spend {most} {currency} in a day, and has spent {used} {currency} of it.',
        values,
      ),
    ],
    spend_month: [
      say('"{name}" may spend {most} {currency} in a month, and has spent {used} {currency} of it.', values),
      say(
        'The key {key} of "{name}" may spend {most} {currency} in a month, and has spent {used} {currency} of it.',
        values,
      ),
    ],
    spend_total: [
      say('"{name}" may spend {most} {currency} in all, and has spent {used} {currency} of it.', values),
      say(
        'The key {key} of "{name}" may spend {most} {currency} in all, and has spent {used} {currency} of it.',
        values,
      ),
    ],
  };
  return texts[limit]?.[key === null ? 0 : 1] ?? '';
}

function expiringKey(told: ExpiringKey, context: Context): EmailContent {
  const { publicUrl, say, time } = context;
  const { account_id: accountId, account_name: account, name, hint, other_keys: others = 0 } = told;
  const more = othersOf(told, say);
  return {
    subject:
      others === 0
        ? say('An API key expires soon: {name}', { name })
        : say('{count} API keys expire soon: {account}', { count: others + 1, account }),
    said: [
      say('An API key of "{account}" expires on {time}. Requests with it are refused from then on.', {
        account,
        time: time(told.expires_at),
      }),
      ...(more ? [more] : []),
      say(
        'Create another key before then, and use it in place of this one. Rolling makes a new key with the same end.',
      ),
    ],
    facts: [
      [say('Name'), name],
      [say('Key'), hint],
      [say('Last used'), told.last_used_at === null ? say('Never') : time(told.last_used_at)],
    ],
    action: { label: say('Create a key'), url: `${publicUrl()}/accounts/${accountId}/keys` },
    why: because(context),
  };
}

function othersOf(
  { other_keys: count = 0, other_names: names = [] }: ExpiringKey,
  say: Say,
): string | undefined {
  if (count === 0) return undefined;
  const rest = count - names.length;
  const named = names.map((name) => `"${name}"`).join(', ');
  const all = rest > 0 ? say('{named} and {rest} more', { named, rest }) : named;
  return say('These also expire within a week: {all}. The API keys page shows when.', { all });
}

function receipt(told: ReceivedPayment, context: Context): EmailContent {
  const { publicUrl, currency, say } = context;
  const { receipt_url: url } = told;
  const { account_id: accountId, account_name: account, payment_id: paymentId, debt_paid: debt } = told;
  return {
    subject: say('Receipt for {amount} {currency}: {account}', { amount: told.amount, currency, account }),
    said: [say('Thank you: a payment for "{account}" arrived and was credited.', { account })],
    facts: [
      [say('Paid'), `${told.amount} ${currency}`],
      ...(Number(debt) > 0 ? [[say('Paid towards the debt'), `${debt} ${currency}`] as const] : []),
      [say('New balance'), `${told.balance} ${currency}`],
      [say('Reference'), told.reference],
    ],
    action: {
      label: say('Open the balance'),
      url: `${publicUrl()}/accounts/${accountId}/balance?payment=${paymentId}`,
    },
    ...(url && { also: { label: say('Receipt from the payment provider'), url } }),
    notes: [say('Taxes, if any, are on the receipt from the payment provider.')],
    why: because(context),
  };
}

/** One sentence per reason, because whole sentences are translated. */
function whyStopped(reason: string, { say }: Context): string {
  if (reason === 'authentication_required')
    return say(
      'The bank wants a person to confirm the payment. Add credit now, or save the card again and confirm it there; then turn automatic top-up on again.',
    );
  if (reason === 'card_removed')
    return say(
      'The card was removed at the payment provider. Save a card, and turn automatic top-up on again.',
    );
  if (reason === 'disputed')
    return say('A payment of the account is disputed. Turn automatic top-up on again once that is over.');
  return say(
    'The bank refused the card. Ask the bank why, or save another card; then turn automatic top-up on again.',
  );
}

function stoppedTopUp(told: StoppedTopUp, context: Context): EmailContent {
  const { publicUrl, say } = context;
  const { account_id: accountId, account_name: name, reason, card } = told;
  const stopped =
    card === null
      ? say('The card of "{name}" is no longer charged automatically.', { name })
      : say('The card of "{name}" ({card}) is no longer charged automatically.', { name, card });
  return {
    subject: say('Automatic top-up has stopped: {name}', { name }),
    said: [`${stopped} ${whyStopped(reason, context)}`, say('Images are made while the balance lasts.')],
    action: { label: say('Open the balance'), url: `${publicUrl()}/accounts/${accountId}/balance` },
    why: because(context),
  };
}

function strike(told: Strike, context: Context): EmailContent {
  const { account_name: name, refusals, paused } = told;
  const { say } = context;
  return {
    subject: say('Requests refused by the policy: {name}', { name }),
    ...about(
      told,
      context,
      [
        say(
          'The policy of this installation refused {refusals} requests or images of "{name}" in a short time.',
          { refusals, name },
        ),
        !paused
          ? say('The account keeps working.')
          : paused.until
            ? say('New images are refused until {time}.', { time: context.time(paused.until) })
            : say('New images are refused until an operator of this installation resumes the account.'),
      ],
      because(context),
    ),
  };
}

function about(
  { account_id: accountId }: Told,
  context: Context,
  said: readonly string[],
  why = `${because(context)} ${context.say('What it reports is set on that page, under "Alerts".')}`,
) {
  const url = `${context.publicUrl()}/accounts/${accountId}/balance`;
  return { said, action: { label: context.say('Balance, limits and alerts'), url }, why };
}

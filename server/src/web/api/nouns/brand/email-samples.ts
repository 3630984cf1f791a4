import Type, { type Static } from 'typebox';
import { emailKinds } from '../../../../accounts/people/outbox-store.ts';
import { linkUrl } from '../../../../accounts/people/panel-link.ts';
import type { Brand } from '../../../../base/brand/brand.ts';
import { turnedOffBy, wordsOf } from '../../../../notify/emails/describe-email.ts';
import { type Email, type EmailContent, logoId, writeEmail } from '../../../../notify/emails/write-email.ts';
import { type EventType, topicOf } from '../../../../notify/webhooks/event-types.ts';
import { describeEventEmail } from '../../../../notify/webhooks/mail/event-email.ts';

export const emailSampleSchema = Type.Object(
  {
    kind: Type.String({ description: 'The template.' }),
    subject: Type.String(),
    text: Type.String(),
    html: Type.String(),
  },
  { title: 'EmailSample' },
);

interface SampleContext {
  brand: Brand;
  currency: string;
  publicUrl: string;
  takesPayments: boolean;
}

export function emailSamples({
  brand,
  currency,
  publicUrl,
  takesPayments,
}: SampleContext): Static<typeof emailSampleSchema>[] {
  const context = { currency, takesPayments: () => takesPayments, publicUrl: () => publicUrl };
  const words = {
    here: publicUrl,
    link: linkUrl(publicUrl, { token: 'made-up' }),
    model: 'nb2',
    currency,
    margins,
  };
  const offUrl = `${publicUrl}/unsubscribe/made-up`;
  const emails: [kind: string, content: EmailContent][] = [
    ...samples.map(([type, data]): [string, EmailContent] => {
      const content = describeEventEmail({ type, data: { ...account, ...data } }, context);
      return [type, topicOf(type) === null ? content : { ...content, unsubscribeUrl: offUrl }];
    }),
    ...emailKinds.map((kind): [string, EmailContent] => {
      const content = wordsOf(kind, words);
      return [kind, turnedOffBy[kind] ? { ...content, unsubscribeUrl: offUrl } : content];
    }),
  ];
  // The logo is embedded, because a preview has no attachments.
  return emails.map(([kind, content]) => ({ kind, ...withLogo(writeEmail(content, brand), brand) }));
}

function withLogo(email: Email, { logo }: Brand): Email {
  if (!logo) return email;
  const data = `data:image/png;base64,${logo.bytes.toString('base64')}`;
  return { ...email, html: email.html.replace(`cid:${logoId}`, data) };
}

const account = { account_id: '01930000-0000-7000-8000-000000000000', account_name: 'Acme' };

const monthly = {
  ...{ of: 'account', key_id: null, limit: 'spend_month', most: '100.00' },
  resets_at: '2026-12-01T00:00:00.000Z',
};

const margins = [
  {
    ...{ model: 'nb2', alert: 'below_cost' as const, images: 240 },
    ...{ revenue_per_image: '0.04', cost_per_image: '0.0452', cost_before: '0.039' },
  },
];

const samples: [type: EventType, data: object][] = [
  ['balance.low', { threshold: '5.00', balance: '4.20' }],
  ['spend_limit.near', { ...monthly, percent: 80, used: '80.40' }],
  ['spend_limit.reached', { ...monthly, used: '99.98' }],
  [
    'key.expiring',
    {
      ...{ key_id: account.account_id, name: 'website', hint: 'dk_Ab12…9xYz' },
      ...{ expires_at: '2026-12-08T00:00:00.000Z', last_used_at: '2026-12-01T09:41:00.000Z' },
      ...{ other_keys: 0, other_names: [] },
    },
  ],
  [
    'payment.received',
    {
      ...{ payment_id: account.account_id, reference: 'pi_3QK5dLAbCdEfGh01', amount: '25.00' },
      ...{ debt_paid: '0.00', balance: '29.20', receipt_url: 'https://pay.stripe.com/receipts/made-up' },
    },
  ],
  ['top_up.stopped', { reason: 'declined', card: 'visa 4242' }],
  ['policy.strike', { refusals: 5, paused: { until: '2026-12-01T08:00:00.000Z' } }],
];

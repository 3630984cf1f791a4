import Type, { type Static } from 'typebox';
import type { Brand } from '../../../../base/brand/brand.ts';
import { logoId } from '../../../../notify/emails/write-email.ts';
import { writeLetter } from '../../../../notify/webhooks/mail/letter.ts';

export const emailSampleSchema = Type.Object(
  {
    kind: Type.String({ description: 'What it tells.' }),
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
}

/** Every email of an account, with data made up for it. */
export function emailSamples({
  brand,
  currency,
  publicUrl,
}: SampleContext): Static<typeof emailSampleSchema>[] {
  const context = { currency, brand: () => brand, publicUrl: () => publicUrl };
  return samples.map(([kind, data]) => ({
    kind,
    // What is shown needs no file beside it.
    ...withLogo(writeLetter({ type: kind, data: { ...account, ...data } }, context), brand),
  }));
}

function withLogo(email: ReturnType<typeof writeLetter>, { logo }: Brand): typeof email {
  if (!logo) return email;
  const data = `data:image/png;base64,${logo.bytes.toString('base64')}`;
  return { ...email, html: email.html.replace(`cid:${logoId}`, data) };
}

const account = { account_id: '01930000-0000-7000-8000-000000000000', account_name: 'Acme' };

const samples: [kind: string, data: object][] = [
  ['balance.low', { threshold: '5.00', balance: '4.20' }],
  [
    'spend_limit.near',
    {
      ...{ of: 'account', key_id: null, limit: 'spend_month', percent: 80, used: '80.40', most: '100.00' },
      resets_at: '2026-12-01T00:00:00.000Z',
    },
  ],
  ['policy.strike', { refusals: 5, paused: { until: '2026-12-01T08:00:00.000Z' } }],
];

import type { TopUp } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useAccountId, useRights } from '../../api/account.ts';
import { useRead, useSend } from '../../api/queries.ts';
import { send } from '../../api/send.ts';
import { t } from '../../languages/words.ts';
import { useSearchState } from '../../search-state.ts';
import { ConfirmButton } from '../../ui/dialog/confirm-button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { once } from '../jobs/idempotency.ts';
import { microsOf } from '../money/sum.ts';
import { TopUpForm } from './top-up-form.tsx';

const everyMs = 2_000;

export function OwnTopUp() {
  const params = { account_id: useAccountId() };
  const [{ card: saved }, change] = useSearchState();
  const isAwaited = saved !== undefined;
  const { data } = useRead('GET /api/v1/top-up', { params }, isAwaited ? { everyMs } : {});
  const isHere = isAwaited && data?.card != null;
  useEffect(() => {
    // `card` is removed from the URL, because a reload would otherwise wait for the card again.
    if (isHere) change({ card: undefined });
  });
  if (!data || (!data.offered && data.status === 'off')) return null;
  return (
    <Section title="Automatic top-up" actions={<Actions topUp={data} />}>
      <div className="card padded stack tight">
        {data.status === 'stopped' && (
          <Notice tone="warn" title="The card is no longer charged">
            <p>{whyStopped[data.stopped_by ?? 'declined']}</p>
          </Notice>
        )}
        {isAwaited && <p className="small">The card is being confirmed.</p>}
        <Told {...data} />
      </div>
    </Section>
  );
}

const whyStopped: Record<NonNullable<TopUp['stopped_by']>, string> = {
  declined: t(
    'The bank refused the card. Ask the bank why, or replace it; then turn automatic top-up on again.',
  ),
  authentication_required: t(
    'The bank wants a person to confirm the payment. Add credit now, or replace the card and confirm it there; then turn automatic top-up on again.',
  ),
  card_removed: t(
    'The card was removed at the payment provider. Save a card, and turn automatic top-up on again.',
  ),
  disputed: t('A payment is disputed. Turn it on again once that is over.'),
};

function Told({ status, card, threshold, amount, month_most: most, month_used: used }: TopUp) {
  if (!card && status === 'stopped') return null;
  if (!card)
    return (
      <p className="soft small">
        Off. When on, a saved card is charged whenever the available balance falls below an amount that you
        set, up to a monthly limit.
      </p>
    );
  const [year, month] = card.ends.split('-');
  return (
    <>
      <p className="small">
        {card.brand} ending in {card.last4}, valid until {month}/{year}.
      </p>
      {status === 'off' && (
        <p className="soft small">It is not charged until automatic top-up is turned on.</p>
      )}
      {status !== 'off' && (
        <p className="small">
          When less than <Money amount={threshold ?? ''} /> is available, it pays{' '}
          <Money amount={amount ?? ''} />. In this month <Money amount={used} /> of at most{' '}
          <Money amount={most ?? ''} /> is charged.
        </p>
      )}
      {status === 'on' && microsOf(used) + microsOf(amount ?? '') > microsOf(most ?? '') && (
        <p className="small">Nothing more is charged in this month.</p>
      )}
    </>
  );
}

function Actions({ topUp }: { topUp: TopUp }) {
  const params = { account_id: useAccountId() };
  const mayChange = useRights().includes('set_top_up');
  const [opened, setOpened] = useState(false);
  const remove = useSend('DELETE /api/v1/top-up', ['GET /api/v1/top-up']);
  const { status, card } = topUp;
  if (!mayChange) return null;
  return (
    <>
      {topUp.offered && <CardButton label={card ? 'Replace card' : 'Save a card'} />}
      {topUp.offered && card && (
        <Button size="xs" variant="default" onClick={() => setOpened(true)}>
          {turnWords[status]}
        </Button>
      )}
      {(card || status !== 'off') && (
        <ConfirmButton
          label="Turn off"
          size="xs"
          name="Turn off automatic top-up"
          title="Turn off automatic top-up?"
          action="Turn off and forget the card"
          sending={remove}
          onConfirm={() => remove.mutate({ params })}
        >
          The card is forgotten, and nothing more is charged automatically. What is being charged now is still
          credited.
        </ConfirmButton>
      )}
      <Dialog title="Automatic top-up" opened={opened} onClose={() => setOpened(false)}>
        <TopUpForm topUp={topUp} onClose={() => setOpened(false)} />
      </Dialog>
    </>
  );
}

const turnWords = { off: t('Turn on'), on: t('Change'), stopped: t('Turn on again') };

function CardButton({ label }: { label: string }) {
  const params = { account_id: useAccountId() };
  const call = 'POST /api/v1/top-up/card';
  const open = useSend(call, [], (input) =>
    once(input, (idempotencyKey) => send(call, input, { idempotencyKey })),
  );
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={open.isPending}
        onClick={() => open.mutate({ params }, { onSuccess: ({ url }) => location.assign(url) })}
      >
        {label}
      </Button>
      <ProblemAlert error={open.error} />
    </>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useAccountId, useRights } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { amount as formatted } from '../../languages/format.ts';
import { paths } from '../../paths.ts';
import { useSearchState } from '../../search-state.ts';
import { Link } from '../../ui/link.tsx';
import { Notice } from '../../ui/notice.tsx';
import { changedByCredit } from '../money/changed-by-credit.ts';

const everyMs = 2_000;

export function PaymentNotice() {
  const [{ payment }] = useSearchState();
  return payment === undefined ? null : <Follow key={payment} paymentId={payment} />;
}

function Follow({ paymentId }: { paymentId: string }) {
  const params = { account_id: useAccountId(), payment_id: paymentId };
  const client = useQueryClient();
  const [isOver, setOver] = useState(false);
  const { data } = useRead('GET /api/v1/payments/:payment_id', { params }, isOver ? {} : { everyMs });
  const isPaid = data?.status === 'paid';
  useEffect(() => setOver(data !== undefined && data.status !== 'open'), [data]);
  useEffect(() => {
    if (isPaid) for (const call of changedByCredit) void client.invalidateQueries({ queryKey: [call] });
  }, [isPaid, client]);
  if (data === undefined) return null;
  if (isPaid)
    return (
      <Notice tone="calm" title={`${formatted(data.amount)} was added to the balance`} alert>
        <NextSteps accountId={params.account_id} />
      </Notice>
    );
  if (data.status !== 'open')
    return <Notice tone="warn" title="Nothing was paid, and nothing was added" alert />;
  return (
    <Notice tone="calm" title={`The payment of ${formatted(data.amount)} is being confirmed`}>
      <p>It is added as soon as the payment arrives. Some payment methods take days.</p>
    </Notice>
  );
}

function NextSteps({ accountId }: { accountId: string }) {
  const rights = useRights();
  return (
    <p className="row in-text">
      {rights.includes('make_pictures') && <Link href={paths.make(accountId)}>Make an image</Link>}
      {rights.includes('change_setup') && (
        <Link href={paths.keys(accountId, { new: 'yes' })}>Create an API key</Link>
      )}
    </p>
  );
}

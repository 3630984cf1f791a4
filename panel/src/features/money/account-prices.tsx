import type { OperatorAccount } from '@darkroom/server/panel-contract';
import { NativeSelect } from '@mantine/core';
import { useRead, useSend } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { Link } from '../../ui/link.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';

export function AccountPrices({ account }: { account: OperatorAccount }) {
  const groups = useRead('GET /admin/v1/price-groups', {});
  const change = useSend('PATCH /admin/v1/accounts/:account', [
    'GET /admin/v1/accounts/:account',
    'GET /admin/v1/price-groups',
    'GET /api/v1/models',
  ]);
  const { account_id, name, price_group: own, erased_at } = account;
  const known = groups.data?.data ?? [];
  if (known.length === 0)
    return (
      <>
        As the models say. <Link href={paths.prices()}>Price groups</Link>
      </>
    );
  return (
    <>
      <NativeSelect
        size="xs"
        maw={280}
        aria-label={`Prices of ${name}`}
        disabled={change.isPending || erased_at !== null}
        value={own ?? ''}
        data={[
          { value: '', label: t('As the models say') },
          ...known.map(({ price_group_id: id, name }) => ({ value: id, label: name ?? id })),
        ]}
        onChange={(event) =>
          change.mutate({
            params: { account: account_id },
            body: { price_group: event.currentTarget.value || null },
          })
        }
      />
      {change.error && <ProblemAlert error={change.error} />}
    </>
  );
}

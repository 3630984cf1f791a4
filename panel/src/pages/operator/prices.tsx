import { Button } from '@mantine/core';
import { useState } from 'react';
import { useRead, useSend } from '../../api/queries.ts';
import { type PriceGroup, PriceGroupForm } from '../../features/money/price-group-form.tsx';
import { actorText } from '../../features/operator/audit-words.ts';
import { utcDay } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { ConfirmButton } from '../../ui/dialog/confirm-button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Link } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { Page } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { RelativeTime } from '../../ui/time.tsx';

export function PricesPage() {
  const groups = useRead('GET /admin/v1/price-groups', {});
  // Keeps the group while the dialog fades out.
  const [{ group, opened }, setDialog] = useState<{ group?: PriceGroup; opened: boolean }>({ opened: false });
  const close = () => setDialog((before) => ({ ...before, opened: false }));
  const add = <Button onClick={() => setDialog({ opened: true })}>Add a price group</Button>;
  return (
    <Page
      title="Prices"
      intro={
        <>
          What some accounts pay other than the models say. Put an account into a group on{' '}
          <Link href={paths.operatorAccounts()}>its page</Link>; its jobs keep the price that they were
          accepted with.
        </>
      }
      actions={groups.data?.data.length !== 0 && add}
    >
      <Await query={groups} wait={<TableSkeleton rows={3} />}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No price group yet" action={add}>
              All accounts pay what the models say. A group takes a part off all prices, or has prices of its
              own for models and sizes.
            </EmptyState>
          ) : (
            <Table groups={data} onEdit={(one) => setDialog({ group: one, opened: true })} />
          )
        }
      </Await>
      <Dialog
        title={group ? `Change ${titleOf(group)}` : 'Add a price group'}
        opened={opened}
        onClose={close}
      >
        <PriceGroupForm group={group} onClose={close} />
      </Dialog>
    </Page>
  );
}

function titleOf({ name, price_group_id }: PriceGroup): string {
  return name ?? price_group_id;
}

function Table({ groups, onEdit }: { groups: PriceGroup[]; onEdit: (group: PriceGroup) => void }) {
  return (
    <DataTable
      caption="Price groups"
      rows={groups}
      rowKey={(one) => one.price_group_id}
      columns={[
        { name: t('Group'), cell: (one) => <Name group={one} /> },
        { name: t('Prices'), cell: (one) => <Prices group={one} /> },
        { name: t('Accounts'), align: 'end', cell: ({ accounts }) => accounts },
        {
          name: t('Changed'),
          align: 'end',
          wideOnly: true,
          cell: ({ changed_at, author }) => (
            <>
              <RelativeTime at={changed_at} />
              <div className="soft tiny">{actorText(author)}</div>
            </>
          ),
        },
        {
          name: t('Actions'),
          quiet: true,
          align: 'end',
          cell: (one) => (
            <div className="row">
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Change ${titleOf(one)}`}
                onClick={() => onEdit(one)}
              >
                Change
              </Button>
              <Remove group={one} />
            </div>
          ),
        },
      ]}
    />
  );
}

function Name({ group }: { group: PriceGroup }) {
  return (
    <>
      <span className="strong">{titleOf(group)}</span>
      {group.name !== null && (
        <div className="soft tiny">
          <code>{group.price_group_id}</code>
        </div>
      )}
    </>
  );
}

function Prices({ group: { factor, prices, from, until } }: { group: PriceGroup }) {
  const period = [
    from && t('from {day}', { day: dayOf(from) }),
    until && t('until {day}', { day: dayOf(until) }),
  ].filter(Boolean);
  return (
    <>
      <div className="nowrap">× {factor}</div>
      {prices.map(({ model, resolution, price, ...own }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: prices have no id, and do not move
        <div key={index} className="tiny">
          {model} {resolution}: <Money amount={price} />
          {own.from && ` from ${dayOf(own.from)}`}
          {own.until && ` until ${dayOf(own.until)}`}
        </div>
      ))}
      {period.length > 0 && <div className="soft tiny">{period.join(' ')}</div>}
    </>
  );
}

function dayOf(at: string): string {
  return utcDay(at);
}

function Remove({ group }: { group: PriceGroup }) {
  const { price_group_id } = group;
  const remove = useSend('DELETE /admin/v1/price-groups/:price_group_id', ['GET /admin/v1/price-groups']);
  return (
    <ConfirmButton
      label="Remove"
      name={`Remove ${titleOf(group)}`}
      why={group.accounts > 0 ? 'Take its accounts out of it first' : undefined}
      title={`Remove ${titleOf(group)}?`}
      action="Remove price group"
      sending={remove}
      onConfirm={() => remove.mutate({ params: { price_group_id } })}
    >
      No account is in it. Its versions are kept.
    </ConfirmButton>
  );
}

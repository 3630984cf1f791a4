import type { AnswerOf, NewKey } from '@darkroom/server/panel-contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount, useAccountId } from '../api/account.ts';
import { readPages } from '../api/queries.ts';
import { CreateKey } from '../features/keys/create-key.tsx';
import classes from '../features/keys/key-parts.module.css';
import { KeyActions, KeyModels, KeyStatus } from '../features/keys/key-parts.tsx';
import { KeySecret } from '../features/keys/key-secret.tsx';
import { NearestLimit } from '../features/limits/limits.tsx';
import { number } from '../languages/format.ts';
import { t } from '../languages/words.ts';
import { paths } from '../paths.ts';
import { useSearchState } from '../search-state.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Link } from '../ui/link.tsx';
import { Money } from '../ui/money.tsx';
import { Page } from '../ui/page.tsx';
import { Await } from '../ui/problem-alert.tsx';
import { TableSkeleton } from '../ui/skeletons.tsx';
import { DataTable } from '../ui/table/data-table.tsx';
import { LoadMore } from '../ui/table/load-more.tsx';
import { RelativeTime } from '../ui/time.tsx';

type Key = AnswerOf<'GET /panel/accounts/:account_id/keys'>['data'][number];

export function KeysPage() {
  const accountId = useAccountId();
  const disabled = useAccount()?.disabled ?? false;
  const [search, change] = useSearchState();
  const [made, setMade] = useState<NewKey>();
  const keys = useInfiniteQuery(
    readPages('GET /panel/accounts/:account_id/keys', {
      params: { account_id: accountId },
      query: { limit: '100' },
    }),
  );
  const rows = keys.data?.pages.flatMap((page) => page.data);
  const create = (
    <ActionButton
      why={disabled ? 'This account is disabled.' : undefined}
      onClick={() => change({ new: 'yes' })}
    >
      Create key
    </ActionButton>
  );
  return (
    <Page
      title="API keys"
      intro="Programs call the API with a key. A key can be limited to certain models; its secret is shown once."
      actions={rows?.length !== 0 && create}
    >
      <Await query={{ ...keys, data: rows }} wait={<TableSkeleton rows={4} />}>
        {(data) =>
          data.length === 0 ? (
            <EmptyState title="No keys yet" action={create}>
              A program sends its key in the header <code>Authorization: Bearer …</code>. Create one key per
              program: each then shows what it spends, and one can be disabled without the others.
            </EmptyState>
          ) : (
            <>
              <KeyTable keys={data} accountId={accountId} onRolled={setMade} />
              <LoadMore query={keys} />
            </>
          )
        }
      </Await>
      <CreateKey
        opened={search.new !== undefined && !made}
        onClose={() => change({ new: undefined })}
        onCreated={setMade}
      />
      <KeySecret
        made={made}
        onClose={() => {
          setMade(undefined);
          change({ new: undefined });
        }}
      />
    </Page>
  );
}

function KeyTable(props: { keys: Key[]; accountId: string; onRolled: (made: NewKey) => void }) {
  const { accountId } = props;
  return (
    <DataTable
      caption="API keys"
      rows={props.keys}
      rowKey={(key) => key.key_id}
      columns={[
        { name: t('Key'), cell: (key) => <Name apiKey={key} accountId={accountId} /> },
        { name: t('Models'), wideOnly: true, cell: (key) => <KeyModels models={key.models} /> },
        { name: t('Status'), cell: (key) => <KeyStatus apiKey={key} /> },
        {
          name: t('Last used'),
          wideOnly: true,
          cell: (key) => (
            <>
              <LastUsed apiKey={key} />
              {key.last_used_address && <div className="soft tiny">{key.last_used_address}</div>}
            </>
          ),
        },
        {
          name: t('Spent in 30 days'),
          align: 'end',
          wideOnly: true,
          cell: (key) => (
            <>
              <Money amount={key.spent_30d} />
              <div className="soft tiny">{number(key.jobs_30d)} jobs</div>
            </>
          ),
        },
        { name: t('Limit'), wideOnly: true, cell: (key) => <NearestLimit rows={key.limits} /> },
        {
          name: t('Actions'),
          quiet: true,
          align: 'end',
          cell: (key) => <KeyActions apiKey={key} onRolled={props.onRolled} />,
        },
      ]}
    />
  );
}

function Name({ apiKey, accountId }: { apiKey: Key; accountId: string }) {
  return (
    <div className={classes.name}>
      <Link href={paths.key(accountId, apiKey.key_id)} className="row-link strong">
        {apiKey.name}
      </Link>
      <code className="soft tiny">{apiKey.hint}</code>
      <div className="narrow-only soft tiny">
        <Money amount={apiKey.spent_30d} /> in 30 days, last used: <LastUsed apiKey={apiKey} />
        {apiKey.limits.length > 0 && <NearestLimit rows={apiKey.limits} />}
      </div>
    </div>
  );
}

function LastUsed({ apiKey: { last_used_at: at } }: { apiKey: Key }) {
  return at ? <RelativeTime at={at} /> : <span className="soft">never</span>;
}

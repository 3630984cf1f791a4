import type { Key, KeyWithSecret } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useAccount, useAccountId } from '../api/account.ts';
import { useRead, useSend } from '../api/queries.ts';
import { useSearchState } from '../api/search-state.ts';
import { modelName } from '../features/jobs/job-words.ts';
import { CreateKey } from '../features/keys/create-key.tsx';
import { KeySecret } from '../features/keys/key-secret.tsx';
import { RollKey } from '../features/keys/roll-key.tsx';
import { paths } from '../paths.ts';
import { ActionButton } from '../ui/action-button.tsx';
import { ConfirmButton } from '../ui/dialog/confirm-button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Link } from '../ui/link.tsx';
import { Money } from '../ui/money.tsx';
import { Page } from '../ui/page.tsx';
import { Await } from '../ui/problem-alert.tsx';
import { TableSkeleton } from '../ui/skeletons.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { DataTable } from '../ui/table/data-table.tsx';
import { Expiry, RelativeTime } from '../ui/time.tsx';
import classes from './keys.module.css';

export function KeysPage() {
  const accountId = useAccountId();
  const disabled = useAccount()?.disabled ?? false;
  const [search, change] = useSearchState();
  const [made, setMade] = useState<KeyWithSecret>();
  const keys = useRead('GET /panel/accounts/:account_id/keys', { params: { account_id: accountId } });
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
      actions={create}
    >
      <Await query={keys} wait={<TableSkeleton rows={4} />}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No keys yet" action={create}>
              A program sends its key in the header <code>Authorization: Bearer …</code>. Create one key per
              program: each then shows what it spends, and one can be disabled without the others.
            </EmptyState>
          ) : (
            <KeyTable keys={data} accountId={accountId} onRolled={setMade} />
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

function KeyTable(props: { keys: Key[]; accountId: string; onRolled: (made: KeyWithSecret) => void }) {
  const { accountId } = props;
  return (
    <DataTable
      caption="API keys"
      rows={props.keys}
      rowKey={(key) => key.key_id}
      columns={[
        { name: 'Key', cell: (key) => <Name apiKey={key} accountId={accountId} /> },
        { name: 'Models', wideOnly: true, cell: (key) => <Models models={key.models} /> },
        { name: 'Status', cell: (key) => <Status apiKey={key} /> },
        {
          name: 'Last used',
          wideOnly: true,
          cell: (key) =>
            key.last_used_at ? <RelativeTime at={key.last_used_at} /> : <span className="soft">never</span>,
        },
        {
          name: 'Spent in 30 days',
          align: 'end',
          wideOnly: true,
          cell: (key) => (
            <>
              <Money amount={key.spent_30d} />
              <div className="soft tiny">{key.jobs_30d} jobs</div>
            </>
          ),
        },
        {
          name: 'Actions',
          quiet: true,
          align: 'end',
          cell: (key) => <Actions apiKey={key} accountId={accountId} onRolled={props.onRolled} />,
        },
      ]}
    />
  );
}

function Name({ apiKey, accountId }: { apiKey: Key; accountId: string }) {
  return (
    <div className={classes.name}>
      <Link href={paths.jobs(accountId, { key: apiKey.key_id })} className="strong" title="Jobs of this key">
        {apiKey.name}
      </Link>
      <code className="soft tiny">{apiKey.hint}</code>
    </div>
  );
}

function Models({ models }: { models: Key['models'] }) {
  if (models === null) return <span className="soft">Every model</span>;
  return (
    <span className="row" style={{ gap: 4 }}>
      {models.map((model) => (
        <span key={model} className={classes.chip} title={modelName(model)}>
          {model}
        </span>
      ))}
    </span>
  );
}

function Status({ apiKey }: { apiKey: Key }) {
  return (
    <div>
      <StatusBadge status={apiKey.status} />
      {apiKey.expires_at && apiKey.status !== 'disabled' && (
        <div className="soft tiny">
          <Expiry at={apiKey.expires_at} />
        </div>
      )}
    </div>
  );
}

function Actions(props: { apiKey: Key; accountId: string; onRolled: (made: KeyWithSecret) => void }) {
  const { apiKey, accountId } = props;
  const [rolling, setRolling] = useState(false);
  const disable = useSend('POST /panel/accounts/:account_id/keys/:key_id/disable', [
    'GET /panel/accounts/:account_id/keys',
  ]);
  if (apiKey.status === 'disabled' || apiKey.status === 'expired') return null;
  return (
    <div className={classes.actions}>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Roll ${apiKey.name}`}
        onClick={() => setRolling(true)}
      >
        Roll
      </Button>
      <RollKey
        apiKey={apiKey}
        opened={rolling}
        onClose={() => setRolling(false)}
        onRolled={(made) => {
          setRolling(false);
          props.onRolled(made);
        }}
      />
      <ConfirmButton
        label="Disable"
        name={`Disable ${apiKey.name}`}
        title={`Disable ${apiKey.name}?`}
        action="Disable key"
        sending={disable}
        onConfirm={() => disable.mutate({ params: { account_id: accountId, key_id: apiKey.key_id } })}
      >
        Within a second, programs that use it get <code>401</code>. It stays in this list and cannot be
        enabled again. Jobs it has already created continue.
      </ConfirmButton>
    </div>
  );
}

import type { ConnectionRow, Connections } from '@darkroom/server/panel-contract';
import { Button, Menu } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useState } from 'react';
import { useRead, useSend } from '../../api/queries.ts';
import { ConnectDetails } from '../../features/connections/connect-details.tsx';
import { TrialWords } from '../../features/connections/trial-words.tsx';
import { actorText } from '../../features/operator/audit-words.ts';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { Confirm } from '../../ui/dialog/confirm.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useGo } from '../../ui/link.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Await, ProblemAlert } from '../../ui/problem-alert.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { RelativeTime } from '../../ui/time.tsx';

export function ConnectionsPage() {
  const connections = useRead('GET /panel/operator/connections', {});
  const go = useGo();
  const connect = <Button onClick={() => go(paths.connect())}>Connect a provider</Button>;
  return (
    <Page
      title="Connections"
      intro="Providers with their address and key. Routes refer to them by name. Keys are kept encrypted and never shown."
      actions={connections.data?.data.length !== 0 && connect}
    >
      <Await query={connections} wait={<TableSkeleton rows={4} />}>
        {(data) => (
          <div className="stack wide">
            {data.data.length === 0 ? (
              <EmptyState title="No connection yet" action={connect}>
                Connect a provider by its key, or a server of your own by its address. It is tried at once,
                and the models that it serves work within a second, without a restart.
              </EmptyState>
            ) : (
              <Table data={data} />
            )}
            <Environment data={data} />
          </div>
        )}
      </Await>
    </Page>
  );
}

type Doing = { what: 'check' | 'replace' | 'remove'; connection: ConnectionRow };

function Table({ data }: { data: Connections }) {
  const [doing, setDoing] = useState<Doing>();
  const close = () => setDoing(undefined);
  const { connection } = doing ?? {};
  const provider = data.providers.find((one) => one.provider === connection?.provider);
  return (
    <>
      <DataTable
        caption="Connections"
        rows={data.data}
        rowKey={(one) => one.name}
        columns={[
          { name: t('Connection'), cell: (one) => <Name connection={one} data={data} /> },
          { name: t('Key'), wideOnly: true, cell: (one) => <Key connection={one} /> },
          {
            name: t('Models'),
            cell: ({ models }) =>
              models.length > 0 ? <code>{models.join(', ')}</code> : <span className="soft">none</span>,
          },
          {
            name: t('Changed'),
            align: 'end',
            wideOnly: true,
            cell: ({ changed_at, author }) =>
              changed_at && (
                <>
                  <RelativeTime at={changed_at} />
                  <div className="soft tiny">{author && actorText(author)}</div>
                </>
              ),
          },
          {
            name: t('Actions'),
            quiet: true,
            align: 'end',
            cell: (one) => <Actions connection={one} onDo={(what) => setDoing({ what, connection: one })} />,
          },
        ]}
      />
      {connection && (
        <Dialog title={`Check ${connection.name}`} opened={doing?.what === 'check'} onClose={close}>
          <Check connection={connection} />
        </Dialog>
      )}
      {connection && provider && (
        <Dialog
          title={`Replace the key of ${connection.name}`}
          opened={doing?.what === 'replace'}
          onClose={close}
        >
          <ConnectDetails provider={provider} taken={[]} kept={connection} onSaved={close} />
        </Dialog>
      )}
      {connection && doing?.what === 'remove' && <Remove connection={connection} onClose={close} />}
    </>
  );
}

function Name({ connection, data }: { connection: ConnectionRow; data: Connections }) {
  const { name, provider, base_url, locked } = connection;
  return (
    <>
      <span className="strong">{name}</span>
      <div className="soft tiny">
        {data.providers.find((one) => one.provider === provider)?.name ?? provider}
        {base_url && ` at ${base_url}`}
      </div>
      {locked !== null && (
        <div className="tiny">
          <IconLock size={12} aria-hidden /> Set by {locked}
        </div>
      )}
    </>
  );
}

function Key({ connection: { key } }: { connection: ConnectionRow }) {
  if (key === 'unreadable') return <>cannot be read: give it again</>;
  return key === 'set' ? <>set</> : <span className="soft">none</span>;
}

function Actions({ connection, onDo }: { connection: ConnectionRow; onDo: (what: Doing['what']) => void }) {
  const { name, provider, locked } = connection;
  const go = useGo();
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <Button size="compact-sm" variant="default" aria-label={`Actions for ${name}`}>
          Actions
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onDo('check')}>Check again</Menu.Item>
        <Menu.Item
          onClick={() => go(provider === 'comfyui' ? paths.workflow(name) : paths.connect({ name }))}
        >
          {provider === 'comfyui' ? 'Make a model of a workflow' : 'Choose its models'}
        </Menu.Item>
        {locked === null && (
          <>
            <Menu.Item onClick={() => onDo('replace')}>Replace the key</Menu.Item>
            <Menu.Item onClick={() => onDo('remove')}>Remove</Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function Check({ connection: { name } }: { connection: ConnectionRow }) {
  const check = useSend('POST /admin/v1/connections/:name/check');
  return (
    <div className="stack" aria-live="polite">
      {check.data && <TrialWords trial={check.data} />}
      <ProblemAlert error={check.error} />
      <p className="small soft">The test costs nothing: no image is made.</p>
      <div>
        <Button loading={check.isPending} onClick={() => check.mutate({ params: { name } })}>
          {check.data ? 'Check again' : 'Check now'}
        </Button>
      </div>
    </div>
  );
}

function Remove({
  connection: { name, models },
  onClose,
}: {
  connection: ConnectionRow;
  onClose: () => void;
}) {
  const remove = useSend('DELETE /admin/v1/connections/:name', [
    'GET /panel/operator/connections',
    'GET /panel/operator/models',
    'GET /panel/accounts/:account_id/overview',
  ]);
  return (
    <Confirm
      title={`Remove ${name}?`}
      opened
      onClose={onClose}
      action="Remove connection"
      error={remove.error}
      pending={remove.isPending}
      onConfirm={() =>
        remove.mutate({ params: { name }, query: { with_routes: 'true' } }, { onSuccess: onClose })
      }
    >
      {models.length === 0
        ? 'No model uses it. Its key is forgotten.'
        : t(
            '{count, plural, one {{models} uses it.} other {{models} use it.}} Their routes through it are taken out, and its key is forgotten. Where no other route is left, jobs wait.',
            { count: models.length, models: models.join(', ') },
          )}
    </Confirm>
  );
}

function Environment({ data: { environment, providers } }: { data: Connections }) {
  if (environment.length === 0) return null;
  return (
    <Section title="Set by the environment" hint="Change it there, then restart">
      <DataTable
        caption="Set by the environment"
        rows={environment}
        rowKey={(one) => one.provider}
        columns={[
          {
            name: t('Provider'),
            cell: ({ provider }) => (
              <>
                <IconLock size={13} aria-hidden />{' '}
                {providers.find((one) => one.provider === provider)?.name ?? provider}
              </>
            ),
          },
          { name: t('Variables'), cell: ({ variables }) => <code>{variables.join(', ')}</code> },
          {
            name: t('Models'),
            cell: ({ models }) =>
              models.length > 0 ? <code>{models.join(', ')}</code> : <span className="soft">none</span>,
          },
        ]}
      />
    </Section>
  );
}

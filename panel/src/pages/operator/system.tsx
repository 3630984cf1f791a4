import type { AnswerOf, System } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useRead, useSend } from '../../api/queries.ts';
import { Fact, Facts, Figure, Figures } from '../../ui/figures/figures.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Await, ProblemAlert } from '../../ui/problem-alert.tsx';
import { FiguresSkeleton } from '../../ui/skeletons.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { duration, RelativeTime } from '../../ui/time.tsx';

const refreshMs = 5_000;

export function SystemPage() {
  const system = useRead('GET /panel/operator/system', {}, { everyMs: refreshMs });
  return (
    <Page title="System" intro="This process, its database and its storage, and how they are configured.">
      <Await query={system} wait={<FiguresSkeleton />}>
        {(data) => (
          <div className="stack wide">
            <Numbers system={data} />
            <Invariants />
            <div className="card padded">
              <About system={data} />
            </div>
            <Workers system={data} />
            <Processes system={data} />
            <Configuration system={data} />
          </div>
        )}
      </Await>
    </Page>
  );
}

function Numbers({ system }: { system: System }) {
  const { queue, storage, database } = system;
  return (
    <Figures>
      <Figure name="Queued" hint={`${queue.processing} processing`}>
        {queue.queued}
      </Figure>
      <Figure name="Oldest queued">
        {queue.oldest_queued_at ? <RelativeTime at={queue.oldest_queued_at} /> : '–'}
      </Figure>
      <Figure name="Free disk" hint={`of ${bytes(storage.disk_bytes)}`}>
        {bytes(storage.disk_free_bytes)}
      </Figure>
      <Figure name="Database" hint={database.kind}>
        {bytes(database.bytes)}
      </Figure>
      <Figure name="Failed sign-ins" hint="last ten minutes">
        {system.sign_in_failures}
      </Figure>
      <Figure name="Memory">{bytes(system.memory_bytes)}</Figure>
    </Figures>
  );
}

const selfCheck = 'POST /admin/v1/self-check';

function Invariants() {
  const check = useSend(selfCheck);
  return (
    <Section
      title="Self-check"
      hint="Balances, entries and jobs must agree"
      actions={
        <Button
          variant="default"
          size="xs"
          loading={check.isPending}
          onClick={() => check.mutate({ body: {} })}
        >
          Check now
        </Button>
      }
    >
      <ProblemAlert error={check.error} />
      <div aria-live="polite">{check.data && <Outcome result={check.data} />}</div>
    </Section>
  );
}

function Outcome({ result }: { result: AnswerOf<typeof selfCheck> }) {
  const looked = Object.entries(result.checked).map(
    ([what, count]) => `${count} ${what.replaceAll('_', ' ')}`,
  );
  if (result.ok) {
    return (
      <Notice tone="calm" title={result.complete ? 'Everything agrees' : 'All that was read agrees'}>
        <p>
          Looked at {looked.join(', ')} in {duration(result.ms)}.
          {!result.complete &&
            ' The server reads the rest within a day; darkroom verify reads everything at once.'}
        </p>
      </Notice>
    );
  }
  return (
    <Notice tone="bad" title={`${result.violations.length} things do not agree`}>
      <ul>
        {result.violations.map((violation) => (
          <li key={violation.invariant + violation.detail}>
            <code>{violation.invariant}</code> {violation.detail}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function About({ system }: { system: System }) {
  return (
    <Facts>
      <Fact name="Version">
        Darkroom {system.version} <span className="soft">on Node {system.node}</span>
      </Fact>
      <Fact name="Role">{system.role}</Fact>
      <Fact name="Started">
        <RelativeTime at={system.started_at} beside />
      </Fact>
      <Fact name="Database">
        {system.database.kind}, schema {system.database.schema_version}
      </Fact>
      <Fact name="Storage">{system.storage.kind}</Fact>
    </Facts>
  );
}

function Workers({ system }: { system: System }) {
  return (
    <Section title="Workers" hint="Those of all processes, idle ones too">
      {system.workers.length === 0 ? (
        <p className="soft small">None is running: jobs wait until one is.</p>
      ) : (
        <DataTable
          caption="Workers"
          rows={system.workers}
          rowKey={(worker) => worker.worker}
          columns={[
            { name: 'Worker', cell: (worker) => <code>{worker.worker}</code> },
            { name: 'Jobs', align: 'end', cell: ({ jobs, slots }) => `${jobs} of ${slots}` },
          ]}
        />
      )}
    </Section>
  );
}

function Processes({ system }: { system: System }) {
  const versions = new Set(system.processes.map(({ version }) => version));
  return (
    <Section title="Processes" hint="All that run on this database">
      {versions.size > 1 && (
        <Notice tone="calm" title="Several versions run">
          <p>This is well while you upgrade. Replace the older ones.</p>
        </Notice>
      )}
      <DataTable
        caption="Processes"
        rows={system.processes}
        rowKey={({ process }) => process}
        columns={[
          { name: 'Process', cell: ({ process }) => <code>{process}</code> },
          { name: 'Role', cell: ({ role }) => role },
          { name: 'Version', cell: ({ version }) => version },
          { name: 'Started', wideOnly: true, cell: ({ started_at: at }) => <RelativeTime at={at} /> },
        ]}
      />
    </Section>
  );
}

function Configuration({ system }: { system: System }) {
  return (
    <Section title="Configuration" hint="Secrets are never shown">
      <DataTable
        caption="Configuration"
        rows={system.configuration}
        rowKey={(one) => one.name}
        columns={[
          {
            name: 'Name',
            cell: (one) => (
              <>
                <code>{one.name}</code>
                <div className="soft tiny">{one.about}</div>
              </>
            ),
          },
          { name: 'Value', cell: (one) => <code style={{ overflowWrap: 'anywhere' }}>{one.value}</code> },
          {
            name: 'From',
            wideOnly: true,
            cell: (one) => <span className={one.source === 'default' ? 'soft' : ''}>{one.source}</span>,
          },
        ]}
      />
    </Section>
  );
}

function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(count) / 3));
  const value = count / 1000 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}

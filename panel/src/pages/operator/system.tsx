import type { AnswerOf, Server, Status } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useRead, useSend } from '../../api/queries.ts';
import { decimals, number } from '../../languages/format.ts';
import { t, told } from '../../languages/words.ts';
import { Fact, Facts, Figure, Figures } from '../../ui/figures/figures.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Await, ProblemAlert } from '../../ui/problem-alert.tsx';
import { FiguresSkeleton } from '../../ui/skeletons.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { duration, RelativeTime } from '../../ui/time.tsx';

const refreshMs = 5_000;

export function SystemPage() {
  const server = useRead('GET /admin/v1/server', {}, { everyMs: refreshMs });
  const status = useRead('GET /admin/v1/status', {}, { everyMs: refreshMs });
  return (
    <Page title="System" intro="This process, its database and its storage, and how they are configured.">
      <Await query={server} wait={<FiguresSkeleton />}>
        {(data) => (
          <div className="stack wide">
            <Numbers server={data} status={status.data} />
            <Invariants />
            <div className="card padded">
              <About server={data} />
            </div>
            <Await query={status} wait={<FiguresSkeleton />}>
              {({ workers, processes }) => (
                <>
                  <Workers workers={workers} />
                  <Processes processes={processes} />
                </>
              )}
            </Await>
            <Configuration settings={data.settings} />
          </div>
        )}
      </Await>
    </Page>
  );
}

function Numbers({ server, status }: { server: Server; status: Status | undefined }) {
  const { storage, database } = server;
  const { queued, processing, oldest_queued_ms: oldestMs = null } = status ?? {};
  return (
    <Figures>
      <Figure name="Queued" hint={status && `${processing} processing`}>
        {queued ?? '–'}
      </Figure>
      <Figure name="Oldest queued">{oldestMs === null ? '–' : duration(oldestMs)}</Figure>
      <Figure name="Free disk" hint={`of ${bytes(storage.disk_bytes)}`}>
        {bytes(storage.disk_free_bytes)}
      </Figure>
      <Figure name="Database" hint={database.kind}>
        {bytes(database.bytes)}
      </Figure>
      <Figure name="Failed sign-ins" hint="last ten minutes">
        {server.sign_in_failures}
      </Figure>
      <Figure name="Memory">{bytes(server.memory_bytes)}</Figure>
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
  const looked = Object.entries(result.checked).map(([what, count]) => checkedText(what, count));
  if (result.ok) {
    return (
      <Notice tone="calm" title={result.complete ? 'Everything agrees' : 'All that was read agrees'}>
        <p>
          <span>
            Checked {looked.join(', ')} in {duration(result.ms)}.
          </span>{' '}
          {!result.complete &&
            'The server reads the rest within a day; darkroom verify reads everything at once.'}
        </p>
      </Notice>
    );
  }
  return (
    <Notice
      tone="bad"
      title={t('{count, plural, one {# mismatch} other {# mismatches}}', {
        count: result.violations.length,
      })}
    >
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

function checkedText(what: string, count: number): string {
  switch (what) {
    case 'accounts':
      return t('{count, plural, one {# account} other {# accounts}}', { count });
    case 'entries':
      return t('{count, plural, one {# entry} other {# entries}}', { count });
    case 'keys':
      return t('{count, plural, one {# key} other {# keys}}', { count });
    case 'jobs':
      return t('{count, plural, one {# job} other {# jobs}}', { count });
    case 'batches':
      return t('{count, plural, one {# batch} other {# batches}}', { count });
    default:
      return `${number(count)} ${what}`;
  }
}

function About({ server }: { server: Server }) {
  return (
    <Facts>
      <Fact name="Version">
        Darkroom {server.version} <span className="soft">on Node {server.node}</span>
      </Fact>
      <Fact name="Role">{server.role}</Fact>
      <Fact name="Started">
        <RelativeTime at={server.started_at} beside />
      </Fact>
      <Fact name="Database">
        {server.database.kind}, schema {server.database.schema_version}
      </Fact>
      <Fact name="Storage">{server.storage.kind}</Fact>
    </Facts>
  );
}

function Workers({ workers }: { workers: Status['workers'] }) {
  return (
    <Section title="Workers" hint="Of all processes, including idle ones">
      {workers.length === 0 ? (
        <p className="soft small">None is running: jobs wait until one is.</p>
      ) : (
        <DataTable
          caption="Workers"
          rows={workers}
          rowKey={(worker) => worker.worker}
          columns={[
            { name: t('Worker'), cell: (worker) => <code>{worker.worker}</code> },
            {
              name: t('Jobs'),
              align: 'end',
              cell: ({ jobs, slots }) => t('{jobs} of {slots}', { jobs, slots }),
            },
          ]}
        />
      )}
    </Section>
  );
}

function Processes({ processes }: { processes: Status['processes'] }) {
  const versions = new Set(processes.map(({ version }) => version));
  return (
    <Section title="Processes" hint="All that run on this database">
      {versions.size > 1 && (
        <Notice tone="calm" title="Several versions run">
          <p>This is fine during an upgrade. Replace the older ones afterwards.</p>
        </Notice>
      )}
      <DataTable
        caption="Processes"
        rows={processes}
        rowKey={({ process }) => process}
        columns={[
          { name: t('Process'), cell: ({ process }) => <code>{process}</code> },
          { name: t('Role'), cell: ({ role }) => role },
          { name: t('Version'), cell: ({ version }) => version },
          { name: t('Started'), wideOnly: true, cell: ({ started_at: at }) => <RelativeTime at={at} /> },
        ]}
      />
    </Section>
  );
}

/** The settings that are not left at their default. All others are folded. */
function Configuration({ settings }: { settings: Server['settings'] }) {
  const set = settings.filter(({ source }) => source !== 'default');
  const left = settings.filter(({ source }) => source === 'default');
  return (
    <Section title="Configuration" hint="Secrets are never shown">
      {set.length > 0 && <Settings caption="Configuration" settings={set} />}
      {left.length > 0 && (
        <details>
          <summary>
            {t(
              '{count, plural, one {# setting that has its default} other {# settings that have their defaults}}',
              {
                count: left.length,
              },
            )}
          </summary>
          <Settings caption="Settings that have their defaults" settings={left} />
        </details>
      )}
    </Section>
  );
}

function Settings({ caption, settings }: { caption: string; settings: Server['settings'] }) {
  return (
    <DataTable
      caption={caption}
      rows={settings}
      rowKey={(one) => one.name}
      columns={[
        {
          name: t('Name'),
          cell: (one) => (
            <>
              <code>{one.name}</code>
              <div className="soft tiny">{told(one.about)}</div>
            </>
          ),
        },
        {
          name: t('Value'),
          cell: ({ source, value }) => (
            <code style={{ overflowWrap: 'anywhere' }}>{source === 'default' ? told(value) : value}</code>
          ),
        },
        { name: t('From'), wideOnly: true, cell: (one) => sources[one.source] },
      ]}
    />
  );
}

const sources = { environment: t('environment'), file: t('file'), default: t('default') };

function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(count) / 3));
  const value = count / 1000 ** power;
  return `${value < 10 && power > 0 ? decimals(value, 1) : number(Math.round(value))} ${units[power]}`;
}

import type { JobDetail } from '@darkroom/server/panel-contract';
import { t } from '../../languages/words.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Money } from '../../ui/money.tsx';
import { Section } from '../../ui/page.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';

type Attempt = NonNullable<JobDetail['upstream']>['attempts'][number];

export function AttemptCosts({ attempts }: { attempts: Attempt[] }) {
  if (attempts.length === 0) return null;
  const used = attempts.filter(({ usage }) => usage !== null);
  return (
    <Section title="Upstream cost" hint="For each attempt, including those that made no image">
      <DataTable
        caption="Upstream cost by attempt"
        rows={attempts}
        rowKey={({ attempt }) => String(attempt)}
        columns={[
          { name: t('Attempt'), cell: ({ attempt }) => attempt },
          { name: t('Route'), cell: ({ route }) => <code>{route ?? '–'}</code> },
          { name: t('Billed'), cell: ({ billed }) => words[billed] },
          { name: t('Cost'), align: 'end', cell: (attempt) => <Cost {...attempt} /> },
        ]}
      />
      {used.map(({ attempt, usage }) => (
        <CodeBlock
          key={attempt}
          code={JSON.stringify(usage, null, 2)}
          what={`usage of attempt ${attempt}`}
          wrap
        />
      ))}
    </Section>
  );
}

const words = { billed: t('Yes'), not_billed: t('No'), unknown: t('Not known') } satisfies Record<
  Attempt['billed'],
  string
>;

function Cost({ cost, possible_cost: possible, currency }: Attempt) {
  const amount = cost ?? possible;
  if (amount === null) return <span className="soft">not known</span>;
  return (
    <>
      {cost === null && <span className="soft">up to </span>}
      <Money amount={amount} bare /> <span className="soft tiny">{currency}</span>
    </>
  );
}

import type { BillCheck } from '@darkroom/server/panel-contract';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { BillDifferences } from '../../features/models/bill-differences.tsx';
import { number } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { Figure, Figures } from '../../ui/figures/figures.tsx';
import { FileDrop } from '../../ui/files/file-drop.tsx';
import { Link } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';

export function BillCheckPage() {
  const [fileName, setFileName] = useState<string>();
  const check = useSend('POST /admin/v1/costs/check');
  return (
    <Page title="Check a bill" intro={<Link href={paths.margins()}>Margins</Link>}>
      <FileDrop
        label="Bill"
        hint={
          <>
            Drop what a provider says that it charges, by day and model: the export of OpenAI’s usage page, a
            table of Google Cloud Billing, the cost details of Azure, the usage of fal or the predictions of
            Replicate. Nothing of it is kept.
          </>
        }
        accept=".csv,.json,.tsv,.txt,text/csv,application/json"
        maxLength={4_000_000}
        tooLong="It is too long: a bill has at most 4,000,000 characters. Export fewer days."
        onText={(file, name) => {
          setFileName(name);
          check.mutate({ body: { file } });
        }}
      >
        {fileName && (
          <p className="small">
            <code>{fileName}</code>
          </p>
        )}
      </FileDrop>
      <div aria-live="polite" className="stack wide">
        {check.isPending && <p className="soft small">Comparing with what was recorded…</p>}
        <ProblemAlert error={check.error} />
        {check.data && <Checked check={check.data} />}
      </div>
    </Page>
  );
}

function Checked({ check }: { check: BillCheck }) {
  const differ = check.differences.length + check.left_out;
  const days = check.from === check.to ? check.from : t('{from} to {to}', { from: check.from, to: check.to });
  return (
    <>
      <p className="soft small">
        {check.format}, {days} ({check.time_zone}), {check.currency}
      </p>
      <Figures>
        <Figure name="Agree" hint="models, each on a day">
          {number(check.agreed)}
        </Figure>
        <Figure name="Differ">{number(differ)}</Figure>
      </Figures>
      {differ === 0 && <Notice tone="calm" title="The bill matches what was recorded" />}
      {differ > 0 && (
        <Section title="Differences" hint={check.left_out > 0 && `The first ${check.differences.length}`}>
          <BillDifferences differences={check.differences} />
        </Section>
      )}
      {check.unmatched.length > 0 && (
        <Section title="Asked by nobody here" hint="Others may use the same provider">
          <DataTable
            caption="Models that no attempt asked for"
            rows={check.unmatched}
            rowKey={({ model }) => model}
            columns={[
              { name: t('On the bill'), cell: ({ model }) => model },
              {
                name: t('Images'),
                align: 'end',
                cell: ({ count }) => (count === null || count === undefined ? '' : number(count)),
              },
              {
                name: t('Amount'),
                align: 'end',
                cell: ({ amount }) => amount !== null && <Money amount={amount} />,
              },
            ]}
          />
        </Section>
      )}
    </>
  );
}

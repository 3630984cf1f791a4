import { Button } from '@mantine/core';
import { useState } from 'react';
import { useRead, useSend } from '../../api/queries.ts';
import { RateForm } from '../../features/money/rate-form.tsx';
import { type Rate, rateUnits, sourceOf } from '../../features/money/rates.ts';
import { actorText } from '../../features/operator/audit-words.ts';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { ConfirmButton } from '../../ui/dialog/confirm-button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { RelativeTime } from '../../ui/time.tsx';

export function RatesPage() {
  const rates = useRead('GET /admin/v1/rates', {});
  // Keeps the rate while the dialog fades out.
  const [{ rate, opened }, setDialog] = useState<{ rate?: Rate; opened: boolean }>({ opened: false });
  const close = () => setDialog((before) => ({ ...before, opened: false }));
  return (
    <Page
      title="Rates of providers"
      intro={
        <>
          What attempts cost, by what their answers say they used. The cost of a route in{' '}
          <Link href={paths.models()}>Models</Link> comes first. Models that are not here have no rate that
          could be verified. A rate of your own goes before what is published.
        </>
      }
      actions={<Button onClick={() => setDialog({ opened: true })}>Add a rate</Button>}
    >
      <Await query={rates} wait={<TableSkeleton rows={8} />}>
        {({ data, reported }) => (
          <>
            <DataTable
              caption="Rates"
              rows={data}
              rowKey={(one) => [one.provider, one.model, one.changed_at].join(' ')}
              columns={[
                { name: t('Model'), cell: (one) => <Model rate={one} /> },
                { name: t('Rates'), cell: (one) => <Amounts rate={one} /> },
                { name: t('Said by'), align: 'end', wideOnly: true, cell: (one) => <Source rate={one} /> },
                {
                  name: t('Actions'),
                  quiet: true,
                  align: 'end',
                  cell: (one) => <Actions rate={one} onEdit={() => setDialog({ rate: one, opened: true })} />,
                },
              ]}
            />
            <Dialog title={rate ? `Rate of ${rate.model}` : 'Add a rate'} opened={opened} onClose={close}>
              <RateForm rate={rate} reported={reported} onClose={close} />
            </Dialog>
          </>
        )}
      </Await>
    </Page>
  );
}

function Model({ rate }: { rate: Rate }) {
  const { provider, model, in_use } = rate;
  return (
    <>
      <code>{model ?? 'any'}</code>
      <div className="soft tiny">{in_use ? provider : `${provider}, replaced`}</div>
      <div className="narrow-only tiny">
        <Source rate={rate} />
      </div>
    </>
  );
}

function Amounts({ rate }: { rate: Rate }) {
  const known = rateUnits.filter(({ unit }) => rate[unit] !== null);
  if (known.length === 0) return t('As published');
  return known.map(({ unit, of, each }) => (
    <div key={unit}>
      {of} {rate[unit]} {rate.currency} <span className="soft tiny">{each}</span>
    </div>
  ));
}

function Source({ rate }: { rate: Rate }) {
  const { source, read_on: read, changed_at: at, author } = rate;
  return (
    <>
      {source === null ? author && actorText(author) : <a href={source}>{sourceOf(rate)}</a>}
      <div className="soft tiny">{at === null ? `read on ${read}` : <RelativeTime at={at} />}</div>
    </>
  );
}

/** The buttons are hidden for a replaced rate, and for a rate that a provider publishes for all of its models. */
function Actions({ rate, onEdit }: { rate: Rate; onEdit: () => void }) {
  const { provider, model, in_use, source } = rate;
  if (!in_use || model === null) return null;
  const change = source === null ? t('Change') : t('Replace');
  return (
    <div className="row">
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`${change} ${provider} ${model}`}
        onClick={onEdit}
      >
        {change}
      </Button>
      {source === null && <Remove provider={provider} model={model} />}
    </div>
  );
}

function Remove({ provider, model }: { provider: string; model: string }) {
  const remove = useSend('PATCH /admin/v1/rates', ['GET /admin/v1/rates']);
  return (
    <ConfirmButton
      label="Remove"
      name={`Remove ${provider} ${model}`}
      title={`Remove your rate of ${model}?`}
      action="Remove rate"
      sending={remove}
      onConfirm={() => remove.mutate({ body: { provider, model, rates: null } })}
    >
      Attempts that end from now on cost what {provider} publishes. Where it publishes nothing, their cost is
      not known. What you said is kept.
    </ConfirmButton>
  );
}

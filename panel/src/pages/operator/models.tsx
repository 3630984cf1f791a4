import type { Margin, OperatorModel, OperatorModels, PauseDetail } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { CopyModel } from '../../features/models/copy-model.tsx';
import { RouteTable } from '../../features/models/route-table.tsx';
import { PauseButton } from '../../features/operator/pause-button.tsx';
import { lastWeek } from '../../features/usage/period.ts';
import { paths } from '../../paths.ts';
import { Link, useGo } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { CardsSkeleton } from '../../ui/skeletons.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { LocalTime, RelativeTime } from '../../ui/time.tsx';
import classes from './models.module.css';

/** The polling interval. It is short, because queues and running jobs change often. */
const refreshMs = 5_000;

export function ModelsPage() {
  const models = useRead('GET /panel/operator/models', {}, { everyMs: refreshMs });
  const margins = useRead('GET /admin/v1/margins', { query: { ...lastWeek(), group_by: 'model' } });
  const [adding, setAdding] = useState(false);
  const go = useGo();
  return (
    <Page
      title="Models"
      intro="Prices, queues and routes. A pause refuses new jobs with 503; queued jobs wait, running ones finish."
      actions={
        models.data && (
          <>
            <PauseButton scope="project" name="everything" pause={models.data.project_pause} />
            <Button onClick={() => setAdding(true)}>Add a model</Button>
            <CopyModel
              models={models.data.models.map(({ model }) => model)}
              opened={adding}
              onClose={() => setAdding(false)}
              onCreated={(model) => go(paths.model(model, { view: 'settings' }))}
            />
          </>
        )
      }
    >
      <Await query={models} wait={<CardsSkeleton height={150} />}>
        {(data) => <All data={data} margins={margins.data?.data} />}
      </Await>
    </Page>
  );
}

function All({ data, margins }: { data: OperatorModels; margins: Margin[] | undefined }) {
  return (
    <div className="stack wide">
      {data.project_pause && (
        <Notice tone="warn" title="Every model is paused">
          <PauseWords pause={data.project_pause} />
        </Notice>
      )}
      {data.models.map((one) => (
        <Model
          key={one.model.id}
          shown={one}
          margins={margins?.find(({ model }) => model === one.model.id)}
        />
      ))}
      {data.removed.length > 0 && (
        <Section title="Removed" hint="Each can be restored from its versions">
          <ul className="row">
            {data.removed.map(({ model, at }) => (
              <li key={model}>
                <Link href={paths.model(model, { view: 'versions' })}>
                  <code>{model}</code>
                </Link>{' '}
                <span className="soft tiny">
                  <RelativeTime at={at} />
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  );
}

function Model({ shown, margins }: { shown: OperatorModel; margins: Margin | undefined }) {
  const { model, pause, routes } = shown;
  return (
    <section className={classes.model}>
      <div className={classes.head}>
        <h2>
          <Link href={paths.model(model.id)}>{model.name}</Link>
        </h2>
        <code className="soft">{model.id}</code>
        <StatusBadge status={pause ? 'paused' : 'accepting'} />
        {model.locked && <span className="soft tiny">set by the configuration file</span>}
        <div className="end">
          <PauseButton scope={model.id} name={model.name} pause={pause} />
        </div>
      </div>
      {pause && (
        <Notice tone="warn" title={`${model.name} is paused`}>
          <PauseWords pause={pause} />
        </Notice>
      )}
      <ModelFacts shown={shown} margins={margins} />
      <RouteTable model={model.id} routes={routes} />
    </section>
  );
}

function ModelFacts({ shown, margins }: { shown: OperatorModel; margins: Margin | undefined }) {
  const { currency } = useSession();
  const { model, queue } = shown;
  return (
    <dl className={classes.facts}>
      <div>
        <dt>Price</dt>
        <dd className="number">
          {Object.entries(model.prices).map(([resolution, price]) => (
            <span key={resolution}>
              {resolution} <b>{price}</b>
            </span>
          ))}
          <span className="soft tiny">{currency}</span>
        </dd>
      </div>
      <div>
        <dt>Queue</dt>
        <dd className="number">
          <span>
            <b>{queue.queued}</b> queued
          </span>
          <span>
            <b>{queue.processing}</b> processing
          </span>
          {queue.oldest_queued_at && (
            <span className="soft">
              oldest <RelativeTime at={queue.oldest_queued_at} />
            </span>
          )}
        </dd>
      </div>
      {margins?.margin && (
        <div>
          <dt>Margin of seven days</dt>
          <dd>
            <b>
              <Money amount={margins.margin} sign />
            </b>
          </dd>
        </div>
      )}
    </dl>
  );
}

function PauseWords({ pause }: { pause: PauseDetail }) {
  return (
    <p>
      {pause.reason ?? 'No reason given'} ·{' '}
      <span>
        since <RelativeTime at={pause.since} />
      </span>{' '}
      ·{' '}
      {pause.until ? (
        <>
          until <LocalTime at={pause.until} />
        </>
      ) : (
        'until it is resumed'
      )}
    </p>
  );
}

import type { ModelDefinition, OperatorModelDetail } from '@darkroom/server/panel-contract';
import { Button, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useParam } from '../../api/account.ts';
import { useRead, useSend } from '../../api/queries.ts';
import { DefinitionEditor } from '../../features/models/definition-editor.tsx';
import { Locked } from '../../features/models/locked.tsx';
import { MarginTable } from '../../features/models/margin-table.tsx';
import { PriceTable } from '../../features/models/price-table.tsx';
import { RouteTable } from '../../features/models/route-table.tsx';
import { VersionList } from '../../features/models/version-list.tsx';
import { lastWeek } from '../../features/usage/period.ts';
import { t, told } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { useSearchState } from '../../search-state.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ConfirmButton } from '../../ui/dialog/confirm-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Fact, Facts } from '../../ui/figures/figures.tsx';
import { Link, useGo } from '../../ui/link.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { CardsSkeleton } from '../../ui/skeletons.tsx';

/** The polling interval. It is short, because circuits and running jobs change often. */
const refreshMs = 5_000;
const views = [
  { value: 'overview', label: t('Overview') },
  { value: 'settings', label: t('Settings') },
  { value: 'versions', label: t('Versions') },
];

export function ModelPage() {
  const params = { model_id: useParam('model_id') };
  const [search, change] = useSearchState();
  const model = useRead('GET /panel/operator/models/:model_id', { params }, { everyMs: refreshMs });
  const view = views.find(({ value }) => value === search.view)?.value ?? 'overview';
  return (
    <Page
      title={model.data?.definition?.name ?? params.model_id}
      intro={<Link href={paths.models()}>All models</Link>}
      actions={model.data?.definition && !model.data.locked && <Remove model={model.data} />}
    >
      <SegmentedControl
        aria-label="What to show"
        style={{ alignSelf: 'flex-start' }}
        value={view}
        onChange={(value) => change({ view: value })}
        data={views}
      />
      <Await query={model} wait={<CardsSkeleton />}>
        {(data) => <View key={params.model_id} view={view} model={data} />}
      </Await>
    </Page>
  );
}

function View({ view, model }: { view: string; model: OperatorModelDetail }) {
  const { definition, locked } = model;
  if (view === 'versions') return <VersionList model={model} />;
  if (!definition)
    return (
      <EmptyState title="This model was removed">
        Its jobs and their images stay.{' '}
        <Link href={paths.model(model.model, { view: 'versions' })}>Go back to a version</Link> to offer it
        again.
      </EmptyState>
    );
  if (view === 'overview') return <Overview model={model} definition={definition} />;
  if (locked)
    return (
      <div className="stack">
        <Locked lock={locked} />
        <CodeBlock code={JSON.stringify(definition, null, 2)} what="definition" wrap />
      </div>
    );
  return <Settings model={model} />;
}

/** Reads the model only once, because later reads must not change the form. */
function Settings({ model }: { model: OperatorModelDetail }) {
  const [{ edit, base }, setEditing] = useState({ edit: 0, base: model });
  const begin = (from: OperatorModelDetail) => setEditing({ edit: edit + 1, base: from });
  return (
    <>
      {model.version > base.version && (
        <Notice tone="warn" title={`Version ${model.version} was saved meanwhile`}>
          <p>
            Your changes are based on version {base.version} and will be refused.{' '}
            <Button size="compact-sm" variant="default" onClick={() => begin(model)}>
              Start again from version {model.version}
            </Button>
          </p>
        </Notice>
      )}
      {base.definition && (
        <DefinitionEditor
          key={edit}
          model={base}
          definition={base.definition}
          onSaved={begin}
          onDiscard={() => begin(model.version > base.version ? model : base)}
        />
      )}
    </>
  );
}

function Overview({ model, definition }: { model: OperatorModelDetail; definition: ModelDefinition }) {
  const margins = useRead('GET /admin/v1/margins', { query: { ...lastWeek(), group_by: 'model,day' } });
  return (
    <div className="stack wide">
      {model.locked && <Locked lock={model.locked} />}
      {model.uncovered.length > 0 && (
        <Notice tone="warn" title="Clients may ask for what no route makes">
          <ul>
            {model.uncovered.map((gap) => (
              <li key={gap}>{gap}</li>
            ))}
          </ul>
        </Notice>
      )}
      <div className="card padded">
        <What model={model} definition={definition} />
      </div>
      <Section title="Prices and costs" hint="Costs at the routes' current rates">
        <PriceTable definition={definition} routes={model.routes} />
      </Section>
      <Section
        title="Routes"
        hint={
          definition.order === 'cost'
            ? 'Jobs try the cheapest first; figures of the last 24 hours'
            : 'In the order in which jobs try them; figures of the last 24 hours'
        }
      >
        <RouteTable model={model.model} routes={model.routes} />
      </Section>
      <Section
        title="Margin of seven days"
        hint="What was paid, less what all attempts cost when they were made"
      >
        <Await query={margins} wait={<CardsSkeleton />}>
          {({ data }) => (
            <MarginTable
              margins={data.filter((one) => one.model === model.model)}
              by="day"
              cell={({ day }) => <span className="nowrap">{day}</span>}
            />
          )}
        </Await>
      </Section>
    </div>
  );
}

function What({ model, definition }: { model: OperatorModelDetail; definition: ModelDefinition }) {
  const { modes, ratios, auto, maxInputs = 1, parameters = {} } = definition;
  const inputs = t('{maxInputs, plural, =1 {from 1 input image} other {from 1 to # input images}}', {
    maxInputs,
  });
  return (
    <Facts>
      {definition.description && <Fact name="Description">{told(definition.description)}</Fact>}
      <Fact name="Id">
        <code>{model.model}</code> <span className="soft">version {model.version}</span>
      </Fact>
      <Fact name="Makes images">
        {modes.map((mode) => (mode === 'text' ? t('from text') : inputs)).join(', ')}
      </Fact>
      <Fact name="Ratios">{[...ratios, ...(auto ? ['auto'] : [])].join(', ')}</Fact>
      <Fact name="Parameters">{Object.keys(parameters).join(', ') || 'none'}</Fact>
    </Facts>
  );
}

function Remove({ model }: { model: OperatorModelDetail }) {
  const go = useGo();
  const remove = useSend('DELETE /admin/v1/models/:model_id', [
    'GET /panel/operator/models',
    'GET /panel/operator/models/:model_id',
  ]);
  const name = model.definition?.name ?? model.model;
  return (
    <ConfirmButton
      size="sm"
      label="Remove"
      name={`Remove ${name}`}
      title={`Remove ${name}?`}
      action="Remove model"
      sending={remove}
      onConfirm={() =>
        remove.mutate(
          { params: { model_id: model.model }, query: { if_version: String(model.version) } },
          { onSuccess: () => go(paths.models()) },
        )
      }
    >
      Clients can no longer ask for it, and jobs that wait for it fail and cost nothing. Its versions stay, so
      that it can be brought back.
    </ConfirmButton>
  );
}

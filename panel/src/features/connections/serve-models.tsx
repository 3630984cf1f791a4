import type { AnswerOf, ServableModel, Serving } from '@darkroom/server/panel-contract';
import { Checkbox, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import classes from './connections.module.css';
import { CostField, useBookedCosts } from './cost-field.tsx';
import { settingsOf, type Upstream, UpstreamField } from './upstream-field.tsx';

interface Choice {
  isOn: boolean;
  upstream: string;
  place: Serving['place'];
  /** Undefined to use the cost in the book of rates. */
  cost?: string | undefined;
}

export function ServeModels(props: {
  connection: string;
  provider: string;
  models: ServableModel[];
  upstreams: Upstream[];
  onServed: (changed: AnswerOf<'POST /panel/operator/connections/:name/serve'>) => void;
}) {
  const { connection, models, upstreams } = props;
  const booked = useBookedCosts(props.provider);
  const [choices, setChoices] = useState(() => new Map(models.map((one) => [one.model, firstChoice(one)])));
  const serve = useSend('POST /panel/operator/connections/:name/serve', [
    'GET /panel/operator/connections',
    'GET /panel/operator/models',
    'GET /panel/accounts/:account_id/overview',
  ]);
  const change = (model: string, some: Partial<Choice>) =>
    setChoices((old) => new Map([...old].map(([id, one]) => [id, id === model ? { ...one, ...some } : one])));
  const serving = models.flatMap(({ model }): Serving[] => {
    const { isOn, upstream, place, cost = booked.costOf(upstream) } = choices.get(model) ?? noChoice;
    const settings = settingsOf(upstreams, upstream);
    return isOn && upstream ? [{ model, settings, place, ...(cost && { cost }) }] : [];
  });
  const chosen = [...choices.values()].filter(({ isOn }) => isOn);
  const why =
    chosen.length === 0
      ? t('Choose at least one model.')
      : chosen.some(({ upstream }) => !upstream)
        ? t('Choose the provider’s model for each.')
        : undefined;
  return (
    <div className="stack">
      <ul className={classes.models} aria-label="Models to serve">
        {models.map((model) => (
          <Row
            key={model.model}
            model={model}
            choice={choices.get(model.model) ?? noChoice}
            upstreams={upstreams}
            booked={booked}
            onChange={(some) => change(model.model, some)}
          />
        ))}
      </ul>
      <ProblemAlert error={serve.error} />
      <div className="row">
        <ActionButton
          why={why}
          loading={serve.isPending || booked.isReading}
          onClick={() =>
            serve.mutate(
              { params: { name: connection }, body: { models: serving } },
              { onSuccess: props.onServed },
            )
          }
        >
          {t('{count, plural, =1 {Serve this model} other {Serve these # models}}', {
            count: serving.length,
          })}
        </ActionButton>
        <p className="small soft">All processes have it within a second; nothing is restarted.</p>
      </div>
    </div>
  );
}

function Row(props: {
  model: ServableModel;
  choice: Choice;
  upstreams: Upstream[];
  booked: ReturnType<typeof useBookedCosts>;
  onChange: (some: Partial<Choice>) => void;
}) {
  const { model, choice, upstreams, booked, onChange } = props;
  const others = model.routes.length > 0;
  return (
    <li>
      <div>
        <Checkbox
          label={
            <>
              {model.name} <code className="soft tiny">{model.model}</code>
            </>
          }
          checked={choice.isOn}
          disabled={model.locked !== null}
          onChange={(event) => onChange({ isOn: event.currentTarget.checked })}
        />
        <p className="tiny soft">{describe(model)}</p>
      </div>
      {choice.isOn && (
        <div className="stack">
          <UpstreamField
            quiet
            label={`${model.name} by`}
            upstreams={upstreams}
            value={choice.upstream}
            onChange={(upstream) => onChange({ upstream, cost: undefined })}
          />
          <CostField
            of={model.name}
            rate={booked.find(choice.upstream)}
            value={choice.cost ?? booked.costOf(choice.upstream)}
            onChange={(cost) => onChange({ cost })}
          />
        </div>
      )}
      {choice.isOn && others && (
        <SegmentedControl
          aria-label={`Position for ${model.name}`}
          size="xs"
          value={choice.place}
          onChange={(place) => onChange({ place: place === 'last' ? 'last' : 'first' })}
          data={[
            { value: 'first', label: t('First') },
            { value: 'last', label: t('Last') },
          ]}
        />
      )}
    </li>
  );
}

function describe({ routes, locked, has_parameters }: ServableModel): string {
  if (locked !== null) return t('Set by {locked}, and changed there.', { locked });
  const now =
    routes.length === 0
      ? t('So far only the built-in sketch draws for it.')
      : t('Served in this order: {routes}.', {
          routes: routes
            .map(({ connection, provider, upstream }) =>
              [connection ?? provider, upstream].filter(Boolean).join(' '),
            )
            .join(', '),
        });
  if (!has_parameters) return now;
  return `${now} ${t('It has parameters: jobs that have some go to its other routes.')}`;
}

/** Selects the models that have no routes yet, because the existing routes of other models must not change. */
function firstChoice({ locked, routes, recommended }: ServableModel): Choice {
  return { isOn: locked === null && routes.length === 0, upstream: recommended ?? '', place: 'first' };
}

const noChoice: Choice = { isOn: false, upstream: '', place: 'first' };

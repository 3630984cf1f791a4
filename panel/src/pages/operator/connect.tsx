import type { Changed, ConnectionRow, Connections } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { send } from '../../api/send.ts';
import { ConnectDetails } from '../../features/connections/connect-details.tsx';
import classes from '../../features/connections/connections.module.css';
import { NewModel } from '../../features/connections/new-model.tsx';
import { ProviderPicker } from '../../features/connections/provider-picker.tsx';
import { ServeModels } from '../../features/connections/serve-models.tsx';
import { TestImage } from '../../features/connections/test-image.tsx';
import { TrialWords } from '../../features/connections/trial-words.tsx';
import type { Found } from '../../features/connections/upstream-field.tsx';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { useSearchState } from '../../search-state.ts';
import { Link, useGo } from '../../ui/link.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { CardsSkeleton } from '../../ui/skeletons.tsx';

/** The steps to a first real image: provider, key, models, image. The URL names the step. */
export function ConnectPage() {
  const [{ provider, name }] = useSearchState();
  const connections = useRead('GET /panel/operator/connections', {});
  return (
    <Page title="Connect a provider" intro={<Link href={paths.connections()}>All connections</Link>}>
      <Await query={connections} wait={<CardsSkeleton />}>
        {(data) => <Step data={data} provider={provider} name={name} />}
      </Await>
    </Page>
  );
}

function Step(props: { data: Connections; provider: string | undefined; name: string | undefined }) {
  const { data } = props;
  const go = useGo();
  const connection = data.data.find((one) => one.name === props.name);
  if (connection) return <Serve key={connection.name} connection={connection} />;
  const provider = data.providers.find((one) => one.provider === props.provider);
  if (!provider)
    return (
      <>
        <Steps at={0} />
        <ProviderPicker providers={data.providers} />
      </>
    );
  return (
    <>
      <Steps at={1} />
      <Section title={provider.name} actions={<Link href={paths.connect()}>Another provider</Link>}>
        <ConnectDetails
          key={provider.provider}
          provider={provider}
          taken={data.data.map(({ name }) => name)}
          onSaved={(name) =>
            go(provider.provider === 'comfyui' ? paths.workflow(name) : paths.connect({ name }))
          }
        />
      </Section>
    </>
  );
}

const steps = [t('Provider'), t('Key'), t('Models'), t('Image')];

function Steps({ at }: { at: number }) {
  return (
    <ol className={classes.steps} aria-label="Steps">
      {steps.map((step, index) => (
        <li key={step} {...(index === at && { 'aria-current': 'step' as const })}>
          {step}
        </li>
      ))}
    </ol>
  );
}

function Serve({ connection: { name, provider } }: { connection: ConnectionRow }) {
  const [changed, setChanged] = useState<Changed>();
  const call = 'POST /panel/operator/connections/:name/offers';
  const found = useQuery({
    queryKey: [call, name],
    queryFn: () => send(call, { params: { name } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (changed) return <Done changed={changed} onBack={() => setChanged(undefined)} />;
  return (
    <>
      <Steps at={2} />
      <Await query={found} wait={<CardsSkeleton />}>
        {(data) => (
          <>
            {!data.trial.ok && <TrialWords trial={data.trial} />}
            {provider === 'comfyui' ? (
              <p>
                ComfyUI runs workflows. <Link href={paths.workflow(name)}>Make a model of one</Link>.
              </p>
            ) : (
              <Choices name={name} provider={provider} found={data} onChanged={setChanged} />
            )}
          </>
        )}
      </Await>
    </>
  );
}

function Choices(props: {
  name: string;
  provider: string;
  found: Found;
  onChanged: (changed: Changed) => void;
}) {
  const { trial, models } = props.found;
  const [isNew, setIsNew] = useState(false);
  const upstreams = trial.ok ? trial.models.filter(({ settings }) => settings !== undefined) : [];
  const common = { connection: props.name, provider: props.provider, upstreams };
  return isNew ? (
    <Section
      title="A new model"
      actions={
        <Button variant="default" size="xs" onClick={() => setIsNew(false)}>
          Serve existing models
        </Button>
      }
    >
      <NewModel {...common} onMade={props.onChanged} />
    </Section>
  ) : (
    <Section
      title={`Which models should ${props.name} serve?`}
      actions={
        <Button variant="default" size="xs" onClick={() => setIsNew(true)}>
          Add a new model
        </Button>
      }
    >
      <ServeModels {...common} models={models} onServed={props.onChanged} />
    </Section>
  );
}

function Done({ changed, onBack }: { changed: Changed; onBack: () => void }) {
  return (
    <>
      <Steps at={3} />
      {changed.uncovered.length > 0 && (
        <Notice tone="warn" title="Some requests have no route now, and would fail">
          <ul>
            {changed.uncovered.map((gap) => (
              <li key={gap}>{gap}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Section
        title="A first image"
        actions={
          <Button variant="default" size="xs" onClick={onBack}>
            Back to the models
          </Button>
        }
      >
        <TestImage models={changed.models} />
        <p className="small soft in-text">
          From now on every account spends its balance on real images.{' '}
          <Link href={paths.operatorAccounts()}>See who has how much</Link>.
        </p>
      </Section>
    </>
  );
}

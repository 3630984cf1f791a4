import type { Changed, ConnectionRow } from '@darkroom/server/panel-contract';
import { Button, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useRead, useSend } from '../../api/queries.ts';
import { TestImage } from '../../features/connections/test-image.tsx';
import { WorkflowForm } from '../../features/connections/workflow-form.tsx';
import { paths } from '../../paths.ts';
import { useSearchState } from '../../search-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FileDrop } from '../../ui/files/file-drop.tsx';
import { Link, useGo } from '../../ui/link.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Await, ProblemAlert } from '../../ui/problem-alert.tsx';
import { CardsSkeleton } from '../../ui/skeletons.tsx';

export function WorkflowPage() {
  const connections = useRead('GET /panel/operator/connections', {});
  const go = useGo();
  return (
    <Page
      title="A model of a workflow"
      heading="Make a model of a workflow"
      intro={<Link href={paths.connections()}>All connections</Link>}
    >
      <Await query={connections} wait={<CardsSkeleton />}>
        {({ data }) => {
          const servers = data.filter(({ provider }) => provider === 'comfyui');
          if (servers.length > 0) return <Workflow servers={servers} />;
          return (
            <EmptyState
              title="No ComfyUI yet"
              action={
                <Button onClick={() => go(paths.connect({ provider: 'comfyui' }))}>Connect ComfyUI</Button>
              }
            >
              Workflows run on a ComfyUI of yours. Connect it by its address first.
            </EmptyState>
          );
        }}
      </Await>
    </Page>
  );
}

interface Given {
  text: string;
  fileName: string;
}

function Workflow({ servers }: { servers: ConnectionRow[] }) {
  const [search, change] = useSearchState();
  const connection = servers.find(({ name }) => name === search.connection)?.name ?? servers[0]?.name ?? '';
  const [given, setGiven] = useState<Given>();
  const [changed, setChanged] = useState<Changed>();
  const read = useSend('POST /panel/operator/connections/:name/workflow');
  const look = (next: Given) => {
    setGiven(next);
    read.mutate({ params: { name: connection }, body: { workflow: next.text } });
  };
  if (changed)
    return (
      <Section title="A first image">
        <Notice tone="calm" title={`The model ${changed.models.join()} is there`} />
        <TestImage models={changed.models} />
      </Section>
    );
  return (
    <>
      {servers.length > 1 && (
        <NativeSelect
          label="Server"
          maw={360}
          value={connection}
          onChange={(event) => {
            change({ connection: event.currentTarget.value });
            setGiven(undefined);
            read.reset();
          }}
          data={servers.map(({ name }) => name)}
        />
      )}
      <FileDrop
        label="File of the workflow"
        hint={
          <>
            Drop a workflow here. In ComfyUI, choose <b>Export (API)</b> in the menu of the workflow; what{' '}
            <b>Save</b> writes is another format.
          </>
        }
        accept=".json,application/json"
        maxLength={160_000}
        tooLong="It is too long: a workflow has at most 160,000 characters."
        onText={(text, fileName) => look({ text, fileName })}
      >
        {given && (
          <p className="small">
            <code>{given.fileName}</code>
          </p>
        )}
      </FileDrop>
      <div aria-live="polite" className="stack">
        {read.isPending && <p className="soft small">Reading it, and asking the server about its nodes…</p>}
        <ProblemAlert error={read.error} />
        {read.data?.ok === false && (
          <Notice tone="bad" title="This cannot be used">
            <p>{read.data.detail}</p>
          </Notice>
        )}
      </div>
      {given && read.data?.ok && (
        <WorkflowForm
          key={given.text}
          connection={connection}
          workflow={given.text}
          fileName={given.fileName}
          found={read.data}
          onMade={setChanged}
        />
      )}
    </>
  );
}

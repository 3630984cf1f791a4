import type { Job, Model } from '@darkroom/server/panel-contract';
import { Button, Skeleton } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useAccountId, useParam } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { EditArea } from '../../features/masks/edit-area.tsx';
import { EditForm } from '../../features/masks/edit-form.tsx';
import { EditedImage } from '../../features/masks/edited-image.tsx';
import { useEditor } from '../../features/masks/use-editor.ts';
import { maskModels } from '../../features/models/mask-models.ts';
import { paths } from '../../paths.ts';
import { useSearchState } from '../../search-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useGo } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import classes from './edit.module.css';

export function EditPage() {
  const account_id = useAccountId();
  const job_id = useParam('job_id');
  const go = useGo();
  const job = useRead('GET /panel/accounts/:account_id/jobs/:job_id', { params: { account_id, job_id } });
  const models = useRead('GET /api/v1/models', { params: { account_id } });
  return (
    <Page
      title="Edit"
      actions={
        <Button size="xs" variant="default" onClick={() => go(paths.image(account_id, job_id))}>
          Back to the image
        </Button>
      }
    >
      <Await query={models} wait={<Skeleton height={480} />}>
        {({ data }) => (
          <Await query={job} wait={<Skeleton height={480} />}>
            {(detail) => <Editable key={job_id} job={detail.job} models={maskModels(data)} />}
          </Await>
        )}
      </Await>
    </Page>
  );
}

function Editable({ job, models: [first, ...others] }: { job: Job; models: Model[] }) {
  const { result } = job;
  if (!result?.image_url)
    return <EmptyState title="There is no image to edit">It was deleted, or not made.</EmptyState>;
  if (!first) {
    return (
      <EmptyState title="No model takes masks">
        Models of OpenAI, FLUX Fill, ComfyUI and AUTOMATIC1111 do, once an operator connects them.
      </EmptyState>
    );
  }
  return <Editor job={job} image={result} models={[first, ...others]} />;
}

/** The result is in the URL, so that the form beside it keeps its state. */
function Editor(props: { job: Job; image: NonNullable<Job['result']>; models: [Model, ...Model[]] }) {
  const [{ made }, change] = useSearchState();
  const editor = useEditor(props.job, props.image, props.models);
  const stage = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (made) stage.current?.scrollIntoView({ block: 'nearest' });
  }, [made]);
  return (
    <div className={classes.editor}>
      <div className={made ? classes.made : classes.stage} ref={stage}>
        {made ? (
          <EditedImage jobId={made} onBack={() => change({ made: undefined })} />
        ) : (
          <EditArea editor={editor} />
        )}
      </div>
      <EditForm editor={editor} onMade={(jobId) => change({ made: jobId })} />
    </div>
  );
}

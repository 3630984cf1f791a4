import type { PauseDetail, PauseScope } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { PauseForm } from './pause-form.tsx';

export function PauseButton({
  scope,
  name,
  pause,
}: {
  scope: PauseScope;
  name: string;
  pause: PauseDetail | null;
}) {
  const [open, setOpen] = useState(false);
  const isOfModel = scope !== 'project';
  const resume = useSend('DELETE /admin/v1/pauses/:scope', ['GET /panel/operator/models']);
  return (
    <>
      <ProblemAlert error={resume.error} />
      {pause ? (
        <Button
          aria-label={`Resume ${name}`}
          loading={resume.isPending}
          onClick={() => resume.mutate({ params: { scope } })}
        >
          {isOfModel ? 'Resume' : `Resume ${name}`}
        </Button>
      ) : (
        <Button variant="default" aria-label={`Pause ${name}`} onClick={() => setOpen(true)}>
          {isOfModel ? 'Pause' : `Pause ${name}`}
        </Button>
      )}
      <PauseForm scope={scope} name={name} opened={open} onClose={() => setOpen(false)} />
    </>
  );
}

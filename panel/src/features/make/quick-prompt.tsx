import { TextInput } from '@mantine/core';
import { lazy, type SubmitEvent, Suspense, useEffect, useRef, useState } from 'react';
import { paths } from '../../paths.ts';
import { useSearchState } from '../../search-state.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { useGo } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { Examples } from '../examples/examples.tsx';
import classes from './quick-prompt.module.css';

// These parts are loaded only when the person types, because most visitors of Home only look.
const QuickMake = lazy(async () => ({ default: (await import('./quick-make.tsx')).QuickMake }));
const Result = lazy(async () => ({ default: (await import('./result.tsx')).Result }));

/** Makes an image from a prompt without leaving Home. Shows examples to an account without images. */
export function QuickPrompt({ accountId, examples }: { accountId: string; examples: boolean }) {
  const [{ job }, change] = useSearchState();
  const [prompt, setPrompt] = useState('');
  const go = useGo();
  const isEmpty = prompt.trim() === '';
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    // Opens *Make* if Enter was pressed before the button had loaded.
    if (!event.nativeEvent.submitter && !isEmpty) go(paths.make(accountId, { prompt }));
  };
  const idle = (
    <ActionButton size="md" why="Write a prompt first.">
      Make image
    </ActionButton>
  );
  return (
    <form className={classes.frame} onSubmit={submit}>
      <TextInput
        aria-label="Prompt"
        dir="auto"
        placeholder="What should the image show?"
        size="md"
        value={prompt}
        onChange={(event) => setPrompt(event.currentTarget.value)}
      />
      <Suspense fallback={idle}>
        {isEmpty ? idle : <QuickMake prompt={prompt} onMade={(made) => change({ job: made })} />}
      </Suspense>
      {job && <Made jobId={job} onInput={(input) => go(paths.make(accountId, { input }))} />}
      {examples && !job && (
        <div className={classes.below}>
          <Section
            title="For example"
            hint="Drawn by the built-in sketch. Choose one to begin with, and change its words."
          >
            <Examples onPick={setPrompt} />
          </Section>
        </div>
      )}
    </form>
  );
}

function Made(props: { jobId: string; onInput: (jobId: string) => void }) {
  const frame = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: for every image that is made
  useEffect(() => frame.current?.scrollIntoView({ block: 'nearest' }), [props.jobId]);
  return (
    <div className={`${classes.below} ${classes.made}`} ref={frame}>
      <Suspense>
        <Result {...props} />
      </Suspense>
    </div>
  );
}

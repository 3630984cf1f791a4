import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { paths } from '../../paths.ts';
import { useGo } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { Examples } from '../examples/examples.tsx';
import classes from './quick-prompt.module.css';

/** A prompt to begin with, which the playground takes over; with examples where nothing has been made yet. */
export function QuickPrompt({ accountId, examples }: { accountId: string; examples: boolean }) {
  const [prompt, setPrompt] = useState('');
  const go = useGo();
  const begin = () => go(paths.playground(accountId, { prompt: prompt.trim() }));
  return (
    <form
      className={classes.frame}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        begin();
      }}
    >
      <div className={classes.line}>
        <TextInput
          className="grow"
          aria-label="Prompt"
          placeholder="What should the image show?"
          size="md"
          value={prompt}
          onChange={(event) => setPrompt(event.currentTarget.value)}
        />
        <Button type="submit" size="md">
          Make an image
        </Button>
      </div>
      {examples && (
        <Section
          title="For example"
          hint="Drawn by the built-in sketch. Choose one to begin with, and change its words."
        >
          <Examples onPick={setPrompt} />
        </Section>
      )}
    </form>
  );
}

import { Button } from '@mantine/core';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import classes from './connections.module.css';

/** As the server takes it. */
const maxLength = 160_000;

/** Takes the file of a workflow, dropped or chosen. */
export function WorkflowDrop(props: {
  onText: (text: string, fileName: string) => void;
  children?: ReactNode;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const [wrong, setWrong] = useState<string>();
  const take = async (file: File | undefined) => {
    if (!file) return;
    const text = await file.text();
    setWrong(
      text.length > maxLength ? 'It is too long: a workflow has at most 160,000 characters.' : undefined,
    );
    if (text.length <= maxLength) props.onText(text, file.name);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    void take(event.dataTransfer.files[0]);
  };
  return (
    <section
      aria-label="File of the workflow"
      className={classes.drop}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <p>
        Drop a workflow here. In ComfyUI, choose <b>Export (API)</b> in the menu of the workflow; what{' '}
        <b>Save</b> writes is another format.
      </p>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        hidden
        aria-hidden
        onChange={(event) => {
          void take(event.currentTarget.files?.[0]);
          event.currentTarget.value = '';
        }}
      />
      <Button variant="default" onClick={() => input.current?.click()}>
        Choose the file
      </Button>
      <p role="alert" className="small" hidden={!wrong}>
        {wrong}
      </p>
      {props.children}
    </section>
  );
}

import { Button } from '@mantine/core';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import classes from './file-drop.module.css';

/** Takes the text of a file, dropped or chosen. */
export function FileDrop(props: {
  label: string;
  /** What to drop. */
  hint: ReactNode;
  accept: string;
  /** Characters, as the server takes them. */
  maxLength: number;
  tooLong: string;
  /** On one line, below a field that takes the same. */
  small?: boolean;
  onText: (text: string, fileName: string) => void;
  children?: ReactNode;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const [wrong, setWrong] = useState<string>();
  const take = async (file: File | undefined) => {
    if (!file) return;
    const text = await file.text();
    setWrong(text.length > props.maxLength ? props.tooLong : undefined);
    if (text.length <= props.maxLength) props.onText(text, file.name);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    void take(event.dataTransfer.files[0]);
  };
  return (
    <section
      aria-label={props.label}
      className={classes.drop}
      data-over={isOver || undefined}
      data-small={props.small || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <p>{props.hint}</p>
      <input
        ref={input}
        type="file"
        accept={props.accept}
        hidden
        aria-hidden
        onChange={(event) => {
          void take(event.currentTarget.files?.[0]);
          event.currentTarget.value = '';
        }}
      />
      <Button
        variant="default"
        size={props.small ? 'compact-sm' : 'sm'}
        onClick={() => input.current?.click()}
      >
        Choose the file
      </Button>
      <p role="alert" className="small" hidden={!wrong}>
        {wrong}
      </p>
      {props.children}
    </section>
  );
}

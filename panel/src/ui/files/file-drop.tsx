import { Button } from '@mantine/core';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { t } from '../../languages/words.ts';
import classes from './file-drop.module.css';

export function FileDrop(props: {
  label: string;
  hint: ReactNode;
  accept: string;
  /** The maximum length in characters, as on the server. */
  maxLength: number;
  tooLong: string;
  /** True for a single line, below a field that takes the same text. */
  small?: boolean;
  onText: (text: string, fileName: string) => void;
  children?: ReactNode;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const [wrong, setWrong] = useState<string>();
  const take = async (file: File | undefined) => {
    if (!file) return;
    const text = await readText(file, props.maxLength);
    if (text === null) return setWrong(t('It cannot be read: choose a file.'));
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

/** The maximum number of bytes of a character. */
const bytesEach = 4;

/** Reads only as much as shows that a file is too long. Null for something other than a file, such as a folder. */
async function readText(file: File, maxLength: number): Promise<string | null> {
  try {
    const bytes = new Uint8Array(await file.slice(0, (maxLength + 1) * bytesEach).arrayBuffer());
    return new TextDecoder(isUtf16(bytes) ? 'utf-16' : 'utf-8').decode(bytes);
  } catch {
    return null;
  }
}

/** Spreadsheets write UTF-16 when they save Unicode text. */
function isUtf16([first, second]: Uint8Array): boolean {
  return first === 0xff && second === 0xfe;
}

import { Textarea, TextInput } from '@mantine/core';
import { FileDrop } from '../../ui/files/file-drop.tsx';

export interface List {
  name: string;
  text: string;
}

/** The maximum length of a list in characters, about the maximum size of a batch in bytes. */
const longest = 16_000_000;

export function ListFields({ list, onChange }: { list: List; onChange: (list: List) => void }) {
  return (
    <>
      <TextInput
        label="Name"
        placeholder="Spring catalogue"
        maxLength={100}
        value={list.name}
        onChange={(event) => onChange({ ...list, name: event.currentTarget.value })}
      />
      <Textarea
        label="Prompts"
        description="One on each line. Or a table: its first line names the columns prompt, model, ratio and size."
        placeholder={'a lighthouse at dusk\na red fox in the snow'}
        dir="auto"
        autosize
        minRows={6}
        maxRows={14}
        value={list.text}
        onChange={(event) => onChange({ ...list, text: event.currentTarget.value })}
      />
      <FileDrop
        small
        label="File"
        hint="Or drop a CSV file here"
        accept=".csv,.tsv,.txt,text/csv,text/plain"
        maxLength={longest}
        tooLong="It is too long. A batch has at most 10,000 images in 16 MB."
        onText={(text, file) => onChange({ name: list.name || file.replace(/\.[a-z]+$/i, ''), text })}
      />
    </>
  );
}

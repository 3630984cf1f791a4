import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { widths } from '../../ui/picture-links.ts';
import { usePresets, usualNames } from './presets.ts';

/** Those that there are, and a form for another; one of the same name is replaced. */
export function PresetsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { presets, remove } = usePresets();
  return (
    <Dialog title="Presets for downloads" opened={opened} onClose={onClose}>
      {presets.length > 0 && (
        <ul className="stack" aria-label="Presets" style={{ listStyle: 'none', padding: 0 }}>
          {presets.map(({ name, width, names }) => (
            <li key={name} className="row">
              <span className="grow">
                <span className="strong">{name}</span>{' '}
                <span className="soft small">
                  {width ? `WebP, ${width} pixels` : 'As made'}, <code>{names}</code>
                </span>
              </span>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Delete ${name}`}
                onClick={() => remove(name)}
              >
                Delete
              </Button>
            </li>
          ))}
        </ul>
      )}
      <NewPreset onClose={onClose} />
    </Dialog>
  );
}

const sizes = [
  { value: '', label: 'As they were made' },
  ...widths.map((width) => ({ value: String(width), label: `WebP, at most ${width} pixels wide` })),
];
const words = ['number', 'date', 'prompt', 'model', 'ratio', 'resolution', 'id'];
const nothing = { error: null, isPending: false };

function NewPreset({ onClose }: { onClose: () => void }) {
  const { keep } = usePresets();
  const [name, setName] = useState('');
  const [width, setWidth] = useState('');
  const [names, setNames] = useState(usualNames);
  const [tried, setTried] = useState(false);
  const unknown = [...names.matchAll(/\{(\w+)\}/g)].find(([, word = '']) => !words.includes(word));
  const wrong = names.trim() === '' ? 'Say how files are called.' : unknown && `There is no ${unknown[0]}.`;
  const submit = () => {
    setTried(true);
    if (name.trim() === '' || wrong) return;
    keep({ name: name.trim(), width: width || null, names: names.trim() });
    onClose();
  };
  return (
    <DialogForm action="Save preset" sending={nothing} onSubmit={submit} onClose={onClose}>
      <TextInput
        label="Name"
        placeholder="For the web"
        data-autofocus
        maxLength={40}
        value={name}
        error={tried && name.trim() === '' && 'Give it a name.'}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <NativeSelect
        label="Size"
        data={sizes}
        value={width}
        onChange={(event) => setWidth(event.currentTarget.value)}
      />
      <TextInput
        label="File names"
        description={`Of words and ${words.map((word) => `{${word}}`).join(' ')}`}
        maxLength={100}
        value={names}
        error={wrong}
        onChange={(event) => setNames(event.currentTarget.value)}
      />
    </DialogForm>
  );
}

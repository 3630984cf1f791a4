import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../languages/words.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { widths } from '../../ui/image-links.ts';
import { type Format, formatNames, presetText, usePresets, usualNames, usualQuality } from './presets.ts';

/** Saving under an existing name replaces that preset. */
export function PresetsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { presets, remove } = usePresets();
  return (
    <Dialog title="Presets for downloads" opened={opened} onClose={onClose}>
      {presets.length > 0 && (
        <ul className="stack" aria-label="Presets" style={{ listStyle: 'none', padding: 0 }}>
          {presets.map((preset) => (
            <li key={preset.name} className="row">
              <span className="grow">
                <span className="strong">{preset.name}</span>{' '}
                <span className="soft small">
                  {presetText(preset)}, <code>{preset.names}</code>
                </span>
              </span>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Delete ${preset.name}`}
                onClick={() => remove(preset.name)}
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

const asMade = { value: '', label: t('As they were made') };
const sizes = [
  asMade,
  ...widths.map((width) => ({ value: String(width), label: t('At most {width} pixels wide', { width }) })),
];
const formats = Object.entries(formatNames).map(([value, label]) => ({ value, label }));
const words = ['number', 'date', 'prompt', 'model', 'ratio', 'resolution', 'id'];
const nothing = { error: null, isPending: false };

function NewPreset({ onClose }: { onClose: () => void }) {
  const { keep } = usePresets();
  const [name, setName] = useState('');
  const [width, setWidth] = useState('');
  const [chosen, setFormat] = useState('');
  const [quality, setQuality] = useState(String(usualQuality));
  const [names, setNames] = useState(usualNames);
  const [tried, setTried] = useState(false);
  // A smaller image must be encoded again, so it needs a format.
  const format = chosen || (width && 'webp');
  const loses = format === 'jpeg' || format === 'webp';
  const wrong = wrongNames(names);
  const vague = loses && !/^(100|[1-9]?\d)$/.test(quality) && t('Must be a whole number from 0 to 100.');
  const submit = () => {
    setTried(true);
    if (name.trim() === '' || wrong || vague) return;
    keep({
      ...{ name: name.trim(), width: width || null, names: names.trim() },
      ...(format && { format: format as Format }), // one of the options above
      ...(loses && { quality: Number(quality) }),
    });
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
      <NativeSelect
        label="Format"
        description={format === 'jpeg' && 'Transparent parts become white.'}
        data={width ? formats : [asMade, ...formats]}
        value={format}
        onChange={(event) => setFormat(event.currentTarget.value)}
      />
      {loses && (
        <TextInput
          label="Quality"
          description="From 0 to 100: less makes smaller files"
          inputMode="numeric"
          maxLength={3}
          value={quality}
          error={vague}
          onChange={(event) => setQuality(event.currentTarget.value)}
        />
      )}
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

function wrongNames(names: string): string | undefined {
  if (names.trim() === '') return t('Enter a pattern for file names.');
  const unknown = [...names.matchAll(/\{(\w+)\}/g)].find(([, word = '']) => !words.includes(word));
  return unknown && t('There is no {value}.', { value: unknown[0] });
}

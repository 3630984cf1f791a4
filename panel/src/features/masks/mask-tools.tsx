import { ActionIcon, SegmentedControl } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import {
  IconContrast as IconInvert,
  IconArrowForwardUp as IconRedo,
  IconTrash,
  IconArrowBackUp as IconUndo,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { t } from '../../languages/words.ts';
import type { Brush } from './mask-stage.tsx';
import classes from './mask-tools.module.css';
import type { Mask } from './use-mask.ts';

const sizes = { min: 1, max: 40 };
/** The factor by which `[` and `]` change the brush size. */
const sizeStep = 1.25;

export function MaskTools(props: { brush: Brush; onBrush: (some: Partial<Brush>) => void; mask: Mask }) {
  const { brush, onBrush, mask } = props;
  const resize = (factor: number) =>
    onBrush({ size: Math.min(sizes.max, Math.max(sizes.min, brush.size * factor)) });
  const invert = () => mask.add({ kind: 'invert' });
  useHotkeys(
    [
      ['b', () => onBrush({ erases: false })],
      ['e', () => onBrush({ erases: true })],
      ['[', () => resize(1 / sizeStep)],
      [']', () => resize(sizeStep)],
      ['i', invert],
      ['mod+z', mask.undo],
      ['mod+shift+z', mask.redo],
      ['mod+y', mask.redo],
    ],
    ['TEXTAREA'],
  );
  return (
    <div className="stack">
      <SegmentedControl
        aria-label="Brush"
        fullWidth
        value={brush.erases ? 'erase' : 'paint'}
        onChange={(tool) => onBrush({ erases: tool === 'erase' })}
        data={[
          { value: 'paint', label: t('Paint') },
          { value: 'erase', label: t('Erase') },
        ]}
      />
      <Range label="Size" {...sizes} value={Math.round(brush.size)} onChange={(size) => onBrush({ size })} />
      <Range
        label="Soft edge"
        min={0}
        max={5}
        value={brush.feather}
        onChange={(feather) => onBrush({ feather })}
      />
      <div className="row" style={{ gap: 6 }}>
        <Tool name="Undo" keys="Ctrl Z" isOff={!mask.canUndo} act={mask.undo}>
          <IconUndo size={18} />
        </Tool>
        <Tool name="Redo" keys="Ctrl Shift Z" isOff={!mask.canRedo} act={mask.redo}>
          <IconRedo size={18} />
        </Tool>
        <Tool name="Invert" keys="I" act={invert}>
          <IconInvert size={18} />
        </Tool>
        <Tool name="Clear" isOff={!mask.canUndo} act={() => mask.add({ kind: 'clear' })}>
          <IconTrash size={18} />
        </Tool>
      </div>
    </div>
  );
}

function Tool(props: { name: string; keys?: string; isOff?: boolean; act: () => void; children: ReactNode }) {
  return (
    <ActionIcon
      variant="default"
      size={36}
      aria-label={props.name}
      title={props.keys ? `${props.name} (${props.keys})` : props.name}
      disabled={props.isOff ?? false}
      onClick={props.act}
    >
      {props.children}
    </ActionIcon>
  );
}

function Range(props: {
  label: string;
  min: number;
  max: number;
  value: number;
  onChange: (value: number) => void;
}) {
  const { label, onChange, ...range } = props;
  return (
    <label className={classes.range}>
      <span>{label}</span>
      <input type="range" {...range} onChange={(event) => onChange(Number(event.currentTarget.value))} />
      <span className="number soft">{range.value}%</span>
    </label>
  );
}

import { Button, Popover } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { useState } from 'react';
import classes from './colour-filter.module.css';

const swatches: Record<string, string> = {
  red: '#c8382b',
  orange: '#e08a3a',
  yellow: '#ecc94b',
  green: '#4f8f4c',
  blue: '#3a76b8',
  purple: '#7a559f',
  pink: '#dd8aa8',
  brown: '#7c5537',
  black: '#1c1a19',
  grey: '#8d8a86',
  white: '#ffffff',
};

export function ColourFilter({ value, onChange }: { value: string; onChange: (colour: string) => void }) {
  const [open, setOpen] = useState(false);
  const choose = (colour: string) => {
    onChange(colour === value ? '' : colour);
    setOpen(false);
  };
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <Button
          className={classes.button}
          variant="default"
          justify="space-between"
          rightSection={<IconSelector size={16} aria-hidden />}
          onClick={() => setOpen(!open)}
        >
          {value && <span className={classes.swatch} style={{ background: swatches[value] }} />}
          {value || 'Any colour'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={classes.swatches}>
          {Object.entries(swatches).map(([name, colour]) => (
            <button
              key={name}
              type="button"
              className={classes.swatch}
              style={{ background: colour }}
              aria-label={name}
              aria-pressed={name === value}
              title={name}
              onClick={() => choose(name)}
            />
          ))}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

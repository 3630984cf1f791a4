import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { type Preset, usePresets } from './presets.ts';
import { PresetsDialog } from './presets-dialog.tsx';

export function PresetMenu(props: {
  label: string;
  size: string;
  variant?: string;
  position: 'top-end' | 'bottom-end';
  linkOf: (preset?: Preset) => string;
  children?: ReactNode;
}) {
  const { size, variant = 'filled', linkOf } = props;
  const { presets } = usePresets();
  const [editing, setEditing] = useState(false);
  return (
    <>
      <Button.Group>
        <Button size={size} variant={variant} component="a" href={linkOf()} download>
          Download
        </Button>
        <Menu position={props.position}>
          <Menu.Target>
            <Button size={size} variant={variant} px={6} aria-label={props.label}>
              <IconChevronDown size={15} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {props.children}
            {props.children && <Menu.Divider />}
            {presets.map((preset) => (
              <Menu.Item key={preset.name} component="a" href={linkOf(preset)} download>
                {preset.name}
              </Menu.Item>
            ))}
            <Menu.Item onClick={() => setEditing(true)}>
              {presets.length > 0 ? 'Change presets' : 'New preset'}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Button.Group>
      <PresetsDialog opened={editing} onClose={() => setEditing(false)} />
    </>
  );
}

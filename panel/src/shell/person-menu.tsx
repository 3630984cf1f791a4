import { Menu, SegmentedControl, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { useSend } from '../api/queries.ts';
import { useSession } from '../api/session.ts';
import { t } from '../languages/words.ts';
import { paths } from '../paths.ts';
import { useGo } from '../ui/link.tsx';
import classes from './navigation.module.css';

export function PersonMenu() {
  const { person, version } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSend('POST /panel/sign-out');
  const go = useGo();
  const leave = () => signOut.mutate({}, { onSettled: () => go(paths.signIn()) });
  return (
    <Menu width={230} position="top-start">
      <Menu.Target>
        <UnstyledButton className={classes.person}>
          <span className={classes.initial} aria-hidden>
            {person.name.slice(0, 1).toUpperCase()}
          </span>
          <span className="ellipsis">{person.name}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{person.email ?? 'No email yet'}</Menu.Label>
        <Menu.Item onClick={() => go(paths.profile())}>Profile and security</Menu.Item>
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        <div style={{ padding: '2px 8px 8px' }}>
          <SegmentedControl
            size="xs"
            fullWidth
            aria-label="Appearance"
            value={colorScheme}
            onChange={(value) => setColorScheme(value as typeof colorScheme)} // one of the three options below
            data={[
              { value: 'auto', label: t('System') },
              { value: 'light', label: t('Light') },
              { value: 'dark', label: t('Dark') },
            ]}
          />
        </div>
        <Menu.Divider />
        <Menu.Item onClick={leave}>Sign out</Menu.Item>
        <Menu.Label>Darkroom {version}</Menu.Label>
      </Menu.Dropdown>
    </Menu>
  );
}

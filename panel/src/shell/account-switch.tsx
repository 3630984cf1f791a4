import { Combobox, UnstyledButton, useCombobox } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../api/session.ts';
import { t } from '../languages/words.ts';
import { forAccount } from '../paths.ts';
import { useGo } from '../ui/link.tsx';
import classes from './navigation.module.css';

/** The maximum number of accounts listed. Typing finds others. */
const shown = 60;
/** With fewer accounts, no search is needed. */
const searchFrom = 7;

/** Links to the same page of other accounts. */
export function AccountSwitch({ accountId }: { accountId: string }) {
  const { accounts } = useSession();
  const [text, setText] = useState('');
  const { pathname } = useLocation();
  const go = useGo();
  const combobox = useCombobox({
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      setText('');
    },
    onDropdownOpen: () => combobox.focusSearchInput(),
  });
  const current = accounts.find((account) => account.account_id === accountId);
  const name = current?.name ?? t('Unknown account');
  if (accounts.length < 2) return <p className={classes.account}>{name}</p>;
  const wanted = text.trim().toLowerCase();
  const found = accounts.filter((account) => account.name.toLowerCase().includes(wanted)).slice(0, shown);
  return (
    <Combobox
      store={combobox}
      width={260}
      position="bottom-start"
      onOptionSubmit={(id) => {
        combobox.closeDropdown();
        go(forAccount(pathname, id));
      }}
    >
      <Combobox.Target targetType="button">
        <UnstyledButton
          className={classes.switch}
          aria-label={`Account ${name}, change`}
          onClick={() => combobox.toggleDropdown()}
        >
          <span className="ellipsis">{name}</span>
          <IconSelector size={15} style={{ flex: 'none' }} aria-hidden />
        </UnstyledButton>
      </Combobox.Target>
      <Combobox.Dropdown>
        {accounts.length >= searchFrom && (
          <Combobox.Search
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              combobox.selectFirstOption();
            }}
            aria-label="Find an account"
            placeholder="Find an account"
          />
        )}
        <Combobox.Options mah={380} style={{ overflowY: 'auto' }} aria-label="Accounts">
          {found.map((account) => (
            <Combobox.Option
              key={account.account_id}
              value={account.account_id}
              active={account.account_id === accountId}
            >
              <span className={account.account_id === accountId ? 'strong' : undefined}>{account.name}</span>
              {account.disabled && <span className="soft tiny"> disabled</span>}
            </Combobox.Option>
          ))}
          {found.length === 0 && <Combobox.Empty>No account matches</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

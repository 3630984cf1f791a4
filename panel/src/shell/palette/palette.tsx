import { Modal } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { Thumb } from '../../features/jobs/thumb.tsx';
import type { OnField } from './early-keys.ts';
import { type Entry, findEntries } from './find-entries.ts';
import classes from './palette.module.css';
import { rememberEntry } from './recent.ts';
import { useEntries, useJobEntries, useRecentFirst } from './use-entries.ts';

export function Palette(props: {
  accountId: string | undefined;
  opened: boolean;
  onField: OnField;
  onClose: () => void;
}) {
  /** True once an entry is chosen. From then on, the focus belongs to the new page. */
  const [isGone, setGone] = useState(false);
  return (
    <Modal
      returnFocus={!isGone}
      onEnterTransitionEnd={() => setGone(false)}
      opened={props.opened}
      onClose={props.onClose}
      title="Go to a page, an image or an action"
      withCloseButton={false}
      size={620}
      padding={0}
      classNames={{ header: 'sr-only' }}
    >
      <Search
        accountId={props.accountId}
        onField={props.onField}
        onRun={() => {
          setGone(true);
          props.onClose();
        }}
      />
    </Modal>
  );
}

/** How long typing must pause before a search: long enough that fast typing sends only one request. */
const pauseMs = 150;

function Search(props: { accountId: string | undefined; onField: OnField; onRun: () => void }) {
  const { accountId, onField, onRun } = props;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const entries = useEntries(accountId);
  const [settled] = useDebouncedValue(text, pauseMs);
  const jobs = useJobEntries(accountId, settled);
  const first = useRecentFirst(entries, accountId);
  const shown = text.trim() === '' ? first : [...findEntries(entries, text), ...jobs];
  const active = shown[Math.min(at, shown.length - 1)];
  // Takes the focus before the dialog does, so that no typed text is lost.
  useLayoutEffect(() => {
    field.current?.focus();
    return onField(setText);
  }, [onField]);
  const run = (entry: Entry) => {
    rememberEntry(entry);
    onRun();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && shown.length > 0) setAt((at + step + shown.length) % shown.length);
    else if (event.key === 'Enter' && active && !event.nativeEvent.isComposing) run(active);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className={classes.field}>
        <IconSearch size={17} aria-hidden />
        <input
          ref={field}
          data-autofocus
          role="combobox"
          aria-label="Page, image or action"
          aria-expanded
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={active && `${id}-${shown.indexOf(active)}`}
          placeholder="Page, words of a prompt, or what to do"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd>Esc</kbd>
      </div>
      <List id={id} entries={shown} active={active} onRun={run} />
      <p className="sr-only" role="status">
        {text.trim() !== '' && `${shown.length} found`}
      </p>
    </>
  );
}

function List(props: {
  id: string;
  entries: Entry[];
  active: Entry | undefined;
  onRun: (entry: Entry) => void;
}) {
  const { id, entries, active, onRun } = props;
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when another entry is active
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [active?.id]);
  const groups = [...new Set(entries.map(({ group }) => group))];
  return (
    <div id={id} role="listbox" aria-label="What was found" className={classes.list} ref={list} tabIndex={-1}>
      {groups.map((group, index) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
        <div key={group} role="group" aria-labelledby={`${id}-group-${index}`}>
          <p className={classes.group} id={`${id}-group-${index}`}>
            {group}
          </p>
          {entries
            .filter((entry) => entry.group === group)
            .map((entry) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and takes the keys
              <div
                key={entry.id}
                id={`${id}-${entries.indexOf(entry)}`}
                role="option"
                tabIndex={-1}
                aria-selected={entry === active}
                className={classes.option}
                onClick={() => onRun(entry)}
              >
                {entry.job?.result?.image_url ? (
                  <Thumb job={{ ...entry.job, prompt: '' }} size={28} />
                ) : (
                  <entry.icon size={17} stroke={1.6} aria-hidden />
                )}
                <span className="ellipsis grow">{entry.name}</span>
                {entry.hint && <span className="soft tiny nowrap">{entry.hint}</span>}
              </div>
            ))}
        </div>
      ))}
      {entries.length === 0 && <p className={classes.none}>Nothing has this name.</p>}
    </div>
  );
}

import type { Model } from '@darkroom/server/panel-contract';
import { Button, CloseButton, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import {
  IconCopy as IconCopies,
  IconAdjustmentsHorizontal as IconFilters,
  IconSearch,
  IconStar,
  IconX,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useModels } from '../../api/models.ts';
import { useRead } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { ColourFilter } from './colour-filter.tsx';
import classes from './job-filters.module.css';
import { countFilters, dayOf, isPeriod, noFilters, usualPeriods } from './job-query.ts';

type Search = Record<string, string | undefined>;

/** All filters are in the page's URL. */
export function JobFilters(props: {
  search: Search;
  change: (some: Search) => void;
  accountId: string;
  filtered: boolean;
  children?: ReactNode;
}) {
  const { search, change } = props;
  const [open, setOpen] = useState(false);
  const set = countFilters(search);
  const keys = useRead('GET /api/v1/keys', {
    params: { account_id: props.accountId },
    query: { limit: '100' },
  });
  const models = useModels();
  const ratios = [...new Set(models.flatMap((model) => model.aspect_ratios))].filter((one) => one !== 'auto');
  const resolutions = [
    ...new Set(models.flatMap((model) => model.resolutions.map(({ resolution }) => resolution))),
  ];
  const tags = useRead('GET /api/v1/tags', { params: { account_id: props.accountId } }).data?.data ?? [];
  const pick = (name: string) => (event: React.ChangeEvent<HTMLInputElement>) =>
    change({ [name]: event.currentTarget.value });
  return (
    <search className={classes.frame} aria-label="Find images">
      <div className={classes.top}>
        <SearchField value={search.q ?? ''} onChange={(q) => change({ q })} />
        {usualPeriods().map(({ name, from }) => {
          const isChosen = isPeriod(search, from);
          return (
            <Button
              key={name}
              variant={isChosen ? 'filled' : 'default'}
              aria-pressed={isChosen}
              onClick={() => change({ from: isChosen ? '' : from, to: '' })}
            >
              {name}
            </Button>
          );
        })}
        <Button
          variant="default"
          leftSection={<IconFilters size={16} aria-hidden />}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          Filters{set > 0 && ` · ${set}`}
        </Button>
        <Chosen {...props} name="similar" what="Similar to" title="Show all images" />
        <Chosen {...props} name="batch" what="Batch" title="Show images of all batches" />
        {props.filtered && (
          <Button variant="subtle" color="gray" onClick={() => change(noFilters)}>
            Clear
          </Button>
        )}
        {props.children}
      </div>
      <div className={classes.filters} hidden={!open}>
        <Choice name="status" any="Any status" label="Status" options={statuses} {...props} />
        <Choice name="model" any="Any model" label="Model" options={models.map(modelOption)} {...props} />
        <Choice
          name="key"
          any="Any key"
          label="Created with"
          options={[
            { value: 'panel', label: t('The panel') },
            ...(keys.data?.data ?? []).map((key) => ({ value: key.key_id, label: key.name })),
          ]}
          {...props}
        />
        <Choice name="ratio" any="Any ratio" label="Aspect ratio" options={ratios} {...props} />
        <Choice name="resolution" any="Any size" label="Resolution" options={resolutions} {...props} />
        <ColourFilter value={search.colour ?? ''} onChange={(colour) => change({ colour })} />
        <Choice name="tag" any="Any tag" label="Tag" options={tags.map(({ tag }) => tag)} {...props} />
        <Button
          variant={search.starred ? 'filled' : 'default'}
          leftSection={<IconStar size={15} aria-hidden />}
          aria-pressed={search.starred === 'yes'}
          onClick={() => change({ starred: search.starred ? '' : 'yes' })}
        >
          Starred
        </Button>
        <Button
          variant={search.duplicates ? 'filled' : 'default'}
          leftSection={<IconCopies size={15} aria-hidden />}
          aria-pressed={search.duplicates === 'yes'}
          title="Images that look exactly like another one"
          onClick={() => change({ duplicates: search.duplicates ? '' : 'yes' })}
        >
          Duplicates
        </Button>
        <Days search={search} pick={pick} />
      </div>
    </search>
  );
}

/** A filter by an id, set by a link from another page. A click removes the filter. */
function Chosen(props: {
  name: string;
  what: string;
  title: string;
  search: Search;
  change: (some: Search) => void;
}) {
  const id = props.search[props.name];
  if (!id) return null;
  return (
    <Button
      variant="filled"
      rightSection={<IconX size={15} aria-hidden />}
      aria-pressed
      title={props.title}
      onClick={() => props.change({ [props.name]: '' })}
    >
      {props.what} …{id.slice(-6)}
    </Button>
  );
}

/** How long typing must pause before the search starts. */
const typingMs = 250;

function SearchField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    setText(value);
  }
  const tell = useDebouncedCallback(onChange, typingMs);
  const type = (next: string) => {
    setText(next);
    tell(next.trim());
  };
  return (
    <TextInput
      className="grow"
      size="md"
      type="search"
      aria-label="Find"
      placeholder="Words of a prompt, or a job id"
      leftSection={<IconSearch size={17} aria-hidden />}
      value={text}
      onChange={(event) => type(event.currentTarget.value)}
      rightSection={
        text !== '' && <CloseButton size="sm" aria-label="Clear search" onClick={() => type('')} />
      }
    />
  );
}

function Days(props: {
  search: Search;
  pick: (name: string) => (event: React.ChangeEvent<HTMLInputElement>) => void;
}) {
  const { from, to } = props.search;
  return (
    <div className={classes.days}>
      <TextInput
        aria-label="From day"
        type="date"
        value={dayOf(from, 'from')}
        onChange={props.pick('from')}
      />
      <span className="soft" aria-hidden>
        –
      </span>
      <TextInput aria-label="To day" type="date" value={dayOf(to, 'to')} onChange={props.pick('to')} />
    </div>
  );
}

const statuses = [
  { value: 'queued', label: t('Queued') },
  { value: 'processing', label: t('Processing') },
  { value: 'done', label: t('Done') },
  { value: 'failed', label: t('Failed') },
];

function modelOption({ id, name }: Model) {
  return { value: id, label: name };
}

function Choice(props: {
  name: string;
  label: string;
  any: string;
  options: readonly (string | { value: string; label: string })[];
  search: Search;
  change: (some: Search) => void;
}) {
  const { name, label, any, options, search, change } = props;
  return (
    <NativeSelect
      className={classes.choice}
      aria-label={label}
      disabled={options.length === 0}
      value={search[name] ?? ''}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
      data={[{ value: '', label: any }, ...options]}
    />
  );
}

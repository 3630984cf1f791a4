import type { Model } from '@darkroom/server/panel-contract';
import { Skeleton } from '@mantine/core';
import { useSessionStorage } from '@mantine/hooks';
import { useMemo } from 'react';
import { useAccount, useAccountId, useRights } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { BatchLines } from '../../features/batches/batch-lines.tsx';
import { type BatchRequest, requestsOf } from '../../features/batches/batch-requests.ts';
import { type List, ListFields } from '../../features/batches/list-fields.tsx';
import { MakeBatch } from '../../features/batches/make-batch.tsx';
import { type ReadList, readList } from '../../features/batches/read-list.ts';
import { useBatchQuote } from '../../features/batches/use-batch.ts';
import choices from '../../features/make/choices/choices.module.css';
import { ShapeChips } from '../../features/make/choices/shape-chips.tsx';
import { emptyDraft, fitted } from '../../features/make/empty-draft.ts';
import form from '../../features/make/make-form.module.css';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { useSearchState } from '../../search-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Link, useGo } from '../../ui/link.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Await, ProblemAlert } from '../../ui/problem-alert.tsx';
import classes from '../make.module.css';

export function NewBatchPage() {
  const accountId = useAccountId();
  const models = useRead('GET /api/v1/models', { params: { account_id: accountId } });
  return (
    <Page title="New batch" intro={<Link href={paths.batches(accountId)}>Batches</Link>}>
      <Await query={models} wait={<Skeleton height={480} />}>
        {({ data }) => {
          const models = data.filter(({ modes }) => modes.includes('text'));
          const [first] = models;
          return first ? <NewBatch models={models} first={first} /> : <p>No model is configured.</p>;
        }}
      </Await>
    </Page>
  );
}

const nothing: BatchRequest[] = [];
const empty: List = { name: '', text: '' };

function NewBatch({ models, first }: { models: Model[]; first: Model }) {
  const accountId = useAccountId();
  const go = useGo();
  const [search, change] = useSearchState();
  // The list is stored in this tab, so that a reload loses nothing.
  const key = `darkroom.batch.${accountId}`;
  const [list, setList, forget] = useSessionStorage({
    key,
    defaultValue: empty,
    getInitialValueInEffect: false,
  });
  const wanted = search.model ?? emptyDraft.model;
  const model = models.find(({ id }) => id === wanted) ?? first;
  const { ratio, resolution } = fitted({ ...emptyDraft, ...search }, model);
  const read = useMemo(() => readList(list.text), [list.text]);
  const requests = useMemo(
    () => ('wrong' in read ? nothing : requestsOf(read.rows, { model, ratio, resolution }, models)),
    [read, model, ratio, resolution, models],
  );
  const mayMake = useRights().includes('make_pictures');
  const asked = useBatchQuote(mayMake ? requests : nothing);
  const disabled = useAccount()?.disabled ?? false;
  return (
    <div className={classes.columns}>
      <div className={form.form}>
        <ListFields list={list} onChange={setList} />
        <div className={choices.choices}>
          <ShapeChips
            models={models}
            model={model}
            shape={{ ratio, resolution }}
            ratios={model.aspect_ratios}
            ratioText={ratio}
            onChange={change}
          />
        </div>
        <MakeBatch
          {...asked}
          batch={{ name: list.name.trim(), requests }}
          why={whyNot({ mayMake, disabled, read })}
          onMade={(batch, isShown) => {
            // A late answer neither removes another list that was begun meanwhile, nor leads away from another page.
            if (sessionStorage.getItem(key) === JSON.stringify(list)) forget();
            if (isShown) go(paths.jobs(accountId, { batch }));
          }}
        />
      </div>
      <div className={classes.results} aria-live="polite">
        <Unread read={read} models={models} />
        {asked.mistakes.size === 0 && <ProblemAlert error={asked.error} />}
        {requests.length > 0 ? (
          <BatchLines
            models={models}
            requests={requests}
            prices={asked.quote?.prices}
            mistakes={asked.mistakes}
          />
        ) : (
          <EmptyState title="What each will cost">
            Every image of the list appears here with its price, before anything is made or paid.
          </EmptyState>
        )}
      </div>
    </div>
  );
}

function whyNot(state: { mayMake: boolean; disabled: boolean; read: ReadList }): string | undefined {
  const { read } = state;
  if (!state.mayMake) return t('Your role may not make images here.');
  if (state.disabled) return t('This account is disabled.');
  if ('wrong' in read) return read.wrong;
  return read.rows.length === 0 ? t('List some prompts first.') : undefined;
}

function Unread({ read, models }: { read: ReadList; models: readonly Model[] }) {
  if ('wrong' in read)
    return (
      <Notice tone="bad" title="The table cannot be read">
        {read.wrong}
      </Notice>
    );
  const unknown = read.more.filter(
    (name) => !models.some(({ parameters }) => Object.hasOwn(parameters, name)),
  );
  if (unknown.length === 0) return null;
  return (
    <Notice tone="warn" title={`Not used: ${unknown.join(', ')}`}>
      <p>Columns are prompt, model, ratio and size, and parameters of the model by their names.</p>
    </Notice>
  );
}

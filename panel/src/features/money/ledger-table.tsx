import type { EntryRow } from '@darkroom/server/panel-contract';
import { ActionIcon } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { shortId } from '../../ui/copy.tsx';
import { Link } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import table from '../../ui/table/data-table.module.css';
import { LocalTime, localHour, localTime } from '../../ui/time.tsx';
import { Change, kindWords } from './entry-table.tsx';
import { groupLedger, type LedgerLine } from './ledger.ts';
import classes from './ledger-table.module.css';

/** One line per job, credit or debit, grouped by day. A job's entries unfold on demand. */
export function LedgerTable({ entries, accountId }: { entries: EntryRow[]; accountId: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, and the keyboard must reach it
    <section className={table.frame} tabIndex={0} aria-label="Ledger">
      <table className={table.table}>
        <caption className="sr-only">Ledger, newest first</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="sr-only">Entries</span>
            </th>
            <th scope="col">What</th>
            <th scope="col" data-wide-only>
              Time
            </th>
            <th scope="col" data-align="end">
              Balance
            </th>
            <th scope="col" data-align="end" data-wide-only>
              Balance after
            </th>
          </tr>
        </thead>
        {groupLedger(entries).map(({ day, lines }) => (
          <tbody key={day}>
            <tr className={classes.day}>
              <th scope="rowgroup" colSpan={5}>
                {day}
              </th>
            </tr>
            {lines.map((line) => (
              <Line key={line.id} line={line} accountId={accountId} />
            ))}
          </tbody>
        ))}
      </table>
    </section>
  );
}

function Line({ line, accountId }: { line: LedgerLine; accountId: string }) {
  const [open, setOpen] = useState(false);
  const [newest] = line.entries;
  if (!newest) return null;
  const said = [newest.reason, newest.reference].filter(Boolean).join(' · ');
  const name =
    line.jobId === null ? newest.kind : (newest.prompt ?? t('job {id}', { id: shortId(line.jobId) }));
  return (
    <>
      <tr>
        <td className={classes.toggle}>
          {line.jobId !== null && (
            <ActionIcon
              size={24}
              aria-label={`Entries of ${name}`}
              aria-expanded={open}
              onClick={() => setOpen(!open)}
            >
              {open ? <IconChevronDown size={15} /> : <IconChevronRight size={15} />}
            </ActionIcon>
          )}
        </td>
        <td className={classes.what} title={line.jobId === null ? said : name}>
          {line.jobId === null ? (
            <>
              {kindWords[newest.kind]}
              {said && (
                <span className="soft">
                  {' · '}
                  <bdi>{said}</bdi>
                </span>
              )}
            </>
          ) : (
            <>
              <Link href={paths.job(accountId, line.jobId)} className="row-link">
                <bdi>{name}</bdi>
              </Link>
              <span className={`soft tiny ${classes.outcome}`}> {outcomes[newest.kind]}</span>
            </>
          )}
        </td>
        <td data-wide-only>
          <Clock at={newest.created_at} />
        </td>
        <td data-align="end">
          <Change amount={newest.balance_change} />
        </td>
        <td data-align="end" data-wide-only className="soft">
          {newest.balance_after ?? '–'}
        </td>
      </tr>
      {open && line.entries.map((entry) => <Entry key={entry.entry_id} entry={entry} />)}
    </>
  );
}

const outcomes = {
  credit: '',
  debit: '',
  reserve: t('reserved'),
  capture: t('charged'),
  release: t('failed, not charged'),
};

function Entry({ entry }: { entry: EntryRow }) {
  return (
    <tr className={classes.entry}>
      <td />
      <td>
        {kindWords[entry.kind]} <Money amount={entry.amount} />
        {entry.reserved_after !== null && (
          <span className="soft"> · {entry.reserved_after} reserved after</span>
        )}
      </td>
      <td data-wide-only>
        <LocalTime at={entry.created_at} />
      </td>
      <td data-align="end">
        <Change amount={entry.balance_change} />
      </td>
      <td data-align="end" data-wide-only>
        {entry.balance_after ?? '–'}
      </td>
    </tr>
  );
}

function Clock({ at }: { at: string }) {
  return (
    <time dateTime={at} title={localTime(at)} className="number soft">
      {localHour(at)}
    </time>
  );
}

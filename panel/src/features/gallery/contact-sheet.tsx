import type { Job } from '@darkroom/server/panel-contract';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { isFinal } from '../choose/verdicts.ts';
import { ratioOf } from '../jobs/job-words.ts';
import classes from './contact-sheet.module.css';
import { useDensity } from './density.tsx';
import { justify, neighbour, type SheetRow } from './justify.ts';
import { type Band, useRubberBand } from './rubber-band.ts';
import type { Selection } from './selection.ts';
import { Tile } from './tile.tsx';
import { useFastScroll } from './use-fast-scroll.ts';
import { useFullResolution } from './use-full-resolution.ts';

const gap = 6;
/** The number of rows drawn beyond the window, so that fast scrolling shows no gaps. */
const overscan = 3;
/** The next page is loaded when this many rows are left. */
const ahead = 8;
interface More {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/**
 * Shows jobs as images at their true ratios. Arrow keys move the focus, Space selects, Shift extends the selection, and
 * dragging the mouse selects what its rectangle touches. While anything is selected, a click selects too.
 */
export function ContactSheet(props: {
  jobs: Job[];
  selection: Selection;
  more: More;
  hrefOf: (jobId: string) => string;
  onDelete?: (() => void) | undefined;
  /** Handles a key for the selected images, or the focused one; returns whether it handled the key. */
  onKey: (key: string, jobs: Job[]) => boolean;
}) {
  const { jobs, selection, more, hrefOf } = props;
  const { sheet, ref, rows, virtual, isFast } = useSheet(jobs);
  const { focus, setFocus, onFocus } = useFocus(jobs);
  const { open, select } = useClicks(jobs, selection, setFocus);
  const press = useKeys({
    jobs,
    selection,
    rows,
    virtual,
    sheet,
    focus,
    setFocus,
    onDelete: props.onDelete,
    onKey: props.onKey,
  });
  const items = virtual.getVirtualItems();
  useMore(more, rows.length > 0 && (items.at(-1)?.index ?? 0) >= rows.length - ahead);

  const topOf = (start: number) => start - virtual.options.scrollMargin;
  const { band, handlers } = useRubberBand(sheet, (drawn) => {
    const hit = rows.flatMap((row, index) => {
      const top = topOf(virtual.measurementsCache[index]?.start ?? 0);
      if (top + row.height < drawn.top || top > drawn.top + drawn.height) return [];
      return row.boxes.filter((box) => touches(box, drawn)).map((box) => jobs[box.index]?.job_id ?? '');
    });
    if (hit.some((id) => !selection.ids.has(id))) selection.add(hit);
  });
  const tiles = items.flatMap((item) => {
    const row = rows[item.index];
    const boxes = row?.boxes ?? [];
    return boxes.map((box) => ({
      ...box,
      top: topOf(item.start),
      height: row?.height ?? 0,
      job: jobs[box.index],
    }));
  });
  const full = useFullResolution(
    tiles.flatMap(({ job }) => job?.job_id ?? []),
    isFast,
  );
  return (
    <ul
      ref={ref}
      className={classes.sheet}
      style={{ height: virtual.getTotalSize() }}
      aria-label="Images, newest first"
      onKeyDown={press}
      onFocus={onFocus}
      {...handlers}
    >
      {tiles.map(
        ({ job, ...place }) =>
          job && (
            <Tile
              key={job.job_id}
              {...place}
              job={job}
              href={hrefOf(job.job_id)}
              focusable={place.index === focus}
              selected={selection.ids.has(job.job_id)}
              coarse={!full.has(job.job_id)}
              onOpen={open}
              onSelect={select}
            />
          ),
      )}
      {band && <li className={classes.band} style={band} aria-hidden />}
    </ul>
  );
}

/** Keeps the focus on the same image when new images are added before it. */
function useFocus(jobs: Job[]) {
  const [focused, setFocused] = useState({ id: '', index: 0 });
  const found = jobs.findIndex(({ job_id }) => job_id === focused.id);
  const setFocus = (index: number) => setFocused({ id: jobs[index]?.job_id ?? '', index });
  return {
    focus: found < 0 ? Math.max(0, Math.min(focused.index, jobs.length - 1)) : found,
    setFocus,
    onFocus({ target }: FocusEvent) {
      const index = target.getAttribute('data-index');
      if (index !== null) setFocus(Number(index));
    },
  };
}

function useSheet(jobs: Job[]) {
  const { ref: sized, width } = useElementSize<HTMLUListElement>();
  const sheet = useRef<HTMLUListElement>(null);
  const [density] = useDensity();
  const rows = useRows(jobs, width, density);
  const [isFast, note] = useFastScroll();
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (index) => rows[index]?.height ?? 0,
    gap,
    overscan,
    scrollMargin: sheet.current?.offsetTop ?? 0,
    onChange: ({ scrollOffset, isScrolling }) => note(scrollOffset ?? 0, isScrolling),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows have other heights
  useEffect(() => virtual.measure(), [rows]);
  return { sheet, ref: useMergedRef(sized, sheet), rows, virtual, isFast };
}

/** Lays out only new rows: existing rows stay when a page of older jobs arrives. */
function useRows(jobs: Job[], width: number, density: number): SheetRow[] {
  const target = rowHeightFor(width) * density;
  const last = useRef<{ width: number; target: number; ratios: number[]; rows: SheetRow[] }>(undefined);
  return useMemo(() => {
    if (width === 0) return [];
    const ratios = jobs.map(ratioOf);
    const before = last.current;
    const isContinued =
      before?.width === width &&
      before.target === target &&
      before.ratios.every((ratio, at) => ratio === ratios[at]);
    // Lays out the last row again, because it may have room for images of the new page.
    const begun = isContinued ? before.rows.slice(0, -1) : [];
    const rows = justify(ratios, { width, target, gap }, begun);
    last.current = { width, target, ratios, rows };
    return rows;
  }, [jobs, width, target]);
}

/** A click opens an image. With Shift, or while something is selected, a click selects the image instead. */
function useClicks(jobs: Job[], selection: Selection, setFocus: (index: number) => void) {
  const latest = useRef({ jobs, selection, setFocus });
  latest.current = { jobs, selection, setFocus };
  const select = useCallback((event: MouseEvent, index: number) => {
    const { jobs: all, selection: now } = latest.current;
    const id = all[index]?.job_id;
    if (id === undefined) return;
    latest.current.setFocus(index);
    if (event.shiftKey) now.extendTo(id);
    else now.toggle(id);
  }, []);
  const open = useCallback(
    (event: MouseEvent, index: number) => {
      latest.current.setFocus(index);
      // Enter opens the image even during a selection: the click that Enter causes has `detail` 0.
      if (event.ctrlKey || event.metaKey || event.detail === 0) return;
      if (!event.shiftKey && latest.current.selection.ids.size === 0) return;
      event.preventDefault();
      select(event, index);
    },
    [select],
  );
  return { open, select };
}

function useKeys(props: {
  jobs: Job[];
  selection: Selection;
  rows: SheetRow[];
  virtual: { scrollToIndex: (row: number) => void };
  sheet: React.RefObject<HTMLElement | null>;
  focus: number;
  setFocus: (index: number) => void;
  onDelete: (() => void) | undefined;
  onKey: (key: string, jobs: Job[]) => boolean;
}) {
  const { jobs, selection, rows, focus } = props;
  const id = jobs[focus]?.job_id;
  const move = (wanted: number, extend: boolean) => {
    const index = Math.min(jobs.length - 1, Math.max(0, wanted));
    const to = jobs[index]?.job_id;
    if (extend && id !== undefined && to !== undefined) selection.extendTo(to, id);
    props.setFocus(index);
    props.virtual.scrollToIndex(rows.findIndex(({ boxes }) => boxes.some((box) => box.index === index)));
    requestAnimationFrame(() =>
      props.sheet.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus(),
    );
  };
  const judge = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
    const meant = jobs.filter(({ job_id }, at) =>
      selection.ids.size > 0 ? selection.ids.has(job_id) : at === focus,
    );
    if (ctrlKey || metaKey || altKey || meant.length === 0 || !props.onKey(key, meant)) return false;
    if (isFinal(key) && selection.ids.size === 0) move(focus + 1, false);
    return true;
  };
  return (event: KeyboardEvent) => {
    if (judge(event)) return;
    const wanted = target(event.key, rows, focus, jobs.length);
    if (wanted !== undefined) move(wanted, event.shiftKey);
    else if (event.key === ' ' && id !== undefined) selection.toggle(id);
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey))
      selection.add(jobs.map(({ job_id }) => job_id));
    else if (event.key === 'Delete' && selection.ids.size > 0) props.onDelete?.();
    else if (event.key === 'Escape' && selection.ids.size > 0) selection.clear();
    else return;
    event.preventDefault();
  };
}

/** Returns a height at which two or three images fit in a row on a phone, and six to eight on a large screen. */
function rowHeightFor(width: number): number {
  return Math.min(290, Math.max(128, 84 + width * 0.13));
}

function useMore({ hasNextPage, isFetchingNextPage, fetchNextPage }: More, nearEnd: boolean): void {
  useEffect(() => {
    if (nearEnd && hasNextPage && !isFetchingNextPage) fetchNextPage();
  }, [nearEnd, hasNextPage, isFetchingNextPage, fetchNextPage]);
}

function target(key: string, rows: SheetRow[], from: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return from + 1;
    case 'ArrowLeft':
      return from - 1;
    case 'ArrowDown':
      return neighbour(rows, from, true);
    case 'ArrowUp':
      return neighbour(rows, from, false);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}

function touches(box: { left: number; width: number }, band: Band): boolean {
  return box.left + box.width >= band.left && box.left <= band.left + band.width;
}

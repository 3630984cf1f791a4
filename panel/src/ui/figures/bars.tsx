import { Tooltip } from '@mantine/core';
import type { ComponentProps } from 'react';
import { Link } from '../link.tsx';
import classes from './bars.module.css';

export interface BarSeries {
  name: string;
  color: string;
}

export interface BarItem {
  name: string;
  tick: string;
  values: number[];
  text: string;
  /** The URL that a click opens. Keyboard users find the link in the table with the same data. */
  href?: string;
}

/** Stacked bars over time. A screen reader sees one image, so a table must show the same data. */
export function Bars(props: {
  label: string;
  series: BarSeries[];
  items: BarItem[];
  height: number;
  format: (value: number) => string;
}) {
  const { series, items, height } = props;
  const highest = Math.max(...items.map((item) => sum(item.values)), 0);
  const top = niceTop(highest);
  const every = Math.ceil(items.length / maxTicks);
  return (
    <figure className={classes.figure} aria-label={props.label}>
      {series.length > 1 && (
        <figcaption className={classes.legend}>
          {series.map((one) => (
            <span key={one.name}>
              <i style={{ background: one.color }} />
              {one.name}
            </span>
          ))}
        </figcaption>
      )}
      <div className={classes.plot} style={{ height }} aria-hidden>
        <div className={classes.grid}>
          <span>{props.format(top)}</span>
          <span>{props.format(top / 2)}</span>
          <span>{props.format(0)}</span>
        </div>
        <div className={classes.bars}>
          {items.map((item) => (
            <Tooltip key={item.name} label={item.text} openDelay={0} multiline>
              <Bar href={item.href}>
                {item.values.map((value, index) => (
                  <i
                    // biome-ignore lint/suspicious/noArrayIndexKey: the order of the series is their identity
                    key={index}
                    style={{ height: `${(value / top) * 100}%`, background: series[index]?.color }}
                  />
                ))}
              </Bar>
            </Tooltip>
          ))}
        </div>
      </div>
      <div className={classes.ticks} aria-hidden>
        {items.map((item, index) => {
          const fromEnd = items.length - 1 - index;
          const shown = fromEnd % every === 0;
          return (
            <span key={item.name} data-spare={(fromEnd / every) % 2 === 1 || undefined}>
              {shown && item.tick}
            </span>
          );
        })}
      </div>
    </figure>
  );
}

function Bar({ href, ...rest }: ComponentProps<'a'>) {
  return href === undefined ? (
    <a {...rest} className={classes.bar} />
  ) : (
    <Link {...rest} href={href} tabIndex={-1} className={classes.bar} />
  );
}

export const seriesColors = [
  'var(--series-1)',
  'var(--series-2)',
  'var(--series-3)',
  'var(--series-4)',
  'var(--series-5)',
];

const maxTicks = 8;

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Rounds up to 1, 2, 4, 5 or 10 times a power of ten. */
function niceTop(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 5, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}

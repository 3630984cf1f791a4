import type { EndpointDetail, EndpointHour } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { number } from '../../languages/format.ts';
import { locale } from '../../languages/language.ts';
import { t } from '../../languages/words.ts';
import { Bars } from '../../ui/figures/bars.tsx';
import { Figure, Figures } from '../../ui/figures/figures.tsx';
import { Section } from '../../ui/page.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { duration, LocalTime, localHour, localMinute } from '../../ui/time.tsx';
import classes from './endpoint-health.module.css';

/** How delivery attempts at an endpoint ended, hour by hour. */
export function EndpointHealth({ endpoint }: { endpoint: EndpointDetail }) {
  const [listed, setListed] = useState(false);
  const { hours, health } = endpoint;
  const used = hours.filter(({ attempts }) => attempts > 0);
  const attempts = total(used, 'attempts');
  const failed = total(used, 'failed');
  return (
    <Section
      title="Health"
      hint="The last 3 days, hour by hour"
      actions={
        used.length > 0 && (
          <Button size="xs" variant="default" aria-expanded={listed} onClick={() => setListed(!listed)}>
            {listed ? 'Hide the numbers' : 'Show the numbers'}
          </Button>
        )
      }
    >
      <Figures>
        <Figure name="Attempts">{number(attempts)}</Figure>
        <Figure name="Failed" hint={attempts > 0 && `${percent(failed, attempts)} of the attempts`}>
          {number(failed)}
        </Figure>
        <Figure name="Response, p50">{medianOf(used)}</Figure>
        <Figure name="Delivered in 7 days" hint={`${health.failed} failed, ${health.pending} pending`}>
          {number(health.delivered)}
        </Figure>
      </Figures>
      {used.length > 0 && (
        <div className={classes.charts}>
          <div className="card padded">
            <h3 className={classes.title}>Attempts per hour</h3>
            <Bars
              label="Attempts per hour; the numbers can be shown as a table"
              series={[
                { name: t('Delivered'), color: 'var(--series-1)' },
                { name: t('Failed'), color: 'var(--series-failed)' },
              ]}
              items={hours.map((hour) => item(hour, [hour.attempts - hour.failed, hour.failed]))}
              height={150}
              format={(value) => (Number.isInteger(value) ? String(value) : '')}
            />
          </div>
          {used.some(({ p50_ms }) => p50_ms !== null) && (
            <div className="card padded">
              <h3 className={classes.title}>Response time, p50</h3>
              <Bars
                label="Response time per hour; the numbers can be shown as a table"
                series={[{ name: 'p50', color: 'var(--series-2)' }]}
                items={hours.map((hour) => item(hour, [hour.p50_ms ?? 0]))}
                height={150}
                format={(value) => (value === 0 ? '0' : duration(value))}
              />
            </div>
          )}
        </div>
      )}
      {listed && <Numbers hours={used} />}
    </Section>
  );
}

function Numbers({ hours }: { hours: EndpointHour[] }) {
  return (
    <DataTable
      caption="Attempts by hour, newest first"
      rows={[...hours].reverse()}
      rowKey={({ hour }) => hour}
      columns={[
        { name: t('Hour from'), cell: ({ hour }) => <LocalTime at={hour} /> },
        { name: t('Attempts'), align: 'end', cell: ({ attempts }) => attempts },
        { name: t('Failed'), align: 'end', cell: ({ failed }) => failed },
        {
          name: t('Response time, p50'),
          align: 'end',
          cell: ({ p50_ms }) => (p50_ms === null ? '–' : duration(p50_ms)),
        },
      ]}
    />
  );
}

function item(hour: EndpointHour, values: number[]) {
  const speed = hour.p50_ms === null ? '' : `, p50 ${duration(hour.p50_ms)}`;
  return {
    name: hour.hour,
    tick: `${weekday.format(new Date(hour.hour))} ${localHour(hour.hour)}`,
    values,
    text: t('{began}: {attempts} attempts, {failed} failed{speed}', {
      began: localMinute(hour.hour),
      attempts: hour.attempts,
      failed: hour.failed,
      speed,
    }),
  };
}

const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short' });

/** The median over the hours' medians, each weighted by its successful attempts. */
function medianOf(hours: EndpointHour[]): string {
  const known = hours
    .flatMap(({ attempts, failed, p50_ms }) =>
      p50_ms === null ? [] : [{ count: attempts - failed, p50_ms }],
    )
    .sort((one, other) => one.p50_ms - other.p50_ms);
  let left = known.reduce((sum, { count }) => sum + count, 0) / 2;
  for (const { count, p50_ms } of known) {
    left -= count;
    if (left <= 0) return duration(p50_ms);
  }
  return '–';
}

function total(hours: EndpointHour[], name: 'attempts' | 'failed'): number {
  return hours.reduce((sum, hour) => sum + hour[name], 0);
}

function percent(part: number, whole: number): string {
  return `${number(Math.round((part / whole) * 1_000) / 10)}%`;
}

import type { ReportedRoute } from '../../jobs/routes/report-routes.ts';
import { endOf } from '../../upstream/calendar/model-end.ts';
import type { Finding } from './finding.ts';

export function checkCalendar(routes: readonly ReportedRoute[], nowMs: number): Finding[] {
  const ends = routes.flatMap((route) => {
    const end = endOf(route, nowMs);
    return end ? [{ route: route.id, ...end }] : [];
  });
  return ends.map(({ route, over, notice }) => ({
    name: 'calendar',
    status: over ? 'fail' : 'warn',
    found: `${route}: ${notice}`,
    next: over
      ? 'give the route another upstream model (docs/providers/calendar.md)'
      : 'add a route to its successor, and shift jobs to it by weight (docs/providers/calendar.md)',
  }));
}

import { unknownAliases } from '../../config/doors.ts';
import { describeGap, findGaps, findUnservable } from '../../jobs/routes/coverage.ts';
import type { ModelServant } from '../../jobs/routes/plan-request.ts';
import type { Unresolved } from '../../jobs/routes/resolve-routes.ts';
import type { Model } from '../../upstream/catalog/models.ts';
import type { Finding } from './finding.ts';

export function checkResolved(unresolved: readonly Unresolved[]): Finding[] {
  return unresolved.map(({ id, reason }) => ({
    name: 'models',
    status: 'fail',
    found: `the route ${id} is left out: ${reason}`,
    next: 'add what is missing, or remove the route from its model',
  }));
}

export function checkCoverage(
  models: readonly Model[],
  servants: readonly ModelServant[],
  doorAliases: ReadonlyMap<string, string>,
): Finding[] {
  const name = 'models';
  const gaps = findGaps(models, servants);
  const ofAliases = unknownAliases(
    doorAliases,
    models.map(({ id }) => id),
  ).map(
    (found): Finding => ({
      name,
      status: 'warn',
      found,
      next: 'add the model, or correct DARKROOM_DOOR_ALIASES',
    }),
  );
  if (gaps.length === 0)
    return [
      { name, status: 'ok', found: `${models.length}, with a route for all that they offer` },
      ...ofAliases,
    ];
  return [
    {
      name,
      status: findUnservable(models, servants).length > 0 ? 'fail' : 'warn',
      found: gaps.map(describeGap).join('; '),
      next: 'creates of these are refused with no_route: give the models a route that can make them, or remove the combinations (docs/guides/models.md)',
    },
    ...ofAliases,
  ];
}

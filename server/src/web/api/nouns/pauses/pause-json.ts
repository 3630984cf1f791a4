import Type, { type Static } from 'typebox';
import { closed, nullable, time } from '../../../../base/http/schemas.ts';
import { toIso, toIsoOrNull } from '../../../../base/std/iso-time.ts';
import type { Pause } from '../../../../jobs/admission/pause-store.ts';

const maxPauseSeconds = 366 * 24 * 60 * 60;

export const scopeSchema = Type.String({
  description: 'A model, an account by its id, or `project`: everything.',
});

export const pauseSchema = Type.Object(
  {
    scope: scopeSchema,
    reason: nullable(Type.String()),
    until: nullable(time('When it ends.')),
    since: time('When it began.'),
  },
  { title: 'Pause' },
);

export const newPause = closed(
  {
    reason: Type.Optional(
      Type.String({ maxLength: 500, description: 'Shown to clients whose requests are refused.' }),
    ),
    for: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxPauseSeconds,
        description: 'Seconds; by default, until resumed.',
      }),
    ),
  },
  { title: 'NewPause' },
);

export function presentPause(pause: Pause): Static<typeof pauseSchema> {
  return { ...pause, until: toIsoOrNull(pause.until), since: toIso(pause.since) };
}

import Type from 'typebox';
import { nullable, time } from '../http/schemas.ts';

const pause = Type.Object(
  {
    scope: Type.String({ description: 'A model, or `project`: everything.' }),
    reason: nullable(Type.String()),
    until: nullable(time('When it ends by itself.')),
    since: time('When it began.'),
  },
  { title: 'Pause' },
);
export const pauseListSchema = Type.Object({ data: Type.Array(pause) }, { title: 'PauseList' });

const route = {
  model: Type.String(),
  provider: Type.String(),
  slots: Type.Integer({ description: 'The most jobs at once, over all workers.' }),
  running: Type.Integer(),
  state: Type.String({ description: '`closed`, `half_open`, or why no job goes there now.' }),
  until: nullable(time('No job goes there before that.')),
  reason: nullable(Type.String()),
};

export const statusSchema = Type.Object(
  {
    version: Type.String(),
    database: Type.String(),
    storage: Type.String(),
    pauses: Type.Array(pause),
    queued: Type.Integer(),
    processing: Type.Integer({ description: 'Under a lease now.' }),
    resting: Type.Integer({ description: 'Waiting for a retry.' }),
    oldest_queued_ms: nullable(Type.Number()),
    waiting: Type.Array(
      Type.Object(
        { model: Type.String(), jobs: Type.Integer(), reason: Type.String() },
        { title: 'WaitingModel' },
      ),
    ),
    workers: Type.Array(
      Type.Object(
        { worker: Type.String(), slots: Type.Integer(), jobs: Type.Integer() },
        { title: 'RunningWorker' },
      ),
    ),
    processes: Type.Array(
      Type.Object(
        {
          process: Type.String(),
          role: Type.String(),
          version: Type.String({ description: 'In an upgrade they differ for a while.' }),
          started_at: time('When it started.'),
        },
        { title: 'RunningProcess' },
      ),
    ),
    accounts: Type.Integer(),
    routes: Type.Array(Type.Object({ ...route, upstream_model: Type.String() }, { title: 'RouteState' })),
  },
  { title: 'Status' },
);

export const verifiedSchema = Type.Object(
  {
    ok: Type.Boolean(),
    complete: Type.Boolean({ description: 'Everything was read; else as much as fits into 20 seconds.' }),
    checked: Type.Record(Type.String(), Type.Integer(), { description: 'How many of each.' }),
    violations: Type.Array(
      Type.Object(
        { invariant: Type.String({ examples: ['I2'] }), detail: Type.String() },
        { title: 'Violation' },
      ),
      { description: 'At most a hundred of each invariant.' },
    ),
    ms: Type.Integer({ description: 'How long it took.' }),
  },
  { title: 'Verified' },
);

const count = Type.Integer();
const seconds = nullable(Type.Number());
const check = Type.Object(
  { ok: Type.Boolean(), detail: Type.Optional(Type.String()) },
  { title: 'RouteCheck' },
);

export const routesSchema = Type.Object(
  {
    routes: Type.Array(
      Type.Object(
        {
          route: Type.String({ examples: ['nb2/gemini'] }),
          ...route,
          upstream_model: nullable(Type.String()),
          timeout_seconds: Type.Number(),
          per_minute: nullable(Type.Number()),
          weight: nullable(Type.Number()),
          cost_estimate: Type.Unsafe<string | Record<string, string> | null>({
            anyOf: [
              { type: ['string', 'null'] },
              { type: 'object', additionalProperties: { type: 'string' }, title: 'CostByResolution' },
            ],
            description: 'Of a picture, as the operator estimates it; by resolution where it differs.',
          }),
          detail: nullable(Type.String()),
          done: count,
          failed: count,
          failures: Type.Integer({ description: 'Attempts that failed, whatever became of their jobs.' }),
          p50_seconds: seconds,
          p95_seconds: seconds,
          cost_per_image: nullable(Type.String()),
          last_error: nullable(Type.String()),
          check: Type.Optional(check),
        },
        { title: 'RouteReport' },
      ),
    ),
    uncovered: Type.Array(Type.String(), { description: 'What clients may ask for and no route makes.' }),
  },
  { title: 'Routes' },
);

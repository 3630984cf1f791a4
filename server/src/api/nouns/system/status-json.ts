import Type from 'typebox';
import { nullable, time } from '../../../http/schemas.ts';
import { pauseSchema } from '../pauses/pause-json.ts';
import { routeStateSchema } from '../routes/route-json.ts';

export const statusSchema = Type.Object(
  {
    version: Type.String(),
    database: Type.String(),
    storage: Type.String(),
    pauses: Type.Array(pauseSchema),
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
    routes: Type.Array(routeStateSchema),
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

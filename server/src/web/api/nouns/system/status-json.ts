import Type from 'typebox';
import { nullable, oneOf, time } from '../../../../base/http/schemas.ts';
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
          version: Type.String({
            description: 'The version, which differs between processes during an upgrade.',
          }),
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

export const serverSchema = Type.Object(
  {
    version: Type.String(),
    node: Type.String(),
    role: Type.String({ examples: ['all', 'api', 'worker'] }),
    started_at: time('When the process started.'),
    memory_bytes: Type.Integer(),
    database: Type.Object(
      { kind: Type.String(), bytes: Type.Integer(), schema_version: Type.Integer() },
      { title: 'ServerDatabase' },
    ),
    storage: Type.Object(
      { kind: Type.String(), disk_free_bytes: Type.Integer(), disk_bytes: Type.Integer() },
      {
        title: 'ServerStorage',
        description: 'The disk with the data folder, even if images are stored elsewhere.',
      },
    ),
    sign_in_failures: Type.Integer({ description: 'Sign-ins that failed in the last ten minutes.' }),
    settings: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          value: Type.String({ description: 'The value; for secrets `set` or `not set`.' }),
          source: oneOf(['environment', 'file', 'default'], { title: 'SettingSource' }),
          about: Type.String(),
        },
        { title: 'Setting' },
      ),
    ),
  },
  { title: 'Server' },
);

export const verifiedSchema = Type.Object(
  {
    ok: Type.Boolean(),
    complete: Type.Boolean({
      description: 'True if everything was checked; false if 20 seconds were not enough.',
    }),
    checked: Type.Record(Type.String(), Type.Integer(), {
      description: 'The number of checked items, by kind.',
    }),
    violations: Type.Array(
      Type.Object(
        { invariant: Type.String({ examples: ['I2'] }), detail: Type.String() },
        { title: 'Violation' },
      ),
      { description: 'The violations, at most a hundred per invariant.' },
    ),
    ms: Type.Integer({ description: 'How long it took.' }),
  },
  { title: 'Verified' },
);

import Type, { type Static } from 'typebox';
import { closed, nullable, oneOf, time } from '../../../../base/http/schemas.ts';
import { toIso } from '../../../../base/std/iso-time.ts';
import { shownAddress } from '../../../../upstream/connections/address.ts';
import type { Connection } from '../../../../upstream/connections/connection.ts';
import type { StoredConnection } from '../../../../upstream/connections/connection-store.ts';
import type { UpstreamModel } from '../../../../upstream/providers/connection.ts';
import type { ConnectionProblem, ProbeResult } from '../../../../upstream/providers/probe-connection.ts';
import { authorSchema, presentAuthor } from '../audit/author-json.ts';

export const connectionSchema = Type.Object(
  {
    name: Type.String(),
    provider: Type.String(),
    base_url: nullable(Type.String(), { description: "Null: the provider's own." }),
    key: oneOf(['set', 'none', 'unreadable'], {
      title: 'ConnectionKey',
      description:
        'The state of the key, which is never shown. `unreadable`: sealed with a lost secret, so it must be given again.',
    }),
    source: oneOf(['file', 'operator'], { title: 'ConnectionSource' }),
    locked: nullable(Type.String(), {
      description:
        'The place in the configuration file that sets it; then it can only be changed there. Null for others.',
    }),
    changed_at: nullable(time('Null for connections of the configuration file.')),
    changed_by: nullable(Type.String()),
    author: nullable(authorSchema),
    models: Type.Array(Type.String(), { description: 'The models that have a route through it.' }),
  },
  { title: 'Connection' },
);
export type ConnectionJson = Static<typeof connectionSchema>;

export const connectionDetails = {
  provider: Type.String({ minLength: 1, maxLength: 40, examples: ['fal'] }),
  base_url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: "The address, unless it is the provider's own.",
    }),
  ),
  // The longest key is the JSON of a service account.
  key: Type.Optional(Type.String({ minLength: 1, maxLength: 16_384 })),
};

export const newConnection = closed(
  {
    ...connectionDetails,
    replaces: Type.Optional(
      Type.Boolean({
        description:
          '`true`: a connection with this name must exist; `false`: it must not. By default either.',
      }),
    ),
  },
  { title: 'NewConnection' },
);

export type ConnectionCheck =
  | {
      ok: true;
      /** The address that answered, if the given address lacked the path; otherwise null. */
      base_url: string | null;
      /** The upstream's models. Models without `settings` need a workflow. */
      models: UpstreamModel[];
    }
  | { ok: false; problem: ConnectionProblem; detail: string };

export const connectionCheckSchema = Type.Unsafe<ConnectionCheck>(
  Type.Object(
    {
      ok: Type.Boolean(),
      problem: Type.Optional(Type.String()),
      detail: Type.Optional(Type.String({ description: 'Advice on what to do next.' })),
      base_url: Type.Optional(
        nullable(Type.String(), {
          description: 'The address that answered, where the given one lacked its path.',
        }),
      ),
      models: Type.Optional(
        Type.Array(
          Type.Object({ id: Type.String(), name: Type.Optional(Type.String()) }, { title: 'UpstreamModel' }),
          { description: 'The models that the provider offers.' },
        ),
      ),
    },
    { title: 'ConnectionCheck' },
  ),
);

export function presentCheck(result: ProbeResult): ConnectionCheck {
  if (!result.ok) return result;
  return { ok: true, base_url: result.baseUrl ?? null, models: [...result.models] };
}

export function presentOfFile(connection: Connection, file: string, models: string[]): ConnectionJson {
  const { name, credential, credentialFrom } = connection;
  const from = credentialFrom === undefined ? '' : `, with the key of ${credentialFrom}`;
  return presentConnection(connection, models, {
    key: credential === undefined ? 'none' : 'set',
    locked: `/connections/${name} in ${file}${from}`,
  });
}

/** @param opened the connection with its credential, if the credential can be opened */
export function presentOfOperator(
  stored: StoredConnection,
  opened: Connection | undefined,
  models: string[],
): ConnectionJson {
  const isLost = stored.credential !== null && opened?.credential === undefined;
  const key = stored.credential === null ? 'none' : isLost ? 'unreadable' : 'set';
  return presentConnection(stored, models, { key, locked: null });
}

function presentConnection(
  connection: Connection | StoredConnection,
  models: string[],
  { key, locked }: Pick<ConnectionJson, 'key' | 'locked'>,
): ConnectionJson {
  const { name, provider, baseUrl } = connection;
  const stored = 'changedAt' in connection ? connection : undefined;
  return {
    ...{ name, provider, models, key, locked },
    base_url: baseUrl ? shownAddress(baseUrl) : null,
    source: stored ? 'operator' : 'file',
    changed_at: stored ? toIso(stored.changedAt) : null,
    changed_by: stored?.changedBy ?? null,
    author: stored ? presentAuthor({ name: stored.changedBy }) : null,
  };
}

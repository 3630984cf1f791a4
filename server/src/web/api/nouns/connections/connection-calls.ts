import Type from 'typebox';
import type { Guard } from '../../../../base/guard/guard.ts';
import { closed, flag } from '../../../../base/http/schemas.ts';
import type { Sealer } from '../../../../base/std/sealer.ts';
import { invalidField } from '../../../../errors.ts';
import { readCatalogue } from '../../../../upstream/catalog/catalogue.ts';
import { checkConnection, findConnection } from '../../../../upstream/connections/check-connection.ts';
import type { Connection } from '../../../../upstream/connections/connection.ts';
import { listConnections } from '../../../../upstream/connections/connection-store.ts';
import { removeConnection, saveConnection } from '../../../../upstream/connections/save-connection.ts';
import { installationCall } from '../../installation-call.ts';
import {
  type ConnectionJson,
  connectionCheckSchema,
  connectionSchema,
  newConnection,
  presentCheck,
  presentOfFile,
  presentOfOperator,
} from './connection-json.ts';
import { type UnserveDeps, unserveModels } from './unserve-models.ts';

export interface ConnectionCallDeps extends UnserveDeps {
  guard: Guard;
  ofFile: ReadonlyMap<string, Connection>;
  openCredentialSealer(): Promise<Sealer>;
  readConnections(): Promise<ReadonlyMap<string, Connection>>;
  followChanges(): Promise<void>;
}

const tag = 'Models';
const params = Type.Object({ name: Type.String({ description: 'The name that models use.' }) });

/** Calls show a provider's address, but never its key. */
export function connectionCalls(deps: ConnectionCallDeps) {
  const { database } = deps;
  return {
    list: installationCall({
      tag,
      operationId: 'listConnections',
      summary: 'List the connections to providers',
      reply: Type.Object({ data: Type.Array(connectionSchema) }, { title: 'ConnectionList' }),
      handle: async () => ({ data: await presentConnections(deps) }),
    }),

    save: installationCall({
      tag,
      operationId: 'saveConnection',
      summary: 'Add a connection, or change the one with this name',
      description:
        'The key is stored sealed and never shown again. If no key is given, the stored key stays, provided that provider and address do not change.',
      params,
      body: newConnection,
      reply: connectionSchema,
      async handle({
        by,
        params: { name },
        body: { provider, base_url: baseUrl = null, key: credential, replaces },
      }) {
        assertUnlocked(deps, name);
        await assertThere(deps, name, replaces);
        const credentialSealer = await deps.openCredentialSealer();
        await saveConnection({ database, credentialSealer }, { name, provider, baseUrl, credential }, by);
        await deps.followChanges();
        const saved = (await presentConnections(deps)).find((one) => one.name === name);
        if (!saved) throw new Error(`the connection ${name} was removed right after it was saved`);
        return saved;
      },
    }),

    check: installationCall({
      tag,
      operationId: 'checkConnection',
      summary: 'Test a connection to a provider',
      description: 'Creates no image and costs nothing.',
      params,
      reply: connectionCheckSchema,
      errors: ['not_found', 'body_too_large'],
      handle: async ({ params: { name } }) =>
        presentCheck(await checkConnection(await findConnection(deps, name), deps.guard)),
    }),

    remove: installationCall({
      tag,
      operationId: 'removeConnection',
      summary: 'Delete a connection and its key',
      description:
        'Its routes wait until there is a connection with this name again. To avoid that, remove them from their models.',
      params,
      query: closed({
        with_routes: Type.Optional(flag('Also removes its routes from the models.')),
      }),
      status: 204,
      reply: Type.Null({ description: 'It is gone.' }),
      errors: ['not_found'],
      async handle({ by, params: { name }, query }) {
        assertUnlocked(deps, name);
        if (query.with_routes === 'true') await unserveModels(deps, name, by);
        await removeConnection({ database, credentialSealer: await deps.openCredentialSealer() }, name, by);
        await deps.followChanges();
        return null;
      },
    }),
  };
}

export async function presentConnections(
  deps: Pick<ConnectionCallDeps, 'database' | 'ofFile' | 'fileModels' | 'readConnections'>,
): Promise<ConnectionJson[]> {
  const { database, ofFile, fileModels } = deps;
  const readable = await deps.readConnections();
  const newest = (await readCatalogue(database.read)).newest();
  const modelsOf = (name: string) =>
    newest.flatMap(({ model, definition }) =>
      definition?.routes?.some(({ connection }) => connection === name) ? [model] : [],
    );
  const stored = (await listConnections(database.read)).filter(({ name }) => !ofFile.has(name));
  return [
    ...[...ofFile.values()].map((one) => presentOfFile(one, fileModels.path, modelsOf(one.name))),
    ...stored.map((one) => presentOfOperator(one, readable.get(one.name), modelsOf(one.name))),
  ].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function assertUnlocked({ ofFile }: Pick<ConnectionCallDeps, 'ofFile'>, name: string): void {
  if (ofFile.has(name))
    throw invalidField('/name', 'is set by the configuration file, and can only be changed there.');
}

/** @throws AppError `invalid_request` if saving would create or replace a connection by mistake */
async function assertThere(
  deps: Pick<ConnectionCallDeps, 'readConnections'>,
  name: string,
  replaces: boolean | undefined,
): Promise<void> {
  if (replaces === undefined || (await deps.readConnections()).has(name) === replaces) return;
  throw invalidField(
    '/name',
    replaces
      ? 'is not the name of a connection; the connection may have been removed.'
      : 'is taken by another connection. Choose another.',
  );
}

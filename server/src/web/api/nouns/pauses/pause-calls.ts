import Type from 'typebox';
import { livingAccountOf } from '../../../../accounts/account-of.ts';
import type { Database } from '../../../../base/db/database.ts';
import { readNow } from '../../../../base/db/rows.ts';
import { isUuid } from '../../../../base/std/ids.ts';
import { pauseJobs, resumeJobs } from '../../../../jobs/admission/pause-jobs.ts';
import { listPauses, type PauseScope } from '../../../../jobs/admission/pause-store.ts';
import { assertKnownModel, readCatalogue } from '../../../../upstream/catalog/catalogue.ts';
import { installationCall } from '../../installation-call.ts';
import { newPause, pauseSchema, presentPause, scopeSchema } from './pause-json.ts';

const tag = 'System';
const params = Type.Object({ scope: scopeSchema });

export function pauseCalls(deps: { database: Database }) {
  const { database } = deps;
  return {
    list: installationCall({
      tag,
      operationId: 'listPauses',
      summary: 'List the current pauses',
      reply: Type.Object({ data: Type.Array(pauseSchema) }, { title: 'PauseList' }),
      handle: async () => ({ data: (await listPauses(database.read)).map(presentPause) }),
    }),

    pause: installationCall({
      tag,
      operationId: 'pause',
      summary: 'Accept no new jobs',
      description: 'Pauses one model, one account or everything. Running jobs finish.',
      params,
      body: newPause,
      status: 204,
      reply: Type.Null({ description: 'It is paused.' }),
      errors: ['not_found'],
      async handle({ by, params: { scope }, body: { reason = null, for: seconds } }) {
        const known = await readScope(database, scope);
        // The pause ends at a time of the database's clock, not of this host's.
        const until = seconds === undefined ? null : (await readNow(database.read)) + seconds * 1000;
        await pauseJobs(deps, { scope: known, reason, until }, by);
        return null;
      },
    }),

    resume: installationCall({
      tag,
      operationId: 'resume',
      summary: 'End a pause',
      params,
      status: 204,
      reply: Type.Null({ description: 'It is not paused.' }),
      errors: ['not_found'],
      async handle({ by, params: { scope } }) {
        await resumeJobs(deps, { scope: await readScope(database, scope) }, by);
        return null;
      },
    }),
  };
}

/** Replaces an account's id in any spelling with the stored id. */
async function readScope(database: Database, scope: PauseScope): Promise<PauseScope> {
  if (isUuid(scope)) return (await livingAccountOf(database.read, scope)).id;
  if (scope !== 'project') assertKnownModel(await readCatalogue(database.read), scope, '/model');
  return scope;
}

import Type from 'typebox';
import { closed } from '../../../../base/http/schemas.ts';
import type { ImageStore } from '../../../../images/image-store.ts';
import { type SelfCheck, selfCheck } from '../../../../jobs/upkeep/verify/self-check.ts';
import { unbegun, verifyEverything } from '../../../../jobs/upkeep/verify/verify-everything.ts';
import { version } from '../../../../version.ts';
import { installationCall } from '../../installation-call.ts';
import type { OpenSettings } from '../routes/route-calls.ts';
import { readServer, type ServerDeps } from './read-server.ts';
import { readStatus } from './read-status.ts';
import { serverSchema, statusSchema, verifiedSchema } from './status-json.ts';

export interface SystemCallDeps extends ServerDeps {
  openSettings: OpenSettings;
  images: ImageStore;
}

const tag = 'System';

export function systemCalls(deps: SystemCallDeps) {
  const { database, storage, openSettings } = deps;
  return {
    status: installationCall({
      tag,
      operationId: 'getStatus',
      summary: 'Read the state of the installation',
      description: 'Reads which jobs wait and why, what runs where, and the state of the routes.',
      reply: statusSchema,
      handle: async () => ({
        ...{ version, database: database.kind, storage },
        ...(await readStatus(database, await openSettings())),
      }),
    }),

    server: installationCall({
      tag,
      operationId: 'getServer',
      summary: 'Read the version and the configuration of the answering process',
      description:
        'Describes the process that answers. If the command line uses the database directly, that is the command line itself.',
      reply: serverSchema,
      handle: () => readServer(deps),
    }),

    selfCheck: installationCall({
      tag,
      operationId: 'selfCheck',
      summary: 'Check the invariants',
      description:
        'Checks accounts, the ledger, jobs and events, for at most 20 seconds. The server checks the rest within a day.',
      body: closed(
        {
          images: Type.Optional(
            Type.Boolean({
              description: 'Checks everything, and also every image, which takes long if there are many.',
            }),
          ),
        },
        { title: 'Verification' },
      ),
      reply: verifiedSchema,
      async handle({ body }) {
        const began = performance.now();
        const { checked, violations, complete } = body.images
          ? await readAll(deps)
          : await selfCheck(database);
        const ms = Math.round(performance.now() - began);
        return { ok: violations.length === 0, complete, checked, violations, ms };
      },
    }),
  };
}

async function readAll({ database, images }: SystemCallDeps): Promise<SelfCheck> {
  let done = unbegun;
  for await (done of verifyEverything({ database, images }, done));
  return { ...done, complete: true };
}

import { Readable } from 'node:stream';
import Type from 'typebox';
import { accountOf } from '../../../../accounts/account-of.ts';
import { maxNameLength } from '../../../../accounts/name.ts';
import { closed } from '../../../../base/http/schemas.ts';
import { type EraseDeps, eraseAccount } from '../../../../jobs/upkeep/erase-account.ts';
import { type ExportDeps, exportAccount } from '../../../../jobs/upkeep/export-account.ts';
import { installationCall } from '../../installation-call.ts';
import { Streamed, streamed } from '../../streamed.ts';
import { accountParams } from './account-json.ts';

export type ArchiveCallDeps = EraseDeps & ExportDeps;

const tag = 'Accounts';

export function archiveCalls(deps: ArchiveCallDeps) {
  return {
    exportAccount: installationCall({
      tag,
      operationId: 'exportAccount',
      summary: 'Export an account',
      description:
        'A zip archive of all its data, created while it is read: rows as JSON Lines, and unchanged images, inputs and uploads. Rows over 1 GiB continue in another file, such as `entries-2.jsonl`. It contains no secrets. If the download breaks off, the archive is incomplete: repeat the request.',
      params: accountParams,
      replyType: 'application/zip',
      reply: streamed,
      errors: ['not_found', 'body_too_large'],
      async handle({ params, by }) {
        const { id } = await accountOf(deps.database.read, params.account);
        return new Streamed({
          mediaType: 'application/zip',
          fileName: `account-${id}.zip`,
          content: Readable.from(exportAccount(deps, id, by)),
        });
      },
    }),

    eraseAccount: installationCall({
      tag,
      operationId: 'eraseAccount',
      summary: 'Erase an account',
      description:
        'Disables it permanently, cancels its jobs, and removes its images, inputs, prompts, deliveries, endpoints and members, and names and addresses in its audit log. The ledger stays, under a pseudonym. The answer comes at the end, which takes long for a large account; repeat the call if it was interrupted.',
      params: accountParams,
      body: closed(
        {
          name: Type.String({
            minLength: 1,
            maxLength: maxNameLength,
            description: 'The exact name of the account, as a confirmation.',
          }),
        },
        { title: 'Erasure' },
      ),
      reply: Type.Object(
        {
          account_id: Type.String({ format: 'uuid' }),
          jobs: Type.Integer({ description: 'The number of jobs that were erased.' }),
          objects: Type.Integer({ description: 'The number of images and inputs that were erased.' }),
        },
        { title: 'ErasedAccount' },
      ),
      errors: ['not_found'],
      async handle({ params, body, by }) {
        const { accountId, ...erased } = await eraseAccount(deps, { ...params, ...body }, by);
        return { account_id: accountId, ...erased };
      },
    }),
  };
}

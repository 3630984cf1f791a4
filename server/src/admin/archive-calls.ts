import { Readable } from 'node:stream';
import Type from 'typebox';
import { maxNameLength } from '../accounts/name.ts';
import { closed } from '../http/schemas.ts';
import { adminCall } from './admin-call.ts';
import { accountParams } from './schemas.ts';

const tag = 'Accounts';

/** All that is kept of an account, and its end. */
export function archiveCalls() {
  return {
    exportAccount: adminCall({
      tag,
      operationId: 'exportAccount',
      summary: 'Export an account',
      description:
        'A zip archive of everything that is kept of it, made while it is read: its rows as JSON Lines, its pictures, inputs and uploads as they are. No secrets are in it. An archive that breaks off is not complete: ask again.',
      params: accountParams,
      status: 200,
      replyType: 'application/zip',
      reply: Type.Unsafe<never>({}),
      errors: ['not_found', 'body_too_large'],
      async handle({ verbs, params }, reply) {
        const { account_id: accountId } = await verbs.getAccount(params.account); // once it began there is no status to say it with
        return reply
          .type('application/zip')
          .header('content-disposition', `attachment; filename="account-${accountId}.zip"`)
          .send(Readable.from(verbs.exportAccount(accountId)));
      },
    }),

    eraseAccount: adminCall({
      tag,
      operationId: 'eraseAccount',
      summary: 'Erase an account',
      description:
        'For good: disables it, cancels its jobs, and removes its pictures, inputs, prompts, deliveries, endpoints and members, and names and addresses in its audit log. The ledger stays, under a pseudonym. It answers when it is done, which takes as long as there is much; what was cut off is begun again by the same call.',
      params: accountParams,
      body: closed(
        {
          name: Type.String({
            maxLength: maxNameLength,
            description: 'The name of the account exactly as it is, which confirms it.',
          }),
        },
        { title: 'Erasure' },
      ),
      status: 200,
      reply: Type.Object(
        {
          account_id: Type.String({ format: 'uuid' }),
          jobs: Type.Integer({ description: 'How many were erased.' }),
          objects: Type.Integer({ description: 'Pictures and inputs that were erased.' }),
        },
        { title: 'ErasedAccount' },
      ),
      errors: ['not_found', 'unsupported_media_type', 'body_too_large'],
      handle: ({ verbs, params, body }) => verbs.eraseAccount(params.account, body),
    }),
  };
}

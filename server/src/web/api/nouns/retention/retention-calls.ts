import Type from 'typebox';
import { changeRetention } from '../../../../accounts/retention/change-retention.ts';
import { type RetentionSettings, retentionOf } from '../../../../accounts/retention/retention.ts';
import { readOwnRetention } from '../../../../accounts/retention/retention-store.ts';
import type { Database } from '../../../../base/db/database.ts';
import { accountCall } from '../../account-call.ts';
import { presentParts, retentionChanges, retentionSchema } from './retention-json.ts';

export interface RetentionCallDeps {
  database: Database;
  retention: RetentionSettings;
}

const tag = 'Accounts';
const reply = Type.Object({ data: Type.Array(retentionSchema) }, { title: 'RetentionList' });

export function retentionCalls({ database, retention }: RetentionCallDeps) {
  const read = async (accountId: string) => {
    const own = await readOwnRetention(database.read, accountId);
    return { data: presentParts(retentionOf(retention, own), own) };
  };
  return {
    list: accountCall({
      tag,
      operationId: 'getRetention',
      summary: 'Read how long an account keeps its data',
      reply,
      handle: ({ accountId }) => read(accountId),
    }),

    change: accountCall({
      tag,
      operationId: 'changeRetention',
      summary: 'Change how long an account keeps its data',
      description:
        'Absent fields keep their values. No part of a job is kept longer than the job, and no prompt or input longer than the image.',
      body: retentionChanges,
      reply,
      async handle({ accountId, by, body }) {
        await changeRetention({ database }, { accountId, changes: body }, by);
        return read(accountId);
      },
    }),
  };
}

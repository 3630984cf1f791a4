import Type from 'typebox';
import { closed } from '../../http/schemas.ts';
import { changeRetention } from '../../retention/change-retention.ts';
import { leastDays, longestDays, parts, retentionOf } from '../../retention/retention.ts';
import { readOwnRetention } from '../../retention/retention-store.ts';
import { readAccountRow } from '../operator/operator-account.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { Retention } from './contract.ts';

const changes = closed(
  Object.fromEntries(
    parts.map((part) => [
      part,
      Type.Optional(
        Type.Union([Type.Integer({ minimum: leastDays(part), maximum: longestDays }), Type.Null()]),
      ),
    ]),
  ),
);

/** For how long an account keeps what it has: its members see it, operators change it. */
export function retentionCalls({ database, installation }: PanelDeps): PanelCall[] {
  const read = async (accountId: string): Promise<Retention> => {
    const own = await readOwnRetention(database.read, accountId);
    const holds = retentionOf(installation.retention, own);
    const rows = parts.map((part) => ({
      part,
      days: holds[part],
      own: own[part] !== undefined,
      least: leastDays(part),
    }));
    return { data: rows };
  };
  return [
    panelCall('GET /panel/accounts/:account_id/retention', {
      handle: ({ params }) => read(params.account_id),
    }),

    panelCall('POST /panel/operator/accounts/:account_id/retention', {
      body: changes,
      async handle({ params, body, viewer }) {
        const { id: accountId } = await readAccountRow(database, params.account_id);
        await changeRetention({ database }, { accountId, changes: body }, viewer);
        return read(accountId);
      },
    }),
  ];
}

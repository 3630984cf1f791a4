import type { ApiKey } from '../../accounts/key-store.ts';
import { limitChanges } from '../../api/nouns/keys/limit-schemas.ts';
import { readNow } from '../../db/rows.ts';
import type { Queries } from '../../db/schema.ts';
import { closed } from '../../http/schemas.ts';
import { changeLimits } from '../../limits/change-limits.ts';
import type { Subject } from '../../limits/limit.ts';
import { presentSheet } from '../../limits/limit-sheet.ts';
import { listLimits } from '../../limits/list-limits.ts';
import { readLimitChanges } from '../../limits/read-limit-changes.ts';
import { findOwnKey } from '../keys/find-own-key.ts';
import { readAccountRow } from '../operator/operator-account.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { Limits } from './contract.ts';

/** The limits of keys, and of accounts, which only operators change. */
export function limitCalls({ database, limitDefaults: defaults }: PanelDeps): PanelCall[] {
  const readSheet = async (queries: Queries, subject: Subject): Promise<Limits> => {
    const nowMs = await readNow(queries);
    return { data: presentSheet(await listLimits(queries, subject, { defaults, nowMs }), nowMs) };
  };
  return [
    panelCall('GET /panel/accounts/:account_id/limits', {
      handle: ({ params }) => readSheet(database.read, ofAccount(params.account_id)),
    }),

    panelCall('GET /panel/accounts/:account_id/keys/:key_id/limits', {
      handle: async ({ params }) => readSheet(database.read, ofKey(await findOwnKey(database.read, params))),
    }),

    panelCall('POST /panel/operator/accounts/:account_id/limits', {
      body: closed({ limits: limitChanges }),
      async handle({ params, body, viewer }) {
        const { id: accountId } = await readAccountRow(database, params.account_id);
        const subject = ofAccount(accountId);
        return database.transaction(async (tx) => {
          await changeLimits(
            tx,
            { accountId, subject, changes: readLimitChanges(body.limits, '/limits'), defaults },
            viewer,
          );
          return readSheet(tx, subject);
        });
      },
    }),
  ];
}

function ofAccount(id: string): Subject {
  return { kind: 'account', id };
}

function ofKey({ id }: ApiKey): Subject {
  return { kind: 'key', id };
}

import Type from 'typebox';
import type { Database } from '../../../../base/db/database.ts';
import { amount, nullable } from '../../../../base/http/schemas.ts';
import { readMargins } from '../../../../jobs/read-margins.ts';
import { installationCall } from '../../installation-call.ts';

const margin = {
  images: Type.Integer(),
  paid: amount('What clients paid.'),
  cost: nullable(amount('What images cost whose cost is known; null when there are none.')),
  margin: nullable(amount('What was paid for those, less their cost.')),
  without_cost: Type.Integer({ description: 'Images that nobody knows the cost of.' }),
};

export const marginsSchema = Type.Object(
  {
    model: Type.String(),
    ...margin,
    days: Type.Array(
      Type.Object({ day: Type.String({ format: 'date' }), ...margin }, { title: 'MarginDay' }),
      { description: 'UTC, by the time at which the images were asked for; the newest first.' },
    ),
  },
  { title: 'ModelMargins' },
);

/** What each model earned. */
export function marginsCall({ database }: { database: Database }) {
  return installationCall({
    tag: 'Money',
    operationId: 'getMargins',
    summary: 'Read what each model earned',
    description: 'On each of the last seven days: what was paid, less what images cost.',
    status: 200,
    reply: Type.Object({ data: Type.Array(marginsSchema) }, { title: 'MarginList' }),
    errors: [],
    handle: async () => ({ data: await readMargins(database.reports) }),
  });
}

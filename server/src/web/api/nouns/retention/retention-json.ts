import Type, { type Static } from 'typebox';
import {
  leastDays,
  longestDays,
  type Part,
  parts,
  type Retention,
  type RetentionDays,
} from '../../../../accounts/retention/retention.ts';
import { closed, nullable, oneOf } from '../../../../base/http/schemas.ts';

export const retentionSchema = Type.Object(
  {
    part: oneOf(parts, { title: 'RetentionPart' }),
    days: nullable(Type.Integer(), { description: 'Counted from the end of a job. Null: for ever.' }),
    own: Type.Boolean({ description: 'True if the account has its own setting.' }),
    least: Type.Integer({ description: 'The fewest days that may be set.' }),
  },
  { title: 'RetentionPeriod' },
);

const days = (part: Part) =>
  Type.Optional(nullable(Type.Integer({ minimum: leastDays(part), maximum: longestDays })));

export const retentionChanges = closed(
  Object.fromEntries(parts.map((part) => [part, days(part)])) as Record<Part, ReturnType<typeof days>>, // one value for each part
  { title: 'RetentionChanges', description: "Days; null for the installation's setting." },
);

export function presentParts(holds: Retention, own: RetentionDays): Static<typeof retentionSchema>[] {
  return parts.map((part) => ({
    part,
    days: holds[part],
    own: own[part] !== undefined,
    least: leastDays(part),
  }));
}

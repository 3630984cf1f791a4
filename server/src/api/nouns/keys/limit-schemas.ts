import Type from 'typebox';
import { closed, nullable } from '../../../http/schemas.ts';

// As large as a number of bytes may be that every client reads exactly.
const mostCounted = Number.MAX_SAFE_INTEGER;
const moneyLimit = (description: string) =>
  Type.Optional(nullable(Type.String({ maxLength: 20 }), { description, examples: ['5.00', 'default'] }));
const countLimit = (description: string) =>
  Type.Optional(
    Type.Unsafe<number | 'default' | null>({
      anyOf: [
        { type: 'integer', minimum: 1, maximum: mostCounted },
        { type: ['string', 'null'], enum: ['default', null], title: 'DefaultLimit' },
      ],
      description,
    }),
  );

export const limitChanges = closed(
  {
    spend_hour: moneyLimit('Most that jobs may cost in an hour (UTC).'),
    spend_day: moneyLimit('In a day.'),
    spend_month: moneyLimit('In a month.'),
    spend_total: moneyLimit('In all.'),
    open: countLimit('Most jobs that wait or run.'),
    waiting: countLimit('Most jobs that wait.'),
    running: countLimit('Most jobs that run at once.'),
    input_bytes_day: countLimit('Most bytes of input images in a day.'),
    requests_second: countLimit('Most requests a second.'),
    requests_minute: countLimit('Most requests a minute.'),
  },
  {
    title: 'LimitChanges',
    description: 'Null for no limit, `default` for that of the installation.',
  },
);

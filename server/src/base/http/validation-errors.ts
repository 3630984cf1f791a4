import type { FastifyError, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { groupDigits } from '../std/group-digits.ts';
import { patternWords } from './schemas.ts';

type Violation = NonNullable<FastifyError['validation']>[number];
type Part = 'body' | 'query' | 'params' | 'headers';

// The maximum number of reported errors. Further errors are usually the same error, repeated.
const maxErrors = 20;

export function validationError(found: readonly Violation[], context: string): AppError {
  // Errors below `propertyNames` are left out, because another violation reports the wrong name.
  const part = (context === 'querystring' ? 'query' : context) as Part; // Fastify's words, except one
  const violations = found.filter(
    ({ schemaPath, keyword, instancePath }) =>
      !schemaPath.includes('/propertyNames/') &&
      !(part === 'query' && keyword === 'enum' && isRepeated(found, instancePath)),
  );
  const errors = violations.slice(0, maxErrors).map((violation) => describe(violation, part));
  const [first] = errors;
  if (violations.length === 1 && first)
    return new AppError('invalid_request', `${placeOf(first.pointer, part)} ${first.detail}`, { errors });
  const named = violations.length > maxErrors ? `the first ${maxErrors}` : 'each';
  const detail = `${violations.length} parts of the ${part} are not valid; "errors" names ${named}.`;
  return new AppError('invalid_request', detail, { errors });
}

/** Checks the query before the body is read, because Fastify checks it later. @throws AppError `invalid_request` */
export function assertQuery(request: FastifyRequest): void {
  const validate = request.getValidationFunction('querystring');
  if (validate && !validate(request.query)) throw validationError(validate.errors ?? [], 'querystring');
}

function describe({ keyword, instancePath, params, message = 'is not valid' }: Violation, part: Part) {
  const pointer = `${part === 'body' ? '' : `/${part}`}${instancePath}`;
  const limit = Number(params.limit);
  switch (keyword) {
    case 'required':
      return { pointer: `${pointer}/${escapePointer(params.missingProperty)}`, detail: 'is required.' };
    case 'additionalProperties':
      return {
        pointer: `${pointer}/${escapePointer(params.additionalProperty)}`,
        detail: 'is not known here; leave it out.',
      };
    case 'type':
      // A repeated parameter is a list of texts.
      if (part === 'query') return { pointer, detail: 'must be given once.' };
      return { pointer, detail: `must be ${typesInWords(pointer, params.type)}.` };
    case 'enum':
      return { pointer, detail: `must be one of ${listOf(params.allowedValues).join(', ')}.` };
    case 'const':
      return { pointer, detail: `must be ${JSON.stringify(params.allowedValue)}.` };
    case 'pattern':
      return {
        pointer,
        detail: `must be ${patternWords[String(params.pattern)] ?? 'written as the reference says'}.`,
      };
    case 'format':
      return {
        pointer,
        detail: `must be ${formatWords[String(params.format)] ?? 'written as the reference says'}.`,
      };
    case 'minLength':
      return {
        pointer,
        detail: limit === 1 ? 'must not be empty.' : `must have ${least(limit, 'character')}.`,
      };
    case 'maxLength':
      return { pointer, detail: `must have ${most(limit, 'character')}.` };
    case 'minItems':
      return { pointer, detail: `must have ${least(limit, 'entry')}.` };
    case 'maxItems':
      return { pointer, detail: `must have ${most(limit, 'entry')}.` };
    case 'maxProperties':
      return { pointer, detail: `must have ${most(limit, 'entry')}.` };
    case 'propertyNames':
      return { pointer, detail: `has a name that is empty or too long: ${quoted(params.propertyName)}.` };
    default:
      return { pointer, detail: `${message}.` };
  }
}

/** Whether this query parameter was sent twice. Then it also violates its `enum`, and that error adds nothing. */
function isRepeated(found: readonly Violation[], parameter: string): boolean {
  return found.some(({ keyword, instancePath }) => keyword === 'type' && instancePath === parameter);
}

function placeOf(pointer: string, part: Part): string {
  const path = (part === 'body' ? pointer : pointer.slice(`/${part}`.length)).slice(1);
  if (path === '') return `The ${part}`;
  const [, list, index] = /^(.+)\/(\d+)$/.exec(path) ?? [];
  if (list !== undefined) return `Entry ${Number(index) + 1} of "${list}"`;
  return `The ${part === 'body' ? 'field' : 'parameter'} "${path}"`;
}

function typesInWords(pointer: string, types: unknown): string {
  if (pointer === '') return 'a JSON object';
  return listOf(types)
    .map((type) => typeWords[type] ?? type)
    .join(' or ');
}

const typeWords: Record<string, string> = {
  string: 'a string',
  object: 'an object',
  array: 'an array',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

const formatWords: Record<string, string> = {
  uuid: 'an id such as 0199f3a0-7c52-7d31-9a4e-2f6b8c1d0e57',
  date: 'a day such as 2026-11-20',
  'date-time': 'a time such as 2026-11-20T00:00:00Z',
};

type Noun = 'character' | 'entry';
const least = (limit: number, noun: Noun) => `at least ${counted(limit, noun)}`;
const most = (limit: number, noun: Noun) => `at most ${counted(limit, noun)}`;

function counted(count: number, noun: Noun): string {
  const many = noun === 'entry' ? 'entries' : `${noun}s`;
  return `${groupDigits(count)} ${count === 1 ? noun : many}`;
}

function listOf(values: unknown): string[] {
  return [values].flat().map(String);
}

function quoted(name: unknown): string {
  return JSON.stringify(String(name).slice(0, 100));
}

function escapePointer(name: unknown): string {
  return String(name).slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1');
}

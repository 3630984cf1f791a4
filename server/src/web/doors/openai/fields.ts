import { wrongField } from '../door-errors.ts';
import { LongText } from '../large-json.ts';

/** The fields of a body that have not been read yet. A form's fields are text, and `null` counts as missing. */
export type Fields = Record<string, unknown>;

export function asFields(body: unknown): Fields {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw wrongField('', 'The body must be a JSON object.');
  return { ...body };
}

export function take(fields: Fields, name: string): unknown {
  const value = fields[name] ?? undefined;
  delete fields[name];
  return value instanceof LongText ? value.read() : value;
}

export function takeText(fields: Fields, name: string, maxLength?: number): string | undefined {
  const value = take(fields, name);
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw wrongField(`/${name}`, `${name} must be a string.`);
  if (maxLength !== undefined && value.length > maxLength)
    throw wrongField(`/${name}`, `${name} must have at most ${maxLength} characters.`);
  return value;
}

export function takeInteger(
  fields: Fields,
  name: string,
  { min, max }: { min: number; max: number },
): number | undefined {
  const value = take(fields, name);
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max) return number;
  throw wrongField(`/${name}`, `${name} must be a whole number from ${min} to ${max}.`);
}

export function takeTrue(fields: Fields, name: string): boolean {
  const value = take(fields, name) ?? false;
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  throw wrongField(`/${name}`, `${name} must be true or false.`);
}

export function oneOf<const Values extends readonly string[]>(
  fields: Fields,
  name: string,
  values: Values,
): Values[number] | undefined {
  const value = take(fields, name);
  if (value === undefined) return undefined;
  const known = values.find((one) => one === value);
  if (known !== undefined) return known;
  throw wrongField(`/${name}`, `${name} must be one of ${values.join(', ')}.`);
}

import { patternWords } from '../../../base/http/schemas.ts';
import { groupDigits } from '../../../base/std/group-digits.ts';
import { type Html, html, inline } from '../../../base/std/markup/html.ts';
import type { Parameter, Schema } from './document.ts';

/** The side of a field. Only exceptions are marked: required fields in a request, optional fields in an answer. */
export type Side = 'request' | 'answer';

export function schemaFields(schema: Schema, side: Side): Html {
  const required = new Set(schema.required);
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) =>
    fieldRow({
      name,
      schema: field,
      side,
      required: required.has(name),
      description: field.description,
    }),
  );
  return html`<ul class="fields">${rows}</ul>`;
}

export function parameterFields(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(({ in: place, name, schema, required = false, description }) =>
    fieldRow({
      name: place === 'header' ? headerName(name) : name,
      schema,
      side: 'request',
      required,
      description: description ?? schema.description,
    }),
  );
  return html`<ul class="fields">${rows}</ul>`;
}

/** The usual spelling of a header name. The document may spell it in lower case, because HTTP ignores case. */
export function headerName(name: string): string {
  return name.replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());
}

export function refName({ $ref }: Schema): string | undefined {
  return $ref?.split('/').at(-1);
}

interface Field {
  name: string;
  schema: Schema;
  side: Side;
  required: boolean;
  description: string | undefined;
}

function fieldRow({ name, schema, side, required, description }: Field): Html {
  const facts = rules(schema.items && !schema.items.properties ? { ...schema.items, ...schema } : schema);
  const inner = schema.properties ? schema : schema.items;
  return html`<li>
<p class="field"><code class="name">${name}</code> <span class="type">${typeOf(schema)}</span>${markOf(side, required)}</p>
${description && html`<p>${inline(description)}</p>`}
${facts.length > 0 && html`<p class="rules">${facts.map((fact, at) => html`${at > 0 && ' · '}${fact}`)}</p>`}
${choices(schema)}
${inner?.properties && schemaFields(inner, side)}
</li>`;
}

function markOf(side: Side, required: boolean): Html | false {
  if (side === 'request') return required && html` <span class="required">required</span>`;
  return !required && html` <span class="type">may be missing</span>`;
}

export function typeOf(schema: Schema): Html {
  const name = refName(schema);
  if (name !== undefined) return html`<a href="/docs/reference#schema-${name}">${name}</a>`;
  if (schema.anyOf) return html`${schema.anyOf.map((one, at) => html`${at > 0 && ' or '}${typeOf(one)}`)}`;
  const types = [schema.type ?? []].flat().map((type) => {
    if (type !== 'array')
      return formats[schema.format ?? ''] && type === 'string' ? formats[schema.format ?? ''] : type;
    return schema.items ? html`array of ${typeOf(schema.items)}` : 'array';
  });
  return html`${types.map((type, at) => html`${at > 0 && ' or '}${type}`)}`;
}

const formats: Record<string, string> = { uuid: 'UUID', uri: 'URL', 'date-time': 'date and time' };

export function choices(schema: Schema): Html | undefined {
  const values = (schema.enum ?? schema.items?.enum)?.filter((value) => value !== null);
  if (!values) return undefined;
  return html`<ul class="choices" aria-label="Values">${values.map((value) => html`<li><code>${String(value)}</code></li>`)}</ul>`;
}

function rules(schema: Schema): Html[] {
  const { pattern, minLength, maxLength, minItems, maxItems } = schema;
  const found: Html[] = [];
  if (minItems !== undefined || maxItems !== undefined)
    found.push(html`${range(minItems, maxItems)} entries`);
  if (minLength !== undefined || maxLength !== undefined)
    found.push(html`${range(minLength, maxLength)} characters`);
  if (pattern !== undefined)
    found.push(html`${patternWords[pattern] ?? html`matches <code>${pattern}</code>`}`);
  if (schema.default !== undefined) found.push(html`default <code>${String(schema.default)}</code>`);
  return found;
}

function range(least: number | undefined, most: number | undefined): string {
  if (most === undefined) return `at least ${groupDigits(least ?? 0)}`;
  return least === undefined
    ? `at most ${groupDigits(most)}`
    : `${groupDigits(least)} to ${groupDigits(most)}`;
}

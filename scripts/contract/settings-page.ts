import { configFileSchema } from '../../server/src/config/config-file.ts';
import { secretVariables } from '../../server/src/config/config-report.ts';
import { describeField, type FieldSchema, fieldsOf } from '../../server/src/config/file-fields.ts';
import type { Variable, VariableGroup } from '../../server/src/config/variables/variable.ts';
import { variableGroups } from '../../server/src/config/variables/variables.ts';
import { routeSchema } from '../../server/src/jobs/routes/route-definition.ts';
import { definitionSchema } from '../../server/src/upstream/catalog/definition-schema.ts';

/** `docs/settings.md`, generated from the definitions that the server reads. */
export function settingsPage(): string {
  const fields = fieldsOf(configFileSchema).filter(([name]) => name !== '$schema');
  const sections = [
    intro,
    ...variableGroups.map(variableSection),
    fileIntro,
    table(
      'field',
      rowsOf(
        fields.filter(([name]) => !(name in guides)),
        [],
      ),
    ),
    ...fields.filter(([name]) => name in guides).map(fileSection),
    `## A route\n\n${routeIntro}\n`,
    table('field', rowsOf(commonRoute, [])),
    `## A model\n\n${modelIntro}\n`,
    table('field', rowsOf(fieldsOf(definitionSchema), definitionSchema.required)),
  ];
  return `${sections.join('\n').trim()}\n`;
}

const intro = `# Settings

Every setting has a default. If a value is wrong, a bucket is missing, a key is refused or a variable that begins with \`DARKROOM_\` is unknown, Darkroom
does not start, and its message says why. *System* in the panel shows every setting and where it comes from.

The page lists environment variables first, then the fields of [the configuration file](#the-configuration-file). A variable for a secret, or for
an address that can contain one, can come from a file, which Darkroom reads at the start: set \`NAME_FILE\` to its path instead, such as
\`DATABASE_URL_FILE=/run/secrets/database\`. Commands also read \`DARKROOM_API_KEY_FILE\`.
`;

const fileIntro = `## The configuration file

\`DARKROOM_CONFIG\` names a JSON file. All fields are optional, unknown fields are refused, and editors complete them from the [schema](config.schema.json).
`;

const routeIntro = `You define routes under \`routes\` in the configuration file or in a model. A route names a \`provider\` or a [\`connection\`](guides/models.md#connections), and has these fields and
[those of its provider](providers/connecting.md).`;

const modelIntro =
  'You define models under `models` in the configuration file, with `darkroom models apply` or in the panel. Guide: [Models of your own](guides/models.md#models-of-your-own).';

const guides: Record<string, string> = {
  limits: '[Limits](guides/limits.md#defaults)',
  marking: '[Marks of origin](guides/origin.md#settings)',
  alerts: '[When a model loses money](guides/models.md#when-a-model-loses-money)',
  policy: '[Policy](guides/policy.md)',
  payments: '[Payments](guides/payments.md#set-up)',
  signUp: '[Sign-up](guides/sign-up.md)',
  retention: '[Retention](guides/operating.md#retention)',
};

const alsoSet: Record<string, string> = {
  prices: 'in *Models* of the panel',
  routes: 'in *Models* of the panel',
  models: 'in *Models* of the panel and by `darkroom models apply`',
  connections: 'in *Connections* of the panel and by `darkroom connection add`',
  doorAliases: 'by `DARKROOM_DOOR_ALIASES`',
  'limits.accounts': 'for each account',
  'limits.keys': 'for each key',
  retentionDays: 'for each account',
  ...Object.fromEntries(
    ['pictures', 'prompts', 'inputs', 'deliveries', 'idempotency', 'audit'].map((part) => [
      `retention.${part}`,
      'for each account',
    ]),
  ),
};

const guidesOfFields: Record<string, string> = {
  action: '[Models for an action](guides/models.md#models-for-an-action)',
  order: '[The cheapest first](guides/models.md#the-cheapest-first)',
  'policy.strikes': '[Repeated refusals](guides/policy.md#repeated-refusals)',
};

/** Objects that share one table row per field, because they have the same fields. */
const together = ['limits.accounts', 'limits.keys', 'signUp.limits'];

type Row = [name: string, whenUnset: string, meaning: string];

function variableSection({ title, variables }: VariableGroup): string {
  return `## ${title}\n\n${table('variable', variables.map(variableRow))}`;
}

function variableRow({ name, whenUnset, about, more, also }: Variable): Row {
  return [
    name,
    whenUnset,
    [
      about,
      ...(more ? [more] : []),
      ...(secretVariables.includes(name) ? [`Or from a file: \`${name}_FILE\`.`] : []),
      ...(also ? [`It can also be set ${also}.`] : []),
    ].join(' '),
  ];
}

function fileSection([name, schema]: [string, FieldSchema]): string {
  const rows = rowsOf(fieldsOf(schema), schema.required, name);
  return `## \`${name}\`\n\n${schema.description} Guide: ${guides[name]}.\n\n${table('field', rows)}`;
}

function rowsOf(
  fields: readonly [string, FieldSchema][],
  required: readonly string[] = [],
  above?: string,
): Row[] {
  return fields.flatMap(([name, schema]): Row[] => {
    const path = above === undefined ? name : `${above}.${name}`;
    const inner = fieldsOf(schema);
    const isOpened = inner.length > 0 && !together.includes(path);
    const { about, whenUnset } = required.includes(name)
      ? { about: schema.description ?? '', whenUnset: 'required' }
      : describeField(path, schema);
    const names = isOpened ? '' : inner.map(([one]) => `\`${one}\``).join(', ');
    const more = [
      ...(names ? [`The fields are ${names}.`] : []),
      ...(guidesOfFields[path] ? [`See ${guidesOfFields[path]}.`] : []),
      ...(alsoSet[path] ? [`It can also be set ${alsoSet[path]}.`] : []),
    ];
    const row: Row = [path, whenUnset, [about, ...more].join(' ')];
    return isOpened ? [row, ...rowsOf(inner, schema.required, path)] : [row];
  });
}

/** The fields that every route has. The last of the route schemas describes a route through a connection. */
const commonRoute = fieldsOf(routeSchema.anyOf.at(-1)).filter(([name]) => name !== 'connection');

function table(first: 'variable' | 'field', rows: readonly Row[]): string {
  const lines = rows.map(([name, whenUnset, meaning]) =>
    [`\`${name}\``, isLiteral(whenUnset) ? `\`${whenUnset}\`` : whenUnset, meaning]
      .map((cell) => cell.replaceAll('|', '\\|'))
      .join(' | '),
  );
  return `| ${first} | default | meaning |\n|---|---|---|\n${lines.map((line) => `| ${line} |\n`).join('')}`;
}

function isLiteral(whenUnset: string): boolean {
  return (
    /^([a-z\d./][\w.,/-]*|[A-Z]{3})$/.test(whenUnset) && !['none', 'both', 'required'].includes(whenUnset)
  );
}

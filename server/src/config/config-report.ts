import { type ConfigFile, configFileSchema } from './config-file.ts';
import { describeField, fieldsOf } from './file-fields.ts';
import type { Variable } from './variables/variable.ts';
import { variables } from './variables/variables.ts';

/** A setting as operators see it: with its value and source, but never a secret. */
export interface Setting {
  name: string;
  value: string;
  source: 'environment' | 'file' | 'default';
  about: string;
}

type Show = (text: string) => string;

const plain: Show = (text) => text;
const secret: Show = () => 'set';
/** Shows an address without user name, password, fragment and most query values, which may contain credentials. */
const address: Show = (text) => {
  const url = URL.parse(text);
  if (!url) return 'set';
  if (url.username || url.password) url.username = '***';
  url.password = '';
  for (const [name, value] of [...url.searchParams])
    url.searchParams.set(name, shownInStorage.has(name) ? value : '***');
  url.hash = '';
  return url.href;
};
const shownInStorage = new Set(['endpoint', 'region']);

const shows: Record<Variable['holds'], Show> = { text: plain, path: plain, secret, address };

export const settingNames: readonly string[] = variables.map(({ name }) => name);

/** Settings that can be given in a file, named by `NAME_FILE`: secrets, and addresses that may contain a password. */
export const secretVariables: readonly string[] = variables
  .filter(({ holds }) => shows[holds] !== plain)
  .map(({ name }) => name);

/** The fields of the configuration file. Only fields without inner fields have a default. */
const fields = fieldsOf(configFileSchema)
  .filter(([name]) => name !== '$schema')
  .map(([name, schema]) => {
    const { about, whenUnset } = schema.properties
      ? { about: schema.description ?? '', whenUnset: 'the default of each field' }
      : describeField(name, schema);
    // A property of the schema is a key of the file.
    return { name: name as keyof ConfigFile, whenUnset, about: about.replaceAll('`', '') };
  });

export function reportSettings(env: Record<string, string | undefined>, file: ConfigFile): Setting[] {
  return [
    ...variables.map(({ name, whenUnset, about, holds }): Setting => {
      const text = env[name];
      return text
        ? { name, value: shows[holds](text), source: 'environment', about }
        : { name, value: whenUnset, source: 'default', about };
    }),
    ...fields.map(({ name, whenUnset, about }): Setting => {
      const value = file[name];
      if (value === undefined) return { name, value: whenUnset, source: 'default', about };
      return {
        name,
        value: typeof value === 'string' ? value : JSON.stringify(hideSecrets(value)),
        source: 'file',
        about,
      };
    }),
  ];
}

const webAddress = /^https?:\/\//i;
/** Matches names of fields that hold a secret, but not of fields that name the file or variable of a secret. */
const secretNames = /(key|secret|token|password|credential|auth)(?!.*(File|Variable)$)/i;

function hideSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideSecrets);
  if (typeof value === 'string' && webAddress.test(value)) return address(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      secretNames.test(name) && (typeof inner === 'string' || Array.isArray(inner))
        ? '***'
        : hideSecrets(inner),
    ]),
  );
}

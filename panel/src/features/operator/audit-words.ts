import type { AuditRow } from '@darkroom/server/panel-contract';
import { t } from '../../languages/words.ts';

export function actorText({ kind, name }: Actor): string {
  if (kind === 'key') return t('Key {name}', { name: name ?? '' });
  if (kind === 'admin_key') return t('Admin key {name}', { name: name ?? '' });
  return actors[kind] ?? name ?? kind;
}

interface Actor {
  kind: AuditRow['actor_kind'];
  name: string | null;
}

const actors: Partial<Record<Actor['kind'], string>> = {
  command_line: t('Command line'),
  configuration_file: t('Configuration file'),
  darkroom: t('Darkroom'),
  policy: t('Policy'),
  last_owner: t('The last owner'),
  visitor: t('A visitor'),
};

/** A detail such as `reason_before` in words. Names of API fields, such as limits, stay unchanged. */
export function detailText(name: string): string {
  const before = name.endsWith('_before') ? name.slice(0, -'_before'.length) : undefined;
  const known = details[before ?? name];
  if (known === undefined) return name.replaceAll('_', ' ');
  return before === undefined ? known : t('{known} before', { known });
}

/** Returns the name of a means of signing in. Other values stay unchanged. */
export function detailValue(name: string, value: unknown): string {
  return (name === 'with' && means[String(value)]) || String(value);
}

const details: Record<string, string> = {
  amount: t('amount'),
  balance: t('balance'),
  balance_after: t('balance after'),
  cancelled_deliveries: t('cancelled deliveries'),
  count: t('count'),
  debt_paid: t('debt paid'),
  email: t('email'),
  events: t('events'),
  factor: t('factor'),
  from: t('from'),
  images: t('images'),
  job: t('job'),
  jobs: t('jobs'),
  key: t('key'),
  leaked: t('leaked'),
  model: t('model'),
  name: t('name'),
  new_key: t('new key'),
  note: t('note'),
  origin: t('origin'),
  prices: t('prices'),
  provider: t('provider'),
  reason: t('reason'),
  request: t('request'),
  role: t('role'),
  stage: t('stage'),
  threshold: t('threshold'),
  to: t('to'),
  until: t('until'),
  uses: t('uses'),
  version: t('version'),
  with: t('with'),
};

const means: Record<string, string> = {
  password: t('password'),
  'password and authenticator': t('password and authenticator'),
  'password and backup code': t('password and backup code'),
  'one-time link': t('one-time link'),
  'single sign-on': t('single sign-on'),
  passkey: t('passkey'),
};

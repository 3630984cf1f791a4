import { t } from '../../languages/words.ts';

const browsers = ['Firefox', 'Edg', 'OPR', 'Chrome', 'Safari'];
const systems = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'];

export function browserName(userAgent: string | null): string {
  const find = (names: string[]) => names.find((name) => userAgent?.includes(name));
  const [name, system] = [find(browsers), find(systems)];
  if (!name) return userAgent?.slice(0, 40) || t('unknown');
  const shown = { Edg: 'Edge', OPR: 'Opera' }[name] ?? name;
  return system ? `${shown}, ${system}` : shown;
}

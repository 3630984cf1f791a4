import { SettingError } from '../errors.ts';

/** Reads a setting that is one of `choices`. The default is `usual`, or the first choice. @throws SettingError */
export function readChoice<const Choice extends string>(
  env: Record<string, string | undefined>,
  name: string,
  choices: readonly [Choice, ...Choice[]],
  usual: Choice = choices[0],
): Choice {
  const text = env[name] || usual;
  const known = choices.find((choice) => choice === text);
  if (known) return known;
  throw new SettingError(`${name} is "${text}"; it must be one of ${choices.join(', ')}.`);
}

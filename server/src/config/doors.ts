import { SettingError } from '../errors.ts';
import { modelIdPattern } from '../upstream/catalog/definition-schema.ts';

/** Other vendors' APIs that this server offers besides its own. */
export const doorNames = ['openai', 'gemini', 'mcp'] as const;
export type DoorName = (typeof doorNames)[number];

/** Reads `DARKROOM_DOORS`: a list, or `none`. All doors are open by default. @throws SettingError */
export function readDoors(text: string | undefined): DoorName[] {
  if (!text) return [...doorNames];
  if (text === 'none') return [];
  return text.split(',').map((part) => {
    const name = part.trim();
    const known = doorNames.find((door) => door === name);
    if (known) return known;
    throw new SettingError(
      `DARKROOM_DOORS has "${name}"; it must be none, or a list of ${doorNames.join(', ')}.`,
    );
  });
}

const modelId = new RegExp(modelIdPattern);

/** `DARKROOM_DOOR_ALIASES`: `gpt-image-1=nb2,default=pro`. Takes precedence over the file. @throws SettingError */
export function readDoorAliases(
  text: string | undefined,
  ofFile: Readonly<Record<string, string>> = {},
): ReadonlyMap<string, string> {
  const aliases = new Map(Object.entries(ofFile));
  for (const part of (text ?? '').split(',').filter((one) => one.trim() !== '')) {
    const [name = '', model = '', ...rest] = part.split('=').map((one) => one.trim());
    if (name === '' || !modelId.test(model) || rest.length > 0) {
      throw new SettingError(
        `DARKROOM_DOOR_ALIASES has "${part.trim()}"; it must be a list such as gpt-image-1=nb2,default=pro.`,
      );
    }
    aliases.set(name, model);
  }
  return aliases;
}

/** Describes aliases for unknown models, which operators may have removed or not added yet. */
export function unknownAliases(aliases: ReadonlyMap<string, string>, models: readonly string[]): string[] {
  return [...aliases]
    .filter(([, model]) => !models.includes(model))
    .map(
      ([name, model]) =>
        `The door alias ${name} means ${model}, which is not a model (${models.join(', ')}).`,
    );
}

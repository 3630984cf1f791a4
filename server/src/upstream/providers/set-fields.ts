import { pick } from './pick.ts';
import type { Capabilities, ImageOptions } from './provider.ts';

/** Matches places such as `seed`, `options.steps` and `loras.0.path`, with up to eight steps. */
const place = /^[^.]{1,100}(\.[^.]{1,100}){0,7}$/;
const pastAnyList = /(^|\.)\d{3,}(\.|$)/;

/** Accepts every place, except the adapter's own and places within or around these. */
export function takesAllBut(own: readonly string[]): (path: string) => boolean {
  return (path) =>
    place.test(path) &&
    !pastAnyList.test(path) &&
    !own.some((each) => isWithin(path, each) || isWithin(each, path));
}

/** Sets values at their places in a copy of the request. Creates missing objects and lists on the way. */
export function setFields(
  request: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  let made = { ...request };
  for (const [path, value] of Object.entries(fields)) {
    const [first = '', ...rest] = path.split('.');
    made = { ...made, [first]: setAt(pick(made, first), rest, value) };
  }
  return made;
}

export function takenOptions({ options = [] }: Capabilities, wanted: ImageOptions = {}): ImageOptions {
  const entries = Object.entries(wanted);
  return Object.fromEntries(entries.filter(([name]) => (options as readonly string[]).includes(name)));
}

function setAt(holder: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  const inner = setAt(pick(holder, step), rest, value);
  if (/^\d+$/.test(step)) return Object.assign(Array.isArray(holder) ? [...holder] : [], { [step]: inner });
  return { ...(holder !== null && typeof holder === 'object' ? holder : {}), [step]: inner };
}

function isWithin(path: string, whole: string): boolean {
  return `${path}.`.startsWith(`${whole}.`);
}

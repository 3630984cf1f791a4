import { DoorAnswer } from '../door-errors.ts';
import { LongText } from '../large-json.ts';

/** `field` is the place as the client wrote it, such as `contents[0].parts[1].text`. */
export interface Violation {
  field: string;
  description: string;
}

export class InvalidRequest extends DoorAnswer {
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    super('the request is not valid');
    this.violations = violations;
  }
}

export interface Named {
  field: string;
  value: unknown;
}

/** Reads Google's JSON, in camelCase or snake_case. Null counts as a missing field, and unread fields are refused. */
export class Fields {
  readonly #values = new Map<string, Named>();
  readonly #violations: Violation[];
  readonly field: string;
  readonly #isObject: boolean;

  constructor({ field, value }: Named, violations: Violation[]) {
    this.field = field;
    this.#violations = violations;
    this.#isObject = isObject(value);
    if (!isObject(value)) {
      violations.push({ field: field || 'body', description: 'must be an object.' });
      return;
    }
    for (const [name, child] of Object.entries(value)) {
      if (child === null) continue;
      const place = field === '' ? name : `${field}.${name}`;
      const known = camelCase(name);
      if (this.#values.has(known)) this.refuse(place, 'is there twice.');
      this.#values.set(known, { field: place, value: child });
    }
  }

  /** Adds a violation. If the value is not an object, adds none, because that has been reported already. */
  refuse(field: string, description: string): void {
    if (this.#isObject) this.#violations.push({ field, description });
  }

  take(name: string): Named | undefined {
    const found = this.#values.get(name);
    this.#values.delete(name);
    return found;
  }

  text(name: string): (Named & { value: string }) | undefined {
    const found = this.longText(name);
    return found && { ...found, value: typeof found.value === 'string' ? found.value : found.value.read() };
  }

  longText(name: string): (Named & { value: string | LongText }) | undefined {
    const found = this.take(name);
    if (!found) return undefined;
    const { field, value } = found;
    if (typeof value === 'string' || value instanceof LongText) return { field, value };
    this.refuse(field, 'must be a text.');
    return undefined;
  }

  object(name: string): Fields | undefined {
    const found = this.take(name);
    return found && this.child(found);
  }

  /** Takes a list, or a single value as a list of one, because Google accepts both. */
  list(name: string): Named[] {
    const found = this.take(name);
    if (!found) return [];
    if (!Array.isArray(found.value)) return [found];
    return found.value.map((value: unknown, index) => ({ field: `${found.field}[${index}]`, value }));
  }

  objects(name: string): Fields[] {
    return this.list(name).map((one) => this.child(one));
  }

  child(found: Named): Fields {
    return new Fields(found, this.#violations);
  }

  end(): void {
    for (const { field, value } of this.#values.values()) {
      if (isEmpty(value)) continue;
      this.refuse(field, 'is not supported by Darkroom. Leave it out.');
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LongText);
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}

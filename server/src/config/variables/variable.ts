export interface Variable {
  name: string;
  whenUnset: string;
  /** One sentence, which the panel translates and shows. */
  about: string;
  /** A `secret` is never shown, an `address` only without credentials. The file in `NAME_FILE` can hold either. */
  holds: 'text' | 'path' | 'secret' | 'address';
  /** Markdown for docs/settings.md: values, examples, and a guide with more. */
  more?: string;
  /** Where else the setting can be made, as the end of a sentence that begins with "It can also be set". */
  also?: string;
}

export interface VariableGroup {
  title: string;
  variables: readonly Variable[];
}

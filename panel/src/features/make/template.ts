const variable = /\{\{\s*([^{}]{1,40}?)\s*\}\}/g;

/** The names in the prompt's `{{name}}` placeholders, in order and without repetitions. */
export function variablesOf(prompt: string): string[] {
  return [...new Set([...prompt.matchAll(variable)].map(([, name = '']) => name))];
}

/** The prompt with its variables filled in; unknown variables stay. */
export function fillTemplate(prompt: string, values: Readonly<Record<string, string>>): string {
  return prompt.replace(variable, (all, name: string) => values[name]?.trim() || all);
}

const variable = /\{\{\s*([^{}]{1,40}?)\s*\}\}/g;

export function variablesOf(prompt: string): string[] {
  return [...new Set([...prompt.matchAll(variable)].map(([, name = '']) => name))];
}

/** Variables without a value stay as they are. */
export function fillTemplate(prompt: string, values: Readonly<Record<string, string>>): string {
  return prompt.replace(variable, (all, name: string) => values[name]?.trim() || all);
}

import type { Command } from 'commander';
import { readText } from '../../files/read-text.ts';
import { withOperator } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';

export function addConnectionAdd(connection: Command): void {
  connection
    .command('add')
    .description('add a provider with its address and key, or change the connection with this name')
    .argument('<provider>', 'gemini, openai, fal, replicate, comfyui, automatic1111, …')
    .requiredOption('--name <name>', 'its name in models, such as home')
    .option('--base-url <url>', "its address, unless it is the provider's own")
    .option('--key-file <file>', 'a file with its key or token; - for the standard input')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nA key is stored sealed and never shown again.')
    .action(add);
}

interface Options {
  name: string;
  baseUrl?: string;
  keyFile?: string;
  json?: true;
}

async function add(provider: string, { name, baseUrl, keyFile, json }: Options): Promise<void> {
  const key = keyFile === undefined ? undefined : (await readText(keyFile)).trim();
  const connection = await withOperator((operator) =>
    operator.addConnection(name, {
      provider,
      ...(baseUrl !== undefined && { base_url: baseUrl }),
      ...(key !== undefined && { key }),
    }),
  );
  if (json) return printJson(connection);
  tell(`Added ${name}. See whether it works: darkroom connection check ${name}`);
}

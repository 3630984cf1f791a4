import type { Command } from 'commander';
import { readText } from '../../files/read-text.ts';

export interface BucketOptions {
  accessKeyId?: string;
  secretKeyFile?: string;
}

/** Adds the options for a bucket's credentials. The secret comes from a file, because others can see arguments. */
export function addBucketOptions(command: Command): Command {
  return command
    .option('--access-key-id <id>', 'of a bucket: the id of an access key that may put objects')
    .option('--secret-key-file <file>', 'of a bucket: the file with its secret, or - for the standard input');
}

export async function credentialsOf({ accessKeyId, secretKeyFile }: BucketOptions, command: Command) {
  if (accessKeyId === undefined && secretKeyFile === undefined) return {};
  if (accessKeyId === undefined || secretKeyFile === undefined)
    command.error('error: give --access-key-id and --secret-key-file together');
  const secret = (await readText(secretKeyFile)).trim();
  return { credentials: { access_key_id: accessKeyId, secret_access_key: secret } };
}

import type { BatchRequest } from '@darkroom/sdk';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';
import { readText } from '../../files/read-text.ts';

/** Reads a file with a request on each line. The server validates the requests. */
export async function readRequests(file: string): Promise<BatchRequest[]> {
  const lines = (await readText(file)).split('\n');
  const requests = lines.flatMap((line, index) => (line.trim() === '' ? [] : [parseLine(line, index + 1)]));
  if (requests.length > 0) return requests;
  throw new CliError(exitCodes.usage, 'There is no request in it.', 'see: darkroom batch create --help');
}

function parseLine(line: string, number: number): BatchRequest {
  try {
    return JSON.parse(line) as BatchRequest; // the server checks it
  } catch {
    throw new CliError(
      exitCodes.usage,
      `Line ${number} is not JSON.`,
      'write one request on each line; see: darkroom batch create --help',
    );
  }
}

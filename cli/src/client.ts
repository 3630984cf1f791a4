import { Darkroom, type DarkroomOptions } from '@darkroom/sdk';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import { readClientSettings } from './settings.ts';
import { userAgent } from './user-agent.ts';

/** For calls that a person waits for: retries for about 2 s, or for up to 10 s if the server requests it. */
export const promptly = { userAgent, maxRetries: 3, retryForMs: 10_000 };
/** For calls that follow a paid job: retries for up to two minutes, enough for a server's restart. */
const patiently = { userAgent, maxRetries: 12, retryForMs: 120_000 };

export async function connect({
  patient = false,
  onRetry,
}: {
  patient?: boolean;
  onRetry?: DarkroomOptions['onRetry'];
} = {}): Promise<Darkroom> {
  const { url, key } = await readClientSettings(process.env);
  try {
    return new Darkroom({
      baseUrl: url,
      apiKey: key,
      ...(patient ? patiently : promptly),
      ...(onRetry && { onRetry }),
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CliError(exitCodes.usage, `${error.message}.`, 'check DARKROOM_URL and DARKROOM_API_KEY');
  }
}

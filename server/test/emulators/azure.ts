import { type Emulator, type Recorded, type Reply, startEmulator } from './emulator.ts';
import { drawn } from './openai.ts';

export const azureKey = 'emulated-azure-key';
const deployments = ['gpt-image-2', 'gpt-image-2.5-flare', 'gpt-image-1.5', 'images'];

/** A resource of Azure OpenAI. Stages: `generate` (generations and edits of a deployment), `models`. */
export function startAzure(): Promise<Emulator> {
  const admitted = (request: Recorded, reply: () => Reply | Promise<Reply>): Reply | Promise<Reply> => {
    if (request.headers['api-key'] !== azureKey) return azureReplies.badKey();
    return request.query.get('api-version') ? reply() : azureReplies.error(404, '404', 'Resource not found');
  };
  const models = { object: 'list', data: [{ id: 'gpt-image-1', object: 'model', status: 'succeeded' }] };
  return startEmulator([
    {
      method: 'POST',
      path: /^\/openai\/deployments\/([\w.-]+)\/images\/(generations|edits)$/,
      stage: 'generate',
      handle: (request, [, deployment = '']) =>
        admitted(request, () =>
          deployments.includes(deployment) ? drawn(request) : azureReplies.noDeployment(),
        ),
    },
    {
      method: 'GET',
      path: /^\/openai\/models$/,
      stage: 'models',
      handle: (request) => admitted(request, () => ({ body: models })),
    },
  ]);
}

/** Azure's errors have a `code` and a `message`; content filter errors also name what was found. */
export const azureReplies = {
  error: (status: number, code: string, message: string, headers: Record<string, string> = {}): Reply => ({
    status,
    headers,
    body: { error: { code, message } },
  }),
  badKey: (): Reply =>
    azureReplies.error(
      401,
      '401',
      `Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource. (${azureKey})`,
    ),
  noDeployment: (): Reply =>
    azureReplies.error(
      404,
      'DeploymentNotFound',
      'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.',
    ),
};

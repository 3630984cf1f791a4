import type { ServerLogin } from '../base-url.ts';
import type { ConnectionKind } from '../connection.ts';
import { failure } from '../failure.ts';
import { pick } from '../pick.ts';
import { optionsOf, readNodeTypes } from './node-types.ts';
import { createServer } from './server.ts';

export const comfyUiConnection: ConnectionKind<ServerLogin> = {
  name: 'ComfyUI',
  about: 'Your own workflows on your own graphics card',
  needsAddress: true,
  keyless: 'always',
  advice: {
    key: 'Give the user:password, or the token, of the proxy in front of it.',
    quota: 'Add credit where the server is rented.',
    address: 'It is the address of its page in the browser, such as http://127.0.0.1:8188.',
  },
  readKey: (login) => ({ login }),

  async find({ baseUrl = '', credentials, guard }, signal) {
    const server = createServer(baseUrl, credentials, guard);
    await using _closed = server.upstream;
    const stats = (await server.get('/system_stats', signal)).json();
    if (pick(stats, 'system') === undefined)
      throw failure('bad_response', { detail: '/system_stats without a system' });
    const types = await readNodeTypes(
      server,
      loaders.map(([type]) => type),
      signal,
    );
    const files = loaders.flatMap(([type, input]) => optionsOf(types[type], input));
    return { models: [...new Set(files)].map((id) => ({ id })) };
  },
};

/** The nodes that load models, each with its input that names the model's file. */
const loaders = [
  ['CheckpointLoaderSimple', 'ckpt_name'],
  ['UNETLoader', 'unet_name'],
] as const;

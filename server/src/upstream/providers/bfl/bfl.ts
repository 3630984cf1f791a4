import type { Guard } from '../../../base/guard/guard.ts';
import { SettingError } from '../../../errors.ts';
import { jsonBody } from '../body.ts';
import { createDownloads } from '../download.ts';
import { healthOf } from '../health.ts';
import { defaultPollMs } from '../poll.ts';
import type { Provider } from '../provider.ts';
import { createUpstream } from '../upstream.ts';
import { bflCapabilities, familyOf } from './families.ts';
import { bflTakes, toBflRequest } from './request.ts';
import type { BflCredentials, BflSettings } from './settings.ts';
import { bflUrl, chargeIn, createTasks } from './tasks.ts';

export function createBfl(settings: BflSettings, { apiKey }: BflCredentials, guard: Guard): Provider {
  if (!apiKey) throw new SettingError('bfl needs an API key (BFL_API_KEY)');
  const upstream = createUpstream(guard, [apiKey]);
  const tasks = createTasks(settings, apiKey, upstream);
  const downloads = createDownloads(upstream, { baseUrl: settings.baseUrl ?? bflUrl, guard });
  const family = familyOf(settings);
  const intervalMs = settings.pollMs ?? defaultPollMs;

  return {
    id: 'bfl',
    model: settings.model,
    capabilities: bflCapabilities(settings, family),
    takesField: bflTakes(family),

    async generate(request, { signal, remoteId: earlier, onSubmitted, onCharge }) {
      const submit = async () => {
        const body = jsonBody(await toBflRequest(settings, family, request));
        const { taskId, charge } = await tasks.submit(body, signal);
        onCharge(charge);
        await onSubmitted(taskId);
        return taskId;
      };
      if (earlier) onCharge(chargeIn(earlier));
      const link = await tasks.result(earlier ?? (await submit()), signal);
      return { bytes: await downloads.image(link, { intervalMs, signal }) };
    },

    check: (signal) => healthOf(() => tasks.probe(signal)),
    async [Symbol.asyncDispose]() {
      await Promise.all([downloads[Symbol.asyncDispose](), upstream[Symbol.asyncDispose]()]);
    },
  };
}

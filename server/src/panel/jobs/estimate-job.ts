import { assertFits } from '../../admission/assert-fits.ts';
import { quoteJob } from '../../admission/quotes/quote-job.ts';
import { defaultResolution, type Mode } from '../../catalog/models.ts';
import { withDefaults } from '../../catalog/parameters.ts';
import { AppError } from '../../errors.ts';
import { readBalance } from '../../ledger/ledger-store.ts';
import { formatMicros } from '../../ledger/money.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { Estimate } from './contract.ts';
import type { From } from './create-panel-job.ts';

interface Asked {
  model: string;
  resolution?: string;
  count?: string;
  mode?: Mode;
  aspect_ratio?: string;
}

/** What so many jobs would cost, and whether they would be accepted. @throws AppError `invalid_request`, `not_found` */
export async function estimateJob(
  deps: PanelDeps,
  { accountId, requestId, signal }: From,
  asked: Asked,
): Promise<Estimate> {
  const model = deps.catalogue.find(asked.model);
  if (!model) throw new AppError('invalid_request', `There is no model "${asked.model}".`);
  const { mode = 'text', aspect_ratio: aspectRatio = model.ratios[0] ?? '1:1' } = asked;
  const inputs = mode === 'text' ? 0 : 1;
  assertFits(model, { aspectRatio, resolution: asked.resolution, inputs, parameters: {} });
  const resolution = asked.resolution ?? defaultResolution(model);
  const balance = await readBalance(deps.database.read, accountId);
  if (!balance) throw new AppError('not_found', 'There is no such account.');
  const available = balance.balanceMicros - balance.reservedMicros;
  const request = {
    accountId,
    keyId: accountId, // marks it as a panel job, see `isPanelKey`
    requestId,
    clientToken: null,
    model,
    mode,
    prompt: '',
    aspectRatio,
    resolution,
    parameters: withDefaults(model, undefined),
    metadata: {},
    deadlineAt: null,
    origin: null,
    callbackUrl: null,
    inputUrls: [],
    signal: () => signal,
  };
  const count = Number(asked.count ?? 1);
  const { priceMicros, reasons } = await quoteJob(deps, request, count);
  const total = priceMicros * BigInt(count);
  return {
    price: formatMicros(priceMicros),
    total: formatMicros(total),
    available: formatMicros(available),
    available_after: formatMicros(available - total),
    accepted: reasons.length === 0,
    reasons: reasons.map(({ code, message: detail }) => ({ code, detail })),
  };
}

import { useSessionStorage } from '@mantine/hooks';
import { useLayoutEffect } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { useSearchState } from '../../search-state.ts';
import type { InputImage } from '../inputs/input-images.tsx';
import { emptyDraft, noWords, type Words } from './empty-draft.ts';
import type { ParameterValues } from './parameter-fields.tsx';

export interface Draft {
  model: string;
  mode: 'text' | 'image';
  ratio: string;
  resolution: string;
  /** The number of images per model and ratio. */
  count: number;
  /** Models to compare with. */
  also: string[];
  alsoRatios: string[];
  prompt: string;
  inputs: InputImage[];
  parameters: ParameterValues;
  /** The job whose request was edited; null for an empty form. */
  editedFrom: string | null;
}

/**
 * Choices are kept in the URL and the prompt in this tab, so that a reload loses nothing. A link can set model, ratio
 * and resolution, use a result as input (`input`) or start from another job's request (`from`). While that job is
 * loading (the third value is true), nothing may be written: the job's request would overwrite it.
 */
export function useDraft(): [Draft, (some: Partial<Draft>) => void, boolean] {
  const accountId = useAccountId();
  const [search, change] = useSearchState();
  const [kept, setWords] = useSessionStorage<Words>({
    key: `darkroom.draft.${accountId}`,
    defaultValue: noWords,
    getInitialValueInEffect: false,
  });
  const mode = search.mode === 'image' ? 'image' : 'text';
  // An edited image keeps its shape, unless the person chooses another.
  const ofInput = mode === 'image' && kept.inputs.length > 0 ? { ratio: 'auto' } : {};
  const { model, ratio, resolution } = { ...emptyDraft, ...ofInput, ...given(search) };
  const draft: Draft = {
    model,
    mode,
    ratio,
    resolution,
    count: Number(search.count) || emptyDraft.count,
    also: search.also?.split(',') ?? [],
    alsoRatios: search.ratios?.split(',') ?? [],
    ...noWords,
    ...kept,
  };
  const update = (some: Partial<Draft>) => {
    const { prompt, inputs, parameters, editedFrom, count, also, alsoRatios, ...choices } = some;
    const words = { prompt, inputs, parameters, editedFrom };
    const written = Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined));
    if (Object.keys(written).length > 0) setWords((old) => ({ ...old, ...written }));
    const chosen = {
      ...choices,
      ...(count !== undefined && { count: count === 1 ? undefined : String(count) }),
      ...(also !== undefined && { also: also.join(',') }),
      ...(alsoRatios !== undefined && { ratios: alsoRatios.join(',') }),
    };
    if (Object.keys(chosen).length > 0) change(chosen);
  };
  const isComing = useTakeOver(search, update, change);
  return [draft, update, isComing];
}

/** Copies the prompt or job in the URL into the draft before the form appears. Returns whether it is still loading. */
function useTakeOver(
  search: Record<string, string | undefined>,
  update: (some: Partial<Draft>) => void,
  change: (some: Record<string, string | undefined>) => void,
): boolean {
  const accountId = useAccountId();
  const { input, from, prompt } = search;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the URL brings a prompt
  useLayoutEffect(() => {
    if (!prompt) return;
    update({ prompt, editedFrom: null });
    change({ prompt: undefined });
  }, [prompt]);
  const wanted = from ?? input ?? '';
  const { data: source, isLoading } = useRead(
    'GET /panel/accounts/:account_id/jobs/:job_id',
    { params: { account_id: accountId, job_id: wanted } },
    { enabled: wanted !== '' },
  );
  const isThere = source !== undefined && wanted !== '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the job that the URL names is there
  useLayoutEffect(() => {
    if (!isThere) return;
    const { job_id, model, resolution, prompt, aspect_ratio, parameters = {} } = source.job;
    if (from) {
      // With `input`, the job's result becomes the input, for a variation.
      const before = source.inputs.map((_, input) => ({ job_id, input }));
      const inputs: InputImage[] = input ? [{ job_id: input }] : before;
      update({ prompt, inputs, parameters, editedFrom: input ? null : job_id });
      const mode = inputs.length > 0 ? 'image' : 'text';
      const ratio = input ? aspect_ratio : source.requested_ratio;
      change({ from: undefined, input: undefined, model, mode, ratio, resolution });
    } else {
      update({ inputs: [{ job_id }], editedFrom: null });
      // Choices in the URL take precedence over those of the job.
      const shape = { model, ratio: aspect_ratio, resolution, ...given(search) };
      change({ ...shape, mode: 'image', input: undefined });
    }
  }, [isThere, wanted]);
  return isLoading;
}

function given({ model, ratio, resolution }: Record<string, string | undefined>) {
  return { ...(model && { model }), ...(ratio && { ratio }), ...(resolution && { resolution }) };
}

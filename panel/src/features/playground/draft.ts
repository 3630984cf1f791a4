import { useSessionStorage } from '@mantine/hooks';
import { useEffect } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useRead } from '../../api/queries.ts';
import { useSearchState } from '../../api/search-state.ts';
import type { InputImage } from './input-images.tsx';
import type { ParameterValues } from './parameter-fields.tsx';

/** The request that the playground will send. */
export interface Draft {
  model: string;
  mode: 'text' | 'image';
  ratio: string;
  resolution: string;
  /** Images of each model. */
  count: number;
  /** Models to compare with. */
  also: string[];
  prompt: string;
  inputs: InputImage[];
  parameters: ParameterValues;
}

const noWords: Pick<Draft, 'prompt' | 'inputs' | 'parameters'> = { prompt: '', inputs: [], parameters: {} };

/**
 * Choices are kept in the URL, the prompt in this tab: a reload loses nothing, and a link can set model,
 * ratio and resolution, use a result as input (`input`) or start from another job's request (`from`).
 */
export function useDraft(): [Draft, (some: Partial<Draft>) => void] {
  const accountId = useAccountId();
  const [search, change] = useSearchState();
  const [words, setWords] = useSessionStorage<Pick<Draft, 'prompt' | 'inputs' | 'parameters'>>({
    key: `darkroom.draft.${accountId}`,
    defaultValue: noWords,
    getInitialValueInEffect: false,
  });
  const draft: Draft = {
    model: search.model ?? 'nb2',
    mode: search.mode === 'image' ? 'image' : 'text',
    ratio: search.ratio ?? '1:1',
    resolution: search.resolution ?? '1K',
    count: Number(search.count) || 1,
    also: search.also?.split(',') ?? [],
    ...noWords,
    ...words,
  };
  const update = (some: Partial<Draft>) => {
    const { prompt, inputs, parameters, count, also, ...choices } = some;
    if (prompt !== undefined || inputs !== undefined || parameters !== undefined) {
      setWords((old) => ({
        prompt: prompt ?? old.prompt,
        inputs: inputs ?? old.inputs,
        parameters: parameters ?? old.parameters,
      }));
    }
    const chosen = {
      ...choices,
      ...(count !== undefined && { count: count === 1 ? undefined : String(count) }),
      ...(also !== undefined && { also: also.join(',') }),
    };
    if (Object.keys(chosen).length > 0) change(chosen);
  };
  useTakeOver(search, update, change);
  return [draft, update];
}

function useTakeOver(
  search: Record<string, string | undefined>,
  update: (some: Partial<Draft>) => void,
  change: (some: Record<string, string | undefined>) => void,
): void {
  const accountId = useAccountId();
  const { input, from, prompt } = search;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the address brings one
  useEffect(() => {
    if (!prompt) return;
    update({ prompt });
    change({ prompt: undefined });
  }, [prompt]);
  const wanted = from ?? input ?? '';
  const source = useRead(
    'GET /panel/accounts/:account_id/jobs/:job_id',
    { params: { account_id: accountId, job_id: wanted } },
    { enabled: wanted !== '' },
  ).data;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the job that the address names is there
  useEffect(() => {
    if (!source || wanted === '') return;
    const { job_id, model, resolution } = source;
    if (from) {
      // With `input`, its result is the input: a variation.
      const before = source.inputs.map(({ index }) => ({ job_id, input: index }));
      const inputs: InputImage[] = input ? [{ job_id: input }] : before;
      update({ prompt: source.prompt, inputs, parameters: source.request.body.parameters ?? {} });
      const mode = inputs.length > 0 ? 'image' : 'text';
      const ratio = input ? source.aspect_ratio : source.requested_ratio;
      change({ from: undefined, input: undefined, model, mode, ratio, resolution });
    } else {
      update({ inputs: [{ job_id }] });
      // What is chosen here already stays; a job that comes from elsewhere brings its shape along.
      const shape = { model, ratio: source.aspect_ratio, resolution, ...given(search) };
      change({ ...shape, mode: 'image', input: undefined });
    }
  }, [source, wanted]);
}

function given({ model, ratio, resolution }: Record<string, string | undefined>) {
  return { ...(model && { model }), ...(ratio && { ratio }), ...(resolution && { resolution }) };
}

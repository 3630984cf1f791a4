import type { Static } from 'typebox';
import { type KeyCallDeps, type keyListQuery, listKeys } from '../nouns/keys/key-calls.ts';
import { readLimitLists } from '../nouns/limits/limit-calls.ts';

export async function readKeys(deps: KeyCallDeps, accountId: string, query: Static<typeof keyListQuery>) {
  const { data, ...page } = await listKeys(deps, accountId, query);
  const lists = await readLimitLists(
    deps,
    data.map(({ key_id: id }) => ({ kind: 'key', id })),
  );
  return { ...page, data: data.map((key, index) => ({ ...key, limits: lists[index]?.data ?? [] })) };
}

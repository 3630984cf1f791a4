import Type from 'typebox';
import {
  listPriceGroups,
  listPriceGroupVersions,
} from '../../../../accounts/price-groups/price-group-store.ts';
import {
  noSuchGroup,
  readPriceGroup,
  removePriceGroup,
} from '../../../../accounts/price-groups/remove-price-group.ts';
import { type PriceGroupDeps, savePriceGroup } from '../../../../accounts/price-groups/save-price-group.ts';
import { installationCall } from '../../installation-call.ts';
import {
  definitionOf,
  presentPriceGroup,
  presentPriceGroupVersion,
  priceGroupRequest,
  priceGroupSchema,
  priceGroupVersionSchema,
} from './price-group-json.ts';

interface PriceGroupCallDeps extends PriceGroupDeps {
  followChanges(): Promise<void>;
}

const tag = 'Money';
const params = Type.Object({ price_group_id: Type.String() });
const shownVersions = 100;

export function priceGroupCalls(deps: PriceGroupCallDeps) {
  const { database } = deps;
  return {
    list: installationCall({
      tag,
      operationId: 'listPriceGroups',
      summary: 'List the price groups',
      reply: Type.Object({ data: Type.Array(priceGroupSchema) }, { title: 'PriceGroupList' }),
      handle: async () => ({ data: (await listPriceGroups(database.read)).map(presentPriceGroup) }),
    }),

    get: installationCall({
      tag,
      operationId: 'getPriceGroup',
      summary: 'Read a price group',
      params,
      reply: priceGroupSchema,
      errors: ['not_found'],
      handle: async ({ params: { price_group_id: id } }) =>
        presentPriceGroup(await readPriceGroup(database, id)),
    }),

    save: installationCall({
      tag,
      operationId: 'savePriceGroup',
      summary: 'Create a price group, or change the one with this id',
      description:
        'Sets a factor on the prices of all models, or a price for a model and a size, each for a period. It applies to jobs that are accepted from now on, within a second on every process.',
      params,
      body: priceGroupRequest,
      reply: priceGroupSchema,
      async handle({ params: { price_group_id: id }, body, by }) {
        await savePriceGroup(deps, { id, ...definitionOf(body) }, by);
        await deps.followChanges();
        return presentPriceGroup(await readPriceGroup(database, id));
      },
    }),

    remove: installationCall({
      tag,
      operationId: 'removePriceGroup',
      summary: 'Remove a price group without accounts',
      params,
      status: 204,
      reply: Type.Null({ description: 'Its versions are kept.' }),
      errors: ['not_found'],
      async handle({ params: { price_group_id: id }, by }) {
        await removePriceGroup(deps, id, by);
        await deps.followChanges();
        return null;
      },
    }),

    versions: installationCall({
      tag,
      operationId: 'listPriceGroupVersions',
      summary: 'List the versions of a price group, newest first',
      description: `The ${shownVersions} newest, also of a group that was removed.`,
      params,
      reply: Type.Object({ data: Type.Array(priceGroupVersionSchema) }, { title: 'PriceGroupVersionList' }),
      errors: ['not_found'],
      async handle({ params: { price_group_id: id } }) {
        const versions = await listPriceGroupVersions(database.read, id, shownVersions);
        if (versions.length === 0) throw noSuchGroup(id);
        return { data: versions.map(presentPriceGroupVersion) };
      },
    }),
  };
}

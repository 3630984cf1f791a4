import type { BodyOf } from '../api/account-call.ts';
import { type ConnectionCallDeps, connectionCalls } from '../api/nouns/connections/connection-calls.ts';
import {
  type InstalledModelDeps,
  installedModelCalls,
} from '../api/nouns/installed-models/installed-model-calls.ts';
import { marginsCall } from '../api/nouns/money/margin-calls.ts';
import { pauseCalls } from '../api/nouns/pauses/pause-calls.ts';
import { type RouteCallDeps, routeCalls } from '../api/nouns/routes/route-calls.ts';
import { type SystemCallDeps, systemCalls } from '../api/nouns/system/system-calls.ts';
import type { Actor } from '../audit/audit-store.ts';
import type { ModelDefinition } from '../catalog/model-definition.ts';

export type InstallationVerbDeps = ConnectionCallDeps & InstalledModelDeps & RouteCallDeps & SystemCallDeps;

/** The installation: its models, what is paused, who makes images, how it goes and what was earned. */
export function installationVerbs(deps: InstallationVerbDeps, by: Actor) {
  const models = installedModelCalls(deps);
  const connections = connectionCalls(deps);
  const pauses = pauseCalls(deps);
  const routes = routeCalls(deps);
  const system = systemCalls(deps);
  const asked = { by, params: {}, query: {}, body: undefined };
  return {
    listModels: async () => (await models.list.handle(asked)).data,
    /** In the form that `applyModels` and the configuration file take. */
    exportModels: () => models.exportAll.handle(asked),
    applyModels: ({ models: given, ...body }: { models: unknown; apply?: boolean }) =>
      models.apply.handle({ ...asked, body: { ...body, models: [given].flat() as ModelDefinition[] } }), // checked by the call
    modelHistory: async (model: string) =>
      (await models.versions.handle({ ...asked, params: { model_id: model } })).data,
    async restoreModel(model: string, version: number) {
      await models.restore.handle({ ...asked, params: { model_id: model }, body: { version } });
    },
    async removeModel(model: string) {
      await models.remove.handle({ ...asked, params: { model_id: model } });
    },
    listConnections: async () => (await connections.list.handle(asked)).data,
    addConnection: (name: string, body: BodyOf<typeof connections.save>) =>
      connections.save.handle({ ...asked, params: { name }, body }),
    checkConnection: (name: string) => connections.check.handle({ ...asked, params: { name } }),
    async removeConnection(name: string) {
      await connections.remove.handle({ ...asked, params: { name } });
    },
    listPauses: async () => (await pauses.list.handle(asked)).data,
    /** Of a model, or of `project`: everything. */
    async pause(scope: string, body: BodyOf<typeof pauses.pause> = {}) {
      await pauses.pause.handle({ ...asked, params: { scope }, body });
    },
    async resume(scope: string) {
      await pauses.resume.handle({ ...asked, params: { scope } });
    },
    routes: ({ check = false }: { check?: boolean } = {}) =>
      routes.list.handle({ ...asked, query: { check: check ? 'true' : 'false' } }),
    status: () => system.status.handle(asked),
    selfCheck: (body: BodyOf<typeof system.selfCheck> = {}) => system.selfCheck.handle({ ...asked, body }),
    margins: async () => (await marginsCall(deps).handle(asked)).data,
  };
}

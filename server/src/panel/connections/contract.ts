import type { ModelId } from '../../catalog/models.ts';
import type { ParameterSchema } from '../../providers/comfyui/find-parameters.ts';
import type { Spot } from '../../providers/comfyui/graph.ts';
import type { WorkflowChoice } from '../../providers/comfyui/workflow-choice.ts';
import type { UpstreamModel } from '../../providers/connection.ts';
import type { ConnectionProblem } from '../../providers/probe-connection.ts';
import type { Connectable } from '../../providers/providers.ts';

/** Connections to providers, for operators. No answer ever holds a credential. */
export interface ConnectionCalls {
  'GET /panel/operator/connections': { answer: Connections };
  /**
   * Asks the provider what costs nothing and makes no picture. `name`: takes the key of this connection where none
   * is given, if provider and address are its own.
   */
  'POST /panel/operator/connections/try': {
    body: ConnectionDetails & { name?: string };
    answer: ConnectionTrial;
  };
  /** `replaces`: whether there is one of that name, whose key is kept where none is given. */
  'POST /panel/operator/connections': {
    body: ConnectionDetails & { name: string; replaces: boolean };
    answer: ConnectionRow;
  };
  /** Tries a connection as it is stored, and says which models it could serve. */
  'POST /panel/operator/connections/:name/check': {
    answer: { trial: ConnectionTrial; models: ServableModel[] };
  };
  /** Takes its routes out of the models first, and answers which these were. */
  'POST /panel/operator/connections/:name/remove': { answer: { models: ModelId[] } };
  /** Adds routes through the connection; those that a model had through it are replaced. */
  'POST /panel/operator/connections/:name/serve': { body: { models: Serving[] }; answer: Changed };
  /** Makes a new model of one of the upstream's. */
  'POST /panel/operator/connections/:name/models': { body: NewModel; answer: Changed };
  /** What goes where in a workflow of ComfyUI. `workflow`: the text of the file; JSON in API format. */
  'POST /panel/operator/connections/:name/workflow': {
    body: { workflow: string; checkpoint?: string };
    answer: WorkflowFound;
  };
  'POST /panel/operator/connections/:name/workflow-models': { body: NewWorkflowModel; answer: Changed };
}

export interface Connections {
  /** By name, those of the configuration file included. */
  data: ConnectionRow[];
  /** What variables of the environment set; it has no name, and only they can change it. */
  environment: { provider: string; variables: string[]; models: ModelId[] }[];
  providers: ConnectableProvider[];
}

export interface ConnectionRow {
  name: string;
  provider: string;
  /** Null: the provider's own. */
  base_url: string | null;
  /** `unreadable`: sealed with a secret that is gone, so it has to be given again. */
  key: 'set' | 'none' | 'unreadable';
  /** Where it is set, in words; null for an operator's, which the panel can change. */
  locked: string | null;
  changed_at: string | null;
  changed_by: string | null;
  /** Whose newest version has a route through it. */
  models: ModelId[];
}

/** A provider, and what a form asks for. */
export interface ConnectableProvider {
  provider: Connectable;
  name: string;
  /** In a few words, for whoever chooses one. */
  about: string;
  needs_address: boolean;
  /** `elsewhere`: only at the provider's own address. */
  needs_key: 'always' | 'never' | 'elsewhere';
  key_advice: string;
  address_advice: string;
}

export interface ConnectionDetails {
  provider: string;
  base_url?: string;
  /** A key or token, the JSON of a service account, or `user:password`. */
  key?: string;
}

export type ConnectionTrial =
  | {
      ok: true;
      /** The address that answered, where the given one lacked its path. */
      base_url: string | null;
      /** Of the upstream. Without `settings`, it takes a workflow. */
      models: UpstreamModel[];
    }
  /** `detail`: what is wrong and what to do. */
  | { ok: false; problem: ConnectionProblem; detail: string };

/** One of our models, and how the connection would serve it. */
export interface ServableModel {
  model: ModelId;
  name: string;
  /** Where it is set, if the panel cannot change it. */
  locked: string | null;
  /** Its routes now, in order, but those of `sketch`. */
  routes: { connection: string | null; provider: string; upstream: string | null }[];
  /** The upstream's model that suits it best, if any does. */
  recommended: string | null;
  /** It has parameters, of which a new route knows nothing: jobs that have some go to its other routes. */
  has_parameters: boolean;
}

export interface Serving {
  model: ModelId;
  /** Of the upstream's model, as the trial gave them. */
  settings: Record<string, unknown>;
  /** Before its other routes, or after them. Routes of `sketch`, which only draws, are dropped. */
  place: 'first' | 'last';
}

export interface Changed {
  models: ModelId[];
  /** Sentences about what clients may ask for and no route makes now. */
  uncovered: string[];
}

export interface NewModel {
  id: ModelId;
  name: string;
  settings: Record<string, unknown>;
  /** Such as `1:1`. */
  ratios: string[];
  /** 0 where it takes none. */
  max_inputs: number;
  /** By resolution: 1K, 2K, 4K. */
  prices: Record<string, string>;
}

type Role = Exclude<keyof WorkflowChoice, 'parameters'>;

/** `detail`: what to do. `asked`: whether the server said which nodes, files and limits it has. */
export type WorkflowFound =
  | { ok: false; problem: string; detail: string }
  | {
      ok: true;
      asked: boolean;
      choice: Pick<WorkflowChoice, Role>;
      /** All that may have a role, the likely first. */
      candidates: Record<Role, Spot[]>;
      parameters: { name: string; place: string; schema: ParameterSchema }[];
      /** Files that the server has, for the loader of the workflow; null where none was found. */
      checkpoints: { present: string; files: string[] } | null;
      missing: { what: string; detail: string }[];
    };

export interface NewWorkflowModel {
  id: ModelId;
  name: string;
  price: string;
  ratios: string[];
  megapixels: number;
  workflow: string;
  choice: Pick<WorkflowChoice, Role>;
  /** Names of those that clients may set. */
  parameters: string[];
  /** The file that the workflow loads, in place of its own. */
  checkpoint?: string;
}

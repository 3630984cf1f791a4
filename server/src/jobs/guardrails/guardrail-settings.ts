/** The two moments of a check: before a request is admitted, and before an image is released. */
export const stages = ['prompt', 'image'] as const;
export type Stage = (typeof stages)[number];

export interface GuardrailSettings {
  /** The service's URL; null if only the operator's words decide. */
  url: string | null;
  stages: readonly Stage[];
  timeoutMs: number;
  whenDown: 'allow' | 'refuse';
  blockWords: readonly string[];
  maskWords: readonly string[];
}

export const strikeActions = ['tell', 'slow', 'pause'] as const;

export interface Strikes {
  /** The number of refusals that make a strike. Then the count starts again. */
  count: number;
  withinMs: number;
  /** The account is always notified. `slow` also pauses it for `withinMs`, `pause` until an operator resumes it. */
  action: (typeof strikeActions)[number];
}

export interface GuardrailPolicy {
  usual: GuardrailSettings;
  /** The settings of single accounts, by id, which replace the installation's. */
  accounts: ReadonlyMap<string, GuardrailSettings>;
  /** The days for which operators can read refused prompts; 0 for none. */
  keepPromptsDays: number;
  /** Null if refusals are not counted. */
  strikes: Strikes | null;
  /** Sent to the service as `x-api-key`. */
  key: string | null;
}

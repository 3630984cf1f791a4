/** The moments of a question: a request before it is admitted, an image before it is released. */
export const stages = ['prompt', 'image'] as const;
export type Stage = (typeof stages)[number];

/** The configuration's `policy` for one account. */
export interface GuardrailSettings {
  /** Null: the operator's words alone decide. */
  url: string | null;
  stages: readonly Stage[];
  timeoutMs: number;
  whenDown: 'allow' | 'refuse';
  blockWords: readonly string[];
  maskWords: readonly string[];
}

export const strikeActions = ['tell', 'slow', 'pause'] as const;

/** The rule for accounts with many refusals. */
export interface Strikes {
  /** The number of refusals that make a strike; counting then starts again. */
  count: number;
  withinMs: number;
  /** The account is always notified. `slow` also pauses it for `withinMs`; `pause` until an operator resumes it. */
  action: (typeof strikeActions)[number];
}

export interface GuardrailPolicy {
  usual: GuardrailSettings;
  /** Settings of single accounts, by id, which replace the installation's. */
  accounts: ReadonlyMap<string, GuardrailSettings>;
  /** Days for which operators can read refused prompts; 0 keeps none. */
  keepPromptsDays: number;
  /** Null: refusals are not counted. */
  strikes: Strikes | null;
  /** Is sent as `x-api-key`. */
  key: string | null;
}

/** What is asked: the request before it is admitted, the picture before it is released. */
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

/** What follows from many refusals of one account. */
export interface Strikes {
  /** So many refusals are a strike; they are counted anew after it. */
  count: number;
  withinMs: number;
  /** Of a strike the account is always told. `slow`: it is paused for `withinMs`; `pause`: until an operator resumes it. */
  action: (typeof strikeActions)[number];
}

export interface GuardrailPolicy {
  usual: GuardrailSettings;
  /** By id: those for whom something else holds. */
  accounts: ReadonlyMap<string, GuardrailSettings>;
  /** For how long refused prompts are kept, for operators; 0: not at all. */
  keepPromptsDays: number;
  /** Null: refusals are not counted. */
  strikes: Strikes | null;
  /** Is sent as `x-api-key`. */
  key: string | null;
}

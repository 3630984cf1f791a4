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

export interface GuardrailPolicy {
  usual: GuardrailSettings;
  /** By id: those for whom something else holds. */
  accounts: ReadonlyMap<string, GuardrailSettings>;
  /** Is sent as `x-api-key`. */
  key: string | null;
}

/** The rights of an admin key. Each scope may also read what it changes. */
export const adminScopes = ['read', 'accounts', 'money', 'models', 'system'] as const;
export type AdminScope = (typeof adminScopes)[number];

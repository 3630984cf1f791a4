/** Rights of an admin key; each scope also reads what it changes. */
export const adminScopes = ['read', 'accounts', 'money', 'models', 'system'] as const;
export type AdminScope = (typeof adminScopes)[number];

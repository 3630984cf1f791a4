export const memberRoles = ['owner', 'developer', 'billing', 'viewer'] as const;
export type MemberRole = (typeof memberRoles)[number];

export const operatorRoles = ['admin', 'support'] as const;
export type OperatorRole = (typeof operatorRoles)[number];

/** All rights. Each panel call requires one of them. */
export const rights = [
  'see_pictures',
  'make_pictures',
  'see_money',
  'see_setup',
  'change_setup',
  'see_secrets',
  'set_alerts',
  'see_people',
  'manage_people',
  'set_top_up',
  'see_installation',
  'operate',
] as const;
export type Right = (typeof rights)[number];

const ofMember: Record<MemberRole, readonly Right[]> = {
  owner: [
    'see_pictures',
    'make_pictures',
    'see_money',
    'see_setup',
    'change_setup',
    'see_secrets',
    'set_alerts',
    'see_people',
    'manage_people',
    'set_top_up',
  ],
  developer: [
    'see_pictures',
    'make_pictures',
    'see_money',
    'see_setup',
    'change_setup',
    'see_secrets',
    'set_alerts',
  ],
  billing: ['see_money', 'set_alerts'],
  viewer: ['see_pictures', 'see_money', 'see_setup'],
};

const ofOperator: Record<OperatorRole, readonly Right[]> = {
  admin: rights,
  // Support sees everything except images, prompts and secrets, and changes nothing.
  support: ['see_money', 'see_setup', 'see_people', 'see_installation'],
};

export function isOfOperators(right: Right): boolean {
  return !memberRoles.some((role) => ofMember[role].includes(right));
}

/** Returns a person's rights in an account. With `member: null`, returns an operator's rights in every account. */
export function rightsOf(who: { operator: OperatorRole | null; member: MemberRole | null }): Right[] {
  const granted = new Set([
    ...(who.operator === null ? [] : ofOperator[who.operator]),
    ...(who.member === null ? [] : ofMember[who.member]),
  ]);
  return rights.filter((right) => granted.has(right));
}

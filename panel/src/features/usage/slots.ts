import type { Usage } from '@darkroom/server/panel-contract';

export function slotsOf({ hours, days }: Usage) {
  return hours
    ? { slot: 'hour' as const, slots: hours.map(({ hour, ...own }) => ({ at: hour, ...own })) }
    : {
        slot: 'day' as const,
        slots: days.map(({ day, ...own }) => ({ at: `${day}T00:00:00.000Z`, ...own })),
      };
}

export type SlotName = ReturnType<typeof slotsOf>['slot'];

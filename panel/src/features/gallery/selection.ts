import { useState } from 'react';

export interface Selection {
  ids: ReadonlySet<string>;
  toggle: (id: string) => void;
  /** Selects all ids from the last toggled one to this id. Without a toggled id, starts from `start`. */
  extendTo: (id: string, start?: string) => void;
  add: (ids: readonly string[]) => void;
  clear: () => void;
}

/** The selected ids of `order`. An id that leaves the list also leaves the selection. */
export function useSelection(order: readonly string[]): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [anchor, setAnchor] = useState<string>();
  const ids = chosen.size === 0 ? chosen : new Set(order.filter((id) => chosen.has(id)));
  const toggle = (id: string) => {
    const next = new Set(ids);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
    setAnchor(id);
  };
  const extendTo = (id: string, start = id) => {
    const first = anchor ?? start;
    const [from, to] = [order.indexOf(first), order.indexOf(id)];
    const range = order.slice(Math.min(from, to), Math.max(from, to) + 1);
    setChosen(new Set([...ids, ...range]));
    setAnchor(first);
  };
  return {
    ids,
    toggle,
    extendTo,
    add: (more) => setChosen(new Set([...ids, ...more])),
    clear: () => {
      setChosen(new Set());
      setAnchor(undefined);
    },
  };
}

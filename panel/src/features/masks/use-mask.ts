import { useState } from 'react';
import type { MaskStep } from './mask-steps.ts';

export interface Mask {
  steps: readonly MaskStep[];
  add: (step: MaskStep) => void;
  undo: () => void;
  redo: () => void;
  canUndo: boolean;
  canRedo: boolean;
}

export function useMask(): Mask {
  const [{ steps, undone }, set] = useState<{ steps: MaskStep[]; undone: MaskStep[] }>({
    steps: [],
    undone: [],
  });
  return {
    steps,
    add: (step) => set((now) => ({ steps: [...now.steps, step], undone: [] })),
    undo: () => set((now) => move(now.steps, now.undone, (steps, undone) => ({ steps, undone }))),
    redo: () => set((now) => move(now.undone, now.steps, (undone, steps) => ({ steps, undone }))),
    canUndo: steps.length > 0,
    canRedo: undone.length > 0,
  };
}

function move<Made>(
  from: MaskStep[],
  to: MaskStep[],
  make: (from: MaskStep[], to: MaskStep[]) => Made,
): Made {
  return make(from.slice(0, -1), [...to, ...from.slice(-1)]);
}

import type { Stage } from '../stage.ts';
import { place } from '../svg.ts';
import { house } from './buildings.ts';

export function drawVillage(stage: Stage): string {
  const { width, height, horizon, unit, focus, light, palette } = stage;
  const random = stage.random('village');
  const side = light[0] > focus ? 1 : -1;
  let drawn = '';
  const count = Math.min(16, Math.max(6, Math.round((width / unit) * 5)));
  for (let index = 0; index < count; index++) {
    const near = index / count;
    const x = focus + (random.between(-1, 1) * (0.1 + 0.4 * near) * Math.min(width, unit * 1.6)) / 1.3;
    const y = horizon + Math.min(height - horizon, unit * 0.5) * (0.05 + 0.36 * near);
    drawn += place(
      house({ palette, colour: undefined, side: random.chance(0.5) ? side : -side }),
      [x, y],
      (unit * (0.05 + 0.06 * near)) / 100,
    );
  }
  return drawn;
}

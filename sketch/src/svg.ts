import type { Colour } from './colour.ts';

/** A point of the SVG primitives. Coordinates are the stage's, where a unit is about one pixel at 1K. */
export type Point = readonly [x: number, y: number];

/** Tenths are enough for a stage of about a thousand units, and short numbers keep librsvg's parser fast. */
export function n(value: number): number {
  return Math.round(value * 10) / 10;
}

export function polyline(points: readonly Point[]): string {
  return points.map(([x, y], index) => `${index ? 'L' : 'M'}${n(x)} ${n(y)}`).join('');
}

/** A curve through all points (Catmull-Rom as cubic Béziers). */
export function curve(points: readonly Point[]): string {
  let d = '';
  points.forEach((point, index) => {
    const previous = points[index - 1];
    if (!previous) {
      d += `M${n(point[0])} ${n(point[1])}`;
      return;
    }
    const before = points[index - 2] ?? previous;
    const after = points[index + 1] ?? point;
    const c1: Point = [previous[0] + (point[0] - before[0]) / 6, previous[1] + (point[1] - before[1]) / 6];
    const c2: Point = [point[0] - (after[0] - previous[0]) / 6, point[1] - (after[1] - previous[1]) / 6];
    d += `C${n(c1[0])} ${n(c1[1])} ${n(c2[0])} ${n(c2[1])} ${n(point[0])} ${n(point[1])}`;
  });
  return d;
}

export function fill(d: string, paint: string, opacity = 1): string {
  return `<path d="${d}" fill="${paint}"${opacity < 1 ? ` fill-opacity="${n2(opacity)}"` : ''}/>`;
}

export function stroke(d: string, paint: string, width: number, opacity = 1): string {
  const veil = opacity < 1 ? ` stroke-opacity="${n2(opacity)}"` : '';
  return `<path d="${d}" fill="none" stroke="${paint}" stroke-width="${n2(width)}" stroke-linecap="round" stroke-linejoin="round"${veil}/>`;
}

export function circle([x, y]: Point, radius: number, paint: string, opacity = 1): string {
  return `<circle cx="${n(x)}" cy="${n(y)}" r="${n2(radius)}" fill="${paint}"${opacity < 1 ? ` fill-opacity="${n2(opacity)}"` : ''}/>`;
}

/** A circle as path data, so that one element can contain hundreds. */
export function dot(x: number, y: number, radius: number): string {
  const r = n2(radius);
  return `M${n(x - radius)} ${n(y)}a${r} ${r} 0 1 0 ${n2(2 * radius)} 0a${r} ${r} 0 1 0 ${n2(-2 * radius)} 0Z`;
}

export function box(x: number, y: number, width: number, height: number): string {
  return `M${n(x)} ${n(y)}h${n(width)}v${n(height)}h${n(-width)}Z`;
}

/** A bar with round ends, as path data. */
export function pill(x: number, y: number, width: number, height: number): string {
  const r = n2(height / 2);
  const run = n2(Math.max(0, width - height));
  return `M${n(x + height / 2)} ${n(y)}h${run}a${r} ${r} 0 0 1 0 ${n2(height)}h${-run}a${r} ${r} 0 0 1 0 ${n2(-height)}Z`;
}

export type Stop = readonly [offset: number, colour: Colour, opacity?: number];

export function downward(id: string, stops: readonly Stop[]): string {
  return `<linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1">${stopList(stops)}</linearGradient>`;
}

export function sideward(id: string, stops: readonly Stop[]): string {
  return `<linearGradient id="${id}">${stopList(stops)}</linearGradient>`;
}

export function outward(id: string, stops: readonly Stop[]): string {
  return `<radialGradient id="${id}">${stopList(stops)}</radialGradient>`;
}

export function place(content: string, [x, y]: Point, scaleX: number, scaleY = scaleX, turn = 0): string {
  const rotation = turn ? ` rotate(${n(turn)})` : '';
  return `<g transform="translate(${n(x)} ${n(y)})${rotation} scale(${n3(scaleX)} ${n3(scaleY)})">${content}</g>`;
}

function stopList(stops: readonly Stop[]): string {
  return stops
    .map(([offset, colour, opacity]) => {
      const veil = opacity === undefined ? '' : ` stop-opacity="${n2(opacity)}"`;
      return `<stop offset="${n2(offset)}" stop-color="${colour}"${veil}/>`;
    })
    .join('');
}

function n2(value: number): number {
  return Math.round(value * 100) / 100;
}

function n3(value: number): number {
  return Math.round(value * 1000) / 1000;
}

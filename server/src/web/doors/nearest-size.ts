import {
  type Model,
  nearestRatio,
  pixels,
  type RequestedRatio,
  type Size,
} from '../../upstream/catalog/models.ts';

/** Picks the resolution whose number of pixels is nearest to the wanted one on a logarithmic scale. */
export function nearestSize(model: Model, wanted: Size): { ratio: RequestedRatio; resolution: string } {
  const ratio = nearestRatio(model, wanted);
  const area = Math.log(wanted.width * wanted.height);
  const distance = (resolution: string) => {
    const { width, height } = pixels(model, ratio, resolution);
    return Math.abs(Math.log(width * height) - area);
  };
  const resolution = [...model.resolutions.keys()].reduce((best, next) =>
    distance(next) < distance(best) ? next : best,
  );
  return { ratio, resolution };
}

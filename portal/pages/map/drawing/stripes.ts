import type { MapColours } from '../../../map-classes.ts';

const PIXELS = 16;
const STRIPE_PIXELS = 5;

/** A tile of diagonal stripes. */
export function stripes({ stripe, beyond }: MapColours): ImageData {
  const image = new ImageData(PIXELS, PIXELS);
  const [on, off] = [bytesOf(stripe), bytesOf(beyond)];
  for (let y = 0; y < PIXELS; y++) {
    for (let x = 0; x < PIXELS; x++) {
      const colour = (x + y) % PIXELS < STRIPE_PIXELS ? on : off;
      image.data.set(colour, (y * PIXELS + x) * 4);
    }
  }
  return image;
}

function bytesOf(colour: string): [number, number, number, number] {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  return [red, green, blue, 255];
}

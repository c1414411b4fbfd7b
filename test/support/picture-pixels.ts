import type { Browser } from 'playwright-core';

/** A picture whose pixels can be read. */
export interface PicturePixels {
  readonly width: number;
  readonly height: number;
  /** Colour of a pixel, as `#rrggbb`. */
  colourAt(x: number, y: number): string;
}

/** Decodes a PNG as a browser does, without colour management. */
export async function pixelsOf(browser: Browser, png: Buffer): Promise<PicturePixels> {
  const reader = await browser.newPage();
  const { width, height, data } = await reader.evaluate<
    Record<'width' | 'height', number> & { data: string }
  >(
    `(async () => {
    const blob = await (await fetch('data:image/png;base64,${png.toString('base64')}')).blob();
    const image = await createImageBitmap(blob, { colorSpaceConversion: 'none' });
    const { width, height } = image;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(image, 0, 0);
    const reader = new FileReader();
    reader.readAsDataURL(new Blob([context.getImageData(0, 0, width, height).data]));
    await new Promise((resolve) => { reader.onload = resolve; });
    return { width, height, data: reader.result.split(',')[1] };
  })()`,
  );
  await reader.close();
  const bytes = Buffer.from(data, 'base64');
  return {
    width,
    height,
    colourAt(x, y) {
      const start = (Math.floor(y) * width + Math.floor(x)) * 4;
      return `#${bytes.toString('hex', start, start + 3)}`;
    },
  };
}

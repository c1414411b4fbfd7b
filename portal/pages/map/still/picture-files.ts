import { render, type VNode } from 'preact';

/** Renders the text of an SVG file. */
export function svgText(sheet: VNode): string {
  const place = document.createElement('div');
  render(sheet, place);
  const text = new XMLSerializer().serializeToString(place.firstElementChild!);
  render(null, place);
  return text;
}

/** Draws an SVG file as PNG, at the pixel density of the screen. */
export async function pngOf(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth * devicePixelRatio;
  canvas.height = image.naturalHeight * devicePixelRatio;
  const context = canvas.getContext('2d')!;
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => {
      if (blob) resolve(blob);
      else reject(new Error('The browser could not make the picture.'));
    }, 'image/png'),
  );
}

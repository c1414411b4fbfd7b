import type { ComponentChildren, RefObject } from 'preact';
import { render, type VNode } from 'preact';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { attributionOf, dataDates } from '../catalogue/catalogue.ts';
import type { DrawnMap, Shown } from '../drawing/draw-map.ts';
import type { MapMarker } from '../drawing/map-markers.ts';
import type { Scheme } from '../drawing/paint.ts';
import type { Swatch } from '../panels/swatches.tsx';
import type { MapPosition } from '../state/map-state.ts';
import { stillMap } from '../still/still-map.tsx';
import { frameAt, positionOf } from '../tiles/frame.ts';
import { MapSheet } from './map-sheet.tsx';

/** A picture of the map: its contents, and the words around it. */
export interface PictureParts {
  readonly catalogue: Catalogue;
  readonly title: string;
  readonly legend: readonly Swatch[];
  /** Remarks on the times, such as their percentile. */
  readonly remark: string | null;
  readonly shown: Shown;
  readonly selected: string | null;
  readonly markers: readonly MapMarker[];
  readonly scheme: Scheme;
  readonly position: MapPosition | null;
  /** The map on the page, which is null without WebGL. */
  readonly map: RefObject<DrawnMap | null>;
}

/** Size of a picture if there is no map on the page. */
const ALONE = { width: 960, height: 640 };

/** The map as SVG: blocks, streets and names as shapes and text, drawn from the tiles. */
export async function svgPicture(parts: PictureParts): Promise<string> {
  const { catalogue, shown, selected, scheme } = parts;
  const { blocksUrl, baseMap } = catalogue;
  const map = await stillMap(frameOf(parts), { blocksUrl, baseMap, shown, selected }, scheme);
  return svgText(<Sheet parts={parts}>{map}</Sheet>);
}

/** The map as PNG, as shown on the page. */
export async function pngPicture(parts: PictureParts): Promise<Blob> {
  const { map } = parts;
  if (!map.current) return pngOf(await svgPicture(parts));
  const { width, height } = frameOf(parts);
  const pixels = await map.current.pixels();
  return pngOf(
    svgText(
      <Sheet parts={parts}>
        <image href={pixels} width={width} height={height} preserveAspectRatio="none" />
      </Sheet>,
    ),
  );
}

function Sheet(props: { readonly parts: PictureParts; readonly children: ComponentChildren }) {
  const { catalogue, title, legend, remark, markers, scheme } = props.parts;
  return (
    <MapSheet
      frame={frameOf(props.parts)}
      title={title}
      legend={legend}
      sources={[
        ...(remark === null ? [] : [remark]),
        dataDates(catalogue),
        `${attributionOf(catalogue)} Travel-Time Access, ${location.host}.`,
      ]}
      markers={markers}
      scheme={scheme}
    >
      {props.children}
    </MapSheet>
  );
}

function frameOf({ map, position, catalogue }: PictureParts) {
  const { width, height } = map.current?.viewport() ?? ALONE;
  const now = map.current?.viewport().position ?? position;
  return frameAt(now ?? positionOf(catalogue.bounds, width, height), width, height);
}

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

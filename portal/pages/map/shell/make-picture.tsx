import type { ComponentChildren, RefObject } from 'preact';
import { render, type VNode } from 'preact';
import { dateOf } from '../../formats.ts';
import { attributionOf, dataDates } from '../catalogue/catalogue.ts';
import type { DrawnMap } from '../drawing/draw-map.ts';
import type { MapMarker } from '../drawing/map-markers.ts';
import type { Shown } from '../drawing/paint.ts';
import { transitWords } from '../panels/words.tsx';
import { stillMap } from '../still/still-map.tsx';
import { frameAt, positionOf } from '../tiles/frame.ts';
import { timingsOf, type Viewed } from '../views/map-view.ts';
import { MAP_VIEWS } from '../views/map-views.ts';
import { MapSheet } from './map-sheet.tsx';

export interface PictureParts {
  readonly viewed: Viewed;
  readonly title: string;
  readonly shown: Shown;
  readonly markers: readonly MapMarker[];
  /** The map on the page, which is null without WebGL. */
  readonly map: RefObject<DrawnMap | null>;
}

/** Size of a picture if there is no map on the page. */
const ALONE = { width: 960, height: 640 };

/** The map as SVG: blocks, streets and names as shapes and text, drawn from the tiles. */
export async function svgPicture(parts: PictureParts): Promise<string> {
  const { catalogue, state, scheme } = parts.viewed;
  const { blocksUrl, baseMap } = catalogue;
  const of = { shown: parts.shown, opacity: state.opacity / 100, selected: state.block };
  const map = await stillMap(frameOf(parts), { blocksUrl, baseMap, ...of }, scheme);
  return svgText(<Sheet parts={parts}>{map}</Sheet>);
}

/** The map as PNG, as shown on the page. */
export async function pngPicture(parts: PictureParts): Promise<Blob> {
  return pngOf(parts.map.current ? svgText(<SheetNow parts={parts} />) : await svgPicture(parts));
}

/** Puts the map as shown on the page in its place on paper; returns how to remove it. */
export function printedPicture(parts: PictureParts): () => void {
  const place = document.createElement('div');
  place.className = 'printed';
  render(<SheetNow parts={parts} />, place);
  document.body.append(place);
  return () => place.remove();
}

/** The sheet with the pixels of the map, or else with the still picture on the page. */
function SheetNow({ parts }: { readonly parts: PictureParts }) {
  const { width, height } = frameOf(parts);
  const still = document.querySelector('.still-picture > svg');
  return (
    <Sheet parts={parts}>
      {parts.map.current ? (
        <image
          href={parts.map.current.pixels()}
          width={width}
          height={height}
          preserveAspectRatio="none"
        />
      ) : (
        // Markup that this page has drawn itself.
        <g dangerouslySetInnerHTML={{ __html: still?.innerHTML ?? '' }} />
      )}
    </Sheet>
  );
}

function Sheet(props: { readonly parts: PictureParts; readonly children: ComponentChildren }) {
  const { viewed, title, markers, map } = props.parts;
  const { catalogue, state, choice, scheme } = viewed;
  const view = MAP_VIEWS[state.view];
  // A sentence on an area names it; the middle of the map may be elsewhere.
  const place = viewed.area.value ? null : map.current?.viewport().place;
  const facts = [place && `Around ${place}`, view.summary?.(viewed)];
  const times = timingsOf(view, choice).map((timing) => transitWords(catalogue, timing));
  return (
    <MapSheet
      frame={frameOf(props.parts)}
      title={title}
      facts={facts.filter(Boolean).join(': ')}
      units={catalogue.units}
      legend={view.legend(viewed)}
      sources={[
        ...(times.length === 0 ? [] : [times.join(' ')]),
        dataDates(catalogue),
        `${attributionOf(catalogue)} Travel-Time Access, ${location.host}, ${today()}.`,
      ]}
      markers={markers}
      scheme={scheme}
    >
      {props.children}
    </MapSheet>
  );
}

function today(): string {
  return dateOf(new Date().toISOString());
}

function frameOf({ map, viewed: { catalogue, state } }: PictureParts) {
  const still = document.querySelector('.still-picture');
  const { width, height } =
    map.current?.viewport() ??
    (still === null ? ALONE : { width: still.clientWidth, height: still.clientHeight });
  const now = map.current?.viewport().position ?? state.position;
  return frameAt(now ?? positionOf(catalogue.bounds, width, height), width, height);
}

function svgText(sheet: VNode): string {
  const place = document.createElement('div');
  render(sheet, place);
  const text = new XMLSerializer().serializeToString(place.firstElementChild!);
  render(null, place);
  return text;
}

/** Draws an SVG file as PNG, at the pixel density of the screen. */
async function pngOf(svg: string): Promise<Blob> {
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

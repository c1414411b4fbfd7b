import type { Flavor } from '@protomaps/basemaps';
import { MAP_COLOURS } from '../../../map-classes.ts';
import { BASE_MAP_FLAVORS } from '../drawing/base-map-flavors.ts';
import { LINES_ZOOM } from '../drawing/block-fills.ts';
import type { Scheme, Shown } from '../drawing/paint.ts';
import type { Frame } from '../tiles/frame.ts';
import { type StillLayers, type StillSources, stillLayers } from './still-layers.ts';
import { STRIPES } from './stripe-pattern.tsx';

export async function stillMap(frame: Frame, sources: StillSources, scheme: Scheme) {
  const layers = await stillLayers(frame, sources);
  return <StillMap {...sources} frame={frame} layers={layers} scheme={scheme} />;
}

/** The layers as SVG, with presentation attributes only, since a file has no style sheet. */
function StillMap(props: {
  readonly frame: Frame;
  readonly layers: StillLayers;
  readonly shown: Shown;
  readonly opacity: number;
  readonly scheme: Scheme;
}) {
  const { frame, layers, shown, opacity, scheme } = props;
  const colours = MAP_COLOURS[scheme];
  const flavor = BASE_MAP_FLAVORS[scheme];
  const fills = colours[(shown.of === 'classes' && shown.palette) || 'classes'];
  return (
    <g>
      <rect width={frame.width} height={frame.height} fill={colours.outside} />
      <path d={layers.earth} fill={flavor.earth} />
      <path d={layers.water} fill={colours.water} />
      <g opacity={opacity}>
        {(shown.of === 'bands' || shown.blocks) && <path d={layers.blocks} fill={colours.beyond} />}
        {layers.classes.map((d, i) => (
          <path key={fills[i]} d={d} fill={fills[i]} />
        ))}
        <path d={layers.unlinked} fill={`url(#${STRIPES})`} />
      </g>
      {frame.position.zoom >= LINES_ZOOM && (
        <path
          d={layers.blocks}
          fill="none"
          stroke={colours.blockLine}
          stroke-width="0.6"
          stroke-opacity="0.55"
        />
      )}
      {layers.roads.toReversed().map(({ width: wide, d }) => (
        <g key={wide} fill="none" stroke-linejoin="round">
          <path d={d} stroke={flavor.minor_casing} stroke-width={wide + 1} />
          <path d={d} stroke={flavor.major} stroke-width={wide} />
        </g>
      ))}
      {layers.lines.map(({ colour, d }) => (
        <g key={colour} fill="none" stroke-linejoin="round" stroke-linecap="round">
          <path d={d} stroke={colours.halo} stroke-width="3.5" />
          <path d={d} stroke={colour ?? colours.route} stroke-width="2" />
        </g>
      ))}
      <path d={layers.selected} fill="none" stroke={colours.halo} stroke-width="6" />
      <path d={layers.selected} fill="none" stroke={colours.chosen} stroke-width="3" />
      {layers.pois.map(({ x, y, isStop }) => (
        <circle
          key={`${x} ${y}`}
          cx={x}
          cy={y}
          r="3.5"
          fill={isStop ? colours.halo : colours.chosen}
          stroke={isStop ? colours.chosen : colours.halo}
        />
      ))}
      <Names places={layers.places} flavor={flavor} />
    </g>
  );
}

function Names(props: { readonly places: StillLayers['places']; readonly flavor: Flavor }) {
  const { places, flavor } = props;
  return places.map(({ name, x, y, size }) => (
    <text
      key={`${name} ${x} ${y}`}
      x={x}
      y={y}
      font-size={size}
      text-anchor="middle"
      fill={flavor.city_label}
      stroke={flavor.city_label_halo}
      stroke-width="3"
      stroke-linejoin="round"
      paint-order="stroke"
    >
      {name}
    </text>
  ));
}

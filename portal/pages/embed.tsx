import './styles/colours.css';
import './styles/base.css';
import './styles/parts.css';
import { render } from 'preact';
import { EmbeddedMap } from './map/shell/embedded-map.tsx';

const place = document.getElementById('pages');
if (place === null) throw new Error('embed.html has no element for the map');
place.replaceChildren();
render(<EmbeddedMap />, place);

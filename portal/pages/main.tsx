import './styles/colours.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/shell.css';
import './styles/front.css';
import './styles/my.css';
import { render } from 'preact';
import { SessionProvider } from './session/session.tsx';
import { App } from './shell/app.tsx';

const place = document.getElementById('pages');
if (place === null) throw new Error('index.html has no element for the pages');
place.replaceChildren();
render(
  <SessionProvider>
    <App />
  </SessionProvider>,
  place,
);

// Starts the console.
import '@fontsource-variable/inter/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/try.css';
import './styles/image.css';
import './styles/items.css';
import './styles/scans.css';
import './styles/pages.css';
import { render } from 'preact';
import { App } from './app.js';

const root = document.getElementById('app');
if (root) render(<App />, root);

// The root of the console. Shows the pages that a signed-in person may use, or the sign-in page.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Me } from '../../src/service/console/shapes.js';
import { call, signedOut } from './api.js';
import { Frame, PAGES } from './frame.js';
import { goTo, path } from './location.js';
import { AppealPage } from './pages/appeal.js';
import { Choose } from './pages/choose.js';
import { Invitation } from './pages/invitation.js';
import { SignIn } from './pages/sign-in.js';
import { useStore } from './store.js';
import { forget, resume } from './try/items.js';
import './theme.js';

/** Paths of the pages for signing in. A person who is signed in already is sent to the start page instead. */
const SIGNED_OUT_PATHS = ['/sign-in', '/choice', '/invitation'];

/** Draws the page of the current address, or the sign-in page without a session. */
export function App(): JSX.Element {
  const current = useStore(path);
  // The signed-in person; undefined until the service has responded, null if nobody is signed in.
  const [me, setMe] = useState<Me | null | undefined>(undefined);
  const [fault, setFault] = useState<string | null>(null);
  const refresh = (): Promise<void> =>
    call<Me | null>('GET', '/me').then(
      (answer) => {
        setFault(null);
        setMe(answer);
      },
      (error: unknown) => setFault(error instanceof Error ? error.message : String(error)),
    );

  useEffect(() => {
    void refresh();
    const check = (): void => void refresh();
    signedOut.addEventListener('maybe', check);
    return () => signedOut.removeEventListener('maybe', check);
  }, []);
  useEffect(() => {
    if (me === null) forget();
    else if (me !== undefined) void resume(me.member.id);
  }, [me]);

  const enter = async (): Promise<void> => {
    await refresh();
    if (SIGNED_OUT_PATHS.includes(path.get())) goTo('/');
  };

  if (fault !== null)
    return (
      <main class="door">
        <h1>Telltale</h1>
        <p role="alert">{fault}</p>
        <button type="button" onClick={() => void refresh()}>
          Try again
        </button>
      </main>
    );
  if (current === '/choice') return <Choose onEnter={enter} />;
  if (current === '/appeal') return <AppealPage />;
  if (current === '/invitation') return <Invitation onEnter={enter} />;
  if (me === undefined) return <main class="door" aria-busy="true" />;
  if (me === null) return <SignIn onEnter={enter} />;
  const isAt = (pathPrefix: string): boolean =>
    current === pathPrefix || current.startsWith(`${pathPrefix}/`);
  const page = PAGES.find((entry) => isAt(entry.path) && entry.isFor(me.member.role)) ?? PAGES[0];
  return (
    <Frame me={me} page={page} onLeave={() => setMe(null)}>
      <page.View me={me} />
    </Frame>
  );
}

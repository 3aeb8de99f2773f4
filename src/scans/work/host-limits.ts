// How often a host is asked: some requests at once, and some a second, for all turns of this worker together.

const MOST_AT_ONCE = 4;
/** Between the starts of two requests: ten a second. */
const SPACING_MS = 100;
/** Hosts that are remembered before those that rest are forgotten. */
const MOST_IDLE = 1000;

interface Host {
  running: number;
  /** No request may start before this moment. */
  freeAtMs: number;
  readonly waiting: Set<() => void>;
  timer: NodeJS.Timeout | null;
}

/** Lets requests to a host through one by one. */
export class HostLimits {
  readonly #hosts = new Map<string, Host>();

  /** Runs `work` when `host` may be asked. Rejects with the signal's reason where that comes first. */
  async run<T>(host: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const state = this.#stateOf(host);
    await waitIn(state, signal, () => advance(state));
    try {
      return await work();
    } finally {
      state.running -= 1;
      advance(state);
    }
  }

  #stateOf(name: string): Host {
    const known = this.#hosts.get(name);
    if (known) return known;
    if (this.#hosts.size >= MOST_IDLE) this.#forgetIdle();
    const host: Host = { running: 0, freeAtMs: 0, waiting: new Set(), timer: null };
    this.#hosts.set(name, host);
    return host;
  }

  #forgetIdle(): void {
    const now = Date.now();
    for (const [name, { running, waiting, freeAtMs }] of this.#hosts)
      if (running === 0 && waiting.size === 0 && freeAtMs <= now) this.#hosts.delete(name);
  }
}

function waitIn(host: Host, signal: AbortSignal, start: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      host.waiting.delete(go);
      signal.removeEventListener('abort', abort);
    };
    const go = (): void => {
      leave();
      resolve();
    };
    const abort = (): void => {
      leave();
      reject(signal.reason as Error);
    };
    host.waiting.add(go);
    signal.addEventListener('abort', abort, { once: true });
    start();
  });
}

/** Starts whoever may start, and comes back when the next one may. */
function advance(host: Host): void {
  const [next] = host.waiting;
  if (next === undefined || host.running >= MOST_AT_ONCE || host.timer !== null) return;
  const restMs = host.freeAtMs - Date.now();
  if (restMs <= 0) {
    host.running += 1;
    host.freeAtMs = Date.now() + SPACING_MS;
    next();
  }
  host.timer = setTimeout(
    () => {
      host.timer = null;
      advance(host);
    },
    restMs > 0 ? restMs : SPACING_MS,
  );
  // The work that waits holds the process, not the clock.
  host.timer.unref();
}

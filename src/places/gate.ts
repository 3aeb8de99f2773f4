// A bound on how much happens at once: some run, some wait in order, the rest is refused.

/** Gives a place back; a second call does nothing. */
export type Release = () => void;

/** How much a gate lets in. */
export interface GateOptions {
  readonly places: number;
  readonly queueLimit: number;
  /** Makes the error of one that finds the queue full, or the gate closed. */
  readonly refuse: () => Error;
}

/** Counting semaphore with a bounded queue, first come first served. */
export class Gate {
  readonly #places: number;
  readonly #queueLimit: number;
  readonly #refuse: () => Error;
  readonly #waiting = new Set<() => void>();
  #taken = 0;
  #closed = false;

  constructor(options: GateOptions) {
    this.#places = options.places;
    this.#queueLimit = options.queueLimit;
    this.#refuse = options.refuse;
  }

  /** Places that are taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Requests that wait for a place. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Takes a place, waiting for one where need be. Rejects with the refusal, or with the signal's reason. */
  async enter(signal: AbortSignal): Promise<Release> {
    signal.throwIfAborted();
    if (this.#closed) throw this.#refuse();
    if (this.#taken < this.#places) this.#taken += 1;
    else if (this.#waiting.size >= this.#queueLimit) throw this.#refuse();
    else await this.#wait(signal);
    return this.#once();
  }

  /** Lets nobody in any more; those inside stay, those that wait are refused. */
  close(): void {
    this.#closed = true;
    for (const wake of [...this.#waiting]) wake();
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', abort);
      };
      // Whoever wakes it hands its own place over, except where the gate closed.
      const wake = (): void => {
        leave();
        if (this.#closed) reject(this.#refuse());
        else resolve();
      };
      const abort = (): void => {
        leave();
        reject(signal.reason as Error);
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  #once(): Release {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const [next] = this.#waiting;
      if (next) next();
      else this.#taken -= 1;
    };
  }
}

// Permits to use the engine: several images concurrently, or one image with the whole engine.

interface Waiting {
  readonly permits: number;
  readonly start: () => void;
}

/** Grants permits in order. A request for all permits waits for earlier ones and blocks later ones. */
export class EnginePermits {
  readonly #permits: number;
  readonly #waiting: Waiting[] = [];
  #inUse = 0;

  /** `permits` is the number of concurrent permits. */
  constructor(permits: number) {
    this.#permits = permits;
  }

  /** Runs `work` with one permit, or with all permits if `isExclusive`. */
  async run<T>({ isExclusive }: { readonly isExclusive: boolean }, work: () => Promise<T>): Promise<T> {
    const permits = isExclusive ? this.#permits : 1;
    await new Promise<void>((start) => {
      this.#waiting.push({ permits, start });
      this.#advance();
    });
    try {
      return await work();
    } finally {
      this.#inUse -= permits;
      this.#advance();
    }
  }

  #advance(): void {
    for (;;) {
      const [next] = this.#waiting;
      if (!next || this.#inUse + next.permits > this.#permits) return;
      this.#waiting.shift();
      this.#inUse += next.permits;
      next.start();
    }
  }
}

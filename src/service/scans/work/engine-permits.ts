// Permits to use the engine: several images concurrently, or one image with the whole engine.

interface Waiting {
  readonly places: number;
  readonly start: () => void;
}

/** Grants permits in order. A request for all permits waits for earlier ones and blocks later ones. */
export class EnginePermits {
  readonly #places: number;
  readonly #waiting: Waiting[] = [];
  #inUse = 0;

  /** `places` is the number of concurrent permits. */
  constructor(places: number) {
    this.#places = places;
  }

  /** Runs `work` with one permit, or with all permits if `isAlone`. */
  async run<T>(isAlone: boolean, work: () => Promise<T>): Promise<T> {
    const places = isAlone ? this.#places : 1;
    await new Promise<void>((start) => {
      this.#waiting.push({ places, start });
      this.#advance();
    });
    try {
      return await work();
    } finally {
      this.#inUse -= places;
      this.#advance();
    }
  }

  #advance(): void {
    for (;;) {
      const [next] = this.#waiting;
      if (!next || this.#inUse + next.places > this.#places) return;
      this.#waiting.shift();
      this.#inUse += next.places;
      next.start();
    }
  }
}

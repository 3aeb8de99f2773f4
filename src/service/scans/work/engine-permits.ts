// Places in the engine: some images at once, or one alone.

interface Waiting {
  readonly places: number;
  readonly start: () => void;
}

/** First come, first served; one that wants to be alone waits until everybody before is out, and lets nobody pass. */
export class EnginePermits {
  readonly #places: number;
  readonly #waiting: Waiting[] = [];
  #inUse = 0;

  /** `places` is what there is room for at once. */
  constructor(places: number) {
    this.#places = places;
  }

  /** Runs `work` with a place, or with all of them. */
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

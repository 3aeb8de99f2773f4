// What the primary process and its workers tell each other.

/** From a worker: it listens, or it wants the metrics of all workers. */
export type WorkerMessage =
  | { readonly type: 'telltale:listening'; readonly url: string }
  | { readonly type: 'telltale:metrics-wanted'; readonly request: number };

/** From the primary: end in order, or the metrics that were asked for. */
export type PrimaryMessage =
  | { readonly type: 'telltale:stop' }
  | { readonly type: 'telltale:metrics'; readonly request: number; readonly text: string };

// The data of a turn's job: it names items and holds none, so that a job stays small.

/** The items of a scan that a worker takes at once; those that are answered already are left out. */
export interface ItemBatch {
  readonly accountId: string;
  readonly slot: number;
  readonly scanId: string;
  /** First and last position. */
  readonly from: number;
  readonly to: number;
}

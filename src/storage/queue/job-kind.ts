// What jobs are: their kinds with their rules, and one job as it is sent and as it is taken.

/** A kind of job, with the rules that hold for all of its jobs. */
export interface JobKind<T extends object> {
  /** Letters, digits and hyphens; never changed once it has been released. */
  readonly name: string;
  /** How long a taken job stays with its process; one that has not ended it by then counts as dead. */
  readonly leaseSeconds: number;
  /** How often a job is tried again, after a fault or a lease that ran out, until it counts as failed. */
  readonly retries: number;
  /** Pause before a job is tried again after a fault; after a lease that ran out, too. */
  readonly retryPauseSeconds: number;
  /** Whether the pause doubles each time, with half of it drawn at random. */
  readonly pauseGrows: boolean;
  /** How long a job may wait before it is thrown away. */
  readonly keepDays: number;
  /** Never set: it ties the type of the data to the kind. */
  readonly data?: T;
}

/** A job to send. */
export interface NewJob<T extends object> {
  /** Kept as JSON. */
  readonly data: T;
  /** Higher ones are taken first, equal ones in the order in which they were sent; default 0. */
  readonly priority?: number;
  /** Not taken before this; default: at once. */
  readonly startAfter?: Date;
}

/** A job that was taken. */
export interface Job<T extends object> {
  readonly id: string;
  readonly data: T;
  /** 1 the first time, one more after each fault or lease that ran out. */
  readonly attempt: number;
}

// Kinds of jobs with their rules, and the jobs themselves as they are sent and received.

/** A kind of job, with the rules for all its jobs. */
export interface JobKind<T extends object> {
  /** Letters, digits and hyphens. Must not change after a release. */
  readonly name: string;
  /** Time that a process has for a job. If it has not finished by then, it is considered dead. */
  readonly leaseSeconds: number;
  /** Number of times a job is tried again after an error or an expired lease before it counts as failed. */
  readonly retries: number;
  /** Pause before a job is tried again. */
  readonly retryPauseSeconds: number;
  /** True if the pause doubles each time, with half of it chosen at random. */
  readonly pauseGrows: boolean;
  /** Days that a job may wait before it is deleted. */
  readonly keepDays: number;
  /** Never set; connects the type of the data with the kind. */
  readonly data?: T;
}

/** A job to send. */
export interface NewJob<T extends object> {
  /** Stored as JSON. */
  readonly data: T;
  /** Jobs with a higher priority are taken first, equal ones in the order in which they were sent; default 0. */
  readonly priority?: number;
  /** The job is not taken before this time; default: at once. */
  readonly startAfter?: Date;
}

/** A job that was taken. */
export interface Job<T extends object> {
  readonly id: string;
  readonly data: T;
  /** 1 for the first attempt; increases after each error or expired lease. */
  readonly attempt: number;
}

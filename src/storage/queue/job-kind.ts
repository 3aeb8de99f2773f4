// Types of background jobs: kinds with their rules, jobs to send and jobs received.

/** A kind of job, with the rules that apply to all jobs of this kind. */
export interface JobKind<T extends object> {
  /** Name of letters, digits and hyphens. Must not change after a release, because stored jobs have it. */
  readonly name: string;
  /** Time in which a process must finish a job. After it, the process is considered dead. */
  readonly leaseSeconds: number;
  /** Number of times that a job is tried again after an error or an expired lease. Then it counts as failed. */
  readonly retries: number;
  /** Pause before a job is tried again. */
  readonly retryPauseSeconds: number;
  /** True if the pause doubles with each attempt. Half of the pause is then random. */
  readonly pauseGrows: boolean;
  /** Number of days for which a job may wait before it is deleted. */
  readonly keepDays: number;
  /** Never set. Lets TypeScript connect the type of the data with the kind. */
  readonly data?: T;
}

/** A job to send. */
export interface NewJob<T extends object> {
  /** Data of the job, which are stored as JSON. */
  readonly data: T;
  /** Jobs with a higher priority are started first, equal ones in the order in which they were sent. Default 0. */
  readonly priority?: number;
  /** Earliest time to start the job. Default: immediately. */
  readonly startAfter?: Date;
}

/** A job that a process has received to run. */
export interface Job<T extends object> {
  readonly id: string;
  readonly data: T;
  /** Number of the attempt, from 1. Increases after each error or expired lease. */
  readonly attempt: number;
}

/** A function that is kept running. */
export interface RunningFunction {
  /** The process that takes requests, if one does. */
  readonly pid: number | undefined;
  /** All processes of the function, those that take no more requests included. */
  readonly pids: number[];
  /** Resolves once the function takes requests, or has died before. */
  ready(): Promise<void>;
  /** Where to send a request, or nothing while the function is not running. */
  take(): Turn | undefined | Promise<Turn | undefined>;
  stop(): Promise<void>;
}

/** A request's turn at a process of the function. */
export interface Turn {
  /** The loopback port to send the request to. */
  readonly port: number;
  /** Whether the process was killed for what it had used up. */
  killed(): boolean;
  /** To be called once, when the request is answered or given up. */
  over(): void;
}

import { AGENCY_BACKLOG, TOTAL_BACKLOG } from "./limits.ts";

interface Share {
  waiting: number;
  finished: number;
}

/** How many claimed events wait, by agency. Decides which agencies more may be claimed for. */
export class Backlog {
  readonly #shares = new Map<string, Share>();
  #waiting = 0;
  #listeners: (() => void)[] = [];

  took(agency: string): void {
    const share = this.#shares.get(agency) ?? { waiting: 0, finished: 0 };
    share.waiting += 1;
    this.#waiting += 1;
    this.#shares.set(agency, share);
  }

  finished(agency: string): void {
    const share = this.#shares.get(agency);
    if (share === undefined) return;
    share.waiting -= 1;
    share.finished += 1;
    this.#waiting -= 1;
    this.touch();
  }

  get full(): boolean {
    return this.#waiting >= TOTAL_BACKLOG;
  }

  isBusy(agency: string): boolean {
    const share = this.#shares.get(agency);
    if (share === undefined) return false;
    return share.waiting > Math.min(AGENCY_BACKLOG.max, AGENCY_BACKLOG.first + share.finished);
  }

  busyAgencies(): string[] {
    return [...this.#shares.keys()].filter((agency) => this.isBusy(agency));
  }

  changed(): Promise<void> {
    return new Promise((resolve) => this.#listeners.push(resolve));
  }

  touch(): void {
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

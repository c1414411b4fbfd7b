/**
 * Lets so many works of all subjects go on at once, and so many of each; the others wait, first
 * come first served. So what is held in memory at a time is bounded, and one who asks for much does
 * not keep the others out.
 */
export class Turnstile {
  readonly #inAll: number;
  readonly #ofEach: number;
  /** Works that go on, by subject. */
  readonly #inside = new Map<string, number>();
  readonly #waiting: { readonly subject: string; readonly enter: () => void }[] = [];
  #count = 0;

  constructor(limits: { readonly inAll: number; readonly ofEach: number }) {
    this.#inAll = limits.inAll;
    this.#ofEach = limits.ofEach;
  }

  async pass<T>(subject: string, work: () => Promise<T>): Promise<T> {
    if (this.#hasRoom(subject)) this.#enter(subject);
    else await new Promise<void>((enter) => this.#waiting.push({ subject, enter }));
    try {
      return await work();
    } finally {
      this.#leave(subject);
    }
  }

  #hasRoom(subject: string): boolean {
    return this.#count < this.#inAll && (this.#inside.get(subject) ?? 0) < this.#ofEach;
  }

  #enter(subject: string): void {
    this.#count++;
    this.#inside.set(subject, (this.#inside.get(subject) ?? 0) + 1);
  }

  #leave(subject: string): void {
    this.#count--;
    const left = this.#inside.get(subject)! - 1;
    if (left === 0) this.#inside.delete(subject);
    else this.#inside.set(subject, left);
    const next = this.#waiting.findIndex((waiter) => this.#hasRoom(waiter.subject));
    if (next === -1) return;
    const [waiter] = this.#waiting.splice(next, 1);
    this.#enter(waiter.subject);
    waiter.enter();
  }
}

/** A value that is there at once, or comes later. */
export type Soon<T> = T | Promise<T>;

/**
 * Goes on with a value at once if it is there. `await` would make promises of it and come back after
 * everything else: of a request that has to wait for nothing, that would be a tenth of the work.
 */
export function whenThere<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

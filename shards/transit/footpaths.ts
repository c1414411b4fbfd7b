/**
 * Paths between stops, from one ride to the next. Those from stop `s` are `first[s]` to `first[s +
 * 1]`, exclusive; two numbers each: the other stop, and the milliseconds from arriving to the
 * earliest departure that can be caught there. A transfer at one and the same stop is a path too.
 */
export interface Footpaths {
  readonly first: Int32Array;
  readonly ways: Int32Array;
}

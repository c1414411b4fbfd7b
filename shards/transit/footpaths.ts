/**
 * Paths between stops, from one ride to the next. The paths from stop `s` are `first[s]` up to
 * `first[s + 1]`, exclusive. Each path has two numbers in `ways`: the other stop, and the
 * milliseconds from arrival to the earliest departure that can be caught there. A transfer within
 * one stop is a path too.
 */
export interface Footpaths {
  readonly first: Int32Array;
  readonly ways: Int32Array;
}

/** A request to the API, as URL and as a call of the TypeScript client. */
export interface MapRequest {
  /** Name shown to users, such as `Reach of A`. */
  readonly name: string;
  readonly path: string;
  readonly operation:
    | 'getBlockAccess'
    | 'getBlockSummary'
    | 'getIsochrone'
    | 'getPointAccess'
    | 'listPoiCatchment'
    | 'measureCoverage'
    | 'measureSites';
  /** The parameters of the call. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Whether the parameters are the body of a POST. */
  readonly isPost?: boolean;
  /** The member of the response that has the rows, or the sums of a basket. */
  readonly rows: 'results' | 'blocks' | 'basket';
}

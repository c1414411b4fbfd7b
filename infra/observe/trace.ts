/** Attributes of a span, by OpenTelemetry's names where it has some. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** Makes a call within a span, which ends with it. */
export type Trace = <T>(
  name: string,
  attributes: SpanAttributes,
  call: () => Promise<T>,
) => Promise<T>;

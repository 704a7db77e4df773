/** The series of this server that an expression of Prometheus asks for, without those of `ALERTS`. */
export function askedSeries(expression: string): readonly string[] {
  return expression.match(/\b(?:portico|nodejs|process)_\w+/g) ?? [];
}

/** The metric that a series belongs to: a histogram has three series. */
export function metricOf(series: string): string {
  return series.replace(/_(?:count|sum|bucket)$/, '');
}

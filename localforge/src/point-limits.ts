export interface PointLimits {
  readonly rest: number;
  readonly graphql: number;
  readonly atOnce: number;
  /** How long a minute is. */
  readonly seconds: number;
}

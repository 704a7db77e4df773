/**
 * The tenants of a lane are served in rounds: whoever was served waits until all others who wait were, so that the
 * thousand jobs of one keep nobody else waiting behind all of them.
 */
export interface Rounds {
  /** Whose jobs are passed over now, for others'; none where nobody else can wait. */
  passedOver(): readonly string[];
  served(tenants: readonly string[]): void;
  /** No job was found but of those who were served: the next round begins. */
  over(): void;
  /** Jobs of these tenants came, or of anybody. */
  came(tenants?: readonly string[]): void;
}

/**
 * @param lookMs a lone tenant's jobs are taken for so long without asking for those of others, of which nobody may have told
 * @param now    milliseconds that only grow
 */
export function createRounds(lookMs: number, now: () => number): Rounds {
  const served = new Set<string>();
  let exclusive: { readonly tenant: string; readonly until: number } | undefined;
  return {
    passedOver() {
      if (exclusive !== undefined && now() >= exclusive.until) exclusive = undefined;
      return exclusive === undefined ? [...served] : [];
    },
    served(tenants) {
      for (const tenant of tenants) {
        served.add(tenant);
        if (tenant !== exclusive?.tenant) exclusive = undefined;
      }
    },
    over() {
      const [tenant, ...others] = served;
      if (tenant !== undefined && others.length === 0) exclusive = { tenant, until: now() + lookMs };
      served.clear();
    },
    came(tenants) {
      if (tenants?.every((tenant) => tenant === exclusive?.tenant) !== true) exclusive = undefined;
    },
  };
}

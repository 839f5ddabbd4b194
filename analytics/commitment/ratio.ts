/** The two ratios of commitments, for reports and recommendations: 0 to 1, null if there is nothing to divide by. */

/** Utilization: the used part of what was committed to, by costs of the same unit. */
export const utilizationOf = (used: bigint | number, unused: bigint | number): number | null => share(used, unused)

/** Coverage: the covered part of usage that a commitment may cover, both at the cost without one. */
export const coverageOf = (covered: bigint | number, onDemand: bigint | number): number | null =>
  share(covered, onDemand)

function share(part: bigint | number, rest: bigint | number): number | null {
  const [a, b] = [Number(part), Number(rest)]
  return a + b > 0 ? a / (a + b) : null
}

/** The two ratios of commitments, for reports and for what is recommended: 0 to 1, null where there is nothing to divide by. */

/** How much of what was committed to was used: costs of the same unit. */
export const utilizationOf = (used: bigint | number, unused: bigint | number): number | null => share(used, unused)

/** How much of the use that a commitment may cover is covered, both at what they would cost without one. */
export const coverageOf = (covered: bigint | number, onDemand: bigint | number): number | null =>
  share(covered, onDemand)

function share(part: bigint | number, rest: bigint | number): number | null {
  const [a, b] = [Number(part), Number(rest)]
  return a + b > 0 ? a / (a + b) : null
}

/** Further alerts of a budget beside its alert threshold: on the spend so far, or on the forecast of the month. */
import { units } from '#streams/figure.ts'

export const thresholdKinds = ['spend', 'forecast'] as const

export interface Threshold {
  /** Of the budget, 1 to 1,000. */
  percent: number
  of: (typeof thresholdKinds)[number]
}

/** Maximum for one budget. */
export const thresholdsMax = 10

/** Identifies a threshold among those of its budget. */
export const keyOf = ({ percent, of }: Threshold): string => `${of} ${percent}`

/** Each once: those of the spend first, the lowest first. */
export const sortThresholds = (given: readonly Threshold[]): Threshold[] =>
  thresholdKinds.flatMap((of) =>
    [...new Set(given.filter((one) => one.of === of).map(({ percent }) => percent))]
      .toSorted((a, b) => a - b)
      .map((percent) => ({ percent, of })),
  )

/** By exact amounts; without a forecast, none of its thresholds. */
export function reachedThresholds(
  thresholds: readonly Threshold[],
  budget: bigint,
  amounts: { spend: bigint; forecast: bigint | undefined },
): Threshold[] {
  return thresholds.filter(({ percent, of }) => {
    const amount = amounts[of]
    return amount !== undefined && amount * 100n * units(1) >= budget * units(percent)
  })
}

/** How a budget stands. Amounts are exact: counts of 10^-14 US dollars; only what is shown is rounded, half away from zero. */
import { plain, scaled } from '#engine/decimal.ts'
import type { Budget } from './entity.ts'

const places = 14

/** By level: below the alert threshold, at or above it, at or above the budget. */
export const statuses = ['green', 'yellow', 'red'] as const

/** An amount, or a percentage, of any notation. */
export const units = (amount: string | number): bigint => scaled(amount, places) ?? 0n

export const plainOf = (amount: bigint): string => plain(amount, places)

/** US dollars to the cent. */
export const cents = (amount: bigint): number => Number(plain(divided(amount, 10n ** BigInt(places - 2)), 2))

/** Percent, to two places; 0 where there is no whole. */
export const percent = (part: bigint, whole: bigint): number =>
  whole === 0n ? 0 : Number(plain(divided(part * 10_000n, whole), 2))

/** `a` / `b`, rounded half away from zero; `b` is more than 0. */
export function divided(a: bigint, b: bigint): bigint {
  const magnitude = ((a < 0n ? -a : a) * 2n + b) / (2n * b)
  return a < 0n ? -magnitude : magnitude
}

export type Limits = Pick<Budget, 'monthlyBudgetUsd' | 'alertThresholdPercent'>

/** 0 to 2; by exact amounts. */
export function levelOf({ monthlyBudgetUsd, alertThresholdPercent }: Limits, spend: bigint): number {
  const budget = units(monthlyBudgetUsd)
  if (spend >= budget) return 2
  return spend * 100n * 10n ** BigInt(places) >= budget * units(alertThresholdPercent) ? 1 : 0
}

/** As budgets are shown: what remains is the budget without the spend that is shown. */
export function standing(limits: Limits, spend: bigint) {
  const budget = units(limits.monthlyBudgetUsd)
  const currentSpendUSD = cents(spend)
  return {
    currentSpendUSD,
    remainingUSD: Number(plainOf(budget - units(currentSpendUSD))),
    percentUsed: percent(spend, budget),
    status: statuses[levelOf(limits, spend)]!,
  }
}

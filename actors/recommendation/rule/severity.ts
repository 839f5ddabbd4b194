/** Severity, confidence and priority of a finding (decision G-65). */
import type { DisturbanceKind, MetricCoverage, Severity } from '#streams/recommendation.ts'
import type { Rule } from './contract.ts'

/** Lower bounds: as a fraction of the organization's spend of 30 days, or, if that is unknown, US dollars per month. */
const bands: readonly { level: Severity; share: number; usd: number }[] = [
  { level: 'critical', share: 0.05, usd: 1000 },
  { level: 'high', share: 0.01, usd: 250 },
  { level: 'medium', share: 0.0025, usd: 50 },
  { level: 'low', share: 0.0005, usd: 10 },
]

/** Rounding errors of computed values are smaller than this. */
const tolerance = 1e-9

/**
 * The severity of a cost finding: its savings as a fraction of the organization's spend, weighted by confidence.
 * @param savingsUsd US dollars per month
 * @param confidence 0 to 1
 * @param orgSpendUsd of the last 30 days; null if nothing was billed
 */
export function severityOf(savingsUsd: number, confidence: number, orgSpendUsd: number | null): Severity {
  const weighed = savingsUsd * confidence
  const reaches = ({ share, usd }: (typeof bands)[number]): boolean =>
    orgSpendUsd === null ? weighed >= usd - tolerance : weighed / Math.max(orgSpendUsd, 1) >= share - tolerance
  return bands.find(reaches)?.level ?? 'info'
}

/** The severity of a finding: the rule's own level for risks, otherwise by savings. */
export const severityBy = (rule: Rule, savingsUsd: number, confidence: number, orgSpendUsd: number | null): Severity =>
  rule.severity.mode === 'risk' ? rule.severity.level : severityOf(savingsUsd, confidence, orgSpendUsd)

/**
 * How well a finding is measured: 1 from 14 days with samples on, 0.75 from 7 on, otherwise 0.5; 1 for rules without
 * metrics. Of several metrics the one with the fewest days counts; metrics that the resource does not have are ignored.
 */
export function confidenceOf(rule: Rule, measured: MetricCoverage): number {
  if (rule.needs.metrics.length === 0) return 1
  const names = new Set(rule.needs.metrics.map((path) => path.slice(0, path.indexOf('.'))))
  const days = [...names].flatMap((name) => measured[name]?.days ?? [])
  const fewest = days.length === 0 ? 0 : Math.min(...days)
  if (fewest >= 14) return 1
  return fewest >= 7 ? 0.75 : 0.5
}

/** How easily a change is made, by how much it disturbs. */
const ease: Readonly<Record<DisturbanceKind, number>> = {
  none: 1,
  online: 1,
  restart: 0.8,
  outage: 0.6,
  data_loss: 0.4,
  irreversible: 0.3,
}

/** Weight of a risk finding, which has no savings. */
const riskWeights: Readonly<Record<Severity, number>> = { critical: 1, high: 0.6, medium: 0.3, low: 0.1, info: 0.02 }

/** 0 to 100: savings or risk, weighted by confidence and by how much the change disturbs. */
export function priorityOf(rule: Rule, savingsUsd: number, confidence: number, orgSpendUsd: number | null): number {
  const whole = orgSpendUsd === null ? bands[0]!.usd : bands[0]!.share * Math.max(orgSpendUsd, 1)
  const weight =
    rule.severity.mode === 'risk'
      ? riskWeights[rule.severity.level]
      : Math.min(1, Math.max(0, savingsUsd) / whole) * confidence
  return Math.round(100 * weight * ease[rule.action.effect])
}

/** The inputs and results of judging a resource on a day: enough to judge it again with other parameters. */
import { factSheetTable } from '#analytics/recommendation/tables.ts'
import { dayOf } from '#engine/value/day.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { AuditedResource, ResourceAudit, RuleOutcome } from './entity.ts'
import { specNames } from './audited-resource.ts'
import { valueOf } from './facts.ts'
import type { JudgeResult } from './judge.ts'
import type { FactSource } from '#actors/recommendation/rule/contract.ts'
import { programOf } from '#actors/recommendation/rule/compile.ts'

/** The fields of a resource that selectors, governance and reference tables read. */
export type SheetResource = Pick<
  AuditedResource,
  'name' | 'provider' | 'region' | 'instanceType' | 'resourceGroup' | 'tags' | 'fed'
> & {
  /** The environment that people accepted; empty if none. */
  env: ResourceAudit['env']
  /** Seconds between samples of each measured metric. */
  steps: Readonly<Record<string, number>>
}

/** State of a rule's finding at the end of the day's sweep; amounts are US dollars for 30 days. */
export interface SheetFinding extends RuleOutcome {
  /** Reported and not ended; `stale` if it could not be evaluated for too long. */
  open?: 'known' | 'stale'
  /** The last reported savings. */
  usd?: number
  /** If it fires: its savings without regard to other findings, and the cost they are part of. */
  savingUsd?: number
  costUsd?: number
  dismissed?: true
}

/**
 * Facts derived from the organization's settings and from the tables of sizes and prices: looked up again in a replay.
 */
export const isSettled = (path: string): boolean => /^(?:gov|policy|tags|ref)\.|^res\.env$/.test(path)

const layouts = new Map<string, readonly string[]>()

/** Facts that the tables of sizes and prices read besides specs. */
const tablePaths = ['metric.cpu_percent.max.14d', 'res.size_gb']

/** Paths that rules of the type read, and those that the tables of sizes and prices may read. */
export function layoutOf(type: string): readonly string[] {
  const known = layouts.get(type)
  if (known) return known
  const { paths, rules } = programOf(type)
  const wider = rules.flatMap(({ rule: { alternativeTo } }) => (alternativeTo ? [widerPath(alternativeTo)] : []))
  const specs = [...specNames(type)].map((name) => `specs.${name}`)
  const layout = [...new Set([...paths, ...specs, ...wider, ...tablePaths])]
    .filter((path) => !isSettled(path))
    .toSorted()
  layouts.set(type, layout)
  return layout
}

/** The part of the layout that the tables of sizes and prices may read. */
export const tablePathsOf = (type: string): string[] =>
  layoutOf(type).filter((path) => path.startsWith('specs.') || tablePaths.includes(path))

/** Path of the savings of an open finding for the whole account, by its rule. */
export const widerPath = (ruleId: string): string => `wider.${ruleId}`

function factsTold({ specs, facts }: Pick<ResourceAudit, 'specs' | 'facts'>, source: FactSource, path: string): string {
  const value = path.startsWith('specs.')
    ? valueOf(specs, path.slice('specs.'.length))
    : path.startsWith('wider.')
      ? valueOf(facts, path)
      : source(path)
  return value === undefined ? '' : JSON.stringify(value)
}

const resourceTold = ({ resource, env, measured }: Pick<ResourceAudit, 'resource' | 'env' | 'measured'>) => {
  const { name, provider, region, instanceType, resourceGroup, tags, fed } = resource
  const steps = Object.fromEntries(Object.entries(measured).map(([metric, { stepSeconds }]) => [metric, stepSeconds]))
  return { name, provider, region, instanceType, resourceGroup, tags, fed, env, steps } satisfies SheetResource
}

/** Findings of rules that fire, were reported, were true before, or were dismissed. */
function findingsTold(
  { outcomes, told, decided }: Pick<ResourceAudit, 'outcomes' | 'told' | 'decided'>,
  { firing }: Pick<JudgeResult, 'firing'>,
): Record<string, SheetFinding> {
  const fired = new Map(firing.map(({ rule, described }) => [rule.id, described]))
  const known = Object.keys(outcomes).filter((id) => outcomes[id]!.since !== undefined)
  const dismissed = Object.keys(decided).filter((id) => decided[id] === 'dismissed')
  const ids = [...new Set([...known, ...Object.keys(told), ...dismissed])].toSorted()
  return Object.fromEntries(
    ids.map((id): [string, SheetFinding] => {
      const [described, stood] = [fired.get(id), told[id]]
      return [
        id,
        {
          ...(outcomes[id] ?? { o: 'c' }),
          ...(stood && { open: stood.fingerprint === '' ? 'stale' : 'known', usd: stood.usd ?? 0 }),
          ...(described && { savingUsd: described.savingUsd, costUsd: described.costUsd }),
          ...(decided[id] === 'dismissed' && { dismissed: true }),
        },
      ]
    }),
  )
}

/** Writes the sheet for the day of `at`, the time of judging; it replaces an earlier one of that day. */
export function appendSheet(row: ResourceAudit, judged: JudgeResult, at: Date, turn: Turn, isRecalled = false): void {
  const found = findingsTold(row, judged)
  const layout = layoutOf(row.resource.type)
  const sheet = {
    org_id: row.orgId,
    resource_type: row.resource.type,
    cloud_account_id: row.cloudAccountId,
    resource_uid: row.uid,
    day: dayOf(at),
    at: at.toISOString(),
    is_recalled: Number(isRecalled),
    resource: JSON.stringify(resourceTold(row)),
    layout: layout.join(),
    facts: layout.map((path) => factsTold(row, judged.source, path)),
    found: Object.keys(found).length === 0 ? '' : JSON.stringify(found),
  }
  turn.append(factSheetTable, sheet, at)
}

/** What a resource was judged by on a day, and what was found: enough to judge it again by other figures. */
import { factSheetTable } from '#analytics/recommendation/tables.ts'
import { dayOf } from '#engine/value/day.ts'
import type { Turn } from '#engine/actor/turn.ts'
import type { AuditedResource, ResourceAudit, RuleOutcome } from './entity.ts'
import { specNames } from './audited-resource.ts'
import { valueOf } from './facts.ts'
import type { JudgeResult } from './judge.ts'
import type { FactSource } from '#actors/recommendation/rule/contract.ts'
import { programOf } from '#actors/recommendation/rule/compile.ts'

/** What selectors, governance and the reference tables ask of a resource. */
export type SheetResource = Pick<
  AuditedResource,
  'name' | 'provider' | 'region' | 'instanceType' | 'resourceGroup' | 'tags' | 'fed'
> & {
  /** The environment that people accepted; empty for none. */
  env: ResourceAudit['env']
  /** Seconds between samples of each metric that was measured. */
  steps: Readonly<Record<string, number>>
}

/** What stood of a rule at the end of the day's sweep; amounts are US dollars for 30 days. */
export interface SheetFinding extends RuleOutcome {
  /** Told and not ended: `stale` once nothing has been known of it for too long. */
  open?: 'known' | 'stale'
  /** What it was last told to save. */
  usd?: number
  /** Where it fires: what it would save alone, and of what cost. */
  savingUsd?: number
  costUsd?: number
  dismissed?: true
}

/** Facts that follow from what the organization has set, and from the tables of sizes and prices: looked up anew. */
export const isSettled = (path: string): boolean => /^(?:gov|policy|tags|ref)\.|^res\.env$/.test(path)

const layouts = new Map<string, readonly string[]>()

/** What tables of sizes and prices ask of a resource beside its specs. */
const tablePaths = ['metric.cpu_percent.max.14d', 'res.size_gb']

/** What rules of the type read, and what tables of sizes and prices may ask of it. */
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

/** What of the layout tables of sizes and prices may ask for. */
export const tablePathsOf = (type: string): string[] =>
  layoutOf(type).filter((path) => path.startsWith('specs.') || tablePaths.includes(path))

/** What an open finding of the whole account saves, by its rule. */
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

/** Of each rule that fires, is told of, was true before, or was set aside by people. */
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

/** Writes down the sheet of the day of `at`, when it was judged, in the place of one of the same day. */
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

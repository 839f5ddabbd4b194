/** A finding in the form that its recommendation shows. */
import { hash } from 'node:crypto'
import { typeOf } from '#streams/cloud/resource/resource-type.ts'
import type { Finding } from '#streams/recommendation.ts'
import type { ResourceAudit } from './entity.ts'
import { confidenceOf, priorityOf, severityBy } from '#actors/recommendation/rule/severity.ts'
import type { WeighedFinding } from './weigh.ts'

/** Hours in thirty days, the period of monthly figures. */
const hoursOfMonth = 720
const specsMax = 40

export function findingOf(row: ResourceAudit, one: WeighedFinding): Finding {
  const { resource, measured, orgSpendUsd } = row
  const { rule, described } = one
  const confidence = confidenceOf(rule, measured)
  const spend = orgSpendUsd ?? null
  return {
    resourceUid: row.uid,
    resourceName: resource.name,
    resourceType: resource.type,
    provider: resource.provider,
    region: resource.region,
    resourceGroup: resource.resourceGroup,
    ruleId: rule.id,
    category: rule.category,
    severity: severityBy(rule, one.netUsd, confidence, spend),
    title: described.title,
    titleFrom: described.from,
    titleTo: described.to,
    description: described.description,
    remediation: described.remediation,
    consoleUrl: consoleUrlOf(row),
    actionType: rule.action.type,
    effect: rule.action.effect,
    destructive: rule.action.destructive,
    automation: rule.action.automation,
    currentCostUsd: one.costUsd,
    savingsUsd: one.netUsd,
    grossSavingsUsd: one.grossUsd,
    confidence,
    priority: priorityOf(rule, one.netUsd, confidence, spend),
    evidence: evidenceOf(row, one),
    specs: specsOf(row),
    targetSpec: described.target ? { ...described.target } : null,
    tierRates: ratesOf(one),
    resourceTags: resource.tags,
    heldBackBy: one.heldBackBy,
  }
}

/** What the rule read, the quality of its measurements, and when it was collected. */
function evidenceOf({ measured, factsAt }: ResourceAudit, { rule, described, grossUsd, netUsd }: WeighedFinding) {
  const { evidence } = described
  const metric = evidence['metric']
  const known = typeof metric === 'string' ? measured[metric] : undefined
  const coverage = known?.coverage[`${rule.needs.windowDays}d`]
  return {
    ...roundEvidence(evidence),
    ...(coverage !== undefined && { coverage: threeDigits(coverage) }),
    ...(known && { sampleStepSeconds: known.stepSeconds }),
    ...(grossUsd !== netUsd && { aloneUsd: grossUsd }),
    ...(rule.evaluateOn.includes('discovered') || !factsAt ? {} : { factsAt: factsAt.toISOString() }),
  }
}

/** Rounds to three digits, so that smaller differences are the same evidence. */
const roundEvidence = (evidence: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(evidence).map(([key, value]) => [key, typeof value === 'number' ? threeDigits(value) : value]),
  )

const threeDigits = (value: number): number =>
  Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3))

/** Its current specs, as text. */
function specsOf({ resource, specs }: ResourceAudit): Record<string, string> {
  const own: Record<string, unknown> = {
    ...(resource.instanceType !== '' && { instanceType: resource.instanceType }),
    ...(resource.sizeGb !== null && { sizeGB: resource.sizeGb }),
    ...(resource.unitCount !== null && { unitCount: resource.unitCount }),
    status: resource.status,
    ...specs,
  }
  const texts = Object.entries(own).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(texts.slice(0, specsMax).map(([name, value]) => [name, textOf(value)]))
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 500)

/** US dollars per hour of the usage that a commitment would cover. */
function ratesOf({ described, costUsd }: WeighedFinding): Record<string, number> | null {
  const { tierRates } = described
  if (!tierRates) return null
  const onDemand = costUsd / hoursOfMonth
  const of = (term: string) => {
    const share =
      tierRates[`${term}_no_upfront`] ?? tierRates[Object.keys(tierRates).find((key) => key.startsWith(term)) ?? '']
    return share === undefined ? undefined : Number((onDemand * share).toFixed(6))
  }
  const [oneYear, threeYear] = [of('1yr'), of('3yr')]
  return {
    onDemand: Number(onDemand.toFixed(6)),
    ...(oneYear !== undefined && { oneYear }),
    ...(threeYear !== undefined && { threeYear }),
  }
}

/** The page of the resource in the cloud's own console. Parts that are unknown stay empty. */
function consoleUrlOf({ uid, cloudAccountId, resource, specs }: ResourceAudit): string {
  const template = typeOf(resource.type)?.consoleUrl ?? ''
  const known: Record<string, string> = {
    region: resource.region,
    uid,
    name: resource.name,
    account: textOf(specs['account'] ?? specs['project'] ?? ownerOf(uid) ?? cloudAccountId),
    parent: resource.parentUid,
    zone: textOf(specs['zone'] ?? resource.region),
    workspace_url: textOf(specs['workspace_url'] ?? ''),
  }
  // If a uid is a path, as in Azure, it is one in the address, too.
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    (known[name] ?? '').split('/').map(encodeURIComponent).join('/'),
  )
}

/** The project or account in the cloud's name of a resource; a connected account's id is only ours. */
const ownerOf = (uid: string): string | undefined =>
  (/(?:^|\/)projects\/([^/]+)/.exec(uid) ?? /^arn:[^:]*:[^:]*:[^:]*:(\d{12}):/.exec(uid))?.[1]

/** Hash of everything that makes a finding a different one for readers, without the time of collection. */
export function fingerprintOf(finding: Finding): string {
  const { evidence, ...rest } = finding
  const { factsAt: _, ...seen } = evidence
  return hash('sha256', JSON.stringify([rest, seen])).slice(0, 24)
}

/** A finding as its recommendation shows it. */
import { hash } from 'node:crypto'
import { typeOf } from '#streams/cloud/resource/resource-type.ts'
import type { Finding } from '#streams/recommendation.ts'
import type { ResourceAudit } from './entity.ts'
import { confidenceOf, priorityOf, severityBy } from '#actors/recommendation/rule/severity.ts'
import type { WeighedFinding } from './weigh.ts'

/** Hours of thirty days: what monthly figures are of. */
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

/** What the rule saw, how well it was measured, and when it was gathered. */
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

/** To three digits: what differs by less is the same evidence. */
const roundEvidence = (evidence: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(evidence).map(([key, value]) => [key, typeof value === 'number' ? threeDigits(value) : value]),
  )

const threeDigits = (value: number): number =>
  Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(3))

/** What it is now, as text. */
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

/** US dollars an hour of what a commitment would be for. */
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

/** Where the cloud's own console shows the resource; without what it would have to be told that we do not know. */
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
  // A uid that is a path of its own, as Azure's, is one in the address too.
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    (known[name] ?? '').split('/').map(encodeURIComponent).join('/'),
  )
}

/** The project or account that the cloud's own name of a resource says; the id of a connected account is of ours. */
const ownerOf = (uid: string): string | undefined =>
  (/(?:^|\/)projects\/([^/]+)/.exec(uid) ?? /^arn:[^:]*:[^:]*:[^:]*:(\d{12}):/.exec(uid))?.[1]

/** What of a finding makes it another one to those who read it; when it was gathered does not. */
export function fingerprintOf(finding: Finding): string {
  const { evidence, ...rest } = finding
  const { factsAt: _, ...seen } = evidence
  return hash('sha256', JSON.stringify([rest, seen])).slice(0, 24)
}

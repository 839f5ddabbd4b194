import { faultOf, goneAt, isBuried, isOlder } from '#actors/resource/observation-order.ts'
import { defineActor } from '#engine/actor/actor.ts'
import { uuidOf } from '#engine/value/id.ts'
import { sameData } from '#engine/actor/row.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import {
  envSettled,
  factsGathered,
  findingEnded,
  findingRaised,
  recommendationSettled,
  type findingEnds,
} from '#streams/recommendation.ts'
import { factsAsked, factsJudged } from '#streams/workflow.ts'
import { nothing, ResourceAudit, staleMs, type AuditedResource } from './entity.ts'
import { auditNeeds, isJudgedAlike, type AuditNeeds } from './needs.ts'
import { auditedOf, bornBy, sinceAnew, specsFor } from './audited-resource.ts'
import { findingOf, fingerprintOf } from './finding.ts'
import { judge, type JudgeResult } from './judge.ts'
import { numberOf } from './number.ts'
import { isResized, sizedSince } from './resize.ts'
import { ruleOf } from '#actors/recommendation/rule/catalogue.ts'
import { appendSheet } from './fact-sheet.ts'
import { weigh } from './weigh.ts'

const ofResource = ({ resourceUid }: { resourceUid: string }): string => resourceUid

/** The columns that describe the existing resource; reset when it is deleted. */
const empty = () => ({
  resource: nothing(),
  specs: {},
  facts: {},
  measured: {},
  factsAt: null,
  runId: '',
  orgSpendUsd: null,
  env: '' as const,
  bornAt: null,
  since: {},
  outcomes: {},
  judgedBy: '',
})

/** What rules read of one cloud resource, and what they find in it. */
export const auditActor = defineActor({
  kind: 'audit',
  entity: ResourceAudit,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'uid' },
  initial: () => ({
    ...empty(),
    firstSeenAt: new Date(0),
    told: {},
    decided: {},
    heard: {},
    n: 0,
    observedAt: new Date(0),
    deletedAt: null,
  }),
  needs: auditNeeds,
  reactions: (on) => [
    on(resourceDiscovered, ofResource, find, {
      follows: 'resource',
      echo: { role: 'follows', passing: ['observedAt'], leans: ({ judgedBy }) => judgedBy, stands: isJudgedAlike },
    }),

    on(resourceDeleted, ofResource, bury, { follows: 'resource' }),

    on(factsGathered, ofResource, gather),

    on(
      envSettled,
      ofResource,
      (row, { env }, turn) => {
        if (row.deletedAt || row.env === env) return
        const before = copyOf(row)
        row.env = env
        judgeAnew(row, turn, before)
      },
      { existing: true },
    ),

    on(recommendationSettled, ofResource, hear, { existing: true }),
    on(factsAsked, ofResource, answer),
  ],
})

function find(row: ResourceAudit, found: Static<typeof resourceDiscovered.schema>, turn: Turn<AuditNeeds>): void {
  const { time } = turn.message
  if (isOlder(row, time) || isBuried(row, time)) return turn.ignore()
  if (faultOf(found)) return
  row.observedAt = time
  const isNew = row.deletedAt !== null || row.firstSeenAt.getTime() === 0
  if (isNew) Object.assign(row, { deletedAt: null, firstSeenAt: time })
  const { resource, specs } = auditedOf(found, row)
  if (!isNew && sameData(resource, row.resource) && sameData(specs, row.specs) && isCurrent(row, turn)) return
  const before = isNew ? undefined : copyOf(row)
  take(row, resource, specs, time, turn)
  judgeAnew(row, turn, before)
}

function bury(row: ResourceAudit, gone: Static<typeof resourceDeleted.schema>, turn: Turn<AuditNeeds>): void {
  const at = goneAt(gone, turn)
  if (isOlder(row, at)) return
  row.observedAt = at
  if (row.deletedAt) return
  Object.assign(row, empty(), { deletedAt: turn.message.time, firstSeenAt: new Date(0) })
  for (const ruleId of Object.keys(row.told)) endFinding(row, ruleId, 'deleted', turn)
}

/** The row before parts of it are replaced; its values are never changed in place. */
const copyOf = (row: ResourceAudit): ResourceAudit => Object.assign(Object.create(null) as ResourceAudit, row)

/** Rules and tables are unchanged, so for an unchanged resource their results are, too. */
const isCurrent = (row: ResourceAudit, turn: Turn<AuditNeeds>): boolean =>
  row.judgedBy === turn.needs.organization(turn.address.orgId).version

function take(
  row: ResourceAudit,
  resource: AuditedResource,
  specs: Record<string, unknown>,
  at: Date,
  turn: Turn<AuditNeeds>,
): void {
  if (isResized(row.resource, resource)) endSizes(row, turn)
  row.since = { ...sinceAnew(row, resource.type, specs, at), ...sizedSince(row, resource, at) }
  row.bornAt = oldest(row.bornAt, bornBy(specs, at))
  row.facts = factsBeside(row, resource)
  row.resource = resource
  row.specs = specs
}

/**
 * Findings about a better size were about the former size. For the new size they can be made once it has been measured.
 */
function endSizes(row: ResourceAudit, turn: Turn<AuditNeeds>): void {
  for (const ruleId of Object.keys(row.told))
    if (ruleOf(ruleId)?.target.kind === 'fit') endFinding(row, ruleId, 'cleared', turn)
}

const statusDays = 'hist.status_days'

/** Facts of the last sweep stay valid, except the days since the last change of status. */
function factsBeside({ facts, resource: before }: ResourceAudit, { status }: AuditedResource): Record<string, unknown> {
  return statusDays in facts && before.status !== status ? { ...facts, [statusDays]: 0 } : facts
}

/** A resource is at least as old as its oldest sign of age. */
const oldest = (a: Date | null | undefined, b: Date | null): Date | null => (a && b ? (a < b ? a : b) : (a ?? b))

/** Of two sweeps the newer one counts. Deleted resources are not swept. */
function gather(row: ResourceAudit, gathered: Static<typeof factsGathered.schema>, turn: Turn<AuditNeeds>): void {
  const at = new Date(gathered.at)
  const { found } = gathered
  if (found) observe(row, found, turn)
  if (row.deletedAt || row.observedAt.getTime() === 0 || (row.factsAt && at < row.factsAt)) return
  const { facts, measured, orgSpendUsd, runId, bornAt } = gathered
  Object.assign(row, { facts, measured, orgSpendUsd, runId, factsAt: at })
  row.bornAt = oldest(row.bornAt, bornAt === undefined ? null : new Date(bornAt))
  appendSheet(row, judgeAnew(row, turn), turn.now, turn)
}

/** Takes the resource from the inventory if the audit does not know it: it was discovered before audits existed. */
function observe(
  row: ResourceAudit,
  { resource, specs, env, ...times }: NonNullable<Static<typeof factsGathered.schema>['found']>,
  turn: Turn<AuditNeeds>,
): void {
  const at = new Date(times.observedAt)
  if (isOlder(row, at) || isBuried(row, at)) return
  if (row.firstSeenAt.getTime() === 0) row.firstSeenAt = new Date(times.firstSeenAt)
  Object.assign(row, { observedAt: at, deletedAt: null, ...(env !== undefined && { env }) })
  const audited = { ...nothing(), ...(resource as Partial<AuditedResource>) }
  take(row, audited, specsFor(audited.type, specs), at, turn)
}

function hear(
  row: ResourceAudit,
  { ruleId, status, n }: Static<typeof recommendationSettled.schema>,
  turn: Turn<AuditNeeds>,
): void {
  if (n <= (row.heard[ruleId] ?? 0)) return
  row.heard = { ...row.heard, [ruleId]: n }
  const { [ruleId]: _, ...others } = row.decided
  row.decided = status === 'dismissed' || status === 'applied' ? { ...others, [ruleId]: status } : others
  if (!row.deletedAt) judgeAnew(row, turn, copyOf(row))
  // It was reopened although the finding no longer exists, so it is closed again.
  if (status === 'open' && !(ruleId in row.told)) endFinding(row, ruleId, row.deletedAt ? 'deleted' : 'cleared', turn)
}

/**
 * Answers a workflow: whether the rule fires on what is known now, and the target spec of the resource. Changes
 * nothing.
 */
function answer(
  row: ResourceAudit,
  { jobId, ruleId, n }: Static<typeof factsAsked.schema>,
  turn: Turn<AuditNeeds>,
): void {
  const { place: cloudAccountId, key: resourceUid } = turn.address
  const isGone = row.deletedAt !== null || row.observedAt.getTime() === 0
  const { outcome, targetSpec } = isGone ? goneJudgement : judgementOf(row, ruleId, turn)
  turn.emit(factsJudged, { cloudAccountId, jobId, resourceUid, n, outcome, targetSpec })
  if (row.observedAt.getTime() === 0) turn.remove()
}

const goneJudgement = { outcome: 'gone', targetSpec: null } as const
const outcomeNames = { f: 'fires', c: 'clear', h: 'hold' } as const

function judgementOf(row: ResourceAudit, ruleId: string, turn: Turn<AuditNeeds>) {
  const { outcomes, firing, off } = judge(row, benchOf(turn))
  const fired = firing.find(({ rule }) => rule.id === ruleId)
  const outcome = off.has(ruleId) ? 'clear' : outcomeNames[outcomes[ruleId]?.o ?? 'c']
  return { outcome, targetSpec: fired?.described.target ? { ...fired.described.target } : null }
}

/** The inputs of judging. */
function benchOf(turn: Turn<AuditNeeds>) {
  const needs = turn.needs
  const { governance, overrides } = needs.organization(turn.address.orgId)
  const references = needs.references({ now: turn.now, families: governance.sizeFamilies })
  return { governance, overrides, references, now: turn.now, faulty: needs.faulty }
}

/** `before`: the row as it was judged last, if only parts of it have changed since. */
function judgeAnew(row: ResourceAudit, turn: Turn<AuditNeeds>, before?: ResourceAudit): JudgeResult {
  const needs = turn.needs
  const { version } = needs.organization(turn.address.orgId)
  const judged = judge(row, benchOf(turn), row.judgedBy === version ? before : undefined)
  const { outcomes, firing, off, source } = judged
  row.outcomes = outcomes
  row.judgedBy = version
  const wider = (ruleId: string) => numberOf(row.facts[`wider.${ruleId}`])
  const shown = weigh(firing, numberOf(source('bill.cost_30d')) ?? 0, wider)
  for (const one of shown) {
    // A finding that others take precedence over is not raised. One that is already open stays, with no savings.
    if (one.heldBackBy === '' || one.rule.id in row.told) raiseFinding(row, findingOf(row, one), turn)
  }
  for (const ruleId of Object.keys(row.told)) settleFinding(row, ruleId, off, turn)
  return judged
}

function settleFinding(row: ResourceAudit, ruleId: string, off: ReadonlySet<string>, turn: Turn<AuditNeeds>): void {
  const outcome = row.outcomes[ruleId]
  if (off.has(ruleId) || !ruleOf(ruleId)) endFinding(row, ruleId, 'retired', turn)
  else if (!outcome || outcome.o === 'c') endFinding(row, ruleId, 'cleared', turn)
  else if (outcome.o === 'h' && turn.now.getTime() - Date.parse(outcome.held!) >= staleMs)
    staleFinding(row, ruleId, turn)
}

const idOf = ({ orgId, place, key }: Turn['address'], ruleId: string): string =>
  uuidOf('recommendation', orgId, place, key, ruleId)

function raiseFinding(row: ResourceAudit, finding: ReturnType<typeof findingOf>, turn: Turn<AuditNeeds>): void {
  const { ruleId } = finding
  const fingerprint = fingerprintOf(finding)
  if (row.told[ruleId]?.fingerprint === fingerprint) return
  row.told = { ...row.told, [ruleId]: { n: ++row.n, fingerprint, usd: finding.savingsUsd } }
  const { place: cloudAccountId } = turn.address
  turn.emit(findingRaised, { cloudAccountId, recommendationId: idOf(turn.address, ruleId), n: row.n, finding })
}

function endFinding(
  row: ResourceAudit,
  ruleId: string,
  why: (typeof findingEnds)[number],
  turn: Turn<AuditNeeds>,
): void {
  const { [ruleId]: _, ...others } = row.told
  row.told = others
  sayEnd(row, ruleId, why, turn)
}

/**
 * Reports once that a finding is stale. Its entry in `told` stays with an empty fingerprint, so that the finding is
 * raised again when it returns.
 */
function staleFinding(row: ResourceAudit, ruleId: string, turn: Turn<AuditNeeds>): void {
  if (row.told[ruleId]!.fingerprint === '') return
  sayEnd(row, ruleId, 'stale', turn)
  row.told = { ...row.told, [ruleId]: { ...row.told[ruleId]!, n: row.n, fingerprint: '' } }
}

function sayEnd(row: ResourceAudit, ruleId: string, why: (typeof findingEnds)[number], turn: Turn<AuditNeeds>): void {
  const { place: cloudAccountId } = turn.address
  turn.emit(findingEnded, { cloudAccountId, recommendationId: idOf(turn.address, ruleId), n: ++row.n, why })
}

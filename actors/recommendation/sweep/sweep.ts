/**
 * The job that collects facts of every resource of an organization (metrics, bills, history, relations) and sends them
 * to the audits. A repeated run sends the same messages with the same ids, which changes nothing.
 */
import { createHash } from 'node:crypto'
import type { JobWork, Tools } from '#actors/tools.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { JobRun } from '#streams/job.ts'
import { factsGathered, sweepEnded, type FactValues } from '#streams/recommendation.ts'
import { tagRunWanted } from '#streams/tagging.ts'
import { accountState, type GatherAbout } from './gather/context.ts'
import { accountTypes, orgSpend30d } from './gather/account-bill.ts'
import { gatherFacts } from './gather/index.ts'
import { governanceOf } from '#actors/recommendation/policy/governance.ts'
import { pages, sweptSome, type SweptResource } from './page.ts'
import { programOf } from '#actors/recommendation/rule/compile.ts'
import { committable, narrowTypes, widerFacts } from './account-findings.ts'

export type SweepTools = Pick<Tools, 'reads' | 'ask' | 'publisher' | 'clock' | 'now' | 'cost'>

/** Accounts with resources, including those that nobody connected: producers may report any account. */
const accountsSql = `
  select distinct cloud_account_id as id from resource where org_id = $1 and deleted_at is null order by id`
const governanceSql = `
  select id, name, spec, created_at as "createdAt" from policy
  where org_id = $1 and domain = 'governance' and enabled order by created_at, id`

export const recommendationSweep =
  (tools: SweepTools): JobWork =>
  async (run, call) => {
    const { orgId } = call
    await tagsAnew(tools, run, call)
    const accounts = await tools.reads.rows<{ id: string }>(accountsSql, [orgId])
    const shared = await sharedBy(tools, orgId)
    const { now } = shared
    const orgSpendUsd = await orgSpend30d(tools, orgId, now)
    for (const { id: account } of accounts) {
      const about = { ...shared, account, ...(await accountState(tools, orgId, account)) }
      await sweepAccount(tools, { run, call, orgSpendUsd, about })
    }
    for (const { id } of accounts) await end(tools, { run, call }, id, run.runId)
    for (const { id } of accounts) await awaitSettled(tools, call, id, run.runId)
  }

/** Inputs of facts that all accounts of an organization share. */
async function sharedBy(tools: Pick<SweepTools, 'reads' | 'now' | 'cost'>, orgId: string) {
  const policies = await tools.reads.rows<never>(governanceSql, [orgId])
  return { orgId, now: tools.now(), cost: tools.cost, governance: governanceOf(policies) }
}

/** A resource to process outside of sweeps; the ids of its facts are derived from `key`. */
export interface Apart {
  uid: string
  runId: string
  key: string
}

/**
 * Sends current facts of some resources to their audits, and resolves once they are durable. Skips resources that the
 * inventory no longer has.
 */
export async function sweepSome(
  tools: SweepTools,
  { orgId, account }: { orgId: string; account: string },
  some: readonly Apart[],
): Promise<void> {
  const resources = await sweptSome(
    tools.reads,
    { orgId, account },
    some.map(({ uid }) => uid),
  )
  if (resources.length === 0) return
  const about = { ...(await sharedBy(tools, orgId)), account, ...(await accountState(tools, orgId, account)) }
  const orgSpendUsd = await orgSpend30d(tools, orgId, about.now)
  const wider = await widerFacts(tools.reads, orgId, account)
  const beside = (facts: FactValues) => ({ ...facts, ...wider })
  const byUid = Map.groupBy(some, ({ uid }) => uid)
  await tell(tools, { orgSpendUsd, about, tellings: (uid) => byUid.get(uid)! }, resources, beside)
}

/** A refresh also catches up on tags. */
async function tagsAnew({ publisher }: SweepTools, run: JobRun, { orgId, key }: EffectCall): Promise<void> {
  const data = { runId: run.runId, wanted: { kind: 'sweep' as const, whole: !run.isDue } }
  await publisher.publish({ subject: tagRunWanted, orgId, data, id: `${key}/tags` })
}

interface Sweep {
  run: JobRun
  call: EffectCall
  orgSpendUsd: number | null
  about: Omit<GatherAbout, 'reads'>
}

/**
 * Resources that represent the whole account come last: what they could save depends on what their resources leave.
 * Single findings that they turn out to include are processed once more.
 */
async function sweepAccount(tools: SweepTools, sweep: Sweep): Promise<void> {
  const { run, call, about } = sweep
  const { orgId, account } = about
  const wider = await widerFacts(tools.reads, orgId, account)
  const late: SweptResource[] = []
  for await (const page of pages(tools.reads, about, call)) {
    const own = page.filter(({ type }) => !accountTypes.has(type))
    late.push(...page.filter(({ type }) => accountTypes.has(type)))
    await tell(tools, pageOf(sweep), own, (facts) => ({ ...facts, ...wider }))
  }
  if (late.length === 0) return
  const others = `${run.runId}/others`
  await end(tools, sweep, account, others)
  await awaitSettled(tools, call, account, others)
  await tell(tools, pageOf(sweep), late, await committable(tools.reads, orgId, account))
  const whole = `${run.runId}/whole`
  await end(tools, sweep, account, whole)
  await awaitSettled(tools, call, account, whole)
  const found = await widerFacts(tools.reads, orgId, account)
  const outdated = { types: narrowTypes(), wider: found }
  const again = { ...call, key: `${call.key}/again` }
  for await (const page of pages(tools.reads, about, call, outdated))
    await tell(
      tools,
      pageOf({ ...sweep, call: again }),
      page.filter(({ type }) => !accountTypes.has(type)),
      (facts) => ({ ...facts, ...found }),
    )
}

/** Published after everything about the account. */
async function end(
  { publisher }: SweepTools,
  { call: { orgId, key } }: Pick<Sweep, 'run' | 'call'>,
  cloudAccountId: string,
  runId: string,
): Promise<void> {
  const data = { cloudAccountId, runId, isBehindFindings: false }
  await publisher.publish({ subject: sweepEnded, orgId, data, id: `${key}/ended/${cloudAccountId}/${runId}` })
}

/** Identifies one sending of facts: the run, and what the ids are derived from. */
type Telling = Pick<Apart, 'runId' | 'key'>

interface Page extends Pick<Sweep, 'orgSpendUsd' | 'about'> {
  tellings: (uid: string) => readonly Telling[]
}

const pageOf = ({ run: { runId }, call: { key }, orgSpendUsd, about }: Sweep): Page => ({
  orgSpendUsd,
  about,
  tellings: () => [{ runId, key }],
})

async function tell(
  tools: Pick<SweepTools, 'reads' | 'ask' | 'publisher'>,
  { orgSpendUsd, about, tellings }: Page,
  page: readonly SweptResource[],
  beside: (facts: FactValues) => FactValues,
): Promise<void> {
  if (page.length === 0) return
  const read = new Map([...new Set(page.map(({ type }) => type))].map((type) => [type, programOf(type).metrics]))
  const gathered = await gatherFacts(tools, page, { ...about, reads: read })
  await Promise.all(
    page.flatMap(({ uid, found }) => {
      const { facts = {}, measured = {}, bornAt } = gathered.get(uid) ?? {}
      const data = {
        cloudAccountId: about.account,
        resourceUid: uid,
        at: about.now.toISOString(),
        facts: beside(facts),
        measured,
        orgSpendUsd,
        ...(found && { found }),
        ...(bornAt !== undefined && { bornAt }),
      }
      return tellings(uid).map(({ runId, key }) =>
        tools.publisher.report({
          subject: factsGathered,
          orgId: about.orgId,
          data: { ...data, runId },
          id: idOf(key, about.account, uid),
        }),
      )
    }),
  )
}

const idOf = (key: string, account: string, uid: string): string =>
  `${createHash('sha256').update(key).digest('hex').slice(0, 16)}/${uuidOf('facts', account, uid)}`

const settledSql = `select from account_sweep where org_id = $1 and cloud_account_id = $2 and settled_run_id = $3`

/** Resolves once all findings of the account have been processed. */
async function awaitSettled(
  { reads, clock }: SweepTools,
  { orgId, signal }: EffectCall,
  account: string,
  runId: string,
): Promise<void> {
  while ((await reads.rows(settledSql, [orgId, account, runId])).length === 0) {
    signal.throwIfAborted()
    await clock.sleep(50, signal)
  }
}

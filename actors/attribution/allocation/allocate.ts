/**
 * Keeps the team of each resource equal to what the rules say. One run for an organization at a time. It writes only
 * the differences, up to 2,000 rows in a transaction, and only while rules and teams have not changed since it read
 * them; otherwise it starts again. Whatever ends a run, its marks remain and the next run finds the rest. The one
 * writer of AllocatedResource, except when teams are deleted.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { costDayEditions } from '#analytics/attribution/questions.ts'
import { portions, stream } from '#analytics/store/query.ts'
import type { Tools } from '#actors/tools.ts'
import type { MarkRow } from '#engine/actor/ports.ts'
import type { ProjectionWork } from '#engine/run/projection.ts'
import type { Static } from '#engine/value/schema.ts'
import { change, type RecordChange } from '#engine/run/tell.ts'
import { resourcesAllocated } from '#streams/attribution.ts'
import { retries } from '#streams/retry.ts'
import { rulesOf, teamBy, type AllocatedTeam } from './allocate-rule.ts'
import { allocations, billedAllocation, wholeAllocation } from '#analytics/attribution/projections.ts'
import { allocationKeyOf } from './allocation.ts'
import {
  billedResources,
  inventoryResources,
  keyText,
  ruleState,
  versionOf,
  type Edition,
  type RuleResource,
  type ResourceKey,
  type RuleState,
  type Streaming,
} from './reads.ts'
import { beginChange } from '#actors/attribution/change.ts'
import { makeTeam } from '#actors/attribution/team/change.ts'
import { teamNamed } from '#actors/attribution/team/queries.ts'

type AllocationTools = Pick<Tools, 'reads' | 'em' | 'shards' | 'now' | 'ask'>

/** Maximum rows compared and written at once. */
const rowsMax = 2000
/** With more resources than this, all are processed instead. */
const keysMax = 5000

type PublishedEdition = Static<typeof costDayEditions.row>

/** What has to be computed for an organization. */
interface AllocationScope {
  isWhole: boolean
  hasBills: boolean
  keys: readonly ResourceKey[]
}

export function allocationWork(tools: AllocationTools): ProjectionWork {
  const seen = new SeenEditions()
  return {
    name: allocations.name,
    apart: true,
    async run(marks) {
      const organizations = Map.groupBy(marks, (mark) => mark.orgId)
      let isDone = true
      for (const orgId of await ruledAmong(tools, [...organizations.keys()]))
        isDone =
          (await alone(tools, orgId, () => new Run(tools, orgId, seen).all(scopeOf(organizations.get(orgId)!)))) &&
          isDone
      return isDone
    },
  }
}

const ruledSql = 'select org_id from attribution_clock where allocated and org_id = any($1::text[]) order by org_id'

/** Organizations that have, or had, a rule. */
async function ruledAmong({ reads }: AllocationTools, orgIds: readonly string[]): Promise<string[]> {
  return (await reads.rows<{ org_id: string }>(ruledSql, [[...orgIds]])).map((row) => row.org_id)
}

const lockSql = 'select pg_try_advisory_xact_lock(hashtextextended(?, 0)) as is_ours'

/**
 * Runs `work` under a lock of the organization, since an older run could overwrite the results of a newer one. False if
 * another process has the lock.
 */
function alone({ em }: AllocationTools, orgId: string, work: () => Promise<boolean>): Promise<boolean> {
  return em().transactional(async (tx) => {
    const [lock] = await tx.execute<{ is_ours: boolean }[]>(lockSql, [`allocation|${orgId}`])
    return lock!.is_ours && work()
  })
}

function scopeOf(marks: readonly MarkRow[]): AllocationScope {
  const keys = marks.flatMap(({ key }) => allocationKeyOf(key) ?? [])
  const has = (name: string) => marks.some(({ key }) => key === name)
  return { isWhole: has(wholeAllocation) || keys.length > keysMax, hasBills: has(billedAllocation), keys }
}

interface Row extends ResourceKey {
  teamId: string
  policyId: string
}

/** A resource whose row must change; without a team its row is deleted. */
interface RowChange extends ResourceKey {
  policyId: string
  team: AllocatedTeam | undefined
}

class Run {
  private readonly tools: AllocationTools
  private readonly orgId: string
  private readonly seen: SeenEditions
  private readonly ask: Streaming

  constructor(tools: AllocationTools, orgId: string, seen: SeenEditions) {
    this.tools = tools
    this.orgId = orgId
    this.seen = seen
    this.ask = async function* (q, params) {
      yield* stream(await tools.shards.of(orgId), q, { ...params, org: orgId } as never)
    }
  }

  /** False if rules or teams changed during each try. */
  async all(wanted: AllocationScope): Promise<boolean> {
    for (let tries = 0; tries < retries.allocation.tries; tries++) if (await this.once(wanted)) return true
    return false
  }

  private async once(wanted: AllocationScope): Promise<boolean> {
    const began = this.tools.now().getTime()
    const state = await ruleState(this.tools.em(), this.orgId)
    const editions = wanted.isWhole || wanted.hasBills ? await this.tools.ask(costDayEditions, { org: this.orgId }) : []
    const writing = new Writing(this.tools, this.orgId, state)
    const isDone = wanted.isWhole
      ? await this.whole(state, writing)
      : await this.some(state, writing, this.found(wanted, editions))
    if (isDone && (wanted.isWhole || wanted.hasBills)) this.seen.keep(this.orgId, dropUnsettled(editions, began))
    return isDone
  }

  private async *found(
    { keys, hasBills }: AllocationScope,
    editions: readonly Edition[],
  ): AsyncGenerator<RuleResource> {
    yield* inventoryResources(this.ask, keys)
    if (hasBills) yield* billedResources(this.ask, this.seen.unknown(this.orgId, editions))
  }

  /** Processes all known resources, and removes the rows of resources that are no longer known. */
  private async whole({ policies, teams, accounts }: RuleState, writing: Writing): Promise<boolean> {
    const rules = rulesOf(policies, accounts)
    const rows = await this.rows()
    const allot = teamBy(rules, teams)
    for await (const resource of rules.length === 0 ? [] : this.everything()) {
      const key = keyText(resource)
      const row = rows.get(key)
      rows.delete(key)
      if (!(await writing.settle(resource, row, allot(resource.facts)))) return false
    }
    for (const row of rows.values()) if (!(await writing.settle(row, row, undefined))) return false
    return writing.flush()
  }

  private async *everything(): AsyncGenerator<RuleResource> {
    yield* inventoryResources(this.ask)
    yield* billedResources(this.ask)
  }

  private async some(
    { policies, teams, accounts }: RuleState,
    writing: Writing,
    found: AsyncGenerator<RuleResource>,
  ): Promise<boolean> {
    const allot = teamBy(rulesOf(policies, accounts), teams)
    for await (const chunk of chunks(found, rowsMax)) {
      const rows = await this.rows(chunk)
      for (const resource of chunk)
        if (!(await writing.settle(resource, rows.get(keyText(resource)), allot(resource.facts)))) return false
    }
    return writing.flush()
  }

  /** The rows of these resources, or of all. */
  private async rows(keys?: readonly ResourceKey[]): Promise<Map<string, Row>> {
    const pairs = keys && [keys.map(({ account }) => account), keys.map(({ uid }) => uid)]
    const rows = await this.tools.reads.rows<Row>(pairs ? someSql : allSql, [this.orgId, ...(pairs ?? [])])
    return new Map(rows.map((row) => [keyText(row), row]))
  }
}

const allSql = `
  select cloud_account_id as account, resource_uid as uid, team_id as "teamId", policy_id as "policyId"
  from allocated_resource where org_id = $1`
const someSql = `${allSql} and (cloud_account_id, resource_uid) in (select * from unnest($2::text[], $3::text[]))`

async function* chunks<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let chunk: T[] = []
  for await (const item of items) {
    chunk.push(item)
    if (chunk.length < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

const upsertSql = `
  insert into allocated_resource (org_id, cloud_account_id, resource_uid, team_id, policy_id, since)
  select ?, account, uid, team, policy, ?::timestamptz
  from jsonb_to_recordset(?::jsonb) as given (account text, uid text, team text, policy text)
  on conflict (org_id, cloud_account_id, resource_uid)
    do update set team_id = excluded.team_id, policy_id = excluded.policy_id, since = excluded.since`
const deleteSql = `
  delete from allocated_resource where org_id = ? and (cloud_account_id, resource_uid) in
    (select account, uid from jsonb_to_recordset(?::jsonb) as given (account text, uid text))`

/** The messages of a change are only published here; no answer is awaited. */
const nobody = { ask: async () => undefined }

/** Collects row changes, and writes them to PostgreSQL with their messages. */
class Writing {
  private readonly tools: AllocationTools
  private readonly orgId: string
  private readonly state: RuleState
  private version: string
  private pending: RowChange[] = []

  constructor(tools: AllocationTools, orgId: string, state: RuleState) {
    this.tools = tools
    this.orgId = orgId
    this.state = state
    this.version = state.version
  }

  /**
   * Queues the change of a resource's row, if it differs. False if rules or teams have changed since they were read.
   */
  async settle(
    { account, uid }: ResourceKey,
    row: Row | undefined,
    found: { policyId: string; team: AllocatedTeam } | undefined,
  ): Promise<boolean> {
    const { policyId, team } = found ?? { policyId: '', team: undefined }
    const teamId = team && 'id' in team ? team.id : ''
    const isSame = team ? row?.teamId === teamId && row.policyId === policyId : row === undefined
    if (!isSame) this.pending.push({ account, uid, policyId, team })
    return this.pending.length < rowsMax || this.flush()
  }

  async flush(): Promise<boolean> {
    const { em, now } = this.tools
    const changed = this.pending.splice(0)
    if (changed.length === 0) return true
    const made = await change(
      { em: em(), orgId: this.orgId, asker: nobody, now, transaction: (own, work) => own.transactional(work) },
      (tx) => this.write(tx, changed),
    )
    for (const team of made?.teams ?? []) this.state.teams.add(team)
    if (made) this.version = made.version
    return made !== undefined
  }

  /** Undefined if rules or teams have changed. From here on nobody can change them until this is committed. */
  private async write(tx: RecordChange, changed: readonly RowChange[]) {
    const at = (await beginChange(tx)).toISOString()
    if ((await versionOf(tx.em, this.orgId)) !== this.version) return undefined
    const teams = await this.make(tx, changed)
    const idOf = (team: AllocatedTeam) => ('id' in team ? team.id : teams.get(team.make.toLowerCase())!.id)
    const rows = changed.map(({ team, ...row }) => ({ ...row, teamId: team ? idOf(team) : '' }))
    await store(tx.em, this.orgId, rows, at)
    for (const own of Map.groupBy(rows, ({ teamId, policyId }) => `${teamId}|${policyId}`).values())
      for (const some of portions(own, keyText)) {
        const { teamId, policyId } = own[0]!
        const resources = some.map(({ account, uid }) => ({ cloudAccountId: account, resourceUid: uid }))
        await tx.tell(resourcesAllocated, { teamId, policyId, resources, at })
      }
    return { teams: [...teams.values()], version: await versionOf(tx.em, this.orgId) }
  }

  /** Creates the teams that rules want and that do not exist yet. Keys are their names in lower case. */
  private async make(
    tx: RecordChange,
    changed: readonly RowChange[],
  ): Promise<Map<string, { id: string; name: string }>> {
    const wanted = changed.flatMap(({ team }) => (team && 'make' in team ? [team.make] : []))
    // Of several spellings the first in alphabetical order wins.
    const names = new Map(
      wanted
        .toSorted()
        .toReversed()
        .map((name) => [name.toLowerCase(), name]),
    )
    const made = new Map<string, { id: string; name: string }>()
    for (const [lowered, name] of names) {
      // PostgreSQL may fold letters that JavaScript does not.
      const known = await teamNamed(tx.em, this.orgId, name)
      const { id } = known === undefined ? await makeTeam(tx, { name }) : { id: known }
      await tx.em.flush()
      made.set(lowered, { id, name })
    }
    return made
  }
}

async function store(em: EntityManager, orgId: string, rows: readonly Row[], at: string): Promise<void> {
  const given = rows
    .filter(({ teamId }) => teamId !== '')
    .map(({ account, uid, teamId: team, policyId: policy }) => ({ account, uid, team, policy }))
  const taken = rows.filter(({ teamId }) => teamId === '').map(({ account, uid }) => ({ account, uid }))
  if (given.length > 0) await em.execute(upsertSql, [orgId, at, JSON.stringify(given)])
  if (taken.length > 0) await em.execute(deleteSql, [orgId, JSON.stringify(taken)])
}

/**
 * The tags of a day are stored after its sums: only sums published this many milliseconds ago were certainly read with
 * their tags.
 */
const settleMs = 600_000
const dropUnsettled = (editions: readonly PublishedEdition[], now: number): PublishedEdition[] =>
  editions.filter((one) => one.published_at < now - settleMs)

/** Maximum editions remembered, for all organizations together. */
const seenMax = 200_000

/**
 * Which published days this process has processed, so that it only reads new ones. Days that it forgets are processed
 * again.
 */
class SeenEditions {
  private readonly held = new Map<string, ReadonlySet<string>>()
  private count = 0

  /** Undefined if nothing is remembered: process all. */
  unknown(orgId: string, editions: readonly Edition[]): Edition[] | undefined {
    const known = this.held.get(orgId)
    return known && editions.filter(({ edition }) => !known.has(edition))
  }

  keep(orgId: string, editions: readonly Edition[]): void {
    this.forget(orgId)
    this.held.set(orgId, new Set(editions.map(({ edition }) => edition)))
    this.count += this.held.get(orgId)!.size
    for (const oldest of this.held.keys()) {
      if (this.count <= seenMax || oldest === orgId) break
      this.forget(oldest)
    }
  }

  private forget(orgId: string): void {
    this.count -= this.held.get(orgId)?.size ?? 0
    this.held.delete(orgId)
  }
}

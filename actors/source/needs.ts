/** What turns of deployments and revisions read: rows of each other, and of the promoted revision. */
import type { Waiting } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import { buildEnded, type RevisionStatus } from '#streams/source/messages.ts'
import type { Build, PushTarget, Stand } from './build-end.ts'

/** Read for the end of a build: such messages run alone, so both actors read the same. */
export interface EndNeeds {
  build: (Build & PushTarget & { status: RevisionStatus; imageRef: string | null }) | undefined
  /** Of the deployment; `missing` if it was deleted meanwhile. */
  stand: Stand
}

export interface SourceNeeds {
  /** Existing deployments, by organization and id. */
  deployments: ReadonlySet<string>
  end: EndNeeds | undefined
}

export const deploymentKey = (orgId: string, id: string): string => `${orgId}\0${id}`
const thereSql = `
  select org_id as "orgId", id from deployment
  where (org_id, id) in (select * from unnest($1::text[], $2::text[]))`

const buildSql = `
  select id, created_at as "createdAt", pushed_at as "pushedAt", ref, repository_url as "repositoryUrl", status, image_ref as "imageRef"
  from revision
  where org_id = $1 and deployment_id = $2 and id = $3`

const standSql = `
  select d.branch, d.repository_key as "repositoryKey", r.id, r.created_at as "createdAt", r.pushed_at as "pushedAt" from deployment as d
  left join revision as r on r.org_id = d.org_id and r.deployment_id = d.id and r.id = d.current_revision_id
  where d.org_id = $1 and d.id = $2`

export async function sourceNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<SourceNeeds> {
  const ended = waiting.find(({ subject }) => subject.name === buildEnded.name)
  return { deployments: await thereOf(waiting, reads), end: ended && (await endOf(ended, reads)) }
}

async function thereOf(waiting: readonly Waiting[], reads: TurnReads): Promise<Set<string>> {
  const orgs = waiting.map(({ address }) => address.orgId)
  const ids = waiting.map(({ data }) => (data as { deploymentId: string }).deploymentId)
  const rows = await reads.rows<{ orgId: string; id: string }>(thereSql, [orgs, ids])
  return new Set(rows.map(({ orgId, id }) => deploymentKey(orgId, id)))
}

/** The id is null if nothing is promoted. */
type StandRow = { branch: string; repositoryKey: string } & (Build | { id: null; createdAt: null; pushedAt: null })

async function endOf({ address: { orgId }, data }: Waiting, reads: TurnReads): Promise<EndNeeds> {
  const { deploymentId, revisionId } = data as { deploymentId: string; revisionId: string }
  const [build] = await reads.rows<NonNullable<EndNeeds['build']>>(buildSql, [orgId, deploymentId, revisionId])
  const [stand] = await reads.rows<StandRow>(standSql, [orgId, deploymentId])
  if (!stand) return { build, stand: 'missing' }
  const { branch, repositoryKey, ...own } = stand
  return { build, stand: { branch, repositoryKey, promoted: own.id === null ? undefined : own } }
}

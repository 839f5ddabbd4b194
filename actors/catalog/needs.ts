import type { Waiting } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import { provisioningBegun, provisioningCommanded, provisioningDue, provisionReported } from '#streams/catalog.ts'
import type { Space } from './entity.ts'

export type SpaceStanding = Pick<Space, 'cloudAccountId' | 'region' | 'clusterUid' | 'status'>

export interface ProvisioningNeeds {
  /** Owners and admins; read only for messages that may notify them. */
  admins: (orgId: string) => readonly string[]
  /** Read only for the messages that start or delete a job: those run alone. */
  space: SpaceStanding | undefined
  /** Jobs of the organization that are not deleted. */
  live: number
  databases: readonly string[]
  connections: readonly string[]
}

export const nothingNeeded: ProvisioningNeeds = {
  admins: () => [],
  space: undefined,
  live: 0,
  databases: [],
  connections: [],
}

const spaceSql = `
  select cloud_account_id as "cloudAccountId", region, cluster_uid as "clusterUid", status from space
  where org_id = $1 and id = $2`
const liveSql = `select count(*)::int as n from provisioning_job where org_id = $1 and phase <> 'deleted'`
const databasesSql = 'select id from provisioned_database where org_id = $1 and job_id = $2 order by id'
const connectionsSql = 'select id from provisioned_connection where org_id = $1 and job_id = $2 order by id'
const adminsSql = `
  select org_id, user_id::text as user_id from member
  where org_id = any($1::text[]) and status = 'active' and role_id in ('owner', 'admin') order by org_id, user_id`

export async function provisioningNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<ProvisioningNeeds> {
  const of = (name: string): Waiting | undefined => waiting.find(({ subject }) => subject.name === name)
  const begun = of(provisioningBegun.name)
  const commanded = of(provisioningCommanded.name)
  return {
    ...nothingNeeded,
    ...(await adminsOf(waiting, reads)),
    ...(begun && (await beginNeeds(begun, reads))),
    ...(commanded && (await withinNeeds(commanded, reads))),
  }
}

async function beginNeeds({ address: { orgId }, data }: Waiting, reads: TurnReads) {
  const { spaceId } = data as { spaceId: string }
  const [space] = await reads.rows<SpaceStanding>(spaceSql, [orgId, spaceId])
  const [counted] = await reads.rows<{ n: number }>(liveSql, [orgId])
  return { space, live: counted!.n }
}

async function withinNeeds({ address: { orgId }, data }: Waiting, reads: TurnReads) {
  const { jobId } = data as { jobId: string }
  const ids = async (sql: string) => (await reads.rows<{ id: string }>(sql, [orgId, jobId])).map(({ id }) => id)
  return { databases: await ids(databasesSql), connections: await ids(connectionsSql) }
}

/** Messages that may lead to a mail. */
function isTold({ subject: { name }, data }: Waiting): boolean {
  if (name === provisioningDue.name) return (data as { what: string }).what !== 'again'
  return name === provisionReported.name && (data as { failure?: { bucket: string } }).failure?.bucket === 'system'
}

async function adminsOf(waiting: readonly Waiting[], reads: TurnReads): Promise<Pick<ProvisioningNeeds, 'admins'>> {
  const orgIds = [...new Set(waiting.filter(isTold).map(({ address }) => address.orgId))].toSorted()
  if (orgIds.length === 0) return { admins: () => [] }
  const rows = await reads.plain<{ org_id: string; user_id: string }>(adminsSql, [orgIds], { maxAgeMs: 0 })
  return { admins: (orgId) => rows.filter((row) => row.org_id === orgId).map((row) => row.user_id) }
}

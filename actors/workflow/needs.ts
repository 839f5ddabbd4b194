/**
 * What turns of workflows read: who may approve, and for some messages the recommendation, the resource and the
 * policies.
 */
import { PolicyReads } from '#actors/policy/queries.ts'
import { selectable } from '#actors/recommendation/policy/override.ts'
import type { Waiting } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Static } from '#engine/value/schema.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import { factsJudged, liveStatuses, workflowWanted, type WorkflowWanted } from '#streams/workflow.ts'
import { compileWorkflows, type CompiledWorkflow } from '#actors/workflow/custom/custom.ts'
import type { Grounds } from '#actors/workflow/guard/check.ts'
import { groundsOf } from '#actors/workflow/guard/needs.ts'
import type { RecommendationFacts } from '#actors/workflow/plan/plan.ts'

/** A resource of the inventory, possibly deleted. */
export interface ResourceFacts {
  uid: string
  name: string
  type: string
  provider: string
  region: string
  status: ResourceStatus
  instanceType: string
  resourceGroup: string
  specs: Record<string, unknown>
  schedulable: boolean
  tags: Record<string, string>
  deletedAt: Date | null
}

/** What a requested workflow is about. */
export interface RequestedWorkflow {
  recommendation: RecommendationFacts | undefined
  /** Number of live workflows for the recommendation. Below: in the organization. */
  ofRecommendation: number
  ofOrganization: number
  /** Whether the resource is a member of the named group; true if none is named. */
  isMember: boolean
  account: { status: string; verdict: string } | undefined
}

export interface WorkflowNeeds {
  admins: (orgId: string) => readonly string[]
  wanted: (orgId: string, jobId: string) => RequestedWorkflow | undefined
  resource: (orgId: string, account: string, uid: string) => ResourceFacts | undefined
  workflows: (orgId: string) => readonly CompiledWorkflow[]
  /** What the guard will check: its limits, and the tags and environment of a resource. */
  grounds: (orgId: string, account: string, uid: string) => Grounds
}

const workflowPolicies = new PolicyReads('workflow', compileWorkflows)

/** Always current: a new administrator, or a new restriction, counts at once. */
const now = { maxAgeMs: 0 }

const key = (...parts: readonly string[]): string => parts.join('\0')

type WantedMessage = Waiting & { data: WorkflowWanted }
const isWanted = (one: Waiting): one is WantedMessage => one.subject.name === workflowWanted.name

export async function workflowNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<WorkflowNeeds> {
  const orgIds = [...new Set(waiting.map(({ address }) => address.orgId))].toSorted()
  const wanted = waiting.filter(isWanted)
  const planning = [...new Set(wanted.map(({ address }) => address.orgId))].toSorted()
  const [admins, known] = await Promise.all([adminsOf(orgIds, reads), wantedOf(wanted, reads)])
  const judged = waiting.flatMap(({ subject, address, data }): ResourceKeyTuple[] =>
    subject.name === factsJudged.name
      ? [[address.orgId, address.place, (data as Static<typeof factsJudged.schema>).resourceUid]]
      : [],
  )
  const begun = wanted.flatMap(({ address: { orgId, place }, data }): ResourceKeyTuple[] => {
    const uid = known.get(key(orgId, data.jobId))?.recommendation?.resourceUid
    return uid === undefined ? [] : [[orgId, place, uid]]
  })
  const about = [...judged, ...begun]
  const [resources, policies] = await Promise.all([resourcesOf(about, reads), planningNeeds(planning, about, reads)])
  return {
    admins: (orgId) => admins.get(orgId) ?? [],
    wanted: (orgId, jobId) => known.get(key(orgId, jobId)),
    resource: (...place) => resources.get(key(...place)),
    ...policies,
  }
}

export type PlanningNeeds = Pick<WorkflowNeeds, 'workflows' | 'grounds'>

/** Policies of organizations for which something is planned, and facts of the resources. */
export async function planningNeeds(
  orgIds: readonly string[],
  places: readonly ResourceKeyTuple[],
  reads: TurnReads,
): Promise<PlanningNeeds> {
  const [workflows, grounds] = await Promise.all([
    workflowPolicies.of(orgIds, reads, now),
    groundsOf(
      places.map(([orgId, account, uid]) => ({ orgId, account, uid })),
      reads,
    ),
  ])
  return {
    workflows: (orgId) => workflows.get(orgId)?.of ?? [],
    grounds: (orgId, cloudAccountId, resourceUid) => grounds(orgId, { cloudAccountId, resourceUid }),
  }
}

const adminsSql = `
  select org_id, user_id::text as user_id from member
  where org_id = any($1::text[]) and status = 'active' and role_id in ('owner', 'admin') order by org_id, user_id`

async function adminsOf(orgIds: readonly string[], reads: TurnReads): Promise<Map<string, string[]>> {
  const rows = await reads.plain<{ org_id: string; user_id: string }>(adminsSql, [[...orgIds]], now)
  const found = new Map<string, string[]>()
  for (const { org_id, user_id } of rows) found.set(org_id, [...(found.get(org_id) ?? []), user_id])
  return found
}

/** One recommendation in its account: workflows are requested one by one, so each has a statement. */
export const recommendedSql = `
  select id, status, rule_id as "ruleId", category, action_type as "actionType", automation, title, remediation,
    resource_uid as "resourceUid", resource_name as "resourceName", resource_type as "resourceType", provider, region,
    target_spec as "targetSpec", current_cost_usd as "currentCostUsd", savings_usd as "savingsUsd"
  from recommendation where org_id = $1 and cloud_account_id = $2 and id = $3`

const aboutSql = `
  select
    (select count(*)::int from workflow_job where org_id = $1 and recommendation_id = $3 and status = any($4)) as "ofRecommendation",
    (select count(*)::int from workflow_job where org_id = $1 and status = any($4)) as "ofOrganization",
    $5 = '' or exists (
      select from resource_group_member m join recommendation r on r.org_id = m.org_id and r.resource_uid = m.resource_uid
      where m.org_id = $1 and m.group_id = $5 and r.cloud_account_id = $2 and r.id = $3) as "isMember",
    (select json_build_object('status', status, 'verdict', permission_verdict) from cloud_account
      where org_id = $1 and id = $2) as account`

async function wantedOf(wanted: readonly WantedMessage[], reads: TurnReads): Promise<Map<string, RequestedWorkflow>> {
  const found = new Map<string, RequestedWorkflow>()
  for (const { address, data } of wanted) {
    const { orgId, place } = address
    const group = data.subjectType === 'resource_group' ? data.subjectId : ''
    const [recommendation] = await reads.rows<RecommendationFacts>(recommendedSql, [
      orgId,
      place,
      data.recommendationId,
    ])
    const [about] = await reads.rows<
      Omit<RequestedWorkflow, 'recommendation' | 'account'> & { account: RequestedWorkflow['account'] | null }
    >(aboutSql, [orgId, place, data.recommendationId, [...liveStatuses], group])
    found.set(key(orgId, data.jobId), { ...about!, account: about!.account ?? undefined, recommendation })
  }
  return found
}

export type ResourceKeyTuple = [orgId: string, account: string, uid: string]

const resourceSql = `
  select r.org_id, r.cloud_account_id, r.uid, r.name, r.type, r.provider, r.region, r.observed_status as status,
    r.instance_type as "instanceType", r.resource_group as "resourceGroup", r.specs, r.schedulable, r.tags,
    r.deleted_at as "deletedAt"
  from unnest($1::text[], $2::text[], $3::text[]) as asked (org_id, account, uid)
  join resource r on r.org_id = asked.org_id and r.cloud_account_id = asked.account and r.uid = asked.uid`

export async function resourcesOf(
  places: readonly ResourceKeyTuple[],
  reads: TurnReads,
): Promise<Map<string, ResourceFacts>> {
  const asked = [...new Map(places.map((place) => [key(...place), place])).values()]
  if (asked.length === 0) return new Map()
  const params = [0, 1, 2].map((i) => asked.map((place) => place[i]!))
  const rows = await reads.rows<ResourceFacts & { org_id: string; cloud_account_id: string }>(resourceSql, params)
  return new Map(rows.map((row) => [key(row.org_id, row.cloud_account_id, row.uid), row]))
}

/** The facts that selectors of policies test. */
export const factsFor = (resource: ResourceFacts, account: string) =>
  selectable(
    {
      ...resource,
      sizeGb: null,
      unitCount: null,
      parentUid: '',
      hourlyRateUsd: null,
      fed: 'connector',
    },
    account,
  )

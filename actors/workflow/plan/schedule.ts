/** The schedule that a workflow creates: resources run during the organization's business hours only. */
import type { Tools } from '#actors/tools.ts'
import { governanceOf } from '#actors/recommendation/policy/governance.ts'
import type { PolicyRow } from '#actors/policy/queries.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { ScheduleTerms } from '#streams/schedule.ts'
import type { WorkflowPlan } from '#actors/workflow/entity.ts'
import { scheduleRules } from './plan.ts'

const governanceSql = `
  select id, name, spec, created_at as "createdAt" from policy
  where org_id = $1 and domain = 'governance' and enabled order by created_at, id`

export async function scheduleTermsFor(
  { reads }: Pick<Tools, 'reads'>,
  orgId: string,
  { resource, title }: WorkflowPlan,
): Promise<ScheduleTerms> {
  const governance = governanceOf(await reads.rows<PolicyRow>(governanceSql, [orgId]))
  return {
    name: `Business hours of ${resource.name || resource.uid}`.slice(0, 100),
    description: title,
    timezone: governance.timezone,
    rules: scheduleRules(governance),
    resourceUids: [resource.uid],
    resourceGroupIds: [],
    skipDates: [],
    enabled: true,
  }
}

/** Derived from the workflow, so that a repeat creates no second schedule. */
export const scheduleIdOf = (orgId: string, { cloudAccountId, jobId }: { cloudAccountId: string; jobId: string }) =>
  uuidOf('workflow-schedule', orgId, cloudAccountId, jobId)

const madeSql = 'select from schedule where org_id = $1 and id = $2 and enabled'

/** Whether the schedule exists and is enabled. */
export const isScheduled = async ({ reads }: Pick<Tools, 'reads'>, orgId: string, id: string): Promise<boolean> =>
  (await reads.rows(madeSql, [orgId, id])).length > 0

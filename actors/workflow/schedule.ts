/** The schedule that a workflow makes: on in the business hours of the organization, off beside them. */
import type { Tools } from '#actors/tools.ts'
import { governanceOf } from '#actors/recommendation/governance.ts'
import type { PolicyRow } from '#actors/policy/queries.ts'
import type { ScheduleTerms } from '#streams/schedule.ts'
import type { Plan } from './entity.ts'
import { scheduleRules } from './plan.ts'

const governanceSql = `
  select id, name, spec, created_at as "createdAt" from policy
  where org_id = $1 and domain = 'governance' and enabled order by created_at, id`

export async function scheduleTermsFor(
  { reads }: Pick<Tools, 'reads'>,
  orgId: string,
  { resource, title }: Plan,
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

const madeSql = `
  select from schedule where org_id = $1 and enabled and resource_uids @> jsonb_build_array($2::text) limit 1`

/** Whether a schedule names the resource. */
export const isScheduled = async ({ reads }: Pick<Tools, 'reads'>, orgId: string, uid: string): Promise<boolean> =>
  (await reads.rows(madeSql, [orgId, uid])).length > 0

/** The job that deletes workflows that ended long ago; their rows for analysts are kept as long. */
import type { JobWork, Tools } from '#actors/tools.ts'
import { dayMs } from '#engine/value/day.ts'
import { workflowForgotten } from '#streams/workflow.ts'

const keptDays = 400
/** Records in one message. */
const togetherMax = 200

const endedSql = `
  select id, cloud_account_id as account from workflow_job
  where org_id = $1 and completed_at < $2 and (cloud_account_id, id) > ($3, $4)
  order by cloud_account_id, id limit ${togetherMax}`

export const dropWorkflows =
  ({ reads, publisher, now }: Pick<Tools, 'reads' | 'publisher' | 'now'>): JobWork =>
  async ({ runId }, { orgId }) => {
    const before = new Date(now().getTime() - keptDays * dayMs)
    for (let last = { id: '', account: '' }; ;) {
      const page = await reads.rows<typeof last>(endedSql, [orgId, before, last.account, last.id])
      for (const [cloudAccountId, own] of Map.groupBy(page, ({ account }) => account)) {
        const events = own.map(({ id: jobId }) => ({
          subject: workflowForgotten,
          orgId,
          data: { cloudAccountId, jobId },
        }))
        const id = `workflows-forgotten/${runId}/${cloudAccountId}/${own[0]!.id}`
        await publisher.publishTogether(id, events)
      }
      if (page.length < togetherMax) return
      last = page.at(-1)!
    }
  }

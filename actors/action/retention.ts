/** The job that lets go of the records of actions that ended long ago. */
import type { JobWork, Tools } from '#actors/tools.ts'
import { dayMs } from '#engine/day.ts'
import type { Event } from '#engine/publisher.ts'
import { actionExpired } from '#streams/action.ts'

const keptDays = 90
const pageMax = 1000
/** Records of one message. */
const togetherMax = 200

const oldSql = `
  select id, cloud_account_id from action where org_id = $1 and ended_at < $2 and (cloud_account_id, id) > ($3, $4)
  order by cloud_account_id, id limit ${pageMax}`

export const dropActions =
  ({ reads, publisher, now }: Pick<Tools, 'reads' | 'publisher' | 'now'>): JobWork =>
  async ({ runId }, { orgId }) => {
    const before = new Date(now().getTime() - keptDays * dayMs)
    type Row = { id: string; cloud_account_id: string }
    let from: Row = { id: '', cloud_account_id: '' }
    for (;;) {
      const rows: Row[] = await reads.rows<Row>(oldSql, [orgId, before, from.cloud_account_id, from.id])
      for (const [account, own] of Map.groupBy(rows, (row) => row.cloud_account_id))
        for (let i = 0; i < own.length; i += togetherMax) {
          const events = own.slice(i, i + togetherMax).map(({ id }): Event => ({
            subject: actionExpired as unknown as Event['subject'],
            orgId,
            data: { cloudAccountId: account, actionId: id },
          }))
          await publisher.publishTogether(`actions-expired/${runId}/${own[i]!.id}`, events as [Event, ...Event[]])
        }
      if (rows.length < pageMax) return
      from = rows.at(-1)!
    }
  }

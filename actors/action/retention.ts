/** The job that deletes old records of ended actions and bulk actions. */
import type { JobWork, Tools } from '#actors/tools.ts'
import { dayMs } from '#engine/value/day.ts'
import type { Event } from '#engine/run/publisher.ts'
import { actionExpired, bulkExpired } from '#streams/action/messages.ts'

const keptDays = 90
const pageMax = 1000
/** Records in one message. */
const togetherMax = 200

const actionSql = `
  select id, cloud_account_id as account from action
  where org_id = $1 and ended_at < $2 and (cloud_account_id, id) > ($3, $4)
  order by cloud_account_id, id limit ${pageMax}`

const bulkSql = `
  select id, '' as account from bulk_action where org_id = $1 and ended_at < $2 and ('', id) > ($3, $4)
  order by id limit ${pageMax}`

interface Old {
  id: string
  account: string
}

export const dropActions =
  ({ reads, publisher, now }: Pick<Tools, 'reads' | 'publisher' | 'now'>): JobWork =>
  async ({ runId }, { orgId }) => {
    const before = new Date(now().getTime() - keptDays * dayMs)
    const tell = async (name: string, events: readonly Event[]) => {
      for (let i = 0; i < events.length; i += togetherMax)
        await publisher.publishTogether(`${name}/${runId}/${i}`, events.slice(i, i + togetherMax))
    }
    for await (const page of pages(actionSql))
      for (const [account, own] of Map.groupBy(page, (row) => row.account)) {
        const events = own.map(({ id }) => event(actionExpired, orgId, { cloudAccountId: account, actionId: id }))
        await tell(`actions-expired/${account}/${own[0]!.id}`, events)
      }
    for await (const page of pages(bulkSql)) {
      const events = page.map(({ id }) => event(bulkExpired, orgId, { bulkId: id }))
      await tell(`bulk-actions-expired/${page[0]!.id}`, events)
    }

    async function* pages(sql: string): AsyncGenerator<Old[]> {
      for (let last: Old | undefined = { id: '', account: '' }; last;) {
        const page: Old[] = await reads.rows<Old>(sql, [orgId, before, last.account, last.id])
        if (page.length > 0) yield page
        last = page.length < pageMax ? undefined : page.at(-1)
      }
    }
  }

const event = (subject: typeof actionExpired | typeof bulkExpired, orgId: string, data: object): Event => ({
  subject,
  orgId,
  data,
})

/** The daily run over the newest complete day, and the repeated check of the current day. */
import { addDays, monthOf } from '#engine/value/day.ts'
import { billedDays } from '#analytics/anomaly/questions.ts'
import type { JobWork } from '#actors/tools.ts'
import { clearAnomalies, findAnomalies, tellAnomalies, type DetectTools } from './detect.ts'
import { historyDays } from './recurrence.ts'

/** How many days back the newest complete day is searched. Below: how many missed days one run makes up for. */
const lookBackDays = 3
const catchUpDays = 6

/** Missed days after the last analysed one come first, so that each is compared with the days before it. */
export const anomalyDetection =
  (tools: DetectTools): JobWork =>
  async ({ at, date, through }, { orgId, key }) => {
    if (date !== undefined) {
      await analyse(tools, orgId, date, key)
      return
    }
    const newest = await completeDay(tools, orgId, at.slice(0, 10))
    if (newest === undefined || (await isLoading(tools, orgId, newest))) return
    let day = newest
    if (through !== '' && through < newest) {
      const earliest = addDays(newest, -catchUpDays)
      day = addDays(through, 1) > earliest ? addDays(through, 1) : earliest
    }
    for (; day <= newest; day = addDays(day, 1)) await analyse(tools, orgId, day, key)
    return newest
  }

async function analyse(tools: DetectTools, orgId: string, day: string, key: string): Promise<void> {
  const found = await findAnomalies(tools, orgId, day, 'daily')
  await tellAnomalies(tools, orgId, day, found, key)
  await clearAnomalies(tools, orgId, day, found, key)
}

/** Reports what has already exceeded its threshold today; the daily run decides finally. */
export const anomalyCheck =
  (tools: DetectTools): JobWork =>
  async ({ at, date }, { orgId, key }) => {
    const day = date ?? at.slice(0, 10)
    if (date === undefined && (await isLoading(tools, orgId, day))) return
    await tellAnomalies(tools, orgId, day, await findAnomalies(tools, orgId, day, 'running'), key)
  }

const loadingSql = `
  select exists (
    select from billing_sync s join cloud_account a on a.org_id = s.org_id and a.id = s.cloud_account_id
    where s.org_id = $1 and s.status = 'backfilling' and s.next_month >= $2 and a.status not in ('error', 'disabled', 'deleted')
  ) as "isLoading"`

/**
 * Whether the history of a recently connected account is still being read for days that `day` is compared with. Half a
 * history looks like a spike.
 */
async function isLoading({ reads }: DetectTools, orgId: string, day: string): Promise<boolean> {
  const [found] = await reads.rows<{ isLoading: boolean }>(loadingSql, [orgId, monthOf(historyDays(day)[0]!)])
  return found?.isLoading === true
}

const accountsSql = `
  select a.id, coalesce(a.billing_closed_day, '') as "closedDay",
    a.status in ('error', 'disabled', 'deleted') or s.status = 'failed'
      or coalesce(s.status = 'ok' and s.last_synced_at < $2::timestamptz - interval '36 hours', false) as "isExcused"
  from cloud_account a left join billing_sync s on s.org_id = a.org_id and s.cloud_account_id = a.id
  where a.org_id = $1`

interface Account {
  id: string
  closedDay: string
  isExcused: boolean
}

/**
 * The newest day before `today` that is closed or has costs in every account with cost in the week before. Accounts
 * whose bill is stale or fails do not count (decision G-52). Undefined if there is none.
 */
async function completeDay(tools: DetectTools, orgId: string, today: string): Promise<string | undefined> {
  const rows = await tools.ask(billedDays, { org: orgId, from: addDays(today, -lookBackDays - 7), to: today })
  const billed = new Map(rows.map((row) => [row.cloud_account_id, new Set(row.days)]))
  if (billed.size === 0) return undefined
  const accounts = await tools.reads.rows<Account>(accountsSql, [orgId, `${today}T00:00:00Z`])
  const known = new Map(accounts.map((account) => [account.id, account]))
  for (let back = 1; back <= lookBackDays; back++) {
    const day = addDays(today, -back)
    const week = Array.from({ length: 7 }, (_, before) => addDays(day, -before - 1))
    const waitsFor = [...billed].filter(([id, days]) => {
      const account = known.get(id)
      const isActive = week.some((one) => days.has(one))
      return isActive && !days.has(day) && (account?.closedDay ?? '') < day && account?.isExcused !== true
    })
    const hasCost = [...billed.values()].some((days) => days.has(day) || week.some((one) => days.has(one)))
    if (hasCost && waitsFor.length === 0) return day
  }
  return undefined
}

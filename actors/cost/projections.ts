/** Recomputes the sums of days whose bill lines, or whose shown bill, have changed. */
import { shownBills, shownBillsOf } from '#actors/account/queries.ts'
import { readKeptFrom } from '#actors/cost/kept-from.ts'
import { CostChanges, tellListeners } from '#actors/cost/tell.ts'
import type { Tools } from '#actors/tools.ts'
import type { ShownBills } from '#analytics/billing/bill.ts'
import { costDays, recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { costDayOf } from '#analytics/rollup/day-batch.ts'
import { costLinks, costOverlaps, recomputeOverlaps, relinkCostDays } from '#analytics/rollup/stale-day/cost-link.ts'
import { costTypes, retypeCostDays } from '#analytics/rollup/stale-day/cost-type.ts'
import { Restatements } from '#analytics/rollup/stale-day/restatement.ts'
import type { Reads } from '#engine/actor/ports.ts'
import type { ProjectionWork } from '#engine/run/projection.ts'

type CostTools = Pick<Tools, 'shards' | 'clock' | 'live' | 'now' | 'publisher' | 'track'>

/** What sums of days depend on besides the facts. */
interface CostBasis {
  shown: ShownBills
  /** Organizations that count an account's own bill if the payer's bill has the same charges. */
  memberOrgs: readonly string[]
  /** First day with bill lines. */
  linesFrom: string | undefined
}

const orgOf = ({ orgId }: { orgId: string }): string => orgId
const orgsOf = (marks: readonly { orgId: string }[]): string[] => [...new Set(marks.map(orgOf))]

async function memberOrgs(rows: Reads['rows'], orgIds: readonly string[]): Promise<string[]> {
  const found = await rows<{ orgId: string }>(
    `select org_id as "orgId" from organization_setting where org_id = any($1::text[]) and consolidated = 'member' order by org_id`,
    [orgIds],
  )
  return found.map(({ orgId }) => orgId)
}

/**
 * The slots to which this process writes sums of days. A failed insert may still be in progress, so the next run uses
 * other slots.
 */
class Slots {
  private readonly track: () => number
  private other = 0

  constructor(track: () => number) {
    this.track = track
  }

  /** @throws Error until the process has a number, since without one it would share slots */
  async use<T>(work: (pair: number) => Promise<T>): Promise<T> {
    const track = this.track()
    if (track === 0) throw new Error('this process has not been assigned a number yet')
    try {
      return await work(2 * track + this.other)
    } catch (error) {
      this.other = 1 - this.other
      throw error
    }
  }
}

/** Types and usage accounts are copied into published days, so changed days are recomputed first. */
export function costProjections(tools: CostTools): ProjectionWork<CostBasis>[] {
  const slots = new Slots(tools.track)
  return [
    days(tools, slots),
    ofAccounts(costTypes.name, retypeCostDays, tools, slots),
    ofAccounts(costLinks.name, relinkCostDays, tools, slots),
    ofAccounts(costOverlaps.name, recomputeOverlaps, tools, slots),
  ]
}

function days({ shards, clock, live, now, publisher }: CostTools, slots: Slots): ProjectionWork<CostBasis> {
  const changes = new CostChanges(publisher, clock)
  const restatements = new Restatements(shards, { now: () => clock.now(), elapsed: () => performance.now() })
  return {
    name: costDays.name,
    basis: async (marks, rows) => ({
      shown: await shownBills(rows, marks.map(costDayOf)),
      memberOrgs: await memberOrgs(rows, orgsOf(marks)),
      linesFrom: await readKeptFrom(rows, 'cost-lines'),
    }),
    ready: (marks, { shown }) => restatements.ready(marks, shown),
    run: async (marks, generation, { shown, memberOrgs, linesFrom }, stands) => {
      const begun = now()
      let isDone = true
      await shards.writeOnce(marks, orgOf, async ({ client, items }) => {
        const recompute = (pair: number) =>
          recomputeCostDays(client, items.map(costDayOf), generation, {
            now: begun,
            shown,
            stands: () => stands(items),
            pair,
            countsMembers: (orgId) => memberOrgs.includes(orgId),
            linesFrom,
          })
        isDone = (await slots.use(recompute)) && isDone
      })
      if (!isDone) return false
      restatements.replaced(marks, begun.getTime())
      await changes.changed(marks.map(costDayOf))
      return true
    },
    ended: (marks) => tellListeners(live, marks.map(costDayOf)),
  }
}

/**
 * The days that `again` recomputes may be of any account of the organization: a payer's bill may name the accounts of
 * the marks.
 */
function ofAccounts(
  name: string,
  again: typeof retypeCostDays,
  { shards, now }: CostTools,
  slots: Slots,
): ProjectionWork<CostBasis> {
  return {
    name,
    basis: async (marks, rows) => ({
      shown: await shownBillsOf(rows, orgsOf(marks)),
      memberOrgs: await memberOrgs(rows, orgsOf(marks)),
      linesFrom: await readKeptFrom(rows, 'cost-lines'),
    }),
    run: async (marks, generation, { shown, memberOrgs, linesFrom }, stands) => {
      let isDone = true
      for (const [orgId, own] of Map.groupBy(marks, (mark) => mark.orgId)) {
        const accounts = own.map((mark) => mark.key)
        await shards.writeOnce(own, orgOf, async ({ client }) => {
          const recompute = (pair: number) =>
            again(client, orgId, accounts, generation, {
              now: now(),
              shown,
              stands: () => stands(own),
              pair,
              countsMembers: () => memberOrgs.includes(orgId),
              linesFrom,
            })
          isDone = (await slots.use(recompute)) && isDone
        })
      }
      return isDone
    },
  }
}

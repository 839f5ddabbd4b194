/** What is stored of exports and of lines that came alone, as far as the turns of an account's bills depend on it. */
import { countBills, countOldBills, type Bill, type BillDay } from '#analytics/billing/bill.ts'
import { loneLines, type LoneLine } from '#analytics/billing/lone-line.ts'
import type { Address } from '#engine/actor/address.ts'
import type { Reads } from '#engine/actor/ports.ts'
import type { Static } from '#engine/value/schema.ts'
import { billingExportChecked, billingExportEnded } from '#streams/billing/messages.ts'
import { accountBillsRemoved, billRemoved, type loneLinesRemoved } from '#streams/billing/removal.ts'
import { dayRange, mayBeOld, noBills, type Bills, type ShownBill } from './bills.ts'
import { layerIds } from '#actors/account/export/layers.ts'

/** Lines that are removed in one turn. */
export const loneLinesMax = 2000

/** By message, which exports its turn looks at. */
const lookedAt: Readonly<Record<string, (bills: Bills, about: ExportEnd) => Bill[]>> = {
  [billingExportEnded.name]: wantedBills,
  [billingExportChecked.name]: wantedBills,
  [billRemoved.name]: removalBills,
  [accountBillsRemoved.name]: strayBills,
}

/** Counted for the turn of the message `name`; undefined where it looks at none. */
export async function billCounts(
  name: string,
  data: unknown,
  address: Address,
  reads: Reads,
): Promise<BillDay[] | undefined> {
  const billsOf = lookedAt[name]
  return billsOf && countsOf(reads, address, data as ExportEnd, billsOf)
}

/** Of the end of an export; a check is of those that are open already. */
type ExportEnd = Partial<Static<typeof billingExportEnded.schema>>

/** Both run alone, behind everything before them: rows and lines are those that the turn will find. */
async function countsOf(
  reads: Reads,
  { orgId, place }: Address,
  about: ExportEnd,
  billsOf: (bills: Bills, about: ExportEnd) => Bill[],
): Promise<BillDay[]> {
  const [row] = await reads.rows<{ bills: Bills; oldThrough: string }>(
    'select bills, old_through as "oldThrough" from cloud_account where org_id = $1 and id = $2',
    [orgId, place],
  )
  const { bills, oldThrough } = row ?? { bills: noBills(), oldThrough: '' }
  const wanted = billsOf(bills, about)
  const periods = [...new Set(wanted.map(({ period }) => period))]
  const isHidden = (period: string): boolean => billsOf === wantedBills && bills.shown[period]?.complete === true
  const old = periods.filter((period) => mayBeOld(oldThrough, period) && !isHidden(period))
  const found = wanted.length > 0 ? await countBills(reads, orgId, place, wanted) : []
  return old.length > 0 ? [...found, ...(await countOldBills(reads, orgId, place, old))] : found
}

/** The open exports, those that begin to be shown, and what is shown of their periods. */
function wantedBills({ shown, begun, open }: Bills, { exportId, periods = [] }: ExportEnd): Bill[] {
  const wanted: Bill[] = [
    ...periods.map(({ period }) => ({ period, exportId: exportId! })),
    ...open.flatMap(({ id, periods: told }) => Object.keys(told).map((period) => ({ period, exportId: id }))),
    ...listRestored(shown),
    ...Object.entries(begun).map(([period, { id }]) => ({ period, exportId: id })),
  ]
  const standing = wanted.flatMap(({ period }) =>
    shown[period] ? layerIds(shown[period]).map((exportId) => ({ period, exportId })) : [],
  )
  return [...new Map([...wanted, ...standing].map((bill) => [`${bill.period}/${bill.exportId}`, bill])).values()]
}

/** Those that a removal brought back, and what may be shown in place of them. */
const listRestored = (shown: Bills['shown']): Bill[] =>
  Object.entries(shown).flatMap(([period, bill]) =>
    bill.isRestored ? allIds(bill).map((exportId) => ({ period, exportId })) : [],
  )

/** Of what is shown, and of what was before it. */
const allIds = ({ before, ...now }: ShownBill): string[] => [...new Set([...before, now].flatMap(layerIds))]

/** Of the periods of an export that is removed: all that may show again; and what open exports wait for. */
function removalBills(bills: Bills, { exportId }: ExportEnd): Bill[] {
  const ofPeriods = Object.entries(bills.shown).flatMap(([period, bill]) => {
    const all = allIds(bill)
    return all.includes(exportId!) ? all.map((one) => ({ period, exportId: one })) : []
  })
  const wanted = [...ofPeriods, ...wantedBills(bills, {})]
  return [...new Map(wanted.map((bill) => [`${bill.period}/${bill.exportId}`, bill])).values()]
}

/** Shown exports whose days their range does not tell, or whose lines nobody has counted yet. */
function strayBills({ shown }: Bills): Bill[] {
  return Object.entries(shown)
    .filter(([, { from, to, complete }]) => !complete || dayRange(from, to).length === 0)
    .flatMap(([period, bill]) => layerIds(bill).map((exportId) => ({ period, exportId })))
}

export const loneLinesOf = (
  reads: Reads,
  { orgId, place }: Address,
  { sequence, afterDay, afterLineId }: Static<typeof loneLinesRemoved.schema>,
): Promise<LoneLine[]> =>
  loneLines(reads, {
    org: orgId,
    account: place,
    sequence,
    day: afterDay,
    line: afterLineId,
    limit: loneLinesMax,
  })

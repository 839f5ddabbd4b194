/**
 * Reads what is stored of exports and of individually sent lines, as far as the turns of an account's bills need it.
 */
import { countBills, countOldBills, type Bill, type BillDay } from '#analytics/billing/bill.ts'
import { loneLines, type LoneLine } from '#analytics/billing/lone-line.ts'
import type { Address } from '#engine/actor/address.ts'
import type { Reads } from '#engine/actor/ports.ts'
import type { Static } from '#engine/value/schema.ts'
import { billingExportChecked, billingExportEnded } from '#streams/billing/messages.ts'
import { accountBillsRemoved, billRemoved, type loneLinesRemoved } from '#streams/billing/removal.ts'
import { dayRange, mayBeOld, noBills, type Bills, type ShownBill } from './bills.ts'
import { layerIds } from '#actors/account/export/layers.ts'

/** Maximum lines removed in one turn. */
export const loneLinesMax = 2000

/** By message name: the exports that its turn looks at. */
const lookedAt: Readonly<Record<string, (bills: Bills, about: ExportEnd) => Bill[]>> = {
  [billingExportEnded.name]: wantedBills,
  [billingExportChecked.name]: wantedBills,
  [billRemoved.name]: removalBills,
  [accountBillsRemoved.name]: strayBills,
}

/** Stored lines by export and day, for the turn of the message `name`; undefined if its turn looks at none. */
export async function billCounts(
  name: string,
  data: unknown,
  address: Address,
  reads: Reads,
): Promise<BillDay[] | undefined> {
  const billsOf = lookedAt[name]
  return billsOf && countsOf(reads, address, data as ExportEnd, billsOf)
}

/** The end of an export. A check has none of these members: it is about the exports that are open already. */
type ExportEnd = Partial<Static<typeof billingExportEnded.schema>>

/**
 * These messages run alone, after everything before them, so the rows and lines read here are those that the turn will
 * find.
 */
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

/** The exports in progress, and for their periods the exports that are shown. */
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

/** Exports restored by a removal, and those that may be shown in their place. */
const listRestored = (shown: Bills['shown']): Bill[] =>
  Object.entries(shown).flatMap(([period, bill]) =>
    bill.isRestored ? allIds(bill).map((exportId) => ({ period, exportId })) : [],
  )

/** Ids of the shown exports and of those shown before. */
const allIds = ({ before, ...now }: ShownBill): string[] => [...new Set([...before, now].flatMap(layerIds))]

/**
 * For the periods of an export that is removed: all exports that may be shown again. Also those that open exports wait
 * for.
 */
function removalBills(bills: Bills, { exportId }: ExportEnd): Bill[] {
  const ofPeriods = Object.entries(bills.shown).flatMap(([period, bill]) => {
    const all = allIds(bill)
    return all.includes(exportId!) ? all.map((one) => ({ period, exportId: one })) : []
  })
  const wanted = [...ofPeriods, ...wantedBills(bills, {})]
  return [...new Map(wanted.map((bill) => [`${bill.period}/${bill.exportId}`, bill])).values()]
}

/** Shown exports whose days are not known from their range, or whose lines have not been counted yet. */
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

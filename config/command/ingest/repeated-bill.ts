/** A bill that is sent under one account and stands under another already: found before it counts. */
import { repeatedBill, type RepeatedBill } from '#analytics/billing/repeated-bill.ts'
import type { PeriodSent } from '#actors/account/export/bill-export.ts'
import { billsOf } from '#config/state/bills.ts'
import type { Target } from './ingest.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { BillAccountNames } from '#streams/billing/line/bill-account.ts'
import type { NotedLine } from '#streams/billing/row/own-part.ts'

export interface Repeat extends RepeatedBill {
  period: string
}

export interface RepeatWatch {
  /** Lines are hidden until the end of their export, because the bill may yet be stopped. */
  isWatching: boolean
  /** Notes the accounts that a line names. */
  note: (period: string, line: NotedLine) => void
  /** The periods that stand under another account, and not yet under this one; none where it was confirmed. */
  found: (periods: readonly PeriodSent[]) => Promise<Repeat[]>
  /** What was read otherwise than it stands in the files. */
  remarks: (periods: readonly PeriodSent[]) => string[]
}

/** Only where another account of the organization has bills is there anything to repeat. */
export async function watchRepeats({ instance, org, account }: Target, isConfirmed: boolean): Promise<RepeatWatch> {
  const { pool } = instance.connections.store
  const { rows } = await pool.query<{ others: boolean }>(othersSql, [org, account])
  const isWatching = !isConfirmed && rows[0]!.others
  const names = new BillAccountNames()
  return {
    isWatching,
    note: (period, line) => names.add(period, line),
    async found(periods) {
      if (!isWatching) return []
      const { bills } = await billsOf(pool, org, account)
      const reads = instance.product().get(tokens.reads)
      const repeats: Repeat[] = []
      for (const { period, from, to } of periods) {
        if (bills.shown[period]) continue
        const repeat = await repeatedBill(reads, org, { account, from, to, ...names.of(period) })
        if (repeat) repeats.push({ period, ...repeat })
      }
      return repeats
    },
    remarks: (periods) => toldZeros(new Set(periods.flatMap(({ period }) => names.of(period).zerosAdded))),
  }
}

const othersSql = `
  select exists (select from cloud_account where org_id = $1 and id <> $2 and bills->'shown' <> '{}') as others`

const toldMax = 10

const some = (all: readonly string[]): string =>
  all.length > toldMax ? `${all.slice(0, toldMax).join(', ')} and ${all.length - toldMax} more` : all.join(', ')

const toldZeros = (ids: ReadonlySet<string>): string[] =>
  ids.size === 0 ? [] : [`added leading zeros that spreadsheets remove from account IDs: ${some([...ids].toSorted())}`]

/** `again` is the command that takes it all the same. */
export const toldRepeats = (repeats: readonly Repeat[], account: string, again: string): string[] => [
  ...repeats.map(
    ({ period, cloudAccountId, names, of }) =>
      `${period}: ${names} of the ${of} accounts in this bill are already in the bill of ${cloudAccountId}`,
  ),
  `Importing the same bill under two accounts would count it twice, so nothing was imported for ${account}. To import it anyway: ${again}`,
]

/** A month of an organization as FOCUS, in parts that fit in memory: what scheduled exports write. */
import { firstOf, lastOf } from '#engine/value/day.ts'
import { Total } from '#engine/value/decimal.ts'
import type { Cell } from '#http/edge/csv.ts'
import type { Services } from '#http/edge/services.ts'
import { focusRows } from '#http/export/focus.ts'
import { sheetPieces } from '#http/file/content.ts'
import { costQuestion } from '#http/report/filter/filter.ts'
import { systemRights } from '#http/identity/organization/role.ts'
import { sumColumns, type FocusPart, type FocusParts } from '#streams/export.ts'

/** Rows of one part: about 10 MB of Parquet. */
const rowsPerPart = 50_000

type Asked = Parameters<FocusParts>[0]

export async function* focusParts(
  { orgId, month, format, version }: Asked,
  services: Services,
  partRows = rowsPerPart,
): AsyncGenerator<FocusPart, void> {
  const caller = { ...systemRights('viewer'), orgId, userId: '', kind: 'internal', principal: '' } as const
  const days = { fromDay: firstOf(month), toDay: lastOf(month) }
  const { cost: _, ...question } = costQuestion(caller, {}, days, services)
  const { columns, rows } = focusRows(question, version, services)
  const at = sumColumns.map((name) => columns.findIndex((column) => column.name === name))
  const iterator = rows[Symbol.asyncIterator]()
  try {
    for (let first = await iterator.next(); !first.done; first = await iterator.next()) {
      const totals = sumColumns.map(() => new Total())
      let count = 0
      const add = (row: readonly Cell[]): readonly Cell[] => {
        count++
        for (const [index, total] of totals.entries()) total.add(row[at[index]!] ?? 0)
        return row
      }
      const head = first.value
      async function* part(): AsyncGenerator<readonly Cell[], void> {
        yield add(head)
        while (count < partRows) {
          const { done, value } = await iterator.next()
          if (done) return
          yield add(value)
        }
      }
      const pieces: Buffer[] = []
      for await (const piece of sheetPieces({ columns, rows: part() }, format)) pieces.push(Buffer.from(piece))
      const sums = Object.fromEntries(sumColumns.map((name, index) => [name, totals[index]!.toString()]))
      yield { body: Buffer.concat(pieces), rows: count, sums: sums as FocusPart['sums'] }
    }
  } finally {
    await iterator.return?.()
  }
}

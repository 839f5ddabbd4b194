/** What we make of a bill, row by row. */
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { Fault } from '#engine/value/fault.ts'
import { sum } from '#engine/value/decimal.ts'
import { LineIds } from '#streams/billing/line/line-id.ts'
import { membersOf } from '#streams/billing/file/member.ts'
import { openBillingFile } from '#streams/billing/reader.ts'

export interface OurRow {
  day: string
  billed: string
  effective: string
  /** Codes of what is said of it. */
  warnings: string[]
  refused?: string
}

export interface Ours {
  /** By row; of the second file of an archive, from 1,000,000 on. */
  rows: Map<number, OurRow>
  warnings: string[]
  /** Why the file is refused. */
  error?: string
}

/** @throws what is no fault of the file */
export async function readBill(file: string, asStream: boolean): Promise<Ours> {
  const ours: Ours = { rows: new Map(), warnings: [] }
  const ids = new LineIds()
  try {
    if (file.endsWith('.zip')) {
      let part = 0
      const skip = () => void ours.warnings.push('file_skipped')
      for await (const { input } of membersOf(file, createReadStream(file), skip))
        await readPart(input, ours, ids, part++)
    } else await readPart(asStream ? createReadStream(file) : file, ours, ids, 0)
  } catch (error) {
    if (!(error instanceof Fault && error.kind === 'invalid')) throw error
    ours.error = error.code
  }
  return ours
}

async function readPart(input: string | Readable, ours: Ours, ids: LineIds, part: number): Promise<void> {
  const options = { format: 'auto', accountId: 'a', rates: { NOK: '0.1' }, exportedAt: new Date(), ids } as const
  const opened = await openBillingFile(input, options)
  for await (const reading of opened.rows) {
    const at = part * 1_000_000 + reading.row
    const known = ours.rows.get(at)
    if ('refused' in reading) {
      if (known) throw new Error(`row ${at} comes twice`)
      ours.rows.set(at, { day: '', billed: '0', effective: '0', warnings: [], refused: reading.refused.code })
      continue
    }
    const { x_Day: day, BilledCost: billed, EffectiveCost: effective } = reading.cost
    ours.rows.set(at, {
      day,
      billed: sum([known?.billed ?? '0', billed]),
      effective: sum([known?.effective ?? '0', effective]),
      warnings: [...(known?.warnings ?? []), ...(reading.warnings ?? []).map(({ code }) => code)],
    })
  }
  ours.warnings.push(...opened.warnings.map(({ code }) => code))
}

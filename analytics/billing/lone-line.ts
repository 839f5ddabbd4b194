import { readFileSync } from 'node:fs'
import type { Reads } from '#engine/actor/ports.ts'

const loneLine = readFileSync(new URL('lone_line.sql', import.meta.url), 'utf8')

/** A stored line without an export. `exportedAt` is UTC without a zone, `2026-01-15T10:00:00.000`. */
export interface LoneLine {
  day: string
  lineId: string
  provider: string
  exportedAt: string
}

/** The lines after (`day`, `line`) that arrived up to `sequence` of the account's lane. */
export const loneLines = (
  { facts }: Pick<Reads, 'facts'>,
  page: { org: string; account: string; sequence: string; day: string; line: string; limit: number },
): Promise<LoneLine[]> => facts<LoneLine>(loneLine, page)

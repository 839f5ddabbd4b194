import { resumeRows } from './resume.ts'
import type { Fields, Source, SourceRow } from './source.ts'

/** The first readable row, and a source that still yields all rows. */
export async function peekFirstRow(source: Source): Promise<{ first: Fields | undefined; source: Source }> {
  const rows = source.rows[Symbol.asyncIterator]() as AsyncGenerator<SourceRow, void>
  const ahead: SourceRow[] = []
  for (let next = await rows.next(); !next.done; next = await rows.next()) {
    ahead.push(next.value)
    if ('fields' in next.value || ahead.length === aheadMax) break
  }
  const seen = ahead.at(-1)
  return {
    first: seen && 'fields' in seen ? seen.fields : undefined,
    source: { ...source, rows: resumeRows(ahead, rows) },
  }
}

const aheadMax = 100

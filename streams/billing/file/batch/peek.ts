import { resumeRows } from './resume.ts'
import { rowsOf, type Fields, type SourceRow } from './row-batch.ts'
import type { Source } from '#streams/billing/file/source.ts'

interface Peeked {
  first: Fields | undefined
  source: Source
}

/** The first readable row, and a source that still yields all rows. */
export async function peekFirstRow(source: Source): Promise<Peeked> {
  if (source.batches) {
    const { seen, all } = await lookAhead(source.batches, (batch) => batch.length > 0 && batch.row(0))
    return { first: fieldsOf(seen), source: { ...source, rows: rowsOf(all), batches: all } }
  }
  const { seen, all } = await lookAhead(source.rows, (row) => row)
  return { first: fieldsOf(seen), source: { ...source, rows: all } }
}

const fieldsOf = (row: SourceRow | undefined): Fields | undefined => (row && 'fields' in row ? row.fields : undefined)

async function lookAhead<T>(items: AsyncIterable<T>, rowOf: (item: T) => SourceRow | false) {
  const rest = items[Symbol.asyncIterator]() as AsyncGenerator<T, void>
  const ahead: T[] = []
  let seen: SourceRow | undefined
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    ahead.push(next.value)
    seen = rowOf(next.value) || seen
    if (fieldsOf(seen) || ahead.length === aheadMax) break
  }
  return { seen, all: resumeRows(ahead, rest) }
}

const aheadMax = 100

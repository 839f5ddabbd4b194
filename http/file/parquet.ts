/** Writes a sheet as Parquet: snappy, one row group for every 10,000 rows, so that memory does not grow with the file. */
import type { ParquetWriter } from 'hyparquet-writer'
import type { Cell } from '#http/edge/csv.ts'
import type { Sheet, SheetColumn } from '#http/file/sheet.ts'
import { toUnits } from '#engine/value/decimal.ts'

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number]

const rowsPerGroup = 10_000
/** As many as the finest amounts have that are stored, prices: nothing is rounded. */
const places = 16

/** How the values of a kind of column are written; undefined is null. */
interface Writing {
  element: Omit<SchemaElement, 'name'>
  of: (cell: Exclude<Cell, null>) => unknown
}

const writings: Readonly<Record<SheetColumn['kind'], Writing>> = {
  text: { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, of: String },
  number: {
    element: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL', precision: 38, scale: places },
    of: (cell) => toUnits(cell, places),
  },
  float: { element: { type: 'DOUBLE' }, of: Number },
  flag: { element: { type: 'BOOLEAN' }, of: (cell) => cell === 'true' },
  // Some readers take columns of the type JSON only if all values are objects.
  json: { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, of: String },
  time: { element: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' }, of: readTime },
}

/** A time without a zone is UTC. */
function readTime(cell: string | number): Date | undefined {
  const text = String(cell)
  const at = new Date(/(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`)
  return Number.isNaN(at.getTime()) ? undefined : at
}

/** The bytes of the file, a row group at a time. */
export async function* parquetBytes({ columns, rows }: Sheet): AsyncGenerator<Buffer, void> {
  const { ByteWriter, ParquetWriter: Writer } = await import('hyparquet-writer')
  const elements = columns.map(({ name, kind }) => ({
    name,
    repetition_type: 'OPTIONAL' as const,
    ...writings[kind].element,
  }))
  const writer = new ByteWriter()
  const schema: SchemaElement[] = [{ name: 'root', num_children: columns.length }, ...elements]
  const file = new Writer({ writer, schema, createdBy: 'Tidemark' })
  const taken = (): Buffer => {
    const bytes = Buffer.from(writer.getBytes())
    writer.index = 0
    return bytes
  }
  let group = columns.map((): unknown[] => [])
  const write = (): Buffer => {
    const data = columns.map(({ name }, at) => ({ name, data: group[at]! }))
    void file.write({ columnData: data, rowGroupSize: rowsPerGroup })
    group = columns.map((): unknown[] => [])
    return taken()
  }
  for await (const row of rows) {
    for (const [at, { kind }] of columns.entries()) {
      const cell = row[at]
      group[at]!.push(cell === null || cell === undefined ? undefined : writings[kind].of(cell))
    }
    if (group[0]!.length === rowsPerGroup) yield write()
  }
  if (group[0]!.length > 0) yield write()
  void file.finish()
  yield taken()
}

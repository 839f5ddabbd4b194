/**
 * Reads a CSV file of values: the header `timestamp,value` in any case, then one row for each value. All of it counts, or nothing.
 */
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import type { TimedValues } from '#actors/unit-metric/values.ts'
import { Fault } from '#engine/value/fault.ts'
import { badInput, type InputError } from '#http/edge/problem.ts'
import { timeOf, valueOf } from '#streams/unit-metric.ts'

const rowsMax = 1_000_000
/** Maximum wrong rows that are reported; after that, reading stops. */
const errorsMax = 100
const recordBytesMax = 4096

/**
 * Rows are numbered as in spreadsheets: the header is row 1. Empty rows are skipped.
 * @throws Fault `validation_failed` with wrong rows; Fault `refused` `too_many_rows`
 */
export async function readValues(file: Readable): Promise<TimedValues> {
  const values: TimedValues = new Map()
  const errors: InputError[] = []
  const parser = parse({ bom: true, relax_column_count: true, trim: true, max_record_size: recordBytesMax })
  let row = 0
  try {
    await pipeline(file, parser, async (records: AsyncIterable<string[]>) => {
      for await (const record of records) {
        row++
        if (row === 1) checkHeader(record)
        else take(row, record, values, errors)
      }
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // The parser is ahead of the rows taken, and knows its own number of rows.
    errors.push(wrong(Number(error['records'] ?? row) + 1, 'is not valid CSV'))
  }
  if (errors.length > 0) throw badInput(...errors)
  if (values.size === 0) throw badInput(wrong(2, 'is required: the file has no values'))
  return values
}

function checkHeader(record: readonly string[]): void {
  const names = record.map((one) => one.trim().toLowerCase()).join(',')
  if (names !== 'timestamp,value') throw badInput(wrong(1, 'must be the header timestamp,value'))
}

function take(row: number, record: readonly string[], values: TimedValues, errors: InputError[]): void {
  if (record.length === 1 && record[0] === '') return
  if (row > rowsMax + 1)
    throw Fault.refused('too_many_rows', `A file can have at most ${rowsMax} rows below its header.`)
  const [timestamp = '', number = ''] = record
  const time = timeOf(timestamp)
  const value = valueOf(number)
  if (record.length === 2 && time !== undefined && value !== undefined) {
    values.set(time, value)
    return
  }
  errors.push(wrong(row, 'must be an ISO 8601 time or a day, and a number'))
  if (errors.length === errorsMax) throw badInput(...errors)
}

const wrong = (row: number, message: string): InputError => ({
  in: 'body',
  name: `/rows/${row}`,
  code: 'row',
  message: `row ${row} ${message}`,
})
